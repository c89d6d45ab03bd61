package vectors

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// rowsOf returns the rows of a column under construction.
func rowsOf(s Similarity, all [][]float32) *rows {
	r := newRows(len(all[0]), len(all))
	for _, v := range all {
		if s == Cosine {
			Normalize(v)
		}
		r.add(v)
	}
	r.raise(s)
	return r
}

// Nearness by codes is within the error that separate assumes, for every
// similarity, and whether or not the dimensions fill the lanes.
func TestCodesAreAsNearAsRows(t *testing.T) {
	for _, s := range []Similarity{Cosine, DotProduct, Euclidean} {
		for _, dimensions := range []int{1, 7, 64, 100} {
			r := rand.New(rand.NewPCG(uint64(s), uint64(dimensions)))
			all := rowsOf(s, spread(r, 200, dimensions))
			c := encodeAll(Options{Dimensions: dimensions, Similarity: s}, all)
			ids, exact, got := make([]uint32, all.len()), make([]float32, all.len()), make([]float32, all.len())
			for i := range ids {
				ids[i] = uint32(i)
			}
			var a codeQuery
			for _, node := range ids {
				c.prepare(&a, node)
				all.nearnesses(node, ids, exact)
				c.nearnesses(&a, ids, got)
				for i, id := range ids {
					step := float64(max(c.scale[node], c.scale[id]))
					distance := math.Sqrt(math.Abs(float64(exact[i])))
					// No value is off by more than half a step, in either row.
					most := 2*distance*step*math.Sqrt(float64(dimensions)) + step*step*float64(dimensions) + 1e-5*float64(1+c.norm[id]+c.norm[node])
					if off := math.Abs(float64(got[i] - exact[i])); off > most {
						t.Fatalf("similarity %d, %d dimensions: %d and %d are off by %g of %g, %g at most", s, dimensions, node, id, off, exact[i], most)
					}
				}
			}
		}
	}
}

// Codes distinguish vectors that are many steps apart, and not those within one
// step.
func TestCodesSeparate(t *testing.T) {
	const dimensions = 32
	r := rand.New(rand.NewPCG(1, 2))
	centre := gaussian(r, dimensions)
	for _, test := range []struct {
		deviation float64
		want      bool
	}{{0.5, true}, {0.1, true}, {0.001, false}, {0.00001, false}} {
		all := rowsOf(Cosine, around(r, centre, 150, test.deviation))
		c := encodeAll(Options{Dimensions: dimensions}, all)
		var a codeQuery
		ids, raws, near := make([]uint32, 100), make([]float32, 100), make([]near, 100)
		for i := range ids {
			ids[i] = uint32(i + 1)
		}
		c.prepare(&a, 0)
		c.nearnesses(&a, ids, raws)
		for i, id := range ids {
			near[i] = nearOf(id, raws[i])
		}
		if got := c.separate(0, near); got != test.want {
			t.Errorf("codes of rows that lie %g apart: %v", test.deviation, got)
		}
	}
}

// Rows whose squared length overflows float32 are compared directly.
func TestNoCodesOfVeryLongRows(t *testing.T) {
	all := rowsOf(Euclidean, [][]float32{{1, 2}, {1e19, 2e19}})
	if encodeAll(Options{Dimensions: 2, Similarity: Euclidean}, all) != nil {
		t.Error("there are codes")
	}
}

// Groups of vectors that codes do not distinguish, each smaller than the candidate
// list of a new node, are found among others that codes do distinguish.
func TestNearlyEqualVectorsAreFound(t *testing.T) {
	const dimensions = 64
	for _, s := range []Similarity{Cosine, DotProduct, Euclidean} {
		r := rand.New(rand.NewPCG(5, uint64(s)))
		all := spread(r, 1_000, dimensions)
		for range 200 {
			all = append(all, around(r, gaussian(r, dimensions), 60, 1e-4)...)
		}
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		column := open(t, writeColumn(t, Options{Dimensions: dimensions, Similarity: s}, all, 1, 1))
		found := 0
		const queries = 100
		for i := range queries {
			q := Prepare(s, around(r, all[i], 1, 1e-4)[0])
			truth := ranking(column, q)
			hits, err := column.Search(context.Background(), q, 10, 0, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range hits {
				if h.Score >= truth[9].Score {
					found++
				}
			}
		}
		t.Logf("similarity %d: recall %.3f", s, float64(found)/queries/10)
		if found < 9*queries {
			t.Errorf("similarity %d: %d of %d are found", s, found, 10*queries)
		}
	}
}

// Rescored returns the vectors only if searches walk the graph by codes.
func TestRescoredAreVectorsBehindCodes(t *testing.T) {
	all := spread(rand.New(rand.NewPCG(8, 8)), scanLimit+100, 4)
	none := open(t, writeColumn(t, Options{Dimensions: 4}, all, 1, 2))
	if none.Rescored() != nil {
		t.Error("vectors without codes")
	}
	quantized := requantized(t, none, Int8)
	if got, want := len(quantized.Rescored()), 4*4*quantized.Len(); got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
	if few := open(t, writeColumn(t, Options{Dimensions: 4, Quantization: Int8}, all[:10], 1, 1)); few.Rescored() != nil {
		t.Error("vectors of a column that is scanned")
	}
}
