package oracle

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/locale/spelling"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/segment/vectors"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/internal/vfs"
)

var shape = Shape{
	Words:   []string{"body", "title", "v.name", "w.name"},
	Exact:   []string{"tag", "v.tag", "w.tag"},
	Numbers: []string{"price", "v.size"},
	Many:    []string{"years"},
	Texts:   []string{"key"},
	Points:  []string{"loc"},
	Vectors: map[string]vectors.Similarity{"vec": vectors.Cosine, "v.vec": vectors.Euclidean},
}

// The words are near each other, so that typos and prefixes overlap.
var vocabulary = []string{"red", "read", "reed", "bred", "blue", "blues", "mug", "mugs", "smug", "great", "grate", "a", "ab", "abc", "zebra", "zebras", "green", "greens", "réd", "blüe", "mügs", "grée"}

func word(r *rand.Rand) string {
	// Low numbers are drawn more often: some words are in most documents.
	return vocabulary[min(r.IntN(len(vocabulary)), r.IntN(len(vocabulary)))]
}

func words(r *rand.Rand, most int) []Token {
	var tokens []Token
	position := 0
	for range r.IntN(most + 1) {
		position += 1 + r.IntN(5)/4
		tokens = append(tokens, Token{word(r), position})
	}
	return tokens
}

func tags(r *rand.Rand) []Token {
	var tokens []Token
	for i := range 4 {
		if r.IntN(3) == 0 {
			tokens = append(tokens, Token{fmt.Sprintf("t%d", i), 0})
		}
	}
	return tokens
}

func vector(r *rand.Rand) []float32 {
	return []float32{float32(r.IntN(9)) - 4.5, float32(r.IntN(9)) - 4.5, float32(r.IntN(9)) - 4.5}
}

func randomDocument(r *rand.Rand, nested bool) *Document {
	d := &Document{
		Terms:   map[string][]Token{"body": words(r, 12), "title": words(r, 3), "tag": tags(r)},
		Numbers: map[string][]int64{}, Texts: map[string][]byte{}, Points: map[string][]Point{}, Vectors: map[string][]float32{},
		Deleted: r.IntN(10) == 0,
	}
	if r.IntN(5) > 0 {
		d.Numbers["price"] = []int64{int64(r.IntN(20))}
	}
	for range r.IntN(3) {
		d.Numbers["years"] = append(d.Numbers["years"], int64(2000+r.IntN(10)))
	}
	if r.IntN(5) > 0 {
		d.Texts["key"] = []byte(word(r))
	}
	for range r.IntN(3) {
		d.Points["loc"] = append(d.Points["loc"], Point{r.Float64()*20 - 10, r.Float64()*20 - 10})
	}
	if r.IntN(3) > 0 {
		d.Vectors["vec"] = vector(r)
	}
	if nested {
		for range r.IntN(4) {
			d.Children = append(d.Children, randomValue(r))
		}
		for range r.IntN(3) {
			d.Children = append(d.Children, &Document{List: "w", Terms: map[string][]Token{"w.name": words(r, 2), "w.tag": tags(r)}})
		}
	}
	return d
}

func randomValue(r *rand.Rand) *Document {
	v := &Document{List: "v", Terms: map[string][]Token{"v.name": words(r, 3), "v.tag": tags(r)}, Numbers: map[string][]int64{}, Vectors: map[string][]float32{}}
	if r.IntN(4) > 0 {
		v.Numbers["v.size"] = []int64{int64(r.IntN(6))}
	}
	if r.IntN(3) > 0 {
		v.Vectors["v.vec"] = vector(r)
	}
	return v
}

