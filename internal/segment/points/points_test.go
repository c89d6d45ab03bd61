package points

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/segment/columns"
)

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

func TestRangesOfNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	shapes := map[string]func() int64{
		"few":      func() int64 { return rng.Int64N(5) - 2 },
		"wide":     func() int64 { return int64(rng.Uint64()) },
		"extremes": func() int64 { return []int64{math.MinInt64, math.MaxInt64, 0}[rng.IntN(3)] },
		"usual":    func() int64 { return rng.Int64N(10_000) },
	}
	for name, value := range shapes {
		for _, n := range []int{0, 1, 511, 512, 513, 7000} {
			values := make([]int64, n)
			file := finishFile(t, func(out *blockfile.Writer) error {
				var w NumbersWriter
				for doc := range values {
					values[doc] = value()
					w.Add(uint32(doc), values[doc])
				}
				return w.Finish(out, 1)
			})
			p, err := OpenNumbers(file, 1, uint32(n))
			if err != nil {
				t.Fatal(err)
			}
			for range 40 {
				lo, hi := value(), value()
				if rng.IntN(4) == 0 {
					hi = math.MaxInt64
				}
				checkAppendFrom(t, p, values, lo, 1+rng.IntN(n+2), rng.IntN(2) == 0)
				set := bitset.New(uint32(n))
				p.IntoBitset(lo, hi, set)
				count := 0
				for doc, v := range values {
					in := v >= lo && v <= hi
					if in {
						count++
					}
					if set.Get(uint32(doc)) != in {
						t.Fatalf("%s: %d in %d–%d: %v", name, v, lo, hi, in)
					}
				}
				if got := p.Count(lo, hi); got != uint64(count) {
					t.Fatalf("%s: count %d, want %d", name, got, count)
				}
			}
			c := p.Cursor()
			for i := range n {
				v, doc, ok := c.Next()
				if !ok || values[doc] != v {
					t.Fatalf("%s: cursor at %d: %d of %d", name, i, v, doc)
				}
			}
			if _, _, ok := c.Next(); ok {
				t.Fatal("the cursor does not end")
			}
		}
	}
}

// checkAppendFrom compares the documents of n values from v on with those of sorted values.
func checkAppendFrom(t *testing.T, p *Numbers, values []int64, v int64, n int, descending bool) {
	t.Helper()
	follows := func(a, b int64) bool { return a >= b && !descending || a <= b && descending }
	var following []int64
	for _, x := range values {
		if follows(x, v) {
			following = append(following, x)
		}
	}
	slices.Sort(following)
	if descending {
		slices.Reverse(following)
	}
	var want []uint32
	for doc, x := range values {
		if follows(x, v) && (n >= len(following) || follows(following[n-1], x)) {
			want = append(want, uint32(doc))
		}
	}
	got, ok := p.AppendFrom(nil, v, n, len(values), descending)
	slices.Sort(got)
	if !ok || !slices.Equal(got, want) {
		t.Fatalf("%d values from %d, descending %v: %d documents, want %d", n, v, descending, len(got), len(want))
	}
	if len(want) > 0 {
		if some, ok := p.AppendFrom(nil, v, n, len(want)-1, descending); ok || len(some) > 0 {
			t.Fatalf("%d documents, at most %d wanted", len(some), len(want)-1)
		}
	}
}

func TestCirclesAtPolesAndDateLine(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const n = 20_000
	places := make([]columns.Point, n)
	file := finishFile(t, func(out *blockfile.Writer) error {
		var w GeoWriter
		for doc := range places {
			places[doc] = columns.EncodeGeo(rng.Float64()*180-90, rng.Float64()*360-180)
			switch rng.IntN(4) {
			case 0:
				places[doc] = columns.EncodeGeo(85+rng.Float64()*5, rng.Float64()*360-180)
			case 1:
				places[doc] = columns.EncodeGeo(rng.Float64()*20, 180-rng.Float64()*2)
			}
			w.Add(uint32(doc), places[doc])
		}
		return w.Finish(out, 1)
	})
	p, err := OpenGeo(file, 1, n)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ lat, lon, metres float64 }{
		{90, 0, 300_000}, {89.5, 170, 400_000}, {-90, 10, 1e6}, {5, 179.9, 200_000}, {5, -179.9, 200_000},
		{0, 0, 25e6}, {60, 20, 0}, {60, 20, -1}, {10, 180, 1e6}, {86, -180, 2e6}, {0, 0, 9_990_000}, {45, 90, 1e4},
	} {
		set := bitset.New(n)
		p.IntoCircle(c.lat, c.lon, c.metres, set)
		for doc, at := range places {
			if want := at.Distance(c.lat, c.lon) <= c.metres; set.Get(uint32(doc)) != want {
				t.Fatalf("%+v: %v at %f: want %v", c, at, at.Distance(c.lat, c.lon), want)
			}
		}
	}
}

func FuzzNumbers(f *testing.F) {
	f.Add([]byte{1, 2, 3}, make([]byte, 40), int64(0), int64(5))
	f.Fuzz(func(t *testing.T, data, blocks []byte, lo, hi int64) {
		file := finishFile(t, func(out *blockfile.Writer) error {
			out.Section(blockfile.ID{Owner: 1, Part: PartData}, data)
			out.Section(blockfile.ID{Owner: 1, Part: PartBlocks}, blocks)
			return nil
		})
		set := bitset.New(1000)
		if p, err := OpenNumbers(file, 1, 1000); err == nil {
			p.Count(lo, hi)
			p.IntoBitset(lo, hi, set)
		}
		if p, err := OpenGeo(file, 1, 1000); err == nil {
			p.IntoCircle(1, 2, 1e5, set)
		}
	})
}

func BenchmarkRange(b *testing.B) {
	const n = 1 << 20
	file := finishFile(b, func(out *blockfile.Writer) error {
		rng := rand.New(rand.NewPCG(1, 1))
		var w NumbersWriter
		for doc := range uint32(n) {
			w.Add(doc, rng.Int64N(n))
		}
		return w.Finish(out, 1)
	})
	p, err := OpenNumbers(file, 1, n)
	if err != nil {
		b.Fatal(err)
	}
	set := bitset.New(n)
	for b.Loop() {
		p.IntoBitset(1000, 1000+n/10, set)
	}
	b.ReportMetric(n/10*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gdoc/s")
}
