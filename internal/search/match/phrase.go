package match

import (
	"context"
	"math/bits"
	"slices"

	"github.com/quiresearch/quire/internal/search/match/docset"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/score"
	"github.com/quiresearch/quire/internal/segment/postings"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// maxPhraseTerms is how many of the terms that the unfinished last word of a phrase stands for
// are walked: the most frequent ones. The positions of the others are gathered beforehand.
const maxPhraseTerms = 256

// phraseStep matches documents in which words occur in order. It first finds the documents that
// hold all words, and reads positions of those only.
type phraseStep struct {
	find    andStep
	words   []phraseWord
	byCost  []int // indexes of words, the rarest first
	slop    uint32
	lengths []byte
	table   *score.Table
	weight  float32
	rarity  float64        // of the words together
	counts  *[Span]float32 // phrases per document of the last window; nil before the first
	memo    memo
	starts  []uint32
	places  []startSpan
	ordered []*phraseWord // see inOrder
	held    fewDocs       // documents that hold all words
}

// empty resets the step, keeping its memory.
func (s *phraseStep) empty() {
	clear(s.words)
	clear(s.ordered)
	s.find.steps, s.find.memo.valid, s.memo.valid = emptied(s.find.steps), false, false
	s.words, s.ordered, s.byCost = s.words[:0], s.ordered[:0], s.byCost[:0]
	s.lengths, s.table, s.weight, s.rarity, s.counts = nil, nil, 0, 0, nil
	s.held.join.start(nil, nil)
	if cap(s.starts) > maxPlaces {
		s.starts, s.places = nil, nil
	}
}

// maxPlaces bounds the starts that a reused step keeps memory for; a block mostly has few.
const maxPlaces = 1 << 12

// phraseWord is one word of the phrase.
type phraseWord struct {
	offset    uint32
	parts     []phrasePart
	rare      *rareTerms // terms left out of parts, nil when there are none
	positions []uint32   // in the current document
	cost      int
	entry     terms.Entry   // of a word that is one term
	part      [1]phrasePart // storage of parts for such a word
}

type phrasePart struct {
	it     *postings.Iterator
	opened bool
}

func (b *binder) phrase(ctx context.Context, n *plan.Phrase, factor float64) (step, error) {
	field := b.segment.Reader.Terms(n.Structure)
	if field == nil {
		return noStep{}, nil
	}
	s := b.newPhrase()
	s.slop = uint32(n.Slop)
	s.words = slices.Grow(s.words, len(n.Words)) // pointers to words stay valid
	idf := 0.0
	var buffer [4]terms.Entry
	for _, w := range n.Words {
		entries := buffer[:0]
		var holders uint64
		if w.Prefix {
			var err error
			if entries, err = b.phrasePrefix(ctx, field, n, &w); err != nil {
				return nil, err
			}
			idf++ // the constant score of a prefix
		} else {
			for _, t := range w.Terms {
				stats := b.view.preparedTerm(n.Structure, t)
				holders = max(holders, stats.holders)
				if e := stats.entries[b.number]; e.DocFreq > 0 {
					entries = append(entries, e)
				}
			}
			idf += score.IDF(holders, b.view.preparedField(n.Structure).documents)
		}
		if len(entries) == 0 {
			return noStep{}, nil
		}
		if err := b.addWord(ctx, s, field, uint32(w.Offset), entries); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(s.find.steps, func(x, y step) int { return x.cost() - y.cost() })
	slices.SortStableFunc(s.byCost, func(x, y int) int { return s.words[x].cost - s.words[y].cost })
	if weight := factor * n.Scoring.Weight * idf; b.scoring && weight > 0 {
		s.weight, s.rarity = float32(weight), idf
		s.lengths = field.Lengths()
		s.table = b.view.tableOf(n.Structure, &n.Scoring)
	}
	return s, nil
}

// phrasePrefix returns the terms that start with a word; if there are many, the most frequent
// come first.
func (b *binder) phrasePrefix(ctx context.Context, field *terms.Field, n *plan.Phrase, word *plan.PhraseWord) ([]terms.Entry, error) {
	start := phraseStart(n, word)
	entries, _, err := b.starting(ctx, field, start)
	if err != nil {
		return nil, err
	}
	entries = withForeign([][]terms.Entry{entries}, b.foreign(start))[0]
	if len(entries) > maxPhraseTerms {
		frequentFirst(entries, maxPhraseTerms)
	}
	return entries, nil
}

// phraseStart returns the expansion of the unfinished last word of a phrase.
func phraseStart(n *plan.Phrase, word *plan.PhraseWord) *plan.Expand {
	return &plan.Expand{Structure: n.Structure, Text: word.Terms[0], Surface: word.Surface, Prefix: true}
}

// frequentFirst moves the n most frequent terms to the front, in any order.
func frequentFirst(entries []terms.Entry, n int) {
	top := entries[:n] // a min-heap by document frequency
	down := func(i int) {
		for {
			child := 2*i + 1
			if child >= n {
				return
			}
			if child+1 < n && top[child+1].DocFreq < top[child].DocFreq {
				child++
			}
			if top[i].DocFreq <= top[child].DocFreq {
				return
			}
			top[i], top[child] = top[child], top[i]
			i = child
		}
	}
	for i := n/2 - 1; i >= 0; i-- {
		down(i)
	}
	for i := n; i < len(entries); i++ {
		if entries[i].DocFreq > top[0].DocFreq {
			entries[i], top[0] = top[0], entries[i]
			down(0)
		}
	}
}

func (b *binder) addWord(ctx context.Context, s *phraseStep, field *terms.Field, offset uint32, entries []terms.Entry) error {
	s.byCost = append(s.byCost, len(s.words))
	s.words = append(s.words, phraseWord{offset: offset, entry: entries[0]})
	word := &s.words[len(s.words)-1]
	if word.parts = word.part[:0]; len(entries) > 1 {
		word.parts = make([]phrasePart, 0, min(maxPhraseTerms, len(entries)))
	}
	var finder step
	var terms []step // if there are several
	for _, e := range entries[:min(maxPhraseTerms, len(entries))] {
		t := b.newTerm(field, e) // finds by itself; the word reads positions through its scorer
		field.Iterator(&t.scorer, e)
		word.parts = append(word.parts, phrasePart{&t.scorer, t.scorer.NextBlock()})
		if finder = t; len(entries) > 1 {
			terms = append(terms, t)
		}
	}
	switch {
	case len(entries) == 1:
	case len(entries) <= maxUnion:
		finder = &orStep{steps: terms}
	default:
		all, err := docset.Union(ctx, field, entries, b.documents)
		if err != nil {
			return err
		}
		finder = setStep{all}
		if len(entries) > maxPhraseTerms {
			if word.rare, err = b.rarer(ctx, field, entries[maxPhraseTerms:], b.holders(s, field)); err != nil {
				return err
			}
		}
	}
	word.cost = finder.cost()
	s.find.steps = append(s.find.steps, finder)
	return nil
}

func (s *phraseStep) cost() int { return s.find.cost() }

func (s *phraseStep) next(from uint32) uint32 {
	return s.find.next(from)
}

// limits reports whether the phrase is at most as frequent as a word. With slop, every
// occurrence of the first word counts, even if it shares the following words with the
// occurrence before.
func (s *phraseStep) limits(number int) bool { return s.slop == 0 || number == 0 }

// bound relies on the fact that a phrase is at most as frequent as its words.
func (s *phraseStep) bound(from, to uint32) float64 {
	if s.table == nil {
		return 0
	}
	top := float32(1)
	for _, number := range s.byCost {
		word := &s.words[number]
		if len(word.parts) != 1 {
			continue
		}
		part := &word.parts[0]
		if !part.opened || !part.it.SeekBlock(from) {
			return 0
		}
		if s.limits(number) {
			top = min(top, part.it.MaxIn(from, to, s.table))
		}
	}
	return float64(score.Raise(s.weight * top))
}

func (s *phraseStep) run(base uint32, in, out *Bits, sums *Sums) {
	if !s.memo.recall(base, in, out) {
		var both Bits
		s.find.run(base, in, &both, nil)
		if s.counts == nil {
			s.counts = new([Span]float32)
		}
		*out = Bits{}
		if s.isExact() {
			s.runExact(base, &both, out)
		} else {
			s.runEach(base, &both, out)
		}
		s.memo.keep(base, out)
	}
	if sums == nil || s.table == nil {
		return
	}
	for i, w := range out {
		for w != 0 {
			at := i<<6 + bits.TrailingZeros64(w)
			w &= w - 1
			length := byte(0)
			if doc := int(base) + at; doc < len(s.lengths) {
				length = s.lengths[doc]
			}
			sums[at] += float64(s.weight * s.table.PartOf(float64(s.counts[at]), length))
		}
	}
}

// fewDocs holds documents of a window to look up, a block's worth at a time.
type fewDocs struct {
	join join
	docs [chunk]uint32
}

// chunks calls do for the documents of in. do may change its argument.
func (f *fewDocs) chunks(base uint32, in *Bits, do func(docs []uint32)) {
	n := 0
	for i, w := range in {
		for ; w != 0; w &= w - 1 {
			f.docs[n] = base + uint32(i<<6+bits.TrailingZeros64(w))
			if n++; n == len(f.docs) {
				do(f.docs[:])
				n = 0
			}
		}
	}
	do(f.docs[:n])
}

// runEach visits one document after another.
func (s *phraseStep) runEach(base uint32, both, out *Bits) {
	for i, w := range both {
		for w != 0 {
			at := uint32(i<<6 + bits.TrailingZeros64(w))
			w &= w - 1
			if f := s.frequency(base + at); f > 0 {
				out.Set(at)
				s.counts[at] = f
			}
		}
	}
}

// runExact visits a block's worth of documents at a time.
func (s *phraseStep) runExact(base uint32, both, out *Bits) {
	s.held.chunks(base, both, func(docs []uint32) {
		left, _ := s.findExact(&s.held.join, docs, -1)
		for i, doc := range left {
			out.Set(doc - base)
			s.counts[doc-base] = float32(s.places[i].to - s.places[i].from)
		}
	})
}

// frequency counts the phrase in a document that holds all of its words. Phrases with other
// words in between count less.
func (s *phraseStep) frequency(doc uint32) float32 {
	if s.slop == 0 {
		return float32(s.exact(doc))
	}
	for i := range s.words {
		s.read(&s.words[i], doc)
	}
	return s.sloppy()
}

// read gathers the positions of a word in a document.
func (s *phraseStep) read(word *phraseWord, doc uint32) {
	word.positions = word.positions[:0]
	held := 0
	for i := range word.parts {
		part := &word.parts[i]
		if !part.opened {
			continue
		}
		if at, index := part.it.Seek(doc); at == doc {
			word.positions = part.it.AppendPositions(word.positions, index)
			held++
		}
	}
	if word.rare != nil {
		more := 0
		word.positions, more = word.rare.read(word.positions, doc)
		held += more
	}
	if held > 1 {
		slices.Sort(word.positions)
		word.positions = slices.Compact(word.positions)
	}
}

// exact counts the positions at which the phrase starts, with every word at its offset. It
// reads words from the rarest on, and only as long as a start is left.
func (s *phraseStep) exact(doc uint32) int {
	s.starts = s.starts[:0]
	for n, number := range s.byCost {
		word := &s.words[number]
		s.read(word, doc)
		if n == 0 {
			for _, p := range word.positions {
				if p >= word.offset {
					s.starts = append(s.starts, p-word.offset)
				}
			}
		} else {
			s.starts = intersectShifted(s.starts, word.positions, word.offset)
		}
		if len(s.starts) == 0 {
			return 0
		}
	}
	return len(s.starts)
}

// intersectShifted keeps the starts for which start + offset is a position.
func intersectShifted(starts, positions []uint32, offset uint32) []uint32 {
	kept := starts[:0]
	i := 0
	for _, start := range starts {
		for i < len(positions) && positions[i] < start+offset {
			i++
		}
		if i == len(positions) {
			break
		}
		if positions[i] == start+offset {
			kept = append(kept, start)
		}
	}
	return kept
}

// sloppy adds up 1 ÷ (1 + number of other words in between) over every position of the first
// word, each with the nearest words that follow.
func (s *phraseStep) sloppy() float32 {
	total := float32(0)
	first := &s.words[0]
	last := &s.words[len(s.words)-1]
next:
	for _, start := range first.positions {
		at := start
		for i := 1; i < len(s.words); i++ {
			word := &s.words[i]
			wanted := at + word.offset - s.words[i-1].offset
			place, _ := slices.BinarySearch(word.positions, wanted)
			if place == len(word.positions) {
				break next
			}
			at = word.positions[place]
		}
		if between := at - start - (last.offset - first.offset); between <= s.slop {
			total += 1 / float32(1+between)
		}
	}
	return total
}
