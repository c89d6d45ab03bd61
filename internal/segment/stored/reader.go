package stored

import (
	"encoding/binary"
	"fmt"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"

	"github.com/quiresearch/quire/internal/bitpack"
	"github.com/quiresearch/quire/internal/blockfile"
)

// cacheSlots is the number of unpacked blocks that a Reader caches: about 1 MiB.
const cacheSlots = 256

// maxCached is the largest unpacked block that is cached.
const maxCached = 64 << 10

// Reader returns stored records.
type Reader struct {
	name    string
	offset  int64
	data    []byte
	blocks  []uint64
	numDocs uint32
	packed  bool // some block is packed
	cache   [cacheSlots]atomic.Pointer[block]
}

// slack is the room after an unpacked block. With it, the decoder copies 16 bytes at
// a time.
const slack = 16

// block is an unpacked block.
type block struct {
	index int
	ends  []uint32 // of records in data
	data  []byte
}

// decoder unpacks all blocks of the process: DecodeAll is safe for concurrent use.
var decoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxBlock))
})

// Open opens the records of a file with numDocs documents. It returns nil when the
// file has none.
func Open(file *blockfile.Reader, owner, numDocs uint32) (*Reader, error) {
	id := blockfile.ID{Owner: owner, Part: PartData}
	data, ok := file.Section(id)
	if !ok {
		return nil, nil
	}
	index, _ := file.Section(blockfile.ID{Owner: owner, Part: PartBlocks})
	r := &Reader{name: file.Name(), offset: file.Offset(id), data: data, blocks: bitpack.Uint64s(index), numDocs: numDocs}
	n := r.NumBlocks()
	if len(r.blocks) == 0 || len(r.blocks)%entryWords != 0 || r.blocks[entryWords*n] != uint64(numDocs) {
		return nil, r.corrupt(0, "index of blocks")
	}
	for b := range n {
		if r.first(b) >= r.first(b+1) || r.at(b) > r.at(b+1) || !r.fits(b) {
			return nil, r.corrupt(b, "index of block %d", b)
		}
		r.packed = r.packed || r.rawSize(b)&sameFlag == 0
	}
	if r.at(n) != uint64(len(data)) || r.first(0) != 0 {
		return nil, r.corrupt(0, "index of blocks")
	}
	return r, nil
}

// fits reports whether the raw size of a block is plausible.
func (r *Reader) fits(b int) bool {
	if size := r.rawSize(b); size&sameFlag != 0 {
		return uint64(size&^sameFlag) == r.at(b+1)-r.at(b)
	}
	return r.rawSize(b) <= maxBlock
}

func (r *Reader) corrupt(b int, format string, args ...any) error {
	at := r.offset
	if entryWords*b+1 < len(r.blocks) {
		at += int64(r.blocks[entryWords*b+1])
	}
	return blockfile.Corrupt(r.name, at, format, args...)
}

// IsPacked reports whether reading some record requires unpacking a block.
func (r *Reader) IsPacked() bool { return r.packed }

// NumBlocks returns the number of blocks.
func (r *Reader) NumBlocks() int { return max(len(r.blocks)/entryWords-1, 0) }

func (r *Reader) first(b int) uint32   { return uint32(r.blocks[entryWords*b]) }
func (r *Reader) rawSize(b int) uint32 { return uint32(r.blocks[entryWords*b] >> 32) }
func (r *Reader) at(b int) uint64      { return r.blocks[entryWords*b+1] }

// Block returns a packed block with the half-open range of its documents, for
// Writer.AddBlock.
func (r *Reader) Block(b int) (packed []byte, from, to, rawSize uint32) {
	return r.data[r.at(b):r.at(b+1)], r.first(b), r.first(b + 1), r.rawSize(b)
}

// Get appends the record of a document to dst; nothing if it has none.
func (r *Reader) Get(dst []byte, doc uint32) ([]byte, error) {
	if doc >= r.numDocs {
		return dst, fmt.Errorf("read record of %s: document %d of %d", r.name, doc, r.numDocs)
	}
	b := sort.Search(r.NumBlocks(), func(b int) bool { return r.first(b+1) > doc })
	if r.rawSize(b)&sameFlag != 0 {
		return append(dst, r.data[r.at(b):r.at(b+1)]...), nil
	}
	u, err := r.unpacked(b)
	if err != nil {
		return dst, err
	}
	i := doc - r.first(b)
	from := uint32(0)
	if i > 0 {
		from = u.ends[i-1]
	}
	return append(dst, u.data[from:u.ends[i]]...), nil
}

// unpacked returns block b from the cache or unpacks it.
func (r *Reader) unpacked(b int) (*block, error) {
	slot := &r.cache[b%cacheSlots]
	if u := slot.Load(); u != nil && u.index == b {
		return u, nil
	}
	u, err := r.unpack(b)
	if err == nil && len(u.data) <= maxCached {
		slot.Store(u)
	}
	return u, err
}

func (r *Reader) unpack(b int) (*block, error) {
	d, err := decoder()
	if err != nil {
		return nil, fmt.Errorf("prepare decompression: %w", err)
	}
	packed, from, to, size := r.Block(b)
	// The stated size is trusted only as far as the packed bytes make it likely.
	raw, err := d.DecodeAll(packed, make([]byte, 0, min(int(size), 64*len(packed)+4096)+slack))
	if err != nil {
		return nil, r.corrupt(b, "block %d: %v", b, err)
	}
	if len(raw) != int(size) {
		return nil, r.corrupt(b, "block %d has %d bytes, not %d", b, len(raw), size)
	}
	u := &block{index: b, ends: make([]uint32, to-from)}
	end := uint64(0)
	for i := range u.ends {
		n, size := binary.Uvarint(raw)
		if size <= 0 || n > maxBlock {
			return nil, r.corrupt(b, "lengths of block %d", b)
		}
		raw = raw[size:]
		end += n
		u.ends[i] = uint32(end)
	}
	if end != uint64(len(raw)) {
		return nil, r.corrupt(b, "block %d holds %d bytes of records, not %d", b, len(raw), end)
	}
	u.data = raw
	return u, nil
}
