package segment

import "encoding/binary"

// chains hold many growing byte strings in shared memory. Each string is a linked
// list of slices of growing size; the last four bytes of a slice are the address of
// the next.
type chains struct {
	chunks []*chunk
	next   uint32 // first free address of the last chunk
}

const (
	chunkShift = 18
	chunkBytes = 1 << chunkShift
)

type chunk [chunkBytes]byte

// sliceSizes are the lengths of the slices of a chain, link included; the last one
// repeats.
var sliceSizes = [...]uint32{12, 20, 36, 68, 132, 260, 516, 1028}

// chain is one byte string being written.
type chain struct {
	head, pos, limit uint32
	level            uint8
}

// allocate returns the address of a free slice of the given size.
func (c *chains) allocate(size uint32) uint32 {
	used := c.next & (chunkBytes - 1)
	if len(c.chunks) == 0 || used == 0 || used+size > chunkBytes {
		c.next = uint32(len(c.chunks)) << chunkShift
		c.chunks = append(c.chunks, new(chunk))
	}
	at := c.next
	c.next += size
	return at
}

// full reports whether the address space is used up.
func (c *chains) full() bool { return len(c.chunks) >= 1<<(32-chunkShift)-1 }

func (c *chains) put(ch *chain, b byte) {
	if ch.pos == ch.limit {
		c.extend(ch)
	}
	c.chunks[ch.pos>>chunkShift][ch.pos&(chunkBytes-1)] = b
	ch.pos++
}

// putVarint appends a number, seven bits a byte, low bits first.
func (c *chains) putVarint(ch *chain, v uint64) {
	for v >= 0x80 {
		c.put(ch, byte(v)|0x80)
		v >>= 7
	}
	c.put(ch, byte(v))
}

// putVarints appends two numbers, the second one of 32 bits.
func (c *chains) putVarints(ch *chain, v uint64, w uint32) {
	const most = 2 * binary.MaxVarintLen32
	if ch.limit-ch.pos < most || v >= 1<<32 {
		c.putVarint(ch, v)
		c.putVarint(ch, uint64(w))
		return
	}
	at := ch.pos & (chunkBytes - 1)
	out := c.chunks[ch.pos>>chunkShift][at:]
	out = out[:most]
	i := 0
	for v >= 0x80 {
		out[i] = byte(v) | 0x80
		v >>= 7
		i++
	}
	out[i] = byte(v)
	i++
	for w >= 0x80 {
		out[i] = byte(w) | 0x80
		w >>= 7
		i++
	}
	out[i] = byte(w)
	ch.pos += uint32(i) + 1
}

func (c *chains) extend(ch *chain) {
	first := ch.limit == 0
	if !first && int(ch.level) < len(sliceSizes)-1 {
		ch.level++
	}
	size := sliceSizes[ch.level&7]
	at := c.allocate(size)
	if first {
		ch.head = at
	} else {
		binary.LittleEndian.PutUint32(c.chunks[ch.limit>>chunkShift][ch.limit&(chunkBytes-1):], at)
	}
	ch.pos, ch.limit = at, at+size-4
}

// appendTo appends the whole string to dst.
func (c *chains) appendTo(dst []byte, ch *chain) []byte {
	if ch.limit == 0 {
		return dst
	}
	at := ch.head
	for level := uint8(0); ; level = min(level+1, uint8(len(sliceSizes)-1)) {
		chunk := c.chunks[at>>chunkShift]
		off := at & (chunkBytes - 1)
		end := at + sliceSizes[level] - 4
		if end == ch.limit {
			return append(dst, chunk[off:off+ch.pos-at]...)
		}
		stop := off + sliceSizes[level] - 4
		dst = append(dst, chunk[off:stop]...)
		at = binary.LittleEndian.Uint32(chunk[stop:])
	}
}

func (c *chains) bytes() int64 { return int64(len(c.chunks)) * chunkBytes }
