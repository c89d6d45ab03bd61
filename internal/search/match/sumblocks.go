package match

import (
	"github.com/quiresearch/quire/internal/search/match/window"
	"github.com/quiresearch/quire/internal/search/score"
	"github.com/quiresearch/quire/internal/segment/postings"
)

// Postings in several fields are walked in ranges in which each field stays within one block,
// so that every range has one bound per field.
//
// Example: the title has blocks that end at 900 and 2,000, the body at 300, 600, 1,100. The
// ranges end at 300, 600, 900, 1,100 and 2,000; the range up to 600 is bounded by the second
// block of the body and the first of the title together.

// maxLeadParts is the largest number of parts with which a sum can lead: each part may put a
// document into the batch before the scores are combined.
const maxLeadParts = window.MaxLeads

// block holds the documents of a part in a range that lies in one of its blocks.
type block struct{ docs, freqs []uint32 }

// nextRange returns the end, at most to, of a range that begins at from, in which each part
// stays within one block. It decodes nothing. With bounds, it also returns occurrences that no
// document of the range exceeds.
func (s *sumStep) nextRange(from, to uint32, bounds bool) (end uint32, occurrences float64) {
	for i := range s.parts {
		it := &s.parts[i].scorer
		if !it.SeekBlock(from) {
			continue
		}
		if first := it.FirstDoc(); first > from {
			to = min(to, first)
			continue
		}
		to = min(to, it.LastDoc()+1)
		if bounds {
			occurrences += s.parts[i].blockBound()
		}
	}
	return to, occurrences
}

// blockOf returns the documents of a part in a range that nextRange returned.
func (p *sumPart) blockOf(from, to uint32) block {
	it := &p.scorer
	if it.FirstDoc() >= to {
		return block{}
	}
	docs, freqs := it.Docs(), it.Freqs()
	first, last := 0, len(docs)
	if last > 0 && docs[0] < from {
		first = p.placeOf(docs, from)
	}
	if it.LastDoc() >= to {
		last = p.placeOf(docs, to)
	}
	if last <= first {
		return block{}
	}
	p.prefetch(docs[last:], max(to-from, Span))
	return block{docs[first:last], freqs[first:last]}
}

// decode decodes all parts in a range that nextRange returned.
func (s *sumStep) decode(from, to uint32) {
	s.blocks = s.blocks[:0]
	for i := range s.parts {
		s.blocks = append(s.blocks, s.parts[i].blockOf(from, to))
	}
}

// findBoth sets both to the documents of the decoded range that several parts hold, with their
// scores.
func (s *sumStep) findBoth() {
	s.both.reset()
	if len(s.parts) > 2 {
		s.findSeveral()
		return
	}
	if len(s.parts) < 2 {
		return
	}
	minor, major := s.blocks[0], s.blocks[1]
	if len(minor.docs) == 0 || len(major.docs) == 0 {
		return
	}
	found, places := &s.join.found, &s.join.places
	n := postings.LowerBound(minor.docs, major.docs[len(major.docs)-1]+1)
	n = window.Intersect(minor.docs[:n], major.docs, found[:], places[:])
	docs, readings := s.both.docs, s.both.readings
	for i := range n {
		at, place := found[i], places[i]
		doc := minor.docs[at]
		var r heldWord
		s.hold(&r, &s.parts[0], doc, minor.freqs[at])
		s.hold(&r, &s.parts[1], doc, major.freqs[place])
		docs, readings = append(docs, doc), append(readings, r)
	}
	s.both.docs, s.both.readings = docs, readings
}

// findSeveral is findBoth for more than two parts: it merges them one after another.
func (s *sumStep) findSeveral() {
	s.all.reset()
	for i := range s.parts {
		b := s.blocks[i]
		s.other.reset()
		j := 0
		for k, doc := range b.docs {
			for ; j < len(s.all.docs) && s.all.docs[j] < doc; j++ {
				s.other.add(s.all.docs[j], s.all.readings[j])
			}
			var r heldWord
			if j < len(s.all.docs) && s.all.docs[j] == doc {
				r = s.all.readings[j]
				j++
			}
			s.hold(&r, &s.parts[i], doc, b.freqs[k])
			s.other.add(doc, r)
		}
		for ; j < len(s.all.docs); j++ {
			s.other.add(s.all.docs[j], s.all.readings[j])
		}
		s.all, s.other = s.other, s.all
	}
	for i, doc := range s.all.docs {
		if r := s.all.readings[i]; r.parts > 1 {
			s.both.add(doc, r)
		}
	}
}

// addAll adds the scores of all documents in one or more windows, and marks the documents if
// marked is not nil. The step must be plain.
func (s *sumStep) addAll(base, end uint32, sums []float64, marked []uint64) {
	if len(s.parts) > 2 {
		s.addRanges(base, end, sums, marked)
		return
	}
	var minor block // documents of the first part
	s.minor.docs, s.minor.freqs = s.minor.docs[:0], s.minor.freqs[:0]
	for i := range s.parts {
		p := &s.parts[i]
		it := &p.scorer
		for open := it.SeekBlock(base); open && it.FirstDoc() < end; open = it.NextBlock() {
			b := p.blockOf(base, end)
			s.addBlock(p, b, base, sums, marked)
			isLast := it.LastDoc() >= end
			switch {
			case i > 0:
				minor = s.addBoth(minor, b, base, sums)
			case len(s.parts) == 1:
			case isLast && len(s.minor.docs) == 0:
				minor = b
			default: // the next block reuses the memory of b
				s.minor.docs, s.minor.freqs = append(s.minor.docs, b.docs...), append(s.minor.freqs, b.freqs...)
				minor = s.minor
			}
			if isLast {
				break
			}
		}
	}
}

