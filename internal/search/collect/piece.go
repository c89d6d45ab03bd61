package collect

import (
	"context"
	"math"
	"math/bits"

	"github.com/quiresearch/quire/internal/search/match"
)

func (p *piece) run(ctx context.Context) error {
	if done, err := p.begin(ctx); done || err != nil {
		return err
	}
	own := p.ranker
	if k := p.of.idle.Swap(nil); k != nil && own != nil && k.goesOn(p.order, p.base) {
		p.ranker = k
	}
	err := p.scanner.Run(ctx, 0, p.documents(), p)
	if own != nil {
		p.of.idle.Store(p.ranker)
		p.ranker = own // its hits are merged with the piece in which it began
	}
	return err
}

// begin does the work that precedes a scan of the whole segment, and reports whether there is
// nothing left to scan for.
func (p *piece) begin(ctx context.Context) (done bool, err error) {
	if p.ranker == nil && p.set == nil && p.of.exact {
		return true, nil
	}
	if p.isBehindDecided() {
		p.skipped = true
		return true, nil
	}
	if p.scanner.IsDeferred() {
		if p.of.prunes() && p.scanner.IsBelow(p.Threshold()) {
			p.skipped = true
			return true, nil
		}
		if err := p.scanner.Bind(ctx); err != nil {
			return true, err
		}
		p.of.raise(p.scanner.Reached(p.of.request.Limit), orderOf(p.segment+1, -1))
	}
	if p.countsFirst() {
		enough := p.of.request.CountTo
		n, ok, err := p.scanner.Count(ctx, enough)
		if err != nil {
			return true, err
		}
		if ok {
			p.count(n, p.documents())
			if p.ranker == nil {
				return true, nil
			}
			p.uncounted, p.allCounted, p.skipped = true, n < enough, n >= enough
		}
	}
	if index := p.extremes(); index != nil || p.usesLeading() {
		return true, p.runExtremes(ctx, index)
	}
	return false, nil
}

// documents returns the number of documents in the segment.
func (p *piece) documents() uint32 { return p.of.search.snapshot.Segments[p.segment].Reader.NumDocs() }

// isBehindDecided reports whether enough hits rank before all of the piece.
func (p *piece) isBehindDecided() bool { return int64(p.order) > p.of.decided.Load() && p.of.prunes() }

// countsFirst reports whether matches are counted before any is ranked: if nothing is ranked,
// or if documents whose score is too low need not be scored.
func (p *piece) countsFirst() bool {
	enough := p.of.request.CountTo
	if p.set != nil || p.of.prunes() {
		return false
	}
	if p.ranker == nil {
		return enough == Everything
	}
	return p.of.scoring && p.ranker.ordersByScore() && p.scanner.CountsFirst(enough)
}

// Take ranks the matches of a window.
func (p *piece) Take(base uint32, matched *match.Bits, sums *match.Sums) bool {
	p.count(matched.Count(), base+match.Span)
	if p.set != nil {
		p.set.addWindow(base, matched)
	}
	if p.ranker == nil {
		if sums != nil {
			*sums = match.Sums{}
		}
		return !p.of.prunes()
	}
	p.offer(base, matched, sums)
	return !p.isDecided() && p.goesOn()
}

// isDecided reports whether nothing that follows can rank before the present hits: without
// scores, hits rank in the order in which they come.
func (p *piece) isDecided() bool {
	k := p.ranker
	if p.of.scoring || !k.byScoreAlone || !k.isFull() || k.edge != nil || !p.of.prunes() {
		return false
	}
	p.of.decide(p.order)
	return true
}

// count adds n matches. reached is the end of the documents whose matches have all come, if
// windows come as a whole.
func (p *piece) count(n int, reached uint32) {
	if p.uncounted {
		return
	}
	p.taken += n
	p.reached = reached
	if p.of.request.CountTo != Everything {
		p.of.counted.Add(int64(n))
	}
}

// goesOn reports whether the scan must continue, unless it only counts and has enough.
func (p *piece) goesOn() bool {
	p.stopped = p.endsCounted && p.of.prunes()
	return !p.stopped
}

