// Package charfilter rewrites a text before it is split into words: it strips
// markup, maps letters and replaces patterns.
//
// A Text is the text at one point of the chain together with its mapping to the
// original: a Filter calls begin, copyTo, replaceTo and finish while it walks
// the text once from left to right, and Original returns the range of the
// original text that a range of the current one came from.
//
// Invariants:
//
//	C1  The pieces of a step cover its input and its output without gaps.
//	C2  The length of the text is bounded by the original text, however many
//	    filters there are: 8 times its length plus MaxGrowth for short texts,
//	    twice its length plus 16 MaxGrowth for long ones. Input that would exceed
//	    the bound is copied unchanged, as is everything after maxPieces
//	    replacements.
//
// Filters are shared by any number of users; a Text has one.
package charfilter

import (
	"math"
	"sort"
	"unsafe"
)

// MaxGrowth bounds how much filters may lengthen even a short text.
const MaxGrowth = 64 << 10

// maxPieces bounds the number of ranges that one filter replaces, and so the
// memory of the mapping.
const maxPieces = 1 << 20

// kept is the size of the buffers that a Text keeps between texts.
const kept = 1 << 20

// Filter rewrites a whole text.
type Filter interface {
	Apply(t *Text)
}

// Text is a text and the origin of its parts. Its zero value is ready for
// Reset.
type Text struct {
	// Steps is the remaining work for filters whose cost is counted. Reset does
	// not change it.
	Steps int64

	current []byte
	steps   []step // one per filter that changed the text
	used    int

	out     []byte // output of the active filter
	pieces  []piece
	at      int // bytes of the input consumed
	changed bool
	limit   int

	spare [2][]byte // buffers for out, used alternately
	turn  int
}

// step is the change made by one filter.
type step struct {
	pieces []piece
	in     int32 // length of its input
}

// piece is a range of output: copied from the input byte by byte, or a
// replacement for the range of input up to the next piece.
type piece struct {
	out, in int32
	copied  bool
}

// Reset replaces the text and discards all steps.
func (t *Text) Reset(text string) {
	if len(text) > math.MaxInt32/16 {
		text = text[:math.MaxInt32/16]
	}
	// Nothing writes to the bytes of a Text or to a term sliced from them.
	t.current = unsafe.Slice(unsafe.StringData(text), len(text))
	t.used = 0
	t.limit = min(8*len(text)+MaxGrowth, 2*len(text)+16*MaxGrowth)
	t.trim()
}

// trim releases the memory of a long text.
func (t *Text) trim() {
	if cap(t.spare[0])+cap(t.spare[1]) > 2*kept {
		t.spare = [2][]byte{}
		t.out = nil
	}
	held := cap(t.pieces)
	for i := range t.steps {
		held += cap(t.steps[i].pieces)
	}
	if held > kept/8 {
		t.pieces, t.steps = nil, nil
	}
}

// Bytes returns the current text. It must not be modified.
func (t *Text) Bytes() []byte { return t.current }

// Changed reports whether any filter has changed the text.
func (t *Text) Changed() bool { return t.used > 0 }

// begin starts a rewrite of the text.
func (t *Text) begin() {
	t.out = t.spare[t.turn][:0]
	t.pieces = t.pieces[:0]
	t.at = 0
	t.changed = false
}

// copyTo copies the input up to end.
func (t *Text) copyTo(end int) {
	if end <= t.at {
		return
	}
	t.piece(true)
	t.out = append(t.out, t.current[t.at:end]...)
	t.at = end
}

// replaceTo replaces the input up to end. It reports false, without consuming
// input, if the output would grow too long.
func (t *Text) replaceTo(end int, replacement []byte) bool {
	if len(t.out)+len(replacement)+len(t.current)-end > max(t.limit, len(t.current)) || len(t.pieces) >= maxPieces {
		return false
	}
	t.piece(false)
	t.out = append(t.out, replacement...)
	t.at = end
	t.changed = true
	return true
}

func (t *Text) piece(copied bool) {
	if n := len(t.pieces); n > 0 && copied && t.pieces[n-1].copied &&
		t.pieces[n-1].in+int32(len(t.out))-t.pieces[n-1].out == int32(t.at) {
		return // continues the last piece
	}
	t.pieces = append(t.pieces, piece{out: int32(len(t.out)), in: int32(t.at), copied: copied})
}

// finish copies the rest of the input and makes the output the current text.
func (t *Text) finish() {
	if !t.changed {
		return
	}
	t.copyTo(len(t.current))
	if t.used == len(t.steps) {
		t.steps = append(t.steps, step{})
	}
	s := &t.steps[t.used]
	s.pieces, t.pieces = t.pieces, s.pieces
	s.in = int32(len(t.current))
	t.used++
	t.spare[t.turn] = t.out
	t.turn = 1 - t.turn
	t.current = t.out
}

// Original returns the range of the original text that bytes start to end of
// the current text came from. A replacement came from the whole range it
// replaced.
func (t *Text) Original(start, end int32) (int32, int32) {
	for i := t.used - 1; i >= 0; i-- {
		start, end = t.steps[i].original(start, end)
	}
	return start, end
}

func (s *step) original(start, end int32) (int32, int32) {
	first, _ := s.source(start)
	if end <= start {
		return first, first
	}
	_, last := s.source(end - 1)
	return first, max(first, last)
}

// source returns the range of input that the byte at out came from.
func (s *step) source(out int32) (from, to int32) {
	i := sort.Search(len(s.pieces), func(i int) bool { return s.pieces[i].out > out }) - 1
	if i < 0 {
		return 0, 0
	}
	p := s.pieces[i]
	if p.copied {
		from = min(p.in+out-p.out, s.in)
		return from, min(from+1, s.in)
	}
	to = s.in
	if i+1 < len(s.pieces) {
		to = s.pieces[i+1].in
	}
	return p.in, to
}