// open writes the documents as segments of random sizes.
func open(t *testing.T, r *rand.Rand, c *Collection) *snapshot.Snapshot {
	t.Helper()
	fs := vfs.Memory()
	var segments []*snapshot.Segment
	for from := 0; from < len(c.All); {
		to := from + 1 + r.IntN(len(c.All)-from)
		for to < len(c.All) && c.All[to-1].List != "" {
			to++
		}
		b := segment.NewBuilder()
		shape.Write(b, c.All[from:to])
		name := fmt.Sprintf("s%d", len(segments))
		if _, err := b.Finish(fs, name); err != nil {
			t.Fatal(err)
		}
		reader, err := segment.Open(fs, name, blockfile.VerifyAll)
		if err != nil {
			t.Fatal(err)
		}
		live := bitset.NewFull(uint32(to - from))
		deleted := false
		for i, d := range c.All[from:to] {
			if d.Deleted {
				live.Clear(uint32(i))
				deleted = true
			}
		}
		if !deleted {
			live = nil
		}
		segments = append(segments, snapshot.NewSegment(reader, live, nil, nil))
		from = to
	}
	return snapshot.New(1, segments, nil)
}

// generator generates random plans over the structures of documents, or over those
// of list values.
type generator struct {
	*rand.Rand
	list   string // list whose values are searched, "" for documents
	nested bool   // documents have lists
}

func (g *generator) text() string {
	if g.list != "" {
		return g.list + ".name"
	}
	return []string{"body", "title"}[g.IntN(2)]
}

func (g *generator) tag() string {
	if g.list != "" {
		return g.list + ".tag"
	}
	return "tag"
}

func (g *generator) scoring() plan.Scoring {
	return plan.Scoring{Weight: float64(1 + g.IntN(3)), Length: g.length(), Words: g.IntN(5)}
}

func (g *generator) node(depth int) plan.Node {
	if depth > 0 && g.IntN(2) == 0 {
		return g.compound(depth - 1)
	}
	switch g.IntN(8) {
	case 0, 1:
		s := g.scoring()
		return &plan.Term{Structure: g.text(), Text: word(g.Rand), Scoring: &s}
	case 2:
		return g.expand()
	case 3:
		return g.phrase()
	case 4:
		return g.typedWord()
	}
	return g.filter()
}

func (g *generator) length() definition.LengthNormalization {
	return []definition.LengthNormalization{definition.LengthNone, definition.LengthModerate, definition.LengthStrong}[g.IntN(3)]
}

// typedWord returns a word with synonyms and other readings over one field or two.
func (g *generator) typedWord() *plan.Word {
	n := &plan.Word{Words: 1 + g.IntN(5)}
	fields := []string{g.text()}
	if g.list == "" && g.IntN(3) > 0 {
		fields = []string{"body", "title"}
	}
	typed := word(g.Rand)
	for _, structure := range fields {
		f := plan.WordField{Structure: structure, Weight: float64(g.IntN(8)) / 2, Length: g.length(), Terms: []plan.WordTerm{{Text: typed, Boost: 1}}}
		for range g.IntN(3) {
			if other := word(g.Rand); !slices.ContainsFunc(f.Terms, func(t plan.WordTerm) bool { return t.Text == other }) {
				f.Terms = append(f.Terms, plan.WordTerm{Text: other, Boost: []float64{0.8, 0.5, 0}[g.IntN(3)]})
			}
		}
		n.Fields = append(n.Fields, f)
	}
	if g.IntN(3) == 0 {
		typed += "x" // not in the index
		for i := range n.Fields {
			n.Fields[i].Terms = []plan.WordTerm{{Text: typed, Boost: 1}}
		}
	}
	lenient := g.IntN(2) == 0
	if lenient {
		for i := range n.Fields {
			n.Fields[i].Terms = append(n.Fields[i].Terms, variantsOf(typed)...)
		}
	}
	for i, f := range n.Fields {
		edits := g.IntN(3)
		if edits > 0 {
			n.Read(i, &plan.Expand{Structure: f.Structure, Text: typed, Edits: edits, Fixed: g.IntN(2), Spellings: lenient})
		}
		if g.IntN(2) == 0 {
			n.Read(i, &plan.Expand{Structure: f.Structure, Text: typed, Edits: edits, Prefix: true, Fixed: g.IntN(2), Spellings: lenient})
		}
	}
	return n
}

