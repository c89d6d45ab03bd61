package terms

import (
	"encoding/binary"
	"math/bits"

	"github.com/quiresearch/quire/internal/bitpack"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/segment/postings"
)

// Handles are packed in blocks of 64. Those that contain a document and those that
// refer to an offset in the postings are stored separately, each with the bits that
// the largest of the block needs. A handle is found by counting bits.

const (
	// handleBlock is the number of handles in a block.
	handleBlock = 64
	// handleHead is the size of the head of a block: a bit per handle that contains
	// a document; the lowest offset, with the four widths above it; the offset of
	// the block's numbers.
	handleHead = 24
	lowestBits = 40
)

// handleList is the list of handles of a field. It is safe for concurrent use.
// Damaged handles read as handles of nothing.
type handleList struct {
	heads     []byte
	data      []byte
	positions bool
}

func newHandleList(heads, data []byte, n int, positions bool) (handleList, bool) {
	blocks := (n + handleBlock - 1) / handleBlock
	return handleList{heads, data, positions}, len(heads) == blocks*handleHead
}

// handlePack is a block of handles, opened for random access. A damaged block is
// empty.
type handlePack struct {
	kinds            uint64 // which handles contain a document
	lowest           uint64 // offset
	inline, general  []byte // packed numbers of those that contain a document, and of the others
	docBits          int
	inlineWidth      int
	offsetBits       int
	generalWidth     int
	positions, valid bool
}

// open points b at block number i.
func (l *handleList) open(b *handlePack, i int) {
	head := l.heads[i*handleHead:]
	word := binary.LittleEndian.Uint64(head[8:])
	at := binary.LittleEndian.Uint64(head[16:])
	*b = handlePack{kinds: binary.LittleEndian.Uint64(head), lowest: word & (1<<lowestBits - 1), positions: l.positions}
	b.docBits, b.offsetBits = int(word>>lowestBits&63), int(word>>51&63)
	b.inlineWidth, b.generalWidth = b.docBits+int(word>>46&31), b.offsetBits+int(word>>57&31)
	if at > uint64(len(l.data)) {
		return
	}
	b.inline, b.valid = l.data[at:], true
	if skip := bitpack.Size(bits.OnesCount64(b.kinds), b.inlineWidth); skip <= len(b.inline) && b.generalWidth <= 64 {
		b.general = b.inline[skip:]
	}
}

// at returns handle number i of the block.
func (b *handlePack) at(i int) postings.Handle {
	if !b.valid {
		return 0
	}
	place := bits.OnesCount64(b.kinds & (1<<i - 1))
	if b.kinds>>i&1 != 0 {
		if bitpack.Size(place+1, b.inlineWidth) > len(b.inline) {
			return 0
		}
		v := bitpack.At(b.inline, place, b.inlineWidth)
		return postings.Inline(uint32(v&(1<<b.docBits-1)), uint32(v>>b.docBits), b.positions)
	}
	place = i - place
	if b.general == nil || bitpack.Size(place+1, b.generalWidth) > len(b.general) {
		return 0
	}
	v := bitpack.At(b.general, place, b.generalWidth)
	return postings.At(int64(b.lowest+v&(1<<b.offsetBits-1)), uint32(v>>b.offsetBits))
}

// at returns handle number i.
func (l *handleList) at(i int) postings.Handle {
	var b handlePack
	l.open(&b, i/handleBlock)
	return b.at(i % handleBlock)
}

// handleWriter packs handles block by block as they arrive.
type handleWriter struct {
	heads           gathered
	data            gathered
	open            []postings.Handle
	inline, general []uint64
	packed          []byte
}

func (w *handleWriter) add(h postings.Handle) {
	if len(w.open) == handleBlock {
		w.flush()
	}
	w.open = append(w.open, h)
}

// flush packs the open block.
func (w *handleWriter) flush() {
	if len(w.open) == 0 {
		return
	}
	var kinds, base uint64
	var docs, payloads, offsets, dfs uint64 // all values of a kind, ORed
	some := false
	for i, h := range w.open {
		if doc, payload, ok := h.Inlined(); ok {
			kinds |= 1 << i
			docs |= uint64(doc)
			payloads |= uint64(payload)
			continue
		}
		offset, df := h.Location()
		if !some {
			base, some = uint64(offset), true // offsets ascend
		}
		offsets |= uint64(offset) - base
		dfs |= uint64(df)
	}
	docBits, payloadBits := bits.Len64(docs), bits.Len64(payloads)
	offsetBits, dfBits := bits.Len64(offsets), bits.Len64(dfs)
	inline, general := w.inline[:0], w.general[:0]
	for _, h := range w.open {
		if doc, payload, ok := h.Inlined(); ok {
			inline = append(inline, uint64(payload)<<docBits|uint64(doc))
			continue
		}
		offset, df := h.Location()
		general = append(general, uint64(df)<<offsetBits|(uint64(offset)-base))
	}
	head := binary.LittleEndian.AppendUint64(w.packed[:0], kinds)
	head = binary.LittleEndian.AppendUint64(head, base|uint64(docBits)<<lowestBits|uint64(payloadBits)<<46|uint64(offsetBits)<<51|uint64(dfBits)<<57)
	head = binary.LittleEndian.AppendUint64(head, uint64(w.data.length))
	w.heads.add(head)
	w.packed = bitpack.Append64(head[:0], inline, docBits+payloadBits)
	w.packed = bitpack.Append64(w.packed, general, offsetBits+dfBits)
	w.data.add(w.packed)
	w.inline, w.general, w.open = inline, general, w.open[:0]
}

// write writes the heads of the blocks and their numbers.
func (w *handleWriter) write(out *blockfile.Writer, heads, data blockfile.ID) error {
	w.flush()
	if err := w.heads.section(out, heads); err != nil {
		return err
	}
	return w.data.section(out, data)
}
