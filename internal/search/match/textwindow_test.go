package match

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/internal/vfs"
)

// windowWords are near each other, start alike, or neither. Some occur only in a part of the
// segment.
var windowWords = []string{"winter", "stone", "moon", "winters", "wint", "stones", "stony", "comet", "zenith", "quartz"}

// textMaker makes segments of many windows, and texts that search them.
type textMaker struct {
	*rand.Rand
	documents int  // 0: enough for ten windows
	values    int  // maximum number of list values of a document; if 1, each has one
	isPlain   bool // words are read only as typed
	counts    bool // matches are counted before they are walked
	length    definition.LengthNormalization
}

var (
	windowFields = []string{titleField, bodyField, layout.Matching("notes", "")}
	windowValues = []string{valueField, layout.Matching("values.more", "")}
)

// view returns a segment with some deleted documents. It spans ten windows or more unless
// documents is set.
func (m *textMaker) view(t *testing.T) *View {
	fs := vfs.Memory()
	b := segment.NewBuilder()
	ids := map[string]segment.FieldID{}
	for _, name := range append(slices.Clone(windowFields), windowValues...) {
		ids[name] = b.Field(segment.FieldOptions{Name: name, Kind: segment.Terms, Freqs: true, Positions: true, Lengths: true})
	}
	price := b.Field(segment.FieldOptions{Name: "price", Kind: segment.Numbers, Points: true})
	lists := b.Field(segment.FieldOptions{Name: layout.Lists, Kind: segment.Terms})
	every, place := make([]int, len(windowWords)), make([]int, len(windowWords))
	for i := range every {
		every[i], place[i] = 1+m.IntN(4<<m.IntN(10)), m.IntN(8)
	}
	every[0], place[0] = 1, 8
	write := func(doc int, field string) {
		at := uint32(0)
		for i, w := range windowWords {
			if place[i] < 3 && doc/9000%3 != place[i] || m.IntN(every[i]) != 0 {
				continue
			}
			at += uint32(m.IntN(3))
			for range 1 + m.IntN(2) {
				b.Term(ids[field], []byte(w), at)
				at++
			}
		}
		if at += uint32(m.IntN(4)); at > 0 {
			b.Length(ids[field], at)
		}
	}
	documents := m.documents
	if documents == 0 {
		documents = 40_000 + m.IntN(9000)
	}
	for doc := range documents {
		values := m.values
		if values > 1 {
			values = m.IntN(values + 1)
		}
		for range values {
			b.StartDoc()
			b.Term(lists, []byte("values"), 0)
			for _, field := range windowValues {
				write(doc, field)
			}
			b.EndDoc(false)
		}
		b.StartDoc()
		for _, field := range windowFields {
			write(doc, field)
		}
		b.Number(price, int64(doc/100+m.IntN(50)))
		b.EndDoc(true)
	}
	if _, err := b.Finish(fs, "windows"); err != nil {
		t.Fatal(err)
	}
	reader, err := segment.Open(fs, "windows", blockfile.Trusted)
	if err != nil {
		t.Fatal(err)
	}
	v := new(View)
	v.Reset(snapshot.New(1, []*snapshot.Segment{snapshot.NewSegment(reader, m.live(reader), nil, nil)}, nil), NewCaches(CacheOptions{}, nil), nil)
	return v
}

// live returns the documents that are not deleted: some of a part of the segment are, and about
// a window. List values are deleted with their documents.
func (m *textMaker) live(reader *segment.Reader) *bitset.Bitset {
	if m.IntN(3) == 0 {
		return nil
	}
	n := reader.NumDocs()
	live := bitset.New(n)
	live.SetRange(0, n)
	share, window := 1+m.IntN(9), uint32(m.IntN(9)*Span)
	parents := reader.Parents()
	for doc := uint32(0); doc < n; doc++ {
		if parents != nil {
			doc = parents.Next(doc)
		}
		if doc-window < Span || doc%20_000 > 9000 && m.IntN(share) == 0 {
			first := doc
			if parents != nil {
				first = firstValue(parents, doc)
			}
			for ; first <= doc; first++ {
				live.Clear(first)
			}
		}
	}
	return live
}

