package match

import (
	"context"
	"slices"

	"github.com/quiresearch/quire/internal/search/match/docset"
	"github.com/quiresearch/quire/internal/search/plan"
)

// Sink receives the matches of a Scanner, window by window and in order.
type Sink interface {
	// Take receives the matches of the window that starts at base, and their scores when the
	// scan computes scores. The sink resets the scores of the matches to zero. It returns false
	// to end the scan.
	Take(base uint32, matched *Bits, sums *Sums) bool
	// TakeDocs receives documents in ascending order with their scores; otherwise it is like
	// Take.
	TakeDocs(docs []uint32, scores []float32) bool
	// Threshold returns a score that a document must exceed to become a hit; other matches may
	// be left out. It never decreases.
	Threshold() float64
	// Prunes reports whether matches that cannot become hits may be left out now.
	Prunes() bool
	// SkipsWindow reports whether no document of the window can become a hit, whatever its
	// score. It is called only while the sink prunes.
	SkipsWindow(base uint32) bool
}

// Scanner walks the matches of a plan in one segment. It belongs to one
// goroutine, which closes it.
type Scanner struct {
	binder binder
	root   step
	mask   mask
	sums   *Sums

	skipped bool
	passed  int  // blocks and windows skipped by their bound
	isFound bool // scratch.found holds the candidates of the root
	scratch *scratch

	deferred deferred
}

// scratch is the working memory of a scan. Its sums are zero while it is in the pool.
type scratch struct {
	sums    []float64 // of one window, or of the joined windows of a text
	matched Bits
	in, out Bits
	few     Bits // documents of the batch
	joined  joinedBits
	batch   batch
	merged  merged
	wide    [2]wide
	found   candidates
	counted counted
	dirty   bool // sums may not be zero
}

// newScratch returns working memory for one window.
func newScratch() *scratch {
	r := new(scratch)
	r.grow(1)
	return r
}

// grow makes memory for several windows at once.
func (r *scratch) grow(windows int) {
	if windows*Span > len(r.sums) {
		r.sums = make([]float64, windows*Span)
		r.batch.grow(windows)
	}
}

// window returns the sums of the first window.
func (r *scratch) window() *Sums { return (*Sums)(r.sums) }

func (r *scratch) clean() {
	if r.dirty {
		clear(r.sums)
		r.dirty = false
	}
}

// Close returns the working memory to its pools. The scanner must not be used again.
func (s *Scanner) Close() {
	if s.scratch == nil {
		return
	}
	s.scratch.clean()
	s.scratch.found.typed, s.isFound = nil, false
	s.scratch.counted.start()
	s.binder.view.tables.scratches.Put(s.scratch)
	s.scratch, s.sums = nil, nil
	s.binder.release()
	s.root, s.mask.domain = nil, nil
}

// Scanner returns a scanner of the root documents that match the query and all filters. It
// computes scores only if scoring is set.
func (v *View) Scanner(ctx context.Context, segment int, query plan.Node, filters []plan.Node, scoring bool) (*Scanner, error) {
	return v.scanner(ctx, segment, joined(query, filters), scoring, "")
}

// InitScanner makes a zero Scanner what Scanner returns.
func (v *View) InitScanner(ctx context.Context, s *Scanner, segment int, query plan.Node, filters []plan.Node, scoring bool) error {
	return v.initScanner(ctx, s, segment, joined(query, filters), scoring, "")
}

// ValueScanner returns a scanner of the list values of a path that match all clauses, without
// those of deleted documents.
func (v *View) ValueScanner(ctx context.Context, segment int, path string, clauses []plan.Node, scoring bool) (*Scanner, error) {
	return v.scanner(ctx, segment, &plan.And{Clauses: clauses}, scoring, path)
}

