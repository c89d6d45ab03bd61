package query

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
)

// Answers are decoded for a client. Unknown members and words are skipped, so that
// a client can talk to a later node.

// UnmarshalJSON decodes the answer to a search.
func (a *Answer) UnmarshalJSON(body []byte) error {
	var wire struct {
		Hits        []hitWire        `json:"hits"`
		Total       Total            `json:"total"`
		Documents   *Total           `json:"documents"`
		Facets      jsontext.Value   `json:"facets"`
		Page        pageWire         `json:"page"`
		Relaxed     *Relaxed         `json:"relaxed"`
		Interpreted *interpretedWire `json:"interpreted"`
		stateWire
	}
	if err := json.Unmarshal(body, &wire, caseless); err != nil {
		return fmt.Errorf("read the answer of a search: %w", err)
	}
	*a = Answer{
		Hits: make([]Hit, len(wire.Hits)), Total: wire.Total, Documents: wire.Documents, Page: wire.Page.page(), Relaxed: wire.Relaxed,
		Interpreted: wire.Interpreted.interpreted(), Generation: wire.Generation, Freshness: wire.Freshness, TookMs: wire.TookMs,
	}
	for i := range wire.Hits {
		a.Hits[i] = wire.Hits[i].hit()
	}
	for members := jsonread.Members(wire.Facets); members.Next(); {
		result := FacetResult{Name: jsonread.String(members.RawName())}
		if err := result.decode(members.Value()); err != nil {
			return err
		}
		a.Facets = append(a.Facets, result)
	}
	return nil
}

// caseless matches the Go names of answers to the names of members.
var caseless = json.MatchCaseInsensitiveNames(true)

type stateWire struct {
	Generation string  `json:"generation"`
	Freshness  string  `json:"freshness"`
	TookMs     float64 `json:"tookMs"`
}

type hitWire struct {
	ID         *string        `json:"id"`
	Index      *int           `json:"index"`
	Key        jsontext.Value `json:"key"`
	Score      *float64       `json:"score"`
	Value      jsontext.Value `json:"value"`
	Document   jsontext.Value `json:"document"`
	Highlights jsontext.Value `json:"highlights"`
	Matched    jsontext.Value `json:"matched"`
	Missing    []string       `json:"missing"`
}

func (w *hitWire) hit() Hit {
	h := Hit{Index: -1, Key: w.Key, Value: w.Value, Document: w.Document, HasHighlights: w.Highlights != nil}
	if w.ID != nil {
		h.ID, h.HasID = *w.ID, true
	}
	if w.Index != nil {
		h.Index = *w.Index
	}
	if w.Missing != nil {
		h.Missing = &MissingWords{w.Missing}
	}
	if w.Score != nil {
		h.Score, h.HasScore = *w.Score, true
	}
	for members := jsonread.Members(w.Highlights); members.Next(); {
		fragments := FieldFragments{Field: jsonread.String(members.RawName())}
		for items := jsonread.Items(members.Value()); items.Next(); {
			fragments.Fragments = append(fragments.Fragments, jsonread.String(items.Value()))
		}
		h.Highlights = append(h.Highlights, fragments)
	}
	for members := jsonread.Members(w.Matched); members.Next(); {
		h.Matched = append(h.Matched, matchedValues(jsonread.String(members.RawName()), members.Value()))
	}
	return h
}

func matchedValues(field string, raw []byte) MatchedValues {
	m := MatchedValues{Field: field}
	for members := jsonread.Members(raw); members.Next(); {
		switch jsonread.String(members.RawName()) {
		case "values":
			m.HasValues = true
			for items := jsonread.Items(members.Value()); items.Next(); {
				m.Values = append(m.Values, items.Value())
			}
		case "totalValues":
			total, _ := jsonread.Int64(members.Value())
			m.TotalValues = int(total)
		}
	}
	return m
}

type facetValueWire struct {
	Value       jsontext.Value    `json:"value"`
	Path        string            `json:"path"`
	Count       int64             `json:"count"`
	Label       string            `json:"label"`
	Values      *[]facetValueWire `json:"values"`
	TotalValues int               `json:"totalValues"`
}

func facetValues(wire []facetValueWire) []FacetValue {
	values := make([]FacetValue, len(wire))
	for i, w := range wire {
		values[i] = FacetValue{Value: w.Value, Path: w.Path, Count: w.Count, Label: w.Label, TotalValues: w.TotalValues}
		if w.Values != nil {
			values[i].Values, values[i].HasValues = facetValues(*w.Values), true
		}
	}
	return values
}

