package vectors

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/quiresearch/quire/internal/simd"
	"github.com/quiresearch/quire/internal/vfs"
)

// Write builds the column of documents, which strictly increase, and their
// vectors, one behind the other. It takes the vectors over: under cosine
// similarity they are scaled to unit length. The threads share the work; fewer
// than one means all cores.
func Write(ctx context.Context, to io.Writer, o Options, docs []uint32, values []float32, threads int) error {
	all := newRows(o.Dimensions, len(docs))
	for at := 0; at < len(values); at += o.Dimensions {
		row := values[at:][:o.Dimensions]
		if o.Similarity == Cosine {
			Normalize(row)
		}
		all.add(row)
	}
	c := &column{Options: o, docs: docs, rows: all}
	return c.finish(ctx, to, nil, threads)
}

// column is what a column is written from: the vector of every document.
type column struct {
	Options
	docs []uint32
	rows *rows
}

// finish builds the graph of the column, from start where that is not nil, and
// writes both.
func (c *column) finish(ctx context.Context, to io.Writer, start *carried, threads int) error {
	g := &graph{m: c.links(), top: -1}
	if len(c.docs) > scanLimit { // fewer are always scanned
		var err error
		if g, err = buildGraph(ctx, c.Options, c.rows, start, threads); err != nil {
			return err
		}
	}
	return c.write(to, g)
}

// construction is a graph while nodes are inserted by several goroutines. A
// node's links are guarded by one of a fixed number of locks; entry and top
// have a lock of their own, taken before any other.
type construction struct {
	*rows
	coded   *coded // nil: vectors do all
	options Options
	graph   *graph
	locks   [1024]sync.Mutex

	mu    sync.RWMutex // entry and top
	entry uint32
	top   int
}

func (c *construction) lock(node uint32) *sync.Mutex { return &c.locks[node%uint32(len(c.locks))] }

func (c *construction) copyLinks(dst []uint32, node uint32, level int) []uint32 {
	l := c.lock(node)
	l.Lock()
	dst = append(dst[:0], c.graph.links(node, level)...)
	l.Unlock()
	return dst
}

func buildGraph(ctx context.Context, o Options, all *rows, start *carried, threads int) (*graph, error) {
	all.raise(o.Similarity)
	groups := all.groups()
	if start != nil {
		start.settleAll(all.len(), groups)
	}
	g, todo := layOut(o, all.len(), start, groups)
	c := &construction{rows: all, options: o, graph: g, entry: g.entry, top: g.top}
	// Codes of all rows are more work than they save where few nodes are new, and codes
	// of short rows are about as large as these.
	if len(todo) > all.len()/8 && o.padded() <= 2*o.Dimensions {
		c.coded = encodeAll(o, all)
	}
	if err := c.insertAll(ctx, todo, threads); err != nil {
		return nil, err
	}
	g.entry, g.top = c.entry, c.top
	for _, of := range groups {
		g.truncate(of)
	}
	if err := c.reachAll(ctx, groups); err != nil {
		return nil, err
	}
	for _, of := range groups {
		g.hang(of)
	}
	return g, nil
}

// layOut returns a graph whose nodes have their heights and the links carried
// over, and the nodes that have to be inserted.
func layOut(o Options, nodes int, start *carried, groups []group) (g *graph, todo []uint32) {
	height, twins, kept := make([]uint8, nodes), newMarks(nodes), newMarks(nodes)
	for _, of := range groups {
		for _, twin := range of.twins {
			twins.add(twin)
		}
	}
	if start != nil {
		for node, to := range start.kept {
			if to != none {
				kept.add(to)
				height[to] = uint8(start.reader.graph.levels(uint32(node)))
			}
		}
	}
	// The heights come from a fixed seed: one set of documents has one shape.
	random := rand.New(rand.NewPCG(uint64(nodes), uint64(o.Dimensions)))
	scale := 1 / math.Log(float64(max(2, o.links())))
	for node := range uint32(nodes) {
		drawn := min(int(-math.Log(1-random.Float64())*scale), 24)
		if !twins.has(node) && !kept.has(node) {
			height[node] = uint8(drawn)
		}
	}
	g = newGraph(o.links(), height)
	if start != nil {
		start.carryTo(g)
	}
	for node := range uint32(nodes) {
		linked := kept.has(node) && (node == g.entry || height[node] > 0 || len(g.links(node, 0)) > 0)
		if !linked && !twins.has(node) {
			todo = append(todo, node)
		}
	}
	return g, todo
}

