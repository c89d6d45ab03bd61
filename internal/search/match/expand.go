package match

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/quiresearch/quire/internal/search/match/docset"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment/terms"
)

const (
	// maxWalked is how many terms are walked as postings; more become sets.
	maxWalked = 8
	// minWalked is how many documents several terms must have to be walked: fewer become sets,
	// whose size is known.
	minWalked = 8192
)

// expand returns the step of the documents that hold any of the terms.
func (b *binder) expand(ctx context.Context, n *plan.Expand) (step, error) {
	union := b.newOr()
	for distance := range n.Edits + 1 {
		s, err := b.near(ctx, n, distance)
		if err != nil {
			return nil, err
		}
		if s != nil {
			union.steps = append(union.steps, s)
		}
	}
	return union.smallest(), nil
}

// near returns the step of the documents that hold a term at a distance, nil when there are
// none.
func (b *binder) near(ctx context.Context, n *plan.Expand, distance int) (step, error) {
	e, err := b.expansion(ctx, n)
	switch {
	case err != nil || e == nil:
		return nil, err
	case e.lazy != nil:
		return lazyStep{e.lazy}, nil
	case e.sets != nil:
		if set := e.sets[distance]; set.Len() > 0 {
			return setStep{set}, nil
		}
		return nil, nil
	}
	field := b.segment.Reader.Terms(n.Structure)
	union := b.newOr()
	for _, entry := range e.terms[distance] {
		union.steps = append(union.steps, b.newTerm(field, entry))
	}
	if len(union.steps) == 0 {
		return nil, nil
	}
	return union.smallest(), nil
}

// expansion returns what a word stands for in the segment, nil when the segment does not have
// the field.
func (b *binder) expansion(ctx context.Context, n *plan.Expand) (*expansion, error) {
	if bySegment, ok := b.view.expansions.get(n); ok && bySegment[b.number] != nil {
		return bySegment[b.number], nil
	}
	field := b.segment.Reader.Terms(n.Structure)
	if field == nil {
		return nil, nil
	}
	e := b.view.caches.expansion(b, n)
	if e == nil {
		var err error
		if e, err = b.findExpansion(ctx, field, n); err != nil {
			return nil, err
		}
		b.view.caches.keepExpansion(b, n, e)
	}
	return e, nil
}

// expansion is what a word stands for in a segment, by distance: the terms if they are few,
// otherwise the documents that hold them. It never changes, apart from values that are computed
// on first use.
type expansion struct {
	terms [][]terms.Entry
	sets  []*docset.Set
	lazy  *docset.Lazy // of a word without typos

	byForm []formMatch // the only field in entries of Caches.forms

	holders []uint64 // by distance, documents of the terms; one with several terms counts for each
	atLeast int      // documents that hold one of the terms, unless there are sets
	isCount bool     // atLeast is the exact number

	union func() int // returns the number of documents in any of the sets

	best championLists
	live atomic.Pointer[liveCount]
}

func (e *expansion) bytes() int64 {
	total := int64(len(e.holders)) * championBytes
	for _, entries := range e.terms {
		total += int64(len(entries)) * entryBytes
	}
	for _, set := range e.sets {
		total += set.Bytes()
	}
	if e.lazy != nil {
		total += e.lazy.Bytes()
	}
	for _, m := range e.byForm {
		total += int64(len(m.term)) + formMatchBytes
	}
	return total
}

// findExpansion finds what a word stands for.
func (b *binder) findExpansion(ctx context.Context, field *terms.Field, n *plan.Expand) (*expansion, error) {
	byDistance, isRead := b.view.readings[expansionKey{b.number, n}]
	if !isRead {
		var err error
		if byDistance, _, err = b.readings(ctx, field, n); err != nil {
			return nil, err
		}
	}
	byDistance = withForeign(byDistance, b.foreign(n))
	if err := stopped(ctx, lastTurn); err != nil {
		return nil, err
	}
	e := &expansion{holders: make([]uint64, len(byDistance))}
	total, documents := 0, 0
	for distance, entries := range byDistance {
		total += len(entries)
		for _, entry := range entries {
			documents += int(entry.DocFreq)
			e.holders[distance] += uint64(entry.DocFreq)
			e.atLeast = max(e.atLeast, int(entry.DocFreq))
		}
	}
	if total <= 1 || total <= maxWalked && documents >= minWalked {
		e.terms, e.isCount = byDistance, total <= 1
		return e, nil
	}
	if len(byDistance) == 1 && documents > maxRated {
		if e.lazy = docset.NewLazy(field, byDistance[0], b.documents); e.lazy != nil {
			e.atLeast = max(e.atLeast, e.lazy.Head().Len())
			return e, nil
		}
	}
	e.sets = make([]*docset.Set, len(byDistance))
	for i, entries := range byDistance {
		var err error
		if e.sets[i], err = docset.Union(ctx, field, entries, b.documents); err != nil {
			return nil, err
		}
	}
	sets, all := e.sets, b.documents
	e.union = sync.OnceValue(func() int { return docset.CountUnion(sets, all) })
	return e, nil
}

