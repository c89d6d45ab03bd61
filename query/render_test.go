package query

import (
	"encoding/json"
	"math"
	"testing"
)

func TestAnswerIsRenderedWithoutAbsentParts(t *testing.T) {
	empty := Answer{Page: Page{Limit: 10, HasOffset: true}, Total: Total{Exact: true}}
	want := `{"hits":[],"total":{"count":0,"exact":true},"page":{"limit":10,"offset":0},"tookMs":0}`
	if got := string(empty.AppendJSON(nil)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	full := Answer{
		Hits: []Hit{
			{ID: "a\"", HasID: true, Index: -1, Score: 1.5, HasScore: true, Document: []byte(`{"x":1}`), HasHighlights: true},
			{ID: "b", HasID: true, Index: 2, Key: []byte(`"k"`), Value: []byte(`{}`), Document: []byte(`{}`),
				HasHighlights: true, Highlights: []FieldFragments{{"n", []string{"<em>x</em>", "y"}}},
				Matched: []MatchedValues{{Field: "v", Values: [][]byte{[]byte(`{"c":1}`)}, HasValues: true, TotalValues: 2}}},
		},
		Total: Total{Count: 2}, Documents: &Total{Count: 1, Exact: true},
		Facets: []FacetResult{
			{Name: "f", Values: []FacetValue{{Value: []byte(`"v"`), Count: 3, Label: "V"}}, TotalValues: 1},
			{Name: "r", HasBuckets: true, Buckets: []Bucket{{To: Literal("5.0"), Count: 0}}},
			{Name: "t", Values: []FacetValue{{Value: []byte(`"b"`), Path: "a/b", Count: 1, HasValues: true}}, TotalValues: 1},
		},
		Page: Page{Limit: 2, Next: "n", Previous: "p", Pages: &PageList{Count: 2, Next: &PageLink{Number: 2, Cursor: "c"},
			Start: []PageLink{{1, "a", true}, {2, "c", false}}}},
		Relaxed:     &Relaxed{Dropped: []DroppedWord{{"w", "common"}}, Text: "t"},
		Interpreted: &Interpreted{Filters: []InterpretedFilter{{Field: "p", Match: &RangeMatcher{Range: Range{Lt: Literal("100")}}, Words: []string{"under", "100"}}}},
		Generation:  "1", Freshness: "tok", TookMs: 1.23456,
	}
	want = `{"hits":[{"id":"a\"","score":1.5,"document":{"x":1},"highlights":{}},` +
		`{"id":"b","index":2,"key":"k","value":{},"document":{},"highlights":{"n":["<em>x</em>","y"]},"matched":{"v":{"values":[{"c":1}],"totalValues":2}}}],` +
		`"total":{"count":2,"exact":false},"documents":{"count":1,"exact":true},` +
		`"facets":{"f":{"values":[{"value":"v","count":3,"label":"V"}],"totalValues":1},"r":{"buckets":[{"to":5.0,"count":0}]},` +
		`"t":{"values":[{"value":"b","path":"a/b","count":1,"values":[],"totalValues":0}],"totalValues":1}},` +
		`"page":{"limit":2,"next":"n","previous":"p","pages":{"count":2,"next":{"number":2,"cursor":"c"},"start":[{"number":1,"cursor":"a","current":true},{"number":2,"cursor":"c"}],"middle":[]}},` +
		`"relaxed":{"dropped":[{"word":"w","reason":"common"}],"text":"t"},` +
		`"interpreted":{"filters":[{"field":"p","match":{"type":"range","lt":100},"words":["under","100"]}],"text":""},` +
		`"generation":"1","freshness":"tok","tookMs":1.235}`
	if got := string(full.AppendJSON(nil)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, body := range [][]byte{
		full.AppendJSON(nil),
		(&Suggestions{Suggestions: []Suggestion{{Text: "a", Corrected: true, Field: "f", Value: "a", Label: "A", Count: 1}}}).AppendJSON(nil),
		(&FacetValuesAnswer{Values: []FacetValue{{Value: []byte("1"), Count: 1}}}).AppendJSON(nil),
		(&Explanation{Detail: Step{Children: []Step{{Clause: "query[0]"}, {}}}}).AppendJSON(nil),
	} {
		if !json.Valid(body) {
			t.Errorf("not JSON: %s", body)
		}
	}
}

func TestNumbersBeyondJSON(t *testing.T) {
	for value, want := range map[float64]string{
		math.Inf(1): "3.4028234663852886e+38", math.Inf(-1): "0", 1.5: "1.5", 3: "3", 1e300: "1e+300",
	} {
		if got := string(appendFloat(nil, value)); got != want {
			t.Errorf("%v is shown as %s, want %s", value, got, want)
		}
	}
	if got := string(appendFloat(nil, math.NaN())); got != "0" {
		t.Errorf("no number is shown as %s", got)
	}
}
