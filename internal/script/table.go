package script

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/quiresearch/quire/internal/script/steps"
)

// absent is the cell of a member missing from the answer.
const absent = "-"

// doTable sends the request of each row and returns the table with the answers
// filled into the output columns.
func (n *Node) doTable(ctx context.Context, step steps.Step) ([]string, error) {
	rows, err := step.Rows()
	if err != nil {
		return nil, err
	}
	columns := steps.SplitRow(step.Answer[0])
	isInput := make([]bool, len(columns))
	for c, column := range columns {
		isInput[c] = strings.Contains(strings.Join(step.Request, "\n"), "${"+column+"}")
	}
	lines := [][]string{columns}
	for _, line := range step.Answer[1:] {
		if steps.IsComment(line) {
			lines = append(lines, []string{line})
			continue
		}
		answer, err := n.Do(ctx, rows[0])
		if err != nil {
			return nil, err
		}
		shown, err := answerCells(answer, columns, isInput)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", rows[0].Line, err)
		}
		for c, cell := range steps.SplitRow(line) {
			if isInput[c] {
				shown[c] = cell
			}
		}
		lines, rows = append(lines, shown), rows[1:]
	}
	return steps.AlignRows(lines), nil
}

// answerCells distributes an answer over the columns that are not inputs. A
// failure goes into the first of them.
func answerCells(answer, columns []string, isInput []bool) ([]string, error) {
	cells := make([]string, len(columns))
	status, _, body := parseAnswer(answer)
	if status != "200" {
		first := slices.Index(isInput, false)
		if first < 0 {
			return nil, fmt.Errorf("no column shows %s", status)
		}
		cells[first] = strings.Join(answer, " / ")
		return cells, checkCells(cells)
	}
	var packed bytes.Buffer
	if err := json.Compact(&packed, []byte(body)); err != nil {
		return nil, fmt.Errorf("a table needs answers in JSON: %w", err)
	}
	members := make(map[string]json.RawMessage)
	if err := json.Unmarshal(packed.Bytes(), &members); err != nil {
		return nil, fmt.Errorf("a table needs answers that are objects: %w", err)
	}
	written := make(map[string]bool)
	for c, column := range columns {
		if isInput[c] {
			continue
		}
		member, write := view(column)
		written[member] = true
		cells[c] = absent
		if value, found := members[member]; found {
			cells[c] = write(value)
		}
	}
	for member := range members {
		if !written[member] {
			return nil, fmt.Errorf("the table has no column for %s", member)
		}
	}
	return cells, checkCells(cells)
}

func checkCells(cells []string) error {
	for _, cell := range cells {
		if strings.Contains(cell, steps.Bar) {
			return fmt.Errorf("%q does not fit in a table: it holds a bar", cell)
		}
	}
	return nil
}

// view returns the member of an answer that a column shows, and how to render
// it.
func view(column string) (member string, write func(json.RawMessage) string) {
	switch column {
	case "hits":
		return "hits", writeHits
	case "read":
		return "interpreted", func(value json.RawMessage) string { return writeFilters(value, filter.condition) }
	case "words":
		return "interpreted", func(value json.RawMessage) string { return writeFilters(value, filter.typed) }
	case "remains":
		return "interpreted", writeRemaining
	default:
		return column, func(value json.RawMessage) string { return string(value) }
	}
}

// interpreted is the interpretation of typed text.
type interpreted struct {
	Filters []json.RawMessage
	Text    string
}

// writeRemaining renders the remaining text to search for.
func writeRemaining(value json.RawMessage) string {
	var read interpreted
	if !decodeStrictly(value, &read) {
		return string(value)
	}
	return read.Text
}

// writeHits renders hits as their keys, if they have no other members.
func writeHits(value json.RawMessage) string {
	var hits []struct {
		ID       string
		Score    *string
		Document struct{ ID string }
	}
	if !decodeStrictly(value, &hits) {
		return string(value)
	}
	var keys []string
	for _, hit := range hits {
		if hit.ID != hit.Document.ID || hit.Score == nil || strings.Contains(hit.ID, ",") {
			return string(value)
		}
		keys = append(keys, hit.ID)
	}
	return strings.Join(keys, ", ")
}

// filter is a quantity or value recognized in typed text.
type filter struct {
	Field string
	Match struct {
		Type             string
		Value            json.RawMessage
		GT, GTE, LT, LTE json.Number
	}
	Words          []string
	When, Fallback json.RawMessage
}

// writeFilters renders one part of each recognized filter.
func writeFilters(value json.RawMessage, part func(filter) string) string {
	var read interpreted
	if !decodeStrictly(value, &read) {
		return string(value)
	}
	var parts []string
	for _, each := range read.Filters {
		var f filter
		if decodeStrictly(each, &f) && (f.Match.Type == "" || f.Match.Type == "range") {
			parts = append(parts, part(f))
		} else {
			parts = append(parts, string(each))
		}
	}
	return strings.Join(parts, "; ")
}

// condition renders the condition of a filter, as price = 5, price < 5 or 5 <=
// price < 7, followed by its when and fallback.
func (f filter) condition() string {
	text := f.comparison()
	if f.When != nil {
		text += " when " + string(f.When)
	}
	if f.Fallback != nil {
		text += " fallback " + string(f.Fallback)
	}
	return text
}

func (f filter) comparison() string {
	if f.Match.Type == "" {
		return f.Field + " = " + string(f.Match.Value)
	}
	lower, upper := f.Match.GT+f.Match.GTE, f.Match.LT+f.Match.LTE
	below, above := " < ", " > "
	if f.Match.LTE != "" {
		below = " <= "
	}
	if f.Match.GTE != "" {
		above = " >= "
	}
	switch {
	case upper == "":
		return f.Field + above + lower.String()
	case lower == "":
		return f.Field + below + upper.String()
	default:
		return lower.String() + strings.ReplaceAll(above, ">", "<") + f.Field + below + upper.String()
	}
}

// typed renders the words from which a filter was recognized.
func (f filter) typed() string {
	for _, word := range f.Words {
		if strings.ContainsAny(word, "; ") {
			return compact(f.Words)
		}
	}
	return strings.Join(f.Words, " ")
}

// decodeStrictly decodes a value and reports whether it has only members of
// target.
func decodeStrictly(value []byte, target any) bool {
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.DisallowUnknownFields()
	return decoder.Decode(target) == nil
}
