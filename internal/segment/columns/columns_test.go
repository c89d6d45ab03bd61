package columns

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
)

// TestNumbersOfEveryShape covers widths, steps, sparse, filled and empty
// blocks, and the ends of the range.
func TestNumbersOfEveryShape(t *testing.T) {
	shapes := map[string]func(*rand.Rand) int64{
		"constant":   func(*rand.Rand) int64 { return -42 },
		"small":      func(rng *rand.Rand) int64 { return rng.Int64N(7) },
		"step":       func(rng *rand.Rand) int64 { return 1000*rng.Int64N(90) + 7 },
		"times":      func(rng *rand.Rand) int64 { return 1_700_000_000_000 + rng.Int64N(1e11) },
		"everything": func(rng *rand.Rand) int64 { return int64(rng.Uint64()) },
		"extremes": func(rng *rand.Rand) int64 {
			return []int64{math.MinInt64, math.MaxInt64, 0, -1}[rng.IntN(4)]
		},
	}
	for name, value := range shapes {
		for _, share := range []int{0, 3, 60, 100} {
			rng := rand.New(rand.NewPCG(7, uint64(share)))
			const numDocs = 5000
			want := map[uint32]int64{}
			file := finishFile(t, func(out *blockfile.Writer) error {
				w := NewNumbersWriter(out, 1, numDocs, false)
				for doc := range uint32(numDocs) {
					if rng.IntN(100) < share && doc/BlockSize != 2 {
						want[doc] = value(rng)
						w.Add(doc, want[doc])
					}
				}
				n, err := w.Finish()
				if int(n) != len(want) {
					t.Fatalf("%d values, want %d", n, len(want))
				}
				return err
			})
			c, err := OpenNumbers(file, 1, numDocs, false)
			if err != nil {
				t.Fatal(err)
			}
			out := make([]int64, 1)
			for doc := range uint32(numDocs) {
				c.Values([]uint32{doc}, out, 99)
				v, ok := c.Get(doc)
				w, has := want[doc]
				if ok != has || ok && v != w {
					t.Fatalf("%s %d%%: document %d: %d %v, want %d %v", name, share, doc, v, ok, w, has)
				}
				if !has {
					w = 99
				}
				if out[0] != w {
					t.Fatalf("%s %d%%: value of %d: %d, want %d", name, share, doc, out[0], w)
				}
			}
			for range 20 {
				lo, hi := value(rng), value(rng)
				lo, hi = min(lo, hi), max(lo, hi)
				found := bitset.New(numDocs)
				for block := range c.NumBlocks() {
					c.IntoBitset(block, lo, hi, found)
				}
				for doc := range uint32(numDocs) {
					v, has := want[doc]
					if found.Get(doc) != (has && lo <= v && v <= hi) {
						t.Fatalf("%s %d%%: document %d with %d (%v) found from %d to %d: %v", name, share, doc, v, has, lo, hi, found.Get(doc))
					}
				}
			}
			if _, _, ok := c.BlockBounds(2); ok {
				t.Fatal("bounds of an empty block")
			}
		}
	}
}

func TestGeoUnitsAndDistance(t *testing.T) {
	p := EncodeGeo(59.3293, 18.0686)
	if lat, lon := p.Degrees(); lat != 59.3293 || lon != 18.0686 {
		t.Fatalf("%v %v", lat, lon)
	}
	if p := EncodeGeo(91, -200); p != (Point{900000000, -1800000000}) {
		t.Fatalf("%v", p)
	}
	// Stockholm to Göteborg.
	if d := p.Distance(57.7089, 11.9746); math.Abs(d-397_700) > 1000 {
		t.Fatalf("%f", d)
	}
	if d := Haversine(0, 0, 0, 180); math.Abs(d-math.Pi*EarthRadius) > 1 {
		t.Fatalf("half around: %f", d)
	}
}

// TestValuesOfManyDocuments reads the values of many documents at once, in columns
// where all documents have one.
func TestValuesOfManyDocuments(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 3))
		width, numDocs := rng.IntN(65), uint32(1+rng.IntN(5000))
		want := make([]int64, numDocs)
		file := finishFile(t, func(out *blockfile.Writer) error {
			w := NewNumbersWriter(out, 1, numDocs, false)
			for doc := range numDocs {
				if width > 0 {
					want[doc] = int64(rng.Uint64()>>(64-width)) - 1000
				}
				w.Add(doc, want[doc])
			}
			_, err := w.Finish()
			return err
		})
		c, err := OpenNumbers(file, 1, numDocs, false)
		if err != nil {
			t.Fatal(err)
		}
		var docs []uint32
		for doc, share := uint32(0), 1+rng.IntN(40); doc < numDocs; doc += 1 + uint32(rng.IntN(share)) {
			docs = append(docs, doc)
		}
		out := make([]int64, len(docs))
		c.Values(docs, out, 99)
		for i, doc := range docs {
			if out[i] != want[doc] {
				t.Fatalf("seed %d: document %d of %d bits is %d, want %d", seed, doc, width, out[i], want[doc])
			}
		}
	}
}
