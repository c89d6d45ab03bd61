package collect

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/quiresearch/quire/internal/search/match"
	"github.com/quiresearch/quire/internal/search/plan"
)

// runValues answers a request whose hits are list values: the values of matching documents that
// satisfy the required clauses together.
func (s *Search) runValues(ctx context.Context, r *Request) (*Result, error) {
	run := &run{search: s, request: r, order: effectiveOrder(r)}
	clauses := clausesOf(r.Values.Required)
	valuesScore := slices.ContainsFunc(clauses, plan.Scores)
	run.scored = r.Query != nil && plan.Scores(r.Query) || len(r.Signals) > 0 || valuesScore
	run.scoring = run.scored && (r.NeedScores || r.Limit > 0 && ordersByScore(run.order) || len(r.Signals) > 0)
	run.decided.Store(int64(orderOf(len(s.snapshot.Segments), 0)))
	pieces := make([]piece, len(s.snapshot.Segments))
	matched := make([]int, len(pieces))
	err := s.pieces(ctx, func(ctx context.Context, segment int) (err error) {
		matched[segment], err = run.runValuesOf(ctx, &pieces[segment], segment, clauses, valuesScore && run.scoring && r.Values.When == nil)
		return err
	})
	if err != nil {
		return nil, timedOut(ctx, err)
	}
	documents := 0
	for _, n := range matched {
		documents += n
	}
	result := run.merge(pieces)
	result.Documents = documents
	for i := range result.Hits {
		s.findParent(&result.Hits[i])
	}
	return result, nil
}

// findParent sets the document of a hit.
func (s *Search) findParent(h *Hit) {
	segment, doc := s.locate(h.Doc)
	base := h.Doc - doc
	if parents := s.snapshot.Segments[segment].Reader.Parents(); parents != nil {
		h.Parent = base + parents.Next(doc)
		h.IsItem = h.Parent != h.Doc
	}
}

// runValuesOf finds the values that are hits in one segment, and returns the number of matching
// documents.
func (r *run) runValuesOf(ctx context.Context, p *piece, segment int, clauses []plan.Node, valuesScore bool) (documents int, err error) {
	if err := r.bind(ctx, p, segment); err != nil {
		return 0, err
	}
	defer p.scanner.Close()
	e := &expander{piece: p, reader: r.search.snapshot.Segments[segment].Reader, prunes: !valuesScore && r.request.Values.When == nil}
	if e.prunes && p.isBehindDecided() {
		p.skipped = true
		return 0, nil
	}
	if r.request.Values.When != nil {
		if e.expands, err = r.documentSet(ctx, segment, r.request.Values.When); err != nil {
			return 0, err
		}
	}
	if e.values, err = r.search.view.ValueScanner(ctx, segment, r.request.Values.Path, clauses, valuesScore); err != nil {
		return 0, err
	}
	defer e.values.Close()
	if err := p.scanner.Run(ctx, 0, e.reader.NumDocs(), e); err != nil {
		return 0, err
	}
	e.advance(e.reader.NumDocs())
	return e.documents, nil
}

// valueSink gathers matching list values with the scores of the clauses.
type valueSink struct {
	setSink
	docs   []uint32
	scores []float32
}

func (k *valueSink) Take(base uint32, matched *match.Bits, sums *match.Sums) bool {
	for i, w := range matched {
		for w != 0 {
			at := uint32(i<<6 + bits.TrailingZeros64(w))
			w &= w - 1
			score := float32(0)
			if sums != nil {
				score = float32(sums[at])
				sums[at] = 0
			}
			k.docs = append(k.docs, base+at)
			k.scores = append(k.scores, score)
		}
	}
	return true
}

// drop removes the first n values.
func (k *valueSink) drop(n int) {
	k.docs = k.docs[:copy(k.docs, k.docs[n:])]
	k.scores = k.scores[:copy(k.scores, k.scores[n:])]
}

func (k *valueSink) TakeDocs(docs []uint32, scores []float32) bool {
	k.docs = append(k.docs, docs...)
	k.scores = append(k.scores, scores...)
	return true
}

// MatchedValues returns, for each document, the global numbers of its list values of the path
// that satisfy all required nodes together, ordered by score if the nodes score, and then by
// position. It only searches the windows around the documents.
func (s *Search) MatchedValues(ctx context.Context, path string, required []*plan.Nested, documents []uint32) ([][]uint32, error) {
	m := &valueMatcher{search: s, path: path, clauses: clausesOf(required), documents: documents, found: make([][]uint32, len(documents))}
	for _, c := range m.clauses {
		if err := s.prepare(ctx, c); err != nil {
			return nil, err
		}
		m.scoring = m.scoring || plan.Scores(c)
	}
	rising := make([]int, len(documents))
	for i := range rising {
		rising[i] = i
	}
	slices.SortFunc(rising, func(a, b int) int { return cmp.Compare(documents[a], documents[b]) })
	for len(rising) > 0 {
		segment, _ := s.locate(documents[rising[0]])
		base := s.snapshot.Segments[segment].Base
		end := base + s.snapshot.Segments[segment].Reader.NumDocs()
		inside := 0
		for inside < len(rising) && documents[rising[inside]] < end {
			inside++
		}
		if err := m.match(ctx, segment, rising[:inside]); err != nil {
			return nil, timedOut(ctx, err)
		}
		rising = rising[inside:]
	}
	return m.found, nil
}

// valueMatcher finds the list values of documents that satisfy all clauses.
type valueMatcher struct {
	search    *Search
	path      string // of the list
	clauses   []plan.Node
	scoring   bool
	documents []uint32   // global numbers
	found     [][]uint32 // by document
}

// match finds the values of the documents at the given positions. These documents must be in
// ascending order and in one segment.
func (m *valueMatcher) match(ctx context.Context, segment int, positions []int) error {
	scanner, err := m.search.view.ValueScanner(ctx, segment, m.path, m.clauses, m.scoring)
	if err != nil {
		return err
	}
	defer scanner.Close()
	of := m.search.snapshot.Segments[segment]
	sink := &valueSink{}
	looked := uint32(0) // end of the windows searched so far
	for _, at := range positions {
		first, last := of.Block(m.documents[at] - of.Base)
		from, to := max(looked, first&^(match.Span-1)), last|(match.Span-1)
		if from <= last {
			if err := scanner.Run(ctx, from, to+1, sink); err != nil {
				return err
			}
			looked = to + 1
		}
		m.found[at] = sink.inside(first, last)
		for j := range m.found[at] {
			m.found[at][j] += of.Base
		}
	}
	return nil
}

// inside returns the values from first up to but not including last, best first.
func (k *valueSink) inside(first, last uint32) []uint32 {
	from, _ := slices.BinarySearch(k.docs, first)
	to, _ := slices.BinarySearch(k.docs, last)
	order := make([]int, 0, to-from)
	for i := from; i < to; i++ {
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case k.scores[a] > k.scores[b]:
			return -1
		case k.scores[a] < k.scores[b]:
			return 1
		}
		return 0
	})
	docs := make([]uint32, len(order))
	for i, at := range order {
		docs[i] = k.docs[at]
	}
	return docs
}
