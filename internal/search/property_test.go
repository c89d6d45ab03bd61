package search

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/quiresearch/quire/query"
)

const randomDefinition = `{"fields":{"id":{"type":"string","primaryKey":true,"filter":{},"sort":{}},
	"name":{"type":"string","matching":{"typoTolerance":{}}},"tags":{"type":"string","multiple":true,"filter":{},"facet":{}},
	"brand":{"type":"string","filter":{},"facet":{},"sort":{}},"n":{"type":"int32","filter":{},"facet":{},"sort":{}},
	"d":{"type":"double","sort":{"missing":"first"}},
	"v":{"type":"object","multiple":true,"mode":"nested","fields":{"c":{"type":"string","filter":{},"facet":{}},"p":{"type":"int32","filter":{},"sort":{}},"m":{"type":"string","matching":{}},"e":{"type":"vector","dimensions":2,"similarity":"euclidean"}}},
	"w":{"type":"object","multiple":true,"mode":"nested","fields":{"c":{"type":"string","filter":{},"facet":{}}}}},
	"ranking":{"signals":[{"field":"n","saturation":{"pivot":3}}],"tieBreakers":[{"field":"brand","direction":"ascending"}]}}`

type randomItem struct {
	C string `json:"c,omitempty"`
	P int    `json:"p"`
	M string `json:"m,omitempty"`
	E [2]int `json:"e"`
}

// otherItem is a value of a list that no clause searches.
type otherItem struct {
	C string `json:"c"`
}

type randomDocument struct {
	ID    string       `json:"id"`
	Name  string       `json:"name,omitempty"`
	Tags  []string     `json:"tags,omitempty"`
	Brand string       `json:"brand,omitempty"`
	N     *int         `json:"n,omitempty"`
	D     *float64     `json:"d,omitempty"`
	V     []randomItem `json:"v,omitempty"`
	W     []otherItem  `json:"w,omitempty"`
	dead  bool
}

func pickWords(r *rand.Rand, most int) string {
	all := make([]string, r.IntN(most+1))
	for i := range all {
		all[i] = []string{"red", "blue", "green", "lamp", "chair", "tables", "reed"}[r.IntN(7)]
	}
	return strings.Join(all, " ")
}

func randomDocuments(r *rand.Rand, count int) []randomDocument {
	all := make([]randomDocument, count)
	for i := range all {
		d := randomDocument{ID: fmt.Sprintf("%03d", i), Name: pickWords(r, 5), Brand: []string{"", "Ada", "bob", "Cyd"}[r.IntN(4)], dead: r.IntN(8) == 0}
		for _, tag := range []string{"a", "B", "c", "D"} {
			if r.IntN(3) == 0 {
				d.Tags = append(d.Tags, tag)
			}
		}
		if r.IntN(4) > 0 {
			n := r.IntN(10) - 2
			d.N = &n
		}
		if r.IntN(3) > 0 {
			f := float64(r.IntN(6)) / 2
			d.D = &f
		}
		for range r.IntN(4) {
			d.V = append(d.V, randomItem{C: []string{"", "x", "y"}[r.IntN(3)], P: r.IntN(5), M: pickWords(r, 3), E: [2]int{r.IntN(4), r.IntN(4)}})
		}
		for range r.IntN(3) {
			d.W = append(d.W, otherItem{C: []string{"x", "y"}[r.IntN(2)]})
		}
		all[i] = d
	}
	return all
}

// build distributes documents over random segments.
func build(t *testing.T, r *rand.Rand, documents []randomDocument) *index {
	return buildAs(t, r, randomDefinition, documents)
}

func buildAs(t *testing.T, r *rand.Rand, definition string, documents []randomDocument) *index {
	x := newIndex(t, definition)
	for from := 0; from < len(documents); {
		to := from + 1 + r.IntN(len(documents)-from)
		var lines []string
		for _, d := range documents[from:to] {
			line, _ := json.Marshal(d)
			lines = append(lines, string(line))
		}
		x.add(t, lines, func(i int) bool { return documents[from+i].dead })
		from = to
	}
	return x
}