// insertAll inserts nodes in several goroutines.
func (c *construction) insertAll(ctx context.Context, todo []uint32, threads int) error {
	if threads < 1 {
		threads = runtime.GOMAXPROCS(0)
	}
	// The first nodes go in alone, so that the others find something.
	alone := min(len(todo), 32)
	w := newInsertion(c)
	for _, node := range todo[:alone] {
		w.insert(node)
	}
	todo = todo[alone:]
	var next atomic.Int64
	var wg sync.WaitGroup
	failed := make([]error, threads)
	for thread := range threads {
		wg.Add(1)
		go func() {
			defer wg.Done()
			// The rows of a merge lie in mapped files.
			failed[thread] = vfs.Protect(func() error {
				w := newInsertion(c)
				for {
					i := int(next.Add(1)) - 1
					if i >= len(todo) {
						return nil
					}
					if i%64 == 0 && ctx.Err() != nil {
						next.Store(int64(len(todo)))
						return ctx.Err()
					}
					w.insert(todo[i])
				}
			})
			if failed[thread] != nil {
				next.Store(int64(len(todo)))
			}
		}()
	}
	wg.Wait()
	return cmp.Or(errors.Join(failed...), ctx.Err())
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
	between [8]float32 // see isCovered

	coded  *coded // as of the construction until they are given up
	aimed  aimed
	step   float32 // widest of the candidates
	doubts int     // see trusts
}

func newInsertion(c *construction) *insertion {
	return &insertion{construction: c, seen: newMarks(c.len()), coded: c.coded}
}

