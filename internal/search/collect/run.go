package collect

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/quiresearch/quire/internal/search/match"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/problem"
)

// Run answers a request.
func (s *Search) Run(ctx context.Context, r *Request) (*Result, error) {
	defer s.Enter()()
	if err := s.prepareAll(ctx, r); err != nil {
		return nil, err
	}
	if r.Values != nil {
		return s.runValues(ctx, r)
	}
	if r.Sets && r.Limit > 0 && r.Query != nil && matchesCheaply(r.Query) {
		if few, err := s.expectsFew(ctx, r); err != nil {
			return nil, timedOut(ctx, err)
		} else if !few {
			return s.runTwice(ctx, r)
		}
	}
	if r.Limit == 0 && !r.Sets && r.CountTo != Everything {
		return s.probe(ctx, r)
	}
	run := s.newRun(r)
	run.scored = r.Query != nil && plan.Scores(r.Query) || len(r.Signals) > 0
	run.scoring = run.scored && (r.NeedScores || r.Limit > 0 && ordersByScore(run.order) || len(r.Signals) > 0)
	if err := s.pieces(ctx, run.binds); err != nil {
		return nil, timedOut(ctx, err)
	}
	pieces := run.pieces
	run.countBefore(pieces)
	key := run.thresholdKey()
	threshold := s.view.Threshold(key)
	run.raise(threshold, orderOf(len(pieces), 0))
	err := run.searchAll(ctx)
	for i := range pieces {
		if err == nil {
			pieces[i].spendOnLeading()
		}
		pieces[i].scanner.Close()
	}
	for _, p := range run.more {
		p.scanner.Close()
	}
	if err != nil {
		return nil, timedOut(ctx, err)
	}
	result := run.merge(pieces)
	if key != "" && threshold == 0 && len(result.Hits) == r.Limit {
		s.view.KeepThreshold(key, result.Hits[r.Limit-1].Score)
	}
	s.keep(run)
	return result, nil
}

// searchAll searches all segments, by ranges if that pays.
func (r *run) searchAll(ctx context.Context) error {
	if spans := r.cut(); spans != nil {
		if seats := r.search.seats(len(spans) - 1); seats > 0 {
			return r.search.runRanges(ctx, r, spans, seats)
		}
	}
	return r.search.pieces(ctx, r.runs)
}

// thresholdCost is the smallest cost of a run, in documents, for which a threshold gains more
// than encoding its key costs.
const thresholdCost = 1024

// thresholdKey returns a key that identifies the scores that the run reaches, or "" when the
// best hits do not depend on scores alone, or when there is little to skip.
func (r *run) thresholdKey() string {
	if !r.scoring || r.request.Sets || len(r.pieces) == 0 || !r.pieces[0].ranksByScore() {
		return ""
	}
	cost := 0
	for i := range r.pieces {
		cost += r.pieces[i].scanner.Cost()
	}
	if cost < thresholdCost {
		return ""
	}
	return r.search.view.ThresholdKey(r.request.Query, r.request.Filters, r.request.Limit)
}

// newRun returns a run of a request with a piece for every segment.
func (s *Search) newRun(r *Request) *run {
	k := s.idle
	if s.idle = nil; k == nil {
		k = new(run)
		k.binds = func(ctx context.Context, segment int) error { return k.bind(ctx, &k.pieces[segment], segment) }
		k.runs = func(ctx context.Context, segment int) error { return k.pieces[segment].run(ctx) }
	}
	k.search, k.request, k.order = s, r, effectiveOrder(r)
	k.pieces = slices.Grow(k.pieces, len(s.snapshot.Segments))[:len(s.snapshot.Segments)]
	return k
}

// keep stores a run that ended without an error for the next request, and drops everything it
// refers to.
func (s *Search) keep(k *run) {
	clear(k.pieces)
	if cap(k.pieces) <= maxIdlePieces {
		*k = run{pieces: k.pieces[:0], binds: k.binds, runs: k.runs}
		s.idle = k
	}
}

// maxIdlePieces bounds the segments of a run that is kept for reuse.
const maxIdlePieces = 32

// probe counts matches, segment by segment, until there are enough; it does not open the
// segments that follow.
func (s *Search) probe(ctx context.Context, r *Request) (*Result, error) {
	run := &run{search: s, request: r}
	result := &Result{Scored: r.Query != nil && plan.Scores(r.Query) || len(r.Signals) > 0, Exact: true}
	for segment := range s.snapshot.Segments {
		if result.Total >= r.CountTo {
			result.Exact = false
			break
		}
		s.runner.meters.Pieces("request", 1)
		if err := Guard(func() error { return run.probe(ctx, segment, result) }); err != nil {
			return nil, timedOut(ctx, err)
		}
	}
	return result, nil
}