// TakeDocs ranks documents that come as a list.
func (p *piece) TakeDocs(docs []uint32, scores []float32) bool {
	if len(docs) > 0 {
		if docs[0] >= p.reached && !p.goesOn() {
			return false // these are not taken
		}
		p.count(len(docs), docs[len(docs)-1]&^(match.Span-1)+match.Span)
	}
	if p.set != nil {
		p.set.add(docs)
	}
	if p.ranker == nil {
		return !p.of.prunes()
	}
	for i, doc := range docs {
		score := scores[i]
		if p.signals != nil {
			score = p.signals.apply(doc, score)
		}
		p.ranker.offer(doc, score)
	}
	if p.ranker.byScoreAlone && p.ranker.isFull() {
		p.of.raise(p.ranker.worstScore(), p.order)
	}
	return !p.isDecided()
}

func (p *piece) offer(base uint32, matched *match.Bits, sums *match.Sums) {
	k := p.ranker
	if sums == nil && p.signals == nil && k.isFull() {
		if k.readsNumbers() {
			k.offerNumbers(base, matched)
			return
		}
		if least, most, ok := k.ordinalsBefore(); ok {
			k.offerOrdinals(base, matched, least, most)
			return
		}
	}
	for i, w := range matched {
		for w != 0 {
			at := uint32(i<<6 + bits.TrailingZeros64(w))
			w &= w - 1
			score := float32(0)
			if sums != nil {
				score = float32(sums[at])
				sums[at] = 0
			}
			if p.signals != nil {
				score = p.signals.apply(base+at, score)
			}
			k.offer(base+at, score)
		}
	}
	if k.byScoreAlone && k.isFull() {
		p.of.raise(k.worstScore(), p.order)
	}
}

// Prunes reports whether enough matches were counted.
func (p *piece) Prunes() bool { return p.allCounted || p.of.prunes() }

// Threshold returns the score that a document must exceed, before signals.
func (p *piece) Threshold() float64 {
	if p.ranker == nil {
		return -1
	}
	threshold := p.ranker.threshold()
	if p.ranker.byScoreAlone {
		threshold = max(threshold, p.of.sharedThreshold(p.order))
	}
	if p.signals != nil && threshold > 0 {
		threshold = p.signals.before(threshold)
	}
	return threshold
}

// SkipsWindow reports whether the column of the first key rules out a window.
func (p *piece) SkipsWindow(base uint32) bool {
	return p.ranker != nil && p.ranker.rulesOut(base, base+match.Span)
}

// raise tells the other pieces that a range and those before it have enough hits that score at
// least score. Score and range are packed into one word: the higher score wins, and among equal
// scores the first range.
func (r *run) raise(score float32, order int) {
	if !(score > 0) {
		return
	}
	raised := uint64(math.Float32bits(score))<<32 | uint64(^uint32(order))
	for old := r.threshold.Load(); raised > old; old = r.threshold.Load() {
		if r.threshold.CompareAndSwap(old, raised) {
			return
		}
	}
}

// leastScore returns a score that every hit reaches.
func (r *run) leastScore() float32 {
	if raised := r.threshold.Load(); raised != 0 {
		return math.Float32frombits(uint32(raised >> 32))
	}
	return float32(math.Inf(-1))
}

// sharedThreshold returns a score that a document of a range must exceed. A document that
// equals the worst hit of another range ranks before it if its own range comes first.
func (r *run) sharedThreshold(order int) float64 {
	raised := r.threshold.Load()
	worst := math.Float32frombits(uint32(raised >> 32))
	switch {
	case raised == 0:
		return -1
	case uint32(order) > ^uint32(raised):
		return float64(worst)
	}
	return float64(math.Nextafter32(worst, 0))
}

// decide records that a range and those before it have enough hits, which rank before all hits
// of later ranges.
func (r *run) decide(order int) {
	for old := r.decided.Load(); int64(order) < old; old = r.decided.Load() {
		if r.decided.CompareAndSwap(old, int64(order)) {
			return
		}
	}
}
