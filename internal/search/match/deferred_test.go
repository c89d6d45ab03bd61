package match

import (
	"math"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/plan"
)

// A deferred scanner knows what it finds once it is bound: the number of matches and the score
// of the best one.
func TestDeferredScannersKnowWhatTheyFind(t *testing.T) {
	x := &scriptIndex{documents: 20_000, holds: []scriptWord{
		{"title", "canon", 500, 20, 1}, {"title", "canyon", 700, 20, 2}, {"title", "kanon", 900, 30, 1},
		{"title", "lens", 800, 7, 1}, {"title", "shoes", 2, 0, 1}, {"title", "shoe", 3000, 5, 1},
		{"title", "boards", 31, 3, 1}, {"title", "boxes", 40, 3, 3},
	}}
	view := x.build(t)
	word := func(text string, edits int, prefix bool) *plan.Word {
		n := &plan.Word{Words: 1, Fields: []plan.WordField{{Structure: titleField, Weight: 1, Length: definition.LengthModerate, Terms: []plan.WordTerm{{Text: text, Boost: 1}}}}}
		n.Read(0, &plan.Expand{Structure: titleField, Text: text, Edits: edits, Prefix: prefix})
		return n
	}
	for _, test := range []struct {
		name       string
		word       *plan.Word
		isDeferred bool
	}{
		{"one edit from two words", word("canoon", 1, false), true},
		{"one edit from one word", word("lans", 1, false), true},
		{"one edit from frequent words", word("shoex", 1, false), true},
		{"the start of a word", word("len", 0, true), true},
		{"the start of two words", word("bo", 0, true), true},
		{"the start of frequent words", word("sho", 0, true), true},
		{"start and edits", word("boa", 1, true), true},
		{"nothing", word("missing", 1, true), true},
		{"held as typed", word("canon", 1, true), false},
	} {
		if err := view.Prepare(t.Context(), test.word); err != nil {
			t.Fatal(err)
		}
		var s Scanner
		if err := view.InitDeferred(t.Context(), &s, 0, test.word); err != nil {
			t.Fatal(err)
		}
		if s.IsDeferred() != test.isDeferred {
			t.Errorf("%s: deferred: %v", test.name, s.IsDeferred())
		}
		if !s.IsDeferred() {
			s.Close()
			continue
		}
		matches, isAll := s.MinHits(10)
		top := s.deferred.top
		isBelow, isAbove := s.IsBelow(top), !s.IsBelow(float64(math.Nextafter32(float32(top), -1)))
		if err := s.Bind(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n, exact := s.MinHits(10); n != matches || exact != isAll {
			t.Errorf("%s: %d matches, all: %v; bound %d, %v", test.name, matches, isAll, n, exact)
		}
		best := &scriptSink{k: 1, threshold: -1}
		if err := s.Run(t.Context(), 0, NoMore, best); err != nil {
			t.Fatal(err)
		}
		s.Close()
		highest := float32(0)
		if len(best.hits) > 0 {
			highest = best.hits[0].score
		}
		if float32(top) != highest || !isBelow || !isAbove {
			t.Errorf("%s: the best scores %v, foreseen was %v", test.name, highest, top)
		}
	}
}
