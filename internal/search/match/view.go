// Package match finds the documents that a plan matches and their scores, one segment at a
// time, in windows of 4,096 documents.
//
// A View is a snapshot as one search sees it. Prepare gathers the statistics that span segments
// (document frequencies, average field lengths); a Scanner then walks one segment. Every node
// of the plan becomes a step that fills a window: postings are decoded block by block, sets
// combine word by word, scores add up in an array. Nothing is called or allocated per document.
//
// When only the best hits are wanted, the sink raises its threshold as it fills, and blocks and
// windows whose bound does not exceed the threshold are skipped. Each scan walks its plan by
// one of the named strategies of strategy.go; testdata/strategies.txt shows the choice, what is
// skipped and the hits for small plans.
//
// Example: the two best of "canon camera", both required. The plan is an And of two terms, the
// strategy a block-max conjunction: "canon" is rarer and leads. Its first block is scored and
// looked up in "camera"; two documents reach 7.2 and 6.9, so the threshold is 6.9. The bound of
// the second block, 4.1, and that of "camera" in its range, 2.5, add up to 6.6: the block is
// not decoded.
//
// Invariants:
//
//	M1  A step matches the same documents however windows are skipped.
//	M2  A bound is never below a score under it.
//	M3  The score of a document does not depend on what was skipped.
//	M4  Deleted documents and list values never reach a sink of documents.
//
// Prepare belongs to one goroutine. After it, any number of Scanners may be made and run
// concurrently, each by one goroutine.
package match

import (
	"context"

	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/score"
	"github.com/quiresearch/quire/internal/segment/terms"
	"github.com/quiresearch/quire/internal/snapshot"
)

// View is a snapshot as one search sees it.
type View struct {
	Snapshot *snapshot.Snapshot
	caches   *Caches
	tables   *Tables
	search   uint64 // identifies the search in the caches
	terms    smallMap[termKey, *termStats]
	fields   smallMap[string, fieldStats]
	words    smallMap[*plan.Word, *wordStats]
	first    wordStats // storage of the first entry of words
	lists    map[plan.Node][]*List

	expansions smallMap[*plan.Expand, []*expansion] // by segment; made while gathering word statistics
	readings   map[expansionKey][][]terms.Entry     // without the terms of foreign
	foreign    smallMap[expandKey, [][]terms.Match] // by segment; see exchangeForms

	reading *plan.Word  // the word whose statistics are being gathered
	found   []nearTerms // terms near that word; see together.go
}

// Reset points the view at s and discards what was prepared. caches and tables may be nil.
func (v *View) Reset(s *snapshot.Snapshot, caches *Caches, tables *Tables) {
	if tables == nil {
		tables = NewTables()
	}
	*v = View{Snapshot: s, caches: caches, tables: tables}
	if caches != nil {
		v.search = caches.searches.Add(1)
	}
}

// lastTurn is the last of the 64 turns of a loop between two checks of stopped.
const lastTurn = 63

// stopped returns why a search must end, or nil. A loop passes its turn number; the context is
// checked only once every 64 turns.
func stopped(ctx context.Context, turn int) error {
	if turn&lastTurn != lastTurn {
		return nil
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	default:
		return nil
	}
}

type termKey struct{ structure, term string }

// termStats holds the statistics of a term over all segments. It is shared and never changes.
type termStats struct {
	holders uint64        // documents that hold the term
	entries []terms.Entry // by segment; DocFreq 0 where the term is absent
	one     [1]terms.Entry
}

func newTermStats(segments int) *termStats {
	s := &termStats{}
	if s.entries = s.one[:]; segments != 1 {
		s.entries = make([]terms.Entry, segments)
	}
	return s
}

// fieldStats holds the statistics of a Terms structure over all segments.
type fieldStats struct {
	documents uint64 // that have a term in the structure
	average   float64
}

// List holds documents of one segment in ascending order with their scores: the matches of a
// knn or fuse node.
type List struct {
	Docs   []uint32
	Scores []float32
}