// probe adds the matches of a segment to a result, as far as they are needed.
func (r *run) probe(ctx context.Context, segment int, result *Result) error {
	var p piece
	if err := r.bind(ctx, &p, segment); err != nil {
		return err
	}
	defer p.scanner.Close()
	n, exact := p.scanner.MinHits(r.request.CountTo - result.Total)
	if !exact && result.Total+n < r.request.CountTo {
		r.counted.Store(int64(result.Total))
		r.decided.Store(int64(orderOf(segment, 0)))
		if err := p.run(ctx); err != nil {
			return err
		}
		n, exact = p.taken, !p.scanner.Skipped() && !p.skipped
	}
	result.Total += n
	result.Exact = result.Exact && exact
	return nil
}

// runTwice finds the set of matches without scores, and the hits in a separate run: both
// together cost less than scoring every match.
func (s *Search) runTwice(ctx context.Context, r *Request) (*Result, error) {
	sets, err := s.Run(ctx, &Request{Query: r.Query, Filters: r.Filters, CountTo: Everything, Sets: true})
	if err != nil {
		return nil, err
	}
	ranked := *r
	ranked.Sets, ranked.CountTo = false, 0
	result, err := s.Run(ctx, &ranked)
	if err != nil {
		return nil, err
	}
	result.Total, result.Exact, result.Sets = sets.Total, sets.Exact, sets.Sets
	return result, nil
}

// fewMatches: scoring all matches costs less than a separate search for the best if fewer than
// one in fewMatches documents is expected to match.
const fewMatches = 256

// expectsFew reports whether a request is a conjunction that so few documents are expected to
// match.
func (s *Search) expectsFew(ctx context.Context, r *Request) (bool, error) {
	if _, isAnd := r.Query.(*plan.And); !isAnd && len(r.Filters) == 0 {
		return false, nil
	}
	expected, documents := 0, 0
	for i, segment := range s.snapshot.Segments {
		n, ok := 0, false
		err := Guard(func() error {
			scanner, err := s.view.Scanner(ctx, i, r.Query, r.Filters, false)
			if err == nil {
				n, ok = scanner.Expected()
				scanner.Close()
			}
			return err
		})
		if err != nil || !ok {
			return false, err
		}
		expected += n
		documents += int(segment.Reader.NumDocs())
	}
	return expected < documents/fewMatches, nil
}

// matchesCheaply reports whether finding the matches of a plan is cheap compared with scoring
// them.
func matchesCheaply(n plan.Node) bool {
	switch n.(type) {
	case *plan.Phrase, *plan.Nested, *plan.Knn, *plan.Fuse:
		return false
	}
	return !slices.ContainsFunc(plan.Children(n), func(c plan.Node) bool { return !matchesCheaply(c) })
}

// timedOut turns an exceeded deadline into search:timeout.
func timedOut(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && ctx.Err() == context.DeadlineExceeded {
		return problem.SearchTimeout.New().Because(err)
	}
	return err
}

// byScore is the order of a request that specifies none.
var byScore = []Key{{Kind: ByScore, Descending: true}}

func effectiveOrder(r *Request) []Key {
	if len(r.Order) == 0 {
		return byScore
	}
	return r.Order
}

func ordersByScore(order []Key) bool {
	return slices.ContainsFunc(order, func(k Key) bool { return k.Kind == ByScore })
}

// run is the execution of one request.
type run struct {
	search  *Search
	request *Request
	order   []Key
	scored  bool // scores are meaningful
	scoring bool // scores are computed

	pieces      []piece  // by segment
	more        []*piece // pieces of ranges other than the first ones of segments
	binds, runs func(ctx context.Context, segment int) error

	counted   atomic.Int64           // matches taken so far
	threshold atomic.Uint64          // score that a hit must reach, see raise
	idle      atomic.Pointer[ranker] // released by a piece that has ended
	decided   atomic.Int64           // ranges after this one have no hits, see isDecided
	atLeast   int                    // matches known before the scan
	exact     bool                   // atLeast counts all matches
}

// piece is the part of a run in one segment, or in some ranges of it.
type piece struct {
	of      *run
	segment int
	order   int    // of the range, see orderOf
	base    uint32 // global number of document 0
	scanner *match.Scanner
	scans   match.Scanner // storage of scanner
	ranker  *ranker       // nil: nothing is ranked
	ranks   ranker        // storage of ranker
	signals *signals
	set     *Docs
	taken   int

	skipped     bool   // matches were left out, apart from those that the scanner skipped
	uncounted   bool   // matches were counted before
	allCounted  bool   // all matches were counted before
	endsCounted bool   // the scan ends when enough matches are counted
	stopped     bool   // the scan ended for this reason
	reached     uint32 // matches before it were taken

	leadingOf    string // key of the leading documents, see leadingKey
	leadingAsked bool   // see isLeadingDue
	leadingDue   bool
	isLed        bool // the page was found among the first values of the order
}

