package match

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// The best documents of one word are among those that hold it as typed and among the champions
// of its other readings (see champions.go). The score that k of them reach is a threshold
// before the scan starts. If no document left out exceeds it, the scan hands over only the
// champions above it, in between the blocks of the word as typed.
//
// Example: the best two of "win", which is also the start of "window". The documents 3 (score
// 4.1) and 9 (3.0) hold it as typed; its starts have the champions 5 (3.6) and 9 (3.2) and
// nothing else above 3.0. Two documents reach 3.6: 3 and 5. Document 9 has the better of its
// two scores, 3.2, which is below.

// candidates holds the documents of a word that may be hits.
type candidates struct {
	docs    []candidate
	typed   *termStep // as typed, if walked by blocks; nil when its documents are candidates
	reached float32   // a score that as many documents reach as hits are wanted; 0 when fewer match
	isAll   bool      // no other document is a hit

	highest []float32 // best scores so far, in descending order; at most as many as hits are wanted
}

// candidate is a document of a reading; each document occurs once. If the word as typed is
// walked by blocks, a candidate that also holds it may score more there.
type candidate struct {
	doc   uint32
	score float32
}

// find gathers the candidates of a word for the k best hits. It returns false when the word
// cannot be searched this way. If reached remains 0, fewer than k documents match and all are
// candidates.
func (c *candidates) find(s *Scanner, w *wordStep, k int) bool {
	c.docs, c.highest, c.typed, c.reached = c.docs[:0], c.highest[:0], nil, 0
	if k > championCount || k == 0 || s.mask.domain != nil || !c.findTyped(s, w, k) {
		return false
	}
	c.isAll = true
	if w.start != nil && !c.findBand(s, w, -1, k) {
		return false
	}
	for i := range w.bands {
		if !c.findBand(s, w, i, k) {
			return false
		}
	}
	return c.reached > 0 || c.typed == nil && len(c.highest) < k
}

// findTyped adds the documents of the word as typed, or raises reached to a score that k of
// them reach.
func (c *candidates) findTyped(s *Scanner, w *wordStep, k int) bool {
	if _, never := w.whole.(noStep); never {
		return true
	}
	t, ok := w.whole.(*termStep)
	if !ok || t.table == nil || t.once || len(t.lengths) == 0 {
		return false
	}
	if t.cost() > championCount {
		c.typed = t
		if s.mask.isFull() {
			c.reached = t.reached(k)
		}
		return true
	}
	all := s.binder.newTerm(t.field, t.entry)
	it := all.finder()
	for open := all.opened[0]; open; open = it.NextBlock() {
		freqs := it.Freqs()
		for i, doc := range it.Docs() {
			if s.mask.has(doc) {
				c.add(doc, t.scoreAt(doc, freqs[i]), k)
			}
		}
	}
	return true
}

// findBand adds the champions of a band; number -1 stands for the start of longer words. It
// returns false when other documents may be among the hits.
func (c *candidates) findBand(s *Scanner, w *wordStep, number, k int) bool {
	b := w.start
	if number >= 0 {
		b = w.bands[number]
	}
	if !b.isPlain() || b.fields[0].near == nil {
		return false
	}
	if float32(b.top) < c.reached {
		return true // none of its documents is a hit
	}
	f := &b.fields[0]
	list := f.near.champions(f.field, f.distance, b.isFlat, s.mask.documents)
	var nearer Bits // indexes of champions that a nearer reading scores
	if number >= 0 && !c.findNearer(s, w, number, list.docs, &nearer) {
		return false
	}
	before := len(c.docs)
	code, score, equals := -1, float32(0), 0
	for i := range list.docs {
		place, next := list.at(i)
		if int(next) != code {
			code, equals = int(next), 0
			if score = float32(b.value(next)); score < c.reached {
				break // the rest score less too
			}
		}
		if equals == k && list.codes == nil {
			break // the rest have the same score
		}
		doc := list.docs[place]
		if equals == k || nearer.Has(uint32(place)) || !s.mask.has(doc) {
			continue // k documents of the same score rank before it, or it is not a hit of the band
		}
		equals++
		if number < 0 && c.raise(before, doc, score) {
			continue
		}
		c.add(doc, score, k)
	}
	return c.dominates(b, list.rest, c.docs[before:], k)
}

// raise gives a document the better score if it is among the first n candidates, which are in
// ascending order. It reports whether it is.
func (c *candidates) raise(n int, doc uint32, score float32) bool {
	at, ok := slices.BinarySearchFunc(c.docs[:n], doc, func(d candidate, doc uint32) int { return cmp.Compare(d.doc, doc) })
	if ok {
		c.docs[at].score = max(c.docs[at].score, score)
	}
	return ok
}

