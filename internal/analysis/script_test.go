package analysis

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quiresearch/quire/definition"
)

var rewrite = flag.Bool("rewrite", false, "replace the expected output in testdata")

// TestScripts runs testdata/*.txt. A step is
//
//	<what> <locale> <chain>
//	text, to the line of dashes
//	----
//	tokens
//
// where <what> is index or query (words in order, readings of one position
// joined by |, gaps as _), offsets (every word and the text it came from) or
// normalize (the whole value), and <chain> is matching, autocomplete, or a
// chain as JSON.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	locales, _ := filepath.Glob("testdata/locales/*.txt")
	files = append(files, locales...)
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts")
	}
	b := NewBuilder(Options{})
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			out := runScript(t, b, string(content))
			if *rewrite {
				if err := os.WriteFile(name, []byte(out), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// runScript runs the steps and returns the script with the output they gave.
func runScript(t *testing.T, b *Builder, script string) string {
	var out []string
	for _, step := range strings.Split(strings.TrimRight(script, "\n"), "\n\n") {
		lines := strings.Split(step, "\n")
		first := 0
		for first < len(lines) && strings.HasPrefix(lines[first], "#") {
			first++
		}
		dashes := first
		for dashes < len(lines) && lines[dashes] != "----" {
			dashes++
		}
		if first == len(lines) {
			out = append(out, step)
			continue
		}
		if dashes == len(lines) {
			t.Fatalf("a step without ----:\n%s", step)
		}
		got := runStep(b, lines[first], strings.Join(lines[first+1:dashes], "\n"))
		if want := strings.Join(lines[dashes+1:], "\n"); got != want && !*rewrite {
			t.Errorf("%s\ngave\n%s\nwant\n%s", strings.Join(lines[:dashes], "\n"), got, want)
		}
		out = append(out, strings.TrimRight(strings.Join(lines[:dashes+1], "\n")+"\n"+got, "\n"))
	}
	return strings.Join(out, "\n\n") + "\n"
}

func runStep(b *Builder, command, text string) string {
	what, rest, _ := strings.Cut(command, " ")
	tag, spec, _ := strings.Cut(rest, " ")
	var definitionChain *definition.Chain
	switch spec {
	case "matching":
		definitionChain = Matching("none")
	case "autocomplete":
		definitionChain = Autocomplete()
	default:
		definitionChain = &definition.Chain{}
		if err := json.Unmarshal([]byte(spec), definitionChain); err != nil {
			return err.Error()
		}
	}
	mode := Index
	if what == "query" {
		mode = Query
	}
	c, err := b.Chain(definitionChain, tag, mode)
	if err != nil {
		return err.Error()
	}
	var buf Buffer
	switch what {
	case "normalize":
		return string(c.Normalize(&buf, text))
	case "offsets":
		var out []string
		for _, k := range c.Analyze(&buf, text) {
			out = append(out, fmt.Sprintf("%d %s: %q", k.Position, k.Term, text[k.Start:k.End]))
		}
		return strings.Join(out, "\n")
	case "index", "query":
		return show(c.Analyze(&buf, text))
	}
	return "unknown step " + what
}
