package analysis

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis/token"
	"github.com/quiresearch/quire/internal/locale"
)

// shared is a builder with all word lists, shared because they are slow to
// load.
var shared struct {
	once    sync.Once
	builder *Builder
}

func everything(t testing.TB) *Builder {
	shared.once.Do(func() { shared.builder = NewBuilder(equipped(t)) })
	return shared.builder
}

func pointer[T any](v T) *T { return &v }

// specs returns chains that together have every component.
func specs() map[string]*definition.Chain {
	normalize := definition.TokenFilter{Normalize: &definition.Normalize{}}
	return map[string]*definition.Chain{
		"matching":     definition.MatchingChain(""),
		"autocomplete": definition.AutocompleteChain(),
		"html": {
			CharFilters: []definition.CharFilter{
				{HTMLStrip: &definition.Empty{}},
				{Mapping: &definition.Mapping{Mappings: map[string]string{"a": "bb", "ß": "", "&": " and "}}},
				{PatternReplace: &definition.PatternReplace{Pattern: `(\d)(\d)`, Replacement: "$2-$1"}},
			},
			Filters: []definition.TokenFilter{normalize, {Stopwords: &definition.Stopwords{}}, {Stemming: &definition.Stemming{}}},
		},
		"letter": {
			Tokenizer: &definition.Tokenizer{Letter: &definition.Empty{}},
			Filters:   []definition.TokenFilter{{Normalize: &definition.Normalize{CaseFolding: pointer(false)}}, {ASCIIFolding: &definition.ASCIIFolding{PreserveOriginal: pointer(true)}}},
		},
		"whitespace": {
			Tokenizer: &definition.Tokenizer{Whitespace: &definition.Empty{}},
			Filters:   []definition.TokenFilter{{Ngram: &definition.Ngram{MinGram: pointer(2), MaxGram: pointer(3)}}, {Stopwords: &definition.Stopwords{Words: []string{"ab"}}}},
		},
		"keyword": {
			Tokenizer: &definition.Tokenizer{Keyword: &definition.Empty{}},
			Filters:   []definition.TokenFilter{normalize, {ASCIIFolding: &definition.ASCIIFolding{}}, {EdgeNgram: &definition.Ngram{}}},
		},
		"synonyms": {
			Filters: []definition.TokenFilter{normalize, {Synonyms: &definition.Synonyms{Rules: []definition.SynonymRule{
				{Equivalent: []string{"car", "motor vehicle"}}, {Mapping: &definition.SynonymMapping{From: []string{"a b", "a"}, To: []string{"x y z"}}},
			}}}, {Stemming: &definition.Stemming{}}},
		},
	}
}

// check verifies the invariants of package token.
func check(t *testing.T, text string, tokens []Token, positions int32) {
	t.Helper()
	last := int32(0)
	for _, k := range tokens {
		switch {
		case k.Position < last || k.Position >= positions:
			t.Fatalf("%q: %q at position %d behind %d of %d", text, k.Term, k.Position, last, positions)
		case k.Start < 0 || k.Start > k.End || int(k.End) > len(text):
			t.Fatalf("%q: %q from %d to %d", text, k.Term, k.Start, k.End)
		case utf8.ValidString(text) && (!utf8.ValidString(text[:k.Start]) || !utf8.ValidString(text[:k.End])):
			t.Fatalf("%q: %q from %d to %d splits a code point", text, k.Term, k.Start, k.End)
		case len(k.Term) == 0 || len(k.Term) > token.MaxTermBytes:
			t.Fatalf("%q: a term of %d bytes", text, len(k.Term))
		}
		last = k.Position
	}
	if len(tokens) > token.MaxTokens {
		t.Fatalf("%d tokens", len(tokens))
	}
}

var texts = []string{
	"", " ", "The quick brown fox", "L'homme d'aujourd'hui", "<p>R&amp;B wi-fi</p> a b car 1234", "İstanbul'da IŞIK", "日本語テキスト 한국어 สวัสดี",
	"लड़कियों की किताबें", "ΟΔΥΣΣΕΥΣ όμορφες", "a\u0301\u0301\u0301 \u200d\u200c e\u0301", "🇸🇪👍🏽 ok", "кОшки ещё", "\xff\xfe broken \xc3", "nAthair tÉ", "a b a b a",
}

