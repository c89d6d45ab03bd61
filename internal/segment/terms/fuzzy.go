package terms

import (
	"bytes"
	"cmp"
	"slices"
	"sync"
	"unicode/utf8"
)

// Match is a term found by Fuzzy.
type Match struct {
	Entry
	Distance uint8
}

// FuzzyOptions define which terms are near enough.
type FuzzyOptions struct {
	Distance     uint8 // 0–2 edits: insert, delete, replace or swap neighbours, by code point
	PrefixLength int   // number of leading code points that must be equal
	Open         bool  // the term may continue after the match ("prefix with typos")
	Spellings    bool  // compare also with terms as people type them without diacritics and signs
	Limit        int   // stop after this many dictionary steps; 0 for defaultSteps
}

const (
	// defaultSteps bounds one walk to about 20 ms.
	defaultSteps = 500_000
	// maxFuzzyWord is the longest word with typos, in bytes, because common
	// prefixes are known only up to 255. Longer words must match exactly.
	maxFuzzyWord = 200
	maxDistance  = 2
)

// Fuzzy appends to dst all terms within the distance of word, each once with its
// smallest distance, in the order of terms. complete is false when Limit stopped
// it. A swap of neighbours is one edit, and its letters are not edited again
// (optimal string alignment).
func (f *Field) Fuzzy(dst []Match, word []byte, o FuzzyOptions) (matches []Match, complete bool) {
	if f.opts.Key {
		o.Distance, o.Spellings = 0, false
	}
	w := newWalk(f.trie.of(&f.list, f.prefixes))
	defer w.free()
	w.fields = f.itself[:]
	complete = w.run(word, o)
	all := append(dst, w.matches...)
	all, whole := f.spellings.near(all, &f.list, word, o)
	return all[:len(dst)+len(f.entries(all[len(dst):]))], complete && whole
}

// entries sets the entries of terms found, each once.
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

// walk treats a sorted list as a trie: a node is a range of strings that share
// their first depth bytes.
type walk struct {
	*trie
	fields   []*Field // whose merged terms are the list, for look-ups by hash; nil for surface forms
	word     []byte
	runes    []rune
	starts   []int // byte offset of each rune, and the end
	open     bool
	distance uint8
	left     int
	key      []byte
	path     []byte    // shared prefix of the current node
	matches  []Match   // Ord is the position in the list
	hashed   [][]Match // by field, matches found by hash; nil when those are in matches too
	pending  pending
}

// pending are strings to be looked up by hash.
type pending struct {
	hashes []uint64
	keys   []byte // concatenated
	ends   []int  // of each string in keys
}

// walks is a pool of walks.
var walks = sync.Pool{New: func() any { return new(walk) }}

// newWalk returns a walk through a trie; free returns it to the pool.
func newWalk(t *trie) *walk {
	w := walks.Get().(*walk)
	w.trie = t
	return w
}

// free returns a walk to the pool, unless it has grown too large.
func (w *walk) free() {
	if cap(w.matches) > maxKept || cap(w.runes) > maxKept {
		return
	}
	p := pending{hashes: w.pending.hashes[:0], keys: w.pending.keys[:0], ends: w.pending.ends[:0]}
	*w = walk{runes: w.runes[:0], starts: w.starts[:0], key: w.key[:0], path: w.path[:0], matches: w.matches[:0], pending: p}
	walks.Put(w)
}

// maxKept is the number of matches and letters up to which a walk is reused.
const maxKept = 1024

// maxPending is the number of strings looked up together.
const maxPending = 32

// run appends all strings near word to matches, possibly several times, and reports
// whether the limit of steps was sufficient.
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
	w.path = append(w.path[:0], word[:w.starts[prefix]]...)
	if lo, hi, node := w.descend(prefix); lo < hi {
		w.visit(lo, hi, w.starts[prefix], prefix, o.Distance, node)
		w.findPending()
	}
	return w.left > 0
}

// descend returns the node of the strings that start with the first n letters of
// the word, with its number if its children are stored.
func (w *walk) descend(n int) (lo, hi int, node uint32) {
	text := w.word[:w.starts[n]]
	lo, hi, at, node := w.branches.narrow(w.list.Len(), text)
	if at < len(text) {
		lo, hi = w.list.prefixIn(text, lo, hi)
	}
	return lo, hi, node
}

func (w *walk) report(ord int, edits uint8) {
	w.matches = append(w.matches, Match{Entry: Entry{Ord: uint32(ord)}, Distance: w.distance - edits})
}