// word returns a word in some fields, possibly with other readings.
func (m *textMaker) word(fields []string, words int) *plan.Word {
	text := windowWords[m.IntN(len(windowWords))]
	if at := m.IntN(len(text)); m.IntN(6) == 0 && !m.isPlain {
		text = text[:at] + text[at+1:] // possibly no document holds it as typed
	}
	n := &plan.Word{Words: words}
	readings, prefix := m.IntN(3), m.IntN(2) == 0
	for i, structure := range fields {
		f := plan.WordField{Structure: structure, Weight: float64(1 + i), Length: m.length, Terms: []plan.WordTerm{{Text: text, Boost: 1}}}
		if m.IntN(6) == 0 && !m.isPlain {
			f.Terms = append(f.Terms, plan.WordTerm{Text: windowWords[m.IntN(len(windowWords))], Boost: float64(m.IntN(2))})
		}
		n.Fields = append(n.Fields, f)
	}
	for i, structure := range fields {
		if readings == 0 || m.isPlain {
			continue
		}
		n.Read(i, &plan.Expand{Structure: structure, Text: text, Prefix: prefix, Edits: readings - 1})
	}
	return n
}

// text returns a text, possibly with extras and with steps that narrow it.
func (m *textMaker) text(fields []string) *plan.And {
	m.isPlain = m.IntN(3) == 0
	var words []plan.Node
	for count := 1 + m.IntN(4); len(words) < count; {
		words = append(words, m.word(fields, count))
	}
	n := &plan.And{Clauses: words}
	if m.IntN(2) > 0 {
		n = &plan.And{Clauses: []plan.Node{&plan.Or{Clauses: words}}}
	}
	if m.IntN(3) > 0 {
		for i := range words[1:] {
			pair := &plan.Pair{First: words[i].(*plan.Word), Second: words[i+1].(*plan.Word)}
			for j := range fields {
				pair.Fields = append(pair.Fields, plan.PairField{Field: j, First: pair.First.Fields[j].Terms[0].Text, Second: pair.Second.Fields[j].Terms[0].Text})
			}
			n.Optional = append(n.Optional, pair)
		}
	}
	for range max(0, m.IntN(4)-2) {
		n.Optional = append(n.Optional, &plan.Scale{Weight: float64(1 + m.IntN(3)), Clause: m.word(fields, 1)})
	}
	return n
}

// request returns a text over documents or list values, and its filters.
func (m *textMaker) request() (plan.Node, []plan.Node) {
	var filters []plan.Node
	if m.IntN(4) == 0 {
		from := int64(m.IntN(500))
		filters = append(filters, &plan.NumberRange{Structure: "price", Intervals: []plan.Interval{{Min: from, Max: from + int64(m.IntN(300))}}})
	}
	if m.IntN(6) == 0 {
		filters = append(filters, &plan.Term{Structure: titleField, Text: windowWords[m.IntN(len(windowWords))]})
	}
	n := m.text(windowFields[:1+m.IntN(len(windowFields))])
	if m.values == 0 || m.IntN(3) == 0 {
		return n, filters
	}
	values := &plan.Nested{Path: "values", Clause: m.text(windowValues), Fold: plan.Fold(m.IntN(4))}
	switch m.IntN(3) {
	case 0:
		n.Optional = append(n.Optional, values)
	case 1:
		return &plan.And{Clauses: []plan.Node{n, values}}, filters
	default:
		return values, filters
	}
	return n, filters
}

// windowSink is a sink for the best hits that rules out some windows.
type windowSink struct {
	scriptSink
	skips uint32 // rules out the last of every so many windows; 0: none
}

func (s *windowSink) Take(base uint32, matched *Bits, sums *Sums) bool {
	for _, at := range matched.Append(nil) {
		s.add(base+uint32(at), float32(sums[at]))
		sums[at] = 0
	}
	return true
}

func (s *windowSink) TakeDocs(docs []uint32, scores []float32) bool {
	if !slices.IsSorted(docs) {
		panic("documents do not rise")
	}
	for i, doc := range docs {
		s.add(doc, scores[i])
	}
	return true
}

func (s *windowSink) add(doc uint32, score float32) {
	if s.skips > 0 && s.SkipsWindow(doc) {
		return
	}
	if !s.prunes {
		s.hits = append(s.hits, scriptHit{doc, score})
		return
	}
	s.scriptSink.add(doc, score)
}

func (s *windowSink) SkipsWindow(base uint32) bool {
	return s.skips > 0 && base/Span%s.skips == s.skips-1
}

