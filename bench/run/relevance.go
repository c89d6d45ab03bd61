package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

// judgedSet is a collection with queries and the documents that answer them.
type judgedSet struct {
	name    string
	corpus  string // prepared file of documents
	queries []judgedQuery
	fields  []string // of texts, the most telling first
}

type judgedQuery struct {
	ID     string `json:"id"`
	Class  string `json:"class"`
	Text   string `json:"text"`
	Target string `json:"target"`
	grades map[string]float64
}

// quality is what a ranking reached over the queries of a set.
type quality struct {
	ndcg, mrr, recall float64
	queries           int
}

func (q *quality) add(top []string, grades map[string]float64) {
	q.queries++
	ideal := make([]float64, 0, len(grades))
	for _, g := range grades {
		ideal = append(ideal, g)
	}
	slices.Sort(ideal)
	slices.Reverse(ideal)
	best, got, found := 0.0, 0.0, 0
	first := 0.0
	for i := range min(10, len(ideal)) {
		best += ideal[i] / math.Log2(float64(i)+2)
	}
	for i, id := range top[:min(100, len(top))] {
		g := grades[id]
		if g <= 0 {
			continue
		}
		found++
		if i < 10 {
			got += g / math.Log2(float64(i)+2)
			if first == 0 {
				first = 1 / float64(i+1)
			}
		}
	}
	if best > 0 {
		q.ndcg += got / best
	}
	q.mrr += first
	q.recall += float64(found) / float64(len(grades))
}

func (q quality) means() (ndcg, mrr, recall float64) {
	n := max(1, float64(q.queries))
	return q.ndcg / n, q.mrr / n, q.recall / n
}

// readPacked calls take for every line of a packed file.
func readPacked(path string, take func([]byte) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(path, ".zst") {
		z, err := zstd.NewReader(f, zstd.WithDecoderMaxWindow(1<<28))
		if err != nil {
			return err
		}
		defer z.Close()
		in = z
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 1<<20), 64<<20)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if err := take(lines.Bytes()); err != nil {
			return err
		}
	}
	return lines.Err()
}

// project writes documents with the named members alone, and as one text under
// "body" for engines that have no fields.
func project(in, out string, fields []string, asOne bool) error {
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	err = readPacked(in, func(line []byte) error {
		var d map[string]any
		if err := json.Unmarshal(line, &d); err != nil {
			return err
		}
		kept := map[string]any{"id": d["id"]}
		if asOne {
			var parts []string
			for _, name := range fields {
				if text, ok := d[name].(string); ok {
					parts = append(parts, text)
				}
			}
			kept["body"] = strings.Join(parts, "\n")
		} else {
			for _, name := range fields {
				if text, ok := d[name].(string); ok && text != "" {
					kept[name] = text
				}
			}
		}
		text, err := json.Marshal(kept)
		if err != nil {
			return err
		}
		_, err = w.Write(append(text, '\n'))
		return err
	})
	return errors.Join(err, w.Flush(), f.Close())
}

func readJudged(o options, name string) (judgedSet, error) {
	s := judgedSet{name: name, corpus: filepath.Join(o.data, name+".docs.ndjson.zst"), fields: []string{"title", "body"}}
	grades := map[string]map[string]float64{}
	err := readPacked(filepath.Join(o.data, name+".qrels.ndjson.zst"), func(line []byte) error {
		var j struct {
			Query, Doc string
			Grade      float64
		}
		if err := json.Unmarshal(line, &j); err != nil {
			return err
		}
		if grades[j.Query] == nil {
			grades[j.Query] = map[string]float64{}
		}
		grades[j.Query][j.Doc] = j.Grade
		return nil
	})
	if err != nil {
		return s, err
	}
	err = readPacked(filepath.Join(o.data, name+".queries.ndjson.zst"), func(line []byte) error {
		var q judgedQuery
		if err := json.Unmarshal(line, &q); err != nil {
			return err
		}
		if q.grades = grades[q.ID]; len(q.grades) > 0 {
			s.queries = append(s.queries, q)
		}
		return nil
	})
	return s, err
}

func readKnownItems(o options) (judgedSet, error) {
	s := judgedSet{name: "debian", corpus: filepath.Join(o.data, "debian_packages.ndjson.zst"), fields: []string{"name", "title", "body"}}
	err := readPacked(filepath.Join(o.data, "debian_packages.known_item.jsonl"), func(line []byte) error {
		var q judgedQuery
		if err := json.Unmarshal(line, &q); err != nil {
			return err
		}
		q.grades = map[string]float64{q.Target: 1}
		s.queries = append(s.queries, q)
		return nil
	})
	return s, err
}

// ask runs every query and sums up by class.
func (s judgedSet) ask(e *engine, command func(text string) map[string]any) (map[string]*quality, error) {
	classes := map[string]*quality{}
	for _, q := range s.queries {
		var a answer
		if err := e.ask(command(q.Text), &a); err != nil {
			return nil, fmt.Errorf("query %s: %w", q.ID, err)
		}
		if classes[q.Class] == nil {
			classes[q.Class] = &quality{}
		}
		classes[q.Class].add(a.Top, q.grades)
	}
	return classes, nil
}

