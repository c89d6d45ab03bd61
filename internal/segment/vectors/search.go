package vectors

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/quiresearch/quire/internal/bitset"
)

// Reader answers nearest-neighbour searches over a finished column. It is safe for
// concurrent use.
type Reader struct {
	options Options
	docs    []uint32
	rows    []float32
	codes   quantized
	graph   *graph
	scratch sync.Pool
	parts   sync.Pool     // scratch of parts of a scan
	widest  atomic.Uint32 // see widestStep
}

// Options returns the options that the column was built with.
func (r *Reader) Options() Options { return r.options }

// Len returns the number of vectors.
func (r *Reader) Len() int { return len(r.docs) }

// Doc returns the document of a node; nodes are in document order.
func (r *Reader) Doc(node int) uint32 { return r.docs[node] }

// Rescored returns the vectors of a quantized column with a graph, as part of the
// bytes given to Open, and nil for other columns. A search reads few of them: those
// of the candidates selected by codes.
func (r *Reader) Rescored() []byte {
	if r.options.Quantization == None || r.graph.top < 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&r.rows[0])), 4*len(r.rows))
}

// Vector returns the vector of a node as stored: of unit length under cosine
// similarity. It must not be changed.
func (r *Reader) Vector(node int) []float32 {
	return r.rows[node*r.options.Dimensions:][:r.options.Dimensions]
}

// Of returns the node of a document, and false when it has no vector.
func (r *Reader) Of(doc uint32) (int, bool) { return slices.BinarySearch(r.docs, doc) }

// ScoreOf returns the exact score of a node for a query prepared by Prepare.
func (r *Reader) ScoreOf(node int, q []float32) float32 {
	return r.options.Similarity.Score(r.options.Similarity.nearness(q, r.Vector(node)))
}

// Prepare returns the query in the form that searches take: a copy, of unit length
// under cosine similarity.
func Prepare(s Similarity, q []float32) []float32 {
	q = slices.Clone(q)
	if s == Cosine {
		Normalize(q)
	}
	return q
}

const (
	// A walk over usualNodes with usualBreadth has a recall@10 above 0.97 on word
	// vectors (GloVe) with the default links. More nodes need a broader walk: from
	// 15,000 to 120,000 nodes, the breadth for a given recall grew with the power
	// breadthGrowth.
	usualNodes    = 120_000
	usualBreadth  = 300
	breadthGrowth = 0.4
	leastBreadth  = 210
	// A walk of the default breadth ends early when nothing entered the nearest
	// nodes, closest times as many as requested, for breadth/patiencePart steps: if
	// neighbours are easy to find, that saves half of the walk.
	patiencePart = 5
	closest      = 4
	// Each node that is not accepted allows this many further steps.
	rejected = 32
	// starts is the number of nodes at which a walk of the default breadth begins.
	starts = 24
	// A walk through a filter visits at most this fraction (1/visitsPart) of the
	// accepted nodes, then gives way to a scan.
	visitsPart = 5
	// A scan reads memory sequentially: below this many candidates it beats a walk.
	scanLimit = 12_000
	// For each candidate that it keeps, a walk takes about as long as a scan takes
	// for this many rows; for short rows, more of which arrive with one memory
	// access, the number is higher.
	rowsPerKept      = 16
	rowsPerKeptShort = 24
	shortRow         = 128 // bytes
)

// Search returns the k nearest documents in accept (nil accepts all), nearest
// first, ties by document. The query must come from Prepare. A breadth of 0 means
// the default; a greater one finds more and costs more.
func (r *Reader) Search(ctx context.Context, q []float32, k, breadth int, accept *bitset.Bitset) ([]Hit, error) {
	return r.SearchShared(ctx, q, k, breadth, accept, nil)
}

// SearchShared is Search that may use other threads for a long scan. The hits are
// the same.
func (r *Reader) SearchShared(ctx context.Context, q []float32, k, breadth int, accept *bitset.Bitset, share Share) ([]Hit, error) {
	if k <= 0 || len(r.docs) == 0 {
		return nil, nil
	}
	s := r.take()
	s.share = share
	hits, err := r.search(ctx, s, q, k, breadth, accept)
	// After a panic, caused by an unreadable page, the state of seen is unknown:
	// only a scratch whose search returned is reused.
	s.nodes, s.query, s.share = nil, nil, nil
	s.seen.clear()
	r.scratch.Put(s)
	return hits, err
}

