package search

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/quiresearch/quire/query"
)

// These tests compare searches over list values with reading the documents: which
// documents match, facets by matched values, order by them, matched values
// themselves, values as hits with pages, and pages of mixed hits.

// listClause is a clause about list values with its meaning. path is the path a
// filter with it is about.
type listClause struct {
	text, path string
	holds      func(v *randomItem) bool
	scores     bool
}

// randomListClause returns a clause that only filters, or if scoring is set
// sometimes one that scores.
func randomListClause(r *rand.Rand, scoring bool) listClause {
	colour := []string{"x", "y"}[r.IntN(2)]
	low := r.IntN(4)
	byColour := fmt.Sprintf(`{"field":"v.c","match":{"value":%q}}`, colour)
	byPrice := fmt.Sprintf(`{"field":"v.p","match":{"type":"range","gte":%d,"lte":%d}}`, low, low+1)
	hasColour := func(v *randomItem) bool { return v.C == colour }
	hasPrice := func(v *randomItem) bool { return v.P >= low && v.P <= low+1 }
	nested := func(clauses string) string {
		return fmt.Sprintf(`{"type":"nested","path":"v","clauses":[%s]}`, clauses)
	}
	hasWord := func(v *randomItem) bool {
		return slices.ContainsFunc(strings.Fields(v.M), func(w string) bool { return w == "red" || w == "lamp" })
	}
	const byWord = `{"type":"text","text":"red lamp","match":"any","prefix":"off"}`
	kinds := 6
	if scoring {
		kinds = 10
	}
	switch r.IntN(kinds) {
	case 0:
		return listClause{nested(byColour), "v.c", hasColour, false}
	case 1:
		return listClause{nested(byPrice), "v.p", hasPrice, false}
	case 2:
		return listClause{nested(byColour + "," + byPrice), "v", func(v *randomItem) bool { return hasColour(v) && hasPrice(v) }, false}
	case 3:
		return listClause{nested(`{"type":"or","clauses":[` + byColour + "," + byPrice + `]}`), "v", func(v *randomItem) bool { return hasColour(v) || hasPrice(v) }, false}
	case 4:
		return listClause{nested(`{"type":"not","clauses":[` + byColour + `]}`), "v.c", func(v *randomItem) bool { return !hasColour(v) }, false}
	case 6:
		return listClause{nested(byWord), "v", hasWord, true}
	case 7:
		return listClause{nested(`{"type":"or","clauses":[` + byWord + "," + byPrice + `]}`), "v", func(v *randomItem) bool { return hasWord(v) || hasPrice(v) }, true}
	case 8:
		return listClause{nested(byColour + `,{"type":"boost","weight":2,"clauses":[` + byWord + `]}`), "v", hasColour, true}
	case 9:
		return listClause{nested(`{"type":"knn","field":"v.e","vector":[1,2],"k":1000,"filter":[` + byColour + `]}`), "v", hasColour, true}
	}
	return listClause{nested(""), "v", func(*randomItem) bool { return true }, false}
}

// listSearch is a random request with its meaning.
type listSearch struct {
	query, filters []string
	holds          []func(d *randomDocument) bool // of the query
	required       []listClause                   // of the query
	kept           []listClause                   // filters about lists
	brands         []string                       // filters about brands
}

func randomListSearch(r *rand.Rand) *listSearch {
	s := &listSearch{}
	for range r.IntN(3) {
		c := randomListClause(r, true)
		any := func(d *randomDocument) bool {
			return slices.ContainsFunc(d.V, func(v randomItem) bool { return c.holds(&v) })
		}
		switch r.IntN(5) {
		case 0:
			s.query = append(s.query, `{"type":"not","clauses":[`+c.text+`]}`)
			s.holds = append(s.holds, func(d *randomDocument) bool { return !any(d) })
		case 1:
			s.query = append(s.query, `{"type":"or","clauses":[`+c.text+`,{"field":"brand","match":{"value":"Ada"}}]}`)
			s.holds = append(s.holds, func(d *randomDocument) bool { return any(d) || d.Brand == "Ada" })
		case 2:
			s.query = append(s.query, `{"type":"and","clauses":[`+c.text+`]}`)
			s.holds, s.required = append(s.holds, any), append(s.required, c)
		default:
			s.query = append(s.query, c.text)
			s.holds, s.required = append(s.holds, any), append(s.required, c)
		}
	}
	for range r.IntN(3) {
		if r.IntN(4) == 0 {
			s.filters = append(s.filters, `{"field":"brand","match":{"value":"Cyd"}}`)
			s.brands = append(s.brands, "Cyd")
			continue
		}
		c := randomListClause(r, false)
		s.filters, s.kept = append(s.filters, c.text), append(s.kept, c)
	}
	return s
}

