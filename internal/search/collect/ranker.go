package collect

import (
	"context"
	"math"
	"slices"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/search/match"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment/columns"
)

// ranker keeps the best hits of one segment in a heap whose top is the worst of them. A ranker
// by score alone continues with further segments.
type ranker struct {
	base      uint32
	order     int // of the last range, see orderOf
	limit     int
	backwards bool
	keys      []keyReader
	edge      []rank // the position that hits must follow; nil without one
	edgeDoc   int64  // local number of the position; may lie outside the segment

	// byScoreAlone is set when hits are ordered by score only, best first: the heap then holds
	// scores and global numbers.
	byScoreAlone bool
	docs         []uint32
	scores       []float32
	ranks        []rank // one row per hit; only in other orders
	row          []rank // of the offered document
	window       []uint32
	values       []int64

	// Storage for a short page in a simple order.
	keysScratch   [1]keyReader
	rowScratch    [1]rank
	docsScratch   [fewHits]uint32
	scoresScratch [fewHits]float32
}

// fewHits is how many hits a ranker holds without allocating.
const fewHits = 16

// initRanker initializes a zero ranker for a segment.
func (r *run) initRanker(ctx context.Context, k *ranker, segment int) error {
	s := r.search.snapshot.Segments[segment]
	k.base, k.order, k.limit, k.backwards = s.Base, orderOf(segment, 0), r.request.Limit, r.request.Before != nil
	k.keys = k.keysScratch[:0]
	for i := range r.order {
		k.keys = append(k.keys, keyReader{})
		k.keys[i].init(&r.order[i], s, k.backwards)
		if err := r.choose(ctx, &k.keys[i], segment); err != nil {
			return err
		}
	}
	k.byScoreAlone = len(r.order) == 1 && r.order[0].Kind == ByScore && r.order[0].Descending && !k.backwards
	k.row = k.rowScratch[:]
	if len(k.keys) > 1 {
		k.row = make([]rank, len(k.keys))
	}
	k.docs, k.scores = k.docsScratch[:0], k.scoresScratch[:0]
	if k.limit > fewHits {
		size := min(k.limit, 64)
		k.docs, k.scores = make([]uint32, 0, size), make([]float32, 0, size)
	}
	position := r.request.After
	if k.backwards {
		position = r.request.Before
	}
	if position != nil {
		k.edge = make([]rank, len(k.keys))
		for i := range k.keys {
			if i < len(position.Values) {
				k.edge[i] = k.keys[i].rankOf(position.Values[i])
			}
		}
		k.edgeDoc = int64(position.Doc) - int64(s.Base)
	}
	return nil
}

// choose finds the list values and the documents that the sources of a key read.
func (r *run) choose(ctx context.Context, k *keyReader, segment int) error {
	var err error
	if k.List != "" && len(k.Required) > 0 {
		if k.chosen, err = r.valueSet(ctx, segment, k.List, clausesOf(k.Required)); err != nil {
			return err
		}
	}
	for _, source := range k.Chain {
		reader := sourceReader{Source: source, numbers: k.segment.Reader.Numbers(source.Structure)}
		if source.When != nil {
			if source.List != "" {
				reader.when, err = r.valueSet(ctx, segment, source.List, []plan.Node{source.When})
			} else {
				reader.when, err = r.documentSet(ctx, segment, source.When)
			}
			if err != nil {
				return err
			}
		}
		k.chain = append(k.chain, reader)
	}
	return nil
}

func (r *run) valueSet(ctx context.Context, segment int, path string, clauses []plan.Node) (*bitset.Bitset, error) {
	scanner, err := r.search.view.ValueScanner(ctx, segment, path, clauses, false)
	if err != nil {
		return nil, err
	}
	defer scanner.Close()
	sink := &setSink{set: bitset.New(r.search.snapshot.Segments[segment].Reader.NumDocs())}
	return sink.set, scanner.Run(ctx, 0, sink.set.Len(), sink)
}

func (r *run) documentSet(ctx context.Context, segment int, n plan.Node) (*bitset.Bitset, error) {
	scanner, err := r.search.view.Scanner(ctx, segment, nil, []plan.Node{n}, false)
	if err != nil {
		return nil, err
	}
	defer scanner.Close()
	sink := &setSink{set: bitset.New(r.search.snapshot.Segments[segment].Reader.NumDocs())}
	return sink.set, scanner.Run(ctx, 0, sink.set.Len(), sink)
}

// ordersByScore reports whether hits with the best scores come first.
func (k *ranker) ordersByScore() bool {
	return !k.backwards && k.keys[0].Kind == ByScore && k.keys[0].Descending
}

func (k *ranker) isFull() bool { return len(k.docs) >= k.limit }

// worstScore returns the score of the worst hit in a full heap ordered by score alone.
func (k *ranker) worstScore() float32 { return k.scores[0] }

