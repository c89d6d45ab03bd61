package match

import (
	"weak"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/search/match/docset"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// fewCounted is how many documents are checked for deletion before a scan: enough to find the
// thousand that most requests count, within microseconds.
const fewCounted = 2048

// MinHits returns a lower bound of the number of hits, as far as known before the scan, and
// whether it is exact. If deleted documents leave fewer than enough known hits, it counts a few
// documents.
func (s *Scanner) MinHits(enough int) (atLeast int, exact bool) {
	if s.IsDeferred() {
		return s.deferred.atLeast, s.deferred.isAll
	}
	switch s.root.(type) {
	case noStep:
		return 0, true
	case *everyStep:
		if s.mask.domain == nil {
			return s.binder.segment.Documents, true
		}
		return 0, false
	}
	if s.mask.parents != nil || s.mask.domain != nil {
		return 0, false
	}
	atLeast, exact = minMatches(s.root)
	if s.mask.live == nil {
		return atLeast, exact
	}
	deleted := int(s.mask.documents) - s.binder.segment.Documents
	if live := max(0, atLeast-deleted); live >= enough {
		return live, false
	}
	n, exact := s.countFew(atLeast, exact)
	return max(n, atLeast-deleted), exact
}

// countFew counts the live documents of a term, or of a word whose readings are known, if they
// are few, and reports whether the count is complete. matches is their number with deleted
// documents, and isAll says whether that covers every match. If no total were known before the
// scan, every match would be scored.
func (s *Scanner) countFew(matches int, isAll bool) (n int, exact bool) {
	switch root := s.root.(type) {
	case *termStep:
		return s.countLive(root.field, root.entry)
	case *wordStep:
		e := root.expansion
		switch {
		case e == nil || !isAll && e.lazy == nil || matches > fewCounted && e.sets != nil:
			return 0, false
		case !isAll:
			n, _, _ = e.countLive(s.binder.segment.Live, func() (int, bool, error) {
				return docset.CountLive([]*docset.Set{e.lazy.Head()}, s.mask.live), false, nil
			})
			return n, false
		}
		n, exact, _ = e.countLive(s.binder.segment.Live, func() (int, bool, error) {
			if e.sets != nil {
				return docset.CountLive(e.sets, s.mask.live), true, nil
			}
			for _, entries := range e.terms {
				for _, entry := range entries { // the only one, as all matches are known
					n, isAll := s.countLive(root.expanded, entry)
					return n, isAll, nil
				}
			}
			return 0, true, nil
		})
		return n, exact
	}
	return 0, false
}

// liveCount is the number of live documents of an expansion. A snapshot never changes, so the
// count holds until another document of the segment is deleted. The weak pointer does not keep
// the set of live documents in memory.
type liveCount struct {
	live  weak.Pointer[bitset.Bitset]
	n     int
	isAll bool
}

// countLive counts the live documents of the expansion. It keeps the count of the last set of
// live documents.
func (e *expansion) countLive(live *bitset.Bitset, count func() (n int, isAll bool, err error)) (n int, isAll bool, err error) {
	of := weak.Make(live)
	if kept := e.live.Load(); kept != nil && kept.live == of {
		return kept.n, kept.isAll, nil
	}
	if n, isAll, err = count(); err == nil {
		e.live.Store(&liveCount{of, n, isAll})
	}
	return n, isAll, err
}

// countLive counts the live documents among the first fewCounted of a term, and reports whether
// those are all.
func (s *Scanner) countLive(field *terms.Field, entry terms.Entry) (n int, isAll bool) {
	t := s.binder.newTerm(field, entry)
	it, left := t.finder(), fewCounted
	for open := t.opened[0]; open && left > 0; open = it.NextBlock() {
		docs := it.Docs()
		for _, doc := range docs {
			n += int(s.mask.live[doc>>6] >> (doc & 63) & 1)
		}
		left -= len(docs)
	}
	return n, int(entry.DocFreq) <= fewCounted
}

// minMatches returns a lower bound of how many documents a step matches, deleted ones included,
// and whether it is exact.
func minMatches(s step) (atLeast int, exact bool) {
	switch s := s.(type) {
	case *termStep, setStep, *listStep:
		return s.cost(), true
	case *wordStep:
		if s.expansion != nil {
			return s.expansion.minMatches()
		}
		atLeast, _ = minMatches(s.whole)
	case *sumStep:
		for _, p := range s.parts {
			atLeast = max(atLeast, p.cost())
		}
		n, _ := minMatches(&s.silent)
		atLeast = max(atLeast, n)
	case *constantStep:
		return minMatches(s.step)
	case *andStep:
		if len(s.steps) == 1 {
			return minMatches(s.steps[0])
		}
	case *orStep:
		for _, c := range s.steps {
			n, _ := minMatches(c)
			atLeast = max(atLeast, n)
		}
	}
	return atLeast, false
}
