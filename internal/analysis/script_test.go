package analysis

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis/decompound"
	"github.com/quiresearch/quire/internal/analysis/segmenter"
	"github.com/quiresearch/quire/internal/analysis/stem"
	"github.com/quiresearch/quire/internal/analysis/tokenfilter"
	"github.com/quiresearch/quire/internal/locale"
)

var rewrite = flag.Bool("rewrite", false, "replace the expected output in testdata")

// TestScripts runs testdata/components/*.txt, a file for each component, and
// testdata/locales/*.txt, a file for each locale. A step is
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
	files, err := filepath.Glob("testdata/[cl]o*s/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts")
	}
	b := everything(t)
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

// TestEveryComponentAndLocaleHasAScript: components are those that a definition
// can name, locales those of the table.
func TestEveryComponentAndLocaleHasAScript(t *testing.T) {
	has := func(file, step string) {
		content, err := os.ReadFile("testdata/" + file)
		if err != nil || !strings.Contains(string(content), step) {
			t.Errorf("%s has no step with %s", file, step)
		}
	}
	for _, kind := range []reflect.Type{reflect.TypeFor[definition.Tokenizer](), reflect.TypeFor[definition.CharFilter](), reflect.TypeFor[definition.TokenFilter]()} {
		for i := range kind.NumField() {
			name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
			has("components/"+name+".txt", `{"`+name+`":`)
		}
	}
	for _, tag := range locale.Tags() {
		for _, step := range []string{"index " + tag + " matching", "offsets " + tag + " matching", "query " + tag + " autocomplete", "normalize " + tag} {
			has("locales/"+tag+".txt", step)
		}
		if content, _ := os.ReadFile("testdata/locales/" + tag + ".txt"); strings.Contains(string(content), "not supported") {
			t.Errorf("%s is not analysed in its script", tag)
		}
	}
}

// equipped returns the options of a node with the word lists of the program
// and, for the languages that need locale data, a few words.
func equipped(t testing.TB) Options {
	t.Helper()
	options := Options{
		Segmenters:    segmenter.Tokenizers(),
		Breaker:       segmenter.Breaker,
		Decompounders: map[string]func() (tokenfilter.Splitter, error){},
		Stemmers: map[string]func() (stem.Stemmer, error){"is": func() (stem.Stemmer, error) {
			var list bytes.Buffer
			if _, err := stem.WriteForms(&list, [][2]string{{"börnin", "barn"}, {"lesa", "lesa"}, {"bækur", "bók"}}); err != nil {
				return nil, err
			}
			return stem.OpenForms(list.Bytes())
		}},
		Stopwords: map[string]func() ([]string, error){"is": func() ([]string, error) { return []string{"og"}, nil }},
	}
	for tag, parts := range compoundParts {
		options.Decompounders[tag] = func() (tokenfilter.Splitter, error) {
			patterns, err := decompound.ReadPatterns(strings.NewReader("n1j s1z d1t e1t n1v r1b"))
			if err != nil {
				return nil, err
			}
			var list bytes.Buffer
			if _, err := decompound.WriteWords(&list, strings.Fields(parts)); err != nil {
				return nil, err
			}
			return decompound.New(patterns, list.Bytes())
		}
	}
	return options
}

// compoundParts are the words of the small compound data; no uses the words of
// nb.
var compoundParts = map[string]string{
	"da": "regn jakke", "de": "regen jacke arbeit zeit", "fi": "sade takki", "is": "regn jakki", "nb": "regn jakke", "nl": "regen jas", "nn": "regn jakke", "sv": "regn jacka",
}

// runScript runs the steps and returns the script with their actual output.
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
		definitionChain = definition.MatchingChain("")
	case "autocomplete":
		definitionChain = definition.AutocompleteChain()
	default:
		definitionChain = &definition.Chain{}
		if err := json.Unmarshal([]byte(spec), definitionChain); err != nil {
			return err.Error()
		}
		// In this form, the filter contains the rules of synonyms; a definition names
		// a set instead.
		var sets struct {
			Filters []struct{ Synonyms *definition.SynonymSet }
		}
		if err := json.Unmarshal([]byte(spec), &sets); err != nil {
			return err.Error()
		}
		for i, f := range sets.Filters {
			if f.Synonyms != nil {
				definitionChain.Filters[i].Synonyms.Rules = f.Synonyms.Rules
			}
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