// visit finds the terms of [lo, hi), which share depth bytes, whose rest is within
// the given edits of the word from rune at on. node is their number if the children
// are stored, else 0.
func (w *walk) visit(lo, hi, depth, at int, edits uint8, node uint32) {
	if w.left--; w.left <= 0 {
		return
	}
	if edits == 0 {
		w.exact(lo, hi, depth, at)
		return
	}
	if at == len(w.runes) {
		if w.open {
			w.reportRange(lo, hi, edits)
			return
		}
		if len(w.list.At(lo)) == depth {
			w.report(lo, edits)
		}
	} else {
		w.visit(lo, hi, depth, at+1, edits-1, node) // a letter of the word is missing
	}
	for c := w.children(lo, hi, depth, node); w.left > 0 && c.next(); {
		below := w.enter(&c)
		switch {
		case at < len(w.runes) && c.letter == w.runes[at]:
			w.visit(c.from, c.to, below, at+1, edits, c.node)
		case at < len(w.runes):
			w.visit(c.from, c.to, below, at+1, edits-1, c.node) // a different letter
			if at+1 < len(w.runes) && c.letter == w.runes[at+1] {
				w.swapped(c.from, c.to, below, at, edits, c.node)
			}
		}
		w.visit(c.from, c.to, below, at, edits-1, c.node) // an extra letter
	}
}

// swapped continues if the other letter of a swap follows.
func (w *walk) swapped(lo, hi, depth, at int, edits uint8, node uint32) {
	for c := w.children(lo, hi, depth, node); c.next(); w.left-- {
		if c.letter == w.runes[at] {
			w.visit(c.from, c.to, w.enter(&c), at+2, edits-1, c.node)
			return
		}
	}
}

// children iterates over the children of a node.
type children struct {
	from, to int    // range of strings of the child
	letter   rune   // shared by these after the shared prefix of the node
	size     int    // of the letter in bytes
	node     uint32 // of the child

	hi, depth int // of the node
	kept      branches
	w         *walk
}

// children returns the children of the node of [lo, hi), whose strings share depth
// bytes.
func (w *walk) children(lo, hi, depth int, node uint32) children {
	c := children{to: lo, hi: hi, depth: depth, w: w}
	if node != 0 {
		c.kept = w.branches.of(node)
	} else if len(w.list.At(lo)) == depth {
		c.to++
	}
	return c
}

// next moves to the next child and reports whether there is one.
func (c *children) next() bool {
	if c.kept != nil {
		child := c.kept[0]
		if child.letter == noLetter {
			return false
		}
		c.kept = c.kept[1:]
		c.from, c.to, c.letter, c.node = int(child.first), int(c.kept[0].first), child.letter, child.node
		c.size = utf8.RuneLen(c.letter)
		return true
	}
	if c.from = c.to; c.from >= c.hi {
		return false
	}
	c.letter, c.size = utf8.DecodeRune(c.w.list.At(c.from)[c.depth:])
	c.to = c.w.skips.next(c.from, c.depth+c.size, c.hi)
	return true
}

// enter appends a child's letter to the path and returns the length of the child's
// shared prefix.
func (w *walk) enter(c *children) (depth int) {
	if w.path = w.path[:c.depth]; c.letter == utf8.RuneError {
		w.path = append(w.path, w.list.At(c.from)[c.depth:c.depth+c.size]...)
	} else {
		w.path = utf8.AppendRune(w.path, c.letter)
	}
	return c.depth + c.size
}

func (w *walk) reportRange(lo, hi int, edits uint8) {
	for i := lo; i < hi && w.left > 0; i++ {
		w.report(i, edits)
		w.left--
	}
}

// fewTerms is the number of terms up to which they are compared one by one rather
// than looked up. Between 8 and 32 it makes no difference.
const fewTerms = 16

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
		w.findLater(w.path[:depth], rest)
		return
	}
	w.key = append(append(w.key[:0], w.path[:depth]...), rest...)
	if w.open {
		lo, hi = list.prefixIn(w.key, lo, hi)
		w.reportRange(lo, hi, 0)
		return
	}
	if i := list.lowerBound(w.key, lo, hi); i < hi && bytes.Equal(list.At(i), w.key) {
		w.report(i, 0)
	}
}

// findLater queues a string of two parts to be looked up together with others.
func (w *walk) findLater(start, rest []byte) {
	p := &w.pending
	from := len(p.keys)
	p.keys = append(append(p.keys, start...), rest...)
	p.hashes, p.ends = append(p.hashes, Hash(p.keys[from:])), append(p.ends, len(p.keys))
	if len(p.hashes) == maxPending {
		w.findPending()
	}
}

// findPending looks up the pending strings.
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
