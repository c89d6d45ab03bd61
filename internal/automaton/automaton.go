// Package automaton decides whether a term is near a word: within so many
// edits, after a fixed prefix, as a whole or as the beginning of the term.
//
// An edit inserts, deletes or replaces a code point or swaps two neighbours;
// swapped letters are not edited again (optimal string alignment). The
// dictionary of a segment finds near terms without looking at all of them
// (terms.Field.Fuzzy); this package answers for a single term, as highlighting
// needs it, and says what is right.
//
// A Matcher may be used by one goroutine; it allocates only when made.
package automaton

import "unicode/utf8"

// MaxDistance is the largest number of edits.
const MaxDistance = 2

// Options say what near means.
type Options struct {
	Distance     uint8 // 0–2
	PrefixLength int   // so many first code points must be equal
	Open         bool  // the term may go on behind the match
}

// Matcher holds one word.
type Matcher struct {
	prefix []byte
	rest   []rune
	open   bool
	limit  int
	rows   [3][]int
}

// NewMatcher prepares to compare terms with word.
func NewMatcher(word []byte, o Options) *Matcher {
	m := &Matcher{open: o.Open, limit: int(min(o.Distance, MaxDistance))}
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

// Match is the smallest number of edits between the word and the term (or,
// open, a beginning of it), and whether that is near enough.
func (m *Matcher) Match(term []byte) (distance uint8, ok bool) {
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
		// A swap may come back from the row before, one edit later.
		if lowest > m.limit+1 {
			return uint8(best), m.open && best <= m.limit
		}
	}
	if !m.open {
		best = last[n]
	}
	return uint8(min(best, 255)), best <= m.limit
}
