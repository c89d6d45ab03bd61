package highlight

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/analysis/segmenter"
	"github.com/quiresearch/quire/internal/analysis/tokenfilter"
	"github.com/quiresearch/quire/internal/search/plan"
)

// tokens splits at spaces and punctuation and lower-cases, for tests.
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
		{nearWord(plan.Expand{Structure: "s", Text: "mu", Prefix: true}), "a red mug", "a red [mug]"},
		{nearWord(plan.Expand{Structure: "s", Text: "bread", Edits: 1, Fixed: 1}), "brexd bred bxxad tread raed", "[brexd] [bred] bxxad tread raed"},
		{nearWord(plan.Expand{Structure: "s", Text: "stoxkho", Edits: 1, Prefix: true}), "in Stockholm", "in [Stockholm]"},
		{&plan.Phrase{Structure: "s", Words: []plan.PhraseWord{{Terms: []string{"red"}}, {Offset: 1, Terms: []string{"mug"}}}}, "red pen, red mug, mug", "red pen, [red] [mug], mug"},
		{&plan.Phrase{Structure: "s", Slop: 1, Words: []plan.PhraseWord{{Terms: []string{"red"}}, {Offset: 1, Terms: []string{"mu"}, Prefix: true}}}, "red tin mug", "[red] tin [mug]"},
		{&plan.Word{Fields: []plan.WordField{{Structure: "s", Terms: []plan.WordTerm{{Text: "a"}, {Text: "mug"}}}}}, "a mug", "[a] [mug]"},
	} {
		if got := mark(c.node, c.text, o); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

// TestWordsHaveNumbersOfTheirOwn checks that words after a phrase do not share numbers
// with it, because the best fragment is the one with the most distinct words.
func TestWordsHaveNumbersOfTheirOwn(t *testing.T) {
	phrase := &plan.Phrase{Structure: "s", Words: []plan.PhraseWord{{Terms: []string{"red"}}, {Offset: 1, Terms: []string{"mug"}}}}
	n := &plan.And{Clauses: []plan.Node{phrase, term("blue"), nearWord(plan.Expand{Structure: "s", Text: "tea", Prefix: true}), phrase, term("pot")}}
	seen := map[int]string{}
	for _, m := range Collect(n)["s"].Mark(nil, tokens("blue red mug teas pot"), 0) {
		word := "blue red mug teas pot"[m.Start:m.End]
		if other, ok := seen[m.Word]; ok && other != word {
			t.Errorf("%q and %q are both word %d", other, word, m.Word)
		}
		seen[m.Word] = word
	}
	if len(seen) < 5 {
		t.Errorf("%d words have marks: %v", len(seen), seen)
	}
}

// parts splits the only compound of the tests.
type parts struct{}

func (parts) AppendParts(dst []int, word []byte) []int {
	if string(word) == "regenjacke" {
		dst = append(dst, 0, 5, 5, 10)
	}
	return dst
}

// TestTheWordThatMatchedIsMarked checks that the range of the matching word is
// marked: all of it if it was stemmed, split or cut into grams, the written word if
// a synonym was added to it, and no part of another word at the same position.
func TestTheWordThatMatchedIsMarked(t *testing.T) {
	builder := analysis.NewBuilder(analysis.Options{
		Segmenters:    segmenter.Tokenizers(),
		Decompounders: map[string]func() (tokenfilter.Splitter, error){"de": func() (tokenfilter.Splitter, error) { return parts{}, nil }},
	})
	const (
		synonyms = `{"filters":[{"normalize":{}},{"synonyms":{}}]}`
		prefixes = `{"filters":[{"normalize":{}},{"synonyms":{}},{"edgeNgram":{"minGram":1,"maxGram":20}}]}`
		grams    = `{"filters":[{"normalize":{}},{"ngram":{"minGram":1,"maxGram":3}}]}`
		compound = `{"filters":[{"normalize":{}},{"decompound":{}},{"stemming":{}}]}`
		folded   = `{"filters":[{"normalize":{}},{"asciiFolding":{"preserveOriginal":true}}]}`
		plain    = `{"filters":[{"normalize":{}}]}`
	)
	rules := []definition.SynonymRule{
		{Equivalent: []string{"tv", "television set"}},
		{Mapping: &definition.SynonymMapping{From: []string{"nyc"}, To: []string{"new york city"}}},
	}
	anyOf := func(words ...string) plan.Node {
		or := &plan.Or{}
		for _, word := range words {
			or.Clauses = append(or.Clauses, term(word))
		}
		return or
	}
	phrase := func(slop int, words ...string) plan.Node {
		p := &plan.Phrase{Structure: "s", Slop: slop}
		for i, word := range words {
			p.Words = append(p.Words, plan.PhraseWord{Offset: i, Terms: strings.Split(word, "|")})
		}
		return p
	}
	prefix := func(text string) plan.Node {
		return nearWord(plan.Expand{Structure: "s", Text: text, Prefix: true})
	}
	for _, c := range []struct {
		locale, chain string
		node          plan.Node
		text, want    string
	}{
		// The second or third word of a synonym was added at this word's position.
		{"en", synonyms, anyOf("here"), "my tv here now", "my tv [here] now"},
		{"en", synonyms, anyOf("and"), "one tv, and two", "one tv, [and] two"},
		{"en", synonyms, anyOf("a"), "nyc is a very big place", "nyc is [a] very big place"},
		{"en", synonyms, prefix("her"), "my tv here now", "my tv [here] now"},
		{"en", synonyms, phrase(0, "my", "tv", "here"), "my tv here now", "[my] [tv] [here] now"},
		{"en", synonyms, phrase(1, "my", "here"), "my tv here now", "[my] tv [here] now"},

		// Each word of a synonym marks all of the text it was added to.
		{"en", synonyms, anyOf("tv"), "my tv here now", "my [tv] here now"},
		{"en", synonyms, anyOf("set"), "my tv here now", "my [tv] here now"},
		{"en", synonyms, anyOf("television", "set"), "my tv here now", "my [tv] here now"},
		{"en", synonyms, anyOf("set", "here"), "my tv here now", "my [tv] [here] now"},
		{"en", synonyms, anyOf("city"), "in NYC now", "in [NYC] now"},
		{"en", synonyms, anyOf("city"), "in nyc", "in [nyc]"},
		{"en", synonyms, phrase(0, "television", "set"), "my tv here now", "my [tv] here now"},
		{"en", synonyms, phrase(0, "tv", "set|here"), "my tv here now", "my [tv] [here] now"},
		{"en", synonyms, phrase(0, "city"), "nyc is a very big place", "[nyc] is a very big place"},
		{"en", synonyms, anyOf("tv"), "a television set here", "a [television set] here"},
		{"en", synonyms, anyOf("television"), "a television set here", "a [television] set here"},
		{"en", synonyms, anyOf("television", "tv"), "a television set here", "a [television set] here"},
		{"en", synonyms, phrase(0, "a", "tv|television"), "a television set here", "[a] [television set] here"},

		// Grams mark the word they were cut from.
		{"en", prefixes, anyOf("h"), "my tv here now", "my tv [here] now"},
		{"en", prefixes, anyOf("se"), "my tv here now", "my [tv] here now"},
		{"en", prefixes, anyOf("t"), "a television set", "a [television set]"},
		{"en", prefixes, anyOf("televi"), "a television set", "a [television] set"},
		{"en", grams, anyOf("ug"), "a red Mug", "a red [Mug]"},
		{"en", grams, phrase(0, "ed", "m"), "a red Mug", "a [red] [Mug]"},
		{"en", grams, anyOf("r", "e", "m"), "a red Mug", "a [red] [Mug]"},

		// A part and a stem mark the whole word.
		{"de", compound, anyOf("jack"), "Eine Regenjacke hier", "Eine [Regenjacke] hier"},
		{"de", compound, anyOf("reg", "regen", "jack"), "Eine Regenjacke hier", "Eine [Regenjacke] hier"},
		{"en", compound, anyOf("run"), "he is running", "he is [running]"},
		{"en", folded, anyOf("cafe"), "the Café is", "the [Café] is"},

		// A segmenter gives every part of a compound its own position.
		{"zh", plain, anyOf("人民"), "中华人民共和国", "中华[人民]共和国"},
		{"zh", plain, anyOf("共和国"), "中华人民共和国", "中华人民[共和国]"},
		{"zh", plain, anyOf("中华"), "中华人民共和国", "[中华]人民共和国"},
		{"zh", plain, anyOf("中华人民共和国"), "在中华人民共和国", "在[中华人民共和国]"},
		{"zh", plain, phrase(0, "中华", "人民"), "中华人民共和国", "[中华人民]共和国"},
		{"ko", plain, anyOf("고속"), "고속도로에서", "[고속]도로에서"},
		{"ko", plain, anyOf("도로"), "고속도로에서", "고속[도로]에서"},
		{"ko", plain, anyOf("고속도로"), "고속도로에서", "[고속도로]에서"},
	} {
		var spec definition.Chain
		if err := json.Unmarshal([]byte(c.chain), &spec); err != nil {
			t.Fatal(err)
		}
		for _, filter := range spec.Filters {
			if filter.Synonyms != nil {
				filter.Synonyms.Rules = rules
			}
		}
		chain, err := builder.Chain(&spec, c.locale, analysis.Index)
		if err != nil {
			t.Fatal(err)
		}
		marks := Collect(c.node)["s"].Mark(nil, chain.Analyze(new(analysis.Buffer), c.text), 0)
		got := strings.Join(Fragments(c.text, marks, Options{Fragments: 1, Length: 150, Pre: "[", Post: "]"}), " | ")
		if got != c.want {
			t.Errorf("%s %q: got %q, want %q", c.locale, c.text, got, c.want)
		}
		for i, m := range marks {
			for _, other := range marks[:i] {
				if m == other {
					t.Errorf("%q: %v is there twice", c.text, m)
				}
			}
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

// nearWord returns a word that matches the words near it.
func nearWord(near plan.Expand) *plan.Word {
	n := &plan.Word{Fields: []plan.WordField{{Structure: near.Structure}}}
	n.Read(0, &near)
	return n
}
