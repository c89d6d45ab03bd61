package collect

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/quiresearch/quire/internal/search/match"
)

// Ranges of documents of one segment are searched side by side when a search is
// slow and cores are idle. Each range has a scanner of its own; the searches of
// the ranges share the count, the threshold and the set of matches. A search
// thread takes the next range when it has done one, and leaves between two
// ranges when requests need its core. An exact total is counted range by range,
// each before its hits are ranked.
//
// Example: a segment of 1,000,000 documents, two terms with 600,000 postings
// and one idle core. The segment is cut into 8 ranges of 126,976 documents. The
// request takes the first, a search thread the second; the tenth best score of
// either is what a document of the other must exceed. The range of a hit decides
// among equal scores, as the segment does among segments: a threshold that was
// raised in the second range lets a document of the first with the same score
// pass.

const (
	// worthCut is how long a search must take by its estimate for ranges to pay:
	// each has to be bound, and a woken thread begins after some ten microseconds.
	worthCut = 150 * time.Microsecond
	// leastRange is how many documents a range has at least.
	leastRange = 8 * match.Span
	// rangesEach is how many ranges there are for each core that takes part, so
	// that all end about together.
	rangesEach = 4
	// maxRanges bounds the ranges of a segment; see orderOf.
	maxRanges = 1 << 10
)

// span is a range of documents of a segment.
type span struct {
	segment  int
	number   int // of the range in the segment
	from, to uint32
	isWhole  bool  // it is the whole segment
	set      *Docs // that its matches are added to; nil: none is wanted
	found    *Docs // of the range alone, where the set is a list
}

// orderOf numbers the ranges of all segments in index order.
func orderOf(segment, number int) int { return segment*maxRanges + number }

// cut returns the ranges that a run is searched in, nil when it is searched
// segment by segment: when it is short, no core is idle, or no segment can be
// cut.
func (r *run) cut() []span {
	runner := r.search.runner
	if runner.idle() == 0 {
		return nil
	}
	takes := time.Duration(0)
	for i := range r.pieces {
		takes += r.pieces[i].estimate()
	}
	if takes < runner.worthCut {
		return nil
	}
	least, cores := runner.leastRange, uint32(runner.idle()+1)
	var spans []span
	isCut := false
	for i := range r.pieces {
		documents := r.search.snapshot.Segments[i].Reader.NumDocs()
		size := documents
		if documents >= 2*least && r.pieces[i].canCut() {
			size = max(least, documents/(rangesEach*cores), documents/maxRanges+1)
			size = (size + match.Span - 1) / match.Span * match.Span
		}
		number := 0
		for from := uint32(0); from < documents; from += size {
			spans = append(spans, span{i, number, from, min(documents, from+size), size >= documents, r.pieces[i].set, nil})
			number++
		}
		isCut = isCut || number > 1
	}
	if !isCut {
		return nil
	}
	return spans
}

// estimate is about how long a piece takes that can be cut.
func (p *piece) estimate() time.Duration { return p.scanner.Estimate(p.ranker != nil) }

// canCut reports whether ranges of a segment can be searched by themselves and
// take about as long together as the whole.
func (p *piece) canCut() bool {
	if p.estimate() == 0 || p.extremes() != nil {
		return false
	}
	if p.countsFirst() && !p.countsRanges() {
		return false
	}
	if p.ranker == nil {
		return p.set != nil || p.countsFirst()
	}
	return p.ranker.isPlain()
}

// countsRanges reports whether all matches are counted before any is ranked, and
// range by range.
func (p *piece) countsRanges() bool {
	return p.of.request.CountTo == Everything && p.scanner.CountsRanges()
}

// countRange counts the matches of a range before any is ranked, and reports
// whether nothing is left to do.
func (p *piece) countRange(ctx context.Context, at *span) (done bool, err error) {
	n, ok, err := p.scanner.CountRange(ctx, at.from, at.to, Everything)
	if ok {
		p.taken += n
	}
	// Scanners of ranges may differ, as filters are kept on the way: where one
	// cannot count, its matches are counted as they are taken.
	p.uncounted, p.allCounted = ok, ok
	return ok && p.ranker == nil, err
}

// isPlain reports whether a ranker is made without looking at documents.
func (k *ranker) isPlain() bool {
	for i := range k.keys {
		if k.keys[i].chosen != nil || k.keys[i].chain != nil {
			return false
		}
	}
	return true
}

// runRanges searches ranges on the caller's goroutine and on search threads that
// it has seats for.
func (s *Search) runRanges(ctx context.Context, r *run, spans []span, seats int) error {
	var next atomic.Int64
	more := make([][]*piece, seats+1)
	err := s.share(ctx, seats, func(ctx context.Context, thread int) (done int, err error) {
		w := rangeWorker{run: r}
		defer func() { more[thread] = w.more }()
		for i := int(next.Add(1) - 1); i < len(spans) && err == nil; i = int(next.Add(1) - 1) {
			done++
			if err = w.search(ctx, &spans[i]); thread > 0 && s.runner.isCrowded() {
				break
			}
		}
		return done, err
	})
	r.more = slices.Concat(more...)
	for i := range spans {
		at := &spans[i]
		if r.pieces[at.segment].set = at.set; at.found != nil {
			at.set.append(at.found)
		}
	}
	return err
}

// rangeWorker searches ranges, one after the other, on one goroutine.
type rangeWorker struct {
	run  *run
	last *piece   // of the last range
	more []*piece // beside those of the run
}

// search searches a range. The first range of a segment has the piece of the
// run, others have one of the worker's.
func (w *rangeWorker) search(ctx context.Context, at *span) (err error) {
	before, p := w.last, w.last
	switch {
	case at.number == 0:
		p = &w.run.pieces[at.segment]
	case before != nil && before.segment == at.segment:
		err = before.rebind(ctx)
	default:
		p = new(piece)
		w.more = append(w.more, p)
		p.set = at.set
		err = w.run.bind(ctx, p, at.segment)
	}
	if w.last = p; err != nil {
		return err
	}
	if p.set = at.set; p.set != nil && p.set.listed && !at.isWhole {
		at.found = newDocs(p.set.documents, 0)
		p.set = at.found
	}
	p.order = orderOf(at.segment, at.number)
	if at.isWhole {
		if done, err := p.begin(ctx); done || err != nil {
			return err
		}
	} else {
		p.uncounted, p.allCounted = false, false
		if p.countsFirst() && p.countsRanges() {
			if done, err := p.countRange(ctx, at); done || err != nil {
				return err
			}
		}
	}
	if p.isBehindDecided() {
		p.skipped = true
		return nil
	}
	if p.ranker != nil {
		if before != nil && before != p && before.ranker.goesOn(p.order, p.base) {
			p.ranker, before.ranker = before.ranker, p.ranker // its hits are merged with the last piece
		}
		p.ranker.order = p.order
	}
	return p.scanner.Run(ctx, at.from, at.to, p)
}

// rebind makes a piece that has searched a range ready for a later one of its
// segment. A scanner does not go back, not even in the block that it is in.
func (p *piece) rebind(ctx context.Context) error {
	p.skipped = p.skipped || p.scanner.Skipped() && !p.allCounted
	p.scanner.Close()
	p.scans = match.Scanner{}
	return p.bindScanner(ctx)
}
