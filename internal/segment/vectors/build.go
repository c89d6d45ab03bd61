package vectors

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/quiresearch/quire/internal/vfs"
)

// Write builds the column of documents, which must strictly increase, and their
// concatenated vectors. It takes ownership of the vectors: under cosine similarity
// it scales them to unit length. threads goroutines share the work; less than one
// means one per core.
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

// column is the source of a written column: the vector of every document.
type column struct {
	Options
	docs []uint32
	rows *rows
}

// finish builds the graph of the column, from start if that is not nil, and writes
// both.
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

// construction is a graph while several goroutines insert nodes. The links of a
// node are guarded by one of a fixed number of locks; entry and top have a lock of
// their own, taken before any other.
type construction struct {
	*rows
	coded   *coded // nil: nodes are compared by their vectors only
	options Options
	graph   *graph
	locks   [1024]sync.Mutex

	mu    sync.RWMutex // guards entry and top
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
	g, fresh := layOut(o, all.len(), start, groups)
	c := &construction{rows: all, options: o, graph: g, entry: g.entry, top: g.top}
	if o.isWorthCoding(len(fresh), all.len()) {
		c.coded = encodeAll(o, all)
	}
	if err := c.insertAll(ctx, fresh, threads); err != nil {
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

// layOut returns a graph with the heights of its nodes and the links carried over,
// and the nodes that must be inserted.
func layOut(o Options, nodes int, start *carried, groups []group) (g *graph, fresh []uint32) {
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
	// The heights come from a fixed seed: the same documents always give the same
	// shape.
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
			fresh = append(fresh, node)
		}
	}
	return g, fresh
}

// insertAll inserts nodes in several goroutines.
func (c *construction) insertAll(ctx context.Context, fresh []uint32, threads int) error {
	if threads < 1 {
		threads = runtime.GOMAXPROCS(0)
	}
	// The first nodes are inserted by one goroutine, so that the others find
	// something.
	alone := min(len(fresh), 32)
	w := newInsertion(c)
	for _, node := range fresh[:alone] {
		w.insert(node)
	}
	fresh = fresh[alone:]
	var next atomic.Int64
	var wg sync.WaitGroup
	failed := make([]error, threads)
	for thread := range threads {
		wg.Add(1)
		go func() {
			defer wg.Done()
			// The rows of a merge are in mapped files.
			failed[thread] = vfs.Protect(func() error {
				w := newInsertion(c)
				for {
					i := int(next.Add(1)) - 1
					if i >= len(fresh) {
						return nil
					}
					if i%64 == 0 && ctx.Err() != nil {
						next.Store(int64(len(fresh)))
						return ctx.Err()
					}
					w.insert(fresh[i])
				}
			})
			if failed[thread] != nil {
				next.Store(int64(len(fresh)))
			}
		}()
	}
	wg.Wait()
	return cmp.Or(errors.Join(failed...), ctx.Err())
}
