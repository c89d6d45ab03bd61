package bitset

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

func TestAgainstMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []uint32{0, 1, 63, 64, 65, 127, 128, 1000, 4097, 70_001} {
		a, b := New(n), New(n)
		inA, inB := map[uint32]bool{}, map[uint32]bool{}
		for range n / 3 {
			x, y := rng.Uint32N(n), rng.Uint32N(n)
			a.Set(x)
			inA[x] = true
			b.Set(y)
			inB[y] = true
		}
		if n > 0 {
			from, to := rng.Uint32N(n), rng.Uint32N(n+1)
			a.SetRange(from, to)
			for i := from; i < to; i++ {
				inA[i] = true
			}
			x := rng.Uint32N(n)
			a.Clear(x)
			delete(inA, x)
		}
		if a.Count() != len(inA) {
			t.Fatalf("n %d: count %d, want %d", n, a.Count(), len(inA))
		}
		for range 50 {
			from, to := rng.Uint32N(n+1), rng.Uint32N(n+70)
			want := 0
			for i := from; i < to; i++ {
				if inA[i] {
					want++
				}
			}
			if got := a.CountRange(from, to); got != want {
				t.Fatalf("n %d: range %d–%d: %d, want %d", n, from, to, got, want)
			}
			next := from
			for next < n && !inA[next] {
				next++
			}
			if got := a.Next(from); got != next {
				t.Fatalf("next %d: %d, want %d", from, got, next)
			}
			absent := from
			for absent < n && inA[absent] {
				absent++
			}
			if got := a.NextAbsent(from); got != absent {
				t.Fatalf("next absent %d: %d, want %d", from, got, absent)
			}
			prev := min(int64(from), int64(n)-1)
			for prev >= 0 && !inA[uint32(prev)] {
				prev--
			}
			if got := a.Previous(from); got != prev {
				t.Fatalf("previous %d: %d, want %d", from, got, prev)
			}
		}
		others := a.Clone()
		if others.Flip(); others.Count() != int(n)-len(inA) {
			t.Fatalf("n %d: %d others, want %d", n, others.Count(), int(n)-len(inA))
		}
		if others.And(a); others.Count() != 0 {
			t.Fatalf("n %d: %d numbers are in a set and among the others", n, others.Count())
		}
		and, or := a.Clone(), a.Clone()
		and.And(b)
		OrWords(or.Words(), b.Words())
		for i := range n {
			if and.Get(i) != (inA[i] && inB[i]) || or.Get(i) != (inA[i] || inB[i]) {
				t.Fatalf("n %d: combination wrong at %d", n, i)
			}
		}
		again, ok := FromBytes(a.AppendBytes(nil), n)
		if !ok || !again.Equal(a) {
			t.Fatal("bytes do not come back")
		}
		var out bytes.Buffer
		if written, err := a.WriteTo(&out); err != nil || written != int64(out.Len()) || !bytes.Equal(out.Bytes(), a.AppendBytes(nil)) {
			t.Fatalf("n %d: %d bytes written (%v), not those that are appended", n, written, err)
		}
		if full := NewFull(n); full.Count() != int(n) {
			t.Fatalf("full %d of %d", full.Count(), n)
		}
		if got := a.AppendTo(nil, 0, n); len(got) != len(inA) {
			t.Fatalf("%d members, want %d", len(got), len(inA))
		}
	}
	if _, ok := FromBytes([]byte{0, 0, 0, 0, 0, 0, 0, 1}, 5); ok {
		t.Fatal("a bit beyond the length must be refused")
	}
}
