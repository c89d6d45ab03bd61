package highlight

import (
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/search/plan"
)

// tokens splits at spaces and punctuation, lower-cased, for tests.
func tokens(text string) []analysis.Token {
	var all []analysis.Token
	start := -1
	position := int32(0)
	for i := 0; i <= len(text); i++ {
		isWord := i < len(text) && (text[i]|0x20 >= 'a' && text[i]|0x20 <= 'z' || text[i] >= '0' && text[i] <= '9')
		switch {
		case isWord && start < 0:
			start = i
		case !isWord && start >= 0:
			all = append(all, analysis.Token{Term: []byte(strings.ToLower(text[start:i])), Start: int32(start), End: int32(i), Position: position})
			position++
			start = -1
		}
	}
	return all
}

func mark(n plan.Node, text string, o Options) string {
	return strings.Join(Fragments(text, Collect(n)["s"].Mark(nil, tokens(text), 0), o), " | ")
}

func term(text string) plan.Node {
	return &plan.Term{Structure: "s", Text: text, Scoring: &plan.Scoring{}}
}

func TestMarksFollowThePlan(t *testing.T) {
	o := Options{Fragments: 3, Length: 150, Pre: "[", Post: "]"}
	for _, c := range []struct {
		node       plan.Node
		text, want string
	}{
		{term("red"), "A Red mug", "A [Red] mug"},
		{&plan.Term{Structure: "s", Text: "red"}, "a red mug", ""},
		{&plan.Not{Clauses: []plan.Node{term("red")}}, "a red mug", ""},
		{&plan.And{Clauses: []plan.Node{term("red")}, Optional: []plan.Node{&plan.Scale{Clause: term("mug")}}}, "a red mug", "a [red] [mug]"},
		{&plan.And{Clauses: []plan.Node{term("red"), &plan.Knn{Filter: term("mug")}}}, "a red mug", "a [red] mug"},
		{&plan.Fuse{Rankings: []plan.Ranking{{Clause: term("a")}, {Clause: term("red")}}, Filter: term("mug")}, "a red mug", "[a] [red] mug"},
		{&plan.Expand{Structure: "s", Text: "mu", Prefix: true, Constants: []float64{1}}, "a red mug", "a red [mug]"},
		{&plan.Expand{Structure: "s", Text: "bread", Edits: 1, Fixed: 1, Constants: []float64{1, 1}}, "brexd bred bxxad tread raed", "[brexd] [bred] bxxad tread raed"},
		{&plan.Expand{Structure: "s", Text: "stoxkho", Edits: 1, Prefix: true, Constants: []float64{1, 1}}, "in Stockholm", "in [Stockholm]"},
		{&plan.Phrase{Structure: "s", Words: []plan.PhraseWord{{Terms: []string{"red"}}, {Offset: 1, Terms: []string{"mug"}}}}, "red pen, red mug, mug", "red pen, [red] [mug], mug"},
		{&plan.Phrase{Structure: "s", Slop: 1, Words: []plan.PhraseWord{{Terms: []string{"red"}}, {Offset: 1, Terms: []string{"mu"}, Prefix: true}}}, "red tin mug", "[red] tin [mug]"},
		{&plan.Blend{Structure: "s", Terms: []plan.BlendTerm{{Text: "a"}, {Text: "mug"}}}, "a mug", "[a] [mug]"},
	} {
		if got := mark(c.node, c.text, o); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestFragmentsEndAtSentences(t *testing.T) {
	text := "Stars have guided travellers for a long time. Here is a field guide to the stars at night. It has charts for every season of the year."
	if got := mark(term("stars"), text, Options{Fragments: 3, Length: 40, Pre: "<", Post: ">"}); got !=
		"<Stars> have guided travellers for a long time. | Here is a field guide to the <stars> at night." {
		t.Errorf("got %q", got)
	}
	both := &plan.Or{Clauses: []plan.Node{term("stars"), term("guide")}}
	if got := mark(both, text, Options{Fragments: 1, Length: 40, Pre: "<", Post: ">"}); got != "Here is a field <guide> to the <stars> at night." {
		t.Errorf("the fragment with more words: got %q", got)
	}
	long := strings.Repeat("word ", 100) + "star"
	if got := mark(term("star"), long, Options{Fragments: 1, Length: 30, Pre: "<", Post: ">"}); len(got) > 60 || !strings.HasSuffix(got, "<star>") {
		t.Errorf("a long sentence: got %q", got)
	}
}

func FuzzFragments(f *testing.F) {
	f.Add("A red mug. Two red mugs!", "red", 10)
	f.Fuzz(func(t *testing.T, text, word string, length int) {
		if length < 1 || length > MaxText || !strings.ContainsAny(text, word) {
			return
		}
		var marks []Mark
		for _, token := range tokens(text) {
			if string(token.Term) == word {
				marks = append(marks, Mark{Start: int(token.Start), End: int(token.End)})
			}
		}
		for _, fragment := range Fragments(text, marks, Options{Fragments: 1 << 20, Length: length}) {
			if !strings.Contains(text, fragment) {
				t.Fatalf("fragment %q is not part of the text", fragment)
			}
		}
	})
}
