package match

import (
	"context"
	"math/bits"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/score"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// wordStep matches the documents that hold a word, as typed or in another
// reading. A document is read by the nearest band it is in; where the word as
// typed is also the start of longer ones, the better of the two counts.
type wordStep struct {
	whole   step  // the word as typed: a term, a sum or nothing
	start   *band // words that start as typed; nil when there are none
	bands   []*band
	isKnown bool       // another segment may hold the word as typed
	known   *expansion // that tells how many documents match, nil when none does

	memory []*band // of this and of later searches
	used   int     // of memory

	one       Sums // all zero between runs
	busy      bool // in the middle of a run
	held      Bits // as typed, or as the start, in the window looked at
	left, tmp Bits
}

// band is the documents that hold a word at one distance, in any field.
type band struct {
	fields []bandField
	curve  curve
	isFlat bool // all documents score the same
	top    float64

	values  [256]float64 // see byLength
	isTable bool         // values are set
	tmp     Bits         // of a field
}

// bandField is the documents that hold a word at one distance in one field.
// Occurrences are not counted: each document has one.
type bandField struct {
	number      int // of the word's fields
	find        []step
	near        *expansion // that find is at a distance, nil when it is not one alone
	distance    int
	field       *terms.Field
	memo        memo
	lengths     []byte
	occurrences *score.Table
	shares      *[256]float32 // nil when they do not count
	tmp         Bits          // of one of find
}

// flatQuality is the quality of documents that are not told apart.
const flatQuality = 0.5

// word returns the step of a word.
func (b *binder) word(ctx context.Context, n *plan.Word, factor float64) (step, error) {
	stats := b.view.preparedWord(n)
	weight := 0.0
	if b.scoring {
		weight = factor * stats.mean * stats.idf
	}
	whole := b.whole(n, stats, weight, factor)
	s := b.newWord()
	s.whole, s.isKnown = whole, stats.isKnown
	for i := range n.Bands {
		of := &stats.bands[i]
		if of.idf == 0 {
			continue // no segment has a document of it
		}
		band := s.newBand()
		if err := b.band(ctx, band, n, &n.Bands[i]); err != nil {
			return nil, err
		}
		if len(band.fields) == 0 {
			continue
		}
		if b.scoring && factor*stats.mean > 0 {
			weight := factor * stats.mean * of.idf
			c := newCurve(weight, stats.mean, n.Words).within(weight, of.counts)
			if of.isFlat {
				c = curve{half: c.half, least: weight * of.counts.Of(flatQuality)}
			}
			band.scoreBy(c, of.isFlat)
		}
		if stats.isKnown && n.Bands[i].Start && n.Bands[i].Edits == 0 {
			s.start = band
		} else {
			s.bands = append(s.bands, band)
		}
	}
	_, never := whole.(noStep)
	switch {
	case s.start == nil && len(s.bands) == 0:
		return whole, nil
	case never && s.start != nil:
		s.bands, s.start = append([]*band{s.start}, s.bands...), nil
	}
	if len(n.Fields) == 1 && len(n.Fields[0].Terms) == 1 {
		s.known = b.widest(ctx, n)
	}
	return s, nil
}

// whole returns the step of the word as typed.
func (b *binder) whole(n *plan.Word, stats *wordStats, weight, factor float64) step {
	if len(n.Fields) == 1 && len(n.Fields[0].Terms) == 1 {
		f := &n.Fields[0]
		t := b.held(f.Structure, f.Terms[0].Text)
		if t == nil {
			return noStep{}
		}
		if boost := f.Terms[0].Boost; weight > 0 && boost > 0 {
			t.scoreBy(b.view.table(f.Structure, score.Form{Length: f.Length, Words: n.Words}), weight*boost, false)
		}
		return t
	}
	s := b.newSum()
	for i := range n.Fields {
		f := &n.Fields[i]
		for _, term := range f.Terms {
			t := b.held(f.Structure, term.Text)
			switch {
			case t == nil:
			case weight == 0 || term.Boost*f.Weight == 0:
				s.silent.steps = append(s.silent.steps, t)
			default:
				t.scoreBy(b.view.table(f.Structure, score.Form{Length: f.Length, Weight: f.Weight}), term.Boost, false)
				alone := b.view.table(f.Structure, score.Form{Length: f.Length, Weight: f.Weight * term.Boost, Mean: stats.mean, Words: n.Words})
				s.parts = append(s.parts, sumPart{t, alone, b.view.tables.sharesOf(f.Length)})
			}
		}
	}
	switch {
	case len(s.parts)+len(s.silent.steps) == 0:
		return noStep{}
	case weight == 0:
		return s.silent.smallest()
	}
	s.scoreBy(newCurve(weight, stats.mean, n.Words), weight)
	return s
}

// held returns the step of a term, nil when no document of the segment holds
// it.
func (b *binder) held(structure, text string) *termStep {
	entry := b.view.preparedTerm(structure, text).entries[b.number]
	if entry.DocFreq == 0 {
		return nil
	}
	return b.newTerm(b.segment.Reader.Terms(structure), entry)
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

// empty lets go of what a field refers to and keeps its memory.
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

// band finds the documents of a band. It has no fields when there are none.
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

// findBand finds what a band stands for in the i-th field of its word.
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

// widest returns the expansion that holds every reading of a word of one term.
func (b *binder) widest(ctx context.Context, n *plan.Word) *expansion {
	var widest *plan.Expand
	for i := range n.Bands {
		for _, in := range n.Bands[i].In {
			if in.Prefix != nil {
				return nil
			}
			if widest == nil || in.Near.Prefix {
				widest = in.Near
			}
		}
	}
	if widest == nil {
		return nil
	}
	e, err := b.expansion(ctx, widest)
	if err != nil {
		return nil
	}
	return e
}

// scoreBy makes the band score. Where it has one field, no document scores more
// than one that is nothing but the word.
func (b *band) scoreBy(c curve, isFlat bool) {
	b.curve, b.isFlat = c, isFlat
	if b.top = c.top() * score.BoundSlack; b.isPlain() {
		b.top = b.value(0)
	}
}

// isPlain reports whether the score of a document depends on its length in one
// field alone.
func (b *band) isPlain() bool { return len(b.fields) == 1 && b.fields[0].occurrences != nil }

// value is the score of a document with a length byte, of a plain band.
func (b *band) value(length byte) float64 {
	f := &b.fields[0]
	share := 0.0
	if f.shares != nil {
		share = float64(f.shares[length])
	}
	return b.at(float64(f.occurrences.Part(1, length)), share)
}

// at is the score of weighted occurrences. Like all scores of words it is
// rounded, so that the order of adding does not matter.
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

// find leaves the documents of in that hold the word in the field in out.
// Steps that find move on, so what they found is kept for the run that scores.
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

// run leaves the documents of in that are in the band in out; with sums it
// takes the higher of what is there and what they score.
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
				if f.occurrences == nil || !f.memo.found.Has(at) { // what run kept there, of in and of others
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
		at = min(at, earliest(b.fields[i].find, from))
	}
	return at
}

func (s *wordStep) run(base uint32, in, out *Bits, sums *Sums) {
	if sums == nil {
		s.whole.run(base, in, out, nil)
		if s.start != nil {
			s.start.run(base, in, &s.tmp, nil)
			out.Or(&s.tmp)
		}
		for _, b := range s.bands {
			b.run(base, in, &s.tmp, nil)
			out.Or(&s.tmp)
		}
		return
	}
	s.runTyped(base, in, out, sums)
	if len(s.bands) > 0 {
		var banded Bits
		s.runBands(base, in, &banded, sums)
		out.Or(&banded)
	}
}

// runTyped scores the word as typed and, where that is told apart, as the start
// of longer ones.
func (s *wordStep) runTyped(base uint32, in, out *Bits, sums *Sums) {
	if s.start == nil {
		s.whole.run(base, in, out, sums)
	} else {
		s.busy = true
		s.whole.run(base, in, out, &s.one)
		s.start.run(base, in, &s.tmp, &s.one)
		out.Or(&s.tmp)
		s.add(out, sums)
		s.busy = false
	}
	s.held = *out
}

// runBands scores the other readings, in documents that runTyped did not find.
func (s *wordStep) runBands(base uint32, in, out *Bits, sums *Sums) {
	s.busy = true
	*out = Bits{}
	s.left = *in
	s.left.AndNot(&s.held)
	for _, b := range s.bands {
		b.run(base, &s.left, &s.tmp, &s.one)
		out.Or(&s.tmp)
		s.left.AndNot(&s.tmp)
		s.add(&s.tmp, sums)
	}
	s.busy = false
}

// add adds the scores of some documents and sets them to zero.
func (s *wordStep) add(found *Bits, sums *Sums) {
	for i, w := range found {
		for w != 0 {
			at := i<<6 + bits.TrailingZeros64(w)
			w &= w - 1
			sums[at] += s.one[at]
			s.one[at] = 0
		}
	}
}

func (s *wordStep) bound(from, to uint32) float64 {
	return max(s.boundTyped(from, to), s.boundBands())
}

func (s *wordStep) boundTyped(from, to uint32) float64 {
	top := s.whole.bound(from, to)
	if s.start != nil {
		top = max(top, s.start.top)
	}
	return top
}

func (s *wordStep) boundBands() float64 {
	top := 0.0
	for _, b := range s.bands {
		top = max(top, b.top)
	}
	return top
}

func (s *wordStep) next(from uint32) uint32 {
	at := s.whole.next(from)
	if s.start != nil {
		at = min(at, s.start.next(from))
	}
	for _, b := range s.bands {
		at = min(at, b.next(from))
	}
	return at
}

func (s *wordStep) cost() int {
	total := s.whole.cost()
	if s.start != nil {
		total += s.start.cost()
	}
	for _, b := range s.bands {
		total += b.cost()
	}
	return total
}

// sharesOf returns the share of one word by length byte, nil for fields whose
// values are not rated by it.
func (t *Tables) sharesOf(norm definition.LengthNormalization) *[256]float32 {
	if norm != definition.LengthStrong {
		return nil
	}
	return &t.shares
}

func shares() (byLength [256]float32) {
	for code := range byLength {
		byLength[code] = float32(score.ShareOf(definition.LengthStrong, float64(terms.DecodeLength(byte(code)))))
	}
	return byLength
}
