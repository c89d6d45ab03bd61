package terms

import (
	"bytes"

	"github.com/quiresearch/quire/internal/bitpack"
	"github.com/quiresearch/quire/internal/blockfile"
)

// List is a sorted list of distinct byte strings over stored bytes. It is safe for
// concurrent use.
type List struct {
	bytes   []byte
	offsets []uint32 // one more than strings
}

// NewList opens a list from its bytes and little-endian offsets. It returns false
// when they do not fit together; single bad offsets are noticed on use, and read as
// empty strings.
func NewList(data, offsets []byte) (List, bool) {
	ints := bitpack.Uint32s(offsets)
	if len(ints) == 0 {
		return List{offsets: []uint32{0}}, len(data) == 0 && len(offsets) == 0
	}
	if len(offsets)%4 != 0 || ints[0] != 0 || int(ints[len(ints)-1]) != len(data) {
		return List{}, false
	}
	return List{bytes: data, offsets: ints}, true
}

// Len returns the number of strings.
func (l *List) Len() int { return len(l.offsets) - 1 }

// At returns string number i. It must not be changed.
func (l *List) At(i int) []byte {
	from, to := l.offsets[i], l.offsets[i+1]
	if from > to || int(to) > len(l.bytes) {
		return nil
	}
	return l.bytes[from:to:to]
}

// size returns the length of string number i in bytes; it is meaningless if At is
// nil.
func (l *List) size(i int) int { return int(l.offsets[i+1]) - int(l.offsets[i]) }

// Search returns the number of strings below key, and whether key is in the list.
func (l *List) Search(key []byte) (int, bool) {
	i := l.lowerBound(key, 0, l.Len())
	return i, i < l.Len() && bytes.Equal(l.At(i), key)
}

// SearchFrom is Search if all strings before from are known to be below key. It is
// faster the nearer key is to from.
func (l *List) SearchFrom(key []byte, from int) (int, bool) {
	to, step := from, 1
	for to < l.Len() && bytes.Compare(l.At(to), key) < 0 {
		from = to + 1
		to += step
		step <<= 1
	}
	i := l.lowerBound(key, from, min(to, l.Len()))
	return i, i < l.Len() && bytes.Equal(l.At(i), key)
}

// lowerBound returns the first index in [lo, hi) whose string is not below key, or
// hi.
func (l *List) lowerBound(key []byte, lo, hi int) int {
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if bytes.Compare(l.At(mid), key) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// Prefix returns the half-open range of strings that start with prefix.
func (l *List) Prefix(prefix []byte) (from, to int) {
	return l.prefixIn(prefix, 0, l.Len())
}

func (l *List) prefixIn(prefix []byte, lo, hi int) (from, to int) {
	from = l.lowerBound(prefix, lo, hi)
	// Gallop to the end: most prefixes have few strings.
	last, step := from, 1
	for last < hi && bytes.HasPrefix(l.At(last), prefix) {
		lo = last
		last += step
		step <<= 1
	}
	if last == from {
		return from, from
	}
	lo, hi = lo+1, min(last, hi)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if bytes.HasPrefix(l.At(mid), prefix) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return from, lo
}

// ListWriter writes a List: Add the strings in order, then Finish. A writer made by
// NewListWriter sends the strings to a section of their own as they come; the zero
// ListWriter collects them, for callers that have another section open.
type ListWriter struct {
	out     *blockfile.Writer // nil: strings are collected in bytes
	bytes   gathered
	size    int
	offsets gathered
	last    []byte // the last string added, in bytes
}

// NewListWriter opens the section of the strings in out. Nothing else may be
// written to out before the last string.
func NewListWriter(out *blockfile.Writer, bytes blockfile.ID) *ListWriter {
	out.Begin(bytes)
	w := &ListWriter{out: out}
	w.offsets.aside = out.Aside()
	return w
}

// Add appends the next string.
func (w *ListWriter) Add(s []byte) {
	if w.offsets.length == 0 {
		w.offsets.add32(0)
	}
	w.size += len(s)
	w.offsets.add32(uint32(w.size))
	if w.out != nil {
		w.out.Write(s) // errors are kept in out
		return
	}
	w.last = w.bytes.add(s)
}

// Len returns the number of strings.
func (w *ListWriter) Len() int { return max(w.offsets.length/4-1, 0) }

// Last returns the last string added to a list that collects them, nil when there
// is none; valid until the next Add.
func (w *ListWriter) Last() []byte {
	if w.offsets.length == 0 {
		return nil
	}
	return w.last
}

// Size returns the number of bytes of all strings.
func (w *ListWriter) Size() int { return w.size }

// Finish writes the offsets of the strings and the end of the last one.
func (w *ListWriter) Finish(out *blockfile.Writer, offsets blockfile.ID) error {
	return w.offsets.section(out, offsets)
}
