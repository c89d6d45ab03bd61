package indexing

import (
	"strings"
	"sync"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/problem"
)

// TestWeighFindsWhatMultiplies checks that a document whose analysis multiplies its
// content is found before it is accepted, whatever the definition, and that other
// documents are not.
func TestWeighFindsWhatMultiplies(t *testing.T) {
	words := func(level string) string {
		var all []string
		for i := range 60 {
			all = append(all, `"`+level+strings.Repeat("x", i)+`"`)
		}
		return strings.Join(all, ",")
	}
	sets := `"resources":{"synonyms":{
		"s1":{"rules":[{"mapping":{"from":[` + words("a") + `],"to":[` + words("b") + `]}}]},
		"s2":{"rules":[{"mapping":{"from":[` + words("b") + `],"to":[` + words("c") + `]}}]},
		"s3":{"rules":[{"mapping":{"from":[` + words("c") + `],"to":[` + words("d") + `]}}]}}}`
	chained := `"filters":[{"synonyms":{"named":"s1"}},{"synonyms":{"named":"s2"}},{"synonyms":{"named":"s3"}}]`
	pattern := func(p string) string {
		return `"charFilters":[{"patternReplace":{"pattern":"` + p + `","replacement":"z"}}]`
	}
	for _, c := range []struct {
		name, chain, text string
		isHeavy           bool
	}{
		{"synonyms of synonyms", chained, strings.Repeat("a ", 1000), true},
		{"many of them", chained, "a b c", false},
		{"other words", chained, strings.Repeat("plain words ", 50_000), false},
		{"a pattern that reads ahead", pattern(`x*y|x`), strings.Repeat("x", 100_000), true},
		{"a large pattern", pattern(`(x{1,1000}y){1}`), strings.Repeat("x", 1_000_000), true},
		{"an everyday pattern", pattern(`[^a-z]+`), strings.Repeat("red shoes 42 ", 80_000), false},
		{"grams of grams", `"filters":[{"ngram":{"minGram":1,"maxGram":30}},{"ngram":{"minGram":1,"maxGram":30}},{"ngram":{"minGram":1,"maxGram":30}}]`,
			strings.Repeat("abcdefghijklmnopqrstuvwxyz", 100), true},
		{"grams", `"filters":[{"ngram":{"minGram":1,"maxGram":30}}]`, strings.Repeat("abcdefghijklmnopqrstuvwxyz ", 50_000), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := definition.ParseStored([]byte(`{"fields":{"t":{"type":"string","multiple":true,"matching":{"exact":{},"analyzer":{"custom":{`+c.chain+`}}}}},`+sets+`}`), definition.Capabilities{})
			if err != nil {
				t.Fatal(err)
			}
			schema := definition.NewSchema(d)
			var found problem.List
			read := document.NewReader(schema).Read([]byte(`{"t":["`+c.text+`","`+c.text+`"]}`), problem.Path{}, &found)
			if err := found.Err(); err != nil {
				t.Fatal(err)
			}
			heavy, err := Weigh(analysis.NewChains(analysis.NewBuilder(analysis.Options{})), read, new(sync.Mutex))
			if err != nil {
				t.Fatal(err)
			}
			if got := heavy != nil; got != c.isHeavy {
				t.Errorf("heavy: %v, want %v", got, c.isHeavy)
			}
		})
	}
}