func TestEveryChainKeepsTheInvariants(t *testing.T) {
	b := everything(t)
	for name, spec := range specs() {
		for _, tag := range locale.Tags() {
			if !b.Supports(tag) {
				continue
			}
			for _, mode := range []Mode{Index, Query} {
				c, err := b.Chain(spec, tag, mode)
				if err != nil {
					t.Fatalf("%s %s: %v", name, tag, err)
				}
				var buf Buffer
				for _, text := range texts {
					tokens := c.Analyze(&buf, text)
					check(t, text, tokens, buf.Positions())
					c.Normalize(&buf, text)
				}
			}
		}
	}
}

// TestOffsetsNameTheWord: whatever a chain makes of a word, its offsets delimit
// the word: that range analysed alone gives the same terms.
func TestOffsetsNameTheWord(t *testing.T) {
	b := everything(t)
	for _, tag := range locale.Tags() {
		if !b.Supports(tag) {
			continue
		}
		c := built(t, b, definition.MatchingChain("none"), tag, Index)
		var buf, alone Buffer
		for _, text := range texts {
			if !utf8.ValidString(text) {
				continue
			}
			for _, k := range c.Analyze(&buf, text) {
				found := false
				for _, again := range c.Analyze(&alone, text[k.Start:k.End]) {
					found = found || string(again.Term) == string(k.Term)
				}
				if !found {
					t.Errorf("%s %q: %q is not what %q gives", tag, text, k.Term, text[k.Start:k.End])
				}
			}
		}
	}
}

// TestQueryTermsAreIndexed: the first term that the query chain makes of a word is one
// of the terms the index chain makes of it. Forms of earlier versions, and of words that
// the typed word may stand for, may follow.
func TestQueryTermsAreIndexed(t *testing.T) {
	b := everything(t)
	for name, spec := range specs() {
		for _, tag := range locale.Tags() {
			if !b.Supports(tag) {
				continue
			}
			index, query := built(t, b, spec, tag, Index), built(t, b, spec, tag, Query)
			var a, z Buffer
			for _, text := range texts {
				have := map[string]bool{}
				for _, k := range index.Analyze(&a, text) {
					have[fmt.Sprint(k.Position, string(k.Term))] = true
				}
				found := int32(-1)
				for _, k := range query.Analyze(&z, text) {
					if have[fmt.Sprint(k.Position, string(k.Term))] {
						found = k.Position
					} else if k.Position != found {
						t.Errorf("%s %s %q: %q at %d is looked up and never indexed", name, tag, text, k.Term, k.Position)
					}
				}
			}
		}
	}
}

func TestOutputIsBounded(t *testing.T) {
	b := NewBuilder(Options{})
	var buf Buffer
	huge := definition.Ngram{MinGram: pointer(1), MaxGram: pointer(1 << 20)}
	for name, c := range map[string]*definition.Chain{
		"ngram":     {Tokenizer: &definition.Tokenizer{Keyword: &definition.Empty{}}, Filters: []definition.TokenFilter{{Ngram: &huge}}},
		"edge":      {Filters: []definition.TokenFilter{{EdgeNgram: &huge}}},
		"twice":     {Filters: []definition.TokenFilter{{Ngram: &huge}, {Ngram: &huge}}},
		"keyword":   {Tokenizer: &definition.Tokenizer{Keyword: &definition.Empty{}}, Filters: []definition.TokenFilter{{Normalize: &definition.Normalize{}}}},
		"expansion": {Filters: []definition.TokenFilter{{Normalize: &definition.Normalize{}}}},
	} {
		bounded, err := b.Chain(c, "en", Index)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{strings.Repeat("abcdefghij", 500), strings.Repeat("ﷺ", 2000), strings.Repeat("abcdefgh ", 1<<13)} {
			tokens := bounded.Analyze(&buf, text)
			if len(tokens) > token.MaxTokens {
				t.Errorf("%s: %d tokens", name, len(tokens))
			}
			for _, k := range tokens {
				if len(k.Term) > token.MaxTermBytes {
					t.Fatalf("%s: a term of %d bytes", name, len(k.Term))
				}
			}
		}
	}
}

