package terms

import (
	"bytes"

	"github.com/quiresearch/quire/internal/bitpack"
	"github.com/quiresearch/quire/internal/blockfile"
)

// List is a sorted list of distinct byte strings over stored bytes. Any
// number of goroutines may use it.
type List struct {
	bytes   []byte
	offsets []uint32 // one more than strings
}

// NewList opens a list from its bytes and little-endian offsets. It reports
// false when they do not fit together; single offsets that do not are met when
// they are used, and read as empty strings.
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

// Len is the number of strings.
func (l *List) Len() int { return len(l.offsets) - 1 }

// At is string number i; not to be changed.
func (l *List) At(i int) []byte {
	from, to := l.offsets[i], l.offsets[i+1]
	if from > to || int(to) > len(l.bytes) {
		return nil
	}
	return l.bytes[from:to:to]
}

// size is the length of string number i in bytes; without meaning where At is nil.
func (l *List) size(i int) int { return int(l.offsets[i+1]) - int(l.offsets[i]) }

// Search is the number of strings below key, and whether key is the next.
func (l *List) Search(key []byte) (int, bool) {
	i := l.lowerBound(key, 0, l.Len())
	return i, i < l.Len() && bytes.Equal(l.At(i), key)
}

// SearchFrom is Search where the strings before from are known to be below key. It
// takes the less time the nearer key is to from.
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

// lowerBound is the first index in [lo, hi) whose string is not below key.
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

// Prefix is the half-open range of strings that start with prefix.
func (l *List) Prefix(prefix []byte) (from, to int) {
	return l.prefixIn(prefix, 0, l.Len())
}

func (l *List) prefixIn(prefix []byte, lo, hi int) (from, to int) {
	from = l.lowerBound(prefix, lo, hi)
	// Gallop to the end: most prefixes hold few strings.
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

// ListWriter writes a List: its strings through Add, then Finish. One made by
// NewListWriter sends the strings to a section of their own as they come; the
// zero ListWriter gathers them, for writers that have another section open.
type ListWriter struct {
	out     *blockfile.Writer // nil: strings are gathered in bytes
	bytes   gathered
	size    int
	offsets gathered
	last    []byte // the string added last, where it lies in bytes
}

// NewListWriter opens the section of the strings in out. Nothing else is
// written to out before the last of them.
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
		w.out.Write(s) // its error stays in out
		return
	}
	w.last = w.bytes.add(s)
}

// Len is the number of strings.
func (w *ListWriter) Len() int { return max(w.offsets.length/4-1, 0) }

// Last is the string added last to a list that gathers, nil when none was;
// valid until the next Add.
func (w *ListWriter) Last() []byte {
	if w.offsets.length == 0 {
		return nil
	}
	return w.last
}

// Size is the number of bytes of all strings.
func (w *ListWriter) Size() int { return w.size }

// Finish writes the places where strings begin, with the end of the last.
func (w *ListWriter) Finish(out *blockfile.Writer, offsets blockfile.ID) error {
	return w.offsets.section(out, offsets)
}
