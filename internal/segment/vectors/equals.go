package vectors

import (
	"cmp"
	"hash/maphash"
	"slices"
	"unsafe"
)

// Only one of several equal vectors takes part in building the graph, the
// representative. Many equal vectors would fill every list of candidates and link
// only to each other: other nodes could not be found from them, nor all of them be
// found. The twins hang on their representative as a tree instead, in the order of
// nodes, and are visited when the representative is among the nearest.

// group is a representative and its twins in ascending order.
type group struct {
	representative uint32
	twins          []uint32
}

// groups finds vectors shared by several nodes; the first node represents the
// others.
func (r *rows) groups() []group {
	type slot struct{ tag, node uint32 }
	slots := make([]slot, tableSize(r.len()))
	for i := range slots {
		slots[i].node = none
	}
	seed := maphash.MakeSeed()
	type pair struct{ first, twin uint32 }
	var pairs []pair
	for node := range uint32(r.len()) {
		hash := maphash.Bytes(seed, r.bytes(node))
		tag := uint32(hash >> 32)
		for i := int(hash) & (len(slots) - 1); ; i = (i + 1) & (len(slots) - 1) {
			if slots[i].node == none {
				slots[i] = slot{tag, node}
				break
			}
			if slots[i].tag == tag && slices.Equal(r.row(slots[i].node), r.row(node)) {
				pairs = append(pairs, pair{slots[i].node, node})
				break
			}
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.twin, b.twin))
	})
	var groups []group
	for i, p := range pairs {
		if i == 0 || p.first != pairs[i-1].first {
			groups = append(groups, group{representative: p.first})
		}
		last := &groups[len(groups)-1]
		last.twins = append(last.twins, p.twin)
	}
	return groups
}

// tableSize returns the smallest power of two that is at least 2n, and at least 2.
func tableSize(n int) int {
	size := 2
	for size < 2*n {
		size *= 2
	}
	return size
}

func (r *rows) bytes(node uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(r.at[node])), 4*r.dimensions)
}

// represent makes a twin the representative.
func (g *group) represent(twin uint32) {
	at := slices.Index(g.twins, twin)
	g.twins = slices.Insert(slices.Delete(g.twins, at, at+1), 0, g.representative)
	slices.Sort(g.twins)
	g.representative = twin
}

// truncate drops links of a representative to leave space for its first twin.
func (g *graph) truncate(of group) {
	links := g.links(of.representative, 0)
	g.setLinks(of.representative, 0, links[:min(len(links), g.limitWithTwins())])
}

// limitWithTwins is the maximum number of other links of a representative. If there
// are only two links, the twin replaces one of them.
func (g *graph) limitWithTwins() int { return max(2, g.limit(0)-1) }

// hang links the twins of a group to their representative: the first twin directly,
// the others as children of earlier twins. Every twin links back to the
// representative.
func (g *graph) hang(of group) {
	limit := g.limit(0)
	links := append(make([]uint32, 0, limit+1), of.twins[0])
	links = append(links, g.links(of.representative, 0)...)
	g.setLinks(of.representative, 0, links[:min(len(links), limit)])
	for i, node := range of.twins {
		from := min(i*(limit-1)+1, len(of.twins))
		to := min(from+limit-1, len(of.twins))
		links = append(links[:0], of.representative)
		g.setLinks(node, 0, append(links, of.twins[from:to]...))
		g.height[node] = twin
	}
	g.twins += len(of.twins)
}
