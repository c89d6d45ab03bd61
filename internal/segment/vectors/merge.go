package vectors

import (
	"context"
	"io"
	"math"
	"slices"
)

// Input is one column of a merge. Doc maps a document of the input to its new
// number; it returns false if the document is gone.
type Input struct {
	Reader *Reader
	Doc    func(doc uint32) (uint32, bool)
}

// Merge writes one column made from several; documents keep their order. It starts
// from the graph of the input with the most nodes, regardless of its quantization.
// Rows are read in place from the inputs: only the graph and, up to maxCodeBytes,
// codes are held in memory.
func Merge(ctx context.Context, to io.Writer, o Options, inputs []Input, threads int) error {
	largest, largestNodes, total := -1, 0, 0
	for i, in := range inputs {
		have := in.Reader.options
		have.Quantization = o.Quantization
		if n := in.Reader.Len(); n > largestNodes && have == o.written() {
			largest, largestNodes = i, n
		}
		total += in.Reader.Len()
	}
	docs, all := make([]uint32, 0, total), newRows(o.Dimensions, total)
	var kept []uint32 // node of the largest input → new node, or none
	for i, in := range inputs {
		for node := range in.Reader.Len() {
			doc, ok := in.Doc(in.Reader.Doc(node))
			if i == largest {
				if !ok {
					kept = append(kept, none)
				} else {
					kept = append(kept, uint32(len(docs)))
				}
			}
			if ok {
				docs = append(docs, doc)
				all.add(in.Reader.Vector(node))
			}
		}
	}
	c := &column{Options: o, docs: docs, rows: all}
	if largest < 0 || inputs[largest].Reader.graph.top < 0 {
		return c.finish(ctx, to, nil, threads)
	}
	return c.finish(ctx, to, &carried{inputs[largest].Reader, kept}, threads)
}

const none = math.MaxUint32

// carried is a column from whose graph another graph is built.
type carried struct {
	reader *Reader
	kept   []uint32 // node → new node, or none
}

// settleAll drops carried nodes that are equal to another one of the new nodes.
func (c *carried) settleAll(nodes int, groups []group) {
	if len(groups) == 0 {
		return
	}
	from := make([]uint32, nodes) // new node → node, or none
	for i := range from {
		from[i] = none
	}
	for node, to := range c.kept {
		if to != none {
			from[to] = uint32(node)
		}
	}
	for i := range groups {
		c.settle(&groups[i], from)
	}
}

// settle chooses a representative that the carried graph already contains, if there
// is one, and drops the others.
func (c *carried) settle(g *group, from []uint32) {
	for _, node := range slices.Concat([]uint32{g.representative}, g.twins) {
		if old := from[node]; old != none && c.reader.graph.height[old] != twin {
			if node != g.representative {
				g.represent(node)
			}
			break
		}
	}
	for _, node := range g.twins {
		if old := from[node]; old != none {
			c.kept[old] = none
		}
	}
	if old := from[g.representative]; old != none && c.reader.graph.height[old] == twin {
		c.kept[old] = none
	}
}

// carryTo copies the links to a graph with more nodes, in which the kept nodes have
// their previous heights. A neighbour that is gone is replaced by its own
// neighbours, so that the graph stays connected where documents were deleted.
func (c *carried) carryTo(out *graph) {
	g, kept := c.reader.graph, c.kept
	var links []uint32
	for node := range kept {
		to := kept[node]
		if to == none {
			continue
		}
		height := g.levels(uint32(node))
		for level := 0; level <= height; level++ {
			links = links[:0]
			limit := g.limit(level)
			for _, n := range g.links(uint32(node), level) {
				if kept[n] != none {
					links = appendLink(links, kept[n], to, limit)
					continue
				}
				for _, further := range g.links(n, level) {
					if kept[further] != none {
						links = appendLink(links, kept[further], to, limit)
					}
				}
			}
			out.setLinks(to, level, links)
		}
		if height > out.top {
			out.top, out.entry = height, to
		}
	}
}

func appendLink(links []uint32, n, self uint32, limit int) []uint32 {
	if n == self || len(links) >= limit || slices.Contains(links, n) {
		return links
	}
	return append(links, n)
}