// variantsOf returns the words of the vocabulary that are typed as the word without
// diacritics.
func variantsOf(typed string) (variants []plan.WordTerm) {
	for _, w := range vocabulary {
		if slices.Contains(spelling.Of(w), typed) {
			variants = append(variants, plan.WordTerm{Text: w, Boost: 0.9, IsVariant: true})
		}
	}
	return variants
}

// typedText returns words as a text has them, over the same fields, with pairs.
func (g *generator) typedText() plan.Node {
	var words, pairs []plan.Node
	for range 1 + g.IntN(3) {
		n := g.typedWord()
		if len(words) > 0 {
			n.Fields = slices.Clone(words[0].(*plan.Word).Fields)
			typed := word(g.Rand)
			for i := range n.Fields {
				n.Fields[i].Terms = []plan.WordTerm{{Text: typed, Boost: 1}}
			}
			if n.Bands = nil; g.IntN(2) == 0 {
				n.Read(0, &plan.Expand{Structure: n.Fields[0].Structure, Text: typed, Edits: g.IntN(3), Prefix: g.IntN(2) == 0})
			}
			p := &plan.Pair{First: words[len(words)-1].(*plan.Word), Second: n}
			for i := range n.Fields {
				if n.Fields[i].Weight > 0 {
					p.Fields = append(p.Fields, plan.PairField{Field: i, First: p.First.Fields[i].Terms[0].Text, Second: typed})
				}
			}
			pairs = append(pairs, p)
		}
		words = append(words, n)
	}
	if g.IntN(2) == 0 {
		words = []plan.Node{&plan.Or{Clauses: words}}
	}
	return &plan.And{Clauses: words, Optional: pairs}
}

func (g *generator) expand() plan.Node {
	e := &plan.Expand{Structure: g.text(), Text: word(g.Rand), Prefix: g.IntN(2) == 0, Edits: g.IntN(3), Fixed: g.IntN(2), Spellings: g.IntN(2) == 0}
	if !e.Prefix && e.Edits == 0 {
		e.Edits = 1
	}
	return e
}

func (g *generator) phrase() plan.Node {
	p := &plan.Phrase{Structure: g.text(), Slop: g.IntN(3), Scoring: g.scoring()}
	offset := 0
	for range 2 + g.IntN(2) {
		p.Words = append(p.Words, plan.PhraseWord{Offset: offset, Terms: []string{word(g.Rand)}})
		offset += 1 + g.IntN(4)/3
	}
	last := &p.Words[len(p.Words)-1]
	last.Prefix = g.IntN(3) == 0
	if !last.Prefix && g.IntN(3) == 0 {
		last.Terms = append(last.Terms, "blue")
	}
	return p
}

func (g *generator) filter() plan.Node {
	switch g.IntN(6) {
	case 0:
		return &plan.Term{Structure: g.tag(), Text: fmt.Sprintf("t%d", g.IntN(5))}
	case 1:
		return &plan.TermSet{Structure: g.text(), Terms: []string{word(g.Rand), word(g.Rand), "none", word(g.Rand), word(g.Rand), word(g.Rand)}[:g.IntN(7)]}
	case 2:
		from, to := word(g.Rand), word(g.Rand)
		return &plan.TermRange{Structure: g.text(), Intervals: []plan.TermInterval{{From: &from, FromExclusive: g.IntN(2) == 0}, {To: &to, ToExclusive: g.IntN(2) == 0}}[g.IntN(2):]}
	case 3:
		name, low := "price", int64(g.IntN(20))
		switch g.list {
		case "v":
			name, low = "v.size", int64(g.IntN(6))
		case "w":
			return &plan.Everything{}
		}
		return &plan.NumberRange{Structure: name, Intervals: []plan.Interval{{Min: low, Max: low + int64(g.IntN(3))}, {Min: low + 4, Max: low + 5}}[:1+g.IntN(2)]}
	case 4:
		if g.list == "" {
			low := int64(2000 + g.IntN(10))
			return &plan.NumberRange{Structure: "years", Intervals: []plan.Interval{{Min: low, Max: low + 1}}}
		}
	case 5:
		if g.list == "" {
			return &plan.Distance{Structure: "loc", Lat: g.Float64()*20 - 10, Lon: g.Float64()*20 - 10, Radius: g.Float64() * 800_000}
		}
	}
	return &plan.Everything{}
}

