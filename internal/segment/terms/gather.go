package terms

import (
	"unsafe"

	"github.com/quiresearch/quire/internal/blockfile"
)

// pieceBytes is the size of a piece of what a writer gathers. Below it a piece
// grows as it must, so that a small segment takes little; beyond it another
// piece begins, so that a large one leaves no garbage behind.
const pieceBytes = 256 << 10

// gathered is a list that a writer fills while another section is written, in
// pieces that never move.
type gathered[T uint32 | uint64 | byte] struct {
	pieces [][]T
	length int
}

// add appends items that lie side by side in one piece.
func (g *gathered[T]) add(items ...T) {
	last := len(g.pieces) - 1
	if last < 0 || len(g.pieces[last])+len(items) > max(cap(g.pieces[last]), g.perPiece()) {
		piece := []T(nil)
		if last >= 0 {
			piece = make([]T, 0, max(g.perPiece(), len(items)))
		}
		g.pieces = append(g.pieces, piece)
		last++
	}
	g.pieces[last] = append(g.pieces[last], items...)
	g.length += len(items)
}

func (g *gathered[T]) perPiece() int {
	var item T
	return pieceBytes / int(unsafe.Sizeof(item))
}

// section writes the list as a section, its numbers by view.
func (g *gathered[T]) section(out *blockfile.Writer, id blockfile.ID, view func([]T) []byte) {
	out.Begin(id)
	for _, piece := range g.pieces {
		out.Write(view(piece)) // its error stays in out
	}
}

// asBytes is the view of bytes.
func asBytes(b []byte) []byte { return b }
