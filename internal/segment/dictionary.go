package segment

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// dictionary numbers distinct byte strings in memory. Strings of up to 36 bytes are
// stored in their entry, so that a look-up touches the slot and one cache line.
type dictionary struct {
	slots []uint32 // high hash bits, then number plus one in the low width bits; 0 is free
	width int      // bits of the highest number that fits
	pages [][]dictEntry
	count uint32
	long  []byte // strings that do not fit into an entry
	seed  uint64 // random, so that callers cannot prepare strings that collide
}

const (
	// inlineKey is the longest string kept in its entry.
	inlineKey = 36
	// A page holds 1,024 entries. It starts on a cache line, as all large
	// allocations do, and does not move. Only the first page grows, because most
	// dictionaries are small and there may be thousands of them.
	pageShift   = 10
	pageEntries = 1 << pageShift
	firstPage   = 1
	entryBytes  = 64
)

// dictEntry is a string with its data: for terms the chain of its occurrences. It
// fills one cache line.
type dictEntry struct {
	key    [inlineKey]byte // or the offset in long
	length uint32
	chain
	doc  uint32 // last document
	last uint32 // position of the last occurrence, or frequency in doc
}

func newDictionary() *dictionary {
	return &dictionary{slots: make([]uint32, 2*firstPage), width: bits.Len32(2 * firstPage), seed: rand.Uint64()}
}

// entry returns the entry of a number, valid until the next find.
func (d *dictionary) entry(id uint32) *dictEntry {
	return &d.pages[id>>pageShift][id&(pageEntries-1)]
}

func (d *dictionary) key(id uint32) []byte { return d.keyOf(d.entry(id)) }

func (d *dictionary) keyOf(e *dictEntry) []byte {
	if e.length <= inlineKey {
		return e.key[:e.length]
	}
	at := binary.LittleEndian.Uint64(e.key[:])
	return d.long[at : at+uint64(e.length)]
}

// hash mixes a string with the seed.
func (d *dictionary) hash(key []byte) uint64 {
	const m1, m2 = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93
	n := len(key)
	a, b := d.seed^uint64(n)*m1, d.seed^m2
	switch {
	case n > 16:
		rest := key
		for ; len(rest) > 16; rest = rest[16:] {
			hi, lo := bits.Mul64(a^binary.LittleEndian.Uint64(rest), b^binary.LittleEndian.Uint64(rest[8:]))
			a, b = hi^m1, lo^m2
		}
		a ^= binary.LittleEndian.Uint64(key[n-16:])
		b ^= binary.LittleEndian.Uint64(key[n-8:])
	case n >= 8:
		a ^= binary.LittleEndian.Uint64(key)
		b ^= binary.LittleEndian.Uint64(key[n-8:])
	case n >= 4:
		a ^= uint64(binary.LittleEndian.Uint32(key))
		b ^= uint64(binary.LittleEndian.Uint32(key[n-4:]))
	case n > 0:
		a ^= uint64(key[0])<<16 | uint64(key[n>>1])<<8 | uint64(key[n-1])
	}
	hi, lo := bits.Mul64(a, b)
	hi, lo = bits.Mul64(hi^m1, lo^d.seed)
	return hi ^ lo
}

// find returns the number of key, and adds key if it is not there yet.
func (d *dictionary) find(key []byte) (id uint32, fresh bool) { return d.findHashed(key, d.hash(key)) }

// findHashed is find with the hash of key.
func (d *dictionary) findHashed(key []byte, h uint64) (id uint32, fresh bool) {
	mask := uint64(len(d.slots) - 1)
	tag := uint32(h>>32) << d.width
	for i := h & mask; ; i = (i + 1) & mask {
		v := d.slots[i]
		if v == 0 {
			id = d.add(key)
			d.slots[i] = tag | (id + 1)
			if int(d.count)*3 > len(d.slots)*2 {
				d.grow()
			}
			return id, true
		}
		if differs := v ^ tag; differs>>d.width == 0 {
			id = differs - 1
			if e := d.entry(id); int(e.length) == len(key) && bytes.Equal(d.keyOf(e), key) {
				return id, false
			}
		}
	}
}

