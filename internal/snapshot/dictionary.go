package snapshot

import (
	"cmp"
	"slices"
	"strings"

	"github.com/quiresearch/quire/internal/segment/terms"
)

// maxVariants is how many variants of a word are looked for: those that most
// documents hold. A Vietnamese syllable has up to twenty.
const maxVariants = 32

// Variants returns the terms of a structure that people type as a word because they
// leave out diacritics and signs, in byte order: the variants of the term and of the
// word as typed, and the terms of surface forms that are variants of the word as
// typed.
func (s *Snapshot) Variants(structure, term, surface string) []string {
	var found []terms.Match
	var holders map[string]uint32
	for _, of := range s.Segments {
		field := of.Reader.Terms(structure)
		if field == nil {
			continue
		}
		found = field.Variants(found[:0], []byte(term), false)
		if surface != term {
			found = field.Variants(found, []byte(surface), false)
		}
		found = field.FormVariants(found, []byte(surface), false)
		slices.SortFunc(found, func(a, b terms.Match) int { return cmp.Compare(a.Ord, b.Ord) })
		for _, m := range slices.CompactFunc(found, func(a, b terms.Match) bool { return a.Ord == b.Ord }) {
			if holders == nil {
				holders = make(map[string]uint32)
			}
			holders[string(field.Term(m.Ord))] += m.DocFreq
		}
	}
	if holders == nil {
		return nil
	}
	variants := make([]string, 0, len(holders))
	for variant := range holders {
		variants = append(variants, variant)
	}
	if len(variants) > maxVariants {
		slices.SortFunc(variants, func(a, b string) int {
			return cmp.Or(cmp.Compare(holders[b], holders[a]), strings.Compare(a, b))
		})
		variants = variants[:maxVariants]
	}
	slices.Sort(variants)
	return variants
}

// Holders returns the number of documents that hold a term, deleted ones included.
func (s *Snapshot) Holders(structure, term string) (holders uint64) {
	for _, of := range s.Segments {
		if field := of.Reader.Terms(structure); field != nil {
			if entry, ok := field.Lookup([]byte(term)); ok {
				holders += uint64(entry.DocFreq)
			}
		}
	}
	return holders
}
