package match

import (
	"context"
	"math/bits"

	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/score"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// Bands: a word with a typo, or typed in part, is read as the words near it, one band for each
// distance. A band does not count occurrences: a document is in it or not, and in a band of one
// field the score of a document depends on its length alone. The nearest band of a document
// determines its score.
//
// Example: "canon" with one typo. The band at distance 1 contains the documents of "cannon"
// (12) and "canyon" (40, 41). Document 12 also holds "canon" and is scored as typed; the band
// scores 40 and 41 by their lengths.

// band matches the documents that hold a word at one distance, in any field.
type band struct {
	fields []bandField
	curve  curve
	isFlat bool // all documents score the same
	top    float64

	values  [256]float64 // see byLength
	isTable bool         // values is filled
	tmp     Bits         // documents of one field
}

// bandField matches the documents that hold a word at one distance in one field. Occurrences
// are not counted: each document has one.
type bandField struct {
	number      int // index of the field among those of the word
	find        []step
	near        *expansion // find is this expansion at distance; nil unless find is exactly that
	distance    int
	field       *terms.Field
	memo        memo
	lengths     []byte
	occurrences *score.Table
	shares      *[256]float32 // nil when shares do not count
	tmp         Bits          // documents of one of find
}

// newBand returns an empty band. It lives as long as the step.
func (s *wordStep) newBand() *band {
	if s.used == len(s.memory) {
		s.memory = append(s.memory, new(band))
	}
	s.used++
	return s.memory[s.used-1]
}

// newField returns an empty field of the band.
func (b *band) newField() *bandField {
	if len(b.fields) == cap(b.fields) {
		b.fields = append(b.fields, bandField{})
	} else {
		b.fields = b.fields[:len(b.fields)+1]
	}
	f := &b.fields[len(b.fields)-1]
	f.empty()
	return f
}

// empty drops what the field refers to and keeps its memory.
func (f *bandField) empty() {
	f.find, f.near, f.field, f.memo.valid = emptied(f.find), nil, nil, false
	f.lengths, f.occurrences, f.shares = nil, nil, nil
}

func (b *band) empty() {
	for i := range b.fields {
		b.fields[i].empty()
	}
	b.fields, b.curve, b.isFlat, b.isTable, b.top = b.fields[:0], curve{}, false, false, 0
}

// band fills found with the documents of a band. It has no fields when there are none.
func (b *binder) band(ctx context.Context, found *band, n *plan.Word, of *plan.Band) error {
	for i := range n.Fields {
		in := found.newField()
		if err := b.findBand(ctx, in, n.Fields[i].Structure, i, of); err != nil {
			return err
		}
		if len(in.find) == 0 {
			found.fields = found.fields[:len(found.fields)-1]
			continue
		}
		f := &n.Fields[i]
		in.number = i
		if in.field = b.segment.Reader.Terms(f.Structure); in.field != nil {
			in.lengths = in.field.Lengths()
		}
		if b.scoring && f.Weight > 0 {
			in.occurrences = b.view.table(f.Structure, score.Form{Length: f.Length, Weight: f.Weight})
			in.shares = b.view.tables.sharesOf(f.Length)
		}
	}
	return nil
}

// findBand adds the steps of a band in the i-th field of its word.
func (b *binder) findBand(ctx context.Context, in *bandField, structure string, i int, of *plan.Band) error {
	for _, part := range of.In {
		if part.Field != i {
			continue
		}
		if part.Prefix != nil {
			if t := b.held(part.Prefix.Structure, part.Prefix.Text); t != nil {
				in.find = append(in.find, t)
			}
			continue
		}
		s, err := b.near(ctx, part.Near, of.Edits)
		if err != nil {
			return err
		}
		if s == nil {
			continue
		}
		in.find = append(in.find, s)
		in.near, in.distance = nil, of.Edits
		if len(in.find) == 1 && part.Near.Structure == structure {
			if in.near, err = b.expansion(ctx, part.Near); err != nil {
				return err
			}
		}
	}
	if len(in.find) > 1 {
		in.near = nil
	}
	return nil
}

// scoreBy makes the band score. In a band of one field, the bound is the score of a document
// that consists of the word alone.
func (b *band) scoreBy(c curve, isFlat bool) {
	b.curve, b.isFlat = c, isFlat
	if b.top = c.top() * score.BoundSlack; b.isPlain() {
		b.top = b.value(0)
	}
}

// isPlain reports whether the score of a document depends only on its length in one field.
func (b *band) isPlain() bool { return len(b.fields) == 1 && b.fields[0].occurrences != nil }

// value returns the score of a document with the given length byte in a plain band.
func (b *band) value(length byte) float64 {
	f := &b.fields[0]
	return readingScore(&b.curve, f.occurrences, f.shares, length)
}

// readingScore returns the score of a document with the given length byte for a reading of one
// field.
func readingScore(c *curve, occurrences *score.Table, shares *[256]float32, length byte) float64 {
	share := 0.0
	if shares != nil {
		share = float64(shares[length])
	}
	return float64(float32(c.at(float64(occurrences.Part(1, length)), share)))
}

// at returns the score of weighted occurrences. It is rounded like all scores of words, so that
// the order of adding does not matter.
func (b *band) at(occurrences, share float64) float64 {
	return float64(float32(b.curve.at(occurrences, share)))
}

// byLength returns the scores of a plain band by length byte.
func (b *band) byLength() *[256]float64 {
	if !b.isTable {
		b.isTable = true
		for code := range b.values {
			b.values[code] = b.value(byte(code))
		}
	}
	return &b.values
}

// run sets out to the documents of in that hold the word in the field. The steps of find move
// on, so the matches are kept for the run that scores.
func (f *bandField) run(base uint32, in, out *Bits, scores bool) {
	if scores && f.memo.recall(base, in, out) {
		return
	}
	f.find[0].run(base, in, out, nil)
	for _, s := range f.find[1:] {
		s.run(base, in, &f.tmp, nil)
		out.Or(&f.tmp)
	}
	f.memo.keep(base, out)
}

// run sets out to the documents of in that are in the band. With sums it raises each document's
// sum to its score in the band.
func (b *band) run(base uint32, in, out *Bits, sums *Sums) {
	if len(b.fields) == 1 {
		f := &b.fields[0]
		f.run(base, in, out, sums != nil)
		if sums == nil || !b.isPlain() {
			return
		}
		values := b.byLength()
		for i, w := range out {
			for w != 0 {
				at := uint32(i<<6 + bits.TrailingZeros64(w))
				w &= w - 1
				sums[at] = max(sums[at], values[lengthOf(f.lengths, base+at)])
			}
		}
		return
	}
	*out = Bits{}
	for i := range b.fields {
		b.fields[i].run(base, in, &b.tmp, sums != nil)
		out.Or(&b.tmp)
	}
	if sums == nil || b.top == 0 {
		return
	}
	for i, w := range out {
		for w != 0 {
			at := uint32(i<<6 + bits.TrailingZeros64(w))
			w &= w - 1
			occurrences, share := 0.0, float32(0)
			for j := range b.fields {
				f := &b.fields[j]
				if f.occurrences == nil || !f.memo.found.Has(at) { // kept by f.run; may hold documents outside of in
					continue
				}
				length := lengthOf(f.lengths, base+at)
				occurrences += float64(f.occurrences.Part(1, length))
				if f.shares != nil {
					share = max(share, f.shares[length])
				}
			}
			if occurrences > 0 {
				sums[at] = max(sums[at], b.at(occurrences, float64(share)))
			}
		}
	}
}

func (b *band) cost() int {
	total := 0
	for i := range b.fields {
		for _, s := range b.fields[i].find {
			total += s.cost()
		}
	}
	return total
}

func (b *band) next(from uint32) uint32 {
	at := NoMore
	for i := range b.fields {
		if at == from {
			break
		}
		at = min(at, earliest(b.fields[i].find, from))
	}
	return at
}
