package automaton

import (
	"math/rand/v2"
	"testing"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		word, term string
		o          Options
		distance   uint8
		ok         bool
	}{
		{"shoes", "shoes", Options{}, 0, true},
		{"shoes", "shoe", Options{}, 0, false},
		{"shoes", "shoe", Options{Distance: 1}, 1, true},
		{"shoes", "hsoes", Options{Distance: 1}, 1, true},
		{"shoes", "hsoes", Options{Distance: 1, PrefixLength: 1}, 0, false},
		{"shoes", "sheos", Options{Distance: 1, PrefixLength: 1}, 1, true},
		{"ca", "abc", Options{Distance: 2}, 0, false}, // optimal alignment: 3
		{"über", "uber", Options{Distance: 1}, 1, true},
		{"日本", "日語", Options{Distance: 1}, 1, true},
		{"shoe", "shoestring", Options{Open: true}, 0, true},
		{"shie", "shoestring", Options{Open: true, Distance: 1}, 1, true},
		{"xxxx", "shoestring", Options{Open: true, Distance: 2}, 0, false},
		{"ab", "", Options{Open: true, Distance: 2}, 2, true},
		{"", "abc", Options{Open: true}, 0, true},
		{"", "ab", Options{Distance: 2}, 2, true},
	} {
		got, ok := NewMatcher([]byte(c.word), c.o).Match([]byte(c.term))
		if ok != c.ok || ok && got != c.distance {
			t.Errorf("%q and %q with %+v: %d %v, want %d %v", c.word, c.term, c.o, got, ok, c.distance, c.ok)
		}
	}
}

// naive is the definition, by recursion over the ends.
func naive(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	cost := 1
	if a[len(a)-1] == b[len(b)-1] {
		cost = 0
	}
	d := min(naive(a[:len(a)-1], b)+1, naive(a, b[:len(b)-1])+1, naive(a[:len(a)-1], b[:len(b)-1])+cost)
	if len(a) > 1 && len(b) > 1 && a[len(a)-1] == b[len(b)-2] && a[len(a)-2] == b[len(b)-1] {
		d = min(d, naive(a[:len(a)-2], b[:len(b)-2])+1)
	}
	return d
}

func TestAgainstTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	word := func() []rune {
		out := make([]rune, rng.IntN(7))
		for i := range out {
			out[i] = []rune("abcé")[rng.IntN(4)]
		}
		return out
	}
	for range 20_000 {
		a, b := word(), word()
		limit := uint8(rng.IntN(3))
		open := rng.IntN(2) == 0
		want := naive(a, b)
		if open {
			for i := range b {
				want = min(want, naive(a, b[:i]))
			}
		}
		got, ok := NewMatcher([]byte(string(a)), Options{Distance: limit, Open: open}).Match([]byte(string(b)))
		if ok != (want <= int(limit)) || ok && int(got) != want {
			t.Fatalf("%q and %q, limit %d, open %v: %d %v, want %d", string(a), string(b), limit, open, got, ok, want)
		}
	}
}
