package vectors

import (
	"context"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/quiresearch/quire/internal/simd"
)

// Write builds the column of documents, which strictly increase, and their
// vectors, one behind the other. It takes the vectors over: under cosine
// similarity they are scaled to unit length. The threads share the work; fewer
// than one means all cores.
func Write(ctx context.Context, to io.Writer, o Options, docs []uint32, rows []float32, threads int) error {
	if o.Similarity == Cosine {
		for at := 0; at < len(rows); at += o.Dimensions {
			Normalize(rows[at:][:o.Dimensions])
		}
	}
	return finish(ctx, to, o, docs, rows, nil, threads)
}

func finish(ctx context.Context, to io.Writer, o Options, docs []uint32, rows []float32, start *graph, threads int) error {
	g := &graph{m: o.links(), top: -1}
	if len(docs) > scanLimit { // fewer are always scanned
		var err error
		if g, err = buildGraph(ctx, o, rows, len(docs), start, threads); err != nil {
			return err
		}
	}
	return write(to, o, docs, rows, g)
}

// Input is one column of a merge: Doc maps a document of the input to its new
// number, or reports that it is gone.
type Input struct {
	Reader *Reader
	Doc    func(doc uint32) (uint32, bool)
}

// Merge writes one column made of several, whose documents keep their order. It
// starts from the graph of the input with most nodes; how rows are quantized
// plays no part in it.
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
	docs := make([]uint32, 0, total)
	rows := make([]float32, 0, total*o.Dimensions)
	var start *graph
	var kept []uint32 // node of the largest input → new node, or none
	for i, in := range inputs {
		if i == largest {
			kept = make([]uint32, in.Reader.Len())
		}
		for node := range in.Reader.Len() {
			doc, ok := in.Doc(in.Reader.Doc(node))
			if i == largest {
				kept[node] = none
				if ok {
					kept[node] = uint32(len(docs))
				}
			}
			if ok {
				docs = append(docs, doc)
				rows = append(rows, in.Reader.Vector(node)...)
			}
		}
	}
	if largest >= 0 && inputs[largest].Reader.graph.top >= 0 {
		start = inputs[largest].Reader.graph.carry(kept, len(docs))
	}
	return finish(ctx, to, o, docs, rows, start, threads)
}

const none = math.MaxUint32

