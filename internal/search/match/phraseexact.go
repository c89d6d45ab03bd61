package match

import (
	"github.com/quiresearch/quire/internal/search/score"
	"github.com/quiresearch/quire/internal/segment/postings"
)

// Exact phrases of single terms: the possible starts are narrowed word by word. The two rarest
// words give the positions at which the phrase may start, and every further word keeps those at
// which it occurs at its offset.
//
// Example: "new york times" in a document with york (the rarest) at 5 and 40, times at 6 and
// 90, new at 4: york and times give the start 4 (5 − 1 = 6 − 2), new keeps it (4 − 0), and the
// phrase occurs once.

// isExact reports whether all words of the phrase are single terms without other words in
// between, so that it can be found by narrowing its starts.
func (s *phraseStep) isExact() bool { return s.slop == 0 && len(s.words) > 1 && s.isSingle() }

// startSpan is the range in starts of the possible starts of the phrase in one document.
type startSpan struct{ from, to int }

// inOrder returns the words, the rarest first, or nil when one has no postings.
func (s *phraseStep) inOrder() []*phraseWord {
	s.ordered = s.ordered[:0]
	for _, number := range s.byCost {
		word := &s.words[number]
		if !word.parts[0].opened {
			return nil
		}
		s.ordered = append(s.ordered, word)
	}
	return s.ordered
}

// byPositions decodes the positions of the two rarest words together, in documents that hold
// both often enough to exceed the threshold. The remaining starts are looked up in the next
// words.
func (s *phraseStep) byPositions() (*postings.Iterator, phraseScorer) {
	words := s.inOrder()
	if words == nil {
		return nil, nil
	}
	return words[0].parts[0].it, func(out *batch, threshold float64) (dropped bool) {
		left, dropped := s.pair(&out.join, words[0], words[1], out.Docs, threshold)
		for _, word := range words[2:] {
			fewer := false
			left, fewer = s.narrow(&out.join, word, left, threshold)
			dropped = dropped || fewer
		}
		out.Truncate(len(left))
		s.scorePlaces(out)
		return dropped
	}
}

// scorePlaces scores the documents of the batch by the number of their starts.
func (s *phraseStep) scorePlaces(out *batch) {
	for i, doc := range out.Docs {
		if out.Sums[i] = 0; s.table != nil {
			found := s.places[i].to - s.places[i].from
			out.Sums[i] = float64(s.weight * s.table.PartOf(float64(found), s.lengths[doc]))
		}
	}
}

// findExact returns those of the given documents that hold the phrase, and leaves its starts in
// starts and places. The result overwrites docs, as in pair, place and narrow.
func (s *phraseStep) findExact(j *join, docs []uint32, threshold float64) (left []uint32, dropped bool) {
	words := s.inOrder()
	if words == nil {
		return docs[:0], false
	}
	left, dropped = s.place(j, words[0], docs, threshold)
	for _, word := range words[1:] {
		fewer := false
		left, fewer = s.narrow(j, word, left, threshold)
		dropped = dropped || fewer
	}
	return left, dropped
}

// tooRare reports whether a phrase of the given frequency does not exceed a threshold above
// zero. A phrase that does not score is never too rare.
func (s *phraseStep) tooRare(doc, frequency uint32, threshold float64) bool {
	return s.table != nil && s.weight*s.table.Part(frequency, s.lengths[doc]) <= float32(threshold/score.BoundSlack)
}

