package terms

import (
	"encoding/binary"

	"github.com/quiresearch/quire/internal/blockfile"
)

// pieceBytes is the size of a piece of gathered data. The first piece grows as
// needed, so that a small segment takes little memory.
const pieceBytes = 64 << 10

// gathered is data that a writer collects while another section is being written,
// in pieces that never move. Full pieces go to the temporary file aside, if there
// is one.
type gathered struct {
	aside  *blockfile.Aside
	full   []gatheredPiece
	open   []byte
	length int
}

// gatheredPiece is in memory, or in the temporary file if bytes is nil.
type gatheredPiece struct {
	bytes []byte
	at    int64
	size  int
}

// grow makes sure that the next n bytes are contiguous.
func (g *gathered) grow(n int) {
	need := len(g.open) + n
	switch {
	case need <= cap(g.open):
		return
	case len(g.open) == 0 || need <= pieceBytes:
		// Doubled, so that growing leaves little garbage.
		g.open = append(make([]byte, 0, max(need, min(2*cap(g.open), pieceBytes), 64)), g.open...)
		return
	}
	if at, kept := g.aside.Put(g.open); kept {
		g.full = append(g.full, gatheredPiece{at: at, size: len(g.open)})
		g.open = g.open[:0]
		return
	}
	g.full = append(g.full, gatheredPiece{bytes: g.open})
	g.open = make([]byte, 0, max(pieceBytes, n))
}

// add appends bytes and returns the copy, valid until more are added.
func (g *gathered) add(p []byte) []byte {
	g.grow(len(p))
	g.open = append(g.open, p...)
	g.length += len(p)
	return g.open[len(g.open)-len(p):]
}

// add32 appends a number like add.
func (g *gathered) add32(v uint32) {
	g.grow(4)
	g.open = binary.LittleEndian.AppendUint32(g.open, v)
	g.length += 4
}

// add64 appends a number like add.
func (g *gathered) add64(v uint64) {
	g.grow(8)
	g.open = binary.LittleEndian.AppendUint64(g.open, v)
	g.length += 8
}

// each calls do with the pieces in order; the bytes of one call of add are never
// split.
func (g *gathered) each(do func(piece []byte)) error {
	var buf []byte
	for _, p := range g.full {
		if p.bytes != nil {
			do(p.bytes)
			continue
		}
		if cap(buf) < p.size {
			buf = make([]byte, p.size)
		}
		if err := g.aside.Get(buf[:p.size], p.at); err != nil {
			return err
		}
		do(buf[:p.size])
	}
	do(g.open)
	return nil
}

// section writes the data as a section.
func (g *gathered) section(out *blockfile.Writer, id blockfile.ID) error {
	out.Begin(id)
	return g.each(func(piece []byte) { out.Write(piece) }) // errors are kept in out
}