// TestMemoryIsBounded: chains that multiply a text use tens of megabytes for a
// megabyte of text, whatever they do, and release them.
func TestMemoryIsBounded(t *testing.T) {
	grow := definition.CharFilter{PatternReplace: &definition.PatternReplace{Pattern: "([a-j])", Replacement: strings.Repeat("$1", 100)}}
	spread := definition.CharFilter{Mapping: &definition.Mapping{Mappings: map[string]string{"a": strings.Repeat("b ", 10000), "b": "a a"}}}
	grams := definition.TokenFilter{Ngram: &definition.Ngram{MinGram: pointer(1), MaxGram: pointer(255)}}
	normalize := definition.TokenFilter{Normalize: &definition.Normalize{}}
	folded := definition.TokenFilter{ASCIIFolding: &definition.ASCIIFolding{PreserveOriginal: pointer(true)}}
	b := NewBuilder(Options{})
	before := heap()
	for name, spec := range map[string]*definition.Chain{
		"growing text": {CharFilters: []definition.CharFilter{grow, grow, grow, grow, grow}, Filters: []definition.TokenFilter{normalize}},
		"spread words": {CharFilters: []definition.CharFilter{spread, spread, spread, spread}, Filters: []definition.TokenFilter{normalize}},
		"grams":        {Filters: []definition.TokenFilter{normalize, grams, grams, folded}},
		"one word":     {Tokenizer: &definition.Tokenizer{Keyword: &definition.Empty{}}, Filters: []definition.TokenFilter{normalize, grams}},
	} {
		c := built(t, b, spec, "en", Index)
		for _, text := range []string{strings.Repeat("a", 1<<20), strings.Repeat("ab cdéfghij ", 1<<16)} {
			var buf Buffer
			c.Analyze(&buf, text)
			if used := heap() - before; used > 120<<20 { // two lists of MaxTokens
				t.Errorf("%s: %d MB for a megabyte of text", name, used>>20)
			}
			c.Analyze(&buf, "short")
			c.Analyze(&buf, "text")
			if used := heap() - before; used > 6<<20 {
				t.Errorf("%s: %d MB kept", name, used>>20)
			}
			c.Analyze(&buf, "still in use")
		}
	}
}

// heap returns the live heap after a collection.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestChainsAreShared(t *testing.T) {
	b := everything(t)
	var wait sync.WaitGroup
	for worker := range 8 {
		wait.Go(func() {
			var buf Buffer
			for i, tag := range []string{"en", "fr", "el", "sr", "pl", "fi", "ta", "tr", "uk", "ja", "zh-Hant", "ko", "th", "de", "is"} {
				c, err := b.Chain(definition.MatchingChain(""), tag, Index)
				if err != nil {
					t.Error(err)
					return
				}
				for j := range texts {
					c.Analyze(&buf, texts[(worker+i+j)%len(texts)])
				}
			}
		})
	}
	wait.Wait()
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	c := chain(t, definition.MatchingChain("none"), "en", Index)
	text := englishText()
	var buf Buffer
	c.Analyze(&buf, text)
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection allocates and empties pools
	if n := testing.AllocsPerRun(5, func() { c.Analyze(&buf, text) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzAnyChainAnyText(f *testing.F) {
	b := everything(f)
	var chains []*Chain
	for _, spec := range specs() {
		for _, tag := range locale.Tags() {
			if b.Supports(tag) {
				c, err := b.Chain(spec, tag, Index)
				if err != nil {
					f.Fatal(err)
				}
				chains = append(chains, c)
			}
		}
	}
	for i, text := range texts {
		f.Add(text, uint16(i*37))
	}
	f.Fuzz(func(t *testing.T, text string, which uint16) {
		var buf Buffer
		c := chains[int(which)%len(chains)]
		check(t, text, c.Analyze(&buf, text), buf.Positions())
		c.Normalize(&buf, text)
	})
}
