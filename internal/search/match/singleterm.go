package match

import (
	"context"

	"github.com/quiresearch/quire/internal/search/match/window"
	"github.com/quiresearch/quire/internal/search/score"
	"github.com/quiresearch/quire/internal/segment/postings"
)

// Single term: block-max pruning of one postings list (Ding, Suel: Faster top-k document
// retrieval using block-max indexes, SIGIR 2011). Every block of the postings, and every group
// of blocks, stores the highest (frequency, length) pairs of its documents; their scores bound
// the block. Blocks whose bound does not exceed the threshold are not decoded; such groups are
// skipped as a whole.
//
// Example: the best two of a term with four blocks in two groups, bounded by 5, 3 | 2, 2.
//
//	block 1   decoded: documents 3 (4.8) and 7 (2.5) set the threshold to 2.5
//	block 2   bound 3 exceeds 2.5: decoded, document 150 scores 2.9, threshold 2.9
//	group 2   bound 2 does not: both blocks are skipped with one comparison
//
// The hits are 3 and 150. A term that does not score has no bounds: its blocks are handed over
// as they are.

// walkTerm walks one term block by block and decodes only blocks whose bound exceeds the
// threshold. In between, it hands over the documents of other readings; for documents that also
// hold the term, the better score counts.
func (s *Scanner) walkTerm(ctx context.Context, t *termStep, others []candidate, from, to uint32, sink Sink) error {
	it, table := &t.scorer, t.table
	done := ctx.Done()
	out := &s.scratch.batch
	turn := -1
	for open := t.opened[1] && it.SeekBlock(from); open && it.FirstDoc() < to; {
		if turn++; turn%postings.GroupSize == 0 {
			if err := canceled(ctx, done); err != nil {
				return err
			}
		}
		threshold := float32(sink.Threshold())
		if threshold > 0 {
			if it.Block()%postings.GroupSize == 0 {
				if score.Raise(t.weight*it.GroupMax(table)) <= threshold {
					s.passOver()
					open = it.SeekBlock(it.GroupLastDoc() + 1)
					continue
				}
			}
			if score.Raise(t.weight*it.BlockMax(table)) <= threshold {
				s.passOver()
				open = it.NextBlock()
				continue
			}
		}
		out.Reset()
		docs := it.Docs()
		t.scoreInto(out, docs, it.Freqs(), threshold)
		s.skipped = s.skipped || len(out.Docs) < len(docs)
		if len(others) > 0 {
			others = out.addCandidates(others, it.LastDoc())
		}
		if !out.sendWithin(&s.mask, from, to, sink) {
			s.skipped = true
			return nil
		}
		open = it.NextBlock()
	}
	if len(others) > 0 {
		out.Reset()
		out.addCandidates(others, NoMore)
		out.sendWithin(&s.mask, from, to, sink)
	}
	return nil
}

// walkUnscored hands over the documents of a rare term that does not score, block by block.
func (s *Scanner) walkUnscored(ctx context.Context, t *termStep, from, to uint32, sink Sink) error {
	done := ctx.Done()
	it, out := t.finder(), &s.scratch.batch
	for open := t.opened[0] && it.SeekBlock(from); open && it.FirstDoc() < to; open = it.NextBlock() {
		if err := canceled(ctx, done); err != nil {
			return err
		}
		out.Fill(it.Docs())
		if !out.sendWithin(&s.mask, from, to, sink) {
			s.skipped = true
			return nil
		}
	}
	return nil
}

// scoreInto scores documents and appends those above the threshold.
func (s *termStep) scoreInto(out *batch, docs, freqs []uint32, threshold float32) {
	s.appendAbove(&out.Batch, docs, freqs, threshold)
}

// appendAbove is scoreInto for a batch that is not on its way to a sink.
func (s *termStep) appendAbove(out *window.Batch, docs, freqs []uint32, threshold float32) {
	n := len(out.Docs)
	to, sums := out.Memory()
	freqs = freqs[:len(docs)]
	if s.once || len(s.lengths) == 0 {
		for i, doc := range docs {
			if v := s.scoreAt(doc, freqs[i]); v > threshold {
				to[n], sums[n] = doc, float64(v)
				n++
			}
		}
	} else {
		n += s.table.ScoreAbove(&score.Postings{Docs: docs, Frequencies: freqs, Lengths: s.lengths}, s.weight, threshold, to[n:], sums[n:])
	}
	out.Truncate(n)
}
