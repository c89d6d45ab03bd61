package vectors

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// graphColumn writes a column with a graph even if it is small.
func graphColumn(t testing.TB, o Options, vectors [][]float32) []byte {
	t.Helper()
	docs, all := make([]uint32, len(vectors)), newRows(o.Dimensions, len(vectors))
	for i, v := range vectors {
		docs[i] = uint32(i)
		all.add(v)
	}
	g, err := buildGraph(context.Background(), o, all, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	c := &column{Options: o, docs: docs, rows: all}
	if err := c.write(&out, g); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// checkReached finds nodes that cannot be reached from the entry, and twins that do
// not hang on the node that they are equal to.
func checkReached(t *testing.T, r *Reader) {
	t.Helper()
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	if r.graph.top < 0 {
		return
	}
	if height := int(slices.MaxFunc(r.graph.height, func(a, b uint8) int { return int(a%twin) - int(b%twin) })) % twin; height != r.graph.top {
		t.Fatalf("top is %d, the highest node %d", r.graph.top, height)
	}
	reached, hung := newMarks(r.Len()), newMarks(r.Len())
	reached.add(r.graph.entry)
	var room []uint32
	for i := 0; i < len(reached.nodes); i++ {
		node := reached.nodes[i]
		links, _, _ := r.graph.split(node)
		for _, n := range links {
			reached.add(n)
		}
		last := int64(-1)
		r.graph.eachTwin(node, &room, func(n uint32) bool {
			if !hung.add(n) || int64(n) <= last || r.graph.links(n, 0)[0] != node || !slices.Equal(r.Vector(int(n)), r.Vector(int(node))) {
				t.Fatalf("node %d has the twin %d", node, n)
			}
			last = int64(n)
			return true
		})
	}
	if len(hung.nodes) != r.graph.twins || len(reached.nodes) != r.Len()-r.graph.twins {
		t.Fatalf("%d nodes, %d of them twins: %d reached, %d hung", r.Len(), r.graph.twins, len(reached.nodes), len(hung.nodes))
	}
	for _, n := range reached.nodes {
		if hung.has(n) {
			t.Fatalf("twin %d is linked to as a node", n)
		}
	}
}

// A search that panics because a page is unreadable does not affect later searches.
func TestAPanicLeavesNothingBehind(t *testing.T) {
	r := open(t, writeColumn(t, Options{Dimensions: 8, M: 4, EfConstruction: 8}, clustered(9, 12_500, 8), 1, 1))
	row := r.graph.row(r.graph.entry, r.graph.top)
	row[0], row[1], row[2] = 2, (r.graph.entry+6000)%uint32(r.Len()), none
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a link to no node went unnoticed")
			}
		}()
		_, _ = r.Search(context.Background(), Prepare(Cosine, clustered(10, 1, 8)[0]), 10, 0, nil)
	}()
	if s := r.take(); slices.Max(s.seen.words) != 0 {
		t.Error("nodes are marked before a search begins")
	}
}

// TestRandomMerges repeatedly merges columns with equal vectors from which
// documents are deleted: the result is always a whole graph, and recall stays the
// same.
func TestRandomMerges(t *testing.T) {
	t.Parallel()
	if underRace {
		t.Skip("one goroutine works here: there is little to watch")
	}
	random := rand.New(rand.NewPCG(21, 4))
	for _, o := range []Options{
		{Similarity: Cosine, M: 16},
		{Similarity: DotProduct, M: 16},
		{Similarity: Euclidean, M: 16, Quantization: Int4},
		{Similarity: Euclidean, M: 3},
	} {
		o.Dimensions = 8
		copied := spread(random, 60, o.Dimensions)
		vectors := func(n int) [][]float32 {
			all := spread(random, n, o.Dimensions)
			for i := range all {
				if random.IntN(3) == 0 {
					all[i] = slices.Clone(copied[random.IntN(len(copied))])
				}
				if o.Similarity == DotProduct {
					Normalize(all[i])
				}
			}
			return all
		}
		whole := open(t, writeColumn(t, o, vectors(14_000), 1, 1))
		checkReached(t, whole)
		for _, gone := range []float64{0.03, 0.3, 0.8} {
			// Sometimes the entry, all raised nodes and all representatives are
			// deleted.
			drops := random.IntN(3) == 0
			next := uint32(0)
			keep := func(old *Reader) func(uint32) (uint32, bool) {
				return func(doc uint32) (uint32, bool) {
					if old == whole && old.graph.top >= 0 {
						_, _, stands := old.graph.split(doc)
						if drops && (doc == old.graph.entry || old.graph.levels(doc) > 0 || stands) || random.Float64() < gone {
							return 0, false
						}
					} else if random.IntN(50) == 0 {
						return 0, false
					}
					next++
					return next - 1, true
				}
			}
			var inputs []Input
			for _, n := range []int{100 + random.IntN(600), 0, int(gone * 14_000)} {
				r := whole
				if n > 0 {
					r = open(t, writeColumn(t, o, vectors(n), 1, 1))
				}
				inputs = append(inputs, Input{r, keep(r)})
			}
			var out bytes.Buffer
			if err := Merge(context.Background(), &out, o, inputs, 1); err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("similarity %d, M %d, %g gone, drops %v", o.Similarity, o.M, gone, drops)
			whole = open(t, out.Bytes())
			if whole.Len() != int(next) {
				t.Fatalf("%s: %d vectors of %d documents", name, whole.Len(), next)
			}
			checkReached(t, whole)
			checkScores(t, name, random, whole)
		}
	}
}

