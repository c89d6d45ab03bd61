package columns

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quiresearch/quire/internal/blockfile"
)

const benchDocs = 1 << 20

// finishFile runs write on a file in memory and opens it.
func finishFile(tb testing.TB, write func(*blockfile.Writer) error) *blockfile.Reader {
	tb.Helper()
	var out bytes.Buffer
	w := blockfile.NewWriter(&out, "test", "TEST", 1)
	if err := write(w); err != nil {
		tb.Fatal(err)
	}
	if _, err := w.Finish(); err != nil {
		tb.Fatal(err)
	}
	r, err := blockfile.Open("test", out.Bytes(), "TEST", 1, 1, blockfile.VerifyAll)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func BenchmarkOrdinalsCount(b *testing.B) {
	for _, distinct := range []int{11, 3000, 100_000} {
		b.Run(fmt.Sprint(distinct), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			file := finishFile(b, func(out *blockfile.Writer) error {
				w := NewOrdinalsWriter(out, 1, benchDocs, false)
				for i := range distinct {
					w.Value(fmt.Appendf(nil, "value-%06d", i))
				}
				for doc := range uint32(benchDocs) {
					w.Add(doc, rng.Uint32N(uint32(distinct)))
				}
				return w.Finish()
			})
			c, err := OpenOrdinals(file, 1, benchDocs, false)
			if err != nil {
				b.Fatal(err)
			}
			counts := make([]uint32, c.Len()+1)
			for b.Loop() {
				w8, w16, w32 := c.Raw()
				for _, v := range w8 {
					counts[v]++
				}
				for _, v := range w16 {
					counts[v]++
				}
				for _, v := range w32 {
					counts[v]++
				}
			}
			b.ReportMetric(benchDocs*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gord/s")
		})
	}
}

func BenchmarkNumbers(b *testing.B) {
	for _, missing := range []int{0, 10, 90} {
		rng := rand.New(rand.NewPCG(1, 1))
		file := finishFile(b, func(out *blockfile.Writer) error {
			w := NewNumbersWriter(out, 1, benchDocs, false)
			for doc := range uint32(benchDocs) {
				if rng.IntN(100) >= missing {
					w.Add(doc, 1_400_000_000+rng.Int64N(300_000_000))
				}
			}
			_, err := w.Finish()
			return err
		})
		c, err := OpenNumbers(file, 1, benchDocs, false)
		if err != nil {
			b.Fatal(err)
		}
		docs, out := make([]uint32, BlockSize), make([]int64, BlockSize)
		for i := range docs {
			docs[i] = rng.Uint32N(benchDocs)
		}
		slices.Sort(docs)
		b.Run(fmt.Sprint("values/missing", missing), func(b *testing.B) {
			for b.Loop() {
				c.Values(docs, out, 0)
			}
			b.ReportMetric(BlockSize*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gint/s")
		})
	}
}
