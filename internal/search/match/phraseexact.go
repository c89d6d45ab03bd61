package match

import (
	"github.com/quiresearch/quire/internal/search/score"
	"github.com/quiresearch/quire/internal/segment/postings"
)

// Exact phrases of single terms: starts are narrowed word by word. The two
// rarest words leave the places where the phrase may start, every further
// word keeps those at which it stands at its offset.
//
// Example: "new york times" in a document with york (the rarest) at 5 and 40,
// times at 6 and 90, new at 4: york and times leave the start 4 (5 − 1 = 6 − 2),
// new keeps it (4 − 0), and the phrase occurs once.

// exactly reports whether the phrase is one of single terms without other
// words between, which is found by narrowing the places where it may start.
func (s *phraseStep) exactly() bool { return s.slop == 0 && len(s.words) > 1 && s.simple() }

// startSpan is a document in which a phrase may stand: where, as a part of the
// starts.
type startSpan struct{ from, to int }

// byPositions reads, in documents that hold the rarest word and the next one,
// both often enough to exceed the threshold, positions at once; what is left of the
// places is looked up for the next word.
func (s *phraseStep) byPositions() (*postings.Iterator, phraseScorer) {
	s.ordered = s.ordered[:0]
	for _, number := range s.byCost {
		word := &s.words[number]
		if !word.parts[0].opened {
			return nil, nil
		}
		s.ordered = append(s.ordered, word)
	}
	words := s.ordered
	return words[0].parts[0].it, func(out *batch, threshold float64) (dropped bool) {
		dropped = s.pair(words[0], words[1], out, threshold)
		for _, word := range words[2:] {
			dropped = s.narrow(word, out, threshold) || dropped
		}
		for i, doc := range out.Docs {
			found := s.places[i].to - s.places[i].from
			out.Sums[i] = float64(s.weight * s.table.PartOf(float64(found), s.lengths[doc]))
		}
		return dropped
	}
}

// tooRare reports whether so many phrases in a document do not exceed a threshold
// above zero.
func (s *phraseStep) tooRare(doc, frequency uint32, threshold float64) bool {
	return s.weight*s.table.Part(frequency, s.lengths[doc]) <= float32(threshold/score.BoundSlack)
}

// pair leaves the documents of the current block of one word in the batch in
// which the other word stands at its distance, and the places where the phrase
// may start. It reports whether the threshold dropped any.
func (s *phraseStep) pair(first, second *phraseWord, out *batch, threshold float64) (dropped bool) {
	lead, it := first.parts[0].it, second.parts[0].it
	s.starts, s.places = s.starts[:0], s.places[:0]
	docs := lead.Docs()
	into, _ := out.Memory()
	j := &out.join
	j.start(it, docs)
	kept := 0
	for n := j.next(); n > 0; n = j.next() {
		for i := range n {
			mine, other := j.match(i)
			doc := docs[mine]
			if threshold > 0 && s.tooRare(doc, min(lead.FreqAt(mine), it.FreqAt(other)), threshold) {
				dropped = true
				continue
			}
			at := len(s.starts)
			s.starts = appendStarts(s.starts, lead.Steps(mine), it.Steps(other), int64(first.offset), int64(second.offset))
			if len(s.starts) > at {
				into[kept] = doc
				s.places = append(s.places, startSpan{at, len(s.starts)})
				kept++
			}
		}
	}
	out.Truncate(kept)
	return dropped
}

// appendStarts appends where the phrase may start: where both words, whose
// positions are given as steps, stand at their offsets.
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

// intersectSteps keeps the starts for which start + offset is a position, given
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

// narrow keeps the documents of the batch in which another word stands where
// the phrase needs it.
func (s *phraseStep) narrow(word *phraseWord, out *batch, threshold float64) (dropped bool) {
	it := word.parts[0].it
	j := &out.join
	j.start(it, out.Docs)
	kept := 0
	for n := j.next(); n > 0; n = j.next() {
		for i := range n {
			mine, other := j.match(i)
			doc, starts := out.Docs[mine], s.places[mine]
			if threshold > 0 && s.tooRare(doc, min(uint32(starts.to-starts.from), it.FreqAt(other)), threshold) {
				dropped = true
				continue
			}
			left := len(intersectSteps(s.starts[starts.from:starts.to], it.Steps(other), word.offset))
			if left > 0 {
				out.Docs[kept], s.places[kept] = doc, startSpan{starts.from, starts.from + left}
				kept++
			}
		}
	}
	out.Docs, out.Sums = out.Docs[:kept], out.Sums[:kept]
	return dropped
}
