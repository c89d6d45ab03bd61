package analysis

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quiresearch/quire/definition"
)

// TestAgreement prints how often stems and words agree with independent
// implementations. scripts/text-agreement prepares the folder it reads;
// docs/reference/locales.md explains the differences.
func TestAgreement(t *testing.T) {
	folder := os.Getenv("AGREEMENT")
	if folder == "" {
		t.Skip("run scripts/text-agreement")
	}
	b := everything(t)
	files, _ := filepath.Glob(folder + "/stems/*.tsv")
	for _, name := range files {
		tag := strings.TrimSuffix(filepath.Base(name), ".tsv")
		if tag != "is" { // its forms are locale data
			stemAgreement(t, b, tag, lines(t, name))
		}
	}
	files, _ = filepath.Glob(folder + "/borders/*.tsv")
	for _, name := range files {
		borderAgreement(t, b, strings.TrimSuffix(filepath.Base(name), ".tsv"), lines(t, name))
	}
}

func lines(t *testing.T, name string) []string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimRight(string(content), "\n"), "\n")
}

// stemAgreement counts the stems that another stemmer also produces, ignoring
// letter forms, and the words whose stem is that of their base form.
func stemAgreement(t *testing.T, b *Builder, tag string, words []string) {
	c := built(t, b, &definition.Chain{
		Tokenizer: &definition.Tokenizer{Keyword: &definition.Empty{}},
		Filters:   []definition.TokenFilter{{Normalize: &definition.Normalize{}}, {Stemming: &definition.Stemming{}}},
	}, tag, Index)
	plain := built(t, b, &definition.Chain{Filters: []definition.TokenFilter{{Normalize: &definition.Normalize{}}}}, tag, Index)
	var buf Buffer
	var stems, equal, bases, meet int
	var shown []string
	for _, line := range words {
		columns := strings.Split(line, "\t")
		ours := show(c.Analyze(&buf, columns[0]))
		if columns[1] != "-" {
			stems++
			if ours == columns[1] || ours == string(plain.Normalize(&buf, columns[1])) {
				equal++
			} else if len(shown) < 5 && (stems-equal)%7 == 1 {
				shown = append(shown, columns[0]+": "+ours+", not "+columns[1])
			}
		}
		if columns[2] != "-" {
			bases++
			if show(c.Analyze(&buf, columns[2])) == ours {
				meet++
			}
		}
	}
	t.Logf("%-3s %6d words, Snowball %s, meet their base form %s; %s", tag, len(words), percent(equal, stems), percent(meet, bases), strings.Join(shown, "; "))
}

func percent(part, all int) string {
	if all == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(all))
}

// borderAgreement counts the boundaries of ICU's words that are also boundaries
// here.
func borderAgreement(t *testing.T, b *Builder, tag string, paragraphs []string) {
	c := built(t, b, &definition.Chain{}, tag, Index)
	var buf Buffer
	var borders, shared int
	for _, line := range paragraphs {
		segments := strings.Split(line, "\t")
		text := strings.ReplaceAll(strings.Join(segments, ""), "|", "")
		ours := map[int]bool{}
		for _, k := range c.Analyze(&buf, text) {
			ours[int(k.Start)], ours[int(k.End)] = true, true
		}
		at := 0
		for _, s := range segments {
			word, isWord := strings.CutPrefix(s, "|")
			if isWord {
				for _, border := range []int{at, at + len(word)} {
					borders++
					if ours[border] {
						shared++
					}
				}
			}
			at += len(word)
		}
	}
	t.Logf("%-7s %5d word borders of ICU, ours too %s", tag, borders, percent(shared, borders))
}
