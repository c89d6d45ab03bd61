package points

import (
	"github.com/quiresearch/quire/internal/bitpack"
	"github.com/quiresearch/quire/internal/blockfile"
)

// index is the common part of both kinds of indexes: entries in blocks, each
// described by blockWords words.
type index struct {
	n      int
	data   []byte
	blocks []uint64
}

const blockWords = 4

// openIndex opens the index with the given owner in a file. It does not check the
// words of the blocks; callers report what is wrong with them through corrupt.
func openIndex(file *blockfile.Reader, owner uint32) (p index, corrupt func(format string, args ...any) error, err error) {
	data, _ := file.Section(blockfile.ID{Owner: owner, Part: PartData})
	id := blockfile.ID{Owner: owner, Part: PartBlocks}
	raw, _ := file.Section(id)
	corrupt = func(format string, args ...any) error {
		return blockfile.Corrupt(file.Name(), file.Offset(id), format, args...)
	}
	words := bitpack.Uint64s(raw)
	if len(words) == 0 || (len(words)-1)%blockWords != 0 {
		return index{}, nil, corrupt("blocks of points")
	}
	p = index{n: int(words[0]), data: data, blocks: words[1:]}
	if words[0] > 1<<40 || p.numBlocks() != len(p.blocks)/blockWords {
		return index{}, nil, corrupt("%d points in %d blocks", words[0], len(p.blocks)/blockWords)
	}
	return p, corrupt, nil
}

func (p *index) numBlocks() int { return (p.n + BlockSize - 1) / BlockSize }

// count returns the number of entries in a block.
func (p *index) count(b int) int { return min(BlockSize, p.n-b*BlockSize) }

// Len returns the number of entries.
func (p *index) Len() int { return p.n }