// checkScores compares the scores of searches with those of an exhaustive scan.
func checkScores(t *testing.T, name string, random *rand.Rand, r *Reader) {
	t.Helper()
	found, wanted := 0, 0
	for range 12 {
		q := Prepare(r.options.Similarity, around(random, r.Vector(random.IntN(r.Len())), 1, 0.2)[0])
		if r.options.Similarity == DotProduct {
			Normalize(q)
		}
		truth := ranking(r, q)
		for _, k := range []int{1, 10, 60} {
			hits, err := r.Search(context.Background(), q, k, 0, nil)
			if err != nil || len(hits) != k {
				t.Fatalf("%s: %d hits of %d, %v", name, len(hits), k, err)
			}
			seen := map[uint32]bool{}
			for i, h := range hits {
				node, ok := r.Of(h.Doc)
				if !ok || seen[h.Doc] || math.Abs(float64(h.Score-r.ScoreOf(node, q))) > 1e-6 || i > 0 && h.Score > hits[i-1].Score {
					t.Fatalf("%s: hit %d is %v", name, i, h)
				}
				seen[h.Doc] = true
				if wanted++; h.Score >= truth[k-1].Score {
					found++
				}
			}
		}
	}
	if recall := float64(found) / float64(wanted); recall < 0.9 {
		t.Errorf("%s: recall is %.3f of %d nodes, %d twins", name, recall, r.Len(), r.graph.twins)
	}
}

// FuzzGraph opens columns with a graph and walks them.
func FuzzGraph(f *testing.F) {
	all := clustered(10, 70, 3)
	f.Add(graphColumn(f, Options{Dimensions: 3, Similarity: Euclidean, M: 2}, all))
	f.Add(graphColumn(f, Options{Dimensions: 3, Similarity: Euclidean, M: 4, Quantization: Int4}, append(all[:40:40], all[:30]...)))
	f.Add(graphColumn(f, Options{Dimensions: 3, Similarity: Euclidean, M: 1}, slices.Repeat(all[:1], 9)))
	f.Add(graphColumn(f, Options{Dimensions: 3, Similarity: Euclidean, M: 1}, all[:1]))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Open(data)
		if err != nil || r.Check() != nil || r.graph.top < 0 {
			return
		}
		q := make([]float32, r.options.Dimensions)
		for _, how := range []strategy{plainNear, twoHop, twoHopFar} {
			s := r.take()
			r.codes.query(q, &s.side)
			s.query, s.filtered = q, true
			s.nodes = slices.Repeat([]uint64{0x5555555555555555}, (r.Len()+63)/64)
			r.surround(s, surroundings)
			if _, err := r.walkAll(context.Background(), s, r.limits(s, how, 3, 0, r.Len()/2), 3); err != nil {
				t.Fatal(err)
			}
		}
		for _, breadth := range []int{0, 5} {
			s := r.take()
			r.codes.query(q, &s.side)
			s.query = q
			if _, err := r.walkAll(context.Background(), s, r.limits(s, plain, 3, breadth, r.Len()), 3); err != nil {
				t.Fatal(err)
			}
		}
	})
}
