package postings

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/quiresearch/quire/internal/bitpack"
)

// Iterator walks the postings of one term block by block. It starts before the
// first block. It can be reset to other terms without allocating; it is some
// kilobytes large, so keep it. It belongs to one goroutine.
type Iterator struct {
	data []byte
	opts Options
	err  error

	df        uint32
	numBlocks int
	block     int // −1 before the first, numBlocks at the end
	index     int // position of Seek in the block

	lastDocs  []uint32
	blockAts  []uint32
	posAts    []uint32
	impactAts []uint32
	impacts   []byte
	blocksAt  int
	blocksEnd int
	posAt     int
	posEnd    int

	tiny           bool // the only block is decoded: its documents and frequencies are in place
	inline         bool // its only position too
	inlinePosition uint32
	single         [2]uint32

	docsReady   bool
	freqsReady  bool
	startsReady bool
	chunk       int // of positions decoded in chunkValues, −1 for none
	count       int // documents in the block, when docsReady
	freqsAt     int // offset of the frequencies, when docsReady

	docs        [BlockSize + bitpack.ExpandSlack]uint32
	freqs       [BlockSize]uint32
	starts      [BlockSize + 1]uint32
	chunkValues [chunkSize]uint32
	steps       []uint32 // of a document whose positions span several chunks

	blockPairs, groupPairs, termPairs [maxPairs]Impact

	boundBy Scorer
	small   []float32 // of boundBy
	bounds  [keptBounds]keptBound
}

// fail ends the iterator: there are no more blocks and no documents.
func (it *Iterator) fail(format string, args ...any) {
	if it.err == nil {
		it.err = damaged(format, args...)
	}
	it.block, it.numBlocks = 0, 0
	it.docsReady, it.freqsReady, it.count = true, true, 0
}

// failBlock makes the current block the last one: its documents are known, the rest
// of it is not.
func (it *Iterator) failBlock(format string, args ...any) {
	if it.err == nil {
		it.err = damaged(format, args...)
	}
	it.numBlocks = it.block + 1
}

// Err returns the first damage found; the iterator ended there.
func (it *Iterator) Err() error { return it.err }

// DocFreq returns the number of documents of the term.
func (it *Iterator) DocFreq() uint32 { return it.df }

// NumBlocks returns the number of blocks.
func (it *Iterator) NumBlocks() int { return it.numBlocks }

// Block returns the index of the current block: −1 before the first, NumBlocks at
// the end.
func (it *Iterator) Block() int { return it.block }

// NextBlock moves to the next block and reports whether there is one. It decodes
// nothing.
func (it *Iterator) NextBlock() bool {
	if it.block+1 >= it.numBlocks {
		it.moveTo(it.numBlocks)
		return false
	}
	it.moveTo(it.block + 1)
	return true
}

func (it *Iterator) moveTo(block int) {
	it.block, it.index = block, 0
	it.docsReady, it.freqsReady, it.startsReady, it.chunk = false, false, false, -1
}

// SeekBlock moves forward to the first block whose last document is not below
// target, and reports whether there is one. It stays if the current block already
// qualifies. It decodes nothing.
func (it *Iterator) SeekBlock(target uint32) bool {
	b := max(it.block, 0)
	if b >= it.numBlocks {
		return false
	}
	if target <= it.lastDocs[b] {
		if it.block < 0 {
			it.moveTo(0)
		}
		return true
	}
	// Galloping search: targets are mostly near.
	lo, step := b, 1
	for lo+step < it.numBlocks && it.lastDocs[lo+step] < target {
		lo += step
		step <<= 1
	}
	hi := min(lo+step, it.numBlocks)
	for lo+1 < hi {
		mid := int(uint(lo+hi) >> 1)
		if it.lastDocs[mid] < target {
			lo = mid
		} else {
			hi = mid
		}
	}
	it.moveTo(hi)
	return hi < it.numBlocks
}

// LastDoc returns the last document of the current block, NoMoreDocs at the end.
func (it *Iterator) LastDoc() uint32 {
	if uint(it.block) >= uint(it.numBlocks) {
		return NoMoreDocs
	}
	return it.lastDocs[it.block]
}

// FirstDoc returns the first document of the current block, NoMoreDocs at the end.
func (it *Iterator) FirstDoc() uint32 {
	if uint(it.block) >= uint(it.numBlocks) {
		return NoMoreDocs
	}
	if it.tiny {
		return it.docs[0]
	}
	if at := it.blocksAt + int(it.blockAts[it.block]) + 1; at+4 <= it.blocksEnd {
		return binary.LittleEndian.Uint32(it.data[at:])
	}
	return it.LastDoc()
}

// Count returns the number of documents in the current block.
func (it *Iterator) Count() int { return min(BlockSize, int(it.df)-it.block*BlockSize) }

// Docs returns the documents of the current block in ascending order, valid until
// the iterator moves. At the end it returns none.
func (it *Iterator) Docs() []uint32 {
	if !it.docsReady {
		it.decodeDocs()
	}
	return it.docs[:it.count]
}