func (f *FacetResult) decode(raw []byte) error {
	var wire struct {
		Values      []facetValueWire `json:"values"`
		TotalValues int              `json:"totalValues"`
		Buckets     *[]struct {
			From  jsontext.Value `json:"from"`
			To    jsontext.Value `json:"to"`
			Count int64          `json:"count"`
		} `json:"buckets"`
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		return fmt.Errorf("read the facet %s: %w", f.Name, err)
	}
	f.Values, f.TotalValues = facetValues(wire.Values), wire.TotalValues
	if wire.Buckets != nil {
		f.HasBuckets = true
		for _, b := range *wire.Buckets {
			f.Buckets = append(f.Buckets, Bucket{From: Literal(b.From), To: Literal(b.To), Count: b.Count})
		}
	}
	return nil
}

type pageWire struct {
	Limit    int    `json:"limit"`
	Offset   *int   `json:"offset"`
	Next     string `json:"next"`
	Previous string `json:"previous"`
	Pages    *struct {
		Count    int64       `json:"count"`
		Previous *PageLink   `json:"previous"`
		Next     *PageLink   `json:"next"`
		Start    []PageLink  `json:"start"`
		Middle   []PageLink  `json:"middle"`
		End      *[]PageLink `json:"end"`
	} `json:"pages"`
}

func (w *pageWire) page() Page {
	p := Page{Limit: w.Limit, Next: w.Next, Previous: w.Previous}
	if w.Offset != nil {
		p.Offset, p.HasOffset = *w.Offset, true
	}
	if l := w.Pages; l != nil {
		p.Pages = &PageList{Count: l.Count, Previous: l.Previous, Next: l.Next, Start: l.Start, Middle: l.Middle}
		if l.End != nil {
			p.Pages.End, p.Pages.HasEnd = *l.End, true
		}
	}
	return p
}

type interpretedWire struct {
	Filters []struct {
		Field    string         `json:"field"`
		Match    jsontext.Value `json:"match"`
		Words    []string       `json:"words"`
		When     jsontext.Value `json:"when"`
		Fallback jsontext.Value `json:"fallback"`
	} `json:"filters"`
	Text string `json:"text"`
}

// interpreted returns what was interpreted. A matcher of an unknown kind is nil.
func (w *interpretedWire) interpreted() *Interpreted {
	if w == nil {
		return nil
	}
	i := &Interpreted{Text: w.Text}
	for _, f := range w.Filters {
		d := newDecoder(Limits{})
		match := d.matcher(jsonread.New(f.Match, problem.Path{}, d.found))
		i.Filters = append(i.Filters, InterpretedFilter{Field: f.Field, Match: match, Words: f.Words, When: f.When, Fallback: f.Fallback})
	}
	return i
}

// UnmarshalJSON decodes the answer to a suggest request.
func (s *Suggestions) UnmarshalJSON(body []byte) error {
	var wire struct {
		Suggestions []Suggestion `json:"suggestions"`
		stateWire
	}
	if err := json.Unmarshal(body, &wire, caseless); err != nil {
		return fmt.Errorf("read suggestions: %w", err)
	}
	*s = Suggestions{Suggestions: wire.Suggestions, Generation: wire.Generation, Freshness: wire.Freshness, TookMs: wire.TookMs}
	return nil
}

// UnmarshalJSON decodes the answer to a request for the values of a facet.
func (f *FacetValuesAnswer) UnmarshalJSON(body []byte) error {
	var wire struct {
		Values      []facetValueWire `json:"values"`
		TotalValues int              `json:"totalValues"`
		stateWire
	}
	if err := json.Unmarshal(body, &wire); err != nil {
		return fmt.Errorf("read the values of a facet: %w", err)
	}
	*f = FacetValuesAnswer{
		Values: facetValues(wire.Values), TotalValues: wire.TotalValues,
		Generation: wire.Generation, Freshness: wire.Freshness, TookMs: wire.TookMs,
	}
	return nil
}

// UnmarshalJSON decodes the answer to an explain request.
func (e *Explanation) UnmarshalJSON(body []byte) error {
	var wire struct {
		Matched     bool             `json:"matched"`
		Score       float64          `json:"score"`
		Detail      Step             `json:"detail"`
		Rescored    *Step            `json:"rescored"`
		Relaxed     *Relaxed         `json:"relaxed"`
		Interpreted *interpretedWire `json:"interpreted"`
		Judgements  []Judged         `json:"judgements"`
		stateWire
	}
	if err := json.Unmarshal(body, &wire, caseless); err != nil {
		return fmt.Errorf("read an explanation: %w", err)
	}
	*e = Explanation{
		Matched: wire.Matched, Score: wire.Score, Detail: wire.Detail, Rescored: wire.Rescored, Relaxed: wire.Relaxed,
		Interpreted: wire.Interpreted.interpreted(), Judgements: wire.Judgements, Generation: wire.Generation, Freshness: wire.Freshness, TookMs: wire.TookMs,
	}
	return nil
}
