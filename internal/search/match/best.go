package match

import (
	"context"

	"github.com/quiresearch/quire/internal/search/score"
	"github.com/quiresearch/quire/internal/segment/postings"
)

// batchRoom is the documents of a window, and of blocks that reach out of it or
// hold documents of others.
const batchRoom = Span + maxLeadParts*postings.BlockSize

// batch is documents with their scores on the way to a sink: those of one
// window, or of one block.
type batch struct {
	docs   []uint32
	sums   []float64
	scores []float32

	docsRoom   [batchRoom]uint32
	sumsRoom   [batchRoom]float64
	scoresRoom [batchRoom]float32

	join join // of the documents and a term
}

func (b *batch) reset() { b.docs, b.sums = b.docsRoom[:0], b.sumsRoom[:0] }

// send hands the batch over without what the mask keeps out.
func (b *batch) send(m *mask, sink Sink) bool {
	b.scores = b.scoresRoom[:0]
	kept := 0
	for i, doc := range b.docs {
		if !m.has(doc) {
			continue
		}
		b.docs[kept] = doc
		b.scores = append(b.scores, float32(b.sums[i]))
		kept++
	}
	b.docs = b.docs[:kept]
	return kept == 0 || sink.TakeDocs(b.docs, b.scores)
}

func (m *mask) has(doc uint32) bool {
	if m.live != nil && m.live[doc>>6]>>(doc&63)&1 == 0 {
		return false
	}
	return m.parents == nil || m.parents[doc>>6]>>(doc&63)&1 != 0
}

// bestOfTerm walks one term block by block and decodes those blocks alone
// whose bound exceeds the floor. Documents of other readings are handed over
// between them; of those that hold the term too the better score counts.
func (s *Scanner) bestOfTerm(ctx context.Context, t *termStep, others []candidate, from, to uint32, sink Sink) error {
	it, table := &t.grade, t.table
	done := ctx.Done()
	out := &s.room.batch
	turn := -1
	for open := t.opened[1] && it.SeekBlock(from); open && it.FirstDoc() < to; {
		if turn++; turn%postings.GroupSize == 0 {
			select {
			case <-done:
				return context.Cause(ctx)
			default:
			}
		}
		floor := float32(sink.Floor())
		if floor > 0 {
			if it.Block()%postings.GroupSize == 0 {
				if score.Raise(t.weight*it.GroupMax(table)) <= floor {
					s.skipped = true
					open = it.SeekBlock(it.GroupLastDoc() + 1)
					continue
				}
			}
			if score.Raise(t.weight*it.BlockMax(table)) <= floor {
				s.skipped = true
				open = it.NextBlock()
				continue
			}
		}
		out.reset()
		docs := it.Docs()
		t.gradeInto(out, docs, it.Freqs(), floor)
		s.skipped = s.skipped || len(out.docs) < len(docs)
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
		out.reset()
		out.addCandidates(others, NoMore)
		out.sendWithin(&s.mask, from, to, sink)
	}
	return nil
}

// walkTerm hands the documents of a rare term over that does not score, block
// by block.
func (s *Scanner) walkTerm(ctx context.Context, t *termStep, from, to uint32, sink Sink) error {
	done := ctx.Done()
	it, out := t.finder(), &s.room.batch
	for open := t.opened[0] && it.SeekBlock(from); open && it.FirstDoc() < to; open = it.NextBlock() {
		select {
		case <-done:
			return context.Cause(ctx)
		default:
		}
		out.reset()
		out.docs = append(out.docs, it.Docs()...)
		out.sums = out.sumsRoom[:len(out.docs)]
		clear(out.sums)
		if !out.sendWithin(&s.mask, from, to, sink) {
			s.skipped = true
			return nil
		}
	}
	return nil
}

// gradeInto scores documents and appends those above the floor.
func (s *termStep) gradeInto(out *batch, docs, freqs []uint32, floor float32) {
	n := len(out.docs)
	to, sums := out.docsRoom[:], out.sumsRoom[:]
	freqs = freqs[:len(docs)]
	if s.once || len(s.lengths) == 0 {
		for i, doc := range docs {
			if v := s.scoreAt(doc, freqs[i]); v > floor {
				to[n], sums[n] = doc, float64(v)
				n++
			}
		}
	} else {
		n = s.table.Grade(s.weight, docs, freqs, s.lengths, floor, to, sums, n)
	}
	out.docs, out.sums = to[:n], sums[:n]
}

// sendWithin is send for a batch that may reach beyond the range asked for.
func (b *batch) sendWithin(m *mask, from, to uint32, sink Sink) bool {
	first, last := 0, len(b.docs)
	for first < last && b.docs[first] < from {
		first++
	}
	for last > first && b.docs[last-1] >= to {
		last--
	}
	b.docs, b.sums = b.docs[first:last], b.sums[first:last]
	return b.send(m, sink)
}