func (r *Reader) search(ctx context.Context, s *scratch, q []float32, k, breadth int, accept *bitset.Bitset) ([]Hit, error) {
	accepted := len(r.docs)
	if accept != nil {
		accepted = r.accepted(s, accept)
	}
	if accepted == 0 {
		return nil, nil
	}
	r.codes.query(q, &s.side)
	s.query, s.filtered, s.accepted, s.full = q, accept != nil, accepted, false
	s.found = s.found[:0]
	how := r.strategy(s, k, breadth, accepted)
	for how != exhaustive {
		hits, err := r.walkAll(ctx, s, r.limits(s, how, k, breadth, accepted), k)
		if err != nil || len(hits) == min(k, accepted) {
			return hits, err
		}
		// The accepted nodes are far from the query, or nothing links to them.
		if how < twoHop {
			break
		}
		how, s.full, s.found = plain, false, s.found[:0]
	}
	if err := r.scanAll(ctx, s, k); err != nil {
		return nil, err
	}
	return r.hits(s, k), nil
}

// limits returns the limits of a walk for the k nearest.
func (r *Reader) limits(s *scratch, how strategy, k, breadth, accepted int) walk {
	w := walk{how: how, starts: 1, breadth: max(breadth, k), patience: math.MaxInt, visits: math.MaxInt}
	if breadth <= 0 {
		w.starts, w.breadth, w.again = starts, max(r.breadth(), 2*k), true
		if accepted >= len(r.docs)/10*9 {
			w.patience, w.closest = w.breadth/patiencePart, closest*k
		}
	}
	if s.filtered {
		w.breadth = max(r.narrowed(w.breadth, accepted), 4*k)
		w.visits = accepted / visitsPart
	}
	factor, patience := hopFactor, 1
	switch how {
	case twoHop:
		w.probes = surroundings
	case twoHopFar:
		factor, patience, w.probes = farFactor, 2, surroundingsFar
	default:
		return w
	}
	if breadth <= 0 {
		w.breadth = max(factor*breadthOf(accepted), 4*k)
		w.patience, w.closest = patience*w.breadth/patiencePart, closest*k
	}
	w.visits = hopVisits * w.breadth
	return w
}

// walkAll finds the k nearest by a walk. If the codes do not separate the nearest,
// a second walk compares with the rows. It returns nothing when a walk did not find
// as many candidates as it keeps.
func (r *Reader) walkAll(ctx context.Context, s *scratch, w walk, k int) ([]Hit, error) {
	follow := r.walk
	if w.how >= twoHop {
		follow = r.walkAccepted
	}
	whole, err := follow(ctx, s, w)
	if err != nil || !whole {
		return nil, err
	}
	doubt, err := r.rescore(ctx, s, k)
	if err != nil {
		return nil, err
	}
	if doubt && w.again {
		s.found = s.found[:0]
		s.seen.clear()
		if whole, err = follow(ctx, s, w); err != nil || !whole {
			return nil, err
		}
	}
	r.addTwins(s, k)
	return r.hits(s, k), nil
}

// addTwins adds the twins of the nearest candidates, which are equally near, until
// there are k, and drops candidates that are not accepted themselves.
func (r *Reader) addTwins(s *scratch, k int) {
	if r.graph.twins == 0 {
		return
	}
	candidates := []near(s.found)
	sortNearest(candidates)
	all := s.before[:0]
	for _, c := range candidates {
		if len(all) >= k && c.raw() < all[len(all)-1].raw() {
			break
		}
		if s.accepts(c.node()) {
			all = append(all, c)
		}
		own := 0 // more than k nodes with the same vector are not needed
		r.graph.eachTwin(c.node(), &s.list, func(node uint32) bool {
			if s.accepts(node) {
				all = append(all, nearOf(node, c.raw()))
				own++
			}
			return own < k
		})
	}
	s.found, s.before = all, candidates
}