func (w *insertion) insert(node uint32) {
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
	at := nearOf(entry, w.nearness(node, entry))
	for level := top; level > height; level-- {
		at = w.descend(node, at, level)
	}
	for level := min(top, height); level >= 0; level-- {
		w.gather(node, at, level)
		sortNearest(w.ordered)
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

// descend walks to the node of a level that is nearest to another.
func (w *insertion) descend(to uint32, at near, level int) near {
	for {
		w.links = w.copyLinks(w.links, at.node(), level)
		moved := false
		w.measure(to, w.links)
		for i, n := range w.links {
			if x := nearOf(n, w.raws[i]); x > at {
				at, moved = x, true
			}
		}
		if !moved {
			return at
		}
	}
}

// measure fills raws with the nearness of nodes to another.
func (w *insertion) measure(to uint32, nodes []uint32) {
	w.raws = slices.Grow(w.raws[:0], len(nodes))[:len(nodes)]
	w.nearnesses(to, nodes, w.raws)
}

// measureCodes is measure by the codes.
func (w *insertion) measureCodes(to uint32, nodes []uint32) {
	if w.aimed.node != to || w.aimed.values == nil {
		w.coded.aim(&w.aimed, to)
	}
	w.raws = slices.Grow(w.raws[:0], len(nodes))[:len(nodes)]
	w.coded.nearnesses(&w.aimed, nodes, w.raws)
}

// order fills ordered with measured nodes.
func (w *insertion) order(nodes []uint32) {
	w.ordered = w.ordered[:0]
	for i, n := range nodes {
		w.ordered = append(w.ordered, nearOf(n, w.raws[i]))
	}
}

// gather fills ordered with the nodes of a level that are nearest to another,
// itself left out.
func (w *insertion) gather(node uint32, from near, level int) {
	if w.coded != nil {
		w.walk(node, from, level, w.measureCodes)
		if w.trusts(node, w.found) {
			w.fresh = w.fresh[:0]
			for _, x := range w.found {
				w.fresh = append(w.fresh, x.node())
			}
			w.measure(node, w.fresh)
			w.order(w.fresh)
			return
		}
	}
	w.search(node, from, level)
	w.ordered = append(w.ordered[:0], w.found...)
}

// trusts reports whether codes tell apart what was found near a node. Where they
// mostly do not, they are given up.
func (w *insertion) trusts(node uint32, found []near) bool {
	if w.coded.separate(node, found) {
		w.doubts = max(0, w.doubts-1)
		return true
	}
	if w.doubts++; w.doubts > 256 {
		w.coded = nil
	}
	return false
}

// search fills found with the nodes of a level that are nearest to another, itself
// left out, by their vectors.
func (w *insertion) search(self uint32, from near, level int) {
	w.walk(self, from, level, w.measure)
}

// walk is search by vectors or by codes: measure is w.measure or w.measureCodes.
func (w *insertion) walk(self uint32, from near, level int, measure func(to uint32, nodes []uint32)) {
	w.seen.clear()
	breadth := w.options.breadth()
	w.queue, w.found = w.queue[:0], w.found[:0]
	w.fresh = append(w.fresh[:0], from.node())
	measure(self, w.fresh)
	from = nearOf(from.node(), w.raws[0])
	w.seen.add(self)
	w.seen.add(from.node())
	w.queue.push(from)
	if from.node() != self {
		w.found.push(from)
	}
	for len(w.queue) > 0 {
		at := w.queue.pop()
		if len(w.found) >= breadth && w.found[0] > at {
			return
		}
		w.links = w.copyLinks(w.links, at.node(), level)
		if level == 0 && len(w.queue) > 0 {
			w.graph.fetch(w.queue[0].node())
		}
		w.visit(w.links)
		measure(self, w.fresh)
		for i, n := range w.fresh {
			x := nearOf(n, w.raws[i])
			if w.found.add(x, breadth) {
				w.queue.push(x)
			}
		}
	}
}

// visit fills fresh with the nodes that were not seen before, and asks for their
// codes, which are read next.
func (w *insertion) visit(nodes []uint32) {
	w.fresh = w.fresh[:0]
	if w.coded == nil {
		for _, n := range nodes {
			if w.seen.add(n) {
				w.fresh = append(w.fresh, n)
			}
		}
		return
	}
	w.fresh = slices.Grow(w.fresh, len(nodes))
	n := simd.Unseen(w.seen.words, nodes, w.fresh[:cap(w.fresh)], w.coded.codes, w.coded.stride(), w.coded.scale)
	w.fresh = w.fresh[:n]
	w.seen.nodes = append(w.seen.nodes, w.fresh...)
}

// apart is how much nearer to another neighbour than to the node itself, in
// squares of distances, a candidate lies that is left out. With a little more
// than 1 about a tenth fewer nodes are looked at for the same recall.
const apart = 1.1

// choose picks neighbours in different directions: a candidate that is nearer
// to one already picked than to the node itself is left out, then filled up
// from those left out while there is room.
func (w *insertion) choose(into []uint32, ordered []near, limit int) []uint32 {
	if w.coded != nil {
		w.step = w.coded.widest(ordered)
	}
	for _, c := range ordered {
		if len(into) >= limit {
			return into
		}
		if !w.isCovered(c, into) {
			into = append(into, c.node())
		}
	}
	for _, c := range ordered {
		if len(into) >= limit/2 {
			break
		}
		into = appendLink(into, c.node(), none, limit)
	}
	return into
}

// isCovered reports whether a candidate is nearer to one of those picked, by the
// factor apart, than to the node that it is a candidate for.
func (w *insertion) isCovered(c near, picked []uint32) bool {
	if w.coded != nil {
		return w.isCoveredByCodes(c, picked)
	}
	for len(picked) > 0 {
		some := picked[:min(len(picked), len(w.between))]
		picked = picked[len(some):]
		w.nearnesses(c.node(), some, w.between[:])
		for _, raw := range w.between[:len(some)] {
			if apart*raw > c.raw() {
				return true
			}
		}
	}
	return false
}

// isCoveredByCodes is isCovered by the codes, and by the vectors where codes leave
// doubt.
func (w *insertion) isCoveredByCodes(c near, picked []uint32) bool {
	if len(picked) == 0 {
		return false
	}
	w.coded.aim(&w.aimed, c.node())
	margin := w.coded.margin(w.step, c.raw())
	for len(picked) > 0 {
		some := picked[:min(len(picked), len(w.between))]
		picked = picked[len(some):]
		w.coded.nearnesses(&w.aimed, some, w.between[:])
		for i, raw := range w.between[:len(some)] {
			beyond := apart*raw - c.raw()
			if beyond < -margin {
				continue
			}
			if beyond > margin || apart*w.nearness(c.node(), some[i]) > c.raw() {
				return true
			}
		}
	}
	return false
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
	w.fresh = append(append(w.fresh[:0], links...), node)
	w.measure(n, w.fresh)
	w.order(w.fresh)
	sortNearest(w.ordered)
	w.thinned = w.choose(w.thinned[:0], w.ordered, limit)
	w.graph.setLinks(n, level, w.thinned)
}
