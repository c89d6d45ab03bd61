package collect_test

import (
	"context"
	"maps"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/match"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/snapshot"
)

// scoreSink collects the scores of all matches, or panics when it receives some.
type scoreSink struct {
	scores map[uint32]float32
	panics bool
}

func (k *scoreSink) Take(base uint32, matched *match.Bits, sums *match.Sums) bool {
	if k.panics {
		panic("a page cannot be read")
	}
	for i, w := range matched {
		for ; w != 0; w &= w - 1 {
			at := i<<6 + bits.TrailingZeros64(w)
			k.scores[base+uint32(at)] = float32(sums[at])
			sums[at] = 0
		}
	}
	return true
}

func (k *scoreSink) TakeDocs(docs []uint32, scores []float32) bool {
	if k.panics {
		panic("a page cannot be read")
	}
	for i, doc := range docs {
		k.scores[doc] = scores[i]
	}
	return true
}

func (k *scoreSink) Prunes() bool            { return false }
func (k *scoreSink) Threshold() float64      { return -1 }
func (k *scoreSink) SkipsWindow(uint32) bool { return false }

// TestAPanicCostsOneSearch ends a scan while its sink reads scores: later scans, which reuse
// its memory, must return correct scores.
func TestAPanicCostsOneSearch(t *testing.T) {
	docs := makeDocuments(rand.New(rand.NewPCG(5, 5)), 9_000, 50)
	snap := snapshot.New(1, []*snapshot.Segment{makeSegment(t, "s", docs, false)}, nil)
	defer snap.Release()
	tables := match.NewTables()
	word := func(w string) plan.Node {
		return &plan.Term{Structure: "text", Text: w, Scoring: &plan.Scoring{Weight: 1, Length: definition.LengthModerate, Words: 2}}
	}
	scan := func(n plan.Node, sink *scoreSink) error {
		view := new(match.View)
		view.Reset(snap, nil, tables)
		view.Prepare(t.Context(), n)
		scanner, err := view.Scanner(t.Context(), 0, n, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		defer scanner.Close()
		return collect.Guard(func() error { return scanner.Run(context.Background(), 0, uint32(len(docs)), sink) })
	}
	for _, n := range []plan.Node{
		word("wx"),
		&plan.Or{Clauses: []plan.Node{word("wx"), word("wy")}},
		&plan.Best{Clauses: []plan.Node{word("wx"), word("wy")}},
	} {
		want, got := &scoreSink{scores: map[uint32]float32{}}, &scoreSink{scores: map[uint32]float32{}}
		if err := scan(n, want); err != nil || len(want.scores) == 0 {
			t.Fatalf("%d scores, %v", len(want.scores), err)
		}
		if err := scan(word("wz"), &scoreSink{panics: true}); err == nil {
			t.Fatal("the scan did not end")
		}
		if err := scan(n, got); err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(want.scores, got.scores) {
			t.Errorf("%T scores otherwise after a panic", n)
		}
	}
}
