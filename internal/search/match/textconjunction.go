package match

import (
	"context"

	"github.com/quiresearch/quire/internal/search/score"
)

// Text conjunction: all words of a text are required, and words have several fields. The rarest
// word leads by ranges in which each of its fields stays within one block (see sumblocks.go),
// so that a range has one bound per field; the other words are looked up. It is the block-max
// conjunction of conjunction.go with a sum over fields in place of each term.
//
// Example: "canon" leads, threshold 6. Between the documents 0 and 600 its title and body
// blocks bound it by 3.2 and "camera" by 2.5: 5.7 ≤ 6, the range is skipped. Between 600 and
// 900 they are bounded by 4.1 and 2.5: documents that score more than 3.5 by "canon" are looked
// up in "camera".

// wideRange is the longest range of documents for which asking a word for its bound pays; for
// longer ones its maximum score is good enough.
const wideRange = 4 * Span

// byBlocks returns the words of a text as parts, the rarest first, if all are required and they
// can be walked by the blocks of the rarest; otherwise nil.
func (t *text) byBlocks() []textPart {
	if !t.required || len(t.narrow) > 0 {
		return nil
	}
	for _, c := range t.extras {
		if _, ok := c.(*pairStep); !ok {
			return nil
		}
	}
	var parts []textPart
	for _, c := range t.words {
		p := newPart(c.step, wholeWord, c.maxScore)
		if p.term == nil && p.sum == nil {
			return nil
		}
		parts = append(parts, p)
	}
	if lead := parts[0].sum; lead == nil || len(lead.parts) > maxLeadParts {
		return nil
	}
	return parts
}

// walkTextConjunction walks a conjunction of words of several fields by the blocks of the
// rarest, whose documents are looked up in the others. It skips ranges whose bound, with the
// bounds of the others, does not exceed the threshold.
func (s *Scanner) walkTextConjunction(ctx context.Context, t *text, words []textPart, from, to uint32, sink Sink) error {
	done := ctx.Done()
	lead, others := words[0].sum, words[1:]
	out := &s.scratch.batch
	bounds := make([]float64, len(others))
	for from < to {
		if err := canceled(ctx, done); err != nil {
			return err
		}
		if from = max(from, lead.next(from)); from >= to {
			return nil
		}
		threshold, rest := thresholdNow(sink), 0.0
		end, occurrences := lead.nextRange(from, to, threshold > 0)
		if threshold > 0 {
			rest = t.boundOthers(others, bounds, from, end)
			if occurrences == 0 || lead.curve.at(occurrences, 1)*score.BoundSlack+rest <= threshold {
				s.passOver()
				from = end
				continue
			}
		}
		out.Reset()
		if lead.leadRange(out, from, end, threshold-rest) {
			s.skipped = true
		}
		for i := range others {
			if len(out.Docs) == 0 {
				break
			}
			rest = max(0, rest-bounds[i])
			s.addHeld(&others[i], from, end, rest, threshold, true)
		}
		for _, c := range t.extras {
			if len(out.Docs) > 0 {
				c.(*pairStep).addHeld(out)
			}
		}
		if len(out.Docs) > 0 && !out.send(&s.mask, sink) {
			s.skipped = true
			return nil
		}
		from = end
	}
	return nil
}

// boundOthers bounds what the other words and the extras add in a range, and sets bounds to the
// part of each word.
func (t *text) boundOthers(others []textPart, bounds []float64, from, to uint32) float64 {
	total := 0.0
	for i := range others {
		bounds[i] = others[i].bound // its maximum score
		if to-from <= wideRange {
			bounds[i] = others[i].step.bound(from, to)
		}
		total += bounds[i]
	}
	if to-from > wideRange {
		return total + t.most
	}
	for _, c := range t.extras {
		total += c.bound(from, to)
	}
	return total
}