// Freqs returns the frequencies of the current block, parallel to Docs; all are 1
// in a field without frequencies.
func (it *Iterator) Freqs() []uint32 {
	if !it.freqsReady {
		it.decodeFreqs()
	}
	return it.freqs[:it.count]
}

// FreqAt returns the frequency of the document at index in Docs.
func (it *Iterator) FreqAt(index int) uint32 {
	if !it.freqsReady {
		it.decodeFreqs()
	}
	return it.freqs[index]
}

// Seek moves to the first document not below target and returns it with its index
// in Docs; NoMoreDocs at the end. It never moves backwards.
func (it *Iterator) Seek(target uint32) (doc uint32, index int) {
	if !it.SeekBlock(target) {
		return NoMoreDocs, 0
	}
	docs := it.Docs()
	lo := it.index
	if lo < len(docs) && docs[lo] >= target {
		return docs[lo], lo
	}
	// docs[lo] < target ≤ the last document: gallop, then bisect.
	step := 1
	for lo+step < len(docs) && docs[lo+step] < target {
		lo += step
		step <<= 1
	}
	hi := min(lo+step, len(docs))
	for lo+1 < hi {
		mid := int(uint(lo+hi) >> 1)
		if docs[mid] < target {
			lo = mid
		} else {
			hi = mid
		}
	}
	if hi >= len(docs) {
		it.fail("block %d ends before its last document", it.block)
		return NoMoreDocs, 0
	}
	it.index = hi
	return docs[hi], hi
}

// frame reads the head of the current block: its kind, its first document and the
// offset of its documents. It sets freqsAt and count.
func (it *Iterator) frame() (kind byte, first uint32, at int, ok bool) {
	at = it.blocksAt + int(it.blockAts[it.block])
	if at+5 > it.blocksEnd {
		it.fail("block %d", it.block)
		return 0, 0, 0, false
	}
	kind, first = it.data[at], binary.LittleEndian.Uint32(it.data[at+1:])
	at += 5
	n, size := it.Count(), 0
	switch {
	case kind == kindRun:
	case kind == kindBitset:
		size = 8 * (int(it.lastDocs[it.block]>>6) - int(first>>6) + 1)
	case kind <= 32:
		size = bitpack.Size(n, int(kind))
	case kind >= kindSteps && kind <= kindSteps+32 && at+2 <= it.blocksEnd:
		size = 2 + bitpack.Size(n, int(kind-kindSteps)) + int(it.data[at+1])
	default:
		size = -1
	}
	if size < 0 || at+size > it.blocksEnd {
		it.fail("block %d of kind %d", it.block, kind)
		return 0, 0, 0, false
	}
	it.freqsAt, it.count = at+size, n
	return kind, first, at, true
}

func (it *Iterator) decodeDocs() {
	it.docsReady = true
	if uint(it.block) >= uint(it.numBlocks) {
		it.count = 0
		return
	}
	if it.tiny {
		it.count = int(it.df)
		return
	}
	kind, first, at, ok := it.frame()
	if !ok {
		return
	}
	docs := it.docs[:it.count]
	switch kind {
	case kindRun:
		for i := range docs {
			docs[i] = first + uint32(i)
		}
	case kindBitset:
		if got := bitpack.ExpandBits(it.docs[:], it.data[at:it.freqsAt], first&^63); got != len(docs) {
			it.fail("bits of block %d hold %d documents, not %d", it.block, got, len(docs))
		}
	default:
		if kind < kindSteps {
			bitpack.UnpackAdd32(it.docs[:(len(docs)+7)&^7], it.data[at:], int(kind), first)
			return
		}
		width, exceptions := int(kind-kindSteps), int(it.data[at])
		at += 2
		bitpack.Unpack32(it.docs[:(len(docs)+7)&^7], it.data[at:], width)
		if exceptions > 0 && !patch(docs, it.data[at+bitpack.Size(len(docs), width):it.freqsAt], width, exceptions) {
			it.fail("exceptions of block %d", it.block)
			return
		}
		bitpack.SumTo32(docs, first)
	}
}

func (it *Iterator) decodeFreqs() {
	if it.tiny || uint(it.block) >= uint(it.numBlocks) {
		it.decodeDocs()
	} else if !it.docsReady {
		it.frame()
	}
	it.freqsReady = true
	if it.tiny {
		return
	}
	freqs := it.freqs[:it.count]
	if !it.opts.Freqs || it.count == 0 {
		for i := range freqs {
			freqs[i] = 1
		}
		return
	}
	at := it.freqsAt
	width, exceptions := 0, 0
	if at+2 <= it.blocksEnd {
		width, exceptions = int(it.data[at]), int(it.data[at+1])
	} else {
		it.failBlock("frequencies of block %d", it.block)
	}
	if width != 0 || exceptions != 0 {
		if readPatched(freqs, it.data[at+2:it.blocksEnd:cap(it.data)], width, exceptions, 1) {
			return
		}
		it.failBlock("frequencies of block %d", it.block)
	}
	for i := range freqs {
		freqs[i] = 1
	}
}

// maxRanked is the largest number of words of a block in which documents are found
// by rank. It exceeds that of any block that a Writer stores as a bitset.
const maxRanked = 64