// minMatches returns a lower bound of how many documents hold one of the terms, and whether it
// is exact. The union of sets is counted on first use, since words of several fields never need
// it.
func (e *expansion) minMatches() (atLeast int, exact bool) {
	if e.sets != nil {
		return e.union(), true
	}
	return e.atLeast, e.isCount
}

// starting returns the terms that start with a word or with its typed form, and those with a
// surface form that starts with its typed form; byForm is the latter.
func (b *binder) starting(ctx context.Context, field *terms.Field, n *plan.Expand) (entries []terms.Entry, byForm []formMatch, err error) {
	from, to := field.Prefix([]byte(n.Text))
	alsoFrom, alsoTo := from, from // terms that start with the word as typed
	surface := n.Text
	if n.Surface != "" {
		surface = n.Surface
		alsoFrom, alsoTo = field.Prefix([]byte(surface))
	}
	firstForm, lastForm := field.FormPrefix([]byte(surface))
	entries = make([]terms.Entry, 0, int(to-from)+int(alsoTo-alsoFrom)+lastForm-firstForm)
	for _, part := range [][2]uint32{{from, to}, {alsoFrom, alsoTo}} {
		for ord := part[0]; ord < part[1]; {
			next := min(part[1], ord+lastTurn+1)
			entries = field.AppendEntries(entries, ord, next)
			if err := stopped(ctx, lastTurn); err != nil {
				return nil, nil, err
			}
			ord = next
		}
	}
	for i := firstForm; i < lastForm; i++ {
		_, ord := field.Form(i)
		entries = append(entries, field.At(ord))
		if err := stopped(ctx, i); err != nil {
			return nil, nil, err
		}
	}
	if len(b.view.Snapshot.Segments) > 1 {
		byForm = startsByForm(field, firstForm, lastForm, n.Text, surface)
	}
	plain := len(entries)
	if n.Spellings {
		entries, byForm = b.addVariants(entries, byForm, field, n.Text, surface)
	}
	if alsoFrom == alsoTo && firstForm == lastForm && len(entries) == plain {
		return entries, nil, nil
	}
	return byOrd(entries), byForm, nil
}

// addVariants adds what starting finds for the variants of a word and of its typed form.
func (b *binder) addVariants(entries []terms.Entry, byForm []formMatch, field *terms.Field, text, surface string) ([]terms.Entry, []formMatch) {
	found := field.Variants(nil, []byte(text), true)
	if surface != text {
		found = field.Variants(found, []byte(surface), true)
	}
	own := len(found)
	found = field.FormVariants(found, []byte(surface), true)
	for i, m := range found {
		entries = append(entries, m.Entry)
		if i >= own && len(b.view.Snapshot.Segments) > 1 {
			byForm = append(byForm, formMatch{term: string(field.Term(m.Ord))})
		}
	}
	if len(found) > own {
		byForm = nearestForms(byForm)
	}
	return entries, byForm
}

// setApart makes a term that reads like the word as typed a typo of one edit: the word has
// another stem, so the two are different words.
//
//	typed    coffe, with the stem coff
//	indexed  coffee, with the stem coffe
func setApart(field *terms.Field, matches []terms.Match, typed string) {
	for i := range matches {
		if m := &matches[i]; m.Distance == 0 && string(field.Term(m.Ord)) == typed {
			m.Distance = 1
		}
	}
}

// byOrd sorts entries and removes duplicates.
func byOrd(entries []terms.Entry) []terms.Entry {
	slices.SortFunc(entries, func(a, b terms.Entry) int { return cmp.Compare(a.Ord, b.Ord) })
	return slices.CompactFunc(entries, func(a, b terms.Entry) bool { return a.Ord == b.Ord })
}

// readings returns the terms that a word may stand for, by distance, each once at its smallest:
// its own distance from the stem of the word or from the word as typed, or the distance of one
// of its surface forms from the word as typed. If there are other segments, byForm contains the
// terms that their forms bring nearer.
func (b *binder) readings(ctx context.Context, field *terms.Field, n *plan.Expand) (found [][]terms.Entry, byForm []formMatch, err error) {
	if n.Edits == 0 {
		found = make([][]terms.Entry, 1)
		found[0], byForm, err = b.starting(ctx, field, n)
		return found, byForm, err
	}
	matches, own := b.nearTerms(field, n)
	if n.Surface != "" && !n.Prefix {
		setApart(field, matches, n.Surface)
	}
	if len(b.view.Snapshot.Segments) > 1 {
		sortMatches(matches[:own])
		byForm = nearerByForm(field, matches[:own], matches[own:])
	}
	return byDistance(matches, n.Edits), byForm, nil
}
