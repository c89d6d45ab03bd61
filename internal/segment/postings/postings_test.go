package postings

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// section is an Output in memory.
type section struct{ bytes.Buffer }

func (s *section) Offset() int64 { return int64(s.Len()) }

type posting struct {
	doc       uint32
	positions []uint32
	length    byte
}

// shapes are the distributions of the documents of a term.
var shapes = map[string]func(rng *rand.Rand, doc uint32) uint32{
	"run":      func(_ *rand.Rand, doc uint32) uint32 { return doc + 1 },
	"dense":    func(rng *rand.Rand, doc uint32) uint32 { return doc + 1 + rng.Uint32N(3) },
	"sparse":   func(rng *rand.Rand, doc uint32) uint32 { return doc + 1 + rng.Uint32N(5000) },
	"middling": func(rng *rand.Rand, doc uint32) uint32 { return doc + 1 + rng.Uint32N(60) },
	"mixed": func(rng *rand.Rand, doc uint32) uint32 {
		if rng.IntN(100) == 0 {
			return doc + 100_000
		}
		return doc + 1 + rng.Uint32N(20)
	},
}

func randomPostings(rng *rand.Rand, n int, step func(*rand.Rand, uint32) uint32) []posting {
	var out []posting
	doc := rng.Uint32N(100)
	for range n {
		freq := 1
		switch rng.IntN(30) {
		case 0:
			freq = 1 + rng.IntN(400)
		case 1, 2, 3:
			freq = 1 + rng.IntN(6)
		}
		p := posting{doc: doc, length: byte(rng.Uint32N(100))}
		at := rng.Uint32N(50)
		for range freq {
			p.positions = append(p.positions, at)
			at += rng.Uint32N(30)
			if rng.IntN(200) == 0 {
				at += 1 << 25
			}
			at = min(at, 1<<31)
		}
		out = append(out, p)
		doc = step(rng, doc)
	}
	return out
}

func encode(t testing.TB, w *Writer, list []posting) Handle {
	w.Begin()
	for _, p := range list {
		w.Add(p.doc, uint32(len(p.positions)), p.length)
		before := uint32(0)
		for _, at := range p.positions {
			w.Deltas([]uint32{at - before})
			before = at
		}
	}
	h, err := w.End()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestPostingsComeBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, opts := range []Options{{}, {Freqs: true}, {Positions: true}} {
		var out section
		w := NewWriter(&out, opts)
		var lists [][]posting
		var handles []Handle
		for _, name := range []string{"run", "dense", "sparse", "mixed"} {
			for _, n := range []int{1, 1, 2, 3, 16, 17, 100, 255, 256, 257, 512, 2000, 20_000} {
				list := randomPostings(rng, n, shapes[name])
				lists = append(lists, list)
				handles = append(handles, encode(t, w, list))
			}
		}
		r := NewReader(out.Bytes(), opts)
		var it Iterator
		for i, list := range lists {
			if r.DocFreq(handles[i]) != uint32(len(list)) {
				t.Fatalf("list %d: %d documents", i, r.DocFreq(handles[i]))
			}
			r.Reset(&it, handles[i])
			checkBlocks(t, opts, &it, list)
			r.Reset(&it, handles[i])
			checkBounds(t, opts, rng, &it, list)
			r.Reset(&it, handles[i])
			checkFind(t, rng, &it, list)
		}
	}
}

func checkBlocks(t *testing.T, opts Options, it *Iterator, list []posting) {
	t.Helper()
	for it.NextBlock() {
		docs, freqs := it.Docs(), it.Freqs()
		var deltas []uint32
		for i, doc := range docs {
			p := list[0]
			list = list[1:]
			if doc != p.doc {
				t.Fatalf("document %d, want %d", doc, p.doc)
			}
			want := uint32(len(p.positions))
			if !opts.Freqs && !opts.Positions {
				want = 1
			}
			if freqs[i] != want {
				t.Fatalf("document %d: frequency %d, want %d", doc, freqs[i], want)
			}
			if !it.BlockImpacts().Cover(want, p.length) && !it.inline {
				t.Fatalf("document %d is not covered", doc)
			}
			if opts.Positions {
				at, steps := uint32(0), make([]uint32, len(p.positions))
				for j, position := range p.positions {
					steps[j], at = position-at, position
				}
				if got := it.Steps(i); !slices.Equal(got, steps) {
					t.Fatalf("steps %v, want %v", got, steps)
				}
				if got := it.AppendPositions(nil, i); !slices.Equal(got, p.positions) {
					t.Fatalf("document %d: positions %v, want %v", doc, got, p.positions)
				}
				last := uint32(0)
				for _, at := range p.positions {
					deltas = append(deltas, at-last)
					last = at
				}
			}
		}
		if opts.Positions && !slices.Equal(it.BlockDeltas(nil), deltas) {
			t.Fatal("deltas of a block")
		}
	}
	if len(list) != 0 || it.Err() != nil {
		t.Fatalf("%d left, %v", len(list), it.Err())
	}
}

