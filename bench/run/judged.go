package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// judgedSet is a collection of documents and queries with their relevant
// documents.
type judgedSet struct {
	name      string
	language  string // of the analysis
	documents []json.RawMessage
	queries   []judgedQuery
	titles    []string // fields with the role of a title
	prose     []string // the other fields
}

type judgedQuery struct {
	ID     string `json:"id"`
	Class  string `json:"class"`
	Text   string `json:"text"`
	Target string `json:"target"`
	grades map[string]float64
}

// classes returns the classes of the queries in table order, or a single class
// without a name if the queries have grades.
func (s judgedSet) classes() []string {
	if s.queries[0].Class == "" {
		return []string{""}
	}
	return []string{"known_item", "typo_name", "prefix_name", "question", "inflected"}
}

func (s judgedSet) ofClass(class string) []judgedQuery {
	var found []judgedQuery
	for _, q := range s.queries {
		if q.Class == class {
			found = append(found, q)
		}
	}
	return found
}

// readPacked calls take for every line of a compressed file.
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

// add adds a document, reduced to its key and texts.
func (s *judgedSet) add(document map[string]any) error {
	kept := map[string]any{"id": document["id"]}
	for _, name := range slices.Concat(s.titles, s.prose) {
		if text, ok := document[name].(string); ok && strings.TrimSpace(text) != "" {
			kept[name] = text
		}
	}
	line, err := json.Marshal(kept)
	s.documents = append(s.documents, line)
	return err
}

func (s *judgedSet) addLine(line []byte) error {
	var document map[string]any
	if err := json.Unmarshal(line, &document); err != nil {
		return err
	}
	return s.add(document)
}

// write writes the documents to a file: unchanged, or with all texts combined
// in "body".
func (s judgedSet) write(path string, asOneText bool) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for _, line := range s.documents {
		if asOneText {
			if line, err = s.oneText(line); err != nil {
				return errors.Join(err, f.Close())
			}
		}
		_, _ = w.Write(line) // Flush reports any error
		_ = w.WriteByte('\n')
	}
	return errors.Join(w.Flush(), f.Close())
}

func (s judgedSet) oneText(line []byte) ([]byte, error) {
	var d map[string]string
	if err := json.Unmarshal(line, &d); err != nil {
		return nil, err
	}
	var parts []string
	for _, name := range slices.Concat(s.titles, s.prose) {
		if d[name] != "" {
			parts = append(parts, d[name])
		}
	}
	return json.Marshal(map[string]string{"id": d["id"], "body": strings.Join(parts, "\n")})
}

func readJudged(o options, name string) (judgedSet, error) {
	s := judgedSet{name: name, language: "en", titles: []string{"title"}, prose: []string{"body"}}
	if err := readPacked(filepath.Join(o.data, name+".docs.ndjson.zst"), s.addLine); err != nil {
		return s, err
	}
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

func readPackages(o options) (judgedSet, error) {
	s := judgedSet{name: "packages", language: "en", titles: []string{"name", "title"}, prose: []string{"body"}}
	if err := readPacked(filepath.Join(o.data, "debian_packages.ndjson.zst"), s.addLine); err != nil {
		return s, err
	}
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