// scores reports whether list values are distinguished by their scores.
func (s *listSearch) scores() bool {
	return slices.ContainsFunc(s.required, func(c listClause) bool { return c.scores })
}

func (s *listSearch) body(more string) string {
	return fmt.Sprintf(`{"query":[%s],"filters":[%s],%s}`, strings.Join(s.query, ","), strings.Join(s.filters, ","), more)
}

// matches reports whether a document matches without the filters about a path, and
// which of its values do. With "" all filters apply.
func (s *listSearch) matches(d *randomDocument, without string) (bool, []int) {
	required := slices.Clone(s.required)
	for _, c := range s.kept {
		if without != "" && (c.path == without || strings.HasPrefix(c.path, without+".")) {
			continue
		}
		if !slices.ContainsFunc(d.V, func(v randomItem) bool { return c.holds(&v) }) {
			return false, nil
		}
		required = append(required, c)
	}
	for _, brand := range s.brands {
		if d.Brand != brand && without != "brand" {
			return false, nil
		}
	}
	for _, holds := range s.holds {
		if !holds(d) {
			return false, nil
		}
	}
	var values []int
	for i := range d.V {
		if !slices.ContainsFunc(required, func(c listClause) bool { return !c.holds(&d.V[i]) }) {
			values = append(values, i)
		}
	}
	return !d.dead, values
}

// counted converts a facet into counts by value.
func counted(f query.FacetResult) map[string]int64 {
	counts := map[string]int64{}
	for _, v := range f.Values {
		counts[strings.Trim(string(v.Value), `"`)] = v.Count
	}
	return counts
}

// places returns the hits of an answer as document and position; a document hit has
// position -1.
func places(hits []query.Hit) []string {
	all := []string{}
	for _, h := range hits {
		all = append(all, fmt.Sprintf("%s/%d", h.ID, h.Index))
	}
	return all
}

func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// listDefinitions declare the children of the list by name, or one of them by a
// pattern.
var listDefinitions = []string{
	randomDefinition,
	strings.Replace(randomDefinition, `"fields":{"c":`, `"fields":{"*":`, 1),
	strings.Replace(randomDefinition, `"p":{"type":"int32"`, `"*":{"type":"int32"`, 1),
}

// updated adds earlier, deleted versions of some documents.
func updated(r *rand.Rand, documents []randomDocument) []randomDocument {
	var all []randomDocument
	for i, before := range randomDocuments(r, len(documents)) {
		if r.IntN(3) == 0 {
			before.dead = true
			all = append(all, before)
		}
		if at := r.IntN(i + 1); r.IntN(2) == 0 && len(all) > at {
			// An update puts the document after those added since.
			all = slices.Insert(all, at, before)
			all[at].dead = true
		}
		all = append(all, documents[i])
	}
	return all
}

func TestListsAgreeWithReadingDocuments(t *testing.T) {
	for seed := range uint64(90) {
		r := rand.New(rand.NewPCG(seed, 31))
		documents := updated(r, randomDocuments(r, 40))
		x := buildAs(t, r, listDefinitions[seed%3], documents)
		s := randomListSearch(r)
		checkListFacets(t, x, s, documents)
		checkListOrder(t, x, s, documents)
		checkMatched(t, x, s, documents)
		checkValueHits(t, r, x, s, documents)
		checkMixedHits(t, r, x, s, documents)
		if t.Failed() {
			t.Fatalf("seed %d: %s", seed, s.body(`"limit":10`))
		}
	}
}

