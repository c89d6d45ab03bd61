package match

import (
	"context"
	"slices"

	"github.com/quiresearch/quire/internal/search/score"
	"github.com/quiresearch/quire/internal/segment/postings"
)

// Phrase: the blocks of the rarest word lead, and positions are read last (Williams, Zobel,
// Bahle: Fast phrase querying with combined indexes, TOIS 2004, for the order of evaluation). A
// phrase is not more frequent than its rarest word, so the frequency of a word bounds the score
// of the phrase before any position is decoded. Documents that do not hold all words often
// enough to exceed the threshold are dropped; the others are checked word by word. Filters come
// first: positions are read only in documents that they leave, and a filter with fewer
// documents than the rarest word leads in its place.
//
// Example: "new york times", threshold 4; a phrase that occurs once scores 3, one that occurs
// twice 4.5. Document 12 holds "york" three times, "new" twice and "times" once: once is too
// rare, and its positions are not read. Document 30 holds each twice: the positions of "york"
// (5, 40) and of "new" (4, 80) leave one start of the phrase, 4, which is then too rare as
// well.

// isSingle reports whether every word of the phrase is one term.
func (s *phraseStep) isSingle() bool {
	return !slices.ContainsFunc(s.words, func(w phraseWord) bool { return len(w.parts) != 1 })
}

// isSimple reports whether the blocks of the rarest word can lead: every word of the phrase is
// one term, and the phrase is exact or scores.
func (s *phraseStep) isSimple() bool {
	if s.table == nil {
		return s.isExact()
	}
	return len(s.lengths) > 0 && s.isSingle()
}

// phraseOf returns a phrase that blocks can lead, and its filters if it has any; nil for other
// roots.
func phraseOf(root step) (p *phraseStep, narrow *conjunction) {
	and, ok := root.(*andStep)
	if !ok {
		if p, _ = root.(*phraseStep); p == nil || !p.isSimple() {
			return nil, nil
		}
		return p, nil
	}
	at := slices.IndexFunc(and.steps, func(c step) bool { _, ok := c.(*phraseStep); return ok })
	if at < 0 || len(and.optional) > 0 {
		return nil, nil
	}
	if p = and.steps[at].(*phraseStep); !p.isSimple() || !p.isExact() {
		return nil, nil
	}
	if narrow = filtersOf(and, at); narrow == nil {
		return nil, nil
	}
	if at == 0 {
		return p, narrow
	}
	switch first := and.steps[0].(type) {
	case setStep:
		if first.set.IsSparse() {
			narrow.listed, narrow.sets = first.set.Sparse(), narrow.sets[1:]
		}
	case *termStep:
		narrow.lead, narrow.others = first, narrow.others[1:]
	}
	return p, narrow
}

