package terms

import (
	"bytes"
	"cmp"
	"slices"
	"unicode/utf8"
)

// Match is a term found by Fuzzy.
type Match struct {
	Entry
	Distance uint8
}

// FuzzyOptions say which terms are near enough.
type FuzzyOptions struct {
	Distance     uint8 // 0–2 edits: insert, delete, replace or swap neighbours, by code point
	PrefixLength int   // so many first code points must be equal
	Open         bool  // the term may go on behind the match ("prefix with typos")
	Limit        int   // stop after so many dictionary steps; 0 for defaultSteps
}

const (
	// defaultSteps bounds one walk: about 20 ms.
	defaultSteps = 500_000
	// maxFuzzyWord is the longest word with typos, in bytes: common prefixes
	// are known up to 255. Longer words are found as they are.
	maxFuzzyWord = 200
	maxDistance  = 2
)

// Fuzzy appends all terms within the distance of word to dst, each once with
// its smallest distance, in the order of terms. complete is false when Limit
// stopped it. A swap of neighbours is one edit and its letters are not edited
// again (optimal string alignment).
func (f *Field) Fuzzy(dst []Match, word []byte, o FuzzyOptions) (matches []Match, complete bool) {
	if f.opts.Key {
		o.Distance = 0
	}
	f.skipsOnce.Do(func() { f.skips = newSkips(f.prefixes) })
	w := walk{list: &f.list, skips: &f.skips, fields: f.itself[:], matches: dst}
	complete = w.run(word, o)
	found := f.entries(w.matches[len(dst):])
	return w.matches[:len(dst)+len(found)], complete
}

// entries fills in the entries of terms found, each once.
func (f *Field) entries(found []Match) []Match {
	found = nearest(found)
	for i := range found {
		found[i].Entry = f.At(found[i].Ord)
	}
	return found
}

// nearest sorts matches by term and keeps the smallest distance of each.
func nearest(found []Match) []Match {
	slices.SortFunc(found, func(a, b Match) int {
		if a.Ord != b.Ord {
			return cmp.Compare(a.Ord, b.Ord)
		}
		return int(a.Distance) - int(b.Distance)
	})
	return slices.CompactFunc(found, func(a, b Match) bool { return a.Ord == b.Ord })
}

// walk treats a sorted list as a trie: a node is a range of strings that
// share their first depth bytes.
type walk struct {
	list     *List
	skips    *skips
	fields   []*Field // whose terms are the list, and have hashes; nil when they have none
	word     []byte
	runes    []rune
	starts   []int // byte offset of each rune, and the end
	open     bool
	distance uint8
	left     int
	key      []byte
	matches  []Match   // Ord is the position in the list
	hashed   [][]Match // by field, those that were found by hash; nil where they are in matches
	pending  pending
}

// pending is strings that are going to be looked up by hash.
type pending struct {
	hashes []uint64
	keys   []byte // one behind the other
	ends   []int  // of each in keys
}

// maxPending is how many strings are looked up at once.
const maxPending = 32

// run appends all strings near word to matches, some of them several times,
// and reports whether the limit of steps sufficed.
func (w *walk) run(word []byte, o FuzzyOptions) bool {
	if o.Limit <= 0 {
		o.Limit = defaultSteps
	}
	if len(word) > maxFuzzyWord {
		o.Distance = 0
	}
	o.Distance = min(o.Distance, maxDistance)
	w.word, w.open, w.distance, w.left = word, o.Open, o.Distance, o.Limit
	for at := 0; at < len(word); {
		r, size := utf8.DecodeRune(word[at:])
		w.runes = append(w.runes, r)
		w.starts = append(w.starts, at)
		at += size
	}
	w.starts = append(w.starts, len(word))
	prefix := min(max(o.PrefixLength, 0), len(w.runes))
	lo, hi := 0, w.list.Len()
	if prefix > 0 {
		lo, hi = w.list.Prefix(word[:w.starts[prefix]])
	}
	if lo < hi {
		w.visit(lo, hi, w.starts[prefix], prefix, o.Distance)
		w.findPending()
	}
	return w.left > 0
}

func (w *walk) report(ord int, edits uint8) {
	w.matches = append(w.matches, Match{Entry: Entry{Ord: uint32(ord)}, Distance: w.distance - edits})
}

