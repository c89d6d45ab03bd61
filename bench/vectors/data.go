package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"
	"sync"
	"unsafe"

	"github.com/klauspost/compress/zstd"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/simd"
)

const neighbours = 10

// set is vectors, queries and what the queries' true neighbours are, among all
// vectors and among those that each filter keeps.
type set struct {
	name       string
	dimensions int
	base       []float32 // unit length, one behind the other
	queries    []float32
	filters    []filter
}

// filter keeps a share of the vectors: any, or all of some regions.
type filter struct {
	name  string
	keep  *bitset.Bitset // nil keeps all
	truth [][]uint32
}

func (s *set) rows() int  { return len(s.base) / s.dimensions }
func (s *set) asked() int { return len(s.queries) / s.dimensions }
func (s *set) query(i int) []float32 {
	return s.queries[i*s.dimensions:][:s.dimensions]
}

// glove reads real word vectors.
func glove(dir string) (*set, error) {
	s := &set{name: "GloVe-100, 120,000", dimensions: 100}
	for _, part := range []struct {
		file string
		into *[]float32
	}{{"glove100_120k.base.f16.zst", &s.base}, {"glove100_120k.query.f16.zst", &s.queries}} {
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

// clustered makes vectors around centres of different size and spread, as
// embeddings of texts lie; most of the spread is in few directions.
func clustered(name string, rows, dimensions, queries int) *set {
	s := &set{name: name, dimensions: dimensions}
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
	s.base, s.queries = draw(rows), draw(queries)
	s.finish(queries)
	return s
}

// finish scales to unit length, draws the filters and finds the truth.
func (s *set) finish(queries int) {
	s.queries = s.queries[:min(len(s.queries), queries*s.dimensions)]
	for _, values := range [][]float32{s.base, s.queries} {
		for at := 0; at < len(values); at += s.dimensions {
			v := values[at:][:s.dimensions]
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
		one := filter{name: f.name, truth: make([][]uint32, s.asked())}
		if f.share < 1 {
			one.keep = bitset.New(uint32(s.rows()))
			for i := range uint32(s.rows()) {
				if random.Float64() < f.share {
					one.keep.Set(i)
				}
			}
		}
		s.filters = append(s.filters, one)
	}
	regions := s.regions(random)
	for _, share := range []float64{0.4, 0.1} {
		keep := bitset.New(uint32(s.rows()))
		kept := 0
		for region := 0; float64(kept) < share*float64(s.rows()); region++ {
			for row, of := range regions {
				if int(of) == region {
					keep.Set(uint32(row))
					kept++
				}
			}
		}
		name := fmt.Sprintf("%.0f %% by region", 100*float64(kept)/float64(s.rows()))
		s.filters = append(s.filters, filter{name: name, keep: keep, truth: make([][]uint32, s.asked())})
	}
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

// regions returns for every vector which of 64 random ones is the nearest.
func (s *set) regions(random *rand.Rand) []uint8 {
	centres := make([]uint32, 64)
	for i := range centres {
		centres[i] = uint32(random.IntN(s.rows()))
	}
	nearest := make([]uint8, s.rows())
	dots := make([]float32, len(centres))
	for row := range nearest {
		simd.DotF32Rows(s.base, centres, s.base[row*s.dimensions:][:s.dimensions], dots)
		for i, dot := range dots {
			if dot > dots[nearest[row]] {
				nearest[row] = uint8(i)
			}
		}
	}
	return nearest
}

// exact compares every query of a worker with every vector.
func (s *set) exact(from, step int) {
	type near struct {
		row uint32
		dot float32
	}
	ids := make([]uint32, 4096)
	dots := make([]float32, 4096)
	for q := from; q < s.asked(); q += step {
		best := make([][]near, len(s.filters))
		for at := 0; at < s.rows(); at += len(ids) {
			n := min(len(ids), s.rows()-at)
			for i := range n {
				ids[i] = uint32(at + i)
			}
			simd.DotF32Rows(s.base, ids[:n], s.query(q), dots)
			for f := range s.filters {
				keep := s.filters[f].keep
				for i, id := range ids[:n] {
					b := best[f]
					if len(b) == neighbours && dots[i] <= b[neighbours-1].dot || keep != nil && !keep.Get(id) {
						continue
					}
					at := sort.Search(len(b), func(j int) bool { return b[j].dot < dots[i] })
					if len(b) < neighbours {
						b = append(b, near{})
					}
					copy(b[at+1:], b[at:])
					b[at] = near{id, dots[i]}
					best[f] = b
				}
			}
		}
		for f := range s.filters {
			for _, b := range best[f] {
				s.filters[f].truth[q] = append(s.filters[f].truth[q], b.row)
			}
		}
	}
}

// save writes the set for the peers.
func (s *set) save(dir string) (map[string]any, error) {
	write := func(name string, values []float32) (string, error) {
		path := filepath.Join(dir, name)
		return path, os.WriteFile(path, unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), 4*len(values)), 0o644)
	}
	base, err := write("base.f32", s.base)
	if err != nil {
		return nil, err
	}
	queries, err := write("queries.f32", s.queries)
	if err != nil {
		return nil, err
	}
	truth, keep := map[string]string{}, map[string]string{}
	for i, f := range s.filters {
		var wanted, kept []byte
		for _, rows := range f.truth {
			for j := range neighbours {
				row := uint32(math.MaxInt32)
				if j < len(rows) {
					row = rows[j]
				}
				wanted = binary.LittleEndian.AppendUint32(wanted, row)
			}
		}
		truth[f.name] = filepath.Join(dir, "truth."+string(rune('0'+i)))
		if err := os.WriteFile(truth[f.name], wanted, 0o644); err != nil {
			return nil, err
		}
		if f.keep == nil {
			continue
		}
		for row := range uint32(s.rows()) {
			one := byte(0)
			if f.keep.Get(row) {
				one = 1
			}
			kept = append(kept, one)
		}
		keep[f.name] = filepath.Join(dir, "keep."+string(rune('0'+i)))
		if err := os.WriteFile(keep[f.name], kept, 0o644); err != nil {
			return nil, err
		}
	}
	return map[string]any{"do": "data", "base": base, "queries": queries, "dimensions": s.dimensions, "k": neighbours, "truth": truth, "keep": keep}, nil
}
