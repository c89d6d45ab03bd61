package vectors

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quiresearch/quire/internal/bitset"
)

// clustered returns vectors around a few centres, like embeddings. All seeds share
// the centres.
func clustered(seed uint64, n, dimensions int) [][]float32 {
	r := rand.New(rand.NewPCG(0, 7))
	centres := make([][]float32, 40)
	for i := range centres {
		centres[i] = make([]float32, dimensions)
		for j := range centres[i] {
			centres[i][j] = float32(r.NormFloat64())
		}
	}
	r = rand.New(rand.NewPCG(seed, 7))
	out := make([][]float32, n)
	for i := range out {
		c := centres[r.IntN(len(centres))]
		v := make([]float32, dimensions)
		for j := range v {
			v[j] = c[j] + float32(r.NormFloat64())*0.5
		}
		out[i] = v
	}
	return out
}

func build(t testing.TB, o Options, vectors [][]float32) *Reader {
	t.Helper()
	r := open(t, writeColumn(t, o, vectors, 2, 2))
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	return r
}

// writeColumn writes a column; vector i belongs to the document i times step.
func writeColumn(t testing.TB, o Options, vectors [][]float32, step, threads int) []byte {
	t.Helper()
	docs := make([]uint32, len(vectors))
	for i := range docs {
		docs[i] = uint32(step * i)
	}
	var out bytes.Buffer
	if err := Write(context.Background(), &out, o, docs, slices.Concat(vectors...), threads); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func open(t testing.TB, data []byte) *Reader {
	t.Helper()
	r, err := Open(data)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// exact is the naive search.
func exact(r *Reader, q []float32, k int, accept *bitset.Bitset) []uint32 {
	var all []Hit
	for node := range r.Len() {
		if accept == nil || accept.Get(r.Doc(node)) {
			all = append(all, Hit{r.Doc(node), r.ScoreOf(node, q)})
		}
	}
	slices.SortFunc(all, func(a, b Hit) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return int(a.Doc) - int(b.Doc)
	})
	docs := make([]uint32, min(k, len(all)))
	for i := range docs {
		docs[i] = all[i].Doc
	}
	return docs
}

func recall(want []uint32, got []Hit) float64 {
	found := 0
	for _, h := range got {
		if slices.Contains(want, h.Doc) {
			found++
		}
	}
	return float64(found) / float64(max(1, len(want)))
}

func TestRecallForEverySimilarityAndQuantization(t *testing.T) {
	t.Parallel()
	vectors := clustered(1, 13_000, 32)
	queries := clustered(2, 30, 32)
	for _, s := range []Similarity{Cosine, DotProduct, Euclidean} {
		for _, z := range []Quantization{None, Int8, Int4} {
			t.Run(fmt.Sprint(s, z), func(t *testing.T) {
				own := vectors
				if s == DotProduct {
					own = nil
					for _, v := range vectors {
						v = slices.Clone(v)
						Normalize(v)
						own = append(own, v)
					}
				}
				r := build(t, Options{Dimensions: 32, Similarity: s, Quantization: z}, own)
				total := 0.0
				for _, q := range queries {
					p := Prepare(s, q)
					if s == DotProduct {
						Normalize(p)
					}
					hits, err := r.Search(context.Background(), p, 10, 0, nil)
					if err != nil {
						t.Fatal(err)
					}
					total += recall(exact(r, p, 10, nil), hits)
				}
				if mean := total / float64(len(queries)); mean < 0.95 {
					t.Errorf("recall@10 is %.3f", mean)
				}
			})
		}
	}
}

func TestNormalizeTakesEveryLength(t *testing.T) {
	for _, scale := range []float32{1e-40, 1e-30, 1e-20, 1e-12, 1, 1e12, 1e18, 1e30, 1e38} {
		v := []float32{scale, -2 * scale, 2 * scale}
		Normalize(v)
		for i, want := range []float32{1. / 3, -2. / 3, 2. / 3} {
			if difference := v[i] - want; !(difference < 1e-5 && difference > -1e-5) {
				t.Errorf("times %g: %v", scale, v)
				break
			}
		}
	}
	zero := []float32{0, 0}
	if Normalize(zero); zero[0] != 0 || zero[1] != 0 {
		t.Errorf("zeros became %v", zero)
	}
}

// Most of many equal vectors have no links to them, but they are still found.
func TestManyEqualVectorsAreFound(t *testing.T) {
	for s, v := range map[Similarity][]float32{Cosine: {0, 0, 0}, Euclidean: {1, 2, 3}} {
		vectors := make([][]float32, 12_500)
		for i := range vectors {
			vectors[i] = v
		}
		r := build(t, Options{Dimensions: 3, Similarity: s}, vectors)
		for _, k := range []int{1, 10, 200, 3000} {
			hits, err := r.Search(context.Background(), Prepare(s, []float32{1, 1, 0}), k, 0, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(hits) != k {
				t.Errorf("%v: %d hits of %d", v, len(hits), k)
			}
		}
	}
}

// If every document has a vector, documents are used as nodes.
func TestAcceptedDocumentsThatAllHaveVectors(t *testing.T) {
	vectors := clustered(6, 1003, 24)
	r := open(t, writeColumn(t, Options{Dimensions: 24}, vectors, 1, 2))
	random := rand.New(rand.NewPCG(7, 7))
	for _, length := range []int{1003, 1024, 2000} { // documents after the last vector
		accept := bitset.New(uint32(length))
		for i := range uint32(length) {
			if random.IntN(3) == 0 {
				accept.Set(i)
			}
		}
		for _, q := range clustered(8, 20, 24) {
			p := Prepare(Cosine, q)
			hits, err := r.Search(context.Background(), p, 10, 0, accept)
			if err != nil {
				t.Fatal(err)
			}
			if got := recall(exact(r, p, 10, accept), hits); got < 1 {
				t.Fatalf("recall of a scan is %.2f", got)
			}
		}
	}
}

func TestFilteredRecallAtAnySelectivity(t *testing.T) {
	t.Parallel()
	vectors := clustered(3, 26_000, 24)
	r := build(t, Options{Dimensions: 24}, vectors)
	random := rand.New(rand.NewPCG(5, 5))
	for _, share := range []float64{1, 0.6, 0.45, 0.1, 0.01, 0.001} {
		accept := bitset.New(uint32(2 * len(vectors)))
		for i := range vectors {
			if random.Float64() < share {
				accept.Set(uint32(2 * i))
			}
		}
		total := 0.0
		queries := clustered(4, 20, 24)
		for _, q := range queries {
			p := Prepare(Cosine, q)
			hits, err := r.Search(context.Background(), p, 10, 0, accept)
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range hits {
				if !accept.Get(h.Doc) {
					t.Fatalf("document %d was not accepted", h.Doc)
				}
			}
			total += recall(exact(r, p, 10, accept), hits)
		}
		if mean := total / float64(len(queries)); mean < 0.95 {
			t.Errorf("recall@10 with %.1f %% accepted is %.3f", share*100, mean)
		}
	}
	t.Run("by region", func(t *testing.T) { checkRegions(t, r, random) })
}

// checkRegions filters by whole regions: many queries are far from everything
// accepted.
func checkRegions(t *testing.T, r *Reader, random *rand.Rand) {
	for _, share := range []float64{0.5, 0.6, 0.75} {
		accept := bitset.New(r.Doc(r.Len()-1) + 1)
		var centres []int
		for range 32 {
			centres = append(centres, random.IntN(r.Len()))
		}
		for node := range r.Len() {
			nearest, best := 0, float32(-2)
			for i, c := range centres {
				if near := Cosine.nearness(r.Vector(node), r.Vector(c)); near > best {
					nearest, best = i, near
				}
			}
			if float64(nearest) < share*float64(len(centres)) {
				accept.Set(r.Doc(node))
			}
		}
		total := 0.0
		queries := clustered(4, 40, 24)
		for _, q := range queries {
			p := Prepare(Cosine, q)
			hits, err := r.Search(context.Background(), p, 10, 0, accept)
			if err != nil {
				t.Fatal(err)
			}
			total += recall(exact(r, p, 10, accept), hits)
		}
		if mean := total / float64(len(queries)); mean < 0.95 {
			t.Errorf("recall@10 with %d of %d accepted is %.3f", accept.Count(), r.Len(), mean)
		}
	}
}

func TestMergeKeepsRecallAndDropsDocuments(t *testing.T) {
	t.Parallel()
	vectors := clustered(6, 16_000, 32)
	o := Options{Dimensions: 32}
	large, small := build(t, o, vectors[:13_000]), build(t, o, vectors[13_000:])
	gone := func(doc uint32) bool { return doc%20 == 0 }
	next := uint32(0)
	renumber := func(doc uint32) (uint32, bool) {
		if gone(doc) {
			return 0, false
		}
		next++
		return next - 1, true
	}
	var out bytes.Buffer
	if err := Merge(context.Background(), &out, o, []Input{{large, renumber}, {small, renumber}}, 2); err != nil {
		t.Fatal(err)
	}
	r := open(t, out.Bytes())
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	if r.Len() != int(next) {
		t.Fatalf("%d vectors of %d documents", r.Len(), next)
	}
	// The graph of the larger input is carried over: its nodes keep their heights,
	// which a new graph would draw anew.
	kept := 0
	for node := range large.Len() {
		if gone(large.Doc(node)) {
			continue
		}
		if r.graph.height[kept] != large.graph.height[node] {
			t.Fatalf("node %d has height %d, had %d", kept, r.graph.height[kept], large.graph.height[node])
		}
		kept++
	}
	total := 0.0
	queries := clustered(7, 30, 32)
	for _, q := range queries {
		p := Prepare(Cosine, q)
		hits, err := r.Search(context.Background(), p, 10, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		total += recall(exact(r, p, 10, nil), hits)
	}
	if mean := total / float64(len(queries)); mean < 0.95 {
		t.Errorf("recall@10 after merging is %.3f", mean)
	}
}

func TestSmallColumns(t *testing.T) {
	for _, n := range []int{0, 1, 2, 5} {
		r := build(t, Options{Dimensions: 3, Similarity: Euclidean, Quantization: Int4}, clustered(8, n, 3))
		hits, err := r.Search(context.Background(), []float32{1, 2, 3}, 3, 0, nil)
		if err != nil || len(hits) != min(3, n) {
			t.Errorf("%d vectors: %d hits, %v", n, len(hits), err)
		}
	}
}

// Vectors whose squares overflow float32 are found by their rows.
func TestVectorsOfExtremeLength(t *testing.T) {
	for _, length := range []float32{1e-44, 1e-38, 1e-20, 1e18, 1e20, 1e30, 1e38} {
		all := clustered(12, 400, 8)
		for _, v := range all {
			for j := range v {
				v[j] *= length
			}
		}
		for _, z := range []Quantization{None, Int8, Int4} {
			r := build(t, Options{Dimensions: 8, Similarity: Euclidean, Quantization: z}, all)
			for _, k := range []int{1, 10, 100} {
				hits, err := r.Search(context.Background(), all[7], k, 0, nil)
				if err != nil || len(hits) != k || hits[0].Score != 1 {
					t.Errorf("%g, quantization %d: %d hits of %d, %v", length, z, len(hits), k, err)
				}
			}
		}
	}
}

func TestCancelledSearchStops(t *testing.T) {
	r := build(t, Options{Dimensions: 8}, clustered(9, 12_500, 8))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := r.Search(ctx, make([]float32, 8), 5, 0, nil); err == nil {
		t.Error("a cancelled search answered")
	}
}

// limited is a context that is cancelled after a number of checks.
type limited struct {
	context.Context
	left, asked int
}

func (l *limited) Err() error {
	if l.asked++; l.asked > l.left {
		return context.Canceled
	}
	return nil
}

// Every kind of search checks its context often, and ends as soon as it is
// cancelled.
func TestSearchesAskWhetherTheyAreWanted(t *testing.T) {
	// One thread always builds the same graph on every machine.
	r := open(t, writeColumn(t, Options{Dimensions: 8}, clustered(9, 12_500, 8), 2, 1))
	q := Prepare(Cosine, clustered(10, 1, 8)[0])
	for _, k := range []int{10, 1000, 12_000} { // walks, broad ones and scans
		whole := &limited{Context: context.Background(), left: 1 << 30}
		if _, err := r.Search(whole, q, k, 0, nil); err != nil {
			t.Fatal(err)
		}
		if least := map[int]int{10: 1, 1000: 5, 12_000: 2 * 12_500 / chunk}[k]; whole.asked < least {
			t.Errorf("k %d: asked %d times, expected %d", k, whole.asked, least)
		}
		for left := range whole.asked {
			ends := &limited{Context: context.Background(), left: left}
			if _, err := r.Search(ends, q, k, 0, nil); !errors.Is(err, context.Canceled) {
				t.Fatalf("k %d, asked %d times of %d, did not end: %v", k, ends.asked, left, err)
			}
			if ends.asked != left+1 {
				t.Fatalf("k %d went on %d times after its end", k, ends.asked-left-1)
			}
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(writeColumn(f, Options{Dimensions: 3}, clustered(10, 70, 3), 1, 2))
	f.Add(writeColumn(f, Options{Dimensions: 3, Quantization: Int4}, clustered(11, 70, 3), 1, 2))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Open(data)
		if err != nil || r.Check() != nil {
			return
		}
		if _, err := r.Search(context.Background(), make([]float32, r.options.Dimensions), 3, 0, nil); err != nil {
			t.Fatal(err)
		}
	})
}
