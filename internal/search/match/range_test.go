package match

import (
	"testing"

	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/internal/vfs"
)

// A range in which few other matches are looked up, or a frequent term, is gathered when a
// second search asks for it, no matter how often the first search binds it: once for every
// range of a segment that it scans, and once for facets.
func TestAFilterIsGatheredForTheSecondSearch(t *testing.T) {
	const documents = 40_000
	b := segment.NewBuilder()
	word := b.Field(segment.FieldOptions{Name: "word", Kind: segment.Terms})
	price := b.Field(segment.FieldOptions{Name: "price", Kind: segment.Numbers, Points: true})
	for i := range documents {
		b.StartDoc()
		if i%500 == 7 {
			b.Term(word, []byte("rare"), 0)
		}
		if i%3 > 0 {
			b.Term(word, []byte("frequent"), 0)
		}
		b.Number(price, int64(i))
		b.EndDoc(true)
	}
	fs := vfs.Memory()
	if _, err := b.Finish(fs, "a.seg"); err != nil {
		t.Fatal(err)
	}
	reader, err := segment.Open(fs, "a.seg", blockfile.Trusted)
	if err != nil {
		t.Fatal(err)
	}
	snap := snapshot.New(1, []*snapshot.Segment{snapshot.NewSegment(reader, nil, nil, nil)}, nil)
	defer snap.Release()

	n := &plan.Term{Structure: "word", Text: "rare", Scoring: &plan.Scoring{Weight: 1}}
	for _, filter := range []plan.Node{
		&plan.NumberRange{Structure: "price", Intervals: []plan.Interval{{Min: 100, Max: 39_900}}},
		&plan.Term{Structure: "word", Text: "frequent"},
	} {
		checkGathering(t, snap, n, filter, 1<<20, []bool{false, true, true})
	}
	// Every search would have to build a set that the cache cannot hold.
	checkGathering(t, snap, n, &plan.Term{Structure: "word", Text: "frequent"}, documents/8, []bool{false, false, false})
}

// checkGathering checks whether each of several searches builds a set of a filter, with a cache
// of cacheBytes.
func checkGathering(t *testing.T, snap *snapshot.Snapshot, n, filter plan.Node, cacheBytes int64, gathered []bool) {
	t.Helper()
	caches := NewCaches(CacheOptions{Filters: 100, FilterBytes: cacheBytes, TermBytes: 1 << 20}, nil)
	for search, gathers := range gathered {
		var v View
		v.Reset(snap, caches, nil)
		for _, node := range []plan.Node{n, filter} {
			if err := v.Prepare(t.Context(), node); err != nil {
				t.Fatal(err)
			}
		}
		for bind := range 3 {
			s, err := v.Scanner(t.Context(), 0, n, []plan.Node{filter}, false)
			if err != nil {
				t.Fatal(err)
			}
			and, ok := s.root.(*andStep)
			if !ok || len(and.steps) != 2 {
				t.Fatalf("search %d binds %T", search, s.root)
			}
			if _, gathered := and.steps[1].(setStep); gathered != gathers {
				t.Errorf("search %d, bound %d times before: %T is bound as a %T", search, bind, filter, and.steps[1])
			}
			s.Close()
		}
	}
}
