package cli

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
)

const linesType = "application/x-ndjson"

// readJudgements reads a file and returns the body of a judgement set and its
// type. The file name determines the format: .json, .ndjson and .jsonl are sent
// as they are, .csv and .tsv have a header, and anything else is TREC qrels,
// with the query texts in the file queries.
func readJudgements(file, queries string) (body []byte, kind string, err error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, "", err
	}
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	var judged *judgedQueries
	switch strings.ToLower(filepath.Ext(file)) {
	case ".json":
		return content, "application/json", nil
	case ".ndjson", ".jsonl":
		return content, linesType, nil
	case ".csv":
		judged, err = readGradeTable(content, ',')
	case ".tsv":
		judged, err = readGradeTable(content, '\t')
	default:
		judged, err = readQrels(content, queries)
	}
	if err != nil {
		return nil, "", err
	}
	body, err = judged.lines()
	return body, linesType, err
}

// judgedQueries collects grades by query, in order of first appearance.
type judgedQueries struct {
	order  []string
	byName map[string]*judgedText
}

type judgedText struct {
	ID     string             `json:"id,omitempty"`
	Text   string             `json:"text"`
	Grades map[string]float64 `json:"grades"`
}

func (j *judgedQueries) add(name, key, grade string) error {
	value, err := strconv.ParseFloat(strings.TrimSpace(grade), 64)
	if err != nil {
		return fmt.Errorf("the grade %q is not a number", grade)
	}
	if j.byName == nil {
		j.byName = make(map[string]*judgedText)
	}
	q := j.byName[name]
	if q == nil {
		q = &judgedText{Text: name, Grades: make(map[string]float64)}
		j.byName[name] = q
		j.order = append(j.order, name)
	}
	q.Grades[key] = max(value, 0) // TREC marks spam with negative grades
	return nil
}

// lines writes the queries that have a relevant key; the others cannot be
// measured.
func (j *judgedQueries) lines() ([]byte, error) {
	var body []byte
	for _, name := range j.order {
		q := j.byName[name]
		isRelevant := false
		for _, grade := range q.Grades {
			isRelevant = isRelevant || grade > 0
		}
		if !isRelevant || q.Text == "" {
			continue
		}
		line, err := json.Marshal(q, json.Deterministic(true))
		if err != nil {
			return nil, err
		}
		body = append(append(body, line...), '\n')
	}
	if body == nil {
		return nil, errors.New("no query has a text and a grade above 0")
	}
	return body, nil
}

// readGradeTable reads a table with the columns text (or query), key (or
// document, id) and grade; without a grade column every key has grade 1.
func readGradeTable(content []byte, comma rune) (*judgedQueries, error) {
	rows := csv.NewReader(bytes.NewReader(content))
	rows.Comma, rows.FieldsPerRecord = comma, -1
	head, err := rows.Read()
	if err != nil {
		return nil, fmt.Errorf("read the header: %w", err)
	}
	column := func(names ...string) int {
		for i, cell := range head {
			for _, name := range names {
				if strings.EqualFold(strings.TrimSpace(cell), name) {
					return i
				}
			}
		}
		return -1
	}
	text, key, grade := column("text", "query"), column("key", "document", "id"), column("grade")
	if text < 0 || key < 0 {
		return nil, errors.New("the header must have the columns text and key; grade is optional")
	}
	judged := &judgedQueries{}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return judged, nil
		}
		if err != nil {
			return nil, err
		}
		if len(row) <= max(text, key, grade) {
			return nil, fmt.Errorf("a row has %d columns, but the header has %d", len(row), len(head))
		}
		value := "1"
		if grade >= 0 {
			value = row[grade]
		}
		if err := judged.add(row[text], row[key], value); err != nil {
			return nil, err
		}
	}
}

// readQrels reads lines of query, iteration, key and grade, and the texts of
// the queries.
func readQrels(content []byte, queries string) (*judgedQueries, error) {
	if queries == "" {
		return nil, errors.New("TREC qrels need the texts of their queries: set --queries")
	}
	texts, err := readTexts(queries)
	if err != nil {
		return nil, err
	}
	judged := &judgedQueries{}
	for line := range strings.Lines(string(content)) {
		parts := strings.Fields(line)
		if len(parts) == 0 {
			continue
		}
		if len(parts) != 4 {
			return nil, fmt.Errorf("the line %q must have a query, an iteration, a key and a grade", strings.TrimSpace(line))
		}
		if err := judged.add(parts[0], parts[2], parts[3]); err != nil {
			return nil, err
		}
	}
	for id, q := range judged.byName {
		q.ID, q.Text = id, texts[id]
	}
	return judged, nil
}

// readTexts reads the texts of queries, keyed by query ID.
func readTexts(file string) (map[string]string, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	texts := make(map[string]string)
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "{") {
			var q struct{ ID, Text string }
			if err := json.Unmarshal([]byte(line), &q, json.MatchCaseInsensitiveNames(true)); err != nil {
				return nil, err
			}
			texts[q.ID] = q.Text
		} else if id, text, ok := strings.Cut(line, "\t"); ok {
			texts[id] = strings.TrimSpace(text)
		}
	}
	return texts, lines.Err()
}