// likely returns the most likely number plus one of a string with the hash h; 0
// when there is none.
func (d *dictionary) likely(h uint64) uint32 {
	return d.slots[h&uint64(len(d.slots)-1)] & (1<<d.width - 1)
}

func (d *dictionary) add(key []byte) uint32 {
	id := d.count
	switch {
	case id == 0:
		d.pages = append(d.pages, make([]dictEntry, firstPage))
	case id&(pageEntries-1) == 0:
		d.pages = append(d.pages, make([]dictEntry, pageEntries))
	case id < pageEntries && int(id) == len(d.pages[0]):
		d.pages[0] = append(make([]dictEntry, 0, 2*id), d.pages[0]...)[:2*id]
	}
	d.count++
	e := d.entry(id)
	e.length = uint32(len(key))
	if len(key) <= inlineKey {
		copy(e.key[:], key)
	} else {
		binary.LittleEndian.PutUint64(e.key[:], uint64(len(d.long)))
		d.long = append(d.long, key...)
	}
	return id
}

// grow doubles the slots. Slots hold only a part of the hashes, so it recomputes
// them.
func (d *dictionary) grow() {
	d.slots = make([]uint32, 2*len(d.slots))
	d.width++
	mask := uint64(len(d.slots) - 1)
	for id := range d.count {
		h := d.hash(d.key(id))
		i := h & mask
		for d.slots[i] != 0 {
			i = (i + 1) & mask
		}
		d.slots[i] = uint32(h>>32)<<d.width | (id + 1)
	}
}

// bytes estimates the memory in use.
func (d *dictionary) bytes() int64 {
	n := int64(4*cap(d.slots) + cap(d.long))
	if len(d.pages) > 0 {
		n += entryBytes * int64(len(d.pages[0])+pageEntries*(len(d.pages)-1))
	}
	return n
}

// prefixed is a number with the first bytes of its string, as an integer that sorts
// like them.
type prefixed struct {
	prefix uint64
	id     uint32
}

// sorted returns all numbers in the order of their strings.
func (d *dictionary) sorted() []uint32 {
	items := make([]prefixed, d.count)
	for id := range d.count {
		e := d.entry(id)
		key := e.key[:]
		if e.length > inlineKey {
			key = d.keyOf(e)
		}
		items[id] = prefixed{binary.BigEndian.Uint64(key), id}
	}
	items = sortPrefixes(items)
	for i := 0; i < len(items); {
		end := i + 1
		for end < len(items) && items[end].prefix == items[i].prefix {
			end++
		}
		if end > i+1 {
			slices.SortFunc(items[i:end], func(a, b prefixed) int { return bytes.Compare(d.key(a.id), d.key(b.id)) })
		}
		i = end
	}
	out := make([]uint32, len(items))
	for i, it := range items {
		out[i] = it.id
	}
	return out
}

// fewItems is the number of items up to which sortPrefixes sorts by comparison.
const fewItems = 512

// sortPrefixes sorts by prefix with an LSD radix sort. It returns the items or a
// copy, and overwrites the other.
func sortPrefixes(items []prefixed) []prefixed {
	if len(items) <= fewItems {
		slices.SortFunc(items, func(a, b prefixed) int { return cmp.Compare(a.prefix, b.prefix) })
		return items
	}
	var counts [8][256]uint32
	for i := range items {
		for p, at := items[i].prefix, 0; at < 8; at, p = at+1, p>>8 {
			counts[at][byte(p)]++
		}
	}
	other := make([]prefixed, len(items))
	for at := range counts {
		starts := &counts[at]
		if starts[byte(items[0].prefix>>(8*at))] == uint32(len(items)) {
			continue // all items have the same byte here
		}
		sum := uint32(0)
		for b, n := range starts {
			starts[b] = sum
			sum += n
		}
		for _, it := range items {
			b := byte(it.prefix >> (8 * at))
			other[starts[b]] = it
			starts[b]++
		}
		items, other = other, items
	}
	return items
}