func (g *generator) nodes(depth, least int) []plan.Node {
	var all []plan.Node
	for range least + g.IntN(3) {
		all = append(all, g.node(depth))
	}
	return all
}

func (g *generator) compound(depth int) plan.Node {
	switch g.IntN(10) {
	case 8, 9:
		return g.typedText()
	case 0, 1:
		and := &plan.And{Clauses: g.nodes(depth, 1)}
		if g.IntN(2) == 0 {
			and.Optional = g.nodes(depth, 1)
		}
		return and
	case 2, 3:
		return &plan.Or{Clauses: g.nodes(depth, 1)}
	case 4:
		return &plan.Best{Clauses: g.nodes(depth, 1)}
	case 5:
		return &plan.Not{Clauses: g.nodes(depth, 0)}
	case 6:
		return &plan.Scale{Weight: float64(g.IntN(3)), Clause: g.node(depth)}
	}
	if g.list == "v" && g.IntN(2) == 0 {
		filter := g.filter()
		return &plan.Knn{Structure: "v.vec", Vector: vector(g.Rand), K: 1 + g.IntN(6), Similarity: plan.Euclidean, Filter: filter, Own: filter}
	}
	if g.list != "" || !g.nested {
		return &plan.Constant{Score: 1.5, Clause: g.node(depth)}
	}
	switch g.IntN(4) {
	case 0:
		filter := g.filter()
		return &plan.Knn{Structure: "vec", Vector: vector(g.Rand), K: 1 + g.IntN(6), Similarity: plan.Cosine, Filter: filter, Own: filter}
	case 1:
		fuse := &plan.Fuse{Depth: 1 + g.IntN(8), RankConstant: []float64{0.5, 60}[g.IntN(2)], Filter: g.filter()}
		for range 2 + g.IntN(2) {
			fuse.Rankings = append(fuse.Rankings, plan.Ranking{Clause: g.ranking(), Weight: float64(g.IntN(4)) / 2})
		}
		return fuse
	}
	inner := &generator{Rand: g.Rand, list: g.anyList()}
	return &plan.Nested{Path: inner.list, Clause: inner.node(depth), Fold: plan.Fold(g.IntN(4))}
}

func (g *generator) anyList() string { return []string{"v", "v", "w"}[g.IntN(3)] }

// ranking returns a node whose scores are identical to the last bit in any order of
// summation: a word, or constants from list values.
func (g *generator) ranking() plan.Node {
	if g.IntN(2) == 0 {
		return g.node(0)
	}
	inner := &generator{Rand: g.Rand, list: g.anyList()}
	return &plan.Nested{Path: inner.list, Fold: []plan.Fold{plan.FoldMax, plan.FoldMin, plan.FoldTotal}[g.IntN(3)], Clause: &plan.Or{Clauses: []plan.Node{
		&plan.Constant{Score: 1.5, Clause: inner.filter()}, &plan.Constant{Score: 2, Clause: inner.filter()},
	}}}
}

func close64(a, b float64) bool { return math.Abs(a-b) <= 1e-5*(1+math.Abs(a)+math.Abs(b)) }

