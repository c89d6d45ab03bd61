package collect

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/quiresearch/quire/internal/search/match"
)

// Ranges of documents of one segment are searched concurrently when a search is slow and cores
// are idle. Each range has its own scanner; the searches of the ranges share the count, the
// threshold and the set of matches. When a search thread has finished a range, it takes the
// next one, or leaves if requests need its core. An exact total is counted range by range, each
// before its hits are ranked.
//
// Example: a segment of 1,000,000 documents, two terms with 600,000 postings and one idle core.
// The segment is cut into 8 ranges of 126,976 documents. The request takes the first, a search
// thread the second; a document of either range must exceed the tenth best score of the other.
// The range of a hit decides among equal scores, as the segment does among segments: a
// threshold raised in the second range still admits a document of the first with the same
// score.

const (
	// worthCut is how long a search must take by its estimate for ranges to pay: each must be
	// bound, and a woken thread starts after some ten microseconds.
	worthCut = 150 * time.Microsecond
	// leastRange is the smallest number of documents in a range.
	leastRange = 8 * match.Span
	// rangesEach is the number of ranges for each participating core, so that all finish at
	// about the same time.
	rangesEach = 4
	// maxRanges bounds the ranges of a segment; see orderOf.
	maxRanges = 1 << 10
)

// span is a range of documents of a segment.
type span struct {
	segment  int
	number   int // index of the range in the segment
	from, to uint32
	isWhole  bool  // the range is the whole segment
	set      *Docs // the set to add its matches to; nil: none is wanted
	found    *Docs // matches of the range alone, if the set is a list
}

// orderOf numbers the ranges of all segments in index order.
func orderOf(segment, number int) int { return segment*maxRanges + number }

// cut returns the ranges of a run, or nil to search segment by segment: if the search is short,
// no core is idle, or no segment can be cut.
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

// estimate returns about how long a piece takes, or 0 if cutting it does not pay.
func (p *piece) estimate() time.Duration { return p.scanner.Estimate(p.ranker != nil) }

// canCut reports whether ranges of a segment can be searched separately and together take about
// as long as the whole.
func (p *piece) canCut() bool {
	if p.estimate() == 0 || p.extremes() != nil || p.usesLeading() {
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

// countsRanges reports whether all matches are counted before any is ranked, and range by
// range.
func (p *piece) countsRanges() bool {
	return p.of.request.CountTo == Everything && p.scanner.CountsRanges()
}

// countRange counts the matches of a range before any is ranked, and reports whether nothing is
// left to do.
func (p *piece) countRange(ctx context.Context, at *span) (done bool, err error) {
	n, ok, err := p.scanner.CountRange(ctx, at.from, at.to, Everything)
	if ok {
		p.taken += n
	}
	// Scanners of ranges may differ, as filters are cached along the way: if one cannot count,
	// its matches are counted as they are taken.
	p.uncounted, p.allCounted = ok, ok
	return ok && p.ranker == nil, err
}

// isPlain reports whether the ranker can be made without reading documents.
func (k *ranker) isPlain() bool {
	for i := range k.keys {
		if k.keys[i].chosen != nil || k.keys[i].chain != nil {
			return false
		}
	}
	return true
}

// runRanges searches ranges on the caller's goroutine and on the search threads that it has
// seats for.
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

// rangeWorker searches ranges, one after another, on one goroutine.
type rangeWorker struct {
	run  *run
	last *piece   // of the last range
	more []*piece // pieces other than those of the run
}

// search searches a range. The first range of a segment uses the piece of the run, other ranges
// a piece of the worker.
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

// rebind prepares a piece that has searched a range for a later range of its segment. A scanner
// cannot go back, not even within its current block.
func (p *piece) rebind(ctx context.Context) error {
	p.skipped = p.skipped || p.scanner.Skipped() && !p.allCounted
	p.scanner.Close()
	p.scans = match.Scanner{}
	return p.bindScanner(ctx)
}