// walkPhrase walks the blocks of the rarest word, or the documents of a filter that leaves
// fewer, and hands over the documents that hold the phrase.
func (s *Scanner) walkPhrase(ctx context.Context, p *phraseStep, narrow *conjunction, from, to uint32, sink Sink) error {
	if narrow != nil && (narrow.listed != nil || narrow.lead != nil) {
		return s.walkFilteredPhrase(ctx, p, narrow, from, to, sink)
	}
	walk := p.byDocuments
	if p.isExact() {
		walk = p.byPositions
	}
	lead, score := walk()
	if lead == nil {
		return nil // a word has no postings
	}
	done := ctx.Done()
	out := &s.scratch.batch
	for open := lead.SeekBlock(from); open && lead.FirstDoc() < to; open = lead.NextBlock() {
		if err := canceled(ctx, done); err != nil {
			return err
		}
		if narrow != nil {
			if at := narrow.nextInSets(max(from, lead.FirstDoc())); at > lead.LastDoc() {
				if at >= to || !lead.SeekBlock(at) || lead.FirstDoc() >= to {
					return nil
				}
			}
		}
		threshold := thresholdNow(sink)
		if s.passesPhrase(p, threshold, lead.FirstDoc(), lead.LastDoc()) {
			continue
		}
		out.Fill(lead.Docs())
		if s.keepFiltered(narrow, sink); len(out.Docs) == 0 {
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

// passesPhrase skips the documents from first to last, and returns true, when none of them
// exceeds the threshold.
func (s *Scanner) passesPhrase(p *phraseStep, threshold float64, first, last uint32) bool {
	if s.sums == nil || threshold < 0 || p.bound(first, last+1) > threshold {
		return false
	}
	s.passOver()
	return true
}

// keepFiltered drops the documents of the batch that filters exclude, if narrow is not nil,
// and, in a scan without scores, those of windows that the sink skips.
func (s *Scanner) keepFiltered(narrow *conjunction, sink Sink) {
	out := &s.scratch.batch
	if s.sums == nil && sink.Prunes() && out.keepWindows(sink) {
		s.passOver()
	}
	if narrow != nil {
		s.keepNarrowed(narrow)
	}
}

// walkFilteredPhrase is walkPhrase for a filter that leads.
func (s *Scanner) walkFilteredPhrase(ctx context.Context, p *phraseStep, narrow *conjunction, from, to uint32, sink Sink) error {
	done := ctx.Done()
	out := &s.scratch.batch
	walk := filterBlocks{narrow: narrow, to: to}
	for docs := walk.first(from); len(docs) > 0; docs = walk.next() {
		if err := canceled(ctx, done); err != nil {
			return err
		}
		threshold := thresholdNow(sink)
		if s.passesPhrase(p, threshold, docs[0], docs[len(docs)-1]) {
			continue
		}
		out.Fill(docs)
		s.keepFiltered(narrow, sink)
		for _, finder := range p.find.steps {
			if len(out.Docs) == 0 {
				break
			}
			finder.(*termStep).keepHeld(out, 0, 0)
		}
		if len(out.Docs) == 0 {
			continue
		}
		left, dropped := p.findExact(&out.join, out.Docs, threshold)
		s.skipped = s.skipped || dropped
		out.Truncate(len(left))
		if p.scorePlaces(out); len(left) > 0 && !out.sendWithin(&s.mask, from, to, sink) {
			s.skipped = true
			return nil
		}
	}
	return nil
}

// filterBlocks walks the documents of a leading filter, a block's worth at a time.
type filterBlocks struct {
	narrow *conjunction
	at     int // index in a leading sparse set
	to     uint32
}

// first returns the first documents not before from, and possibly some before it.
func (f *filterBlocks) first(from uint32) []uint32 {
	if term := f.narrow.lead; term != nil {
		return f.block(term.finder().SeekBlock(from))
	}
	f.at, _ = slices.BinarySearch(f.narrow.listed, from)
	return f.next()
}

// next returns the documents that follow, none at the end.
func (f *filterBlocks) next() []uint32 {
	if term := f.narrow.lead; term != nil {
		return f.block(term.finder().NextBlock())
	}
	docs := f.narrow.listed[f.at:min(f.at+chunk, len(f.narrow.listed))]
	if len(docs) == 0 || docs[0] >= f.to {
		return nil
	}
	f.at += len(docs)
	return docs
}

// block returns the documents of the current block of the term, none at the end.
func (f *filterBlocks) block(open bool) []uint32 {
	it := f.narrow.lead.finder()
	if !open || it.FirstDoc() >= f.to {
		return nil
	}
	return it.Docs()
}

// phraseScorer reduces a batch of documents of the current block of the rarest word to those
// that hold the phrase, with their scores. It reports whether the threshold dropped any.
type phraseScorer func(out *batch, threshold float64) (dropped bool)

// byDocuments finds the documents that hold all words block by block. It reads their positions
// only if the word with the fewest occurrences lets the phrase exceed the threshold.
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
		docs := lead.Docs() // all of them: phraseOf takes filters only for exact phrases
		if threshold > 0 && s.limits(s.byCost[0]) {
			// The phrase is not more frequent than its rarest word here.
			held := score.Postings{Docs: docs, Frequencies: lead.Freqs(), Lengths: s.lengths}
			into, sums := out.Memory()
			n := s.table.ScoreAbove(&held, s.weight, float32(threshold/score.BoundSlack), into, sums)
			out.Truncate(n)
			dropped = n < len(docs)
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

// keepFrequent drops the documents that do not hold a word of the phrase, or not often enough
// to exceed the threshold. It reports whether the threshold dropped any.
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

// scorePhrases keeps the documents of a batch that hold the phrase, with their scores.
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