// TestTextsOverSeveralWindows compares the hits of texts that join windows with an exhaustive
// walk: in whole segments and in ranges of them, with all matches wanted or only the best, with
// deleted documents, list values, filters, and windows that the sink skips.
func TestTextsOverSeveralWindows(t *testing.T) {
	walked := map[string]int{}
	for seed := range uint64(4) {
		m := &textMaker{Rand: rand.New(rand.NewPCG(seed, 61)), values: []int{0, 1, 0, 3}[seed%4]}
		m.length = []definition.LengthNormalization{definition.LengthStrong, definition.LengthModerate, definition.LengthNone}[m.IntN(3)]
		v := m.view(t)
		for request := range 24 {
			n, filters := m.request()
			m.compare(t, v, fmt.Sprintf("seed %d, request %d", seed, request), n, filters, walked)
		}
	}
	if walked[maxscoreText.String()] < 30 || walked[textConjunction.String()] < 5 || walked[listValues.String()] < 5 {
		t.Errorf("texts were walked as %v", walked)
	}
}

// Strategies with filters, as compare counts them.
const (
	unionBehindFilters  = "MAXSCORE union behind filters"
	phraseBehindFilters = "phrase behind filters"
	phraseLedByFilter   = "phrase led by a filter"
)

// compare runs a request in every way and counts how it was walked.
func (m *textMaker) compare(t *testing.T, v *View, name string, n plan.Node, filters []plan.Node, walked map[string]int) {
	t.Helper()
	for _, node := range append([]plan.Node{n}, filters...) {
		if err := v.Prepare(t.Context(), node); err != nil {
			t.Fatal(err)
		}
	}
	documents := v.Snapshot.Segments[0].Reader.NumDocs()
	run := func(sink *windowSink, walk func(s *Scanner)) {
		s, err := v.Scanner(t.Context(), 0, n, filters, true)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		walk(s)
		s.checkClean(t, name)
	}
	all := &windowSink{}
	run(all, func(s *Scanner) {
		if _, err := s.walkWindows(t.Context(), 0, documents, all, untilEnd); err != nil {
			t.Fatal(err)
		}
	})
	byScore := func(a, b scriptHit) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.doc, b.doc)) }
	slices.SortFunc(all.hits, byScore)
	for turn := range 5 {
		sink := &windowSink{scriptSink: scriptSink{k: 1 + m.IntN(1<<m.IntN(8)), threshold: -1, prunes: turn > 1}}
		if turn > 1 && m.IntN(3) == 0 {
			sink.skips = 1 + uint32(m.IntN(5))
		}
		parts := 1
		if turn%2 == 1 {
			parts = 1 + m.IntN(4)
		}
		for from, i := uint32(0), 0; from < documents; i++ {
			to := documents
			if i+1 < parts {
				to = min(to, from+Span*uint32(1+m.IntN(7)))
			}
			run(sink, func(s *Scanner) {
				c := s.choose(sink)
				walked[c.strategy.String()]++
				switch {
				case c.narrow == nil:
				case c.strategy == maxscoreUnion:
					walked[unionBehindFilters]++
				case c.strategy == phrase && (c.narrow.lead != nil || c.narrow.listed != nil):
					walked[phraseLedByFilter]++
				case c.strategy == phrase:
					walked[phraseBehindFilters]++
				}
				if m.counts {
					walked[m.count(t, s, from, min(to, documents))]++
				}
				if err := s.Run(t.Context(), from, to, sink); err != nil {
					t.Fatal(err)
				}
			})
			from = to
		}
		want := all.hits
		if sink.prunes {
			want = slices.DeleteFunc(slices.Clone(want), func(h scriptHit) bool { return sink.skips > 0 && sink.SkipsWindow(h.doc) })
			want = want[:min(len(want), sink.k)]
		}
		slices.SortFunc(sink.hits, byScore)
		if !slices.Equal(sink.hits, want) {
			for i := range min(len(want), len(sink.hits)) {
				if sink.hits[i] != want[i] {
					t.Errorf("hit %d is %v, not %v", i, sink.hits[i], want[i])
					break
				}
			}
			t.Fatalf("%s, turn %d: %d hits of the best %d, not %d", name, turn, len(sink.hits), sink.k, len(want))
		}
	}
}

// checkClean checks that the working memory of a finished scan is in the state that the next
// scan expects.
func (s *Scanner) checkClean(t *testing.T, name string) {
	t.Helper()
	isZero := func(sums []float64) bool { return !slices.ContainsFunc(sums, func(v float64) bool { return v != 0 }) }
	for _, r := range append([]*scratch{s.scratch}, s.binder.scratches...) {
		if r.dirty || !isZero(r.sums) {
			t.Fatalf("%s: sums are left in the working memory", name)
		}
	}
	for _, c := range s.binder.sums {
		if c.busy || !isZero(c.one[:]) {
			t.Fatalf("%s: scores are left in a sum", name)
		}
	}
	for _, c := range s.binder.words {
		if c.busy || !isZero(c.one[:]) {
			t.Fatalf("%s: scores are left in a word", name)
		}
	}
}
