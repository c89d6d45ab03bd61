package match

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// A segment stores only the surface forms of its own documents, and a term is as near to a
// typed word as the nearest of its forms. Scores must not depend on how documents are spread
// over segments, so a term is as near in every segment as it is in the segment with its nearest
// form:
//
//	segment 1   documentation → document
//	segment 2   documented    → document
//	typed       documentaton: one edit from a form of segment 1
//	            segment 2 has no form near it, but also reads document with one edit
//
// Terms that are near by themselves are near in every segment. Only the terms that a form
// brings nearer are exchanged, and these are few.

// formMatch is a term that a surface form brings nearer to a word than the term itself is.
type formMatch struct {
	term     string
	distance uint8
}

// expandKey is a plan.Expand by value.
type expandKey struct {
	structure, text, surface string
	prefix, spellings        bool
	edits, fixed             int
}

func keyOf(n *plan.Expand) expandKey {
	return expandKey{n.Structure, n.Text, n.Surface, n.Prefix, n.Spellings, n.Edits, n.Fixed}
}

// exchangeForms finds the terms of each segment that the forms of other segments bring nearer
// to a word. Like Prepare, it must run before Scanners are made.
func (v *View) exchangeForms(ctx context.Context, n *plan.Expand) error {
	if len(v.Snapshot.Segments) < 2 {
		return nil
	}
	key := keyOf(n)
	if _, ok := v.foreign.get(key); ok {
		return nil
	}
	foreign, ok := v.caches.foreignTerms(v.Snapshot, key)
	if !ok {
		var err error
		if foreign, err = v.findForeign(ctx, n); err != nil {
			return err
		}
		v.caches.keepForeignTerms(v.Snapshot, key, foreign)
	}
	v.foreign.put(key, foreign)
	return nil
}

// findForeign returns, by segment and in ascending order, the terms that forms of other
// segments bring nearer to a word than those of the segment; nil when there are none.
func (v *View) findForeign(ctx context.Context, n *plan.Expand) ([][]terms.Match, error) {
	segments := v.Snapshot.Segments
	byForm := make([][]formMatch, len(segments))
	var nearest []formMatch
	for i := range segments {
		b := v.lookups(i)
		var err error
		if byForm[i], err = b.formMatches(ctx, n); err != nil {
			return nil, err
		}
		nearest = append(nearest, byForm[i]...)
	}
	if len(nearest) == 0 {
		return nil, nil
	}
	nearest = nearestForms(nearest)
	foreign := make([][]terms.Match, len(segments))
	for i, s := range segments {
		field := s.Reader.Terms(n.Structure)
		if field == nil {
			continue
		}
		own := byForm[i]
		for turn, m := range nearest {
			for len(own) > 0 && own[0].term < m.term {
				own = own[1:]
			}
			if len(own) > 0 && own[0] == m {
				continue
			}
			if entry, ok := field.Lookup([]byte(m.term)); ok {
				foreign[i] = append(foreign[i], terms.Match{Entry: entry, Distance: m.distance})
			}
			if err := stopped(ctx, turn); err != nil {
				return nil, err
			}
		}
	}
	return foreign, nil
}

// nearestForms sorts matches by term and keeps the nearest match of each term.
func nearestForms(all []formMatch) []formMatch {
	slices.SortFunc(all, func(a, b formMatch) int {
		return cmp.Or(strings.Compare(a.term, b.term), cmp.Compare(a.distance, b.distance))
	})
	return slices.CompactFunc(all, func(a, b formMatch) bool { return a.term == b.term })
}

// formMatches returns the terms that forms of the segment bring nearer to a word. The readings
// found along the way are kept for the search.
func (b *binder) formMatches(ctx context.Context, n *plan.Expand) ([]formMatch, error) {
	field := b.segment.Reader.Terms(n.Structure)
	if field == nil || field.NumForms() == 0 {
		return nil, nil
	}
	if e := b.view.caches.forms(b, n); e != nil {
		return e.byForm, nil
	}
	found, byForm, err := b.readings(ctx, field, n)
	if err != nil {
		return nil, err
	}
	if b.view.readings == nil {
		b.view.readings = map[expansionKey][][]terms.Entry{}
	}
	b.view.readings[expansionKey{b.number, n}] = found
	b.view.caches.keepForms(b, n, &expansion{byForm: byForm})
	return byForm, nil
}

// foreign returns the terms of the segment that forms of other segments bring nearer.
func (b *binder) foreign(n *plan.Expand) []terms.Match {
	if b.view.foreign.count == 0 {
		return nil
	}
	if bySegment, _ := b.view.foreign.get(keyOf(n)); bySegment != nil {
		return bySegment[b.number]
	}
	return nil
}

// withForeign adds foreign terms to those found, keeping each term at its smallest distance.
func withForeign(found [][]terms.Entry, foreign []terms.Match) [][]terms.Entry {
	if len(foreign) == 0 {
		return found
	}
	all := slices.Clone(foreign)
	for distance, entries := range found {
		for _, e := range entries {
			all = append(all, terms.Match{Entry: e, Distance: uint8(distance)})
		}
	}
	return byDistance(all, len(found)-1)
}

// byDistance groups the entries of matches by distance, keeping each term at its smallest.
func byDistance(matches []terms.Match, edits int) [][]terms.Entry {
	sortMatches(matches)
	found := make([][]terms.Entry, edits+1)
	matches = slices.CompactFunc(matches, func(a, b terms.Match) bool { return a.Ord == b.Ord })
	all := make([]terms.Entry, 0, len(matches))
	for distance := range found {
		from := len(all)
		for _, m := range matches {
			if int(m.Distance) == distance {
				all = append(all, m.Entry)
			}
		}
		found[distance] = all[from:len(all):len(all)]
	}
	return found
}

func sortMatches(matches []terms.Match) {
	slices.SortFunc(matches, func(a, b terms.Match) int {
		return cmp.Or(cmp.Compare(a.Ord, b.Ord), cmp.Compare(a.Distance, b.Distance))
	})
}

// nearerByForm returns the terms found by their forms that were not found as near by
// themselves. Both lists are in the order of sortMatches.
func nearerByForm(field *terms.Field, byTerm, byForm []terms.Match) []formMatch {
	var nearer []formMatch
	for _, m := range byForm {
		for len(byTerm) > 0 && byTerm[0].Ord < m.Ord {
			byTerm = byTerm[1:]
		}
		if len(byTerm) == 0 || byTerm[0].Ord > m.Ord || byTerm[0].Distance > m.Distance {
			nearer = append(nearer, formMatch{string(field.Term(m.Ord)), m.Distance})
		}
	}
	return nearer
}

// startsByForm returns the terms of the forms first to last-1 that do not themselves start with
// one of the words.
func startsByForm(field *terms.Field, first, last int, words ...string) []formMatch {
	var found []formMatch
	for i := first; i < last; i++ {
		_, ord := field.Form(i)
		term := field.Term(ord)
		if !slices.ContainsFunc(words, func(w string) bool { return bytes.HasPrefix(term, []byte(w)) }) {
			found = append(found, formMatch{term: string(term)})
		}
	}
	return nearestForms(found)
}