// checkFind looks up documents in bitset blocks, present and absent ones.
func checkFind(t *testing.T, rng *rand.Rand, it *Iterator, list []posting) {
	t.Helper()
	var found, places [4 * BlockSize]uint16
	for ; it.NextBlock(); list = list[min(BlockSize, len(list)):] {
		block := list[:min(BlockSize, len(list))]
		var wanted []uint32
		var hits, at []uint16
		add := func(doc uint32, place int) {
			if rng.IntN(3) != 0 || len(wanted) > 0 && wanted[len(wanted)-1] >= doc {
				return
			}
			if place >= 0 {
				hits, at = append(hits, uint16(len(wanted))), append(at, uint16(place))
			}
			wanted = append(wanted, doc)
		}
		last := int64(-1)
		if first := block[0].doc; first > 200 {
			last = int64(first) - 200 // some are before the block
		}
		for i, p := range block {
			for doc := max(last+1, int64(p.doc)-2); doc < int64(p.doc); doc++ {
				add(uint32(doc), -1)
			}
			add(p.doc, i)
			last = int64(p.doc)
		}
		n, ok := it.FindBits(wanted, found[:], places[:])
		held, isBits := it.AppendHeldBits([]uint32{7}, wanted)
		if !ok {
			if isBits && !it.docsReady || len(held) != 1 && !isBits {
				t.Fatal("documents of a block without bits")
			}
			continue
		}
		want := []uint32{7}
		for _, i := range hits {
			want = append(want, wanted[i])
		}
		if !isBits || !slices.Equal(held, want) {
			t.Fatalf("held %v, want %v", held, want)
		}
		// Documents of a damaged block may not ascend.
		if held, _ := it.AppendHeldBits(nil, []uint32{block[len(block)-1].doc + 1<<20, block[0].doc}); !slices.Equal(held, []uint32{block[0].doc}) {
			t.Fatalf("held %v, want %v", held, block[0].doc)
		}
		if !slices.Equal(found[:n], hits) || !slices.Equal(places[:n], at) {
			t.Fatalf("found %v at %v, want %v at %v", found[:n], places[:n], hits, at)
		}
		for _, place := range at {
			if it.opts.Freqs && it.FreqAt(int(place)) != uint32(len(block[place].positions)) {
				t.Fatalf("frequency of %d", block[place].doc)
			}
			if rng.IntN(2) == 0 && it.Docs()[place] != block[place].doc {
				t.Fatal("the index does not fit")
			}
		}
		if _, ok := it.FindBits(wanted, found[:], places[:]); ok && it.docsReady {
			t.Fatal("bits of a decoded block")
		}
	}
}

// saturation scores f ÷ (f + norm), where the norm grows with its value and the
// length.
type saturation float32

func (s saturation) Part(frequency uint32, length uint8) float32 {
	f := float32(frequency)
	return f / (f + 0.1*float32(s) + float32(length)/50)
}

func (s saturation) Small() []float32 {
	parts := make([]float32, 8<<8)
	for i := range parts {
		parts[i] = s.Part(uint32(i>>8), uint8(i))
	}
	return parts
}

