package match

import (
	"testing"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/snapshot"
)

// A few matches are counted before the scan even with deleted documents: a search that knows
// its total scores only possible hits.
func TestFewMatchesAreCountedBeforeTheScan(t *testing.T) {
	x := &scriptIndex{documents: 40_000, holds: []scriptWord{
		{"title", "canon", 500, 20, 1}, {"title", "canyon", 700, 20, 1}, {"title", "kanon", 900, 30, 1},
		{"title", "lens", 800, 7, 1}, {"title", "shoe", 2, 0, 1}, {"title", "shoes", 6, 0, 1},
		{"title", "lamps", 31, 0, 1}, {"title", "lampa", 31, 1, 1}, {"title", "lampe", 31, 2, 1},
	}}
	segment := x.build(t).Snapshot.Segments[0]
	live := bitset.New(segment.Reader.NumDocs())
	for doc := range live.Len() {
		if doc%3 != 0 {
			live.Set(doc)
		}
	}
	view := new(View)
	view.Reset(snapshot.New(2, []*snapshot.Segment{snapshot.NewSegment(segment.Reader, live, nil, segment)}, nil), nil, nil)
	for _, test := range []struct {
		plan  string
		words []string // that match
		exact bool
		least int
	}{
		{"near canon", []string{"canon", "canyon", "kanon"}, true, 0},
		{"near canyons", []string{"canyon"}, true, 0},
		{"near lans", []string{"lens"}, true, 0},
		{"near missing", nil, true, 0},
		{"term lens", []string{"lens"}, true, 0},
		{"near shoe", []string{"shoe", "shoes"}, false, 0},
		{"near lamp", []string{"lamps", "lampa", "lampe"}, false, 0}, // many together, few each
		{"near shot", []string{"shoe"}, false, 1000},
		{"term shoe", []string{"shoe"}, false, 1000},
	} {
		matches := 0
		for doc := range x.documents {
			isHeld := false
			for _, h := range x.holds {
				for _, word := range test.words {
					isHeld = isHeld || h.word == word && doc >= h.from && (doc-h.from)%h.every == 0
				}
			}
			if isHeld && live.Get(uint32(doc)) {
				matches++
			}
		}
		n, _ := scriptPlan(t, test.plan)
		if err := view.Prepare(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		s, err := view.Scanner(t.Context(), 0, n, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		got, exact := s.MinHits(40_000)
		s.Close()
		if exact != test.exact || got > matches || exact && got != matches || got < test.least {
			t.Errorf("%s: %d matches, exact: %v, want %d", test.plan, got, exact, matches)
		}
	}
}

// The cached count of live documents of a word is not used after other deletes.
func TestLiveDocumentsAreCountedAgainAfterDeletes(t *testing.T) {
	x := &scriptIndex{documents: 40_000, holds: []scriptWord{
		{"title", "lens", 800, 7, 1}, {"title", "canyon", 700, 20, 1}, {"title", "kanon", 900, 30, 1},
	}}
	segment := x.build(t).Snapshot.Segments[0]
	caches := NewCaches(CacheOptions{FilterBytes: 1 << 20, TermBytes: 1 << 20, Typos: 100, Prefixes: 100}, nil)
	for every := uint32(2); every < 6; every++ {
		live := bitset.NewFull(segment.Reader.NumDocs())
		for doc := uint32(0); doc < live.Len(); doc += every {
			live.Clear(doc)
		}
		snap := snapshot.New(uint64(every), []*snapshot.Segment{snapshot.NewSegment(segment.Reader, live, nil, segment)}, nil)
		for _, text := range []string{"near lans", "near canon", "near lans", "near canon"} {
			matches := 0
			for doc := range x.documents {
				for _, h := range x.holds {
					if (h.word == "lens") == (text == "near lans") && doc >= h.from && (doc-h.from)%h.every == 0 && live.Get(uint32(doc)) {
						matches++
						break
					}
				}
			}
			view := new(View)
			view.Reset(snap, caches, nil)
			n, _ := scriptPlan(t, text)
			if err := view.Prepare(t.Context(), n); err != nil {
				t.Fatal(err)
			}
			s, err := view.Scanner(t.Context(), 0, n, nil, true)
			if err != nil {
				t.Fatal(err)
			}
			if got, exact := s.MinHits(40_000); got != matches || !exact {
				t.Errorf("every %d, %s: %d matches, exact: %v, want %d", every, text, got, exact, matches)
			}
			if got, ok, err := s.Count(t.Context(), 40_000); ok && (got != matches || err != nil) {
				t.Errorf("every %d, %s: %d counted, want %d: %v", every, text, got, matches, err)
			}
			s.Close()
		}
	}
}