// Resolve records what a knn or fuse node matched, by segment.
func (v *View) Resolve(n plan.Node, lists []*List) {
	if v.lists == nil {
		v.lists = map[plan.Node][]*List{}
	}
	v.lists[n] = lists
}

// Resolved reports whether Resolve was called for the node.
func (v *View) Resolved(n plan.Node) bool { return v.lists[n] != nil }

// Prepare gathers the statistics that the scores of a plan need. It must run before a Scanner
// of the plan is made.
func (v *View) Prepare(ctx context.Context, n plan.Node) error {
	switch n := n.(type) {
	case nil:
		return nil
	case *plan.Term:
		v.field(n.Structure)
		v.term(n.Structure, n.Text)
	case *plan.Word:
		for i := range n.Bands {
			for _, in := range n.Bands[i].In {
				if in.Prefix != nil {
					v.term(in.Prefix.Structure, in.Prefix.Text)
				}
			}
		}
		_, err := v.word(ctx, n)
		return err
	case *plan.Pair:
		for _, word := range []*plan.Word{n.First, n.Second} {
			if _, err := v.word(ctx, word); err != nil {
				return err
			}
		}
		return nil
	case *plan.Expand:
		return v.exchangeForms(ctx, n)
	case *plan.Phrase:
		v.field(n.Structure)
		for _, w := range n.Words {
			for _, t := range w.Terms {
				v.term(n.Structure, t)
			}
			if w.Prefix {
				if err := v.exchangeForms(ctx, phraseStart(n, &w)); err != nil {
					return err
				}
			}
		}
	}
	for _, child := range plan.Children(n) {
		if err := v.Prepare(ctx, child); err != nil {
			return err
		}
	}
	return nil
}

func (v *View) term(structure, text string) *termStats {
	key := termKey{structure, text}
	if s, ok := v.terms.get(key); ok {
		return s
	}
	s := v.caches.term(v.Snapshot, key)
	if s == nil {
		s = newTermStats(len(v.Snapshot.Segments))
		for i, seg := range v.Snapshot.Segments {
			if field := seg.Reader.Terms(structure); field != nil {
				if e, ok := field.Lookup([]byte(text)); ok {
					s.entries[i] = e
					s.holders += uint64(e.DocFreq)
				}
			}
		}
		v.caches.keepTerm(v.Snapshot, key, s)
	}
	v.terms.put(key, s)
	return s
}

func (v *View) field(structure string) fieldStats {
	if s, ok := v.fields.get(structure); ok {
		return s
	}
	var s fieldStats
	var length uint64
	for _, seg := range v.Snapshot.Segments {
		if field := seg.Reader.Terms(structure); field != nil {
			stats := field.Stats()
			s.documents += uint64(stats.Docs)
			length += stats.SumLength
		}
	}
	if s.documents > 0 {
		s.average = float64(length) / float64(s.documents)
	}
	v.fields.put(structure, s)
	return s
}

// preparedTerm, preparedField and preparedWord only read, since many goroutines make Scanners
// from what was prepared.
func (v *View) preparedTerm(structure, text string) *termStats {
	s, _ := v.terms.get(termKey{structure, text})
	return s
}

func (v *View) preparedField(structure string) fieldStats {
	s, _ := v.fields.get(structure)
	return s
}

func (v *View) preparedWord(n *plan.Word) *wordStats {
	s, _ := v.words.get(n)
	return s
}

func (v *View) idf(structure, text string) float64 {
	return score.IDF(v.preparedTerm(structure, text).holders, v.preparedField(structure).documents)
}

// table returns the table that turns occurrences in a field into scores.
func (v *View) table(structure string, form score.Form) *score.Table {
	return v.tables.get(v.preparedField(structure).average, form)
}

// tableOf is table for a word or phrase in one field.
func (v *View) tableOf(structure string, s *plan.Scoring) *score.Table {
	form := score.Form{Length: s.Length, Words: s.Words}
	if s.Once {
		form.Words = 0
	}
	return v.table(structure, form)
}
