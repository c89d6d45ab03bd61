package match

import (
	"context"

	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/score"
)

// wordStats holds the statistics of a word over its fields and all segments. Scores derive from
// it, so they do not depend on how documents are spread over segments.
type wordStats struct {
	documents uint64 // number of documents with a value, in the field with the most
	holders   uint64 // documents that hold the word as typed, in the field with the most
	idf       float64
	isKnown   bool    // some document holds the word as typed
	mean      float64 // weight of a word, averaged over the fields
	bands     []bandStats

	few [fewBands]bandStats // storage of bands
}

// fewBands is enough readings for most words.
const fewBands = 2

// bandStats holds the statistics of a reading over all segments.
type bandStats struct {
	holders uint64
	idf     float64
	counts  score.Range
	isFlat  bool // too many documents to tell them apart
}

// curve returns the curve of a reading of a word, with scores multiplied by factor.
func (s *wordStats) curve(n *plan.Word, reading int, factor float64) curve {
	of := &s.bands[reading]
	weight := factor * s.mean * of.idf
	c := newCurve(weight, s.mean, n.Words).within(weight, of.counts)
	if of.isFlat {
		c = curve{half: c.half, least: weight * of.counts.Of(flatQuality)}
	}
	return c
}

// maxRated is the largest number of documents of a reading that are scored one by one. In a
// larger reading, such as the start of very many words, all documents score the same, so the
// first are as good as any.
const maxRated = 8192

// word gathers the statistics of a word.
func (v *View) word(ctx context.Context, n *plan.Word) (*wordStats, error) {
	if s, ok := v.words.get(n); ok {
		return s, nil
	}
	s := &v.first
	if v.words.count > 0 {
		s = new(wordStats)
	}
	*s = wordStats{} // an error may have left the first one half done
	if s.bands = s.few[:min(len(n.Bands), fewBands)]; len(n.Bands) > fewBands {
		s.bands = make([]bandStats, len(n.Bands))
	}
	weighted, lengths, weights := 0.0, 0.0, 0.0
	for i := range n.Fields {
		f := &n.Fields[i]
		field := v.field(f.Structure)
		s.documents = max(s.documents, field.documents)
		weighted += f.Weight * field.average
		lengths += field.average
		weights += f.Weight
		for _, t := range f.Terms {
			if held := v.term(f.Structure, t.Text).holders; t.Boost > 0 {
				s.holders = max(s.holders, held)
			}
		}
	}
	if s.mean = weights / float64(len(n.Fields)); lengths > 0 && len(n.Fields) > 1 {
		s.mean = weighted / lengths
	}
	s.isKnown = s.holders > 0
	if s.isKnown {
		s.idf = score.IDF(s.holders, s.documents)
	}
	v.reading = n
	defer func() { v.reading, v.found = nil, v.found[:0] }()
	highest := s.idf
	for i := range n.Bands {
		b, of := &n.Bands[i], &s.bands[i]
		for _, in := range b.In {
			if in.Near == nil {
				continue
			}
			if err := v.exchangeForms(ctx, in.Near); err != nil {
				return nil, err
			}
		}
		of.counts = score.RangeOf(s.isKnown, b.Start, b.Edits)
		if s.isKnown && b.Edits > 0 {
			of.idf = s.idf // typos of a known word are not worth counting
			continue
		}
		var err error
		if of.holders, err = v.bandHolders(ctx, n, b); err != nil {
			return nil, err
		}
		if of.holders == 0 {
			continue
		}
		of.isFlat = of.holders > maxRated
		of.idf = score.IDF(min(of.holders, s.documents), s.documents)
		if highest > 0 {
			of.idf = min(highest, of.idf)
		} else {
			highest = of.idf
		}
	}
	v.words.put(n, s)
	return s, nil
}

// HoldersOf returns the number of documents that hold a word as typed, and of those in its band
// with the most. Typos of a known word do not count.
func (v *View) HoldersOf(ctx context.Context, n *plan.Word) (typed, others uint64, err error) {
	s, err := v.word(ctx, n)
	if err != nil {
		return 0, 0, err
	}
	for _, b := range s.bands {
		others = max(others, b.holders) // a word near to another also starts near to it
	}
	return s.holders, others, nil
}

// bandHolders estimates how many documents hold a word of a band, in the field with the most. A
// document with several of its terms counts once for each.
func (v *View) bandHolders(ctx context.Context, n *plan.Word, b *plan.Band) (most uint64, err error) {
	var few [8]uint64
	byField := append(few[:0], make([]uint64, len(n.Fields))...)
	for _, in := range b.In {
		if in.Prefix != nil {
			byField[in.Field] = max(byField[in.Field], v.term(in.Prefix.Structure, in.Prefix.Text).holders)
			continue
		}
		for i := range v.Snapshot.Segments {
			e, err := v.expansion(ctx, i, in.Near)
			if err != nil {
				return 0, err
			}
			if e != nil {
				byField[in.Field] += e.holders[b.Edits]
			}
		}
	}
	for _, held := range byField {
		most = max(most, held)
	}
	return most, nil
}

type expansionKey struct {
	segment int
	node    *plan.Expand
}

// expansion returns the terms that a word stands for in a segment and keeps them for the
// scanners of the search; nil when the segment does not have the field.
func (v *View) expansion(ctx context.Context, segment int, n *plan.Expand) (*expansion, error) {
	bySegment, ok := v.expansions.get(n)
	if !ok {
		bySegment = make([]*expansion, len(v.Snapshot.Segments))
		v.expansions.put(n, bySegment)
	}
	if bySegment[segment] == nil {
		b := v.lookups(segment)
		var err error
		if bySegment[segment], err = b.expansion(ctx, n); err != nil {
			return nil, err
		}
	}
	return bySegment[segment], nil
}
