package match

import (
	"slices"
	"strings"

	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// A word of several fields looks for terms near the same letters in each. If the segment has
// the dictionaries of the fields merged, the terms of all fields are found at once, and those
// of later fields are kept until they are needed.

// nearTerms holds the terms near a word in a field of a segment.
type nearTerms struct {
	of      expansionKey
	matches []terms.Match // never changed
	own     int           // how many of matches the terms themselves gave; the rest their forms
}

// nearTerms returns the terms near a word: the first own by themselves, the others by their
// surface forms.
func (b *binder) nearTerms(field *terms.Field, n *plan.Expand) (matches []terms.Match, own int) {
	key := expansionKey{b.number, n}
	for _, found := range [][]nearTerms{b.found, b.view.found} {
		for i := range found {
			if found[i].of == key {
				return slices.Clone(found[i].matches), found[i].own // callers sort the matches
			}
		}
	}
	if all := b.alike(n); len(all) > 1 {
		if found := b.findTogether(all); found != nil {
			if b.isEarly {
				b.view.found = append(b.view.found, found...)
			} else {
				b.found = append(b.found, found...)
			}
			i := slices.Index(all, n)
			return slices.Clone(found[i].matches), found[i].own
		}
	}
	text, surface := wordsOf(n)
	options := fuzzyOptions(n)
	matches, _ = field.Fuzzy(nil, text, options)
	if n.Surface != "" {
		matches, _ = field.Fuzzy(matches, surface, options)
	}
	own = len(matches)
	matches, _ = field.FuzzyForms(matches, surface, options)
	return matches, own
}

// wordsOf returns the words that terms and surface forms are compared with.
func wordsOf(n *plan.Expand) (text, surface []byte) {
	text = []byte(n.Text)
	if n.Surface == "" {
		return text, text
	}
	return text, []byte(n.Surface)
}

func fuzzyOptions(n *plan.Expand) terms.FuzzyOptions {
	return terms.FuzzyOptions{Distance: uint8(n.Edits), PrefixLength: n.Fixed, Open: n.Prefix, Spellings: n.Spellings}
}

// alike returns the readings of the current word that look for the same letters as n in
// different fields, in order of the fields; nil when the expansion of one of the others is
// cached.
func (b *binder) alike(n *plan.Expand) []*plan.Expand {
	if b.reading == nil || len(b.reading.Fields) < 2 || n.Prefix {
		return nil
	}
	all := []*plan.Expand{n}
	for i := range b.reading.Bands {
		for _, in := range b.reading.Bands[i].In {
			other := in.Near
			if other == nil || other.Text != n.Text || other.Surface != n.Surface || other.Prefix || other.Spellings != n.Spellings || other.Edits != n.Edits || other.Fixed != n.Fixed {
				continue
			}
			if slices.ContainsFunc(all, func(x *plan.Expand) bool { return x.Structure == other.Structure }) ||
				b.segment.Reader.Terms(other.Structure) == nil {
				continue
			}
			if b.view.caches.expansion(b, other) != nil {
				return nil
			}
			all = append(all, other)
		}
	}
	slices.SortFunc(all, func(x, y *plan.Expand) int { return strings.Compare(x.Structure, y.Structure) })
	return all
}

// findTogether finds the terms near a word in several fields, nil when their dictionaries are
// not merged.
func (b *binder) findTogether(all []*plan.Expand) []nearTerms {
	var few [4]string
	names := few[:0]
	for _, n := range all {
		names = append(names, n.Structure)
	}
	merged := b.segment.Reader.MergedTerms(names, b.view.caches.merged)
	if merged == nil {
		return nil
	}
	text, surface := wordsOf(all[0])
	options := fuzzyOptions(all[0])
	matches := make([][]terms.Match, len(all))
	complete := merged.Fuzzy(matches, text, options)
	if all[0].Surface != "" {
		complete = merged.Fuzzy(matches, surface, options) && complete
	}
	found := make([]nearTerms, len(all))
	for i, n := range all {
		found[i].of, found[i].own = expansionKey{b.number, n}, len(matches[i])
	}
	if !merged.FuzzyForms(matches, surface, options) || !complete {
		return nil // walks of single dictionaries may get further
	}
	for i := range found {
		found[i].matches = matches[i]
	}
	return found
}