// addBlock adds the scores of documents as if only this part held them.
func (s *sumStep) addBlock(p *sumPart, b block, base uint32, sums []float64, marked []uint64) {
	held := score.Postings{Docs: b.docs, Frequencies: b.freqs, Lengths: p.lengths}
	if marked == nil {
		p.alone.AddWindow(&held, s.weight, base, sums)
	} else {
		p.alone.AddMarked(&held, s.weight, base, sums, marked)
	}
}

// addBoth corrects the scores of documents that both parts hold: it subtracts the score of each
// part alone, which is exact for a few rounded scores. It returns the documents of the minor
// part past the block.
func (s *sumStep) addBoth(minor, major block, base uint32, sums []float64) block {
	if len(minor.docs) == 0 || len(major.docs) == 0 {
		return minor
	}
	found, places := &s.join.found, &s.join.places
	behind := postings.LowerBound(minor.docs, major.docs[len(major.docs)-1]+1)
	for from := 0; from < behind; from += chunk {
		part := minor.docs[from:min(behind, from+chunk)]
		for i := range window.Intersect(part, major.docs, found[:], places[:]) {
			at, place := from+int(found[i]), places[i]
			doc := minor.docs[at]
			var r heldWord
			s.hold(&r, &s.parts[0], doc, minor.freqs[at])
			s.hold(&r, &s.parts[1], doc, major.freqs[place])
			sums[(doc-base)&uint32(len(sums)-1)] += r.score - r.apart
		}
	}
	return block{minor.docs[behind:], minor.freqs[behind:]}
}

// addRanges is addAll for more than two parts.
func (s *sumStep) addRanges(base, end uint32, sums []float64, marked []uint64) {
	for from := base; from < end; {
		to, _ := s.nextRange(from, end, false)
		s.decode(from, to)
		for i, b := range s.blocks {
			s.addBlock(&s.parts[i], b, base, sums, marked)
		}
		// The scores of single parts are subtracted: sums of a few rounded scores are exact.
		s.findBoth()
		for i, doc := range s.both.docs {
			r := &s.both.readings[i]
			sums[(doc-base)&uint32(len(sums)-1)] += r.score - r.apart
		}
		from = to
	}
}

// lead appends the documents of one or more windows that score above least. It decodes only
// blocks whose bounds, added up over the fields, exceed that. The step must be plain. It
// reports whether documents were left out.
func (s *sumStep) lead(out *batch, base, end uint32, least float64) (dropped bool) {
	needed := s.needed(least)
	for from := base; from < end; {
		to, occurrences := s.nextRange(from, end, needed > 0)
		if needed == 0 || occurrences > needed {
			dropped = s.leadRange(out, from, to, least) || dropped
		} else {
			dropped = true
		}
		from = to
	}
	return dropped
}

// needed returns a lower bound of the weighted occurrences of documents that score above least.
func (s *sumStep) needed(least float64) float64 {
	if least <= 0 {
		return 0
	}
	return s.curve.occurrencesAbove(least)
}

// leadRange appends those documents of a range returned by nextRange that score above least.
func (s *sumStep) leadRange(out *batch, from, to uint32, least float64) (dropped bool) {
	s.decode(from, to)
	threshold := roundDown(least)
	into, scores := out.Memory()
	first, last := len(out.Docs), len(s.parts)-1
	n := first
	for i := last; i >= 0; i-- {
		b, p := s.blocks[i], &s.parts[i]
		before := n
		held := score.Postings{Docs: b.docs, Frequencies: b.freqs, Lengths: p.lengths}
		n += p.alone.ScoreAbove(&held, s.weight, threshold, into[n:], scores[n:])
		dropped = dropped || n-before < len(b.docs)
		if before > first && n > before { // past documents of other parts
			merge(out, first, before, n, &s.scratch)
		}
	}
	s.findBoth()
	n = s.override(out, first, n, least)
	out.Truncate(n)
	return dropped
}

// merge merges the documents of a batch from first to middle-1 with those from middle to n-1,
// both in ascending order. Documents in both stay next to each other.
func merge(out *batch, first, middle, n int, scratch *scored) {
	into, scores := out.Memory()
	if into[middle-1] < into[middle] {
		return
	}
	docs, sums := append(scratch.docs[:0], into[first:middle]...), append(scratch.sums[:0], scores[first:middle]...)
	at, j := first, middle
	for i, doc := range docs {
		for ; j < n && into[j] < doc; j++ {
			into[at], scores[at] = into[j], scores[j]
			at++
		}
		into[at], scores[at] = doc, sums[i]
		at++
	}
	scratch.docs, scratch.sums = docs, sums
}

// override replaces the scores of documents that several parts hold by their combined score,
// among those of a batch from first to n-1, and returns the new end.
func (s *sumStep) override(out *batch, first, n int, least float64) int {
	if len(s.both.docs) == 0 {
		return n
	}
	into, scores := out.Memory()
	docs, sums := append(s.scratch.docs[:0], into[first:n]...), append(s.scratch.sums[:0], scores[first:n]...)
	at, i := first, 0
	for j, doc := range s.both.docs {
		for ; i < len(docs) && docs[i] < doc; i++ {
			into[at], scores[at] = docs[i], sums[i]
			at++
		}
		for i < len(docs) && docs[i] == doc {
			i++
		}
		if score := s.both.readings[j].score; score > least {
			into[at], scores[at] = doc, score
			at++
		}
	}
	at += copy(into[at:], docs[i:])
	copy(scores[at-len(docs[i:]):], sums[i:])
	s.scratch.docs, s.scratch.sums = docs, sums
	return at
}
