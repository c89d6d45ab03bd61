package search

import (
	"strings"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/search/highlight"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/scope"
	"github.com/quiresearch/quire/query"
)

// highlightField is one field to mark: its options and the structures whose
// words are marked in it.
type highlightField struct {
	request    *query.HighlightField
	field      *definition.ResolvedField
	locale     string // whose rules apply to the text
	structures [2]string
}

func (s *execution) highlightFields() []highlightField {
	var fields []highlightField
	for i := range s.request.Highlight.Fields {
		h := &s.request.Highlight.Fields[i]
		field, _ := s.view.Schema.Resolve(h.Field)
		variant := plan.Variant(field, s.locale)
		fields = append(fields, highlightField{
			request: h, field: field, locale: scope.ChainLocale(field, variant),
			structures: [2]string{layout.Matching(field.Path, variant), layout.Autocomplete(field.Path, variant)},
		})
	}
	return fields
}

// highlight returns the fragments of one hit.
func (w *hitWriter) highlight(record document.Record, isItem bool, position int) ([]query.FieldFragments, error) {
	var all []query.FieldFragments
	for i := range w.highlights {
		h := &w.highlights[i]
		if h.field.List != "" && !isItem {
			continue
		}
		fragments, err := w.fragments(h, record, position)
		if err != nil {
			return nil, err
		}
		if len(fragments) > 0 {
			all = append(all, query.FieldFragments{Field: h.field.Path, Fragments: fragments})
		}
	}
	return all, nil
}

func (w *hitWriter) fragments(h *highlightField, record document.Record, position int) ([]string, error) {
	var text strings.Builder
	var marks []highlight.Mark
	var failure error
	at := -1
	if h.field.List != "" {
		at = position
	}
	record.Each(h.field, w.execution.locale, at, func(raw []byte) bool {
		if text.Len() > 0 {
			text.WriteByte(' ')
		}
		offset := text.Len()
		value := highlight.Clip(jsonread.String(raw))
		text.WriteString(value)
		for usage, structure := range h.structures {
			terms := w.terms[structure]
			if terms == nil {
				continue
			}
			chain, err := w.execution.view.Chains.IndexChain(h.field, usage == 1, h.locale)
			if err != nil {
				failure = scope.AnalysisFailed(h.field, err)
				return false
			}
			marks = terms.Mark(marks, chain.Analyze(w.buffer, value), offset)
		}
		return text.Len() < highlight.MaxText*4
	})
	if failure != nil {
		return nil, failure
	}
	o := h.request
	return highlight.Fragments(text.String(), marks, highlight.Options{
		Fragments: o.Fragments, Length: o.Length, Pre: o.Pre, Post: o.Post,
	}), nil
}
