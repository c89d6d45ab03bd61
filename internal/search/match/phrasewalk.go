package match

import (
	"context"
	"slices"

	"github.com/quiresearch/quire/internal/search/score"
	"github.com/quiresearch/quire/internal/segment/postings"
)

// Phrase: the blocks of the rarest word lead, and positions are read last
// (Williams, Zobel, Bahle: Fast phrase querying with combined indexes, TOIS 2004,
// for the order of evaluation). A phrase is not more frequent than its rarest
// word, so the frequency of a word bounds the score of the phrase before any
// position is decoded. Documents that do not hold all words often enough to
// exceed the threshold are dropped; what is left is looked at word by word.
//
// Example: "new york times", threshold 4; a phrase that occurs once scores 3, one
// that occurs twice 4.5. Document 12 holds "york" three times, "new" twice and
// "times" once: once is too rare, and its positions are not read. Document 30 holds
// each twice: the positions of "york" (5, 40) and of "new" (4, 80) leave one
// place where the phrase may start, 4, which is then too rare as well.

// simple reports whether every word of the phrase is one term, and the phrase
// scores.
func (s *phraseStep) simple() bool {
	if s.table == nil || len(s.lengths) == 0 {
		return false
	}
	return !slices.ContainsFunc(s.words, func(w phraseWord) bool { return len(w.parts) != 1 })
}

// walkPhrase walks the blocks of the rarest word. What a block leaves in the
// batch when score is called is handed over.
func (s *Scanner) walkPhrase(ctx context.Context, p *phraseStep, from, to uint32, sink Sink) error {
	walk := p.byDocuments
	if p.exactly() {
		walk = p.byPositions
	}
	lead, score := walk()
	if lead == nil {
		return nil // a word is nowhere
	}
	done := ctx.Done()
	out := &s.scratch.batch
	for open := lead.SeekBlock(from); open && lead.FirstDoc() < to; open = lead.NextBlock() {
		if err := canceled(ctx, done); err != nil {
			return err
		}
		threshold := thresholdNow(sink)
		if threshold > 0 && p.bound(lead.FirstDoc(), lead.LastDoc()+1) <= threshold {
			s.passOver()
			continue
		}
		if score(out, threshold) {
			s.skipped = true
		}
		if len(out.Docs) > 0 && !out.sendWithin(&s.mask, from, to, sink) {
			s.skipped = true
			return nil
		}
	}
	return nil
}

// phraseScorer leaves the documents of the current block of the rarest word that
// hold the phrase in a batch, with their scores, and reports whether the threshold
// dropped any.
type phraseScorer func(out *batch, threshold float64) (dropped bool)

// byDocuments finds the documents that hold all words by blocks; their
// positions are read only when the rarest occurrence count of a word lets the
// phrase exceed the threshold.
func (s *phraseStep) byDocuments() (*postings.Iterator, phraseScorer) {
	words := make([]*termStep, len(s.byCost))
	for i, number := range s.byCost {
		for _, finder := range s.find.steps {
			if t := finder.(*termStep); t.entry == s.words[number].entry && !slices.Contains(words, t) {
				words[i] = t
				break
			}
		}
	}
	lead := words[0].finder()
	return lead, func(out *batch, threshold float64) (dropped bool) {
		docs := lead.Docs()
		out.Reset()
		if threshold > 0 && s.limits(s.byCost[0]) {
			// A phrase is not more frequent than its rarest word here.
			held := score.Postings{Docs: docs, Frequencies: lead.Freqs(), Lengths: s.lengths}
			into, sums := out.Memory()
			n := s.table.ScoreAbove(&held, s.weight, float32(threshold/score.BoundSlack), into, sums)
			out.Truncate(n)
			dropped = n < len(docs)
		} else {
			out.Fill(docs)
		}
		for i, t := range words[1:] {
			least := threshold
			if !s.limits(s.byCost[i+1]) {
				least = -1
			}
			if len(out.Docs) > 0 && t.keepFrequent(out, s, least) {
				dropped = true
			}
		}
		s.scorePhrases(out)
		return dropped
	}
}

// keepFrequent drops the documents that do not hold a word of the phrase, or
// not often enough to exceed the threshold. It reports whether the threshold dropped
// any.
func (s *termStep) keepFrequent(out *batch, p *phraseStep, threshold float64) (dropped bool) {
	it := s.finder()
	least := float32(threshold / score.BoundSlack)
	j := &out.join
	j.start(it, out.Docs)
	kept := 0
	for n := j.next(); n > 0; n = j.next() {
		for i := range n {
			at, place := j.match(i)
			doc := out.Docs[at]
			if threshold > 0 && p.weight*p.table.Part(it.FreqAt(place), p.lengths[doc]) <= least {
				dropped = true
				continue
			}
			out.Docs[kept] = doc
			kept++
		}
	}
	out.Docs, out.Sums = out.Docs[:kept], out.Sums[:kept]
	return dropped
}

// scorePhrases keeps the documents of a batch that hold the phrase.
func (s *phraseStep) scorePhrases(out *batch) {
	kept := 0
	for _, doc := range out.Docs {
		f := s.frequency(doc)
		if f == 0 {
			continue
		}
		out.Docs[kept] = doc
		out.Sums[kept] = float64(s.weight * s.table.PartOf(float64(f), s.lengths[doc]))
		kept++
	}
	out.Docs, out.Sums = out.Docs[:kept], out.Sums[:kept]
}
