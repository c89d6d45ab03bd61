package collect

import (
	"math/bits"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/search/match"
	"github.com/quiresearch/quire/internal/segment"
)

// expander receives the documents of a segment and turns their matching list values into hits.
// It only searches the values of matching documents, one window at a time, as soon as their
// documents are known.
type expander struct {
	piece   *piece
	reader  *segment.Reader
	values  *match.Scanner
	expands *bitset.Bitset // the others are hits themselves; nil: all expand
	prunes  bool           // a value has the score of its document

	documents int       // number of matching documents
	docs      []uint32  // matching documents not yet taken
	scores    []float32 // of docs
	matched   valueSink // matching values of docs and of the document that comes next
	at        int       // index of the next entry of matched
	foundTo   uint32    // start of the first window whose values were not searched
}

// Take receives the documents of a window.
func (e *expander) Take(base uint32, matched *match.Bits, sums *match.Sums) bool {
	for i, w := range matched {
		for ; w != 0; w &= w - 1 {
			at := uint32(i<<6 + bits.TrailingZeros64(w))
			score := float32(0)
			if sums != nil {
				score = float32(sums[at])
				sums[at] = 0
			}
			e.add(base+at, score)
		}
	}
	return e.advance(base + match.Span)
}

// TakeDocs receives documents; more documents of the last one's window may follow.
func (e *expander) TakeDocs(docs []uint32, scores []float32) bool {
	for i, doc := range docs {
		e.add(doc, scores[i])
	}
	if len(docs) == 0 {
		return true
	}
	return e.advance(docs[len(docs)-1] &^ (match.Span - 1))
}

func (e *expander) add(doc uint32, score float32) {
	if e.piece.signals != nil {
		score = e.piece.signals.apply(doc, score)
	}
	e.docs, e.scores = append(e.docs, doc), append(e.scores, score)
	e.documents++
}

// Prunes reports whether enough matches were counted.
func (e *expander) Prunes() bool { return e.prunes && e.piece.of.prunes() }

// Threshold returns the score that a document must exceed, before signals.
func (e *expander) Threshold() float64 {
	if !e.prunes {
		return -1
	}
	return e.piece.Threshold()
}

// SkipsWindow returns false: orders by columns of values rule out no documents.
func (e *expander) SkipsWindow(uint32) bool { return false }

// advance takes the documents before known, as no more of these will come. It reports whether
// anything that follows can be a hit.
func (e *expander) advance(known uint32) bool {
	p := e.piece
	taken, done := 0, 0
	for done < len(e.docs) && e.docs[done] < known {
		doc, score := e.docs[done], e.scores[done]
		done++
		if e.stays(doc) {
			e.offer(doc, score)
			taken++
			continue
		}
		first, last := e.block(doc)
		e.findValues(first, last, e.docs[done-1:], known)
		for ; e.at < len(e.matched.docs) && e.matched.docs[e.at] < last; e.at++ {
			if value := e.matched.docs[e.at]; value >= first {
				e.offer(value, score+e.matched.scores[e.at])
				taken++
			}
		}
	}
	e.docs = e.docs[:copy(e.docs, e.docs[done:])]
	e.scores = e.scores[:copy(e.scores, e.scores[done:])]
	p.count(taken, known)
	switch {
	case !e.prunes:
		return true
	case p.ranker == nil:
		return !p.of.prunes()
	}
	if p.ranker.byScoreAlone && p.ranker.isFull() {
		p.of.raise(p.ranker.worstScore(), p.order)
	}
	return !p.isDecided()
}

// findValues finds the matching values from first to last-1, and with them those of the other
// documents in the same windows. If the document of the last values of a window has not come
// yet, it includes these values.
func (e *expander) findValues(first, last uint32, docs []uint32, known uint32) {
	parents := e.reader.Parents()
	for first < last && e.foundTo < last {
		base := max(e.foundTo, first) &^ (match.Span - 1)
		var among match.Bits
		for _, doc := range docs {
			from, to := e.block(doc)
			if from >= base+match.Span {
				break
			}
			if to > base && !e.stays(doc) {
				among.Fill(max(from, base)-base, min(to, base+match.Span)-base)
			}
		}
		if next := base + match.Span; next < e.reader.NumDocs() && parents.Next(next) >= known {
			from, _ := e.block(next)
			among.Fill(max(from, base)-base, match.Span)
		}
		e.matched.drop(e.at)
		e.at = 0
		e.values.RunWindow(base, &among, &e.matched)
		e.foundTo = base + match.Span
	}
}

// stays reports whether a document is itself a hit.
func (e *expander) stays(doc uint32) bool { return e.expands != nil && !e.expands.Get(doc) }

// block returns the range of the values of a document, which directly precede it. For a value,
// it returns the preceding values of the same document.
func (e *expander) block(doc uint32) (first, last uint32) {
	parents := e.reader.Parents()
	if parents == nil || doc == 0 {
		return doc, doc
	}
	return uint32(parents.Previous(doc-1) + 1), doc
}

// offer ranks one hit.
func (e *expander) offer(doc uint32, score float32) {
	if e.piece.set != nil {
		e.piece.set.addOne(doc)
	}
	if e.piece.ranker != nil {
		e.piece.ranker.offer(doc, score)
	}
}
