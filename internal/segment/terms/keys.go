package terms

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/quiresearch/quire/internal/bitpack"
	"github.com/quiresearch/quire/internal/blockfile"
)

// Keys are many, long and of few letters, so their list is packed: each block
// stores the common prefix of its keys, then the suffix of every key, with as few
// bits per letter as its alphabet needs. Any key of a block can be read without
// reading the others.

// keyBlock is the number of keys in a block.
const keyBlock = 32

// keyList is the sorted list of terms of a Key field. It is safe for concurrent
// use. Damaged bytes read as keys that equal nothing.
type keyList struct {
	bytes   []byte
	offsets []uint32 // starts of blocks, and the end
	length  int
}

func newKeyList(data, offsets []byte, n int) (keyList, bool) {
	ints := bitpack.Uint32s(offsets)
	blocks := (n + keyBlock - 1) / keyBlock
	if n == 0 {
		return keyList{}, len(data) == 0 && len(offsets) == 0
	}
	if len(offsets) != 4*(blocks+1) || ints[0] != 0 || int(ints[blocks]) != len(data) {
		return keyList{}, false
	}
	return keyList{bytes: data, offsets: ints, length: n}, true
}

// block is a block of keys, opened for random access.
type block struct {
	prefix  []byte // shared by all keys
	letters *alphabet
	size    int    // letters of every suffix, when lengths is nil
	lengths []byte // varints: letters of each suffix
	packed  []byte
}

// open points b at block number i; b is empty when the block is damaged.
func (l *keyList) open(b *block, i int) {
	if !l.read(b, i) {
		*b = block{letters: &alphabets[0]}
	}
}

// read points b at block number i and returns false if the block is damaged.
func (l *keyList) read(b *block, i int) bool {
	from, to := l.offsets[i], l.offsets[i+1]
	if from >= to || int(to) > len(l.bytes) {
		return false
	}
	rest := l.bytes[from:to]
	head := rest[0]
	if int(head&^sameLength) >= len(alphabets) {
		return false
	}
	b.letters = &alphabets[head&^sameLength]
	n, rest, ok := number(rest[1:])
	if !ok || n > len(rest) {
		return false
	}
	b.prefix, rest = rest[:n:n], rest[n:]
	if head&sameLength != 0 {
		b.lengths = nil
		b.size, b.packed, ok = number(rest)
		return ok
	}
	at := rest
	for range min(keyBlock, l.length-i*keyBlock) {
		if _, at, ok = number(at); !ok {
			return false
		}
	}
	b.lengths, b.packed = rest[:len(rest)-len(at)], at
	return true
}

// sameLength marks a block whose suffixes all have the same length.
const sameLength = 0x80

// number decodes a varint and returns the rest.
func number(b []byte) (v int, rest []byte, ok bool) {
	if len(b) > 0 && b[0] < 0x80 {
		return int(b[0]), b[1:], true
	}
	n, size := binary.Uvarint(b)
	if size <= 0 || n > 1<<31 {
		return 0, nil, false
	}
	return int(n), b[size:], true
}

// span returns the position and the number of letters of key number i of the block.
func (b *block) span(i int) (at, n int) {
	if b.lengths == nil {
		at, n = i*b.size, b.size
	} else {
		rest := b.lengths
		for range i + 1 {
			at += n
			n, rest, _ = number(rest)
		}
	}
	if (at+n)*b.letters.width > 8*len(b.packed) {
		return 0, 0
	}
	return at, n
}

// append appends key number i of the block.
func (b *block) append(dst []byte, i int) []byte {
	at, n := b.span(i)
	dst = append(dst, b.prefix...)
	if b.letters.width == 8 {
		return append(dst, b.packed[at:at+n]...)
	}
	// A word holds several letters. Any bytes after the block only fill up the last
	// word.
	width, of, bytes := b.letters.width, b.letters.of, b.packed[:cap(b.packed)]
	dst = slices.Grow(dst, n)
	end := at + n
	for at < end {
		bit := at * width
		if bit>>3+8 > len(bytes) {
			break
		}
		word := binary.LittleEndian.Uint64(bytes[bit>>3:]) >> (bit & 7)
		take := min(56/width, end-at)
		for range take {
			dst = append(dst, of[word&(1<<width-1)])
			word >>= width
		}
		at += take
	}
	for ; at < end; at++ {
		dst = append(dst, of[bitpack.At(b.packed, at, width)])
	}
	return dst
}

