package query

import (
	"math"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// writer appends JSON members and separates them by commas.
type writer struct {
	dst []byte
}

func (w *writer) name(name string) {
	w.comma()
	w.dst = append(append(append(w.dst, '"'), name...), '"', ':')
}

// comma appends a comma unless this is the first member or element.
func (w *writer) comma() {
	if n := len(w.dst); n > 0 {
		switch w.dst[n-1] {
		case '{', '[', ':':
		default:
			w.dst = append(w.dst, ',')
		}
	}
}

func (w *writer) text(name, value string) {
	w.name(name)
	w.dst = appendText(w.dst, value)
}

func (w *writer) whole(name string, value int64) {
	w.name(name)
	w.dst = strconv.AppendInt(w.dst, value, 10)
}

func (w *writer) float(name string, value float64) {
	w.name(name)
	w.dst = appendFloat(w.dst, value)
}

func (w *writer) bool(name string, value bool) {
	w.name(name)
	w.dst = strconv.AppendBool(w.dst, value)
}

func (w *writer) raw(name string, value []byte) {
	w.name(name)
	w.dst = append(w.dst, value...)
}

func (w *writer) open(name string, bracket byte) {
	if name == "" {
		w.comma()
	} else {
		w.name(name)
	}
	w.dst = append(w.dst, bracket)
}

func (w *writer) close(bracket byte) { w.dst = append(w.dst, bracket) }

// took appends milliseconds with at most three decimals.
func (w *writer) took(ms float64) {
	w.name("tookMs")
	w.dst = strconv.AppendFloat(w.dst, math.Round(ms*1000)/1000, 'f', -1, 64)
}

func (w *writer) state(generation, freshness string, ms float64) {
	if generation != "" {
		w.text("generation", generation)
	}
	if freshness != "" {
		w.text("freshness", freshness)
	}
	w.took(ms)
}

func appendText(dst []byte, value string) []byte {
	dst, _ = jsontext.AppendQuote(dst, value) // invalid UTF-8 is replaced
	return dst
}

// appendFloat appends a number. Positive infinity becomes the largest score; other
// values that JSON cannot represent become 0.
func appendFloat(dst []byte, value float64) []byte {
	switch {
	case math.IsInf(value, 1):
		value = math.MaxFloat32
	case math.IsNaN(value) || math.IsInf(value, -1):
		return append(dst, '0')
	}
	if value == math.Trunc(value) && math.Abs(value) < 1e15 {
		return strconv.AppendInt(dst, int64(value), 10)
	}
	return strconv.AppendFloat(dst, value, 'g', -1, 64)
}

// AppendJSON appends the answer as the response body.
func (a *Answer) AppendJSON(dst []byte) []byte {
	size := 512
	for i := range a.Hits {
		size += len(a.Hits[i].Document) + len(a.Hits[i].Value) + 128
	}
	w := writer{slices.Grow(dst, size)}
	w.open("", '{')
	w.open("hits", '[')
	for i := range a.Hits {
		w.hit(&a.Hits[i])
	}
	w.close(']')
	w.total("total", a.Total)
	if a.Documents != nil {
		w.total("documents", *a.Documents)
	}
	if len(a.Facets) > 0 {
		w.open("facets", '{')
		for i := range a.Facets {
			w.facet(&a.Facets[i])
		}
		w.close('}')
	}
	w.page(&a.Page)
	w.relaxed(a.Relaxed)
	w.interpreted(a.Interpreted)
	w.state(a.Generation, a.Freshness, a.TookMs)
	w.close('}')
	return w.dst
}

func (w *writer) total(name string, t Total) {
	w.open(name, '{')
	w.whole("count", t.Count)
	w.bool("exact", t.Exact)
	w.close('}')
}

func (w *writer) hit(h *Hit) {
	w.open("", '{')
	if h.HasID {
		w.text("id", h.ID)
	}
	if h.Index >= 0 {
		w.whole("index", int64(h.Index))
	}
	if h.Key != nil {
		w.raw("key", h.Key)
	}
	if h.HasScore {
		w.float("score", h.Score)
	}
	if h.Value != nil {
		w.raw("value", h.Value)
	}
	if h.Document != nil {
		w.raw("document", h.Document)
	}
	if h.HasHighlights {
		w.open("highlights", '{')
		for _, field := range h.Highlights {
			w.key(field.Field)
			w.dst = append(w.dst, '[')
			for _, fragment := range field.Fragments {
				w.comma()
				w.dst = appendText(w.dst, fragment)
			}
			w.close(']')
		}
		w.close('}')
	}
	if h.Missing != nil {
		w.open("missing", '[')
		for _, word := range h.Missing.Words {
			w.comma()
			w.dst = appendText(w.dst, word)
		}
		w.close(']')
	}
	if h.Matched != nil {
		w.open("matched", '{')
		for _, m := range h.Matched {
			w.key(m.Field)
			w.dst = append(w.dst, '{')
			if m.HasValues {
				w.open("values", '[')
				for _, value := range m.Values {
					w.comma()
					w.dst = append(w.dst, value...)
				}
				w.close(']')
			}
			w.whole("totalValues", int64(m.TotalValues))
			w.close('}')
		}
		w.close('}')
	}
	w.close('}')
}

// key appends a member name that may need escaping.
func (w *writer) key(name string) {
	w.comma()
	w.dst = append(appendText(w.dst, name), ':')
}

func (w *writer) facet(f *FacetResult) {
	w.key(f.Name)
	w.dst = append(w.dst, '{')
	if f.HasBuckets {
		w.open("buckets", '[')
		for _, b := range f.Buckets {
			w.open("", '{')
			if b.From != nil {
				w.raw("from", b.From)
			}
			if b.To != nil {
				w.raw("to", b.To)
			}
			w.whole("count", b.Count)
			w.close('}')
		}
		w.close(']')
	} else {
		w.values(f.Values, f.TotalValues)
	}
	w.close('}')
}

func (w *writer) values(values []FacetValue, total int) {
	w.open("values", '[')
	for i := range values {
		v := &values[i]
		w.open("", '{')
		w.raw("value", v.Value)
		if v.Path != "" {
			w.text("path", v.Path)
		}
		w.whole("count", v.Count)
		if v.Label != "" {
			w.text("label", v.Label)
		}
		if v.HasValues {
			w.values(v.Values, v.TotalValues)
		}
		w.close('}')
	}
	w.close(']')
	w.whole("totalValues", int64(total))
}

func (w *writer) page(p *Page) {
	w.open("page", '{')
	w.whole("limit", int64(p.Limit))
	if p.HasOffset {
		w.whole("offset", int64(p.Offset))
	}
	if p.Next != "" {
		w.text("next", p.Next)
	}
	if p.Previous != "" {
		w.text("previous", p.Previous)
	}
	if l := p.Pages; l != nil {
		w.open("pages", '{')
		w.whole("count", l.Count)
		if l.Previous != nil {
			w.name("previous")
			w.link(l.Previous)
		}
		if l.Next != nil {
			w.name("next")
			w.link(l.Next)
		}
		w.links("start", l.Start)
		w.links("middle", l.Middle)
		if l.HasEnd {
			w.links("end", l.End)
		}
		w.close('}')
	}
	w.close('}')
}

func (w *writer) links(name string, links []PageLink) {
	w.open(name, '[')
	for i := range links {
		w.comma()
		w.link(&links[i])
	}
	w.close(']')
}

func (w *writer) link(l *PageLink) {
	w.dst = append(w.dst, '{')
	w.whole("number", l.Number)
	w.text("cursor", l.Cursor)
	if l.Current {
		w.bool("current", true)
	}
	w.close('}')
}

func (w *writer) relaxed(r *Relaxed) {
	if r == nil {
		return
	}
	w.open("relaxed", '{')
	w.open("dropped", '[')
	for _, d := range r.Dropped {
		w.open("", '{')
		w.text("word", d.Word)
		w.text("reason", d.Reason)
		w.close('}')
	}
	w.close(']')
	w.text("text", r.Text)
	w.close('}')
}

func (w *writer) interpreted(i *Interpreted) {
	if i == nil {
		return
	}
	w.open("interpreted", '{')
	w.open("filters", '[')
	for _, r := range i.Filters {
		w.open("", '{')
		w.text("field", r.Field)
		w.name("match")
		w.matcher(r.Match)
		w.open("words", '[')
		for _, word := range r.Words {
			w.comma()
			w.dst = appendText(w.dst, word)
		}
		w.close(']')
		if r.When != nil {
			w.raw("when", r.When)
		}
		if r.Fallback != nil {
			w.raw("fallback", r.Fallback)
		}
		w.close('}')
	}
	w.close(']')
	w.text("text", i.Text)
	w.close('}')
}

// matcher appends a matcher of an interpretation.
func (w *writer) matcher(m Matcher) {
	w.dst = append(w.dst, '{')
	switch m := m.(type) {
	case *EqualsMatcher:
		w.raw("value", m.Value)
	case *RangeMatcher:
		w.text("type", "range")
		for _, bound := range []struct {
			name  string
			value Literal
		}{{"gte", m.Gte}, {"gt", m.Gt}, {"lte", m.Lte}, {"lt", m.Lt}} {
			if bound.value != nil {
				w.raw(bound.name, bound.value)
			}
		}
	default:
		w.text("type", m.Type())
	}
	w.close('}')
}

// AppendJSON appends the answer as the response body.
func (s *Suggestions) AppendJSON(dst []byte) []byte {
	w := writer{dst}
	w.open("", '{')
	w.open("suggestions", '[')
	for _, item := range s.Suggestions {
		w.open("", '{')
		w.text("text", item.Text)
		w.whole("typed", int64(item.Typed))
		if item.Corrected {
			w.bool("corrected", true)
		}
		w.text("field", item.Field)
		w.text("value", item.Value)
		if item.Label != "" {
			w.text("label", item.Label)
		}
		w.whole("count", item.Count)
		w.close('}')
	}
	w.close(']')
	w.state(s.Generation, s.Freshness, s.TookMs)
	w.close('}')
	return w.dst
}

// AppendJSON appends the answer as the response body.
func (f *FacetValuesAnswer) AppendJSON(dst []byte) []byte {
	w := writer{dst}
	w.open("", '{')
	w.values(f.Values, f.TotalValues)
	w.state(f.Generation, f.Freshness, f.TookMs)
	w.close('}')
	return w.dst
}

// AppendJSON appends the answer as the response body.
func (e *Explanation) AppendJSON(dst []byte) []byte {
	w := writer{dst}
	w.open("", '{')
	w.bool("matched", e.Matched)
	w.float("score", e.Score)
	w.name("detail")
	w.step(&e.Detail)
	if e.Rescored != nil {
		w.name("rescored")
		w.step(e.Rescored)
	}
	w.relaxed(e.Relaxed)
	w.interpreted(e.Interpreted)
	w.judgements(e.Judgements)
	w.state(e.Generation, e.Freshness, e.TookMs)
	w.close('}')
	return w.dst
}

func (w *writer) judgements(all []Judged) {
	if len(all) == 0 {
		return
	}
	w.open("judgements", '[')
	for i := range all {
		j := &all[i]
		w.open("", '{')
		w.text("set", j.Set)
		w.whole("position", int64(j.Position))
		for _, member := range []struct{ name, value string }{{"id", j.ID}, {"text", j.Text}} {
			if member.value != "" {
				w.text(member.name, member.value)
			}
		}
		if j.Grade != nil {
			w.float("grade", *j.Grade)
		}
		if j.Known != "" {
			w.text("known", j.Known)
		}
		w.texts("expect", j.Expect)
		if j.Rank > 0 {
			w.whole("rank", int64(j.Rank))
		}
		if j.NDCG != nil {
			w.float("ndcg", *j.NDCG)
		}
		w.texts("unmet", j.Unmet)
		w.close('}')
	}
	w.close(']')
}

// texts appends a list of strings unless it is empty.
func (w *writer) texts(name string, values []string) {
	if len(values) == 0 {
		return
	}
	w.open(name, '[')
	for _, value := range values {
		w.comma()
		w.dst = appendText(w.dst, value)
	}
	w.close(']')
}

func (w *writer) step(s *Step) {
	w.dst = append(w.dst, '{')
	w.bool("matched", s.Matched)
	w.float("score", s.Score)
	w.text("description", s.Description)
	for _, member := range []struct{ name, value string }{
		{"clause", s.Clause}, {"clauseType", s.ClauseType}, {"field", s.Field}, {"usage", s.Usage}, {"locale", s.Locale},
	} {
		if member.value != "" {
			w.text(member.name, member.value)
		}
	}
	w.open("children", '[')
	for i := range s.Children {
		w.comma()
		w.step(&s.Children[i])
	}
	w.close(']')
	w.close('}')
}