// dominates reports whether the documents of a band that are not champions rank after k others.
// Those as long as the longest champions rank after these, which have lower numbers.
func (c *candidates) dominates(b *band, rest int, champions []candidate, k int) bool {
	if rest == noRest {
		return true
	}
	score := float32(b.value(byte(rest)))
	if score != c.reached {
		return score < c.reached
	}
	if !b.isFlat && (rest > 0 && float32(b.value(byte(rest-1))) == score || rest < noRest-1 && float32(b.value(byte(rest+1))) == score) {
		return false // other lengths score the same, in any order
	}
	equals := 0
	for _, d := range champions {
		if d.score == score {
			equals++
		}
	}
	return equals >= k
}

// findNearer marks the indexes of those docs, in ascending order, that hold the word as typed,
// as a start, or in one of the first number bands. It returns false when it cannot tell.
func (c *candidates) findNearer(s *Scanner, w *wordStep, number int, docs []uint32, nearer *Bits) bool {
	mark := func(holds step) bool {
		switch holds := holds.(type) {
		case noStep:
		case setStep:
			for i, doc := range docs {
				if holds.set.Has(doc) {
					nearer.Set(uint32(i))
				}
			}
		case *termStep:
			t := s.binder.newTerm(holds.field, holds.entry)
			it := t.finder()
			for i, doc := range docs {
				if !t.opened[0] {
					break
				}
				if at, _ := it.Seek(doc); at == doc {
					nearer.Set(uint32(i))
				}
			}
		default:
			return false
		}
		return true
	}
	if !mark(w.whole) {
		return false
	}
	if w.start != nil && !mark(w.start.fields[0].find[0]) {
		return false
	}
	for _, b := range w.bands[:number] {
		if !mark(b.fields[0].find[0]) {
			return false
		}
	}
	return true
}

// add adds a document and updates reached.
func (c *candidates) add(doc uint32, score float32, k int) {
	c.docs = append(c.docs, candidate{doc, score})
	if len(c.highest) == k && score <= c.highest[k-1] {
		return
	}
	if len(c.highest) < k {
		c.highest = append(c.highest, score)
	}
	at := len(c.highest) - 1
	for ; at > 0 && c.highest[at-1] < score; at-- {
		c.highest[at] = c.highest[at-1]
	}
	if c.highest[at] = score; len(c.highest) == k {
		c.reached = max(c.reached, c.highest[k-1])
	}
}

// suffice reports whether all documents that may exceed a threshold are candidates.
func (c *candidates) suffice(threshold float64) bool {
	return c.isAll && (c.reached == 0 || threshold >= float64(math.Nextafter32(c.reached, 0)))
}

// sorted drops the candidates that do not exceed a threshold and sorts the others.
func (c *candidates) sorted(threshold float64) []candidate {
	kept := c.docs[:0]
	for _, d := range c.docs {
		if float64(d.score) > threshold {
			kept = append(kept, d)
		}
	}
	slices.SortFunc(kept, func(a, b candidate) int { return cmp.Compare(a.doc, b.doc) })
	return kept
}

// isFoundFor reports whether all documents that a sink may want are candidates.
func (s *Scanner) isFoundFor(sink Sink) bool {
	return s.isFound && sink.Prunes() && s.scratch.found.suffice(sink.Threshold())
}

// walkCandidates hands over the candidates of a word.
func (s *Scanner) walkCandidates(ctx context.Context, c *candidates, from, to uint32, sink Sink) error {
	s.skipped = true
	found := c.sorted(sink.Threshold())
	if c.typed != nil {
		return s.walkTerm(ctx, c.typed, found, from, to, sink)
	}
	out := &s.scratch.batch
	out.Reset()
	out.addCandidates(found, NoMore)
	if len(out.Docs) > 0 {
		out.sendWithin(&s.mask, from, to, sink)
	}
	return nil
}

// addCandidates merges the candidates up to a document into a batch and returns the rest.
func (b *batch) addCandidates(found []candidate, last uint32) []candidate {
	n := 0
	for n < len(found) && found[n].doc <= last {
		n++
	}
	// Merge from the back, so that nothing is overwritten.
	i, j := len(b.Docs)-1, n-1
	docs, sums := b.Memory()
	docs, sums = docs[:len(b.Docs)+n], sums[:len(b.Docs)+n]
	at := len(docs) - 1
	for ; j >= 0; at-- {
		switch {
		case i >= 0 && docs[i] > found[j].doc:
			docs[at], sums[at] = docs[i], sums[i]
			i--
		case i >= 0 && docs[i] == found[j].doc:
			docs[at], sums[at] = docs[i], max(sums[i], float64(found[j].score))
			i, j = i-1, j-1
		default:
			docs[at], sums[at] = found[j].doc, float64(found[j].score)
			j--
		}
	}
	// Documents in both leave a gap before those that moved.
	if gap := at - i; gap > 0 {
		copy(docs[i+1:], docs[at+1:])
		copy(sums[i+1:], sums[at+1:])
		docs, sums = docs[:len(docs)-gap], sums[:len(sums)-gap]
	}
	b.Docs, b.Sums = docs, sums
	return found[n:]
}