// compare compares key number i of the block with another key.
func (b *block) compare(i int, key []byte) int {
	n := min(len(b.prefix), len(key))
	if c := bytes.Compare(b.prefix, key[:n]); c != 0 {
		return c
	}
	key = key[n:]
	at, n := b.span(i)
	for j := range min(n, len(key)) {
		letter := b.letters.at(b.packed, at+j)
		if letter != key[j] {
			return int(letter) - int(key[j])
		}
	}
	return n - len(key)
}

// appendAt appends key number i.
func (l *keyList) appendAt(dst []byte, i int) []byte {
	var b block
	l.open(&b, i/keyBlock)
	return b.append(dst, i%keyBlock)
}

// prefetch loads the beginning of the block of key number i, and the approximate
// location of its letters.
func (l *keyList) prefetch(i int) uint32 {
	if i < 0 {
		return 0
	}
	from, to := l.offsets[i/keyBlock], l.offsets[i/keyBlock+1]
	if from >= to || int(to) > len(l.bytes) {
		return 0
	}
	letters := from + (to-from)*uint32(i%keyBlock)/keyBlock
	return uint32(l.bytes[from]) + uint32(l.bytes[letters])
}

// search returns the number of keys below key, and whether key is in the list.
func (l *keyList) search(key []byte) (int, bool) {
	// Find the last block whose first key is not above key.
	var b block
	lo, hi := 0, len(l.offsets)-1
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		l.open(&b, mid)
		if b.compare(0, key) <= 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo <= 0 {
		return 0, false
	}
	first := (lo - 1) * keyBlock
	l.open(&b, lo-1)
	from, to := 0, min(keyBlock, l.length-first)
	for from < to {
		mid := int(uint(from+to) >> 1)
		c := b.compare(mid, key)
		if c == 0 {
			return first + mid, true
		}
		if c < 0 {
			from = mid + 1
		} else {
			to = mid
		}
	}
	return first + from, false
}

// prefix returns the half-open range of keys that start with prefix.
func (l *keyList) prefix(prefix []byte) (from, to int) {
	from, _ = l.search(prefix)
	// The range ends before the lowest string above all strings with the prefix.
	end := prefix
	for len(end) > 0 && end[len(end)-1] == 0xff {
		end = end[:len(end)-1]
	}
	if len(end) == 0 {
		return from, l.length
	}
	end = bytes.Clone(end)
	end[len(end)-1]++
	to, _ = l.search(end)
	return from, to
}

// keyWriter packs keys block by block as they arrive.
type keyWriter struct {
	data    gathered
	offsets gathered
	open    [][]byte // keys of the open block, in text
	text    []byte
	packed  []byte
	codes   []uint32
}

// add appends the next key.
func (w *keyWriter) add(key []byte) {
	if len(w.open) == keyBlock {
		w.flush()
	}
	// When text grows, the earlier keys stay in the previous array.
	start := len(w.text)
	w.text = append(w.text, key...)
	w.open = append(w.open, w.text[start:])
}

// last returns the last key added to the open block, nil when there is none; valid
// until the next add.
func (w *keyWriter) last() []byte {
	if len(w.open) == 0 {
		return nil
	}
	return w.open[len(w.open)-1]
}

// flush packs the open block.
func (w *keyWriter) flush() {
	if len(w.open) == 0 {
		return
	}
	w.offsets.add32(uint32(w.data.length))
	first := w.open[0]
	shared := commonPrefix(first, w.last())
	same := true
	for _, key := range w.open {
		same = same && len(key) == len(first)
	}
	which := narrowest(w.open, shared)
	head := byte(which)
	if same {
		head |= sameLength
	}
	data := append(w.packed[:0], head)
	data = binary.AppendUvarint(data, uint64(shared))
	data = append(data, first[:shared]...)
	codes := w.codes[:0]
	for i, key := range w.open {
		rest := key[shared:]
		if i == 0 || !same {
			data = binary.AppendUvarint(data, uint64(len(rest)))
		}
		for _, letter := range rest {
			codes = append(codes, alphabets[which].code(letter))
		}
	}
	data = bitpack.Append32(data, codes, alphabets[which].width)
	w.data.add(data)
	w.packed, w.codes = data, codes
	w.open, w.text = w.open[:0], w.text[:0]
}

// write writes the bytes of the list and the offsets of blocks.
func (w *keyWriter) write(out *blockfile.Writer, bytes, offsets blockfile.ID) error {
	w.flush()
	if w.offsets.length > 0 {
		w.offsets.add32(uint32(w.data.length))
	}
	if err := w.data.section(out, bytes); err != nil {
		return err
	}
	return w.offsets.section(out, offsets)
}