func randomQuery(r *rand.Rand) string {
	text := func() string {
		return fmt.Sprintf(`{"type":"text","text":%q,"match":%q,"relax":"off"}`, pickWords(r, 3), []string{"all", "any", "phrase", "user"}[r.IntN(4)])
	}
	field := func() string {
		return []string{
			`{"field":"brand","match":{"value":"ada"}}`, `{"field":"tags","match":{"type":"in","values":["a","b"]}}`,
			`{"field":"n","match":{"type":"range","gte":2}}`, `{"field":"brand","match":{"type":"any"}}`,
		}[r.IntN(4)]
	}
	nested := func() string {
		return fmt.Sprintf(`{"type":"nested","path":"v","score":%q,"clauses":[%s]}`, []string{"max", "min", "avg", "total"}[r.IntN(4)],
			[]string{`{"field":"v.c","match":{"value":"x"}}`, `{"field":"v.p","match":{"type":"range","lt":3}}`, `{"type":"text","text":"red lamp","match":"any"}`}[r.IntN(3)])
	}
	one := func() string {
		switch r.IntN(6) {
		case 0:
			return field()
		case 1:
			return nested()
		case 2:
			return fmt.Sprintf(`{"type":"or","clauses":[%s,%s]}`, text(), field())
		case 3:
			return fmt.Sprintf(`{"type":"boost","weight":%d,"clauses":[%s]}`, r.IntN(4), field())
		}
		return text()
	}
	var clauses []string
	for range r.IntN(3) {
		clauses = append(clauses, one())
	}
	return "[" + strings.Join(clauses, ",") + "]"
}

func ids(a *query.Answer) []string {
	var all []string
	for _, h := range a.Hits {
		all = append(all, fmt.Sprintf("%s/%d", h.ID, h.Index))
	}
	return all
}

// TestPagesJoinToTheWholeList walks random searches by cursors in both
// directions and compares with one large page.
func TestPagesJoinToTheWholeList(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		x := build(t, r, randomDocuments(r, 40))
		body := `"query":` + randomQuery(r)
		ascends := false
		switch r.IntN(6) {
		case 0:
			body += `,"sort":[{"field":"d","order":"desc"},{"field":"brand"}]`
		case 1:
			body += `,"sort":[{"field":"v.p"},{"type":"score"}]`
		case 2:
			body += `,"hits":{"path":"v"}`
		case 3:
			body += `,"hits":{"path":"v","when":[{"field":"n","match":{"type":"range","gte":3}}]}`
		case 4:
			body += `,"sort":[{"type":"score","order":"asc"}]`
			if ascends = true; r.IntN(2) == 0 {
				body += `,"hits":{"path":"v"}` // without tie breakers
			}
		}
		whole := x.mustSearch(t, `{"limit":1000,"total":"exact",`+body+`}`)
		all := ids(whole)
		for i := 1; ascends && i < len(whole.Hits); i++ {
			if whole.Hits[i].Score < whole.Hits[i-1].Score {
				t.Fatalf("seed %d: hit %d scores less than the one before: %s", seed, i, body)
			}
		}
		if int64(len(all)) != whole.Total.Count {
			t.Fatalf("seed %d: %d hits of %d: %s", seed, len(all), whole.Total.Count, body)
		}
		limit := 1 + r.IntN(7)
		var seen []string
		last := ""
		for after := ""; ; {
			page := x.mustSearch(t, fmt.Sprintf(`{"limit":%d%s,%s}`, limit, cursorMember("after", after), body))
			seen = append(seen, ids(page)...)
			if len(page.Hits) > 0 {
				last = page.Page.Previous
			}
			if after = page.Page.Next; after == "" {
				break
			}
		}
		if !slices.Equal(seen, all) {
			t.Fatalf("seed %d: %s\nforward %v\nwhole   %v", seed, body, seen, all)
		}
		var back []string
		for before := last; before != ""; {
			page := x.mustSearch(t, fmt.Sprintf(`{"limit":%d%s,%s}`, limit, cursorMember("before", before), body))
			back = append(ids(page), back...)
			before = page.Page.Previous
		}
		if len(back) > len(all) || !slices.Equal(back, all[:len(back)]) {
			t.Fatalf("seed %d: %s\nbackward %v\nwhole    %v", seed, body, back, all)
		}
	}
}

// TestRescoredPagesJoinInBothDirections pages rescored searches past the window and back:
// a hit of the window has the same position and score in both directions.
func TestRescoredPagesJoinInBothDirections(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 4))
		x := build(t, r, randomDocuments(r, 40))
		limit := 1 + r.IntN(4)
		body := fmt.Sprintf(`"limit":%d,"query":%s,"rescore":{"window":%d,"weight":2,"boost":[{"field":"tags","match":{"value":"a"}},{"type":"text","text":%q,"match":"any"}]}`,
			limit, randomQuery(r), limit*(1+r.IntN(4)), pickWords(r, 2))
		var down, up []query.Hit
		last := ""
		for after := ""; ; {
			page := x.mustSearch(t, fmt.Sprintf(`{%s%s}`, body, cursorMember("after", after)))
			down = append(down, page.Hits...)
			if len(page.Hits) > 0 {
				last = page.Page.Previous
			}
			if after = page.Page.Next; after == "" {
				break
			}
		}
		for before := last; before != ""; {
			page := x.mustSearch(t, fmt.Sprintf(`{%s%s}`, body, cursorMember("before", before)))
			up = append(page.Hits, up...)
			before = page.Page.Previous
		}
		for i, h := range up {
			if h.ID != down[i].ID || h.Score != down[i].Score {
				t.Fatalf("seed %d: hit %d is %s with %v, and was %s with %v: %s", seed, i, h.ID, h.Score, down[i].ID, down[i].Score, body)
			}
		}
	}
}

