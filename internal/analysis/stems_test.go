package analysis

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quiresearch/quire/definition"
)

// TestNormalizedStemsAgreeWithOthers compares the combination of normalizer and
// stemmer with that of an independent implementation, for languages whose
// stemmer expects normalized words.
func TestNormalizedStemsAgreeWithOthers(t *testing.T) {
	files, _ := filepath.Glob("testdata/stems/*.txt")
	if len(files) == 0 {
		t.Fatal("no files of stems")
	}
	for _, name := range files {
		tag := strings.TrimSuffix(filepath.Base(name), ".txt")
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		c := chain(t, &definition.Chain{
			Tokenizer: &definition.Tokenizer{Keyword: &definition.Empty{}},
			Filters:   []definition.TokenFilter{{Normalize: &definition.Normalize{}}, {Stemming: &definition.Stemming{}}},
		}, tag, Index)
		var buf Buffer
		agree, all := 0, 0
		for line := range strings.Lines(string(content)) {
			word, want, ok := strings.Cut(strings.TrimSpace(line), " ")
			if !ok || word == "#" {
				continue
			}
			all++
			if got := show(c.Analyze(&buf, word)); got == want {
				agree++
			} else if all-agree < 8 && testing.Verbose() {
				t.Logf("%s: %s gives %s, others %s", tag, word, got, want)
			}
		}
		t.Logf("%s: %d of %d stems agree", tag, agree, all)
		// hi also removes endings in their normalized spelling, which the other
		// implementation misses.
		if least := map[string]int{"ar": 100, "hi": 95}[tag]; agree*100 < all*least {
			t.Errorf("%s: %d of %d stems agree", tag, agree, all)
		}
	}
}
