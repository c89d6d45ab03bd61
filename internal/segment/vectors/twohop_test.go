package vectors

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/quiresearch/quire/internal/bitset"
)

// wideColumn returns a column large enough for every strategy. Every twentieth
// vector is a copy of another.
var wideColumn = sync.OnceValue(func() []byte {
	random := rand.New(rand.NewPCG(31, 5))
	var all []float32
	var docs []uint32
	centres := spread(random, 200, 12)
	for i := range 50_000 {
		v := around(random, centres[random.IntN(len(centres))], 1, 0.4)[0]
		if i%20 == 19 {
			v = all[random.IntN(i)*12:][:12]
		}
		docs, all = append(docs, uint32(i)), append(all, v...)
	}
	var out bytes.Buffer
	// One thread always builds the same graph on every machine.
	if err := Write(context.Background(), &out, Options{Dimensions: 12, M: 8, EfConstruction: 40}, docs, all, 1); err != nil {
		panic(err)
	}
	return out.Bytes()
})

var wide = sync.OnceValue(func() *Reader {
	r, err := Open(wideColumn())
	if err != nil {
		panic(err)
	}
	return r
})

func accepting(r *Reader, keep func(node int) bool) *bitset.Bitset {
	accept := bitset.New(r.Doc(r.Len()-1) + 1)
	for node := range r.Len() {
		if keep(node) {
			accept.Set(r.Doc(node))
		}
	}
	return accept
}

// anywhere accepts a random share of all nodes.
func anywhere(r *Reader, share float64) *bitset.Bitset {
	random := rand.New(rand.NewPCG(uint64(1000*share), 9))
	return accepting(r, func(int) bool { return random.Float64() < share })
}

// beyond accepts the given share of nodes that are farthest from a query.
func beyond(r *Reader, q []float32, share float64) *bitset.Bitset {
	near := make([]float32, r.Len())
	for node := range near {
		near[node] = r.ScoreOf(node, q)
	}
	edge := slices.Sorted(slices.Values(near))[int(share*float64(len(near)))]
	return accepting(r, func(node int) bool { return near[node] < edge })
}

// ring accepts the farthest 85 %, and a tenth of the others.
func ring(r *Reader, q []float32) *bitset.Bitset {
	accept, few := beyond(r, q, 0.85), anywhere(r, 0.1)
	for node := range uint32(r.Len()) {
		if few.Get(node) {
			accept.Set(node)
		}
	}
	return accept
}

// onOneSide accepts the nodes on one side of a plane through the middle.
func onOneSide(r *Reader, axis []float32) *bitset.Bitset {
	return accepting(r, func(node int) bool { return Cosine.nearness(axis, r.Vector(node)) > 0 })
}

// prepared returns a scratch with a query and a filter.
func prepared(r *Reader, q []float32, accept *bitset.Bitset) (s *scratch, accepted int) {
	s = r.take()
	accepted = r.accepted(s, accept)
	r.codes.query(q, &s.side)
	s.query, s.filtered, s.full, s.found = q, true, false, s.found[:0]
	return s, accepted
}