// pair returns those of the given documents, which are in the current block of first, in which
// second occurs at its distance, and sets starts to the possible starts of the phrase. It
// reports whether the threshold dropped any.
func (s *phraseStep) pair(j *join, first, second *phraseWord, docs []uint32, threshold float64) (left []uint32, dropped bool) {
	lead, it := first.parts[0].it, second.parts[0].it
	s.starts, s.places = s.starts[:0], s.places[:0]
	all := lead.Docs()
	at := 0 // index in the block
	j.start(it, docs)
	left = docs[:0]
	for n := j.next(); n > 0; n = j.next() {
		for i := range n {
			mine, other := j.match(i)
			doc := docs[mine]
			if len(docs) == len(all) {
				at = mine
			} else {
				for all[at] < doc {
					at++
				}
			}
			if threshold > 0 && s.tooRare(doc, min(lead.FreqAt(at), it.FreqAt(other)), threshold) {
				dropped = true
				continue
			}
			from := len(s.starts)
			s.starts = appendStarts(s.starts, lead.Steps(at), it.Steps(other), int64(first.offset), int64(second.offset))
			if len(s.starts) > from {
				left = append(left, doc)
				s.places = append(s.places, startSpan{from, len(s.starts)})
			}
		}
	}
	return left, dropped
}

// place returns those of the given documents in which the word may be part of the phrase, and
// sets starts to the possible starts of the phrase.
func (s *phraseStep) place(j *join, word *phraseWord, docs []uint32, threshold float64) (left []uint32, dropped bool) {
	it := word.parts[0].it
	s.starts, s.places = s.starts[:0], s.places[:0]
	j.start(it, docs)
	left = docs[:0]
	for n := j.next(); n > 0; n = j.next() {
		for i := range n {
			mine, other := j.match(i)
			doc := docs[mine]
			if threshold > 0 && s.tooRare(doc, it.FreqAt(other), threshold) {
				dropped = true
				continue
			}
			from, at := len(s.starts), uint32(0)
			for _, step := range it.Steps(other) {
				if at += step; at >= word.offset {
					s.starts = append(s.starts, at-word.offset)
				}
			}
			if len(s.starts) > from {
				left = append(left, doc)
				s.places = append(s.places, startSpan{from, len(s.starts)})
			}
		}
	}
	return left, dropped
}

// appendStarts appends the positions at which the phrase may start: those for which both words,
// whose positions are given as steps, occur at their offsets.
func appendStarts(starts, first, second []uint32, firstOffset, secondOffset int64) []uint32 {
	if len(first) == 0 || len(second) == 0 {
		return starts
	}
	a, b := int64(first[0])-firstOffset, int64(second[0])-secondOffset
	for i, j := 0, 0; ; {
		if a <= b {
			if a == b && a >= 0 {
				starts = append(starts, uint32(a))
			}
			if i++; i == len(first) {
				return starts
			}
			a += int64(first[i])
			continue
		}
		if j++; j == len(second) {
			return starts
		}
		b += int64(second[j])
	}
}

// intersectSteps keeps the starts for which start + offset is a position; positions are given
// as steps.
func intersectSteps(starts, steps []uint32, offset uint32) []uint32 {
	kept := starts[:0]
	if len(steps) == 0 {
		return kept
	}
	at, i := steps[0], 0
	for _, start := range starts {
		for at < start+offset {
			if i++; i == len(steps) {
				return kept
			}
			at += steps[i]
		}
		if at == start+offset {
			kept = append(kept, start)
		}
	}
	return kept
}

// narrow returns those of the given documents in which the word occurs at its offset from some
// start, and keeps only such starts.
func (s *phraseStep) narrow(j *join, word *phraseWord, docs []uint32, threshold float64) (left []uint32, dropped bool) {
	it := word.parts[0].it
	j.start(it, docs)
	left = docs[:0]
	for n := j.next(); n > 0; n = j.next() {
		for i := range n {
			mine, other := j.match(i)
			doc, starts := docs[mine], s.places[mine]
			if threshold > 0 && s.tooRare(doc, min(uint32(starts.to-starts.from), it.FreqAt(other)), threshold) {
				dropped = true
				continue
			}
			held := len(intersectSteps(s.starts[starts.from:starts.to], it.Steps(other), word.offset))
			if held > 0 {
				s.places[len(left)] = startSpan{starts.from, starts.from + held}
				left = append(left, doc)
			}
		}
	}
	return left, dropped
}
