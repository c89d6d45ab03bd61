package postings

import (
	"encoding/binary"

	"github.com/quiresearch/quire/internal/bitpack"
)

// AppendPositions appends to dst the positions of the document at index in the
// current block, in order; nothing in a field without positions.
func (it *Iterator) AppendPositions(dst []uint32, index int) []uint32 {
	if !it.opts.Positions {
		return dst
	}
	if it.inline {
		return append(dst, it.inlinePosition)
	}
	if !it.startsReady {
		it.sumFreqs()
	}
	if index >= it.count {
		return dst
	}
	from, to := int(it.starts[index]), int(it.starts[index+1])
	if it.tiny {
		return it.appendVarints(dst, from, to-from)
	}
	var at uint32
	for from < to {
		c := from / chunkSize
		if c != it.chunk && !it.decodeChunk(c) {
			return dst
		}
		stop := min(to, (c+1)*chunkSize)
		for _, delta := range it.chunkValues[from-c*chunkSize : stop-c*chunkSize] {
			at += delta
			dst = append(dst, at)
		}
		from = stop
	}
	return dst
}

// Steps returns the positions of the document at index in the current block as
// deltas: each one but the first is relative to the previous. The result is valid
// until the next call.
func (it *Iterator) Steps(index int) []uint32 {
	if !it.startsReady {
		it.sumFreqs()
	}
	if index < it.count && !it.tiny && it.opts.Positions {
		from, to := int(it.starts[index]), int(it.starts[index+1])
		if c := from / chunkSize; to <= (c+1)*chunkSize {
			if c != it.chunk && !it.decodeChunk(c) {
				return nil
			}
			return it.chunkValues[from-c*chunkSize : to-c*chunkSize]
		}
	}
	it.steps = it.AppendPositions(it.steps[:0], index)
	for i := len(it.steps) - 1; i > 0; i-- {
		it.steps[i] -= it.steps[i-1]
	}
	return it.steps
}

// appendVarints appends count positions of a term with few documents, after
// skipping the first skip ones.
func (it *Iterator) appendVarints(dst []uint32, skip, count int) []uint32 {
	b := it.data[it.posAt:it.posEnd]
	for ; skip > 0 && len(b) > 0; b = b[1:] {
		if b[0] < 0x80 {
			skip--
		}
	}
	var at uint32
	for range count {
		delta, n := binary.Uvarint(b)
		if n <= 0 {
			it.failBlock("positions at %d", it.posAt)
			return dst
		}
		b = b[n:]
		at += uint32(delta)
		dst = append(dst, at)
	}
	return dst
}

// sumFreqs computes where the positions of each document of the block begin.
func (it *Iterator) sumFreqs() {
	ends := it.starts[1 : 1+copy(it.starts[1:], it.Freqs())]
	bitpack.SumTo32(ends, 0)
	it.startsReady = true
}

// decodeChunk unpacks chunk c of the current block's positions.
func (it *Iterator) decodeChunk(c int) bool {
	total := int(it.starts[it.count])
	chunks := (total + chunkSize - 1) / chunkSize
	table := it.posAt + int(it.posAts[it.block])
	if table < it.posAt || table+3*chunks > it.posEnd || c >= chunks {
		it.failBlock("positions of block %d", it.block)
		return false
	}
	at := table + 3*chunks
	for i := range c {
		e := it.data[table+3*i:]
		at += bitpack.Size(chunkSize, int(e[0])) + int(e[2])
	}
	if at > it.posEnd {
		it.failBlock("positions of block %d", it.block)
		return false
	}
	e := it.data[table+3*c:]
	n := min(chunkSize, total-c*chunkSize)
	if !readPatched(it.chunkValues[:n], it.data[at:it.posEnd:cap(it.data)], int(e[0]), int(e[1]), 0) {
		it.failBlock("positions of block %d", it.block)
		return false
	}
	it.chunk = c
	return true
}

// BlockDeltas fills dst with the positions of the whole current block as they are
// stored: per document the first position, then the deltas. It is meant for
// copying.
func (it *Iterator) BlockDeltas(dst []uint32) []uint32 {
	dst = dst[:0]
	if !it.opts.Positions {
		return dst
	}
	if it.inline {
		return append(dst, it.inlinePosition)
	}
	if !it.startsReady {
		it.sumFreqs()
	}
	total := int(it.starts[it.count])
	if it.tiny {
		return it.tinyDeltas(dst, total)
	}
	for c := 0; c*chunkSize < total; c++ {
		if !it.decodeChunk(c) {
			return dst
		}
		dst = append(dst, it.chunkValues[:min(chunkSize, total-c*chunkSize)]...)
	}
	return dst
}

func (it *Iterator) tinyDeltas(dst []uint32, total int) []uint32 {
	b := it.data[it.posAt:it.posEnd]
	for range total {
		delta, n := binary.Uvarint(b)
		if n <= 0 {
			it.failBlock("positions at %d", it.posAt)
			return dst
		}
		b = b[n:]
		dst = append(dst, uint32(delta))
	}
	return dst
}
