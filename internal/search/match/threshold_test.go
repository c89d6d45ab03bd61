package match

import (
	"fmt"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/plan"
)

// Plans that score differently, or ask for another number of hits, have different keys: a
// threshold of one would drop hits of the other.
func TestThresholdKeysDiffer(t *testing.T) {
	var v View
	v.Reset(nil, NewCaches(CacheOptions{TermBytes: 1 << 20}, nil), nil)
	word := func(change func(*plan.Word)) *plan.Word {
		near := &plan.Expand{Structure: "a", Text: "cat", Edits: 1}
		w := &plan.Word{Words: 2, Fields: []plan.WordField{
			{Structure: "a", Weight: 2, Length: definition.LengthStrong, Terms: []plan.WordTerm{{Text: "cat", Boost: 1}}},
			{Structure: "b", Weight: 1, Length: definition.LengthModerate, Terms: []plan.WordTerm{{Text: "cat", Boost: 1}}},
		}, Bands: []plan.Band{{Edits: 1, In: []plan.BandField{{Field: 0, Near: near}}}}}
		if change != nil {
			change(w)
		}
		return w
	}
	term := func(text string, s plan.Scoring) plan.Node {
		return &plan.Term{Structure: "a", Text: text, Scoring: &s}
	}
	cat, dog := term("cat", plan.Scoring{Weight: 1, Words: 2}), term("dog", plan.Scoring{Weight: 1, Words: 2})
	pair := func(first, second string) plan.Node {
		return &plan.Pair{First: word(nil), Second: word(nil), Fields: []plan.PairField{{First: first, Second: second}}}
	}
	both := []plan.Node{cat, dog}
	queries := []plan.Node{
		word(nil),
		word(func(w *plan.Word) { w.Words = 3 }),
		word(func(w *plan.Word) { w.Fields[0].Weight = 3 }),
		word(func(w *plan.Word) { w.Fields[1].Structure = "c" }),
		word(func(w *plan.Word) { w.Fields[1].Length = definition.LengthNone }),
		word(func(w *plan.Word) { w.Fields[1].Terms[0].Boost = 0.5 }),
		word(func(w *plan.Word) { w.Fields[1].Terms[0].Text = "cats" }),
		word(func(w *plan.Word) { w.Bands = nil }),
		word(func(w *plan.Word) { w.Bands[0].Start = true }),
		word(func(w *plan.Word) { w.Bands[0].In[0].Field = 1 }),
		word(func(w *plan.Word) { w.Bands[0].In[0].Near.Fixed = 1 }),
		word(func(w *plan.Word) {
			w.Bands[0].In[0] = plan.BandField{Prefix: &plan.Term{Structure: "a", Text: "cat"}}
		}),
		&plan.And{Clauses: both},
		&plan.Or{Clauses: both},
		&plan.Or{Clauses: []plan.Node{cat}},
		&plan.Or{Clauses: []plan.Node{cat, term("dog", plan.Scoring{Weight: 2, Words: 2})}},
		&plan.Or{Clauses: []plan.Node{cat, term("dog", plan.Scoring{Weight: 1, Words: 2, Once: true})}},
		&plan.Or{Clauses: []plan.Node{cat, &plan.Scale{Weight: 2, Clause: dog}}},
		&plan.Or{Clauses: []plan.Node{cat, &plan.Term{Structure: "a", Text: "dog"}}},
		&plan.And{Clauses: []plan.Node{cat}, Optional: []plan.Node{dog}},
		&plan.And{Clauses: both, Optional: []plan.Node{pair("cat", "dog")}},
		&plan.And{Clauses: both, Optional: []plan.Node{pair("dog", "cat")}},
	}
	filters := [][]plan.Node{nil, {cat}, {dog}, both, {&plan.Not{Clauses: []plan.Node{cat}}}}
	seen := map[string]string{}
	for i, q := range queries {
		for j, f := range filters {
			for _, k := range []int{1, 10} {
				name := fmt.Sprintf("query %d, filters %d, %d hits", i, j, k)
				key := v.ThresholdKey(q, f, k)
				if key == "" {
					t.Errorf("%s have no key", name)
				}
				if other, ok := seen[key]; ok {
					t.Errorf("%s have the key of %s", name, other)
				}
				seen[key] = name
			}
		}
	}
}

// Scores of plans that cannot be encoded completely are not kept.
func TestThresholdsNeedAKey(t *testing.T) {
	var v View
	v.Reset(nil, NewCaches(CacheOptions{TermBytes: 1 << 20}, nil), nil)
	cat := &plan.Term{Structure: "a", Text: "cat", Scoring: &plan.Scoring{Weight: 1, Words: 2}}
	for name, q := range map[string]plan.Node{
		"nothing": nil, "a term": cat,
		"vectors":         &plan.Or{Clauses: []plan.Node{cat, &plan.Knn{K: 3}}},
		"a fusion":        &plan.And{Clauses: []plan.Node{&plan.Fuse{}}},
		"a nested clause": &plan.And{Clauses: []plan.Node{&plan.Nested{Path: "l", Clause: cat}}},
	} {
		if key := v.ThresholdKey(q, nil, 10); key != "" {
			t.Errorf("%s: %q", name, key)
		}
	}
}
