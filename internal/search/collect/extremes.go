package collect

import (
	"context"
	"math"

	"github.com/quiresearch/quire/internal/search/match/docset"
	"github.com/quiresearch/quire/internal/segment/points"
)

// Hits ordered by a number with a range index are found from the end of the index: the
// documents with the highest (or lowest) values, or those from the value of a cursor on, are
// checked first, enough of them that the page should be full. Leading documents, where they are
// known, are checked before the index: see leading.go.

const (
	// oversample is how many times more documents are checked than should contain enough
	// matches.
	oversample = 2
	// widening is how many times more documents are checked when a page is not full.
	widening = 8
	// extremeShare: at most 1/extremeShare of the documents of the scan are checked this way;
	// if more are needed, all matches are ranked.
	extremeShare = 2
	// surely is how many matches must be expected among the documents checked so that finding
	// none means that there are none at this end.
	surely = 16
)

// extremes returns the index that finds hits by their values, or nil if the order does not
// allow that.
func (p *piece) extremes() *points.Numbers {
	if !p.leads() || p.ranker.keys[0].Kind != ByNumber {
		return nil
	}
	first := &p.ranker.keys[0]
	return first.segment.Reader.NumberPoints(first.Structure)
}

// runExtremes ranks the matches with the first values of an order. As long as matches must be
// counted, it counts and ranks all of them. If neither the leading documents nor the index, each
// of which may be missing, yields a page, it continues so to the end.
func (p *piece) runExtremes(ctx context.Context, index *points.Numbers) (err error) {
	documents := p.documents()
	p.endsCounted = true
	if !p.of.prunes() {
		if err = p.scanner.Run(ctx, 0, documents, p); err != nil || !p.stopped {
			return err
		}
	}
	seen := p.reached
	matches, exact := p.scanner.MinHits(0)
	if !exact && seen > 0 {
		matches = int(uint64(p.taken) * uint64(documents) / uint64(seen))
	}
	p.endsCounted = false
	if p.isLed, err = p.rankFirst(ctx, index, matches); err != nil || p.isLed {
		return err
	}
	if p.stopped {
		// A scanner cannot go back to matches that it found but that were not taken.
		r := p.of.request
		scanner, err := p.of.search.view.Scanner(ctx, p.segment, r.Query, r.Filters, false)
		if err != nil {
			return err
		}
		p.skipped = p.skipped || p.scanner.Skipped()
		p.scanner.Close()
		p.scanner = scanner
	}
	return p.scanner.Run(ctx, seen, documents, p)
}

// rankFirst ranks the matches with the first values of an order, and reports whether they fill
// the page. matches is the expected number of all matches.
func (p *piece) rankFirst(ctx context.Context, index *points.Numbers, matches int) (isPage bool, err error) {
	if matches == 0 {
		return false, nil
	}
	key := p.leadingKey()
	var leading *docset.Leading
	if key != "" {
		leading = p.of.search.view.Leading(p.segment, key)
	}
	if leading != nil {
		if isPage, err = p.rankLeading(ctx, leading, matches); err != nil || isPage {
			return isPage, err
		}
	}
	if index != nil {
		if isPage, err = p.rankExtremes(ctx, index, matches); err != nil || isPage {
			return isPage, err
		}
	}
	if key == "" || leading != nil || !p.isLeadingDue(key) {
		return false, nil
	}
	if leading, err = p.findLeading(ctx, key); err != nil {
		return false, err
	}
	return p.rankLeading(ctx, leading, matches)
}

// rankExtremes ranks the matches at the end of an index, or from the cursor on.
func (p *piece) rankExtremes(ctx context.Context, index *points.Numbers, matches int) (isPage bool, err error) {
	documents, first := int(p.documents()), int64(math.MinInt64)
	descending := p.ranker.keys[0].flip
	if p.ranker.edge != nil {
		first = p.ranker.edge[0].number
	}
	if descending {
		first = ^first
	}
	most := p.scanner.Cost() / extremeShare
	if p.ranker.limit > most {
		return false, nil // and the product below cannot overflow
	}
	wanted := p.ranker.limit * oversample * documents / matches
	for ; wanted <= most; wanted *= widening {
		docs, ok := index.AppendFrom(nil, first, wanted, most, descending)
		if !ok {
			break
		}
		found, isPage, err := p.rankAmong(ctx, docs)
		if err != nil || isPage {
			return isPage, err
		}
		if len(docs) < wanted {
			break // the index ends there
		}
		if expected := wanted * matches / documents; found == 0 && expected >= surely {
			break // filters leave none at this end, for example filters for past years
		}
	}
	return false, nil
}

// rankAmong ranks the matches among documents. It returns how many it found, and whether they
// fill the page: then no other document ranks before them.
func (p *piece) rankAmong(ctx context.Context, docs []uint32) (found int, isPage bool, err error) {
	r := p.of.request
	scanner, err := p.of.search.view.Scanner(ctx, p.segment, r.Query, r.Filters, false)
	if err != nil {
		return 0, false, err
	}
	defer scanner.Close()
	scanner.Within(docs)
	among := new(ranker)
	if err := p.of.initRanker(ctx, among, p.segment); err != nil {
		return 0, false, err
	}
	sink := &piece{of: p.of, segment: p.segment, order: p.order, base: p.base, ranker: among, uncounted: true}
	if err := scanner.Run(ctx, 0, p.of.search.snapshot.Segments[p.segment].Reader.NumDocs(), sink); err != nil {
		return 0, false, err
	}
	if !among.isFull() {
		return len(among.docs), false, nil
	}
	p.ranker, p.skipped = among, true
	return len(among.docs), true, nil
}
