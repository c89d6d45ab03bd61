package analysis

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quiresearch/quire/definition"
)

// chain builds a chain or fails the test.
func chain(t testing.TB, spec *definition.Chain, tag string, mode Mode) *Chain {
	t.Helper()
	return built(t, NewBuilder(Options{}), spec, tag, mode)
}

// built is like chain, with the given builder.
func built(t testing.TB, b *Builder, spec *definition.Chain, tag string, mode Mode) *Chain {
	t.Helper()
	c, err := b.Chain(spec, tag, mode)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// show renders tokens as words, with alternatives joined by | and gaps as _.
func show(tokens []Token) string {
	var out strings.Builder
	next := int32(0)
	for i, t := range tokens {
		if i > 0 && tokens[i-1].Position == t.Position {
			out.WriteByte('|')
		} else {
			for ; next < t.Position; next++ {
				out.WriteString(" _")
			}
			next = t.Position + 1
			out.WriteByte(' ')
		}
		out.Write(t.Term)
	}
	return strings.TrimSpace(out.String())
}

func TestEngineBuiltChains(t *testing.T) {
	for _, c := range []struct {
		name string
		spec *definition.Chain
		mode Mode
		text string
		want string
	}{
		{"matching", definition.MatchingChain(""), Index, "The Running Shoes of Carson's", "_ run shoe _ carson"},
		{"matching", definition.MatchingChain(""), Query, "running", "run"},
		{"autocomplete", definition.AutocompleteChain(), Index, "The Red", "t|th|the r|re|red"},
		{"autocomplete", definition.AutocompleteChain(), Query, "The Red " + strings.Repeat("x", 30), "the red " + strings.Repeat("x", 20)},
	} {
		var buf Buffer
		if got := show(chain(t, c.spec, "en", c.mode).Analyze(&buf, c.text)); got != c.want {
			t.Errorf("%s %d %q: %q, want %q", c.name, c.mode, c.text, got, c.want)
		}
	}
}

func TestLongWholeValuesCompareWithoutCase(t *testing.T) {
	c := chain(t, definition.MatchingChain("none"), "en", Query)
	var a, b Buffer
	long := strings.Repeat("Word ", 2000)
	if string(c.Normalize(&a, long)) != string(c.Normalize(&b, strings.ToLower(long))) {
		t.Error("a long value differs from itself in lower case")
	}
}

func TestWordsAreCountedByPosition(t *testing.T) {
	c := chain(t, &definition.Chain{Filters: []definition.TokenFilter{{Stopwords: &definition.Stopwords{}}, {ASCIIFolding: &definition.ASCIIFolding{PreserveOriginal: pointer(true)}}}}, "en", Query)
	var buf Buffer
	if tokens := c.Analyze(&buf, "the café in the hôtel at"); CountWords(tokens) != 2 || len(tokens) != 4 || buf.Positions() != 6 {
		t.Errorf("%d words in %d tokens over %d positions", CountWords(tokens), len(tokens), buf.Positions())
	}
	if CountWords(nil) != 0 {
		t.Error("words of nothing")
	}
}

func ExampleChain_Analyze() {
	c, _ := NewBuilder(Options{}).Chain(definition.MatchingChain(""), "en", Index)
	var buf Buffer
	for _, t := range c.Analyze(&buf, "The running shoes") {
		fmt.Println(t.Position, string(t.Term), t.Start, t.End)
	}
	// Output:
	// 1 run 4 11
	// 2 shoe 12 17
}
