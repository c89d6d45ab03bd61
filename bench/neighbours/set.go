// Package neighbours provides the data for measuring nearest-neighbour search:
// real and generated vectors, filters that keep a part of them, and the exact
// nearest neighbours of each query.
package neighbours

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"sync"
	"unsafe"

	"github.com/klauspost/compress/zstd"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/simd"
)

// K is the number of neighbours to find.
const K = 10

// Set holds vectors, queries, and the true neighbours of each query, among all
// vectors and among those that each filter keeps.
type Set struct {
	Name       string
	Dimensions int
	Base       []float32 // unit length, concatenated
	Queries    []float32
	Filters    []Filter
}

// Filter keeps a share of the vectors: random ones, or all of some regions.
type Filter struct {
	Name  string
	Keep  *bitset.Bitset // nil keeps all
	Truth [][]uint32     // rows, nearest first, by query
}

// Rows returns the number of vectors.
func (s *Set) Rows() int { return len(s.Base) / s.Dimensions }

// Asked returns the number of queries.
func (s *Set) Asked() int { return len(s.Queries) / s.Dimensions }

// Row returns a vector, which must not be modified.
func (s *Set) Row(i int) []float32 {
	return s.Base[i*s.Dimensions:][:s.Dimensions]
}

// Query returns a query, which must not be modified.
func (s *Set) Query(i int) []float32 {
	return s.Queries[i*s.Dimensions:][:s.Dimensions]
}

// Glove loads real word vectors.
func Glove(dir string) (*Set, error) {
	s := &Set{Name: "GloVe-100, 120,000", Dimensions: 100}
	for _, part := range []struct {
		file string
		into *[]float32
	}{{"glove100_120k.base.f16.zst", &s.Base}, {"glove100_120k.query.f16.zst", &s.Queries}} {
		packed, err := os.ReadFile(filepath.Join(dir, part.file))
		if err != nil {
			return nil, err
		}
		d, err := zstd.NewReader(nil, zstd.WithDecoderMaxWindow(1<<28))
		if err != nil {
			return nil, err
		}
		data, err := d.DecodeAll(packed, nil)
		d.Close()
		if err != nil {
			return nil, err
		}
		values := make([]float32, len(data)/2)
		for i := range values {
			values[i] = half(binary.LittleEndian.Uint16(data[2*i:]))
		}
		*part.into = values
	}
	s.finish(1000)
	return s, nil
}

func half(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&1023)
	if exponent == 0 {
		return float32(fraction) / (1 << 24) * float32(1-2*int(h>>15))
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}

// Clustered generates vectors around centres of different size and spread, like
// embeddings of texts; most of the spread is in few directions.
func Clustered(name string, rows, dimensions, queries int) *Set {
	s := &Set{Name: name, Dimensions: dimensions}
	random := rand.New(rand.NewPCG(11, uint64(rows)))
	centres := make([][]float32, max(50, rows/500))
	for i := range centres {
		c := make([]float32, dimensions)
		for j := range c {
			c[j] = float32(random.NormFloat64()) / (1 + float32(j)/32)
		}
		centres[i] = c
	}
	zipf := rand.NewZipf(random, 1.2, 20, uint64(len(centres)-1))
	draw := func(n int) []float32 {
		out := make([]float32, 0, n*dimensions)
		for range n {
			c := centres[zipf.Uint64()]
			spread := 0.3 + 0.5*random.Float64()
			for j := range dimensions {
				out = append(out, c[j]+float32(spread*random.NormFloat64())/(1+float32(j)/32))
			}
		}
		return out
	}
	s.Base, s.Queries = draw(rows), draw(queries)
	s.finish(queries)
	return s
}

