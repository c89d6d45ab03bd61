package match

import (
	"context"
	"math/bits"

	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/score"
)

// List values: a nested clause leads, and a nested scan, with any strategy, walks the values
// that match it. The sink of that scan folds the scores of the values of each document into one
// and looks up the document in the other parts of the conjunction. When the best value of a
// document counts (FoldMax), the threshold of documents, less what the other parts can add, is
// a threshold of values; with other folds, the scan visits all values.
//
// Example: the best value counts, the other parts add at most 1, the threshold is 5. Document 7
// has the values 4, 5 and 6, which score 2, 4.5 and 3: only the second exceeds 5 − 1, and the
// scan of values may skip the others. The document scores 4.5 and is looked up in the other
// parts.

// walkListValues walks the list values of the leading nested clause of a conjunction and looks
// up their documents in the other parts, if any. When the best value of a document counts,
// values that cannot lift it above the threshold are skipped.
func (s *Scanner) walkListValues(ctx context.Context, c conjunction, from, to uint32, sink Sink) error {
	f := c.fold
	v := &valueSink{scanner: s, c: c, fold: f.fold, sink: sink, bounds: make([]float64, len(c.others)), from: from, to: to}
	for _, t := range c.others {
		if t.table != nil {
			v.rest += t.maxScore
		}
	}
	for _, other := range c.folds {
		v.rest += other.bound(0, f.documents)
	}
	s.scratch.batch.Reset()
	inner := &Scanner{binder: s.binder, root: f.inner, mask: mask{documents: f.documents}, scratch: f.more, sums: f.more.window()}
	if f.domain != nil {
		inner.mask.domain = f.domain
	}
	err := inner.Run(ctx, firstValue(f.parents, from)&^(Span-1), min(f.documents, to), v)
	if err != nil {
		return err
	}
	s.skipped = s.skipped || inner.skipped
	if v.fold.open && !v.ended {
		v.close()
		v.flush()
	}
	return nil
}

// valueSink receives the list values that a scan finds and hands their documents to another
// sink.
type valueSink struct {
	scanner  *Scanner
	c        conjunction
	fold     folder
	sink     Sink
	bounds   []float64
	rest     float64 // upper bound of what the other parts add
	from, to uint32  // range of documents to report
	ended    bool
}

// Take receives the values of a window.
func (v *valueSink) Take(base uint32, matched *Bits, sums *Sums) bool {
	parents := v.c.fold.parents
	for i, w := range matched {
		for ; w != 0; w &= w - 1 {
			at := i<<6 + bits.TrailingZeros64(w)
			value := base + uint32(at)
			score := float64(float32(sums[at]))
			sums[at] = 0
			if v.fold.open && value < v.fold.parent {
				v.fold.add(score)
				continue
			}
			if v.fold.open {
				v.close()
			}
			v.fold.start(parents.Next(value), score)
		}
	}
	return v.flush()
}

// TakeDocs receives values.
func (v *valueSink) TakeDocs(values []uint32, scores []float32) bool {
	parents := v.c.fold.parents
	for i, value := range values {
		score := float64(scores[i])
		if v.fold.open && value < v.fold.parent {
			v.fold.add(score)
			continue
		}
		if v.fold.open {
			v.close()
		}
		v.fold.start(parents.Next(value), score)
	}
	return v.flush()
}

// close moves the open document to the batch, which has memory for one window; the values may
// come from several.
func (v *valueSink) close() {
	out := &v.scanner.scratch.batch
	doc, score := v.fold.parent, v.fold.end()
	if doc-v.from >= v.to-v.from || v.ended {
		return
	}
	out.Docs, out.Sums = append(out.Docs, doc), append(out.Sums, score)
	if n := len(out.Docs); n == Span || n == chunk && v.isNarrowed() {
		v.flush()
	}
}

func (v *valueSink) isNarrowed() bool {
	c := &v.c
	return len(c.others)+len(c.sets)+len(c.ranges)+len(c.values)+len(c.folds) > 0
}

// flush hands the documents of the batch that match the other parts to the sink. It reports
// whether the sink wants more.
func (v *valueSink) flush() bool {
	s := v.scanner
	out := &s.scratch.batch
	if len(out.Docs) == 0 || v.ended {
		return !v.ended
	}
	if v.isNarrowed() {
		v.narrow()
	}
	if len(out.Docs) > 0 && !out.send(&s.mask, v.sink) {
		s.skipped, v.ended = true, true
	}
	out.Reset()
	return !v.ended
}

func (v *valueSink) narrow() {
	s, c := v.scanner, v.c
	out := &s.scratch.batch
	threshold, rest := thresholdNow(v.sink), 0.0
	if threshold > 0 {
		rest = c.boundRest(v.bounds, out.Docs[0], out.Docs[len(out.Docs)-1]+1)
	}
	for _, set := range c.sets {
		out.keepIn(set)
	}
	for i, t := range c.others {
		if len(out.Docs) == 0 {
			return
		}
		rest = max(0, rest-v.bounds[i])
		if t.keepHeld(out, rest, threshold) {
			s.skipped = true
		}
	}
	s.scoreRest(c, threshold)
}

// Threshold returns the score that a value must exceed for its document to be a hit.
func (v *valueSink) Threshold() float64 {
	threshold := v.sink.Threshold()
	if threshold <= 0 || v.rest == 0 && v.fold.factor == 1 {
		return threshold
	}
	return (threshold - v.rest) / v.fold.factor / score.BoundSlack
}

// Prunes reports whether values may be left out, which requires that the best one decides.
func (v *valueSink) Prunes() bool { return v.fold.fold == plan.FoldMax && v.sink.Prunes() }

// SkipsWindow always returns false, as the document of a value may be in a later window.
func (v *valueSink) SkipsWindow(uint32) bool { return false }
