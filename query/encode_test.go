package query

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quiresearch/quire/problem"
)

// sameRequest compares the meaning of requests, not their paths and spelling.
var sameRequest = cmp.Options{
	cmpopts.IgnoreTypes(problem.Path{}),
	cmpopts.IgnoreFields(Search{}, "QueryText", "FiltersText"),
	cmpopts.IgnoreFields(Suggest{}, "FiltersText"),
	cmpopts.IgnoreFields(FacetValues{}, "QueryText", "FiltersText"),
	cmpopts.IgnoreFields(Target{}, "WhenText", "FallbackText"),
	cmpopts.EquateEmpty(),
}

func TestADecodedRequestEncodesToTheSameRequest(t *testing.T) {
	for _, body := range []string{fullRequest, hitsRequest, `{}`, `{"before":"x","signals":[]}`,
		`{"query":[{"type":"text","text":"a","interpret":"off"},{"field":"n","match":{"type":"ranges","values":[{"gte":1,"to":2},{"from":"x"}]}}]}`,
		`{"facets":[{"field":"a","excludeFilters":[]},{"field":"a.b","name":"c","order":"declared","limit":3}]}`} {
		before, err := DecodeSearch([]byte(body), DefaultLimits())
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		encoded, err := json.Marshal(before)
		if err != nil {
			t.Fatal(err)
		}
		after, err := DecodeSearch(encoded, DefaultLimits())
		if err != nil {
			t.Fatalf("%s: %v", encoded, err)
		}
		if difference := cmp.Diff(before, after, sameRequest); difference != "" {
			t.Errorf("%s\n%s", encoded, difference)
		}
	}
}

