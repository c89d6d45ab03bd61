package search

import (
	"context"
	"fmt"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/search/highlight"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// answer reads the documents of the page and assembles the answer.
func (s *execution) answer(ctx context.Context, f *found) (*query.Answer, error) {
	a := &query.Answer{
		Total: f.total, Documents: f.documents, Facets: f.facets, Page: f.page,
		Relaxed: s.report(), Interpreted: s.typed.Interpreted,
		Generation: s.view.Generation, Freshness: s.view.Freshness,
	}
	w := s.newHitWriter()
	defer w.close()
	w.extra = sizeOf(a)
	if err := w.checkSize(); err != nil {
		return nil, err
	}
	if len(f.hits) == 0 {
		return a, nil
	}
	if err := w.matchValues(ctx, f.hits); err != nil {
		return nil, err
	}
	missing, err := s.missingOf(ctx, f.hits)
	if err != nil {
		return nil, err
	}
	a.Hits = make([]query.Hit, len(f.hits))
	for i := range f.hits {
		if i%prefetchedHits == 0 {
			w.prefetch(f.hits[i:min(i+prefetchedHits, len(f.hits))])
		}
		if err := ctx.Err(); err != nil {
			return nil, err // the client is gone or the time is up
		}
		if err := w.write(&a.Hits[i], &f.hits[i], i); err != nil {
			return nil, err
		}
		if err := w.checkSize(); err != nil {
			return nil, err
		}
		a.Hits[i].HasScore = f.hasScore
		a.Hits[i].Score = f.hits[i].score
		if missing != nil {
			a.Hits[i].Missing = &query.MissingWords{Words: missing[i]}
		}
	}
	w.finish(a.Hits)
	return a, nil
}

// missingOf returns, for each hit, the words of the text that it lacks. It returns
// nil unless the query was relaxed to the documents that hold the most words.
func (s *execution) missingOf(ctx context.Context, hits []hit) ([][]string, error) {
	if !s.relaxed.IsCovered() || len(hits) == 0 {
		return nil, nil
	}
	documents := make([]uint32, len(hits))
	for i := range hits {
		documents[i] = hits[i].document()
	}
	return s.relaxed.Missing(ctx, s.collect, documents)
}

// hitWriter turns collected hits into the hits of an answer.
type hitWriter struct {
	execution  *execution
	documents  document.Projection
	values     document.Projection // of value hits
	list       *definition.ResolvedField
	matched    []matchedList
	terms      map[string]*highlight.Terms
	highlights []highlightField
	buffer     *analysis.Buffer // for highlighting
	scratch    *answerScratch
	opened     openedRecord // the last one
	extra      int64        // size in bytes of the answer apart from documents, values and keys
}

// checkSize rejects an answer that exceeds MaxAnswerSize: every value hit on a page
// repeats its whole document.
func (w *hitWriter) checkSize() error {
	most := w.execution.searcher.options.MaxAnswerSize
	if size := w.extra + int64(len(w.scratch.text)+len(w.scratch.keys)); most > 0 && size > most {
		return problem.SearchAnswerTooLarge.New("limit", most)
	}
	return nil
}

// sizeOf returns the approximate size in bytes of an answer without its hits.
func sizeOf(a *query.Answer) int64 {
	size := int64(0)
	var values func(list []query.FacetValue)
	values = func(list []query.FacetValue) {
		for i := range list {
			size += int64(len(list[i].Value) + len(list[i].Path) + len(list[i].Label) + 32)
			values(list[i].Values)
		}
	}
	for i := range a.Facets {
		values(a.Facets[i].Values)
	}
	if a.Interpreted != nil {
		for i := range a.Interpreted.Filters {
			size += int64(len(a.Interpreted.Filters[i].When) + len(a.Interpreted.Filters[i].Fallback) + 64)
		}
	}
	return size
}

// openedRecord is the stored record of a document.
type openedRecord struct {
	segment *snapshot.Segment // nil: none
	doc     uint32
	record  document.Record
}

// answerScratch is reused memory. The texts of an answer are appended to it one
// after another and then copied into the answer in one piece each.
type answerScratch struct {
	record []byte
	text   []byte // of documents and values
	keys   []byte
	ends   []hitEnds
}

// hitEnds holds the offsets at which the texts of one hit end. Each text begins
// where that of the previous hit ends; an absent text is empty.
type hitEnds struct {
	document, value, key int
	hasValue             bool
}

// finish sets the texts of hits from the scratch memory.
func (w *hitWriter) finish(hits []query.Hit) {
	s := w.scratch
	text, keys := s.text, string(s.keys)
	if cap(text) > maxScratch {
		s.text = nil // too large to reuse: the answer takes it over
	} else {
		text = append([]byte{}, text...)
	}
	at, keyAt := 0, 0
	for i, end := range s.ends {
		hits[i].Document = text[at:end.document:end.document]
		if end.hasValue {
			hits[i].Value = text[end.document:end.value:end.value]
		}
		hits[i].ID = keys[keyAt:end.key]
		at, keyAt = end.value, end.key
	}
}

// matchedList is one nested list whose matched values are shown.
type matchedList struct {
	request    *query.MatchedField
	list       *definition.ResolvedField
	projection document.Projection
	items      [][]uint32 // per hit
}

func (s *execution) newHitWriter() *hitWriter {
	r := s.request
	w := &s.writer
	*w = hitWriter{execution: s, scratch: &s.scratch, documents: s.projection(r.Fields, r.HasFields)}
	w.scratch.text, w.scratch.keys, w.scratch.ends = w.scratch.text[:0], w.scratch.keys[:0], w.scratch.ends[:0]
	if r.Hits != nil {
		w.list, _ = s.view.Schema.Resolve(r.Hits.List)
		w.values = s.projection(r.Hits.Fields, r.Hits.HasFields)
	}
	if r.Matched != nil {
		for i := range r.Matched.Fields {
			m := &r.Matched.Fields[i]
			list, _ := s.view.Schema.Resolve(m.Field)
			w.matched = append(w.matched, matchedList{request: m, list: list, projection: s.projection(m.Fields, m.HasFields)})
		}
	}
	if r.Highlight != nil {
		w.terms = highlight.Collect(s.query)
		w.highlights = s.highlightFields()
		w.buffer = s.searcher.buffers.Get().(*analysis.Buffer)
		w.buffer.Limit(analysis.SearchSteps)
	}
	return w
}

// Bounds of the memory that is kept for reuse.
const (
	maxScratch     = 1 << 20 // bytes of text
	maxScratchHits = 1 << 10
)

func (s *answerScratch) bytes() int { return cap(s.record) + cap(s.text) + cap(s.keys) }

// close returns borrowed buffers to the searcher.
func (w *hitWriter) close() {
	if w.buffer != nil {
		w.execution.searcher.buffers.Put(w.buffer)
	}
}

// matchValues finds the matched list values of all hits.
func (w *hitWriter) matchValues(ctx context.Context, hits []hit) error {
	if len(w.matched) == 0 {
		return nil
	}
	documents := make([]uint32, len(hits))
	for i := range hits {
		documents[i] = hits[i].Doc
	}
	for i := range w.matched {
		m := &w.matched[i]
		items, err := w.execution.collect.MatchedValues(ctx, m.list.Path, w.execution.requiredNested(m.list.Path, w.execution.query), documents)
		if err != nil {
			return err
		}
		m.items = items
	}
	return nil
}

// write fills in one hit from the stored record of its document.
func (w *hitWriter) write(to *query.Hit, h *hit, place int) error {
	view := &w.execution.view
	segment, doc, ok := view.Snapshot.Find(h.document())
	if !ok {
		return fmt.Errorf("document %d is in no segment", h.document())
	}
	record, err := w.open(segment, doc)
	if err != nil {
		return err
	}
	to.Index = -1
	if key := view.Schema.PrimaryKey(); key != nil {
		w.scratch.keys, to.HasID = appendKeyText(w.scratch.keys, record, key)
	}
	w.scratch.text = w.documents.Append(w.scratch.text, record, signalsOf(segment, doc))
	end := hitEnds{document: len(w.scratch.text), key: len(w.scratch.keys)}
	position := -1
	if h.IsItem {
		position = positionOf(segment, h.Doc-segment.Base)
		to.Index = position
		w.scratch.text, end.hasValue = w.values.AppendListValue(w.scratch.text, record, w.list, position)
		if !end.hasValue {
			w.scratch.text = w.scratch.text[:end.document]
		}
		if w.list.Key != nil {
			record.Each(w.list.Key, w.execution.locale, position, func(raw []byte) bool {
				to.Key = append([]byte(nil), raw...)
				return false
			})
		}
	}
	end.value = len(w.scratch.text)
	w.scratch.ends = append(w.scratch.ends, end)
	for i := range w.matched {
		shown := w.matched[i].write(segment, record, place)
		for _, value := range shown.Values {
			w.extra += int64(len(value))
		}
		to.Matched = append(to.Matched, shown)
	}
	if w.execution.request.Highlight != nil {
		to.HasHighlights = true
		if to.Highlights, err = w.highlight(record, h.IsItem, position); err != nil {
			return err
		}
		for i := range to.Highlights {
			for _, fragment := range to.Highlights[i].Fragments {
				w.extra += int64(len(fragment))
			}
		}
	}
	return nil
}

// prefetchedHits is the number of hits prefetched together.
const prefetchedHits = 16

// prefetch loads the stored records of up to prefetchedHits hits.
func (w *hitWriter) prefetch(hits []hit) {
	var segments [prefetchedHits]*snapshot.Segment
	var docs, same [prefetchedHits]uint32
	for i := range hits {
		segments[i], docs[i], _ = w.execution.view.Snapshot.Find(hits[i].document())
	}
	for i := range hits {
		s := segments[i]
		if s == nil || s.Reader.Stored() == nil {
			continue
		}
		n := 0
		for j := i; j < len(hits); j++ {
			if segments[j] == s {
				same[n], segments[j] = docs[j], nil
				n++
			}
		}
		s.Reader.Stored().Prefetch(same[:n])
	}
}

// open reads the stored record of a document. Consecutive value hits of the same
// document share one read.
func (w *hitWriter) open(segment *snapshot.Segment, doc uint32) (document.Record, error) {
	if w.list == nil {
		return w.read(segment, doc)
	}
	if segment == w.opened.segment && doc == w.opened.doc {
		return w.opened.record, nil
	}
	record, err := w.read(segment, doc)
	if err == nil {
		w.opened = openedRecord{segment, doc, record}
	}
	return record, err
}

func (w *hitWriter) read(segment *snapshot.Segment, doc uint32) (document.Record, error) {
	data, err := w.execution.searcher.options.Records.Get(&w.scratch.record, segment, doc)
	if err != nil || len(data) == 0 {
		return document.Record{}, err
	}
	record, err := document.OpenRecord(data)
	if err != nil {
		return document.Record{}, fmt.Errorf("read document %d of %s: %w", doc, segment.Reader.Name(), err)
	}
	return record, nil
}

// write returns the matched values to show for one hit.
func (m *matchedList) write(segment *snapshot.Segment, record document.Record, place int) query.MatchedValues {
	items := m.items[place]
	shown := query.MatchedValues{Field: m.list.Path, TotalValues: len(items)}
	for _, item := range items[:min(m.request.Limit, len(items))] {
		value, ok := m.projection.AppendListValue(nil, record, m.list, positionOf(segment, item-segment.Base))
		if ok {
			shown.Values, shown.HasValues = append(shown.Values, value), true
		}
	}
	shown.HasValues = shown.HasValues || len(items) == 0
	return shown
}

// positionOf returns the position of a list value in its list.
func positionOf(segment *snapshot.Segment, item uint32) int {
	column := segment.Reader.Numbers(layout.ListPosition)
	if column == nil {
		return 0
	}
	position, _ := column.Get(item)
	return int(position)
}

func signalsOf(segment *snapshot.Segment, doc uint32) document.SignalReader {
	return func(field *definition.ResolvedField) (int64, bool) {
		return segment.SignalValue(layout.Signal(field.Path), doc)
	}
}

// appendKeyText appends the primary key of a record as text and reports whether the
// record has one.
func appendKeyText(to []byte, record document.Record, field *definition.ResolvedField) (text []byte, ok bool) {
	raw := record.Key()
	if len(raw) == 0 {
		return to, false
	}
	if !field.Type.IsWhole() && jsonread.KindOf(raw) == jsonread.TextKind {
		from := len(to)
		to = jsonread.AppendText(to, raw)
		return to, len(to) > from
	}
	key, ok := document.KeyOf(field, raw)
	return append(to, key...), ok
}
