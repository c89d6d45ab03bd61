package localedata

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/analysis/tokenfilter"
)

// prepared returns the options of the locale data that scripts/locale-data.sh
// prepared in the folder LOCALE_DATA.
func prepared(t testing.TB) analysis.Options {
	directory := os.Getenv("LOCALE_DATA")
	if directory == "" {
		t.Skip("LOCALE_DATA names no locale data")
	}
	var options analysis.Options
	if err := Add(&options, directory); err != nil {
		t.Fatal(err)
	}
	return options
}

// TestCommonCompounds counts the common compounds of which both parts are
// found. docs/reference/locales.md explains why some are not.
func TestCommonCompounds(t *testing.T) {
	options := prepared(t)
	content, err := os.ReadFile("testdata/compounds.txt")
	if err != nil {
		t.Fatal(err)
	}
	splitters := map[string]tokenfilter.Splitter{}
	all, whole := map[string]int{}, map[string]int{}
	for line := range strings.Lines(string(content)) {
		columns := strings.Fields(line)
		if columns[0] == "#" {
			continue
		}
		tag, word := columns[0], columns[1]
		all[tag]++
		splitter := splitters[tag]
		if splitter == nil {
			if splitter, err = options.Decompounders[tag](); err != nil {
				t.Fatal(err)
			}
			splitters[tag] = splitter
		}
		var parts []string
		for at := splitter.AppendParts(nil, []byte(word)); len(at) > 1; at = at[2:] {
			parts = append(parts, word[at[0]:at[1]])
		}
		if slices.Contains(parts, columns[2]) && slices.Contains(parts, columns[3]) {
			whole[tag]++
		} else {
			t.Logf("%s: %s is %q, want %q", tag, word, parts, columns[2:])
		}
	}
	for tag, n := range all {
		t.Logf("%s: both parts of %d of %d", tag, whole[tag], n)
		if whole[tag]*100 < n*90 {
			t.Errorf("%s: both parts of %d of %d", tag, whole[tag], n)
		}
	}
}

// BenchmarkCompounds analyses the texts in the folder ANALYSIS_TEXTS, one file
// per language, splitting compounds.
func BenchmarkCompounds(b *testing.B) {
	builder := analysis.NewBuilder(prepared(b))
	for _, tag := range []string{"da", "de", "fi", "is", "nb", "nl", "nn", "sv"} {
		text, err := os.ReadFile(os.Getenv("ANALYSIS_TEXTS") + "/" + tag)
		if err != nil {
			continue
		}
		b.Run(tag, func(b *testing.B) {
			chain, err := builder.Chain(definition.MatchingChain(""), tag, analysis.Index)
			if err != nil {
				b.Fatal(err)
			}
			var buffer analysis.Buffer
			lines := strings.SplitAfter(string(text), "\n")
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				for _, line := range lines {
					chain.Analyze(&buffer, line)
				}
			}
		})
	}
}