// walks reports whether a walk finds the nearest accepted nodes faster than a scan
// of all of them.
func (r *Reader) walks(accepted, k, breadth int) bool {
	if accepted <= scanLimit || accepted <= 4*k || r.graph.top < 0 {
		return false
	}
	if breadth <= 0 {
		breadth = r.breadth()
	}
	rows := rowsPerKept
	if r.codes.stride() <= shortRow {
		rows = rowsPerKeptShort
	}
	share := float64(accepted) / float64(len(r.docs))
	return share == 1 || float64(accepted)*share > float64(rows*r.narrowed(breadth, accepted))
}

// narrowed returns the breadth of a walk in which only accepted nodes count: on its
// way it passes others, as many as a broader walk.
func (r *Reader) narrowed(breadth, accepted int) int {
	return int(float64(breadth) * math.Sqrt(float64(accepted)/float64(len(r.docs))))
}

// breadth returns the number of candidates that a walk keeps by default.
func (r *Reader) breadth() int { return breadthOf(len(r.docs)) }

// breadthOf returns the default breadth of a walk over the given number of nodes.
func breadthOf(nodes int) int {
	return max(leastBreadth, int(usualBreadth*math.Pow(float64(nodes)/usualNodes, breadthGrowth)))
}

// scratch is the working memory of one search.
type scratch struct {
	seen     marks
	query    []float32
	side     side // the query for products with codes
	filtered bool
	accepted int   // number of accepted nodes
	share    Share // see SearchShared
	full     bool  // compare with the rows, not with the codes
	queue    best
	found    worst
	least    near  // only nodes nearer than this are wanted; see scan
	close    worst // the nearest of found
	fresh    []uint32
	products []int32
	raws     []float32
	nodes    []uint64 // accepted nodes, a bit each; bits after the last node are undefined
	own      []uint64 // memory for nodes
	list     []uint32
	starts   []uint32 // accepted nodes around the query
	probes   []uint32 // all nodes around the query
	rejected []uint32 // neighbours to look behind
	before   []near   // candidates by their codes
	possible float32  // see rescore
}

func (r *Reader) take() *scratch {
	if s, ok := r.scratch.Get().(*scratch); ok {
		return s
	}
	return &scratch{seen: newMarks(len(r.docs))}
}

// accepted converts accepted documents to accepted nodes and counts them.
func (r *Reader) accepted(s *scratch, accept *bitset.Bitset) int {
	from := accept.Words()
	nodes := len(r.docs)
	if int(r.docs[nodes-1]) == nodes-1 && len(from) >= (nodes+63)/64 {
		// Every document has a vector, so nodes and documents have the same
		// numbers.
		s.nodes = from[:(nodes+63)/64]
		count := 0
		for _, word := range s.nodes[:nodes/64] {
			count += bits.OnesCount64(word)
		}
		if rest := nodes % 64; rest != 0 {
			count += bits.OnesCount64(s.nodes[nodes/64] << (64 - rest))
		}
		return count
	}
	if s.own == nil {
		s.own = make([]uint64, (nodes+63)/64)
	}
	s.nodes = s.own
	clear(s.nodes)
	count := 0
	for node, doc := range r.docs {
		at := int(doc >> 6)
		if at < len(from) && from[at]>>(doc&63)&1 != 0 {
			s.nodes[node>>6] |= 1 << (node & 63)
			count++
		}
	}
	return count
}

func (s *scratch) accepts(node uint32) bool {
	return !s.filtered || s.nodes[node>>6]>>(node&63)&1 != 0
}

// stands reports whether a node or one of its twins is accepted.
func (r *Reader) stands(s *scratch, node uint32) bool {
	if s.accepts(node) {
		return true
	}
	some := false
	if r.graph.twins > 0 {
		r.graph.eachTwin(node, &s.list, func(node uint32) bool {
			some = s.accepts(node)
			return !some
		})
	}
	return some
}

func (s *scratch) grow(n int) {
	if cap(s.products) < n {
		s.products, s.raws = make([]int32, n), make([]float32, n)
	}
	s.products, s.raws = s.products[:n], s.raws[:n]
}

// nearness fills raws with the nearness of nodes to the query.
func (r *Reader) nearness(s *scratch, nodes []uint32) {
	s.grow(len(nodes))
	if s.full {
		rawNearness(r.options, r.rows, nodes, s.query, s.raws)
		return
	}
	r.codes.nearness(r.options.Similarity, &s.side, nodes, s.products, s.raws)
}
