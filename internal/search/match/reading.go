package match

import (
	"context"

	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/score"
	"github.com/quiresearch/quire/internal/segment/postings"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// Reading explains, step by step, how one reading of a word scores in a document.
type Reading struct {
	Band      *plan.Band // nil for the word as typed
	Documents uint64     // number of documents with a value, in the field with the most
	Holders   uint64     // documents of the reading, in the field with the most; 0 when not counted
	IDF       float64
	IsKnown   bool    // some document holds the word as typed
	Mean      float64 // weight of the fields
	Words     int     // distinct words of the text
	Counts    score.Range
	IsFlat    bool    // the quality is fixed at one half
	Share     float64 // of the word in the shortest strong value that holds it
	Fields    []FieldReading
}

// FieldReading is what a reading counts in one field that holds it.
type FieldReading struct {
	Field    *plan.WordField
	Terms    []TermReading // of the word as typed; none in a band, which does not count occurrences
	Length   float64
	Average  float64
	Weighted float64 // occurrences by weight and length
}

// TermReading is how often a document holds a term.
type TermReading struct {
	plan.WordTerm
	Frequency float64
}

// Occurrences returns the weighted occurrences, summed over the fields.
func (r *Reading) Occurrences() float64 {
	total := 0.0
	for i := range r.Fields {
		total += r.Fields[i].Weighted
	}
	return total
}

// Saturation returns the saturated occurrences.
func (r *Reading) Saturation() float64 { return score.Saturate(r.Occurrences(), r.Mean) }

// Quality returns how well the document matches the reading.
func (r *Reading) Quality() float64 {
	if r.IsFlat {
		return flatQuality
	}
	return score.Quality(r.Saturation(), r.Share, r.Words)
}

// Score returns the score of the reading.
func (r *Reading) Score() float64 {
	if r.Occurrences() == 0 {
		return 0
	}
	return r.Mean * r.IDF * r.Counts.Of(r.Quality())
}

// Readings returns the readings of a word that count in a document or list value: the nearest
// one and, for a word that is also the start of longer ones, both. The word must have been
// prepared.
func (v *View) Readings(ctx context.Context, segment int, n *plan.Word, doc uint32) ([]Reading, error) {
	stats, err := v.word(ctx, n)
	if err != nil {
		return nil, err
	}
	var found []Reading
	whole := Reading{Holders: stats.holders, IDF: stats.idf, Counts: score.Range{Span: 1}}
	for i := range n.Fields {
		if f := v.held(segment, &n.Fields[i], doc); f.Terms != nil {
			whole.Fields = append(whole.Fields, f)
		}
	}
	if whole.Fields != nil {
		found = append(found, whole)
	}
	var b binder
	b.init(v, segment, false)
	defer b.release()
	for i := range n.Bands {
		of := &n.Bands[i]
		isStart := stats.isKnown && of.Start && of.Edits == 0
		if stats.bands[i].idf == 0 || len(found) > 0 && !isStart {
			continue
		}
		r := Reading{Band: of, Holders: stats.bands[i].holders, IDF: stats.bands[i].idf, Counts: stats.bands[i].counts, IsFlat: stats.bands[i].isFlat}
		if r.Fields, err = b.fieldsOf(ctx, n, of, doc); err != nil {
			return nil, err
		}
		if r.Fields != nil {
			found = append(found, r)
		}
	}
	for i := range found {
		r := &found[i]
		r.Documents, r.IsKnown, r.Mean, r.Words = stats.documents, stats.isKnown, stats.mean, n.Words
		for _, f := range r.Fields {
			if f.Weighted > 0 {
				r.Share = max(r.Share, score.ShareOf(f.Field.Length, f.Length))
			}
		}
	}
	return found, nil
}

// Phrase explains how a phrase scores in a document or list value that matches it, or returns
// nil if it does not score. The IDF of the reading is the sum over the words. The phrase must
// have been prepared.
func (v *View) Phrase(ctx context.Context, segment int, n *plan.Phrase, doc uint32) (*Reading, error) {
	var b binder
	b.init(v, segment, true)
	defer b.release()
	bound, err := b.phrase(ctx, n, 1)
	if err != nil {
		return nil, err
	}
	s, ok := bound.(*phraseStep)
	if !ok || s.table == nil {
		return nil, nil
	}
	weight, length := n.Scoring.Weight, n.Scoring.Length
	of := v.fieldReading(segment, &plan.WordField{Origin: n.Origin, Structure: n.Structure, Weight: weight, Length: length}, doc)
	frequency := float64(s.frequency(doc))
	of.Terms = []TermReading{{WordTerm: plan.WordTerm{Boost: 1}, Frequency: frequency}}
	of.Weighted = weight * score.Occurrences(length, frequency, of.Length, of.Average)
	return &Reading{
		IDF: s.rarity, Mean: weight, Words: n.Scoring.Words, Counts: score.Range{Span: 1},
		Share: score.ShareOf(length, of.Length), Fields: []FieldReading{of},
	}, nil
}

// Rarity is how rare a term is among the documents with the field.
type Rarity struct {
	Holders, Documents uint64
	IDF                float64
}

// Rarity returns how rare the value of a term that counts once is. The term must have been
// prepared.
func (v *View) Rarity(n *plan.Term) *Rarity {
	return &Rarity{v.preparedTerm(n.Structure, n.Text).holders, v.preparedField(n.Structure).documents, v.idf(n.Structure, n.Text)}
}

// held reads how often a document holds the terms of a word in a field.
func (v *View) held(segment int, f *plan.WordField, doc uint32) FieldReading {
	r := v.fieldReading(segment, f, doc)
	field := v.Snapshot.Segments[segment].Reader.Terms(f.Structure)
	for _, t := range f.Terms {
		entry := v.term(f.Structure, t.Text).entries[segment]
		if entry.DocFreq == 0 {
			continue
		}
		var it postings.Iterator
		field.Iterator(&it, entry)
		if !it.NextBlock() {
			continue
		}
		if at, index := it.Seek(doc); at == doc {
			frequency := float64(it.FreqAt(index))
			r.Terms = append(r.Terms, TermReading{t, frequency})
			r.Weighted += f.Weight * t.Boost * score.Occurrences(f.Length, frequency, r.Length, r.Average)
		}
	}
	return r
}

func (v *View) fieldReading(segment int, f *plan.WordField, doc uint32) FieldReading {
	r := FieldReading{Field: f, Average: v.field(f.Structure).average}
	if field := v.Snapshot.Segments[segment].Reader.Terms(f.Structure); field != nil {
		r.Length = float64(terms.DecodeLength(lengthOf(field.Lengths(), doc)))
	}
	return r
}

// fieldsOf returns the fields through which a document is in a band.
func (b *binder) fieldsOf(ctx context.Context, n *plan.Word, of *plan.Band, doc uint32) ([]FieldReading, error) {
	var band band
	if err := b.band(ctx, &band, n, of); err != nil {
		return nil, err
	}
	var found []FieldReading
	base := doc &^ (Span - 1)
	var in, out Bits
	in.Set(doc - base)
	for i := range band.fields {
		f := &band.fields[i]
		if f.run(base, &in, &out, false); out.Empty() {
			continue
		}
		r := b.view.fieldReading(b.number, &n.Fields[f.number], doc)
		r.Weighted = r.Field.Weight * score.Occurrences(r.Field.Length, 1, r.Length, r.Average)
		found = append(found, r)
	}
	return found, nil
}