// relevance prints ranking quality on the judged sets, ours beside Lucene's.
func relevance(o options) error {
	if err := os.MkdirAll(o.work, 0o755); err != nil {
		return err
	}
	if err := build("quire"); err != nil {
		return err
	}
	if err := build("lucene"); err != nil {
		fmt.Fprintln(os.Stderr, "bench: without Lucene:", err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Ranking quality, %s\n\nCommit: %s. NDCG with linear gains. Documents have a title and a body (packages: name, title, body). \"one text\" is one field of all texts with English analysis (stop words, stemming), any word matches, as Lucene's BM25 row. \"roles\" is a definition of roles alone. Rows below it change one thing each.\n\n",
		time.Now().Format("2006-01-02"), commit())
	for _, name := range []string{"cranfield", "cisi"} {
		s, err := readJudged(o, name)
		if errors.Is(err, os.ErrNotExist) {
			fmt.Println("no", name, "in", o.data)
			continue
		}
		if err == nil {
			err = s.compare(o, &b, judgedVariants())
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	s, err := readKnownItems(o)
	if err == nil {
		err = s.compare(o, &b, knownItemVariants())
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("known items: %w", err)
	}
	fmt.Println(b.String())
	if err := os.MkdirAll(filepath.Dir(o.out), 0o755); err != nil {
		return err
	}
	return os.WriteFile(strings.TrimSuffix(o.out, ".md")+"-relevance.md", []byte(b.String()), 0o644)
}

// compare runs Lucene and every variant on a set and writes its table.
func (s judgedSet) compare(o options, b *strings.Builder, variants []variant) error {
	asOne := filepath.Join(o.work, s.name+"-text.ndjson")
	asFields := filepath.Join(o.work, s.name+"-fields.ndjson")
	if err := errors.Join(project(s.corpus, asOne, s.fields, true), project(s.corpus, asFields, s.fields, false)); err != nil {
		return err
	}
	classes := []string{""}
	if s.queries[0].Class != "" {
		classes = []string{"known_item", "typo_name", "prefix_name"}
	}
	fmt.Fprintf(b, "## %s (%d queries)\n\n| ranking |", s.name, len(s.queries))
	for _, c := range classes {
		if c == "" {
			b.WriteString(" NDCG@10 | MRR@10 | recall@100 |")
		} else {
			fmt.Fprintf(b, " %s MRR@10 |", c)
		}
	}
	columns := len(classes)
	if columns == 1 {
		columns = 3
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", columns) + "\n")
	row := func(name string, found map[string]*quality) {
		fmt.Fprintf(b, "| %s |", name)
		for _, c := range classes {
			ndcg, mrr, recall := found[c].means()
			if c == "" {
				fmt.Fprintf(b, " %.4f | %.4f | %.4f |", ndcg, mrr, recall)
			} else {
				fmt.Fprintf(b, " %.4f |", mrr)
			}
		}
		b.WriteString("\n")
		fmt.Printf("%s: %s done\n", s.name, name)
	}
	if err := s.lucene(o, asOne, len(classes) > 1, row); err != nil {
		return err
	}
	for _, v := range variants {
		corpus := asFields
		if v.isOneText {
			corpus = asOne
		}
		found, err := s.ours(o, corpus, v)
		if err != nil {
			return fmt.Errorf("%s: %w", v.name, err)
		}
		row(v.name, found)
	}
	b.WriteString("\n")
	return nil
}

func (s judgedSet) lucene(o options, corpus string, isBox bool, row func(string, map[string]*quality)) error {
	e, err := start("lucene")
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench: without Lucene:", err)
		return nil
	}
	defer e.close()
	dir := filepath.Join(o.work, "relevance-lucene-"+s.name)
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := e.ask(map[string]any{"do": "index", "corpus": corpus, "dir": dir, "threads": 1, "merge": true, "analysis": "english"}, &e.built); err != nil {
		return err
	}
	if err := e.ask(map[string]any{"do": "open", "dir": dir}, &e.opened); err != nil {
		return err
	}
	ops := []string{"text"}
	if isBox {
		ops = append(ops, "box")
	}
	for _, op := range ops {
		found, err := s.ask(e, func(text string) map[string]any {
			return map[string]any{"do": "query", "query": map[string]any{"op": op, "text": text, "k": 100}, "repeat": 1}
		})
		if err != nil {
			return err
		}
		name := "Lucene " + e.hello.Version + ", BM25, English, one text"
		if op == "box" {
			name += ", with FuzzyQuery and PrefixQuery beside each word"
		}
		row(name, found)
	}
	return nil
}

func (s judgedSet) ours(o options, corpus string, v variant) (map[string]*quality, error) {
	e, err := start("quire")
	if err != nil {
		return nil, err
	}
	defer e.close()
	dir := filepath.Join(o.work, "relevance-quire-"+s.name)
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if err := e.ask(map[string]any{"do": "index", "corpus": corpus, "dir": dir, "threads": 1, "merge": true, "definition": json.RawMessage(v.definition)}, &e.built); err != nil {
		return nil, err
	}
	if err := e.ask(map[string]any{"do": "open", "dir": dir}, &e.opened); err != nil {
		return nil, err
	}
	return s.ask(e, func(text string) map[string]any {
		clause := map[string]any{"type": "text", "text": text}
		for name, value := range v.clause {
			clause[name] = value
		}
		return map[string]any{"do": "search", "body": map[string]any{"limit": 100, "query": []any{clause}}}
	})
}