// FindBits finds which of docs are in the current block, if the block is a bitset
// that has not been decoded; otherwise ok is false. docs must be ascending and not
// beyond the block. found receives the indexes in docs, places those in the block.
func (it *Iterator) FindBits(docs []uint32, found, places []uint16) (n int, ok bool) {
	if it.docsReady || it.tiny {
		return 0, false
	}
	kind, first, at, ok := it.frame()
	if !ok || kind != kindBitset {
		return 0, false
	}
	words, from := it.data[at:it.freqsAt], first>>6
	if len(docs) == 0 || len(words) > 8*maxRanked {
		return 0, len(docs) == 0
	}
	// The ranks of all words are computed before documents are looked up, so that
	// no branch depends on the distances between them.
	var ranks [maxRanked]uint16
	before, last := 0, it.count-1
	number := min(docs[len(docs)-1]>>6-from+1, uint32(len(words)/8))
	for i := range ranks[:number] {
		ranks[i] = uint16(before)
		before += bits.OnesCount64(binary.LittleEndian.Uint64(words[8*i:]))
	}
	for i, doc := range docs {
		at := doc>>6 - from
		if at >= number {
			continue // before the block; or beyond it if documents do not ascend, as in a damaged term
		}
		w, bit := binary.LittleEndian.Uint64(words[8*at:]), doc&63
		place := int(ranks[at&(maxRanked-1)]) + bits.OnesCount64(w&(1<<bit-1))
		found[n], places[n] = uint16(i), uint16(min(place, last))
		n += int(w >> bit & 1)
	}
	return n, true
}

// AppendHeldBits appends the documents of docs that are in the current block, if
// the block is a bitset; otherwise ok is false. docs must be ascending and not
// beyond the block.
func (it *Iterator) AppendHeldBits(dst, docs []uint32) (held []uint32, ok bool) {
	if it.tiny {
		return dst, false
	}
	kind, first, at, ok := it.frame()
	if !ok || kind != kindBitset {
		return dst, false
	}
	words, from := it.data[at:it.freqsAt], first>>6
	n := len(dst)
	dst = slices.Grow(dst, len(docs))[:n+len(docs)]
	for _, doc := range docs {
		at := 8 * uint64(doc>>6-from)
		if at >= uint64(len(words)) {
			continue // before the block; or beyond it if documents do not ascend, as in a damaged term
		}
		dst[n] = doc
		n += int(binary.LittleEndian.Uint64(words[at:]) >> (doc & 63) & 1)
	}
	return dst[:n], true
}

// IntoBitset sets the bit doc−base in words for every document of the term with
// base ≤ doc < base+64·len(words), from the current block on. It leaves the
// iterator at the first block that reaches beyond the window, or at the end. base
// must be a multiple of 64.
func (it *Iterator) IntoBitset(words []uint64, base uint32) {
	end := uint64(base) + uint64(len(words))*64
	for ok := it.SeekBlock(base); ok && uint64(it.FirstDoc()) < end; ok = it.NextBlock() {
		it.blockInto(words, base, end)
		if it.block >= it.numBlocks || uint64(it.LastDoc()) >= end {
			return
		}
	}
}

func (it *Iterator) blockInto(words []uint64, base uint32, end uint64) {
	if !it.tiny {
		kind, first, at, ok := it.frame()
		if !ok {
			return
		}
		switch kind {
		case kindRun:
			from := max(first, base) - base
			to := uint32(min(uint64(it.LastDoc())+1, end) - uint64(base))
			setRange(words, from, to)
			return
		case kindBitset:
			it.bitsInto(words, base, first, at)
			return
		}
	}
	docs := it.Docs()
	// A block may extend beyond the window on both sides.
	if len(docs) > 0 && docs[0] < base {
		docs = docs[LowerBound(docs, base):]
	}
	if len(docs) > 0 && uint64(docs[len(docs)-1]) >= end {
		docs = docs[:LowerBound(docs, uint32(end))]
	}
	for _, d := range docs {
		d -= base
		if w := int(d >> 6); w < len(words) {
			words[w] |= 1 << (d & 63)
		}
	}
}

// bitsInto ORs the words of a bitset block, which start at the word of its first
// document, into words, which start at base.
func (it *Iterator) bitsInto(words []uint64, base, first uint32, at int) {
	from, shift := int(first>>6), int(base>>6)
	src := it.data[at:it.freqsAt]
	if from < shift {
		src = src[min((shift-from)*8, len(src)):]
		from = shift
	}
	dst := words[from-shift:]
	n := min(len(src)/8, len(dst))
	dst = dst[:n]
	for i := range dst {
		dst[i] |= binary.LittleEndian.Uint64(src[i*8:])
	}
}

func setRange(words []uint64, from, to uint32) {
	if from >= to {
		return
	}
	first, last := from>>6, (to-1)>>6
	head, tail := ^uint64(0)<<(from&63), ^uint64(0)>>(63-(to-1)&63)
	if first == last {
		words[first] |= head & tail
		return
	}
	words[first] |= head
	for i := first + 1; i < last; i++ {
		words[i] = ^uint64(0)
	}
	words[last] |= tail
}
