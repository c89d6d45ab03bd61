package segment

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/quiresearch/quire/internal/segment/terms"
)

// dictionary numbers distinct byte strings in memory. Strings of up to 28
// bytes lie in their entry, so that a look-up touches the slot and one cache
// line.
type dictionary struct {
	slots   []uint64 // high half of the hash, number plus one; 0 is free
	entries []dictEntry
	long    []byte // strings that do not fit
}

// inlineKey is the longest string kept in its entry.
const inlineKey = 28

// dictEntry is a string and what belongs to it: for terms the chain of its
// occurrences.
type dictEntry struct {
	key    [inlineKey]byte // or the offset in long
	length uint32
	chain
	doc  uint32 // last document
	last uint32 // position of the last occurrence, or frequency in doc
}

func newDictionary() *dictionary { return &dictionary{slots: make([]uint64, 64)} }

func (d *dictionary) key(id uint32) []byte {
	e := &d.entries[id]
	if e.length <= inlineKey {
		return e.key[:e.length]
	}
	at := binary.LittleEndian.Uint64(e.key[:])
	return d.long[at : at+uint64(e.length)]
}

// find returns the number of key, a new one when it is not there yet.
func (d *dictionary) find(key []byte) (id uint32, fresh bool) {
	h := terms.Hash(key)
	mask := uint64(len(d.slots) - 1)
	tag := h &^ (1<<32 - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		v := d.slots[i]
		if v == 0 {
			id = uint32(len(d.entries))
			d.slots[i] = tag | uint64(id+1)
			d.add(key)
			if len(d.entries)*3 > len(d.slots)*2 {
				d.grow()
			}
			return id, true
		}
		if v&^(1<<32-1) == tag {
			if id = uint32(v) - 1; bytes.Equal(d.key(id), key) {
				return id, false
			}
		}
	}
}

func (d *dictionary) add(key []byte) {
	e := dictEntry{length: uint32(len(key))}
	if len(key) <= inlineKey {
		copy(e.key[:], key)
	} else {
		binary.LittleEndian.PutUint64(e.key[:], uint64(len(d.long)))
		d.long = append(d.long, key...)
	}
	d.entries = append(d.entries, e)
}

// grow doubles the slots. The low half of the hash is not kept, so it is
// computed again.
func (d *dictionary) grow() {
	slots := make([]uint64, 2*len(d.slots))
	mask := uint64(len(slots) - 1)
	for id := range d.entries {
		h := terms.Hash(d.key(uint32(id)))
		i := h & mask
		for slots[i] != 0 {
			i = (i + 1) & mask
		}
		slots[i] = h&^(1<<32-1) | uint64(id+1)
	}
	d.slots = slots
}

// bytes estimates the memory in use.
func (d *dictionary) bytes() int64 {
	return int64(8*cap(d.slots) + 64*cap(d.entries) + cap(d.long))
}

// sorted returns all numbers in the order of their strings.
func (d *dictionary) sorted() []uint32 {
	type item struct {
		prefix uint64
		id     uint32
	}
	items := make([]item, len(d.entries))
	for id := range d.entries {
		e := &d.entries[id]
		prefix := binary.BigEndian.Uint64(e.key[:])
		if e.length > inlineKey {
			prefix = binary.BigEndian.Uint64(d.key(uint32(id)))
		}
		items[id] = item{prefix, uint32(id)}
	}
	slices.SortFunc(items, func(a, b item) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		return bytes.Compare(d.key(a.id), d.key(b.id))
	})
	out := make([]uint32, len(items))
	for i, it := range items {
		out[i] = it.id
	}
	return out
}
