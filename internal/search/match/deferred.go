package match

import (
	"context"

	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/score"
)

// Deferred binding: a search that reaches a small segment with the threshold of larger ones
// seldom finds a hit in it, and binding the readings of a word costs more than visiting its few
// documents. The expansions of a word in a segment are known beforehand, and with them the
// number of matches and the shortest document of each reading, which is its champion. The
// scanner is bound only if the score of a champion exceeds the threshold.
//
// Example: the best two of "win", which starts "window" and "winter". In a segment of a million
// documents two of them reach 3.6. A segment of 500 documents holds "window" twice; its shorter
// document is five words long and scores 2.9. Two matches are counted, and the segment is
// skipped.

// deferred holds what is known about a scanner that is not bound.
type deferred struct {
	query   plan.Node // nil: the scanner is bound
	atLeast int       // minimum number of matches
	isAll   bool      // whether atLeast counts every match
	top     float64   // no document scores more
}

// InitDeferred makes a zero Scanner one of a query whose hits are ranked by score. If enough is
// known about the segment, the scanner stays unbound until Bind; otherwise it is bound at once.
func (v *View) InitDeferred(ctx context.Context, s *Scanner, segment int, query plan.Node) error {
	if n, ok := query.(*plan.Word); ok && v.isForeseeable(n) {
		ok, err := v.foresee(ctx, s, segment, n)
		if ok || err != nil {
			return err
		}
	}
	return v.InitScanner(ctx, s, segment, query, nil, true)
}

// IsDeferred reports whether the scanner must be bound before it runs.
func (s *Scanner) IsDeferred() bool { return s.deferred.query != nil }

// IsBelow reports whether no document of a deferred scanner exceeds a threshold.
func (s *Scanner) IsBelow(threshold float64) bool { return s.deferred.top <= threshold }

// Bind binds a deferred scanner.
func (s *Scanner) Bind(ctx context.Context) error {
	query := s.deferred.query
	s.deferred = deferred{}
	return s.binder.view.InitScanner(ctx, s, s.binder.number, query, nil, true)
}

// isForeseeable reports whether the readings of a word score by length alone.
func (v *View) isForeseeable(n *plan.Word) bool {
	stats := v.preparedWord(n)
	if len(n.Bands) == 0 || len(n.Fields) != 1 || len(n.Fields[0].Terms) != 1 || n.Fields[0].Weight <= 0 || stats.mean <= 0 {
		return false
	}
	for i := range n.Bands {
		in := n.Bands[i].In
		if len(in) != 1 || in[0].Prefix != nil || in[0].Near.Structure != n.Fields[0].Structure {
			return false
		}
	}
	return true
}

// foresee fills in what is known about a word in a segment. It returns false when that is not
// enough: the scores of documents that hold the word as typed also depend on its occurrences,
// and nothing is known about which documents are deleted.
func (v *View) foresee(ctx context.Context, s *Scanner, segment int, n *plan.Word) (bool, error) {
	at := v.Snapshot.Segments[segment]
	f := &n.Fields[0]
	field := at.Reader.Terms(f.Structure)
	typed := v.preparedTerm(f.Structure, f.Terms[0].Text).entries[segment].DocFreq > 0
	if typed || at.Live != nil || at.Reader.Parents() != nil || field == nil {
		return false, nil
	}
	b := v.lookups(segment)
	widest, err := b.expansion(ctx, widestOf(n))
	if err != nil {
		return false, err
	}
	known := deferred{query: n, isAll: true}
	stats := v.preparedWord(n)
	occurrences, shares := v.table(f.Structure, score.Form{Length: f.Length, Weight: f.Weight}), v.tables.sharesOf(f.Length)
	for i := range n.Bands {
		of, near := &stats.bands[i], n.Bands[i].In[0].Near
		if of.idf == 0 {
			continue
		}
		e, err := b.expansion(ctx, near)
		if err != nil {
			return false, err
		}
		if !e.has(n.Bands[i].Edits) {
			continue
		}
		known.atLeast, known.isAll = widest.minMatches()
		_, shortest := e.champions(field, n.Bands[i].Edits, of.isFlat, b.documents).at(0)
		c := stats.curve(n, i, 1)
		known.top = max(known.top, readingScore(&c, occurrences, shares, shortest))
	}
	s.binder.view, s.binder.number, s.deferred = v, segment, known
	return true, nil
}

// has reports whether some document holds a term at a distance.
func (e *expansion) has(distance int) bool {
	switch {
	case e.lazy != nil:
		return true
	case e.sets != nil:
		return e.sets[distance].Len() > 0
	}
	return len(e.terms[distance]) > 0
}