// bind prepares a piece to run.
func (r *run) bind(ctx context.Context, p *piece, segment int) error {
	s := r.search.snapshot.Segments[segment]
	p.of, p.segment, p.order, p.base = r, segment, orderOf(segment, 0), s.Base
	if err := p.bindScanner(ctx); err != nil {
		return err
	}
	if r.scoring {
		p.signals = newSignals(r.request.Signals, s, !r.queryScores())
	}
	if r.request.Limit > 0 {
		p.ranker = &p.ranks
		if err := r.initRanker(ctx, p.ranker, segment); err != nil {
			return err
		}
	}
	if r.request.Sets && p.set == nil {
		p.set = newDocs(s.Reader.NumDocs(), p.scanner.Cost())
	}
	return nil
}

func (r *run) queryScores() bool { return r.request.Query != nil && plan.Scores(r.request.Query) }

// bindScanner initializes the zero scanner of a piece.
func (p *piece) bindScanner(ctx context.Context) error {
	r := p.of
	p.scanner = &p.scans
	if r.defersBinding(p.segment) {
		return r.search.view.InitDeferred(ctx, p.scanner, p.segment, r.request.Query)
	}
	return r.search.view.InitScanner(ctx, p.scanner, p.segment, r.request.Query, r.request.Filters, r.scoring && r.queryScores())
}

// defersBinding reports whether a segment is bound only when it may contain a hit: one too
// small to be cut, in a search in which the best scores of other segments give a threshold.
func (r *run) defersBinding(segment int) bool {
	q := r.request
	if !r.scoring || !r.queryScores() || q.Limit == 0 || q.Sets || q.Values != nil || q.After != nil || q.Before != nil ||
		len(q.Filters)+len(q.Signals) > 0 || len(r.order) != 1 || r.order[0].Kind != ByScore || !r.order[0].Descending {
		return false
	}
	segments := r.search.snapshot.Segments
	return len(segments) > 1 && segments[segment].Reader.NumDocs() < 2*leastRange
}

// countBefore determines what is known about the total before the scan.
func (r *run) countBefore(pieces []piece) {
	r.exact = true
	r.decided.Store(int64(orderOf(len(pieces), 0)))
	for i := range pieces {
		p := &pieces[i]
		n, exact := p.scanner.MinHits(r.request.CountTo - r.atLeast)
		r.atLeast += n
		r.exact = r.exact && exact
		if p.ranksByScore() {
			r.raise(p.scanner.Reached(r.request.Limit), orderOf(p.segment+1, -1))
		}
	}
}

// ranksByScore reports whether the best hits are those with the highest scores.
func (p *piece) ranksByScore() bool {
	return p.ranker != nil && p.ranker.byScoreAlone && p.ranker.edge == nil && p.signals == nil
}

// prunes reports whether enough matches were counted to leave others out.
func (r *run) prunes() bool {
	if r.request.Sets {
		return false
	}
	return r.exact || r.atLeast >= r.request.CountTo && r.request.CountTo != Everything ||
		int(r.counted.Load()) >= r.request.CountTo
}

func (r *run) merge(pieces []piece) *Result {
	result := r.request.Into
	if result == nil {
		result = new(Result)
	}
	hits := result.Hits[:0]
	*result = Result{Scored: r.scored, Exact: true}
	least, found := r.leastScore(), 0
	add := func(p *piece) {
		result.Total += p.taken
		if !p.allCounted && (p.scanner.Skipped() || p.skipped) {
			result.Exact = false
		}
		if p.ranker != nil {
			found += p.ranker.drop(least)
		}
	}
	for i := range pieces {
		add(&pieces[i])
		if r.request.Sets {
			result.Sets = append(result.Sets, pieces[i].set)
		}
	}
	for _, p := range r.more {
		add(p)
	}
	if r.exact {
		result.Total, result.Exact = r.atLeast, true
	} else if !result.Exact {
		result.Total = max(result.Total, r.atLeast)
	}
	if found == 0 {
		return result
	}
	hits = slices.Grow(hits, found)
	sorted := false
	take := func(k *ranker) {
		if k != nil && len(k.docs) > 0 {
			sorted = len(k.docs) == found && k.sort()
			hits = k.appendHits(hits)
		}
	}
	for i := range pieces {
		take(pieces[i].ranker)
	}
	for _, p := range r.more {
		take(p.ranker)
	}
	if !sorted {
		sortHits(hits, r.order, r.request.Before != nil)
	}
	if len(hits) > r.request.Limit {
		hits = hits[:r.request.Limit]
	}
	if r.request.Before != nil {
		slices.Reverse(hits)
	}
	result.Hits = hits
	return result
}
