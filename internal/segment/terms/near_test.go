package terms

import (
	"math/rand/v2"
	"testing"
	"unicode/utf8"
)

// matcher reports whether single terms are near a word. Tests compare Fuzzy, which
// examines few terms, with it.
type matcher struct {
	prefix []byte
	rest   []rune
	open   bool
	limit  int
	rows   [3][]int
}

// newMatcher prepares to compare terms with word.
func newMatcher(word []byte, o FuzzyOptions) *matcher {
	m := &matcher{open: o.Open, limit: int(min(o.Distance, maxDistance))}
	at := 0
	for n := 0; n < o.PrefixLength && at < len(word); n++ {
		_, size := utf8.DecodeRune(word[at:])
		at += size
	}
	m.prefix = append([]byte(nil), word[:at]...)
	for at < len(word) {
		r, size := utf8.DecodeRune(word[at:])
		m.rest = append(m.rest, r)
		at += size
	}
	for i := range m.rows {
		m.rows[i] = make([]int, len(m.rest)+1)
	}
	return m
}

// match returns the smallest number of edits between the word and the term (or, if
// open, a prefix of it), and whether that is near enough.
func (m *matcher) match(term []byte) (distance uint8, ok bool) {
	if len(term) < len(m.prefix) || string(term[:len(m.prefix)]) != string(m.prefix) {
		return 0, false
	}
	term = term[len(m.prefix):]
	n := len(m.rest)
	before, last, row := m.rows[0], m.rows[1], m.rows[2]
	for i := range last {
		last[i] = i
	}
	best := m.limit + 1
	if m.open {
		best = min(best, last[n])
	}
	var previous rune
	for j := 1; len(term) > 0; j++ {
		r, size := utf8.DecodeRune(term)
		term = term[size:]
		row[0] = j
		lowest := j
		for i := 1; i <= n; i++ {
			cost := 1
			if m.rest[i-1] == r {
				cost = 0
			}
			d := min(last[i]+1, row[i-1]+1, last[i-1]+cost)
			if i > 1 && j > 1 && m.rest[i-1] == previous && m.rest[i-2] == r {
				d = min(d, before[i-2]+1)
			}
			row[i] = d
			lowest = min(lowest, d)
		}
		if m.open {
			best = min(best, row[n])
		}
		before, last, row = last, row, before
		previous = r
		// A swap may come from two rows before, one edit later.
		if lowest > m.limit+1 {
			return uint8(best), m.open && best <= m.limit
		}
	}
	if !m.open {
		best = last[n]
	}
	return uint8(min(best, 255)), best <= m.limit
}

func TestMatcher(t *testing.T) {
	for _, c := range []struct {
		word, term string
		o          FuzzyOptions
		distance   uint8
		ok         bool
	}{
		{"shoes", "shoes", FuzzyOptions{}, 0, true},
		{"shoes", "shoe", FuzzyOptions{}, 0, false},
		{"shoes", "shoe", FuzzyOptions{Distance: 1}, 1, true},
		{"shoes", "hsoes", FuzzyOptions{Distance: 1}, 1, true},
		{"shoes", "hsoes", FuzzyOptions{Distance: 1, PrefixLength: 1}, 0, false},
		{"shoes", "sheos", FuzzyOptions{Distance: 1, PrefixLength: 1}, 1, true},
		{"ca", "abc", FuzzyOptions{Distance: 2}, 0, false}, // optimal alignment: 3
		{"über", "uber", FuzzyOptions{Distance: 1}, 1, true},
		{"日本", "日語", FuzzyOptions{Distance: 1}, 1, true},
		{"shoe", "shoestring", FuzzyOptions{Open: true}, 0, true},
		{"shie", "shoestring", FuzzyOptions{Open: true, Distance: 1}, 1, true},
		{"xxxx", "shoestring", FuzzyOptions{Open: true, Distance: 2}, 0, false},
		{"ab", "", FuzzyOptions{Open: true, Distance: 2}, 2, true},
		{"", "abc", FuzzyOptions{Open: true}, 0, true},
		{"", "ab", FuzzyOptions{Distance: 2}, 2, true},
	} {
		got, ok := newMatcher([]byte(c.word), c.o).match([]byte(c.term))
		if ok != c.ok || ok && got != c.distance {
			t.Errorf("%q and %q with %+v: %d %v, want %d %v", c.word, c.term, c.o, got, ok, c.distance, c.ok)
		}
	}
}

// naive is the definition of edit distance, by recursion from the ends.
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

func TestMatcherAgainstTheDefinition(t *testing.T) {
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
		got, ok := newMatcher([]byte(string(a)), FuzzyOptions{Distance: limit, Open: open}).match([]byte(string(b)))
		if ok != (want <= int(limit)) || ok && int(got) != want {
			t.Fatalf("%q and %q, limit %d, open %v: %d %v, want %d", string(a), string(b), limit, open, got, ok, want)
		}
	}
}
