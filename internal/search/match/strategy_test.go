package match

import (
	"bufio"
	"cmp"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/internal/vfs"
)

var rewrite = flag.Bool("rewrite", false, "replace the expected part of testdata/strategies.txt")

// TestStrategies runs testdata/strategies.txt: a plan and a threshold in; the strategy, how
// many blocks and windows it skipped, and the hits out. Whatever is skipped, the hits equal
// those of an exhaustive walk.
func TestStrategies(t *testing.T) {
	const name = "testdata/strategies.txt"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	var b *scriptIndex
	seen := map[string]bool{}
	lines := bufio.NewScanner(strings.NewReader(string(text)))
	for lines.Scan() {
		line := lines.Text()
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case words[0] == "index":
			b = &scriptIndex{documents: number(t, words[1])}
		case words[0] == "title", words[0] == "body", words[0] == "value":
			b.holds = append(b.holds, scriptHolds(t, words))
		default:
			columns := strings.Split(line, "|")
			for i := range columns {
				columns[i] = strings.TrimSpace(columns[i])
			}
			got := b.search(t, columns[0], number(t, columns[1]), columns[2])
			seen[got.strategy] = true
			line = fmt.Sprintf("%-30s | %2s | %-6s | %-17s | %4d | %s", columns[0], columns[1], columns[2], got.strategy, got.passed, got.hits)
		}
		fmt.Fprintln(&out, line)
	}
	for _, name := range strategyNames {
		if !seen[name] {
			t.Errorf("no line of the script is walked as %q", name)
		}
	}
	if out.String() == string(text) {
		return
	}
	if *rewrite {
		if err := os.WriteFile(name, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want := strings.Split(string(text), "\n")
	for i, line := range strings.Split(out.String(), "\n") {
		if i >= len(want) || want[i] != line {
			t.Errorf("line %d\n got %s\nwant %s", i+1, line, want[min(i, len(want)-1)])
		}
	}
}

func number(t *testing.T, s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// scriptWord says which documents hold a word: one of every so many, from one document on.
type scriptWord struct {
	field, word        string
	every, from, times int
}

// scriptHolds reads "title canon every 20 from 3 times 2"; the last two parts are optional.
func scriptHolds(t *testing.T, words []string) scriptWord {
	h := scriptWord{field: words[0], word: words[1], times: 1}
	for i := 2; i+1 < len(words); i += 2 {
		n := number(t, words[i+1])
		switch words[i] {
		case "every":
			h.every = n
		case "from":
			h.from = n
		case "times":
			h.times = n
		default:
			t.Fatalf("unknown %q", words[i])
		}
	}
	return h
}

// scriptIndex is a segment of a script.
type scriptIndex struct {
	documents int
	holds     []scriptWord
	view      *View
}

var (
	titleField = layout.Matching("title", "")
	bodyField  = layout.Matching("body", "")
	valueField = layout.Matching("values.text", "")
)

// build writes the segment. A document with a list value has it directly before it.
func (x *scriptIndex) build(t *testing.T) *View {
	if x.view != nil {
		return x.view
	}
	fs := vfs.Memory()
	b := segment.NewBuilder()
	words := func(name string) segment.FieldID {
		return b.Field(segment.FieldOptions{Name: name, Kind: segment.Terms, Freqs: true, Positions: true, Lengths: true})
	}
	ids := map[string]segment.FieldID{"title": words(titleField), "body": words(bodyField), "value": words(valueField)}
	price := b.Field(segment.FieldOptions{Name: "price", Kind: segment.Numbers, Points: true})
	lists := b.Field(segment.FieldOptions{Name: layout.Lists, Kind: segment.Terms})
	write := func(doc int, field string) {
		at := uint32(0)
		for _, h := range x.holds {
			if h.field != field || doc < h.from || (doc-h.from)%h.every != 0 {
				continue
			}
			for range h.times {
				b.Term(ids[field], []byte(h.word), at)
				at++
			}
		}
		if at > 0 {
			b.Length(ids[field], at+uint32(doc%7))
		}
	}
	for doc := range x.documents {
		if slices.ContainsFunc(x.holds, func(h scriptWord) bool {
			return h.field == "value" && doc >= h.from && (doc-h.from)%h.every == 0
		}) {
			b.StartDoc()
			b.Term(lists, []byte("values"), 0)
			write(doc, "value")
			b.EndDoc(false)
		}
		b.StartDoc()
		write(doc, "title")
		write(doc, "body")
		b.Number(price, int64(doc%1000))
		b.EndDoc(true)
	}
	if _, err := b.Finish(fs, "script"); err != nil {
		t.Fatal(err)
	}
	reader, err := segment.Open(fs, "script", blockfile.Trusted)
	if err != nil {
		t.Fatal(err)
	}
	x.view = new(View)
	x.view.Reset(snapshot.New(1, []*snapshot.Segment{snapshot.NewSegment(reader, nil, nil, nil)}, nil), nil, nil)
	return x.view
}

// scriptPlan reads a plan of a script and its filters.
func scriptPlan(t *testing.T, text string) (plan.Node, []plan.Node) {
	words := strings.Fields(text)
	scoring := plan.Scoring{Weight: 1, Length: definition.LengthModerate, Words: 2}
	term := func(w string) plan.Node { return &plan.Term{Structure: titleField, Text: w, Scoring: &scoring} }
	inFields := func(w string) plan.Node {
		n := &plan.Word{Words: 2}
		for i, structure := range []string{titleField, bodyField} {
			n.Fields = append(n.Fields, plan.WordField{Structure: structure, Weight: float64(2 - i), Length: definition.LengthModerate, Terms: []plan.WordTerm{{Text: w, Boost: 1}}})
		}
		return n
	}
	each := func(words []string, node func(string) plan.Node) (all []plan.Node) {
		for _, w := range words {
			all = append(all, node(w))
		}
		return all
	}
	switch kind, rest := words[0], words[1:]; kind {
	case "term":
		return term(rest[0]), nil
	case "unscored":
		return &plan.Term{Structure: titleField, Text: rest[0]}, nil
	case "or":
		return &plan.Or{Clauses: each(rest, term)}, nil
	case "and":
		return &plan.And{Clauses: each(rest, term)}, nil
	case "all":
		return &plan.And{Clauses: each(rest, inFields)}, nil
	case "any":
		return &plan.Or{Clauses: each(rest, inFields)}, nil
	case "constant":
		return &plan.Constant{Score: 1, Clause: term(rest[0])}, nil
	case "phrase":
		n := &plan.Phrase{Structure: titleField, Scoring: scoring}
		for i, w := range rest {
			n.Words = append(n.Words, plan.PhraseWord{Offset: i, Terms: []string{w}})
		}
		return n, nil
	case "near":
		n := &plan.Word{Words: 1, Fields: []plan.WordField{{Structure: titleField, Weight: 1, Length: definition.LengthModerate, Terms: []plan.WordTerm{{Text: rest[0], Boost: 1}}}}}
		n.Read(0, &plan.Expand{Structure: titleField, Text: rest[0], Edits: 1})
		return n, nil
	case "starts":
		n := &plan.Word{Words: 1, Fields: []plan.WordField{{Structure: titleField, Weight: 1, Length: definition.LengthModerate, Terms: []plan.WordTerm{{Text: rest[0], Boost: 1}}}}}
		n.Read(0, &plan.Expand{Structure: titleField, Text: rest[0], Prefix: true})
		return n, nil
	case "nested":
		clause := &plan.Term{Structure: valueField, Text: rest[0], Scoring: &scoring}
		return &plan.Nested{Path: "values", Clause: &plan.And{Clauses: []plan.Node{clause}}, Fold: plan.FoldMax}, nil
	case "price":
		from, to := number(t, rest[0]), number(t, rest[1])
		n, _ := scriptPlan(t, strings.Join(rest[2:], " "))
		return n, []plan.Node{&plan.NumberRange{Structure: "price", Intervals: []plan.Interval{{Min: int64(from), Max: int64(to)}}}}
	}
	t.Fatalf("unknown plan %q", text)
	return nil, nil
}

// scriptAnswer is what a line of a script expects.
type scriptAnswer struct {
	strategy string
	passed   int
	hits     string
}

// search runs a plan for the best k hits. The threshold is the initial number, "known" for what
// the scanner knows before the scan, or "all" for a sink that wants every match.
func (x *scriptIndex) search(t *testing.T, text string, k int, threshold string) scriptAnswer {
	view := x.build(t)
	n, filters := scriptPlan(t, text)
	for _, node := range append([]plan.Node{n}, filters...) {
		if err := view.Prepare(t.Context(), node); err != nil {
			t.Fatal(err)
		}
	}
	run := func(sink *scriptSink) (string, *Scanner) {
		s, err := view.Scanner(t.Context(), 0, n, filters, true)
		if err != nil {
			t.Fatal(err)
		}
		if threshold == "known" && sink.prunes {
			if reached := s.Reached(k); reached > 0 {
				sink.threshold = float64(math.Nextafter32(reached, 0))
			}
		}
		chosen := s.choose(sink).strategy.String()
		if err := s.Run(context.Background(), 0, math.MaxUint32, sink); err != nil {
			t.Fatal(err)
		}
		return chosen, s
	}
	sink := &scriptSink{k: k, threshold: -1, prunes: threshold != "all"}
	if v, err := strconv.ParseFloat(threshold, 64); err == nil {
		sink.threshold = v
	}
	least := sink.threshold
	chosen, s := run(sink)
	passed := s.passed
	s.Close()
	all := &scriptSink{k: k, threshold: -1}
	_, s = run(all)
	s.Close()
	want := slices.DeleteFunc(all.hits, func(h scriptHit) bool { return float64(h.score) <= least })
	if !slices.Equal(sink.hits, want) {
		t.Errorf("%s, best %d, threshold %s: hits %v, want %v", text, k, threshold, sink.hits, want)
	}
	var hits []string
	for _, h := range sink.hits {
		hits = append(hits, fmt.Sprintf("%d %.3f", h.doc, h.score))
	}
	return scriptAnswer{chosen, passed, cmp.Or(strings.Join(hits, ", "), "none")}
}

// scriptSink keeps the best k hits, and the first ones among equals.
type scriptSink struct {
	k         int
	threshold float64
	prunes    bool
	hits      []scriptHit
}

type scriptHit struct {
	doc   uint32
	score float32
}

func (s *scriptSink) Take(base uint32, matched *Bits, sums *Sums) bool {
	for _, at := range matched.Append(nil) {
		s.add(base+uint32(at), float32(sums[at]))
		sums[at] = 0
	}
	return true
}

func (s *scriptSink) TakeDocs(docs []uint32, scores []float32) bool {
	for i, doc := range docs {
		s.add(doc, scores[i])
	}
	return true
}

func (s *scriptSink) add(doc uint32, score float32) {
	if float64(score) <= s.threshold {
		return
	}
	s.hits = append(s.hits, scriptHit{doc, score})
	slices.SortStableFunc(s.hits, func(a, b scriptHit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.doc, b.doc))
	})
	if len(s.hits) > s.k {
		s.hits = s.hits[:s.k]
	}
	if len(s.hits) == s.k {
		s.threshold = max(s.threshold, float64(s.hits[s.k-1].score))
	}
}

func (s *scriptSink) Threshold() float64      { return s.threshold }
func (s *scriptSink) Prunes() bool            { return s.prunes }
func (s *scriptSink) SkipsWindow(uint32) bool { return false }
