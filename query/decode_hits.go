package query

import (
	"strconv"
	"strings"

	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
)

func (d *decoder) highlight(v jsonread.Value) *Highlight {
	return &Highlight{At: v.Path(), Fields: listed(d, v, problem.SearchHighlightFieldsRequired, d.highlightField)}
}

// listed reads an object whose only member, fields, holds options for at least one
// field.
func listed[T any](d *decoder, v jsonread.Value, none *problem.Code, read func(field string, options jsonread.Value) T) []T {
	var fields []T
	empty := true
	isObject := v.Members(func(name string, member jsonread.Value) bool {
		if name != "fields" {
			return false
		}
		empty = isShort(member, jsonread.ObjectKind, 1)
		membersUpTo(member, MaxListedFields, func(field string, options jsonread.Value) {
			fields = append(fields, read(field, options))
		})
		return true
	})
	if isObject && empty {
		d.found.Report(none.At(v.Path().Field("fields")))
	}
	return fields
}

func (d *decoder) highlightField(field string, options jsonread.Value) HighlightField {
	f := HighlightField{
		At: options.Path(), Field: field, Fragments: DefaultFragments, Length: DefaultFragment,
		Pre: DefaultHighlightPre, Post: DefaultHighlightPost,
	}
	if blank(field) {
		options.Report(problem.SearchHighlightFieldRequired)
	}
	options.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "fragments":
			if n, ok := d.whole(member, 1, unbounded, problem.SearchHighlightFragmentsOutOfRange); ok {
				f.Fragments = n
			}
		case "length":
			if n, ok := d.whole(member, 1, MaxFragment, problem.SearchHighlightLengthOutOfRange); ok {
				f.Length = n
			}
		case "pre":
			if text, ok := mark(member); ok {
				f.Pre = text
			}
		case "post":
			if text, ok := mark(member); ok {
				f.Post = text
			}
		default:
			return false
		}
		return true
	})
	return f
}

// mark reads the text to put before or after a highlighted word.
func mark(v jsonread.Value) (string, bool) {
	text, ok := v.Text()
	if len(text) > MaxMark {
		v.Invalid("expected at most " + strconv.Itoa(MaxMark) + " bytes")
		return "", false
	}
	return text, ok
}

func (d *decoder) matched(v jsonread.Value) *Matched {
	return &Matched{At: v.Path(), Fields: listed(d, v, problem.SearchMatchedFieldsRequired, d.matchedField)}
}

func (d *decoder) matchedField(field string, options jsonread.Value) MatchedField {
	f := MatchedField{At: options.Path(), Field: field, Limit: DefaultMatchedLimit}
	if blank(field) {
		options.Report(problem.SearchMatchedFieldRequired)
	}
	options.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "limit":
			if n, ok := d.whole(member, 1, MaxMatchedLimit, problem.SearchMatchedLimitOutOfRange); ok {
				f.Limit = n
			}
		case "fields":
			if !member.IsNull() {
				f.Fields, f.HasFields = fieldNames(member), true
				d.inside(member, field, f.Fields, problem.SearchMatchedFieldsEmpty, problem.SearchMatchedFieldNotInside)
			}
		default:
			return false
		}
		return true
	})
	return f
}

// inside checks that a list of fields is not empty and lies below a nested list.
func (d *decoder) inside(v jsonread.Value, list string, fields []FieldName, empty, notInside *problem.Code) {
	if v.Kind() == jsonread.ListKind && elements(v) == 0 {
		v.Report(empty)
	}
	for _, field := range fields {
		if !Below(field.Field, list) {
			d.found.Report(notInside.At(field.At, "field", field.Field, "path", list))
		}
	}
}

// Below reports whether a dotted path lies strictly below another one.
func Below(path, parent string) bool {
	return len(path) > len(parent) && strings.HasPrefix(path, parent) && path[len(parent)] == '.'
}

func (d *decoder) hits(v jsonread.Value) *Hits {
	h := &Hits{At: v.Path()}
	var fields jsonread.Value
	read := v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "path":
			h.List = d.name(member)
		case "fields":
			if !member.IsNull() {
				fields = member
				h.Fields, h.HasFields = fieldNames(member), true
			}
		case "when":
			if !member.IsNull() {
				h.HasWhen = true
				h.When = d.narrowing(member, problem.SearchHitsWhenClauseUnsupported, problem.SearchHitsWhenScoringUnsupported)
			}
		default:
			return false
		}
		return true
	})
	if read {
		d.required(v, "path", h.List, problem.SearchHitsPathRequired)
	}
	switch {
	case !h.HasFields:
	case blank(h.List) || h.List == misread: // fields cannot be checked against an unknown list
		d.inside(fields, h.List, nil, problem.SearchHitsFieldsEmpty, problem.SearchHitsFieldNotInside)
	default:
		d.inside(fields, h.List, h.Fields, problem.SearchHitsFieldsEmpty, problem.SearchHitsFieldNotInside)
	}
	return h
}

func (d *decoder) pages(v jsonread.Value) *Pages {
	p := &Pages{Max: DefaultPages}
	v.Members(func(name string, member jsonread.Value) bool {
		if name != "max" {
			return false
		}
		if n, ok := d.whole(member, 1, unbounded, problem.SearchPagesMaxOutOfRange); ok {
			p.Max = n
		}
		return true
	})
	return p
}

// checkHits reports members that cannot be combined with value hits.
func (d *decoder) checkHits(s *Search, g *given) {
	h := s.Hits
	if h == nil {
		return
	}
	if g.hasMatched {
		d.found.Report(problem.SearchHitsMatchedUnsupported.At(g.matched))
	}
	if s.Rescore != nil {
		d.found.Report(problem.SearchRescoreHitsUnsupported.At(g.rescore))
	}
	for _, entry := range s.Sort {
		switch {
		case entry.Type == SortScore:
		case h.HasWhen:
			d.found.Report(problem.SearchHitsWhenSortUnsupported.At(entry.At))
		case entry.Type == SortDistance:
			d.found.Report(problem.SearchHitsSortUnsupported.At(entry.At, "field", entry.Field, "path", h.List))
		case entry.When != nil || entry.Fallback != nil:
			d.found.Report(problem.SearchHitsSortFallbackUnsupported.At(entry.At, "name", entry.Field, "path", h.List))
		}
	}
	if s.Highlight != nil && !blank(h.List) {
		for _, field := range s.Highlight.Fields {
			if !blank(field.Field) && !Below(field.Field, h.List) {
				d.found.Report(problem.SearchHitsHighlightFieldNotInside.At(field.At, "field", field.Field, "path", h.List))
			}
		}
	}
	d.refuseKnn(s.Query)
}

// refuseKnn reports the knn clauses outside nested clauses.
func (d *decoder) refuseKnn(clauses []Clause) {
	for _, c := range clauses {
		switch c := c.(type) {
		case *KnnClause:
			d.found.Report(problem.SearchHitsKnnUnsupported.At(c.At))
		case *NestedClause:
		case *FuseClause:
			d.refuseKnn(Children(c))
			d.refuseKnn(c.Filter)
		default:
			d.refuseKnn(Children(c))
		}
	}
}
