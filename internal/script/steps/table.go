package steps

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bar separates the cells of a row.
const Bar = "|"

// IsTable reports whether a step sends its request once per row of a table.
func (s Step) IsTable() bool { return len(s.Answer) > 0 && strings.Contains(s.Answer[0], Bar) }

// Rows expands a table into steps, one per row, each with the request of that
// row and without an answer. A step without a table is returned as the only
// row.
func (s Step) Rows() ([]Step, error) {
	if !s.IsTable() {
		return []Step{s}, nil
	}
	columns := SplitRow(s.Answer[0])
	var rows []Step
	for i, line := range s.Answer[1:] {
		if IsComment(line) {
			continue
		}
		cells := SplitRow(line)
		if len(cells) != len(columns) {
			return nil, fmt.Errorf("line %d: row %d has %d cells, the table has %d columns", s.Line, i+1, len(cells), len(columns))
		}
		row := Step{Line: s.Line + len(s.Request) + 2 + i, Request: slices.Clone(s.Request)}
		for c, column := range columns {
			for r := range row.Request {
				row.Request[r] = fill(row.Request[r], column, cells[c])
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// fill replaces ${column} with a cell: as a JSON string if the placeholder is
// in quotes, otherwise verbatim.
func fill(line, column, cell string) string {
	name := "${" + column + "}"
	if quoted := `"` + name + `"`; strings.Contains(line, quoted) {
		line = strings.ReplaceAll(line, quoted, quote(cell))
	}
	return strings.ReplaceAll(line, name, cell)
}

// quote returns text as a JSON string.
func quote(text string) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		panic(fmt.Sprintf("a string is not written as JSON: %v", err))
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// IsComment reports whether a line of a table is a comment.
func IsComment(line string) bool { return strings.HasPrefix(line, "#") }

// SplitRow returns the cells of a row.
func SplitRow(line string) []string {
	cells := strings.Split(line, Bar)
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

// AlignRows aligns the columns of rows; a row with one cell is a comment and is
// left unchanged.
func AlignRows(rows [][]string) []string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		if len(row) == len(widths) {
			for c, cell := range row {
				widths[c] = max(widths[c], utf8.RuneCountInString(cell))
			}
		}
	}
	lines := make([]string, len(rows))
	for r, row := range rows {
		var line strings.Builder
		for c, cell := range row {
			if c > 0 {
				line.WriteString(" " + Bar + " ")
			}
			line.WriteString(cell)
			if c < len(row)-1 {
				line.WriteString(strings.Repeat(" ", widths[c]-utf8.RuneCountInString(cell)))
			}
		}
		lines[r] = strings.TrimRight(line.String(), " ")
	}
	return lines
}
