package analysis

import (
	"errors"
	"sync"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis/stem"
	"github.com/quiresearch/quire/internal/analysis/token"
	"github.com/quiresearch/quire/internal/analysis/tokenfilter"
	"github.com/quiresearch/quire/internal/analysis/tokenizer"
)

func TestChainsAreMadeOnce(t *testing.T) {
	chains := NewChains(NewBuilder(Options{}))
	custom := &definition.Chain{Filters: []definition.TokenFilter{{Normalize: &definition.Normalize{}}}}
	title := &definition.ResolvedField{Matching: &definition.ResolvedText{}, Autocomplete: &definition.ResolvedText{Chain: custom}}
	body := &definition.ResolvedField{Matching: &definition.ResolvedText{}}
	get := func(f *definition.ResolvedField, autocomplete bool, tag string) *Chain {
		c, err := chains.IndexChain(f, autocomplete, tag)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if get(title, false, "en") != get(body, false, "") {
		t.Error("two fields the engine builds alike have two chains")
	}
	if get(title, false, "en") == get(title, false, "fr") {
		t.Error("two locales share a chain")
	}
	if get(title, true, "en") == get(body, true, "en") {
		t.Error("a custom chain and a built one are the same")
	}
	query, err := chains.QueryChain(title, false, "en")
	if err != nil || query == get(title, false, "en") {
		t.Errorf("the query side is the index side: %v", err)
	}
	if _, err := chains.IndexChain(title, false, "xx"); !errors.Is(err, ErrLocaleUnsupported) {
		t.Errorf("xx: %v", err)
	}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() { get(title, true, "sv") })
	}
	wait.Wait()
}

// twice stands in for locale data.
type twice struct{}

func (twice) AppendStem(_ *stem.Scratch, dst, word []byte) []byte {
	return append(append(dst, word...), word...)
}

func (twice) AppendParts(dst []int, word []byte) []int { return append(dst, 0, 2, 2, len(word)) }

func (twice) Tokenize(s *token.Stream, text []byte) {
	for i := range text {
		s.Add(text[i:i+1], i, i+1, token.Ideograph, 0)
	}
}

func TestDataOfTheNodeDecideWhatIsSupported(t *testing.T) {
	bare := NewBuilder(Options{})
	for _, tag := range []string{"is", "ja", "ko", "zh", "zh-Hant"} {
		if bare.Supports(tag) {
			t.Errorf("%s is supported without data", tag)
		}
	}
	if bare.Decompounds("sv") || bare.Decompounds("en") {
		t.Error("compounds without data")
	}
	loads := 0
	b := NewBuilder(Options{
		Segmenters:    map[string]func() (tokenizer.Tokenizer, error){"zh": func() (tokenizer.Tokenizer, error) { loads++; return twice{}, nil }},
		Decompounders: map[string]func() (tokenfilter.Splitter, error){"nb": func() (tokenfilter.Splitter, error) { return twice{}, nil }},
		Stemmers:      map[string]func() (stem.Stemmer, error){"is": func() (stem.Stemmer, error) { return twice{}, nil }},
		Stopwords:     map[string]func() ([]string, error){"is": func() ([]string, error) { return []string{"OG"}, nil }},
	})
	for tag, want := range map[string]string{"zh": "a b c", "is": "abcabc", "no": "abc|ab|c"} {
		decompound := ""
		if tag == "is" {
			decompound = "none"
		}
		c, err := b.Chain(definition.MatchingChain(decompound), tag, Index)
		if err != nil {
			t.Fatal(err)
		}
		var buf Buffer
		if got := show(c.Analyze(&buf, "abc")); got != want {
			t.Errorf("%s: %q, want %q", tag, got, want)
		}
	}
	var buf Buffer
	is, _ := b.Chain(definition.MatchingChain(""), "is", Query)
	if got := show(is.Analyze(&buf, "og x")); got != "_ xx" {
		t.Errorf("is: %q", got)
	}
	if _, err := b.Chain(definition.MatchingChain(""), "ZH", Query); err != nil || loads != 1 {
		t.Errorf("loaded %d times: %v", loads, err)
	}
	if _, err := b.Chain(definition.MatchingChain(""), "sv", Index); !errors.Is(err, ErrNoCompoundData) {
		t.Errorf("sv: %v", err)
	}
	if !b.Decompounds("no") || !b.Decompounds("nb") || b.Decompounds("nn") {
		t.Error("no uses the data of nb, nn does not")
	}
}

// TestDataAreNeeded: a node without the data of a compounding language rejects
// the chain on the index side, and Icelandic altogether.
func TestDataAreNeeded(t *testing.T) {
	b := NewBuilder(Options{})
	for _, tag := range []string{"da", "de", "fi", "nb", "nl", "nn", "no", "sv"} {
		if _, err := b.Chain(definition.MatchingChain(""), tag, Index); !errors.Is(err, ErrNoCompoundData) {
			t.Errorf("%s: %v", tag, err)
		}
		if _, err := b.Chain(definition.MatchingChain("none"), tag, Index); err != nil {
			t.Errorf("%s without decompounding: %v", tag, err)
		}
		if _, err := b.Chain(definition.MatchingChain(""), tag, Query); err != nil {
			t.Errorf("the query side of %s: %v", tag, err)
		}
	}
	if _, err := b.Chain(definition.MatchingChain("none"), "is", Index); !errors.Is(err, ErrLocaleUnsupported) {
		t.Errorf("is: %v", err)
	}
}
