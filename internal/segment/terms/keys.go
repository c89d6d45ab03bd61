package terms

import (
	"bytes"
	"encoding/binary"

	"github.com/quiresearch/quire/internal/bitpack"
)

// Keys are many, long and looked up by hash, so their list is packed: blocks
// of keys, each but the first less what it shares with the first. A key is
// reached by passing over at most fifteen others of its block.

// keyBlock is the number of keys in a block.
const keyBlock = 16

// keyList is the sorted list of terms of a Key field. Any number of
// goroutines may use it. Damaged bytes read as keys that equal nothing.
type keyList struct {
	bytes   []byte
	offsets []uint32 // where blocks begin, and the end
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
	for i := range blocks {
		if ints[i] >= ints[i+1] {
			return keyList{}, false
		}
	}
	return keyList{bytes: data, offsets: ints, length: n}, true
}

// block is a walk through the keys of a block.
type block struct {
	rest   []byte
	first  []byte
	shared int // bytes of first that the current key begins with
	tail   []byte
	ok     bool
}

func (l *keyList) block(i int) block {
	b := block{rest: l.bytes[l.offsets[i]:l.offsets[i+1]], ok: true}
	b.first = b.take()
	b.shared = len(b.first)
	return b
}

// number takes a varint.
func (b *block) number() int {
	if len(b.rest) > 0 && b.rest[0] < 0x80 {
		v := int(b.rest[0])
		b.rest = b.rest[1:]
		return v
	}
	v, n := binary.Uvarint(b.rest)
	if n <= 0 || v > 1<<31 {
		b.ok, b.rest = false, nil
		return 0
	}
	b.rest = b.rest[n:]
	return int(v)
}

// take takes a varint and as many bytes.
func (b *block) take() []byte {
	n := b.number()
	if n > len(b.rest) {
		b.ok, b.rest = false, nil
		return nil
	}
	taken := b.rest[:n:n]
	b.rest = b.rest[n:]
	return taken
}

// next goes to the next key.
func (b *block) next() {
	b.shared = b.number()
	b.tail = b.take()
	if b.shared > len(b.first) {
		b.ok, b.shared = false, 0
	}
}

func (b *block) equal(key []byte) bool {
	return b.ok && len(key) == b.shared+len(b.tail) && bytes.Equal(key[b.shared:], b.tail) && bytes.Equal(key[:b.shared], b.first[:b.shared])
}

// compare orders the current key and another.
func (b *block) compare(key []byte) int {
	n := min(b.shared, len(key))
	if c := bytes.Compare(b.first[:b.shared], key[:n]); c != 0 {
		return c
	}
	return bytes.Compare(b.tail, key[n:])
}

// at stands at key number i.
func (l *keyList) at(i int) block {
	b := l.block(i / keyBlock)
	for range i % keyBlock {
		b.next()
	}
	return b
}

// appendAt appends key number i.
func (l *keyList) appendAt(dst []byte, i int) []byte {
	b := l.at(i)
	return append(append(dst, b.first[:b.shared]...), b.tail...)
}

// search is the number of keys below key, and whether key is the next.
func (l *keyList) search(key []byte) (int, bool) {
	// The last block whose first key is not above key.
	lo, hi := 0, len(l.offsets)-1
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		b := l.block(mid)
		if bytes.Compare(b.first, key) <= 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return 0, false
	}
	at := (lo - 1) * keyBlock
	b := l.block(lo - 1)
	for end := min(at+keyBlock, l.length); ; b.next() {
		if c := b.compare(key); c >= 0 {
			return at, c == 0
		}
		if at++; at == end {
			return at, false
		}
	}
}

// prefix is the half-open range of keys that start with prefix.
func (l *keyList) prefix(prefix []byte) (from, to int) {
	from, _ = l.search(prefix)
	// The range ends before the lowest string above all with the prefix.
	end := bytes.TrimRight(prefix, "\xff")
	if len(end) == 0 {
		return from, l.length
	}
	end = bytes.Clone(end)
	end[len(end)-1]++
	to, _ = l.search(end)
	return from, to
}

// packKeys writes the list of keys: its bytes, and where blocks begin.
func packKeys(list *ListWriter) (data []byte, offsets []uint32) {
	n := list.Len()
	if n == 0 {
		return nil, nil
	}
	data = make([]byte, 0, list.Size())
	var first []byte
	for i := range n {
		key := list.At(i)
		shared := 0
		if i%keyBlock == 0 {
			offsets = append(offsets, uint32(len(data)))
			first = key
		} else {
			shared = commonPrefix(first, key)
			data = binary.AppendUvarint(data, uint64(shared))
		}
		data = binary.AppendUvarint(data, uint64(len(key)-shared))
		data = append(data, key[shared:]...)
	}
	return data, append(offsets, uint32(len(data)))
}
