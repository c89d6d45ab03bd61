package collect_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/internal/vfs"
)

// Segments large enough for every way of matching: whatever is skipped, read late or looked up
// elsewhere, the hits equal those of ranking all matches, and the matches those of reading the
// documents.

type made struct {
	words  []string
	number int64
	has    bool
	text   string // "" for none
	live   bool
}

func makeDocuments(r *rand.Rand, n, texts int) []made {
	docs := make([]made, n)
	for i := range docs {
		d := &docs[i]
		for range 1 + r.IntN(12) {
			// Few words are frequent, many are rare.
			w := int(float64(600) * r.Float64() * r.Float64() * r.Float64())
			d.words = append(d.words, fmt.Sprintf("w%c%d", 'a'+w%5, w))
		}
		for _, frequent := range []string{"wx", "wy", "wz"} {
			if r.IntN(2) == 0 {
				d.words = append(d.words, frequent)
			}
		}
		d.number, d.has, d.live = int64(r.IntN(5000)), r.IntN(20) > 0, true
		if r.IntN(20) > 0 {
			d.text = fmt.Sprintf("t%03d", r.IntN(texts))
		}
	}
	return docs
}

func makeSegment(t *testing.T, name string, docs []made, deleted bool) *snapshot.Segment {
	b := segment.NewBuilder()
	text := b.Field(segment.FieldOptions{Name: "text", Kind: segment.Terms, Freqs: true, Positions: true, Lengths: true})
	number := b.Field(segment.FieldOptions{Name: "number", Kind: segment.Numbers, Points: true})
	plain := b.Field(segment.FieldOptions{Name: "plain", Kind: segment.Numbers})
	order := b.Field(segment.FieldOptions{Name: "order", Kind: segment.Ordinals})
	for _, d := range docs {
		b.StartDoc()
		for i, w := range d.words {
			b.Term(text, []byte(w), uint32(i))
		}
		b.Length(text, uint32(len(d.words)))
		if d.has {
			b.Number(number, d.number)
			b.Number(plain, d.number)
		}
		if d.text != "" {
			b.Ordinal(order, []byte(d.text))
		}
		b.EndDoc(true)
	}
	reader := finished(t, b, name)
	var live *bitset.Bitset
	if deleted {
		live = bitset.NewFull(uint32(len(docs)))
		for i := range docs {
			if i%7 == 3 {
				docs[i].live = false
				live.Clear(uint32(i))
			}
		}
	}
	return snapshot.NewSegment(reader, live, nil, nil)
}

// finished opens the segment that a builder has made.
func finished(t *testing.T, b *segment.Builder, name string) *segment.Reader {
	t.Helper()
	fs := vfs.Memory()
	if _, err := b.Finish(fs, name); err != nil {
		t.Fatal(err)
	}
	reader, err := segment.Open(fs, name, blockfile.Trusted)
	if err != nil {
		t.Fatal(err)
	}
	return reader
}

// asked is a query and the documents that it matches.
type asked struct {
	name  string
	node  plan.Node
	holds func(d *made) bool
}

