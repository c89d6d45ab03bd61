package vectors

import (
	"math/bits"

	"github.com/quiresearch/quire/internal/simd"
)

// The graph is a hierarchical navigable small world (HNSW): Malkov and Yashunin,
// "Efficient and robust approximate nearest neighbor search using Hierarchical
// Navigable Small World graphs", 2016, https://arxiv.org/abs/1603.09320. Every node
// is on the ground level; one in m of them is also on level 1, one in m of those on
// level 2, and so on. A search starts at the entry on the highest level, moves to
// nearer neighbours until there are none, and continues from there on the level
// below: the upper levels cover distance in few steps, and on the ground level it
// keeps the best candidates. Example_insert and Example_filteredWalk show both with
// small numbers.

// graph holds the links of all nodes: a row for every node on the ground level, and
// one for each upper level of the few raised nodes.
type graph struct {
	m     int
	entry uint32
	top   int // highest level, -1 when there is no node

	ground []uint32 // a row of 2*m + 1 per node: a count and the neighbours
	above  []uint32 // a row of m + 1 per raised node and level, in the same form

	height   []uint8  // highest level of each node, or twin
	twins    int      // number of twins
	raised   []uint64 // a bit for each node that has rows in above
	before   []uint32 // how many of them come before each word of raised
	rowAbove []uint32 // the first row above of each of them
}

// twin in place of a height marks a node whose vector equals that of its first
// neighbour, its representative: see hang.
const twin = 255

// newGraph returns a graph without links of nodes with the given heights.
func newGraph(m int, height []uint8) *graph {
	g := &graph{m: m, top: -1, height: height, ground: make([]uint32, len(height)*(2*m+1))}
	g.above = make([]uint32, g.raise()*(m+1))
	return g
}

// raise assigns rows in above by the heights of nodes and returns their number.
func (g *graph) raise() (rows int) {
	words := (len(g.height) + 63) / 64
	g.raised, g.before = make([]uint64, words), make([]uint32, words)
	for node, height := range g.height {
		if node%64 == 0 {
			g.before[node/64] = uint32(len(g.rowAbove))
		}
		switch height {
		case 0:
		case twin:
			g.twins++
		default:
			g.raised[node/64] |= 1 << (node % 64)
			g.rowAbove = append(g.rowAbove, uint32(rows))
			rows += int(height)
		}
	}
	return rows
}

// row returns the count and the neighbours of a node on a level.
func (g *graph) row(node uint32, level int) []uint32 {
	if level == 0 {
		width := 2*g.m + 1
		return g.ground[int(node)*width:][:width]
	}
	earlier := bits.OnesCount64(g.raised[node/64] & (1<<(node%64) - 1))
	at := int(g.rowAbove[int(g.before[node/64])+earlier]) + level - 1
	return g.above[at*(g.m+1):][:g.m+1]
}

// links returns the neighbours of a node on a level.
func (g *graph) links(node uint32, level int) []uint32 {
	row := g.row(node, level)
	return row[1 : 1+row[0]]
}

// fetch prefetches the ground-level neighbours of a node.
func (g *graph) fetch(node uint32) { simd.Fetch(g.row(node, 0)) }

func (g *graph) setLinks(node uint32, level int, links []uint32) {
	row := g.row(node, level)
	row[0] = uint32(copy(row[1:], links))
}

// addLink adds a neighbour; there must be a free link.
func (g *graph) addLink(node uint32, level int, to uint32) {
	row := g.row(node, level)
	row[0]++
	row[row[0]] = to
}

func (g *graph) limit(level int) int {
	if level == 0 {
		return 2 * g.m
	}
	return g.m
}

// levels returns the highest level of a node.
func (g *graph) levels(node uint32) int {
	if g.raised[node/64]>>(node%64)&1 == 0 {
		return 0
	}
	return int(g.height[node])
}

// split returns the neighbours of a node on the ground level without its first
// twin, and that twin if there is one.
func (g *graph) split(node uint32) (links []uint32, first uint32, has bool) {
	links = g.links(node, 0)
	if g.twins > 0 && len(links) > 0 && g.height[links[0]] == twin && g.height[node] != twin {
		return links[1:], links[0], true
	}
	return links, 0, false
}

// eachTwin calls want with the twins of a representative in order until it returns
// false; scratch is reused memory.
func (g *graph) eachTwin(node uint32, scratch *[]uint32, want func(node uint32) bool) {
	_, first, has := g.split(node)
	if !has {
		return
	}
	queue := append((*scratch)[:0], first)
	for i := 0; i < len(queue) && i < g.twins && want(queue[i]); i++ {
		if links := g.links(queue[i], 0); len(links) > 1 {
			queue = append(queue, links[1:]...)
		}
	}
	*scratch = queue
}
