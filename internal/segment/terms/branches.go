package terms

import "unicode/utf8"

// Branches are the children of the large nodes of a trie. A node is a range of a
// sorted list; to find where each of its children begins, a walk must read the list
// at positions far from each other, most of which miss the caches of the processor.
// For large nodes these positions are stored side by side.
//
// Example: 12,000 terms start with "m". Of its children "ma" has 3,000 terms, "mb"
// has 40, "me" 2,500. A walk reads the starts of all children from a few cache
// lines; of the children of these, only those of "ma" and "me" are stored.

const (
	// branchedTerms is the smallest number of terms of a node whose children are
	// stored.
	branchedTerms = 256
	// branchedShare is the smallest average number of terms in the children of such
	// a node: storing many children with few terms takes memory and saves little.
	branchedShare = 4
	// branchedDepth is the largest number of bytes that the terms of such a node
	// share. It bounds how often a term is examined.
	branchedDepth = 8
	// branchBytes is the size of a child. All of them together take at most one
	// byte for each string of the list, and half of that if the strings are words.
	branchBytes = 12
)

// branch is one child of a node.
type branch struct {
	first  uint32 // index of its first string in the list
	letter rune   // after the shared prefix of the node; noLetter after the last child
	node   uint32 // the node with these strings, 0 when its children are not stored
}

// noLetter ends the children of a node.
const noLetter = -1

// branches are the children of nodes, those of one node side by side. Node number n
// begins at index n−1; the root is node 1. After the last child of a node comes an
// entry with the end of the node.
type branches []branch

// newBranches finds the children of the large nodes of a list.
func newBranches(list *List, skips *skips) branches {
	var b branches
	b.add(list, skips, 0, list.Len(), 0)
	return append(branches(nil), b...)
}

// add adds a node and those below it and returns its number, 0 when it is not
// stored.
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

// of returns the children of a node, followed by its end.
func (b branches) of(node uint32) branches { return b[node-1:] }

// find returns the child of a node with the given letter; ok is false when there is
// none.
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

// narrow returns a range of a list of n strings that contains all that start with
// text. at is the number of bytes of text that the range accounts for, and node the
// node of the range, 0 when its children are not stored.
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
