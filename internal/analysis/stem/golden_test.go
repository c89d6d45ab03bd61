package stem

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pairs reads a file of words and stems.
func pairs(t testing.TB, name string) [][2]string {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var out [][2]string
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		word, stem, ok := strings.Cut(lines.Text(), " ")
		if !ok {
			t.Fatalf("%s: %q", name, lines.Text())
		}
		out = append(out, [2]string{word, stem})
	}
	return out
}

// TestStemsAgreeWithOthers compares stems with those of Python snowballstemmer
// 3.1.1 and of the light stemmers of bleve, for sampled words of real texts.
// least is the percentage that must agree; docs/reference/locales.md explains
// why some do not.
func TestStemsAgreeWithOthers(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no files of stems")
	}
	if extra := os.Getenv("STEM_PAIRS"); extra != "" {
		files = []string{extra}
	}
	for _, name := range files {
		tag := strings.TrimSuffix(filepath.Base(name), ".txt")
		stemmer, ok := For(tag)
		if !ok {
			t.Errorf("%s has no stemmer", tag)
			continue
		}
		var scratch Scratch
		agree, shown := 0, 0
		list := pairs(t, name)
		for _, p := range list {
			got := string(stemmer.AppendStem(&scratch, nil, []byte(p[0])))
			if got == p[1] {
				agree++
			} else if shown < 12 && testing.Verbose() {
				shown++
				t.Logf("%s: %s gives %s, others %s", tag, p[0], got, p[1])
			}
		}
		percent := 100 * float64(agree) / float64(len(list))
		t.Logf("%s: %d of %d stems agree (%.2f %%)", tag, agree, len(list), percent)
		if percent < least[tag] {
			t.Errorf("%s: %.2f %% of the stems agree, want %.2f %%", tag, percent, least[tag])
		}
	}
}

// least is the required agreement in percent, by tag. The stemmers imported as
// a module follow Snowball 2 or, for nl, what Snowball 3 calls dutch_porter.
var least = map[string]float64{
	"ca": 100, "da": 99, "de": 100, "el": 100, "en": 100, "es": 100, "et": 100, "eu": 100, "fi": 99.5, "fr": 100, "ga": 100, "hu": 100, "hy": 100, "id": 100, "it": 100, "lt": 100,
	"ne": 100, "nl": 100, "pt": 100, "ro": 100, "ru": 100, "sr": 100, "sv": 100, "ta": 100, "tr": 97,
}