// AnyScanner returns a scanner of all live documents and list values that match a filter,
// whether the filter is about documents or about values.
func (v *View) AnyScanner(ctx context.Context, segment int, filter plan.Node) (*Scanner, error) {
	s, err := v.scanner(ctx, segment, filter, false, "")
	if err == nil {
		s.mask.parents = nil
	}
	return s, err
}

func joined(query plan.Node, filters []plan.Node) plan.Node {
	if len(filters) == 0 && query != nil {
		return query
	}
	and := &plan.And{}
	if query != nil {
		and.Clauses = append(and.Clauses, query)
	}
	for _, f := range filters {
		if plan.Scores(f) {
			f = &plan.Scale{Weight: 0, Clause: f}
		}
		and.Clauses = append(and.Clauses, f)
	}
	return and
}

func (v *View) scanner(ctx context.Context, segment int, n plan.Node, scoring bool, path string) (*Scanner, error) {
	s := new(Scanner)
	if err := v.initScanner(ctx, s, segment, n, scoring, path); err != nil {
		return nil, err
	}
	return s, nil
}

func (v *View) initScanner(ctx context.Context, s *Scanner, segment int, n plan.Node, scoring bool, path string) (err error) {
	b := &s.binder
	b.init(v, segment, scoring)
	if s.root, err = b.bind(ctx, n, 1); err != nil {
		return err
	}
	s.mask.documents, s.scratch = b.documents, v.tables.scratches.Get().(*scratch)
	if scoring {
		s.sums = s.scratch.window()
	}
	if b.segment.Live != nil {
		s.mask.live = b.segment.Live.Words()
	}
	if path != "" {
		field, entry, ok := b.listValues(path)
		if !ok {
			s.root = noStep{}
			return nil
		}
		s.mask.domain = b.newTerm(field, entry)
		return nil
	}
	if parents := b.segment.Reader.Parents(); parents != nil && !b.belongs(n, "") {
		s.mask.parents = parents.Words()
	}
	return nil
}

// RunWindow hands those matches to sink that are in among, a part of the window that starts at
// base. base must ascend from call to call.
func (s *Scanner) RunWindow(base uint32, among *Bits, sink Sink) {
	in, out := &s.scratch.in, &s.scratch.out
	s.mask.window(base, in)
	if in.And(among); in.Empty() {
		return
	}
	s.scratch.dirty = true
	s.root.run(base, in, out, s.sums)
	if !out.Empty() {
		sink.Take(base, out, s.sums)
	}
	s.scratch.dirty = false // the sink has cleared what it took
}

// Within restricts a scanner that does not score to the given documents, which it takes over
// and sorts.
func (s *Scanner) Within(docs []uint32) {
	s.scratch.counted.start()
	narrow := stepOf(docset.FromDocs(docs, s.mask.documents))
	if _, never := narrow.(noStep); never {
		s.root = narrow
		return
	}
	and, ok := s.root.(*andStep)
	if !ok {
		and = &andStep{steps: []step{s.root}}
		s.root = and
	}
	and.steps = append(and.steps, narrow)
	slices.SortStableFunc(and.steps, func(x, y step) int { return x.cost() - y.cost() })
}

// canceled returns the cause once the context has ended, and nil before. done is ctx.Done(),
// which a walk evaluates once.
func canceled(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return context.Cause(ctx)
	default:
		return nil
	}
}

// thresholdNow returns the score that a match must exceed, or -1 while the sink wants every
// match.
func thresholdNow(sink Sink) float64 {
	if !sink.Prunes() {
		return -1
	}
	return sink.Threshold()
}

// Skipped reports whether matches were left out.
func (s *Scanner) Skipped() bool { return s.skipped }

// passOver records that a block or window was skipped because its bound does not exceed the
// threshold.
func (s *Scanner) passOver() {
	s.skipped = true
	s.passed++
}

// Cost estimates how many documents the scan reads.
func (s *Scanner) Cost() int {
	if s.IsDeferred() {
		return s.deferred.atLeast
	}
	return s.root.cost()
}
