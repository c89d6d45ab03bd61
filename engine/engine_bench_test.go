package engine

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/quiresearch/quire/internal/vfs"
)

func benchmarkDocument(i int) string {
	return fmt.Sprintf(`{"id":"%d","title":"document number %d about thing %d and other words that vary %d","year":%d,"sales":%d}`,
		i, i, i%1000, i%77777, 1900+i%100, i)
}

func fill(b testing.TB, g *Generation, from, to int) {
	b.Helper()
	s := g.WriteStream()
	for i := from; i < to; i++ {
		if err := add(s, benchmarkDocument(i)); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := s.Wait(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkLoad adds documents through the log and commits them all.
func BenchmarkLoad(b *testing.B) {
	fs := vfs.OS(b.TempDir())
	create(b, fs, books)
	g := open(b, fs, Options{MinFree: -1})
	b.ResetTimer()
	fill(b, g, 0, b.N)
	if _, err := g.Commit(b.Context(), Explicit); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "docs/s")
}

// BenchmarkSmallCommit commits 100 replaced documents on an index of 300,000.
func BenchmarkSmallCommit(b *testing.B) {
	fs := vfs.OS(b.TempDir())
	create(b, fs, books)
	g := open(b, fs, Options{MinFree: -1})
	fill(b, g, 0, 300_000)
	if _, err := g.Commit(b.Context(), Explicit); err != nil {
		b.Fatal(err)
	}
	at := 0
	for b.Loop() {
		s := g.WriteStream()
		for range 100 {
			at = (at + 7919) % 300_000
			if err := add(s, benchmarkDocument(at)); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := s.Wait(b.Context()); err != nil {
			b.Fatal(err)
		}
		if _, err := g.Commit(b.Context(), Explicit); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAcknowledge appends to the log from one client and from many, each of
// which waits for its single write.
func BenchmarkAcknowledge(b *testing.B) {
	for _, clients := range []int{1, 64} {
		b.Run(fmt.Sprint(clients), func(b *testing.B) {
			fs := vfs.OS(b.TempDir())
			create(b, fs, books)
			g := open(b, fs, Options{MinFree: -1})
			var next atomic.Int64
			var group sync.WaitGroup
			b.ResetTimer()
			for range clients {
				group.Go(func() {
					for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
						s := g.WriteStream()
						err := add(s, benchmarkDocument(int(n)))
						if err == nil {
							_, err = s.Wait(b.Context())
						}
						if err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			group.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "appends/s")
		})
	}
}