// checkListFacets counts documents once per matched value, and leaves out for every
// facet the filters about it.
func checkListFacets(t *testing.T, x *index, s *listSearch, documents []randomDocument) {
	answer := x.mustSearch(t, s.body(`"limit":0,"facets":[{"field":"v.c"},{"field":"brand"},{"field":"v.c","name":"all","excludeFilters":[]}]`))
	for i, without := range []string{"v.c", "brand", ""} {
		want := map[string]int64{}
		for j := range documents {
			d := &documents[j]
			matched, values := s.matches(d, without)
			if !matched {
				continue
			}
			seen := map[string]bool{"": true}
			if without == "brand" {
				values = []int{-1}
			}
			for _, v := range values {
				name := d.Brand
				if v >= 0 {
					name = d.V[v].C
				}
				if !seen[name] {
					want[name]++
				}
				seen[name] = true
			}
		}
		if got := counted(answer.Facets[i]); fmt.Sprint(got) != fmt.Sprint(want) || answer.Facets[i].TotalValues != len(want) {
			t.Errorf("facet %s: %v, want %v", answer.Facets[i].Name, got, want)
		}
	}
}

// checkListOrder orders documents by the lowest or highest matched value.
func checkListOrder(t *testing.T, x *index, s *listSearch, documents []randomDocument) {
	byID := map[string]*randomDocument{}
	want := []string{}
	for i := range documents {
		byID[documents[i].ID] = &documents[i]
		if matched, _ := s.matches(&documents[i], ""); matched {
			want = append(want, documents[i].ID+"/-1")
		}
	}
	for _, order := range []string{"asc", "desc"} {
		answer := x.mustSearch(t, s.body(`"limit":1000,"sort":[{"field":"v.p","order":"`+order+`"}]`))
		if !sameSet(places(answer.Hits), want) {
			t.Errorf("matches %v, want %v", places(answer.Hits), want)
			return
		}
		// Documents without a matched value come last, or first when mirrored.
		key := func(h query.Hit) int {
			_, values := s.matches(byID[h.ID], "")
			best := 1000
			for i, v := range values {
				if p := byID[h.ID].V[v].P; i == 0 || p < best == (order == "asc") {
					best = p
				}
			}
			return best
		}
		sorted := slices.IsSortedFunc(answer.Hits, func(a, b query.Hit) int {
			if order == "desc" {
				a, b = b, a
			}
			return cmp.Compare(key(a), key(b))
		})
		if !sorted {
			t.Errorf("order %s: %v", order, places(answer.Hits))
		}
	}
}

// checkMatched compares the values shown for each hit.
func checkMatched(t *testing.T, x *index, s *listSearch, documents []randomDocument) {
	answer := x.mustSearch(t, s.body(`"limit":1000,"sort":[{"field":"id"}],"matched":{"fields":{"v":{"limit":2}}}`))
	at := 0
	for i := range documents {
		d := &documents[i]
		matched, values := s.matches(d, "")
		if !matched {
			continue
		}
		got := answer.Hits[at].Matched[0]
		at++
		if got.TotalValues != len(values) || len(got.Values) != min(2, len(values)) {
			t.Errorf("%s: %d of %d values matched, want %d", d.ID, len(got.Values), got.TotalValues, len(values))
			continue
		}
		for j, text := range got.Values {
			var v randomItem
			wanted := values[j : j+1]
			if s.scores() {
				wanted = values // in order of their scores
			}
			err := json.Unmarshal(text, &v)
			if err != nil || !slices.ContainsFunc(wanted, func(at int) bool { return v == d.V[at] }) {
				t.Errorf("%s: value %d is %s, want %+v", d.ID, j, text, d.V[values[j]])
			}
		}
	}
}