func cursorMember(name, cursor string) string {
	if cursor == "" {
		return ""
	}
	return fmt.Sprintf(`,%q:%q`, name, cursor)
}

// TestExplainGivesTheScoreOfSearch compares the score of every hit of random
// searches with its explanation.
func TestExplainGivesTheScoreOfSearch(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 2))
		x := build(t, r, randomDocuments(r, 25))
		body := `"query":` + randomQuery(r)
		if r.IntN(3) == 0 {
			body += `,"hits":{"path":"v"}`
		}
		answer := x.mustSearch(t, `{"limit":1000,`+body+`}`)
		request, err := query.DecodeExplain([]byte(`{`+body+`}`), query.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range answer.Hits {
			e, err := x.searcher.Explain(context.Background(), x.snapshot(), request, h.ID, max(h.Index, 0))
			if err != nil {
				t.Fatal(err)
			}
			if !e.Matched || h.HasScore && e.Score != h.Score {
				t.Fatalf("seed %d: %s %s/%d: search says %v, explain %v %v", seed, body, h.ID, h.Index, h.Score, e.Matched, e.Score)
			}
		}
	}
}

// TestFacetsAgreeWithNaiveCounting counts the values of all hits of a search
// by hand.
func TestFacetsAgreeWithNaiveCounting(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 3))
		documents := randomDocuments(r, 40)
		x := build(t, r, documents)
		clauses := randomQuery(r)
		filters := []string{`[]`, `[{"field":"brand","match":{"value":"Ada"}}]`, `[{"field":"tags","match":{"value":"a"}},{"field":"n","match":{"type":"range","lt":5}}]`}[r.IntN(3)]
		answer := x.mustSearch(t, fmt.Sprintf(`{"limit":0,"query":%s,"filters":%s,"facets":[{"field":"tags","excludeFilters":[]},{"field":"brand"},
			{"field":"n","ranges":[{"to":2},{"from":2,"to":5},{"from":0}],"excludeFilters":[]},{"field":"v.c","excludeFilters":[]}]}`, clauses, filters))
		byID := make(map[string]*randomDocument)
		for i := range documents {
			byID[documents[i].ID] = &documents[i]
		}
		matching := func(filters string) []*randomDocument {
			var all []*randomDocument
			for _, h := range x.mustSearch(t, fmt.Sprintf(`{"limit":1000,"query":%s,"filters":%s}`, clauses, filters)).Hits {
				all = append(all, byID[h.ID])
			}
			return all
		}
		count := func(documents []*randomDocument, of func(*randomDocument) []string) map[string]int64 {
			counts := make(map[string]int64)
			for _, d := range documents {
				values := of(d)
				slices.Sort(values)
				for _, v := range slices.Compact(values) {
					counts[v]++
				}
			}
			delete(counts, "")
			return counts
		}
		hits := matching(filters)
		compare := func(name string, result query.FacetResult, want map[string]int64) {
			got := make(map[string]int64)
			for _, v := range result.Values {
				var text string
				json.Unmarshal(v.Value, &text)
				got[text] = v.Count
			}
			if fmt.Sprint(got) != fmt.Sprint(want) || result.TotalValues != len(want) {
				t.Fatalf("seed %d: %s %s: %s counts %v, want %v", seed, clauses, filters, name, got, want)
			}
		}
		compare("tags", answer.Facets[0], count(hits, func(d *randomDocument) []string { return slices.Clone(d.Tags) }))
		others := filters
		if strings.Contains(filters, "brand") {
			others = `[]`
		}
		compare("brand", answer.Facets[1], count(matching(others), func(d *randomDocument) []string { return []string{d.Brand} }))
		for i, inside := range []func(int) bool{func(n int) bool { return n < 2 }, func(n int) bool { return n >= 2 && n < 5 }, func(n int) bool { return n >= 0 }} {
			want := int64(0)
			for _, d := range hits {
				if d.N != nil && inside(*d.N) {
					want++
				}
			}
			if got := answer.Facets[2].Buckets[i].Count; got != want {
				t.Fatalf("seed %d: bucket %d counts %d, want %d", seed, i, got, want)
			}
		}
		if !strings.Contains(clauses, "nested") {
			compare("v.c", answer.Facets[3], count(hits, func(d *randomDocument) []string {
				var all []string
				for _, item := range d.V {
					all = append(all, item.C)
				}
				return all
			}))
		}
	}
}
