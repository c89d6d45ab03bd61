package terms

import (
	"math/rand/v2"
	"testing"

	"github.com/quiresearch/quire/internal/segment/postings"
)

func randomHandles(rng *rand.Rand, n int, positions bool) []postings.Handle {
	var handles []postings.Handle
	offset := int64(rng.Uint32())
	kind := rng.IntN(3)
	for range n {
		if kind == 0 || kind == 1 && rng.IntN(2) == 0 {
			handles = append(handles, postings.Inline(rng.Uint32()>>rng.IntN(32), rng.Uint32()>>(8+rng.IntN(24)), positions))
			continue
		}
		handles = append(handles, postings.At(offset, rng.Uint32()>>rng.IntN(32)))
		offset += int64(rng.Uint32() >> (2 + rng.IntN(30)))
	}
	return handles
}

// packHandles packs a list of handles.
func packHandles(handles []postings.Handle) (heads, data []byte) {
	var w handleWriter
	for _, h := range handles {
		w.add(h)
	}
	w.flush()
	return w.heads.open, w.data.open
}

func TestHandlesComeBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 200 {
		positions := rng.IntN(2) == 0
		want := randomHandles(rng, rng.IntN(300), positions)
		heads, data := packHandles(want)
		l, ok := newHandleList(heads, data, len(want), positions)
		if !ok {
			t.Fatal("refused")
		}
		for i, h := range want {
			if got := l.at(i); got != h {
				t.Fatalf("handle %d of %d is %x, want %x", i, len(want), uint64(got), uint64(h))
			}
		}
	}
}

// Entries of a range equal those of its terms one by one, wherever in a block it
// begins.
func TestEntriesOfARangeAreThoseOfItsTerms(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 3))
	for range 100 {
		want := randomHandles(rng, 1+rng.IntN(300), true)
		heads, data := packHandles(want)
		f := &Field{stats: Stats{Terms: uint32(len(want))}}
		f.handles, _ = newHandleList(heads, data, len(want), true)
		from := rng.Uint32N(uint32(len(want)))
		to := from + rng.Uint32N(uint32(len(want))-from+1)
		got := f.AppendEntries(nil, from, to)
		if len(got) != int(to-from) {
			t.Fatalf("%d entries from %d to %d", len(got), from, to)
		}
		for i, e := range got {
			if e != f.At(from+uint32(i)) {
				t.Fatalf("entry %d from %d is %v, want %v", i, from, e, f.At(from+uint32(i)))
			}
		}
	}
}

// FuzzHandles reads arbitrary bytes as a list of handles and must not panic.
func FuzzHandles(f *testing.F) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, n := range []int{1, 40, 100} {
		heads, data := packHandles(randomHandles(rng, n, true))
		f.Add(heads, data, uint16(n))
	}
	f.Fuzz(func(_ *testing.T, heads, data []byte, n uint16) {
		l, ok := newHandleList(heads, data, int(n), true)
		if !ok {
			return
		}
		for i := range int(n) {
			l.at(i)
		}
	})
}
