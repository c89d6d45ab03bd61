package terms

import "unicode/utf8"

// Branches are the children of the large nodes of a trie. A node is a range of a
// sorted list; to find where each of its children begins, a walk has to look into the
// list at places far from each other, most of which miss the caches of the processor.
// Where a node is large these places are kept side by side.
//
// Example: 12,000 terms start with "m". Of its children "ma" has 3,000 terms, "mb" has
// 40, "me" 2,500. A walk reads where all of them begin from a few lines; only of "ma"
// and "me" the children are kept too.

const (
	// branchedTerms is how many terms a node has at least whose children are kept.
	branchedTerms = 256
	// branchedShare is how many terms the children of such a node have at least on
	// average: keeping many children of few terms takes memory and saves little.
	branchedShare = 4
	// branchedDepth is how many bytes such a node shares at most, which bounds how
	// often a term is looked at.
	branchedDepth = 8
	// branchBytes is what a child takes. All of them take a byte for each string of the
	// list at most, and half of that where the strings are words.
	branchBytes = 12
)

// branch is one child of a node.
type branch struct {
	first  uint32 // string of the list
	letter rune   // behind what the node shares; noLetter behind the last child
	node   uint32 // whose strings these are, 0 when its children are not kept
}

// noLetter ends the children of a node.
const noLetter = -1

// branches are the children of nodes, those of one node side by side. Node number n
// begins at place n−1; the root is node 1. Behind the last child of a node stands where
// the node ends.
type branches []branch

// newBranches finds the children of the large nodes of a list.
func newBranches(list *List, skips *skips) branches {
	var b branches
	b.add(list, skips, 0, list.Len(), 0)
	return append(branches(nil), b...)
}

// add adds a node and those below it and returns its number, 0 when it is not kept.
func (b *branches) add(list *List, skips *skips, lo, hi, depth int) (node uint32) {
	if hi-lo < branchedTerms || depth > branchedDepth {
		return 0
	}
	from := len(*b)
	i := lo
	if len(list.At(i)) <= depth {
		i++
	}
	for i < hi {
		at := list.At(i)
		r, size := utf8.DecodeRune(at[min(depth, len(at)):])
		isMany := (len(*b)-from)*branchedShare >= hi-lo || (len(*b)+2)*branchBytes > list.Len()
		if size == 0 || r == utf8.RuneError || isMany {
			*b = (*b)[:from] // damaged, or not worth it
			return 0
		}
		*b = append(*b, branch{first: uint32(i), letter: r})
		i = skips.next(i, depth+size, hi)
	}
	*b = append(*b, branch{first: uint32(hi), letter: noLetter})
	for at, last := from, len(*b)-1; at < last; at++ {
		child := (*b)[at]
		below := b.add(list, skips, int(child.first), int((*b)[at+1].first), depth+utf8.RuneLen(child.letter))
		(*b)[at].node = below
	}
	return uint32(from + 1)
}

// of returns the children of a node, and behind them where it ends.
func (b branches) of(node uint32) branches { return b[node-1:] }

// find returns which child of a node has a letter; ok is false when none has.
func (b branches) find(node uint32, letter rune) (lo, hi int, below uint32, ok bool) {
	children := b.of(node)
	for i := range children {
		if c := &children[i]; c.letter == letter {
			return int(c.first), int(children[i+1].first), c.node, true
		} else if c.letter == noLetter {
			break
		}
	}
	return 0, 0, 0, false
}

// narrow returns a range of a list of n strings that has all that start with a text,
// after how many bytes of the text it ended, and the node of the range, 0 where its
// children are not kept.
func (b branches) narrow(n int, text []byte) (lo, hi, at int, node uint32) {
	if hi = n; len(b) > 0 {
		node = 1
	}
	for at < len(text) && node != 0 {
		r, size := utf8.DecodeRune(text[at:])
		from, to, below, ok := b.find(node, r)
		if !ok || r == utf8.RuneError {
			return lo, hi, at, 0
		}
		lo, hi, node, at = from, to, below, at+size
	}
	return lo, hi, at, node
}