// checkBounds compares MaxIn with the true maximum.
func checkBounds(t *testing.T, opts Options, rng *rand.Rand, it *Iterator, list []posting) {
	t.Helper()
	by := saturation(3)
	score := func(p posting) float32 {
		f := uint32(len(p.positions))
		if !opts.Freqs && !opts.Positions {
			f = 1
		}
		return by.Part(f, p.length)
	}
	var scores []float32
	for _, p := range list {
		scores = append(scores, score(p))
	}
	slices.Sort(scores)
	slices.Reverse(scores)
	for _, k := range []int{1, 10, 100, 128} {
		got := it.Reached(k, by)
		if len(list) > BlockSize && got == 0 || got > 0 && (k > len(scores) || got > scores[k-1]) {
			t.Fatalf("%d of %d documents reach %f", k, len(list), got)
		}
	}
	last := list[len(list)-1].doc
	from := uint32(0)
	for from <= last {
		to := from + 1 + rng.Uint32N(1+last/7)
		var want float32
		for _, p := range list {
			if p.doc >= from && p.doc < to {
				want = max(want, score(p))
			}
		}
		if got := it.MaxIn(from, to, by); got < want {
			t.Fatalf("bound of %d–%d: %f, true %f", from, to, got, want)
		}
		if rng.IntN(2) == 0 {
			it.SeekBlock(from)
			if b := it.Block(); b < it.NumBlocks() {
				if it.BlockMax(by) != it.BlockImpacts().Max(by) || it.GroupMax(by) != it.GroupImpacts().Max(by) {
					t.Fatal("two ways to the bound differ")
				}
				if it.GroupLastDoc() < it.LastDoc() || it.GroupMax(by) < it.BlockMax(by) {
					t.Fatal("a group is below its block")
				}
			}
		}
		from = to
	}
	if got := it.TermImpacts().Max(by); got < slices.MaxFunc(list, func(a, b posting) int {
		switch {
		case score(a) < score(b):
			return -1
		case score(a) > score(b):
			return 1
		}
		return 0
	}).saturation(score) {
		t.Fatalf("bound of the term: %f", got)
	}
}

func (p posting) saturation(score func(posting) float32) float32 { return score(p) }

// FewDocs reads terms with few documents without an iterator, and rejects others
// and damaged ones.
func TestFewDocumentsAreReadAtOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 3))
	for _, opts := range []Options{{}, {Freqs: true}, {Positions: true}} {
		for n := 1; n <= tinyDocs+1; n++ {
			var out section
			list := randomPostings(rng, n, shapes["sparse"])
			h := encode(t, NewWriter(&out, opts), list)
			r := NewReader(out.Bytes(), opts)
			var few FewDocs
			got := r.FewDocs(h, &few)
			if n > tinyDocs {
				if got != 0 {
					t.Errorf("%v: %d of %d documents", opts, got, n)
				}
				continue
			}
			var it Iterator
			r.Reset(&it, h)
			it.NextBlock()
			if !slices.Equal(few[:got], it.Docs()) || got != n {
				t.Errorf("%v: %d documents are %v, want %v", opts, n, few[:got], it.Docs())
			}
			if _, _, alone := h.Inlined(); alone {
				continue
			}
			end, _ := h.Location()
			cut := NewReader(out.Bytes()[:end], opts)
			if got := cut.FewDocs(h, &few); got != 0 {
				t.Errorf("%v: %d documents of a term cut off", opts, got)
			}
		}
	}
}

func TestEveryKindOfBlockIsUsed(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for name, want := range map[string]byte{"run": kindRun, "dense": kindBitset, "middling": 0, "sparse": kindSteps} {
		var docs []uint32
		doc := uint32(5)
		for range BlockSize {
			docs = append(docs, doc)
			doc = shapes[name](rng, doc)
		}
		if kind := appendDocs(nil, docs)[0]; kind != want && (kind < want || kind > want+32 || want == kindRun || want == kindBitset) {
			t.Errorf("%s: kind %d", name, kind)
		}
	}
}

func TestTermWithoutDocumentsIsRefused(t *testing.T) {
	w := NewWriter(&section{}, Options{})
	w.Begin()
	if _, err := w.End(); err == nil {
		t.Fatal("P2")
	}
}

func TestVarintsComeBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 10_000 {
		want := rng.Uint64() >> rng.IntN(64)
		data := binary.AppendUvarint([]byte{0x80}, want)
		end := len(data)
		if rng.IntN(2) == 0 {
			data = append(data, 0xff, 1, 0x80, 7)
		}
		if v, n := varint(data, 1); v != want || n != end-1 {
			t.Fatalf("%x: %x in %d bytes", want, v, n)
		}
		if _, n := varint(data[:end-1], 1); n != 0 {
			t.Fatalf("%x without its end", want)
		}
	}
}