func TestStrategyIsChosenByWhatIsKeptAroundTheQuery(t *testing.T) {
	t.Parallel()
	r := wide()
	q := slices.Clone(r.Vector(123))
	opposite := slices.Clone(q)
	for i := range opposite {
		opposite[i] = -opposite[i]
	}
	for _, c := range []struct {
		name   string
		k      int
		accept *bitset.Bitset
		want   strategy
	}{
		{"1 % anywhere", 10, anywhere(r, 0.01), exhaustive},
		{"70 % anywhere", 10, anywhere(r, 0.7), plainNear},
		{"95 % anywhere", 10, anywhere(r, 0.95), plain},
		{"the half around the query", 10, onOneSide(r, q), plainNear},
		{"the half away from the query", 10, onOneSide(r, opposite), exhaustive},
		{"the farthest 35 %", 10, beyond(r, q, 0.35), exhaustive},
		{"70 % anywhere for 100 hits", 100, anywhere(r, 0.7), plain},
		{"the farthest 85 % and a tenth of the rest", 10, ring(r, q), twoHop},
	} {
		s, accepted := prepared(r, q, c.accept)
		got := r.strategy(s, c.k, 0, accepted)
		t.Logf("%s: %d of %d, %v", c.name, accepted, r.Len(), got)
		if got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// walked searches by the walk that strategyAround selects, however few nodes are
// accepted, and returns nothing when that leaves the search to a scan.
func walked(t testing.TB, r *Reader, q []float32, k int, accept *bitset.Bitset) (strategy, []Hit) {
	t.Helper()
	s, accepted := prepared(r, q, accept)
	how := strategyAround(r.surround(s, surroundings))
	if how == twoHopFar {
		if r.isRemote(s, accepted) {
			return exhaustive, nil
		}
		r.surround(s, surroundingsFar)
	}
	w := r.limits(s, how, k, 0, accepted)
	w.visits = math.MaxInt
	hits, err := r.walkAll(context.Background(), s, w, k)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hits {
		if !accept.Get(h.Doc) {
			t.Fatalf("document %d is not accepted", h.Doc)
		}
	}
	return how, hits
}

// Filtered walks find what a scan finds, near the query and far from it.
func TestFilteredWalksFindTheNearest(t *testing.T) {
	t.Parallel()
	if underRace {
		t.Skip("one goroutine works here: there is little to watch")
	}
	random := rand.New(rand.NewPCG(33, 1))
	none := wide()
	type filter struct {
		name string
		keep func(q []float32) *bitset.Bitset
	}
	filters := []filter{
		{"any side", func([]float32) *bitset.Bitset { return onOneSide(none, gaussian(random, none.options.Dimensions)) }},
		{"own side", func(q []float32) *bitset.Bitset { return onOneSide(none, q) }},
		{"farthest 60 %", func(q []float32) *bitset.Bitset { return beyond(none, q, 0.6) }},
		{"farthest 98 %", func(q []float32) *bitset.Bitset { return beyond(none, q, 0.98) }},
	}
	for _, share := range []float64{0.05, 0.1, 0.3, 0.8} {
		keep := anywhere(none, share)
		filters = append(filters, filter{fmt.Sprint("any ", share), func([]float32) *bitset.Bitset { return keep }})
	}
	readers := []*Reader{none, requantized(t, none, Int4)}
	for _, f := range filters {
		for _, k := range []int{10, 20} {
			found, wanted, scans, hows := 0, 0, 0, map[strategy]int{}
			for range 8 {
				q := Prepare(Cosine, around(random, none.Vector(random.IntN(none.Len())), 1, 0.2)[0])
				accept := f.keep(q)
				want := accepted(ranking(none, q), accept, k)
				for _, r := range readers {
					how, hits := walked(t, r, q, k, accept)
					hows[how]++
					if len(hits) == 0 {
						scans++
						continue
					}
					wanted += k
					for _, h := range hits {
						if h.Score >= want[k-1].Score {
							found++
						}
					}
				}
			}
			recall := float64(found) / float64(max(1, wanted))
			t.Logf("%s: recall@%d is %.3f, %v, %d left to a scan", f.name, k, recall, hows, scans)
			if wanted > 0 && recall < 0.95 {
				t.Errorf("%s: recall@%d is %.3f", f.name, k, recall)
			}
		}
	}
}

// A filter may keep nothing, one document, all, or only copies of a vector whose
// first copy it rejects.
func TestFiltersThatKeepAlmostNothingOrAll(t *testing.T) {
	t.Parallel()
	r := wide()
	q := slices.Clone(r.Vector(4567))
	for _, c := range []struct {
		name string
		keep func(node int) bool
	}{
		{"nothing", func(int) bool { return false }},
		{"one", func(node int) bool { return node == 321 }},
		{"all", func(int) bool { return true }},
		{"copies", func(node int) bool { return r.graph.height[node] == twin }},
	} {
		accept := accepting(r, c.keep)
		want := accepted(ranking(r, q), accept, 10)
		hits, err := r.Search(context.Background(), q, 10, 0, accept)
		if err != nil || len(hits) != len(want) {
			t.Fatalf("%s: %d hits of %d, %v", c.name, len(hits), len(want), err)
		}
		for i, h := range hits {
			if h.Score != want[i].Score {
				t.Errorf("%s: hit %d is %v, want %v", c.name, i, h, want[i])
			}
		}
		if accept.Count() > 0 {
			how, hits := walked(t, r, q, 10, accept)
			t.Logf("%s: %v finds %d", c.name, how, len(hits))
		}
	}
}

// A scan finds accepted nodes that nothing links to.
func TestNothingLeadsToWhatIsAccepted(t *testing.T) {
	t.Parallel()
	r := open(t, slices.Clone(wideColumn()))
	for node := range uint32(r.Len()) {
		for level := range r.graph.levels(node) + 1 {
			r.graph.setLinks(node, level, nil)
		}
	}
	q := slices.Clone(r.Vector(123))
	for name, accept := range map[string]*bitset.Bitset{"60 % anywhere": anywhere(r, 0.6), "60 % far away": beyond(r, q, 0.6)} {
		hits, err := r.Search(context.Background(), q, 10, 0, accept)
		if err != nil {
			t.Fatal(err)
		}
		if got := recall(exact(r, q, 10, accept), hits); got < 1 {
			t.Errorf("%s: recall is %.2f", name, got)
		}
	}
}

// The result of a search does not depend on earlier or concurrent ones.
func TestFilteredSearchesRepeat(t *testing.T) {
	t.Parallel()
	r := wide()
	var filters []*bitset.Bitset
	var queries [][]float32
	var want [][]Hit
	for i := range 6 {
		q := slices.Clone(r.Vector(1000 * i))
		filters = append(filters, anywhere(r, 0.6), beyond(r, q, 0.6))
		queries = append(queries, q, q)
	}
	for i, q := range queries {
		fresh := open(t, wideColumn())
		hits, err := fresh.Search(context.Background(), q, 10, 0, filters[i])
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, hits)
	}
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 3 * len(queries) {
				at := (i*(worker+1) + worker) % len(queries)
				hits, err := r.Search(context.Background(), queries[at], 10, 0, filters[at])
				if err != nil || !slices.Equal(hits, want[at]) {
					t.Errorf("search %d: %v, %v, want %v", at, hits, err, want[at])
				}
			}
		}()
	}
	wg.Wait()
}

// Filtered searches check their context often, and end as soon as it is cancelled.
func TestFilteredSearchesAskWhetherTheyAreWanted(t *testing.T) {
	t.Parallel()
	r := wide()
	q := slices.Clone(r.Vector(123))
	for name, accept := range map[string]*bitset.Bitset{"any": anywhere(r, 0.6), "far": beyond(r, q, 0.6)} {
		for _, k := range []int{10, 500} {
			whole := &limited{Context: context.Background(), left: 1 << 30}
			if _, err := r.Search(whole, q, k, 0, accept); err != nil {
				t.Fatal(err)
			}
			if whole.asked < 2 {
				t.Errorf("%s, k %d: asked %d times", name, k, whole.asked)
			}
			for left := range whole.asked {
				ends := &limited{Context: context.Background(), left: left}
				if _, err := r.Search(ends, q, k, 0, accept); !errors.Is(err, context.Canceled) {
					t.Fatalf("%s, k %d, asked %d times of %d, did not end: %v", name, k, ends.asked, left, err)
				}
				if ends.asked != left+1 {
					t.Fatalf("%s, k %d went on %d times after its end", name, k, ends.asked-left-1)
				}
			}
		}
	}
}