// visit finds the terms of [lo, hi), which share depth bytes, whose rest is
// within edits of the word from rune at on.
func (w *walk) visit(lo, hi, depth, at int, edits uint8) {
	if w.left--; w.left <= 0 {
		return
	}
	if edits == 0 {
		w.exact(lo, hi, depth, at)
		return
	}
	list := w.list
	if at == len(w.runes) {
		if w.open {
			w.reportRange(lo, hi, edits)
			return
		}
		if len(list.At(lo)) == depth {
			w.report(lo, edits)
		}
	} else {
		w.visit(lo, hi, depth, at+1, edits-1) // a letter of the word is missing
	}
	i := lo
	if len(list.At(i)) == depth {
		i++
	}
	for i < hi && w.left > 0 {
		r, size := utf8.DecodeRune(list.At(i)[depth:])
		end := w.skips.next(i, depth+size, hi)
		switch {
		case at < len(w.runes) && r == w.runes[at]:
			w.visit(i, end, depth+size, at+1, edits)
		case at < len(w.runes):
			w.visit(i, end, depth+size, at+1, edits-1) // another letter
			if at+1 < len(w.runes) && r == w.runes[at+1] {
				w.swapped(i, end, depth+size, at, edits)
			}
		}
		w.visit(i, end, depth+size, at, edits-1) // a letter too many
		i = end
	}
}

// swapped goes on when the letter after the swapped one follows.
func (w *walk) swapped(lo, hi, depth, at int, edits uint8) {
	list := w.list
	i := lo
	if len(list.At(i)) == depth {
		i++
	}
	for i < hi {
		r, size := utf8.DecodeRune(list.At(i)[depth:])
		end := w.skips.next(i, depth+size, hi)
		if r == w.runes[at] {
			w.visit(i, end, depth+size, at+2, edits-1)
			return
		}
		i = end
		w.left--
	}
}

func (w *walk) reportRange(lo, hi int, edits uint8) {
	for i := lo; i < hi && w.left > 0; i++ {
		w.report(i, edits)
		w.left--
	}
}

// fewTerms is how many terms are compared one by one rather than looked up.
const fewTerms = 32

// exact finds the term of [lo, hi) whose rest is the word from rune at on.
func (w *walk) exact(lo, hi, depth, at int) {
	list := w.list
	rest := w.word[w.starts[at]:]
	if hi-lo <= fewTerms {
		size := depth + len(rest)
		for i := lo; i < hi; i++ {
			if n := list.size(i); n != size && (!w.open || n < size) {
				continue
			}
			if bytes.HasPrefix(list.At(i)[depth:], rest) {
				w.report(i, 0)
			}
		}
		return
	}
	if w.fields != nil && !w.open {
		w.findLater(list.At(lo)[:depth], rest)
		return
	}
	w.key = append(append(w.key[:0], list.At(lo)[:depth]...), rest...)
	if w.open {
		lo, hi = list.prefixIn(w.key, lo, hi)
		w.reportRange(lo, hi, 0)
		return
	}
	if i := list.lowerBound(w.key, lo, hi); i < hi && bytes.Equal(list.At(i), w.key) {
		w.report(i, 0)
	}
}

// findLater looks a string of two parts up together with others.
func (w *walk) findLater(start, rest []byte) {
	p := &w.pending
	from := len(p.keys)
	p.keys = append(append(p.keys, start...), rest...)
	p.hashes, p.ends = append(p.hashes, Hash(p.keys[from:])), append(p.ends, len(p.keys))
	if len(p.hashes) == maxPending {
		w.findPending()
	}
}

// findPending looks up what is pending.
func (w *walk) findPending() {
	p := &w.pending
	if len(p.hashes) == 0 {
		return
	}
	var slots [maxPending]uint32
	for number, field := range w.fields {
		field.slotsOf(p.hashes, slots[:])
		from := 0
		for i, h := range p.hashes {
			if slots[i] != 0 {
				if ord, ok := field.findHashed(h, p.keys[from:p.ends[i]]); ok {
					w.reportHashed(number, ord)
				}
			}
			from = p.ends[i]
		}
	}
	p.hashes, p.keys, p.ends = p.hashes[:0], p.keys[:0], p.ends[:0]
}

// reportHashed reports a term of a field.
func (w *walk) reportHashed(field int, ord uint32) {
	if w.hashed == nil {
		w.report(int(ord), 0)
		return
	}
	w.hashed[field] = append(w.hashed[field], Match{Entry: Entry{Ord: ord}, Distance: w.distance})
}