// compare compares a search of the engine with the naive one.
func compare(t *testing.T, s *collect.Search, c *Collection, query plan.Node, filters []plan.Node, request *collect.Request) {
	t.Helper()
	request.Query, request.Filters = query, filters
	got, err := s.Run(context.Background(), request)
	if err != nil {
		t.Fatal(err)
	}
	want := c.Ranked(query, filters)
	if got.Exact && got.Total != len(want) || got.Total > len(want) || !got.Exact && request.CountTo == collect.Everything {
		t.Fatalf("total %d exact %v, want %d", got.Total, got.Exact, len(want))
	}
	if !got.Exact && got.Total < min(len(want), request.CountTo) {
		t.Fatalf("counted %d, want at least %d", got.Total, request.CountTo)
	}
	if n := min(request.Limit, len(want)); len(got.Hits) != n {
		t.Fatalf("%d hits, want %d", len(got.Hits), n)
	}
	naive := map[uint32]float64{}
	for _, hit := range want {
		naive[uint32(hit.Document.Number)] = hit.Score
	}
	for i, hit := range got.Hits {
		score, ok := naive[hit.Doc]
		if !ok {
			t.Fatalf("hit %d: document %d does not match", i, hit.Doc)
		}
		if got.Scored && (!close64(float64(hit.Score), score) || !close64(score, want[i].Score)) {
			t.Fatalf("hit %d: document %d scores %v, want %v (document %d)", i, hit.Doc, hit.Score, want[i].Score, want[i].Document.Number)
		}
		if !got.Scored && hit.Doc != uint32(want[i].Document.Number) {
			t.Fatalf("hit %d is %d, want %d", i, hit.Doc, want[i].Document.Number)
		}
		if i > 0 && got.Hits[i-1].Score == hit.Score && got.Hits[i-1].Doc > hit.Doc {
			t.Fatalf("equal hits %d and %d out of order", i-1, i)
		}
	}
	if request.Sets {
		for i, set := range got.Sets {
			base := s.Snapshot().Segments[i].Base
			for doc := range set.Bits().Len() {
				if _, ok := naive[base+doc]; ok != set.Bits().Get(doc) {
					t.Fatalf("set of segment %d: document %d is in it: %v", i, base+doc, !ok)
				}
			}
		}
	}
}

// dump formats a plan for failure messages.
func dump(n plan.Node) string {
	text := strings.TrimPrefix(fmt.Sprintf("%T%+v", n, n), "*plan.")
	for _, c := range plan.Children(n) {
		text += "\n  " + strings.ReplaceAll(dump(c), "\n", "\n  ")
	}
	return text
}

func runs(t *testing.T) int {
	if testing.Short() {
		return 20
	}
	return 150
}

func TestEngineAgreesWithNaiveSearch(t *testing.T) {
	runner := collect.NewRunner(collect.Options{Threads: 2}, nil)
	for seed := range runs(t) {
		nested := seed%2 == 1
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		var roots []*Document
		count := 1 + r.IntN(120)
		if seed%25 == 0 {
			count = 12_000 // several windows and blocks
		}
		for range count {
			roots = append(roots, randomDocument(r, nested))
		}
		c := NewCollection(roots)
		snap := open(t, r, c)
		g := &generator{Rand: r, nested: nested}
		for i := range 8 {
			query := g.node(3)
			var filters []plan.Node
			for range r.IntN(3) {
				filters = append(filters, g.filter())
			}
			ok := t.Run(fmt.Sprintf("seed %d query %d", seed, i), func(t *testing.T) {
				compare(t, runner.Search(snap), c, query, filters, &collect.Request{Limit: 1 + i*3, CountTo: collect.Everything, Sets: i%2 == 0, NeedScores: true})
				compare(t, runner.Search(snap), c, query, filters, &collect.Request{Limit: 3, CountTo: 0})
				compare(t, runner.Search(snap), c, query, filters, &collect.Request{Limit: 1000, CountTo: 5})
			})
			if !ok {
				t.Fatalf("query:\n%s\nfilters: %v", dump(query), filters)
			}
		}
		snap.Release()
	}
}
