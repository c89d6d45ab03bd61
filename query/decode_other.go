package query

import (
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
)

// DecodeSuggest decodes the body of a suggest request. A missing body is an empty
// request.
func DecodeSuggest(body []byte, limits Limits) (*Suggest, error) {
	d := newDecoder(limits)
	s := &Suggest{Limit: min(DefaultSuggestions, capped(limits.MaxSuggestions)), Typos: TyposAuto}
	if value, ok := d.open(body); ok {
		value.Members(func(name string, v jsonread.Value) bool {
			switch name {
			case "text":
				s.Text, _ = v.Text()
			case "locale":
				s.Locale = locale(v)
			case "filters":
				s.Filters, s.FiltersText = d.filters(v), spelled(v)
			case "limit":
				if n, ok := d.whole(v, 1, limits.MaxSuggestions, problem.SearchSuggestLimitOutOfRange); ok {
					s.Limit = n
				}
			case "typos":
				if word, ok := v.Word(string(TyposAuto), string(TyposOff)); ok {
					s.Typos = Typos(word)
				}
			case "freshness":
				s.Freshness = d.freshness(v)
			default:
				return false
			}
			return true
		})
	}
	if err := d.found.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// DecodeFacetValues decodes the body of a request for the values of one facet. A
// missing body is an empty request.
func DecodeFacetValues(body []byte, limits Limits) (*FacetValues, error) {
	d := newDecoder(limits)
	f := &FacetValues{Limit: min(DefaultFacetLimit, capped(limits.MaxFacetValues)), Order: OrderCount}
	if value, ok := d.open(body); ok {
		value.Members(func(name string, v jsonread.Value) bool {
			switch name {
			case "query":
				f.Query, f.QueryText = d.clauses(v), spelled(v)
			case "filters":
				f.Filters, f.FiltersText = d.filters(v), spelled(v)
			case "prefix":
				f.Prefix, _ = v.Text()
			case "locale":
				f.Locale = locale(v)
			case "limit":
				if n, ok := d.whole(v, 1, limits.MaxFacetValues, problem.SearchFacetLimitOutOfRange); ok {
					f.Limit = n
				}
			case "order":
				if word, ok := v.Word(string(OrderCount), string(OrderValue), string(OrderDeclared)); ok {
					f.Order = FacetOrder(word)
				}
			case "freshness":
				f.Freshness = d.freshness(v)
			default:
				return false
			}
			return true
		})
	}
	if err := d.found.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// DecodeDelete decodes the body of a delete action. The node's limits of k and fuse
// depth do not apply to deletes.
func DecodeDelete(body []byte, limits Limits) (*Delete, error) {
	limits.MaxKnnK, limits.MaxFuseDepth = 0, 0
	d := newDecoder(limits)
	r := &Delete{}
	value, ok := d.parse(body, whole)
	if !ok {
		return nil, d.found.Err()
	}
	hasQuery, hasAll, hasLocale := false, false, false
	read := value.Members(func(name string, v jsonread.Value) bool {
		switch name {
		case "keys":
			r.HasKeys = !v.IsNull()
			r.Keys = d.keys(v)
		case "query":
			hasQuery = !v.IsNull()
			r.Query = d.clauses(v)
			if v.Kind() == jsonread.ListKind && elements(v) == 0 {
				v.Report(problem.DocumentDeleteQueryEmpty)
			}
		case "all":
			var ok bool
			r.All, ok = v.Bool()
			hasAll = r.All || !ok && !v.IsNull() // false counts as absent
		case "locale":
			hasLocale = !v.IsNull()
			r.Locale = locale(v)
		default:
			return false
		}
		return true
	})
	if read {
		d.checkTarget(r.HasKeys, hasQuery, hasAll, hasLocale)
	}
	if err := d.found.Err(); err != nil {
		return nil, err
	}
	return r, nil
}

func (d *decoder) checkTarget(hasKeys, hasQuery, hasAll, hasLocale bool) {
	targets := 0
	for _, present := range []bool{hasKeys, hasQuery, hasAll} {
		if present {
			targets++
		}
	}
	switch {
	case targets == 0:
		d.found.Report(problem.DocumentDeleteTargetRequired.New())
	case targets > 1:
		d.found.Report(problem.DocumentDeleteTargetConflicting.New())
	}
	if hasLocale && !hasQuery {
		d.found.Report(problem.DocumentDeleteLocaleWithoutQuery.At(problem.At("locale")))
	}
}

// keys reads the keys of a delete; null is not a key.
func (d *decoder) keys(v jsonread.Value) []Literal {
	if v.IsNull() {
		return nil
	}
	keys := []Literal{}
	if v.Kind() != jsonread.ListKind {
		v.Invalid("expected a list, found " + v.Kind().String())
		return keys
	}
	items := jsonread.Items(v.Raw())
	for position := 0; items.Next(); position++ {
		item := jsonread.New(items.Value(), v.Path().Item(position), v.Found())
		if item.IsNull() {
			item.Report(problem.DocumentKeyRequired)
			continue
		}
		if literal, ok := item.Literal(); ok {
			keys = append(keys, literal)
		}
	}
	return keys
}