// threshold returns a score that a document must exceed to become a hit, or -1 while any
// document may become one.
func (k *ranker) threshold() float64 {
	switch {
	case !k.isFull() || !k.ordersByScore():
		return -1
	case k.byScoreAlone:
		return float64(k.scores[0])
	}
	// Further keys decide among equal scores.
	return float64(math.Nextafter32(k.scores[0], -1))
}

// offer adds a document if it is among the best. Documents must come in ascending order.
func (k *ranker) offer(doc uint32, score float32) {
	if k.byScoreAlone {
		k.offerScore(doc, score)
		return
	}
	k.row[0] = k.keys[0].rank(doc, score)
	if k.isFull() && k.row[0].compare(k.ranks[0]) > 0 {
		return
	}
	for i := 1; i < len(k.keys); i++ {
		k.row[i] = k.keys[i].rank(doc, score)
	}
	if k.edge != nil && k.compareEdge(doc) <= 0 {
		return
	}
	if !k.isFull() {
		k.docs = append(k.docs, doc)
		k.scores = append(k.scores, score)
		k.ranks = append(k.ranks, k.row...)
		k.up(len(k.docs) - 1)
		return
	}
	if k.compareRow(doc, 0) >= 0 {
		return
	}
	k.docs[0], k.scores[0] = doc, score
	copy(k.ranks[:len(k.row)], k.row)
	k.down(0)
}

func (k *ranker) offerScore(doc uint32, score float32) {
	if k.isFull() && score <= k.scores[0] {
		return
	}
	if k.edge != nil {
		k.row[0] = k.keys[0].rank(doc, score)
		if k.compareEdge(doc) <= 0 {
			return
		}
	}
	doc += k.base
	switch {
	case k.limit <= fewHits:
		k.insert(doc, score)
	case !k.isFull():
		k.docs = append(k.docs, doc)
		k.scores = append(k.scores, score)
		k.up(len(k.docs) - 1)
	default:
		k.docs[0], k.scores[0] = doc, score
		k.down(0)
	}
}

// insert inserts a document into a few hits, which are sorted with the worst first; such a list
// is also a heap. Among equals, the document ranks last.
func (k *ranker) insert(doc uint32, score float32) {
	if !k.isFull() {
		k.docs, k.scores = append(k.docs, 0), append(k.scores, 0)
		copy(k.docs[1:], k.docs)
		copy(k.scores[1:], k.scores)
	}
	docs, scores := k.docs, k.scores[:len(k.docs)]
	at := 0
	for ; at+1 < len(docs) && scores[at+1] < score; at++ {
		docs[at], scores[at] = docs[at+1], scores[at+1]
	}
	docs[at], scores[at] = doc, score
}

// goesOn reports whether the ranker can continue with documents of a later range, and if so
// moves it to that range.
func (k *ranker) goesOn(order int, base uint32) bool {
	if !k.byScoreAlone || k.edge != nil || order <= k.order {
		return false
	}
	k.order, k.base = order, base
	return true
}

// compareEdge compares the offered document with the position.
func (k *ranker) compareEdge(doc uint32) int {
	for i := range k.row {
		if c := k.row[i].compare(k.edge[i]); c != 0 {
			return c
		}
	}
	return k.compareDocs(int64(doc), k.edgeDoc)
}

func (k *ranker) compareDocs(a, b int64) int {
	if k.backwards {
		a, b = b, a
	}
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// compareRow compares the offered document with a hit in the heap.
func (k *ranker) compareRow(doc uint32, hit int) int {
	ranks := k.ranks[hit*len(k.row):]
	for i := range k.row {
		if c := k.row[i].compare(ranks[i]); c != 0 {
			return c
		}
	}
	return k.compareDocs(int64(doc), int64(k.docs[hit]))
}

// worse reports whether hit a ranks after hit b.
func (k *ranker) worse(a, b int) bool {
	if k.byScoreAlone {
		if k.scores[a] != k.scores[b] {
			return k.scores[a] < k.scores[b]
		}
		return k.docs[a] > k.docs[b]
	}
	n := len(k.row)
	for i := range n {
		if c := k.ranks[a*n+i].compare(k.ranks[b*n+i]); c != 0 {
			return c > 0
		}
	}
	return k.compareDocs(int64(k.docs[a]), int64(k.docs[b])) > 0
}

func (k *ranker) swap(a, b int) {
	k.docs[a], k.docs[b] = k.docs[b], k.docs[a]
	k.scores[a], k.scores[b] = k.scores[b], k.scores[a]
	if !k.byScoreAlone {
		n := len(k.row)
		for i := range n {
			k.ranks[a*n+i], k.ranks[b*n+i] = k.ranks[b*n+i], k.ranks[a*n+i]
		}
	}
}

func (k *ranker) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !k.worse(i, parent) {
			return
		}
		k.swap(i, parent)
		i = parent
	}
}

func (k *ranker) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(k.docs) {
			return
		}
		if child+1 < len(k.docs) && k.worse(child+1, child) {
			child++
		}
		if !k.worse(child, i) {
			return
		}
		k.swap(i, child)
		i = child
	}
}