// checkValueHits compares values as hits: all of them, their facets, their
// order, and pages of them in both directions.
func checkValueHits(t *testing.T, r *rand.Rand, x *index, s *listSearch, documents []randomDocument) {
	item := map[string]*randomItem{}
	colours, brands := map[string]int64{}, map[string]int64{}
	want := []string{}
	for i := range documents {
		d := &documents[i]
		if matched, values := s.matches(d, ""); matched {
			for _, v := range values {
				place := fmt.Sprintf("%s/%d", d.ID, v)
				want, item[place] = append(want, place), &d.V[v]
				colours[d.V[v].C]++
				brands[d.Brand]++
			}
		}
	}
	delete(colours, "")
	delete(brands, "")
	answer := x.mustSearch(t, s.body(`"limit":1000,"hits":{"path":"v"},"facets":[{"field":"v.c","excludeFilters":[]},{"field":"brand","excludeFilters":[]}]`))
	if !sameSet(places(answer.Hits), want) || answer.Total.Count != int64(len(want)) {
		t.Errorf("values as hits: %v (%d), want %v", places(answer.Hits), answer.Total.Count, want)
		return
	}
	if got := counted(answer.Facets[0]); fmt.Sprint(got) != fmt.Sprint(colours) {
		t.Errorf("facet of values: %v, want %v", got, colours)
	}
	if got := counted(answer.Facets[1]); fmt.Sprint(got) != fmt.Sprint(brands) {
		t.Errorf("facet of documents of values: %v, want %v", got, brands)
	}
	for _, h := range answer.Hits {
		var v randomItem
		if err := json.Unmarshal(h.Value, &v); err != nil || v != *item[fmt.Sprintf("%s/%d", h.ID, h.Index)] {
			t.Errorf("value %s/%d is %s", h.ID, h.Index, h.Value)
		}
	}
	for _, sort := range []string{"", `,"sort":[{"field":"v.p"}]`, `,"sort":[{"field":"v.p","order":"desc"}]`} {
		more := `"hits":{"path":"v"}` + sort
		whole := places(x.mustSearch(t, s.body(`"limit":1000,`+more)).Hits)
		if !sameSet(whole, want) {
			t.Errorf("values by %s: %v", sort, whole)
		}
		sorted := slices.IsSortedFunc(whole, func(a, b string) int {
			switch {
			case sort == "" && a[:3] == b[:3] && !s.scores():
				return cmp.Compare(a, b) // in order of position
			case sort == "":
				return 0 // by the score of the document
			case strings.Contains(sort, "desc"):
				a, b = b, a
			}
			return cmp.Compare(item[a].P, item[b].P)
		})
		if !sorted {
			t.Errorf("order of values by %s: %v", sort, whole)
		}
		checkPages(t, x, s, 1+r.IntN(5), more, whole)
	}
}

// checkPages walks hits by cursors, forwards and back, and by offset.
func checkPages(t *testing.T, x *index, s *listSearch, limit int, more string, whole []string) {
	page := func(place string) *query.Answer {
		return x.mustSearch(t, s.body(fmt.Sprintf(`"limit":%d%s,%s`, limit, place, more)))
	}
	seen, back := []string{}, []string{}
	last := ""
	for after := ""; ; {
		answer := page(cursorMember("after", after))
		seen = append(seen, places(answer.Hits)...)
		if len(answer.Hits) > 0 {
			last, back = answer.Page.Previous, places(answer.Hits)
		}
		if after = answer.Page.Next; after == "" || len(seen) > len(whole) {
			break
		}
	}
	if !slices.Equal(seen, whole) {
		t.Errorf("%s forward: %v, want %v", more, seen, whole)
		return
	}
	for before := last; before != "" && len(back) <= len(whole); {
		answer := page(cursorMember("before", before))
		back = append(places(answer.Hits), back...)
		before = answer.Page.Previous
	}
	if !slices.Equal(back, whole) {
		t.Errorf("%s backward: %v, want %v", more, back, whole)
	}
	offset := len(whole) / 2
	if got := places(page(fmt.Sprintf(`,"offset":%d`, offset)).Hits); !slices.Equal(got, whole[offset:min(offset+limit, len(whole))]) {
		t.Errorf("%s from %d: %v of %v", more, offset, got, whole)
	}
}

