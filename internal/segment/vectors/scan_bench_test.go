package vectors

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/quiresearch/quire/internal/bitset"
)

// unlinked returns a column without a graph, whose searches are scans. Vector i
// belongs to document i.
func unlinked(t testing.TB, o Options, vectors [][]float32) *Reader {
	t.Helper()
	all, docs := newRows(o.Dimensions, len(vectors)), make([]uint32, len(vectors))
	for i, v := range vectors {
		docs[i] = uint32(i)
		all.add(v)
	}
	var out bytes.Buffer
	c := &column{Options: o.written(), docs: docs, rows: all}
	if err := c.write(&out, newGraph(o.links(), nil)); err != nil {
		t.Fatal(err)
	}
	return open(t, out.Bytes())
}

// BenchmarkScan measures scans of the rows that a filter accepts, at random places
// or, by region, the nearest to some of 64 vectors. One operation is one search.
func BenchmarkScan(b *testing.B) {
	const rows, dimensions, regions = 1 << 18, 128, 64
	vectors := clustered(1, rows, dimensions)
	for _, v := range vectors {
		Normalize(v)
	}
	r := unlinked(b, Options{Dimensions: dimensions}, vectors)
	queries := clustered(2, 64, dimensions)
	ids, dots, near := make([]uint32, regions), make([]float32, regions), make([]int, rows)
	for i := range ids {
		ids[i] = uint32(i * rows / regions)
	}
	for node := range near {
		rawNearness(r.options, r.rows, ids, r.Vector(node), dots)
		for i, dot := range dots {
			if dot > dots[near[node]] {
				near[node] = i
			}
		}
	}
	random := rand.New(rand.NewPCG(5, 6))
	for _, share := range []int{1, 5, 10} {
		for name, keep := range map[string]func(node int) bool{
			"at random": func(int) bool { return random.IntN(100) < share },
			"by region": func(node int) bool { return near[node]*100 < share*regions },
		} {
			b.Run(fmt.Sprintf("%d %% %s", share, name), func(b *testing.B) {
				accept, accepted := bitset.New(rows), 0
				for node := range rows {
					if keep(node) {
						accept.Set(uint32(node))
						accepted++
					}
				}
				number := 0
				for b.Loop() {
					if _, err := r.Search(context.Background(), Prepare(Cosine, queries[number%len(queries)]), 10, 0, accept); err != nil {
						b.Fatal(err)
					}
					number++
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(accepted), "ns/row")
			})
		}
	}
}
