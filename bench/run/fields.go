package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Texts searched in a title and a body are compared with the same texts
// searched in one field that contains both. Two processes of the same engine
// have one index each and alternate text by text.
//
// A text is measured when it is searched for the first time, with nothing
// cached, and when it is searched again. The processes are warm in both cases:
// they have already run other texts of the same classes.

const (
	oneField = `{"source":"none","fields":{"id":{"type":"string","primaryKey":true,"stored":true},"body":{"type":"string","role":"description"}}}`
	twoField = `{"source":"none","fields":{"id":{"type":"string","primaryKey":true,"stored":true},"title":{"type":"string","role":"title"},
		"body":{"type":"string","role":"description"}}}`
)

// fieldClass holds texts of one kind and their times in microseconds: by index,
// one field before two, and by text.
type fieldClass struct {
	name         string
	match        string
	warm, texts  []string
	first, again [2][]float64
}

// fields measures the cost of a second field.
func fields(o options) error {
	if err := os.MkdirAll(o.work, 0o755); err != nil {
		return err
	}
	if !o.built {
		if err := build("quire"); err != nil {
			return err
		}
	}
	var engines [2]*engine
	var files [2]string
	for i, name := range []string{"one", "two"} {
		files[i] = filepath.Join(o.work, fmt.Sprintf("commits-%s-%d.ndjson", name, o.docs))
	}
	if err := writeFields(o, files); err != nil {
		return err
	}
	classes, err := fieldClasses(o, files[1])
	if err != nil {
		return err
	}
	for i, definition := range []string{oneField, twoField} {
		e, err := startOn(files[i], definition)
		if err != nil {
			return err
		}
		defer e.close()
		engines[i] = e
	}
	for _, c := range classes {
		if err := c.ask(engines, c.warm, o.repeat, func(int, float64) {}); err != nil {
			return err
		}
	}
	for _, c := range classes {
		err := errors.Join(
			c.ask(engines, c.texts, 1, func(i int, us float64) { c.first[i] = append(c.first[i], us) }),
			c.ask(engines, c.texts, o.repeat, func(i int, us float64) { c.again[i] = append(c.again[i], us) }))
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	text := renderFields(engines[0].opened.Docs, classes)
	fmt.Println(text)
	return os.WriteFile(strings.TrimSuffix(o.out, ".md")+"-fields.md", []byte(text), 0o644)
}

// startOn indexes a corpus, merges it, and opens it in a process of its own.
func startOn(corpus, definition string) (*engine, error) {
	dir := strings.TrimSuffix(corpus, ".ndjson") + "-quire"
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	builder, err := start("quire")
	if err != nil {
		return nil, err
	}
	defer builder.close()
	fmt.Println("indexing", corpus)
	command := map[string]any{"do": "index", "corpus": corpus, "dir": dir, "threads": 2, "merge": true, "definition": json.RawMessage(definition)}
	if err := builder.ask(command, &builder.built); err != nil {
		return nil, err
	}
	e, err := start("quire")
	if err != nil {
		return nil, err
	}
	e.dir = dir
	if err := e.open(); err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}

// longestTitle is the maximum length of a title in bytes; the excess is moved
// to the body, because a title is sorted by and such values are limited.
const longestTitle = 4000

// writeFields writes the corpus with title and body as one field and as two.
func writeFields(o options, files [2]string) error {
	type document struct {
		ID    string `json:"id"`
		Title string `json:"title,omitempty"`
		Body  string `json:"body"`
	}
	for i, file := range files {
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		fmt.Println("preparing", file)
		err := unpack(filepath.Join(o.data, "commits.ndjson.zst"), file, o.docs, func(line []byte) ([]byte, error) {
			var d document
			if err := json.Unmarshal(line, &d); err != nil {
				return nil, err
			}
			d.Title, d.Body = string(words(nil, d.Title)), string(words(nil, d.Body))
			if len(d.Title) > longestTitle {
				cut := strings.LastIndexByte(d.Title[:longestTitle], ' ') + 1
				d.Title, d.Body = d.Title[:cut], d.Title[cut:]+d.Body
			}
			if i == 0 {
				d.Title, d.Body = "", d.Title+d.Body
			}
			return json.Marshal(d)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// fieldClasses takes texts from documents of the corpus: words that occur
// together in one, in any order. Texts for warm-up and texts for measurement
// come from different documents, and no text is in two classes.
func fieldClasses(o options, corpus string) ([]*fieldClass, error) {
	var documents [][]string
	err := readPacked(corpus, func(line []byte) error {
		var d struct{ Title, Body string }
		if err := json.Unmarshal(line, &d); err != nil {
			return err
		}
		all := strings.Fields(strings.ToLower(d.Title + d.Body))
		slices.Sort(all)
		all = slices.DeleteFunc(slices.Compact(all), func(w string) bool { return utf8.RuneCountInString(w) < 3 })
		documents = append(documents, all)
		return nil
	})
	if err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(5, 6))
	random.Shuffle(len(documents), func(i, j int) { documents[i], documents[j] = documents[j], documents[i] })
	known := map[string]bool{}
	for _, all := range documents {
		for _, w := range all {
			known[w] = true
		}
	}
	next := func(n, typos int) (string, error) {
		for len(documents) > 0 {
			all := documents[0]
			documents = documents[1:]
			if len(all) < n {
				continue
			}
			random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			text := all[:n]
			if typos == 0 {
				return strings.Join(text, " "), nil
			}
			if at := slices.IndexFunc(text, func(w string) bool { return len(w) >= 3+3*typos && len(w) == utf8.RuneCountInString(w) }); at >= 0 {
				w := text[at]
				w = w[:3] + w[4:] // remove a letter
				if typos == 2 {
					w = w[:len(w)-2] + "q" + w[len(w)-1:] // and replace another
				}
				if text[at] = w; typos == 1 || !known[w] {
					return strings.Join(text, " "), nil
				}
			}
		}
		return "", fmt.Errorf("%d documents are too few for texts of %d words", o.docs, n)
	}
	var classes []*fieldClass
	add := func(name, match string, n, typos int) error {
		c := &fieldClass{name: name, match: match}
		for range o.perKind {
			warm, err := next(n, typos)
			if err != nil {
				return err
			}
			text, err := next(n, typos)
			if err != nil {
				return err
			}
			c.warm, c.texts = append(c.warm, warm), append(c.texts, text)
		}
		classes = append(classes, c)
		return nil
	}
	for _, n := range []int{2, 4, 8} {
		for _, match := range []string{"any", "all"} {
			name := fmt.Sprintf("%d words, %s", n, match)
			if err := errors.Join(add(name, match, n, 0), add(name+", typo", match, n, 1)); err != nil {
				return nil, err
			}
		}
	}
	err = add("unknown word, two edits", "any", 1, 2)
	return classes, err
}

// ask sends every text to both engines, alternating which one is first.
func (c *fieldClass) ask(engines [2]*engine, texts []string, repeat int, take func(engine int, us float64)) error {
	for at, text := range texts {
		body := map[string]any{"query": []any{map[string]any{"type": "text", "text": text, "match": c.match, "prefix": "off", "relax": "off"}}}
		for turn := range engines {
			i := (at + turn) % len(engines)
			var a answer
			if err := engines[i].ask(map[string]any{"do": "search", "body": body, "repeat": repeat}, &a); err != nil {
				return fmt.Errorf("%q: %w", text, err)
			}
			take(i, a.Micros)
		}
	}
	return nil
}

func renderFields(docs int, classes []*fieldClass) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Texts over two fields beside one, %s\n\nCommit: %s. %d commits in one segment. Times in microseconds, median · 99 %%; the ratio is the median over the texts of two fields to one, each asked right after the other. Typos are forgiven in every class; where it says so, a letter of one word is missing. The unknown word lacks a letter and has another in place of one.\n",
		time.Now().Format("2006-01-02"), commit(), docs)
	table := func(title string, times func(*fieldClass) [2][]float64) {
		fmt.Fprintf(&b, "\n## %s\n\n| class | one field | two fields | ratio |\n|---|---|---|---|\n", title)
		for _, c := range classes {
			t := times(c)
			ratios := make([]float64, len(t[0]))
			for i := range ratios {
				ratios[i] = t[1][i] / t[0][i]
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %.2f |\n", c.name, spread(t[0]), spread(t[1]), middle(ratios))
		}
	}
	table("Asked for the first time", func(c *fieldClass) [2][]float64 { return c.first })
	table("Asked again", func(c *fieldClass) [2][]float64 { return c.again })
	return b.String()
}

// spread formats the median and the 99th percentile.
func spread(values []float64) string {
	return fmt.Sprintf("%.0f · %.0f", middle(values), slow(values))
}
