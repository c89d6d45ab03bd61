package vectors

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quiresearch/quire/internal/bitset"
)

// shape makes vectors with a distribution that is hard for graphs.
type shape struct {
	name string
	make func(r *rand.Rand, dimensions int) [][]float32
	long bool // with different lengths under the dot product too
}

var shapes = []shape{
	{"one vector 5,000 times among 20,000", func(r *rand.Rand, d int) [][]float32 {
		return append(spread(r, 20_000, d), around(r, gaussian(r, d), 5_000, 0)...)
	}, false},
	{"60 vectors 220 times", func(r *rand.Rand, d int) (all [][]float32) {
		for range 60 {
			all = append(all, around(r, gaussian(r, d), 220, 0)...)
		}
		return all
	}, false},
	{"nearly one vector 4,000 times among 9,000", func(r *rand.Rand, d int) [][]float32 {
		return append(spread(r, 9_000, d), around(r, gaussian(r, d), 4_000, 1e-4)...)
	}, false},
	{"40 narrow clusters", func(r *rand.Rand, d int) (all [][]float32) {
		for range 40 {
			all = append(all, around(r, gaussian(r, d), 330, 0.02)...)
		}
		return all
	}, false},
	{"a line", func(r *rand.Rand, d int) (all [][]float32) {
		from, to := gaussian(r, d), gaussian(r, d)
		for range 13_000 {
			v, at := make([]float32, d), float32(r.Float64())
			for j := range v {
				v[j] = from[j] + at*(to[j]-from[j])
			}
			all = append(all, v)
		}
		return all
	}, false},
	{"zeros among others", func(r *rand.Rand, d int) [][]float32 {
		return append(spread(r, 9_000, d), around(r, make([]float32, d), 4_000, 0)...)
	}, false},
	{"vectors of every length", func(r *rand.Rand, d int) [][]float32 {
		all := spread(r, 13_000, d)
		for _, v := range all {
			scale := float32(math.Exp(r.NormFloat64() / 4))
			for j := range v {
				v[j] *= scale
			}
		}
		return all
	}, true},
}

func gaussian(r *rand.Rand, dimensions int) []float32 {
	v := make([]float32, dimensions)
	for j := range v {
		v[j] = float32(r.NormFloat64())
	}
	return v
}

// around returns vectors that differ from centre by a deviation.
func around(r *rand.Rand, centre []float32, n int, deviation float64) [][]float32 {
	all := make([][]float32, n)
	for i := range all {
		v := slices.Clone(centre)
		if deviation > 0 {
			for j := range v {
				v[j] += float32(r.NormFloat64() * deviation)
			}
		}
		all[i] = v
	}
	return all
}

// spread returns vectors in wide clusters.
func spread(r *rand.Rand, n, dimensions int) (all [][]float32) {
	for range 20 {
		all = append(all, around(r, gaussian(r, dimensions), n/20, 0.5)...)
	}
	return all
}

// requantized returns a column with the same graph and other codes.
func requantized(t testing.TB, r *Reader, z Quantization) *Reader {
	t.Helper()
	o := r.options
	o.Quantization = z
	var out bytes.Buffer
	same := func(doc uint32) (uint32, bool) { return doc, true }
	if err := Merge(context.Background(), &out, o, []Input{{r, same}}, 1); err != nil {
		t.Fatal(err)
	}
	return open(t, out.Bytes())
}

// TestHardShapes compares searches over hard distributions with an exhaustive scan:
// they find as many as requested, and nearly all of them are right, however equal
// they are. A walk may occasionally miss a narrow cluster, so the bound for a
// single kind of search is lower than for all of them together.
func TestHardShapes(t *testing.T) {
	t.Parallel()
	const dimensions = 32 // with fewer dimensions, codes would not be used
	for i, shape := range shapes {
		for _, s := range []Similarity{Cosine, DotProduct, Euclidean} {
			if underRace && int(s) != i%3 {
				continue // only one goroutine works here, so there is little to detect
			}
			t.Run(fmt.Sprint(shape.name, " ", s), func(t *testing.T) {
				t.Parallel()
				random := rand.New(rand.NewPCG(2, uint64(s)))
				all := shape.make(random, dimensions)
				random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
				if s == DotProduct && !shape.long {
					for _, v := range all {
						Normalize(v)
					}
				}
				// One thread always builds the same graph on every machine.
				none := open(t, writeColumn(t, Options{Dimensions: dimensions, Similarity: s}, all, 2, 1))
				if err := none.Check(); err != nil {
					t.Fatal(err)
				}
				checkShape(t, random, []*Reader{none, requantized(t, none, Int8), requantized(t, none, Int4)}, all)
			})
		}
	}
}