// walk uses every method of an iterator.
func walk(r *Reader, h Handle) {
	var it Iterator
	by := saturation(3)
	words := make([]uint64, 64)
	r.Reset(&it, h)
	it.TermImpacts()
	for n := 0; it.NextBlock() && n < 1000; n++ {
		it.FirstDoc()
		it.Docs()
		it.Freqs()
		it.BlockImpacts()
		it.GroupImpacts()
		it.MaxIn(0, 1<<31, by)
		if len(it.Freqs()) > 0 && it.Freqs()[0] < 1000 {
			it.AppendPositions(nil, 0)
		}
	}
	r.Reset(&it, h)
	it.IntoBitset(words, 64)
	r.Reset(&it, h)
	it.Seek(100)
	it.Seek(100_000)
	r.Reset(&it, h)
	var found, places [1]uint16
	for doc := uint32(0); doc < 3000 && it.SeekBlock(doc); doc += 7 {
		it.AppendHeldBits(nil, []uint32{doc})
		if n, _ := it.FindBits([]uint32{doc}, found[:], places[:]); n > 0 {
			it.FreqAt(int(places[0]))
		}
	}
}

func FuzzIterator(f *testing.F) {
	rng := rand.New(rand.NewPCG(9, 9))
	for _, opts := range []Options{{}, {Freqs: true}, {Positions: true}} {
		for _, n := range []int{1, 2, 17, 200, 700} {
			var out section
			w := NewWriter(&out, opts)
			h := encode(f, w, randomPostings(rng, n, shapes[[]string{"dense", "sparse"}[n%2]]))
			f.Add(out.Bytes(), uint64(h), opts.Freqs, opts.Positions)
		}
	}
	f.Fuzz(func(_ *testing.T, data []byte, h uint64, freqs, positions bool) {
		r := NewReader(data, Options{Freqs: freqs, Positions: positions})
		walk(&r, Handle(h))
	})
}

func TestDamagedPostingsDoNotPanic(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for _, opts := range []Options{{}, {Freqs: true}, {Positions: true}} {
		for _, name := range []string{"run", "dense", "middling", "sparse", "mixed"} {
			var out section
			w := NewWriter(&out, opts)
			h := encode(t, w, randomPostings(rng, 600, shapes[name]))
			small := encode(t, w, randomPostings(rng, 60, shapes[name]))
			tiny := encode(t, w, randomPostings(rng, tinyDocs, shapes[name]))
			for range 3000 {
				data := bytes.Clone(out.Bytes())
				for range 1 + rng.IntN(3) {
					data[rng.IntN(len(data))] = byte(rng.Uint32())
				}
				if rng.IntN(4) == 0 {
					data = data[:rng.IntN(len(data))]
				}
				r := NewReader(data, opts)
				walk(&r, h)
				walk(&r, small)
				walk(&r, tiny)
			}
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, name := range []string{"dense", "middling", "sparse"} {
		var out section
		w := NewWriter(&out, Options{Positions: true})
		list := randomPostings(rng, 100_000, shapes[name])
		h := encode(b, w, list)
		r := NewReader(out.Bytes(), Options{Positions: true})
		var it Iterator
		for what, do := range map[string]func(){
			"docs":       func() { it.Docs() },
			"docs+freqs": func() { it.Freqs() },
		} {
			b.Run(fmt.Sprint(name, "/", what), func(b *testing.B) {
				for b.Loop() {
					r.Reset(&it, h)
					for it.NextBlock() {
						do()
					}
				}
				b.ReportMetric(float64(len(list))*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gint/s")
			})
		}
		b.Run(name+"/bits", func(b *testing.B) {
			words := make([]uint64, 64)
			last := list[len(list)-1].doc
			for b.Loop() {
				r.Reset(&it, h)
				for base := uint32(0); base <= last; base += 4096 {
					it.IntoBitset(words, base)
				}
			}
			b.ReportMetric(float64(len(list))*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gint/s")
		})
	}
}
