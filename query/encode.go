package query

import (
	"strconv"
	"time"
)

// Requests are encoded for a client. Zero values are omitted, so that the node
// fills in its defaults. A decoded request encodes to a body with the same meaning,
// with two exceptions: a limit of 0 is spelled NoHits, and weights of 0 (rankings,
// signals, rescore) are omitted.

// NoHits is the limit of a search that returns only totals and facets.
const NoHits = -1

// scalar is a Go type that a field of an index can hold.
type scalar interface {
	~string | ~bool | ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~float32 | ~float64
}

// Value returns the literal of a Go value.
func Value[T scalar](value T) Literal {
	switch v := any(value).(type) {
	case string:
		return TextOf(v)
	case bool:
		return strconv.AppendBool(nil, v)
	case int:
		return strconv.AppendInt(nil, int64(v), 10)
	case int64:
		return strconv.AppendInt(nil, v, 10)
	case float64:
		return appendFloat(nil, v)
	}
	return valueOfKind(value)
}

// TimeOf returns the literal of a point in time.
func TimeOf(at time.Time) Literal { return TextOf(at.Format(time.RFC3339Nano)) }

// MarshalJSON encodes the body of a search.
func (s *Search) MarshalJSON() ([]byte, error) {
	w := writer{}
	w.open("", '{')
	w.clauses("query", s.Query)
	w.clauses("filters", s.Filters)
	encodeList(&w, "facets", s.Facets, (*writer).facetRequest)
	encodeList(&w, "sort", s.Sort, (*writer).sort)
	if s.HasSignals || len(s.Signals) > 0 {
		w.signals(s.Signals)
		w.optional("signalsMode", string(s.SignalsMode))
	}
	w.rescore(s.Rescore)
	w.optional("locale", s.Locale)
	w.fieldNames(s.Fields, s.HasFields)
	w.highlight(s.Highlight)
	w.matchedRequest(s.Matched)
	w.hits(s.Hits)
	switch {
	case s.Limit > 0:
		w.whole("limit", int64(s.Limit))
	case s.Limit < 0:
		w.whole("limit", 0)
	}
	w.positive("offset", s.Offset)
	w.optional("after", s.After)
	w.optional("before", s.Before)
	if s.Pages != nil {
		w.open("pages", '{')
		w.positive("max", s.Pages.Max)
		w.close('}')
	}
	if s.ExactTotal {
		w.text("total", "exact")
	}
	w.atLeast(s.Freshness)
	w.close('}')
	return w.dst, nil
}

// MarshalJSON encodes the body of a suggest request.
func (s *Suggest) MarshalJSON() ([]byte, error) {
	w := writer{}
	w.open("", '{')
	w.optional("text", s.Text)
	w.optional("locale", s.Locale)
	w.clauses("filters", s.Filters)
	w.positive("limit", s.Limit)
	w.optional("typos", string(s.Typos))
	w.atLeast(s.Freshness)
	w.close('}')
	return w.dst, nil
}

// MarshalJSON encodes the body of a request for the values of a facet.
func (f *FacetValues) MarshalJSON() ([]byte, error) {
	w := writer{}
	w.open("", '{')
	w.clauses("query", f.Query)
	w.clauses("filters", f.Filters)
	w.optional("prefix", f.Prefix)
	w.optional("locale", f.Locale)
	w.positive("limit", f.Limit)
	w.optional("order", string(f.Order))
	w.atLeast(f.Freshness)
	w.close('}')
	return w.dst, nil
}

// MarshalJSON encodes the body of a delete action.
func (d *Delete) MarshalJSON() ([]byte, error) {
	w := writer{}
	w.open("", '{')
	if d.HasKeys || len(d.Keys) > 0 {
		w.literals("keys", d.Keys)
	}
	w.clauses("query", d.Query)
	if d.All {
		w.bool("all", true)
	}
	w.optional("locale", d.Locale)
	w.close('}')
	return w.dst, nil
}

// optional appends a text unless it is empty.
func (w *writer) optional(name, value string) {
	if value != "" {
		w.text(name, value)
	}
}

// positive appends a whole number unless it is 0 or less.
func (w *writer) positive(name string, value int) {
	if value > 0 {
		w.whole(name, int64(value))
	}
}

// nonzero appends a number unless it is 0.
func (w *writer) nonzero(name string, value float64) {
	if value != 0 {
		w.float(name, value)
	}
}

func (w *writer) atLeast(token string) {
	if token == "" {
		return
	}
	w.open("freshness", '{')
	w.text("atLeast", token)
	w.close('}')
}

func (w *writer) literals(name string, values []Literal) {
	w.open(name, '[')
	for _, value := range values {
		w.comma()
		w.dst = append(w.dst, value.orNull()...)
	}
	w.close(']')
}

// orNull returns the literal, or null for none: the node then rejects it and names
// its path.
func (l Literal) orNull() []byte {
	if l == nil {
		return []byte("null")
	}
	return l
}

func (w *writer) fieldNames(names []FieldName, present bool) {
	if !present && len(names) == 0 {
		return
	}
	w.open("fields", '[')
	for _, name := range names {
		w.comma()
		w.dst = appendText(w.dst, name.Field)
	}
	w.close(']')
}

// encodeList appends a list unless it is empty.
func encodeList[T any](w *writer, name string, items []T, encode func(*writer, *T)) {
	if len(items) == 0 {
		return
	}
	w.open(name, '[')
	for i := range items {
		w.open("", '{')
		encode(w, &items[i])
		w.close('}')
	}
	w.close(']')
}