func TestOtherRequestsEncodeToTheSameRequest(t *testing.T) {
	suggest := `{"text":"x","locale":"sv","filters":[{"field":"a","match":{"value":true}}],"limit":7,"typos":"off","freshness":{"atLeast":"t"}}`
	values := `{"query":[{"type":"text","text":"x"}],"filters":[],"prefix":"p","locale":"de","limit":3,"order":"value","freshness":{"atLeast":"t"}}`
	a, err := DecodeSuggest([]byte(suggest), DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	encoded, _ := json.Marshal(a)
	if b, err := DecodeSuggest(encoded, DefaultLimits()); err != nil || !cmp.Equal(a, b, sameRequest) {
		t.Errorf("%s: %v", encoded, err)
	}
	c, err := DecodeFacetValues([]byte(values), DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	encoded, _ = json.Marshal(c)
	if d, err := DecodeFacetValues(encoded, DefaultLimits()); err != nil || !cmp.Equal(c, d, sameRequest) {
		t.Errorf("%s: %v", encoded, err)
	}
	for _, body := range []string{`{"keys":["a",2]}`, `{"keys":[]}`, `{"all":true}`, `{"query":[{"field":"a","match":{"type":"any"}}],"locale":"en"}`} {
		e, err := DecodeDelete([]byte(body), DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		encoded, _ = json.Marshal(e)
		if f, err := DecodeDelete(encoded, DefaultLimits()); err != nil || !cmp.Equal(e, f, sameRequest) {
			t.Errorf("%s: %v", encoded, err)
		}
	}
}

func TestARequestInGoLeavesOutWhatItDoesNotSay(t *testing.T) {
	for _, c := range []struct {
		request any
		want    string
	}{
		{&Search{}, `{}`},
		{&Search{Limit: NoHits, ExactTotal: true}, `{"limit":0,"total":"exact"}`},
		{&Search{Query: []Clause{&TextClause{Text: Text{Text: "mug"}}}}, `{"query":[{"type":"text","text":"mug"}]}`},
		{&Search{Filters: []Clause{&FieldClause{Field: "n", Match: &RangeMatcher{Range: Range{Lt: Value(3)}}}}},
			`{"filters":[{"field":"n","match":{"type":"range","lt":3}}]}`},
		{&Search{Facets: []Facet{{Field: "tag"}}, Highlight: &Highlight{Fields: []HighlightField{{Field: "a\"b"}}}},
			`{"facets":[{"field":"tag"}],"highlight":{"fields":{"a\"b":{}}}}`},
		{&Search{Sort: []Sort{{Field: "n"}, {Type: SortScore, Descending: true}}}, `{"sort":[{"field":"n","order":"asc"},{"type":"score","order":"desc"}]}`},
		{&Suggest{}, `{}`},
		{&FacetValues{}, `{}`},
		{&Delete{Keys: []Literal{Value("a")}}, `{"keys":["a"]}`},
	} {
		if got, err := json.Marshal(c.request); err != nil || string(got) != c.want {
			t.Errorf("%s, %v; want %s", got, err, c.want)
		}
	}
}

func TestLiteralsOfGoValues(t *testing.T) {
	type name string
	for _, c := range []struct {
		got  Literal
		want string
	}{
		{Value("a\"b"), `"a\"b"`}, {Value(true), `true`}, {Value(int64(1) << 62), `4611686018427387904`}, {Value(0.5), `0.5`},
		{Value(float32(0.1)), `0.1`}, {Value(name("x")), `"x"`}, {Value(uint8(7)), `7`}, {Value(int32(-7)), `-7`}, {Value(float32(2)), `2`},
		{TimeOf(time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)), `"2026-01-02T03:04:05.006Z"`},
	} {
		if string(c.got) != c.want {
			t.Errorf("%s instead of %s", c.got, c.want)
		}
	}
}

func TestAnswersAreReadAsTheyAreWritten(t *testing.T) {
	const answer = `{"hits":[{"id":"1","score":1.5,"document":{"a":1},"highlights":{"b":["<em>x</em>"],"a":[]},"missing":["y"],"matched":{"list":{"values":[{"c":1}],"totalValues":2}}},` +
		`{"id":"2","index":0,"key":"k","value":{"c":2}}],"total":{"count":2,"exact":true},"documents":{"count":1,"exact":false},` +
		`"facets":{"tag":{"values":[{"value":"red","count":2,"label":"Red"}],"totalValues":1},"n":{"buckets":[{"from":1,"count":1},{"from":2,"to":3,"count":0}]},` +
		`"cat":{"values":[{"value":"a","path":"a","count":1,"values":[],"totalValues":0}],"totalValues":1}},` +
		`"page":{"limit":10,"offset":0,"next":"n","previous":"p","pages":{"count":2,"next":{"number":2,"cursor":"c"},"start":[{"number":1,"cursor":"d","current":true}],"middle":[],"end":[]}},` +
		`"relaxed":{"dropped":[{"word":"x","reason":"common"}],"text":"y"},` +
		`"interpreted":{"filters":[{"field":"price","match":{"type":"range","lt":5},"words":["under","5"],"when":[]},{"field":"w","match":{"value":3},"words":["3"]}],"text":""},` +
		`"generation":"1","freshness":"t","tookMs":1.25}`
	var a Answer
	if err := json.Unmarshal([]byte(answer), &a); err != nil {
		t.Fatal(err)
	}
	if got := string(a.AppendJSON(nil)); got != answer {
		t.Errorf("%s\ninstead of\n%s", got, answer)
	}
	if err := json.Unmarshal([]byte(`{"hits":[{"later":1}],"later":{},"interpreted":{"filters":[{"field":"x","match":{"type":"later"}}]}}`), &a); err != nil {
		t.Errorf("an answer of a later node: %v", err)
	}
	const suggestions = `{"suggestions":[{"text":"a","typed":1,"corrected":true,"field":"f","value":"v","label":"l","count":3}],"generation":"1","freshness":"t","tookMs":0}`
	var s Suggestions
	if err := json.Unmarshal([]byte(suggestions), &s); err != nil || string(s.AppendJSON(nil)) != suggestions {
		t.Errorf("%v %s", err, s.AppendJSON(nil))
	}
	const values = `{"values":[{"value":true,"count":3}],"totalValues":1,"generation":"1","freshness":"t","tookMs":0}`
	var f FacetValuesAnswer
	if err := json.Unmarshal([]byte(values), &f); err != nil || string(f.AppendJSON(nil)) != values {
		t.Errorf("%v %s", err, f.AppendJSON(nil))
	}
	const explanation = `{"matched":true,"score":2,"detail":{"matched":true,"score":2,"description":"d","clause":"query[0]","clauseType":"text","field":"f","usage":"matching","locale":"en",` +
		`"children":[{"matched":false,"score":0,"description":"e","children":[]}]},"rescored":{"matched":true,"score":1,"description":"r","children":[]},` +
		`"judgements":[{"set":"s","position":1,"id":"q","text":"x","grade":0,"known":"k","expect":["mustHit 1"],"rank":2,"ndcg":0.5,"unmet":["atLeast 2"]},{"set":"t","position":0}],"generation":"1","freshness":"t","tookMs":0}`
	var e Explanation
	if err := json.Unmarshal([]byte(explanation), &e); err != nil || string(e.AppendJSON(nil)) != explanation {
		t.Errorf("%v %s", err, e.AppendJSON(nil))
	}
}
