package search

import (
	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// checkFields checks everything hits are to return against the schema: fields,
// highlights, matched values and the fields of value hits.
func (s *execution) checkFields() error {
	r := s.request
	for _, name := range r.Fields {
		if err := s.checkReturned(name); err != nil {
			return err
		}
	}
	if r.Hits != nil {
		for _, name := range r.Hits.Fields {
			if err := s.checkReturned(name); err != nil {
				return err
			}
		}
	}
	if r.Matched != nil {
		for i := range r.Matched.Fields {
			if err := s.checkMatched(&r.Matched.Fields[i]); err != nil {
				return err
			}
		}
	}
	if r.Highlight != nil {
		for i := range r.Highlight.Fields {
			if err := s.checkHighlight(&r.Highlight.Fields[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkReturned rejects a field that cannot be returned.
func (s *execution) checkReturned(name query.FieldName) error {
	field, ok := s.view.Schema.Resolve(name.Field)
	switch {
	case !ok:
		return problem.SearchFieldUnknown.At(name.At, "name", name.Field)
	case s.view.Schema.KeepsSource() || field.PrimaryKey || field.Signal:
		return nil
	case field.Type == definition.Object || field.BelowFlattened:
		return problem.SearchSourceNotKept.At(name.At, "name", name.Field)
	case !field.Stored:
		return problem.SearchUsageUnsupported.At(name.At, "name", name.Field, "usage", "stored")
	}
	return nil
}

func (s *execution) checkMatched(m *query.MatchedField) error {
	field, ok := s.view.Schema.Resolve(m.Field)
	switch {
	case !ok:
		return problem.SearchFieldUnknown.At(m.At, "name", m.Field)
	case !field.IsNestedList():
		return problem.SearchMatchedFieldNotNested.At(m.At, "name", m.Field, "field", m.Field)
	}
	for _, name := range m.Fields {
		if err := s.checkReturned(name); err != nil {
			return err
		}
	}
	return nil
}

func (s *execution) checkHighlight(h *query.HighlightField) error {
	field, ok := s.view.Schema.Resolve(h.Field)
	switch {
	case !ok:
		return problem.SearchFieldUnknown.At(h.At, "name", h.Field)
	case field.List != "" && s.request.Hits == nil:
		return problem.SearchNestedFieldOutside.At(h.At, "name", h.Field, "path", field.List)
	}
	usage := field.Matching
	if usage == nil {
		usage = field.Autocomplete
	}
	if usage == nil || !usage.Highlight {
		return problem.SearchUsageUnsupported.At(h.At, "name", h.Field, "usage", "highlight")
	}
	return nil
}

// projection returns the part of documents that the answer shows.
func (s *execution) projection(names []query.FieldName, chosen bool) document.Projection {
	if !chosen {
		return *document.Whole(s.view.Schema, s.locale)
	}
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = name.Field
	}
	return *document.Only(s.view.Schema, paths, s.locale)
}