// readsNumbers reports whether the first key is a column of plain numbers.
func (k *ranker) readsNumbers() bool {
	first := &k.keys[0]
	return first.Kind == ByNumber && first.numbers != nil && first.overlay == nil && first.List == "" && first.chain == nil
}

// unknown stands for a missing value in a batch; for a document with this value, offer reads
// the value again.
const unknown = math.MinInt64

// offerNumbers offers the documents of a window. It reads their values in one batch and skips
// those that rank after the worst hit.
func (k *ranker) offerNumbers(base uint32, matched *match.Bits) {
	const blockWords = columns.BlockSize / 64
	left := *matched
	for i := 0; i < len(left); i += blockWords {
		from := base + uint32(i*64)
		if k.rulesOut(from, from+columns.BlockSize) {
			clear(left[i : i+blockWords])
		}
	}
	if k.window = left.AppendDocs(k.window[:0], base); len(k.window) == 0 {
		return
	}
	if cap(k.values) < len(k.window) {
		k.values = make([]int64, match.Span)
	}
	values := k.values[:len(k.window)]
	k.keys[0].numbers.Values(k.window, values, unknown)
	flip, highest := k.worstNumber()
	for i, v := range values {
		if v^flip > highest && v != unknown {
			continue
		}
		k.offer(k.window[i], 0)
		_, highest = k.worstNumber()
	}
}

// worstNumber returns the highest number, after exclusive or with flip, with which a document
// may still enter a full heap.
func (k *ranker) worstNumber() (flip, highest int64) {
	if k.keys[0].flip {
		flip = -1
	}
	switch worst := k.ranks[0]; {
	case worst.place < 0:
		return flip, math.MinInt64
	case worst.place > 0:
		return flip, math.MaxInt64
	default:
		return flip, worst.number
	}
}

// rulesOut reports whether no document of a range can become a hit, according to the bounds of
// the first column.
func (k *ranker) rulesOut(from, to uint32) bool {
	if least, most, ok := k.ordinalsBefore(); ok {
		return least > most
	}
	first := &k.keys[0]
	if !k.isFull() || first.Kind != ByNumber || first.numbers == nil || first.overlay != nil || first.List != "" || first.chain != nil {
		return false
	}
	worst := k.ranks[0]
	if worst.place != 0 {
		return false // hits without a value may still be beaten
	}
	if missing := first.turn(0, false); missing.place < 0 {
		return false
	}
	for block := int(from / columns.BlockSize); uint32(block)*columns.BlockSize < min(to, first.numbers.NumDocs()); block++ {
		low, high, ok := first.numbers.BlockBounds(block)
		if !ok {
			continue
		}
		best := first.turn(low, true)
		if first.flip {
			best = first.turn(high, true)
		}
		if c := best.compare(worst); c < 0 || c == 0 && (len(k.keys) > 1 || k.backwards) {
			return false
		}
	}
	return true
}

// drop removes hits that score less than least, if hits are ordered by score alone, and returns
// how many are left. Nothing may be offered afterwards.
func (k *ranker) drop(least float32) int {
	if !k.byScoreAlone {
		return len(k.docs)
	}
	kept := 0
	for i, doc := range k.docs {
		if k.scores[i] >= least {
			k.docs[kept], k.scores[kept] = doc, k.scores[i]
			kept++
		}
	}
	k.docs, k.scores = k.docs[:kept], k.scores[:kept]
	return kept
}

// sort sorts the hits, the best first, and returns true, if they are ordered by score alone.
// Nothing may be offered afterwards.
func (k *ranker) sort() bool {
	if !k.byScoreAlone {
		return false
	}
	docs, scores := k.docs, k.scores
	if k.limit <= fewHits { // see insert
		slices.Reverse(docs)
		slices.Reverse(scores)
		return true
	}
	for i := len(docs)/2 - 1; i >= 0; i-- {
		k.down(i) // drop may have destroyed the heap
	}
	for n := len(docs) - 1; n > 0; n-- {
		k.swap(0, n)
		k.docs, k.scores = docs[:n], scores[:n]
		k.down(0)
	}
	k.docs, k.scores = docs, scores
	return true
}

// appendHits appends the hits, in no particular order unless sorted. Hits have no values if
// they are ordered by score alone.
func (k *ranker) appendHits(hits []Hit) []Hit {
	n := len(k.keys)
	var values []Value
	if !k.byScoreAlone {
		values = make([]Value, len(k.docs)*n)
	}
	for i, doc := range k.docs {
		if !k.byScoreAlone {
			doc += k.base
		}
		hit := Hit{Doc: doc, Parent: doc, Score: k.scores[i]}
		if values != nil {
			hit.Values = values[i*n : i*n+n : i*n+n]
			for j := range k.keys {
				hit.Values[j] = k.keys[j].value(k.ranks[i*n+j])
			}
		}
		hits = append(hits, hit)
	}
	return hits
}