func checkShape(t *testing.T, random *rand.Rand, readers []*Reader, all [][]float32) {
	t.Helper()
	var queries [][]float32
	for range 3 {
		one := all[random.IntN(len(all))]
		queries = append(queries, one, around(random, one, 1, 0.05)[0], around(random, one, 1, 0.3)[0])
	}
	type cell struct {
		quantization Quantization
		filter       string
		k            int
	}
	found, wanted := map[cell]int{}, map[cell]int{}
	for _, q := range queries {
		q = Prepare(readers[0].options.Similarity, q)
		truth := ranking(readers[0], q)
		for _, filter := range filtersOf(random, truth) {
			for _, k := range []int{10, 100, 1000} {
				want := accepted(truth, filter.accept, k)
				for _, r := range readers {
					at := cell{r.options.Quantization, filter.name, k}
					hits, err := r.Search(context.Background(), q, k, 0, filter.accept)
					if err != nil || len(hits) != len(want) {
						t.Fatalf("%v: %d hits of %d, %v", at, len(hits), len(want), err)
					}
					wanted[at] += len(want)
					for _, h := range hits {
						if h.Score >= want[len(want)-1].Score {
							found[at]++
						}
					}
				}
			}
		}
	}
	const least, leastTogether = 0.7, 0.9
	together := map[Quantization][]float64{}
	for at, n := range wanted {
		recall := float64(found[at]) / float64(n)
		together[at.quantization] = append(together[at.quantization], recall)
		if recall < least {
			t.Errorf("quantization %d, %s: recall@%d is %.3f", at.quantization, at.filter, at.k, recall)
		}
	}
	for quantization, recalls := range together {
		sum := 0.0
		for _, recall := range recalls {
			sum += recall
		}
		if mean := sum / float64(len(recalls)); mean < leastTogether {
			t.Errorf("quantization %d: recall is %.3f", quantization, mean)
		}
	}
}

// ranking returns all documents, the nearest to a query first.
func ranking(r *Reader, q []float32) []Hit {
	all := make([]Hit, r.Len())
	for node := range all {
		all[node] = Hit{r.Doc(node), r.ScoreOf(node, q)}
	}
	slices.SortFunc(all, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Doc, b.Doc))
	})
	return all
}

func accepted(truth []Hit, accept *bitset.Bitset, k int) (want []Hit) {
	for _, h := range truth {
		if len(want) < k && (accept == nil || accept.Get(h.Doc)) {
			want = append(want, h)
		}
	}
	return want
}

type namedFilter struct {
	name   string
	accept *bitset.Bitset
}

// filtersOf returns filters that keep nodes anywhere, near the query and far from
// it. truth is ordered by nearness.
func filtersOf(random *rand.Rand, truth []Hit) []namedFilter {
	filters := []namedFilter{{"all", nil}}
	add := func(name string, keep func(rank int) bool) {
		accept := bitset.New(uint32(2 * len(truth)))
		for rank, h := range truth {
			if keep(rank) {
				accept.Set(h.Doc)
			}
		}
		filters = append(filters, namedFilter{name, accept})
	}
	for _, share := range []float64{0.97, 0.5, 0.05} {
		add(fmt.Sprintf("any %g", share), func(int) bool { return random.Float64() < share })
	}
	for _, share := range []float64{0.96, 0.3} {
		most := int(share * float64(len(truth)))
		add(fmt.Sprintf("nearest %g", share), func(rank int) bool { return rank < most })
		add(fmt.Sprintf("farthest %g", share), func(rank int) bool { return rank >= len(truth)-most })
	}
	return filters
}