// carry copies the graph into one with more nodes. A neighbour that is gone is
// replaced by its own neighbours, so that the graph stays connected where
// documents were deleted.
func (g *graph) carry(kept []uint32, nodes int) *graph {
	out := newGraph(nodes, g.m)
	var links []uint32
	for node := range kept {
		to := kept[node]
		if to == none {
			continue
		}
		height := int(g.height[node])
		out.grow(to, height)
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
	return out
}

func appendLink(links []uint32, n, self uint32, limit int) []uint32 {
	if n == self || len(links) >= limit || slices.Contains(links, n) {
		return links
	}
	return append(links, n)
}

// construction is a graph while nodes are inserted by several goroutines. A
// node's links are guarded by one of a fixed number of locks; entry and top
// have a lock of their own, taken before any other.
type construction struct {
	options Options
	rows    []float32
	graph   *graph
	locks   [1024]sync.Mutex

	mu    sync.RWMutex // entry and top
	entry uint32
	top   int
}

func (c *construction) row(node uint32) []float32 {
	d := c.options.Dimensions
	return c.rows[int(node)*d:][:d]
}

func (c *construction) lock(node uint32) *sync.Mutex { return &c.locks[node%uint32(len(c.locks))] }

func (c *construction) copyLinks(dst []uint32, node uint32, level int) []uint32 {
	l := c.lock(node)
	l.Lock()
	dst = append(dst[:0], c.graph.links(node, level)...)
	l.Unlock()
	return dst
}

func buildGraph(ctx context.Context, o Options, rows []float32, nodes int, start *graph, threads int) (*graph, error) {
	g := start
	if g == nil {
		g = newGraph(nodes, o.links())
	}
	c := &construction{options: o, rows: rows, graph: g, entry: g.entry, top: g.top}
	inserted := make([]bool, nodes)
	if start != nil {
		for node := range nodes {
			inserted[node] = g.ground[node*g.width] > 0 || g.height[node] > 0
		}
		if c.top < 0 {
			clear(inserted)
		} else {
			inserted[c.entry] = true
		}
	}
	// The heights come from a fixed seed: one set of documents has one shape.
	random := rand.New(rand.NewPCG(uint64(nodes), uint64(o.Dimensions)))
	scale := 1 / math.Log(float64(o.links()))
	var todo []uint32
	for node := range uint32(nodes) {
		height := min(int(-math.Log(1-random.Float64())*scale), 24)
		if inserted[node] {
			continue
		}
		g.grow(node, height)
		todo = append(todo, node)
	}
	if threads < 1 {
		threads = runtime.GOMAXPROCS(0)
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	work := func() {
		defer wg.Done()
		w := newInsertion(c, nodes)
		for {
			i := int(next.Add(1)) - 1
			if i >= len(todo) || i%256 == 0 && ctx.Err() != nil {
				return
			}
			w.insert(todo[i])
		}
	}
	// The first nodes go in alone, so that the others find something.
	if len(todo) > 0 {
		w := newInsertion(c, nodes)
		for int(next.Load()) < min(len(todo), 32) {
			w.insert(todo[next.Add(1)-1])
		}
	}
	for range threads {
		wg.Add(1)
		go work()
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	g.entry, g.top = c.entry, c.top
	return g, nil
}

// insertion is the working memory of one goroutine.
type insertion struct {
	*construction
	seen    marks
	links   []uint32
	fresh   []uint32
	raws    []float32
	queue   best
	found   worst
	chosen  []uint32
	thinned []uint32
	ordered []near
}

func newInsertion(c *construction, nodes int) *insertion {
	return &insertion{construction: c, seen: newMarks(nodes)}
}

func (w *insertion) insert(node uint32) {
	v := w.row(node)
	height := int(w.graph.height[node])
	w.mu.RLock()
	entry, top := w.entry, w.top
	w.mu.RUnlock()
	if top < height {
		// Only the few nodes that raise the graph wait for each other.
		w.mu.Lock()
		entry, top = w.entry, w.top
		if top < height {
			defer func() {
				w.entry, w.top = node, height
				w.mu.Unlock()
			}()
		} else {
			w.mu.Unlock()
		}
	}
	if top < 0 {
		return
	}
	at := near{entry, w.options.Similarity.nearness(v, w.row(entry))}
	for level := top; level > height; level-- {
		at = w.descend(v, at, level)
	}
	for level := min(top, height); level >= 0; level-- {
		w.search(v, at, level, node)
		w.ordered = append(w.ordered[:0], w.found...)
		slices.SortFunc(w.ordered, byNearness)
		if len(w.ordered) == 0 {
			continue
		}
		at = w.ordered[0]
		w.chosen = w.choose(w.chosen[:0], w.ordered, w.graph.m)
		l := w.lock(node)
		l.Lock()
		// Others may have linked to this node already; keep both.
		merged := append(w.links[:0], w.chosen...)
		for _, n := range w.graph.links(node, level) {
			merged = appendLink(merged, n, node, w.graph.limit(level))
		}
		w.graph.setLinks(node, level, merged)
		w.links = merged
		l.Unlock()
		for _, n := range w.chosen {
			w.connect(n, node, level)
		}
	}
}

// descend walks to the nearest node of a level.
func (w *insertion) descend(v []float32, at near, level int) near {
	for {
		w.links = w.copyLinks(w.links, at.node, level)
		moved := false
		for _, n := range w.links {
			if raw := w.options.Similarity.nearness(v, w.row(n)); raw > at.raw {
				at, moved = near{n, raw}, true
			}
		}
		if !moved {
			return at
		}
	}
}

// search fills found with the nearest nodes of a level, self left out.
func (w *insertion) search(v []float32, from near, level int, self uint32) {
	w.seen.clear()
	breadth := w.options.breadth()
	w.queue, w.found = w.queue[:0], w.found[:0]
	w.seen.add(self)
	w.seen.add(from.node)
	w.queue.push(from)
	if from.node != self {
		w.found.push(from)
	}
	for len(w.queue) > 0 {
		at := w.queue.pop()
		if len(w.found) >= breadth && nearer(w.found[0], at) {
			return
		}
		w.links = w.copyLinks(w.links, at.node, level)
		w.fresh = w.fresh[:0]
		for _, n := range w.links {
			if w.seen.add(n) {
				w.fresh = append(w.fresh, n)
			}
		}
		w.raws = slices.Grow(w.raws[:0], len(w.fresh))[:len(w.fresh)]
		rawNearness(w.options, w.rows, w.fresh, v, w.raws)
		for i, n := range w.fresh {
			x := near{n, w.raws[i]}
			if w.found.add(x, breadth) {
				w.queue.push(x)
			}
		}
	}
}

func rawNearness(o Options, rows []float32, ids []uint32, q []float32, out []float32) {
	if o.Similarity == Euclidean {
		simd.SquaredDistanceF32Rows(rows, ids, q, out)
		for i := range out[:len(ids)] {
			out[i] = -out[i]
		}
		return
	}
	simd.DotF32Rows(rows, ids, q, out)
}

// choose picks neighbours in different directions: a candidate that is nearer
// to one already picked than to the node itself is left out, then filled up
// from those left out while there is room.
func (w *insertion) choose(into []uint32, ordered []near, limit int) []uint32 {
	for _, c := range ordered {
		if len(into) >= limit {
			return into
		}
		row := w.row(c.node)
		far := true
		for _, n := range into {
			if w.options.Similarity.nearness(row, w.row(n)) > c.raw {
				far = false
				break
			}
		}
		if far {
			into = append(into, c.node)
		}
	}
	for _, c := range ordered {
		if len(into) >= limit/2 {
			break
		}
		into = appendLink(into, c.node, none, limit)
	}
	return into
}

// connect adds a link from n to node, thinning n's links when they are full.
func (w *insertion) connect(n, node uint32, level int) {
	l := w.lock(n)
	l.Lock()
	defer l.Unlock()
	links := w.graph.links(n, level)
	if slices.Contains(links, node) {
		return
	}
	limit := w.graph.limit(level)
	if len(links) < limit {
		w.graph.addLink(n, level, node)
		return
	}
	v := w.row(n)
	w.fresh = append(append(w.fresh[:0], links...), node)
	w.raws = slices.Grow(w.raws[:0], len(w.fresh))[:len(w.fresh)]
	rawNearness(w.options, w.rows, w.fresh, v, w.raws)
	w.ordered = w.ordered[:0]
	for i, x := range w.fresh {
		w.ordered = append(w.ordered, near{x, w.raws[i]})
	}
	slices.SortFunc(w.ordered, byNearness)
	w.thinned = w.choose(w.thinned[:0], w.ordered, limit)
	w.graph.setLinks(n, level, w.thinned)
}