// finish normalizes to unit length, draws the filters and computes the true
// neighbours.
func (s *Set) finish(queries int) {
	s.Queries = s.Queries[:min(len(s.Queries), queries*s.Dimensions)]
	for _, values := range [][]float32{s.Base, s.Queries} {
		for at := 0; at < len(values); at += s.Dimensions {
			v := values[at:][:s.Dimensions]
			if length := math.Sqrt(float64(simd.DotF32(v, v))); length > 0 {
				for i := range v {
					v[i] = float32(float64(v[i]) / length)
				}
			}
		}
	}
	random := rand.New(rand.NewPCG(5, 6))
	for _, f := range []struct {
		name  string
		share float64
	}{{"100 %", 1}, {"10 %", 0.1}, {"5 %", 0.05}, {"2 %", 0.02}, {"1 %", 0.01}, {"0.1 %", 0.001}} {
		one := Filter{Name: f.name, Truth: make([][]uint32, s.Asked())}
		if f.share < 1 {
			one.Keep = bitset.New(uint32(s.Rows()))
			for i := range uint32(s.Rows()) {
				if random.Float64() < f.share {
					one.Keep.Set(i)
				}
			}
		}
		s.Filters = append(s.Filters, one)
	}
	regions := s.regions(random)
	for _, share := range []float64{0.4, 0.1} {
		keep := bitset.New(uint32(s.Rows()))
		kept := 0
		for region := 0; float64(kept) < share*float64(s.Rows()); region++ {
			for row, of := range regions {
				if int(of) == region {
					keep.Set(uint32(row))
					kept++
				}
			}
		}
		name := fmt.Sprintf("%.0f %% by region", 100*float64(kept)/float64(s.Rows()))
		s.Filters = append(s.Filters, Filter{Name: name, Keep: keep, Truth: make([][]uint32, s.Asked())})
	}
	threads := runtime.GOMAXPROCS(0)
	var wg sync.WaitGroup
	for w := range threads {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s.exact(w, threads)
		}()
	}
	wg.Wait()
}

// regions returns, for every vector, the nearest of 64 random ones.
func (s *Set) regions(random *rand.Rand) []uint8 {
	centres := make([]uint32, 64)
	for i := range centres {
		centres[i] = uint32(random.IntN(s.Rows()))
	}
	nearest := make([]uint8, s.Rows())
	dots := make([]float32, len(centres))
	for row := range nearest {
		simd.DotF32Rows(s.Base, centres, s.Base[row*s.Dimensions:][:s.Dimensions], dots)
		for i, dot := range dots {
			if dot > dots[nearest[row]] {
				nearest[row] = uint8(i)
			}
		}
	}
	return nearest
}

// exact compares every query of one worker with every vector.
func (s *Set) exact(from, step int) {
	type near struct {
		row uint32
		dot float32
	}
	ids := make([]uint32, 4096)
	dots := make([]float32, 4096)
	for q := from; q < s.Asked(); q += step {
		best := make([][]near, len(s.Filters))
		for at := 0; at < s.Rows(); at += len(ids) {
			n := min(len(ids), s.Rows()-at)
			for i := range n {
				ids[i] = uint32(at + i)
			}
			simd.DotF32Rows(s.Base, ids[:n], s.Query(q), dots)
			for f := range s.Filters {
				keep := s.Filters[f].Keep
				for i, id := range ids[:n] {
					b := best[f]
					if len(b) == K && dots[i] <= b[K-1].dot || keep != nil && !keep.Get(id) {
						continue
					}
					at := sort.Search(len(b), func(j int) bool { return b[j].dot < dots[i] })
					if len(b) < K {
						b = append(b, near{})
					}
					copy(b[at+1:], b[at:])
					b[at] = near{id, dots[i]}
					best[f] = b
				}
			}
		}
		for f := range s.Filters {
			for _, b := range best[f] {
				s.Filters[f].Truth[q] = append(s.Filters[f].Truth[q], b.row)
			}
		}
	}
}

// Save writes the set to files for the peers.
func (s *Set) Save(dir string) (map[string]any, error) {
	write := func(name string, values []float32) (string, error) {
		path := filepath.Join(dir, name)
		return path, os.WriteFile(path, unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), 4*len(values)), 0o644)
	}
	base, err := write("base.f32", s.Base)
	if err != nil {
		return nil, err
	}
	queries, err := write("queries.f32", s.Queries)
	if err != nil {
		return nil, err
	}
	truth, keep := map[string]string{}, map[string]string{}
	for i, f := range s.Filters {
		var wanted, kept []byte
		for _, rows := range f.Truth {
			for j := range K {
				row := uint32(math.MaxInt32)
				if j < len(rows) {
					row = rows[j]
				}
				wanted = binary.LittleEndian.AppendUint32(wanted, row)
			}
		}
		truth[f.Name] = filepath.Join(dir, "truth."+string(rune('0'+i)))
		if err := os.WriteFile(truth[f.Name], wanted, 0o644); err != nil {
			return nil, err
		}
		if f.Keep == nil {
			continue
		}
		for row := range uint32(s.Rows()) {
			one := byte(0)
			if f.Keep.Get(row) {
				one = 1
			}
			kept = append(kept, one)
		}
		keep[f.Name] = filepath.Join(dir, "keep."+string(rune('0'+i)))
		if err := os.WriteFile(keep[f.Name], kept, 0o644); err != nil {
			return nil, err
		}
	}
	return map[string]any{"do": "data", "base": base, "queries": queries, "dimensions": s.Dimensions, "k": K, "truth": truth, "keep": keep}, nil
}
