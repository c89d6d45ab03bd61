package match

import (
	"context"

	"github.com/quiresearch/quire/internal/segment/postings"
)

// Counted matches: when the matches of a conjunction are counted before any is scored, the
// first of them are kept, so that the scan need not find them again. The scan treats them like
// the documents of a leading sparse set, and continues after them as if nothing had been
// counted.
//
// Example: "red" and "shoe" hold 6,000 and 8,000 documents, 400 of them the same. Counting
// these reads and intersects both once. The scan reads only the frequencies of the 400. If a
// thousand matches are enough and were counted by document 70,000, it starts to intersect
// there.

// maxCounted is how many matches are kept.
const maxCounted = 4096

// counted holds the matches of a conjunction before a document, in ascending order.
type counted struct {
	docs  []uint32
	whole int    // number of docs from blocks that were counted completely
	to    uint32 // docs contains all matches before it
	ended bool   // no more are kept
}

// start discards what was kept.
func (c *counted) start() { *c = counted{docs: c.docs[:0]} }

// add keeps the n matches that a join found among docs.
func (c *counted) add(docs []uint32, j *join, n int) {
	if c.ended = c.ended || len(c.docs)+n > maxCounted; c.ended {
		return
	}
	for i := range n {
		c.docs = append(c.docs, docs[j.found[i]])
	}
}

// addAll keeps matches.
func (c *counted) addAll(docs []uint32) {
	if c.ended = c.ended || len(c.docs)+len(docs) > maxCounted; !c.ended {
		c.docs = append(c.docs, docs...)
	}
}

// reach records that all matches before a document were counted.
func (c *counted) reach(to uint32) {
	if !c.ended {
		c.to, c.whole = to, len(c.docs)
	}
}

// finish shortens the list to end at a window, where a scan can continue.
func (c *counted) finish(documents uint32) {
	c.docs = c.docs[:c.whole]
	if c.to < documents {
		c.to &^= Span - 1
		c.docs = c.docs[:postings.LowerBound(c.docs, c.to)]
	}
}

// runCounted walks the counted matches of a range and returns where the scan continues: at the
// end of the range if the sink wants no more.
func (s *Scanner) runCounted(ctx context.Context, from, to uint32, sink Sink) (next uint32, err error) {
	kept := &s.scratch.counted
	c, ok := conjunctionOf(s.root)
	if !ok || c.lead == nil {
		return from, nil
	}
	list := conjunction{listed: kept.docs}
	for _, t := range append([]*termStep{c.lead}, c.others...) {
		if t.table != nil {
			list.others = append(list.others, t)
		}
	}
	end := min(to, kept.to)
	goesOn, err := s.walkList(ctx, list, from, end, sink)
	if !goesOn {
		return to, err
	}
	return end, err
}