// checkMixedHits expands only some documents into values.
func checkMixedHits(t *testing.T, r *rand.Rand, x *index, s *listSearch, documents []randomDocument) {
	want := []string{}
	count := int64(0)
	colours := map[string]int64{}
	for i := range documents {
		d := &documents[i]
		matched, values := s.matches(d, "")
		if !matched {
			continue
		}
		count++
		seen := map[string]bool{"": true}
		for _, v := range values {
			if d.Brand == "bob" {
				want = append(want, fmt.Sprintf("%s/%d", d.ID, v))
			}
			if !seen[d.V[v].C] {
				colours[d.V[v].C]++
			}
			seen[d.V[v].C] = true
		}
		if d.Brand != "bob" {
			want = append(want, d.ID+"/-1")
		}
	}
	more := `"hits":{"path":"v","when":[{"field":"brand","match":{"value":"bob"}}]}`
	answer := x.mustSearch(t, s.body(`"limit":1000,"facets":[{"field":"v.c","excludeFilters":[]}],`+more))
	if !sameSet(places(answer.Hits), want) || answer.Total.Count != int64(len(want)) || answer.Documents == nil || answer.Documents.Count != count || !answer.Documents.Exact {
		t.Errorf("mixed hits: %v (%d of %+v), want %v of %d", places(answer.Hits), answer.Total.Count, answer.Documents, want, count)
		return
	}
	if got := counted(answer.Facets[0]); fmt.Sprint(got) != fmt.Sprint(colours) {
		t.Errorf("facet of mixed hits: %v, want %v", got, colours)
	}
	checkPages(t, x, s, 1+r.IntN(5), more, places(answer.Hits))
}

// TestValueHitsShowTheirOwnText checks that the words of each value are marked, and
// that scores add up from documents and values.
func TestValueHitsShowTheirOwnText(t *testing.T) {
	words := []string{"red", "blue", "mug", "cup", "tall"}
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 37))
		x := newIndex(t, `{"fields":{"id":{"type":"int32","primaryKey":true},
			"v":{"type":"object","multiple":true,"mode":"nested","fields":{"m":{"type":"string","matching":{"highlight":{}}}}}}}`)
		var texts [][]string
		for len(texts) < 40 {
			var lines []string
			for range 1 + r.IntN(3) {
				var values []string
				for range r.IntN(4) {
					values = append(values, words[r.IntN(5)]+" "+words[r.IntN(5)]+" "+words[r.IntN(5)])
				}
				body, _ := json.Marshal(map[string]any{"id": len(texts), "v": list(values)})
				lines = append(lines, string(body))
				texts = append(texts, values)
			}
			x.add(t, lines, nil)
		}
		word := words[r.IntN(5)]
		nested := func(fold string) string {
			return fmt.Sprintf(`"limit":1000,"query":[{"type":"nested","path":"v","score":%q,"clauses":[{"type":"text","text":%q,"typos":"off","prefix":"off"}]}]`, fold, word)
		}
		ofValue := map[string]map[int]float64{}
		for _, h := range x.mustSearch(t, `{`+nested("max")+`,"hits":{"path":"v"},"highlight":{"fields":{"v.m":{}}}}`).Hits {
			var id int
			if _, err := fmt.Sscan(h.ID, &id); err != nil {
				t.Fatal(err)
			}
			want := strings.ReplaceAll(texts[id][h.Index], word, "<em>"+word+"</em>")
			if len(h.Highlights) != 1 || h.Highlights[0].Field != "v.m" || !slices.Equal(h.Highlights[0].Fragments, []string{want}) {
				t.Fatalf("seed %d: %s/%d shows %v, want %s", seed, h.ID, h.Index, h.Highlights, want)
			}
			if ofValue[h.ID] == nil {
				ofValue[h.ID] = map[int]float64{}
			}
			ofValue[h.ID][h.Index] = h.Score
		}
		for _, fold := range []string{"max", "min", "avg", "total"} {
			hits := x.mustSearch(t, `{`+nested(fold)+`}`).Hits
			if len(hits) != len(ofValue) {
				t.Fatalf("seed %d: %d documents, want %d", seed, len(hits), len(ofValue))
			}
			for _, h := range hits {
				// A value hit's score includes that of its document: the best value's.
				best, least, sum := 0.0, 1e9, 0.0
				for _, score := range ofValue[h.ID] {
					best = max(best, score/2)
				}
				for _, score := range ofValue[h.ID] {
					least, sum = min(least, score-best), sum+score-best
				}
				want := map[string]float64{"max": best, "min": least, "avg": sum / float64(len(ofValue[h.ID])), "total": sum}[fold]
				if h.Score < want-1e-5 || h.Score > want+1e-5 {
					t.Fatalf("seed %d: %s of %s is %v, want %v", seed, fold, h.ID, h.Score, want)
				}
			}
		}
	}
}

func list(texts []string) []map[string]string {
	all := []map[string]string{}
	for _, text := range texts {
		all = append(all, map[string]string{"m": text})
	}
	return all
}