func askRandomly(r *rand.Rand, docs []made) asked {
	scoring := plan.Scoring{Weight: 1, Length: definition.LengthModerate, Words: 2}
	word := func() string {
		d := &docs[r.IntN(len(docs))]
		return d.words[r.IntN(len(d.words))]
	}
	term := func(w string) plan.Node { return &plan.Term{Structure: "text", Text: w, Scoring: &scoring} }
	switch r.IntN(8) {
	case 0:
		w := word()
		return asked{"term " + w, term(w), func(d *made) bool { return slices.Contains(d.words, w) }}
	case 1, 2:
		and := &plan.And{}
		var words []string
		for range 2 + r.IntN(2) {
			words = append(words, word())
			and.Clauses = append(and.Clauses, term(words[len(words)-1]))
		}
		return asked{fmt.Sprint("and ", words), and, func(d *made) bool {
			return !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(d.words, w) })
		}}
	case 3:
		or := &plan.Or{}
		var words []string
		for range 2 + r.IntN(3) {
			words = append(words, word())
			or.Clauses = append(or.Clauses, term(words[len(words)-1]))
		}
		return asked{fmt.Sprint("or ", words), or, func(d *made) bool {
			return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(d.words, w) })
		}}
	case 4:
		d := &docs[r.IntN(len(docs))]
		from := r.IntN(len(d.words))
		words := d.words[from:min(len(d.words), from+2+r.IntN(2))]
		if len(words) == 1 {
			words = []string{words[0], words[0]}
		}
		slop := 0
		if r.IntN(4) == 0 && words[0] != words[1] {
			words, slop = words[:2], 1+r.IntN(3)
		}
		phrase := &plan.Phrase{Structure: "text", Scoring: scoring, Slop: slop}
		for i, w := range words {
			phrase.Words = append(phrase.Words, plan.PhraseWord{Offset: i, Terms: []string{w}})
		}
		return asked{fmt.Sprint("phrase ", words, slop), phrase, func(d *made) bool {
			for i, w := range d.words {
				if slop > 0 && w == words[0] && slices.Contains(d.words[i+1:min(len(d.words), i+2+slop)], words[1]) {
					return true
				}
			}
			return strings.Contains(" "+strings.Join(d.words, " ")+" ", " "+strings.Join(words, " ")+" ")
		}}
	case 5, 6:
		// A word and its near terms, as typed words are compiled.
		w := word()
		if r.IntN(3) == 0 {
			w = w[:len(w)-1]
		}
		edits := r.IntN(2)
		near := func(d *made) bool {
			return slices.ContainsFunc(d.words, func(other string) bool { return strings.HasPrefix(other, w) })
		}
		if edits == 1 {
			near = func(d *made) bool {
				return slices.ContainsFunc(d.words, func(other string) bool { return isNear(w, other) })
			}
		}
		return asked{fmt.Sprint("word ", w, " edits ", edits), nearWord(plan.Expand{Structure: "text", Text: w, Edits: edits, Prefix: edits == 0}), near}
	}
	prefix := word()[:2]
	return asked{"prefix " + prefix, nearWord(plan.Expand{Structure: "text", Text: prefix, Prefix: true}), func(d *made) bool {
		return slices.ContainsFunc(d.words, func(w string) bool { return strings.HasPrefix(w, prefix) })
	}}
}

// nearWord is a word as typed and its near terms.
func nearWord(near plan.Expand) *plan.Word {
	n := &plan.Word{Words: 1, Fields: []plan.WordField{{Structure: near.Structure, Weight: 1, Length: definition.LengthModerate, Terms: []plan.WordTerm{{Text: near.Text, Boost: 1}}}}}
	n.Read(0, &near)
	return n
}

// isNear reports whether inserting, deleting or replacing one letter, or swapping two, makes
// one word the other.
func isNear(a, b string) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(a) <= 1 && len(b) <= 1 || len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}

func TestEveryWayFindsTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 4))
	first, second := makeDocuments(r, 20_000, 700), makeDocuments(r, 6_000, 100)
	segments := []*snapshot.Segment{makeSegment(t, "first", first, false), makeSegment(t, "second", second, true)}
	whole := snapshot.New(1, segments[:1], nil)
	defer whole.Release()
	both := snapshot.New(2, []*snapshot.Segment{makeSegment(t, "again", first, false), segments[1]}, nil)
	defer both.Release()
	parts := []*snapshot.Segment{makeSegment(t, "second again", second, true)}
	for from := 0; from < len(first); from += 2500 {
		parts = append(parts, makeSegment(t, fmt.Sprint("part ", from), first[from:from+2500], false))
	}
	many := snapshot.New(3, parts, nil)
	defer many.Release()
	for i := range 300 {
		snap, docs := whole, first
		options := collect.Options{Threads: []int{-1, 1, 3}[i/3%3], FilterCacheQueries: i/9%3 - 1, PrefixCacheWords: -1, TypoCacheWords: -1}
		switch i % 3 {
		case 1:
			snap, docs = both, slices.Concat(first, second)
		case 2:
			snap, docs = many, slices.Concat(second, first)
			options.Threads = i % 4
		}
		runner := collect.NewRunner(options, nil)
		runner.AlwaysHelp()
		runner.AlwaysLeads(1 + r.IntN(2000))
		q := askRandomly(r, docs)
		request := collect.Request{Query: q.node, Limit: 1 + r.IntN(20), CountTo: collect.Everything}
		holds := q.holds
		if r.IntN(3) == 0 {
			low := r.Int64N(5000)
			high := low + r.Int64N(5000)
			request.Filters = []plan.Node{&plan.NumberRange{Structure: "number", Intervals: []plan.Interval{{Min: low, Max: high}}}}
			holds = func(d *made) bool { return q.holds(d) && d.has && d.number >= low && d.number <= high }
			q.name += fmt.Sprintf(" in %d to %d", low, high)
		}
		if r.IntN(3) == 0 {
			request.Order = []collect.Key{{Kind: collect.ByNumber, Structure: []string{"number", "plain"}[r.IntN(2)], Descending: r.IntN(2) == 0, MissingFirst: r.IntN(4) == 0}}
			if r.IntN(2) == 0 {
				request.Order[0].Kind, request.Order[0].Structure = collect.ByText, "order"
			}
			q.name += fmt.Sprintf(" ordered, descending %v", request.Order[0].Descending)
		}
		var matches []uint32
		for n := range docs {
			if docs[n].live && holds(&docs[n]) {
				matches = append(matches, uint32(n))
			}
		}
		all, err := runner.Search(snap).Run(context.Background(), &request)
		if err != nil {
			t.Fatal(err)
		}
		if all.Total != len(matches) || !all.Exact {
			t.Fatalf("%d %s: %d matches, want %d", i, q.name, all.Total, len(matches))
		}
		counted := request
		counted.Limit = 0
		if none, err := runner.Search(snap).Run(context.Background(), &counted); err != nil || none.Total != len(matches) || !none.Exact {
			t.Fatalf("%d %s: %d matches counted, want %d: %v", i, q.name, none.Total, len(matches), err)
		}
		withSets := request
		withSets.Sets = true
		gathered, err := runner.Search(snap).Run(context.Background(), &withSets)
		if err != nil {
			t.Fatal(err)
		}
		var in []uint32
		for n, set := range gathered.Sets {
			for _, doc := range set.Bits().AppendTo(nil, 0, set.Bits().Len()) {
				in = append(in, snap.Segments[n].Base+doc)
			}
		}
		if !slices.Equal(in, matches) || gathered.Total != all.Total || !slices.EqualFunc(all.Hits, gathered.Hits, func(a, b collect.Hit) bool { return a.Doc == b.Doc && a.Score == b.Score }) {
			t.Fatalf("%d %s: gathering sets changes the answer", i, q.name)
		}
		if len(request.Order) > 0 {
			checkOrder(t, q.name, request, docs, matches, all.Hits)
		}
		for _, countTo := range []int{10, 1000, 10, 100} {
			request.CountTo = countTo
			some, err := runner.Search(snap).Run(context.Background(), &request)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.EqualFunc(all.Hits, some.Hits, func(a, b collect.Hit) bool { return a.Doc == b.Doc && a.Score == b.Score }) {
				t.Fatalf("%d %s: skipping changes the hits:\n%v\n%v", i, q.name, all.Hits, some.Hits)
			}
			if some.Total > len(matches) || some.Exact && some.Total != len(matches) || !some.Exact && some.Total < countTo {
				t.Fatalf("%d %s: counted %d (exact: %v) of %d up to %d", i, q.name, some.Total, some.Exact, len(matches), countTo)
			}
			counted.CountTo = countTo
			if none, err := runner.Search(snap).Run(context.Background(), &counted); err != nil || none.Total > len(matches) ||
				none.Exact && none.Total != len(matches) || !none.Exact && none.Total < countTo {
				t.Fatalf("%d %s: %v of %d counted up to %d without hits: %v", i, q.name, none, len(matches), countTo, err)
			}
		}
	}
}

// checkOrder compares hits with the matches sorted by their numbers or texts.
func checkOrder(t *testing.T, name string, request collect.Request, docs []made, matches []uint32, hits []collect.Hit) {
	key := request.Order[0]
	slices.SortFunc(matches, func(a, b uint32) int {
		x, y := &docs[a], &docs[b]
		c, hasX, hasY := cmp.Compare(x.number, y.number), x.has, y.has
		if key.Kind == collect.ByText {
			c, hasX, hasY = cmp.Compare(x.text, y.text), x.text != "", y.text != ""
		}
		switch {
		case !hasX && !hasY:
			c = 0
		case hasX != hasY:
			if c = 1; hasX != key.MissingFirst {
				c = -1
			}
		}
		if key.Descending {
			c = -c
		}
		return cmp.Or(c, cmp.Compare(a, b))
	})
	matches = matches[:min(len(matches), request.Limit)]
	for i, h := range hits {
		if h.Doc != matches[i] {
			t.Fatalf("%s: hit %d is %d, want %d", name, i, h.Doc, matches[i])
		}
	}
}
