package vectors

// graph is the links of all nodes. Level 0 holds every node in a flat array of
// fixed width; the few nodes of higher levels keep their links in a list.
type graph struct {
	m     int
	entry uint32
	top   int // highest level, -1 when there is no node

	width  int      // 2*m + 1: a count and the neighbours
	ground []uint32 // level 0, width per node

	height []uint8      // highest level of each node, or twin
	twins  int          // how many are
	upper  [][][]uint32 // upper[node] = links on level 1, 2, …; nil for most
}

// twin in place of a height marks a node whose vector is equal to that of its
// first neighbour, which represents it: see hang.
const twin = 255

// split returns the neighbours of a node on the ground level, and its first
// twin where it has some.
func (g *graph) split(node uint32) (links []uint32, first uint32, has bool) {
	links = g.links(node, 0)
	if g.twins > 0 && len(links) > 0 && g.height[links[0]] == twin && g.height[node] != twin {
		return links[1:], links[0], true
	}
	return links, 0, false
}

// eachTwin hands out the twins of a representative in order until one is not
// wanted; room is working memory.
func (g *graph) eachTwin(node uint32, room *[]uint32, want func(node uint32) bool) {
	_, first, has := g.split(node)
	if !has {
		return
	}
	queue := append((*room)[:0], first)
	for i := 0; i < len(queue) && i < g.twins && want(queue[i]); i++ {
		if links := g.links(queue[i], 0); len(links) > 1 {
			queue = append(queue, links[1:]...)
		}
	}
	*room = queue
}

// levels is the highest level of a node.
func (g *graph) levels(node uint32) int {
	if g.height[node] == twin {
		return 0
	}
	return int(g.height[node])
}

func newGraph(nodes, m int) *graph {
	width := 2*m + 1
	return &graph{
		m: m, top: -1, width: width,
		ground: make([]uint32, nodes*width),
		height: make([]uint8, nodes),
		upper:  make([][][]uint32, nodes),
	}
}

// links returns the neighbours of a node on a level.
func (g *graph) links(node uint32, level int) []uint32 {
	if level == 0 {
		row := g.ground[int(node)*g.width:][:g.width]
		return row[1 : 1+row[0]]
	}
	return g.upper[node][level-1]
}

func (g *graph) setLinks(node uint32, level int, links []uint32) {
	if level == 0 {
		row := g.ground[int(node)*g.width:][:g.width]
		row[0] = uint32(copy(row[1:], links))
		return
	}
	g.upper[node][level-1] = append(g.upper[node][level-1][:0], links...)
}

// addLink adds a neighbour; there must be room.
func (g *graph) addLink(node uint32, level int, to uint32) {
	if level == 0 {
		row := g.ground[int(node)*g.width:][:g.width]
		row[0]++
		row[row[0]] = to
		return
	}
	g.upper[node][level-1] = append(g.upper[node][level-1], to)
}

func (g *graph) limit(level int) int {
	if level == 0 {
		return 2 * g.m
	}
	return g.m
}

// grow gives a node its levels.
func (g *graph) grow(node uint32, height int) {
	g.height[node] = uint8(height)
	if height > 0 {
		g.upper[node] = make([][]uint32, height)
	}
}
