package load

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/tabular"
	"github.com/quiresearch/quire/internal/written"
)

// csvReader reads rows of cells. An empty cell becomes null.
type csvReader struct {
	in        *csv.Reader
	separator rune
	names     [][]byte // column names, quoted
	pending   []string // a first row that is not a header
	number    int
	hasNamed  bool // a returned row named every column
	out       []byte
	notes     []string
}

// newCSVReader detects the separator and whether the first row names the
// columns.
func newCSVReader(text *bufio.Reader, start []byte, isAll bool, extension string) (*csvReader, error) {
	if bytes.IndexByte(start, '\n') < 0 && bytes.IndexByte(start, '\r') >= 0 { // Excel for Mac may write such files
		text, start = bufio.NewReader(tabular.LineFeeds(text)), bytes.ReplaceAll(start, []byte("\r"), []byte("\n"))
	}
	separator := findSeparator(start, isAll)
	if line, _, _ := bytes.Cut(start, []byte("\n")); separatorLine.Match(line) { // Excel reads and writes such a line
		separator = rune(line[len("sep=")])
		_, _ = text.Discard(len(line) + 1)
	}
	if extension == "tsv" && strings.Contains(string(start), "\t") {
		separator = '\t'
	}
	lines := &records{text: text, separator: byte(separator)}
	in := csv.NewReader(lines)
	in.Comma, in.ReuseRecord, in.FieldsPerRecord, in.LazyQuotes = separator, true, -1, true
	first, err := in.Read()
	if bad := (*RowError)(nil); errors.As(err, &bad) {
		err = bad.Err
	}
	if err != nil {
		return nil, fmt.Errorf("read the first row: %w", err)
	}
	r := &csvReader{in: in, separator: separator}
	names := slices.Clone(first)
	lines.columns = len(names)
	if !isHeader(names) {
		r.pending = slices.Clone(first)
		r.notes = append(r.notes, "the first row holds values, not names: columns are named column_1, column_2, …")
		for i := range names {
			names[i] = ""
		}
	}
	seen := make(map[string]bool)
	for i, name := range names {
		name = strings.TrimSpace(name)
		if name == "" {
			name = fmt.Sprintf("column_%d", i+1)
		}
		for unique, n := name, 2; ; n++ {
			if !seen[unique] {
				name = unique
				break
			}
			unique = fmt.Sprintf("%s_%d", name, n)
		}
		seen[name] = true
		quoted, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(name, "\ufffd"))
		if err != nil {
			return nil, fmt.Errorf("name of column %d: %w", i+1, err)
		}
		r.names = append(r.names, quoted)
	}
	return r, nil
}

var separatorLine = regexp.MustCompile(`^sep=[,;\t|]\r?$`)

func (r *csvReader) format() string {
	if r.separator == '\t' {
		return "TSV"
	}
	return fmt.Sprintf("CSV, separated by %q", string(r.separator))
}

// isHeader reports whether cells are names: none of them reads as a number or a
// date. The only numbers that are names are years in sequence.
func isHeader(cells []string) bool {
	isFilled, years := false, []int(nil)
	for _, cell := range cells {
		cell = strings.TrimSpace(cell)
		isFilled = isFilled || cell != ""
		number, unit, isNumber := written.Number(cell, '.')
		if isNumber && unit == "" {
			year, err := strconv.Atoi(number)
			if err != nil || year < 1000 || year > 2999 {
				return false
			}
			years = append(years, year)
		}
		if _, isDate := written.Date(cell, true); isDate {
			return false
		}
		if len(cell) > 200 || strings.HasPrefix(cell, "http") {
			return false
		}
	}
	return isFilled && (len(years) == 0 || len(years) < len(cells) && areInSequence(years))
}

// areInSequence reports whether each of several years is one more than the one before, or
// each one less.
func areInSequence(years []int) bool {
	if len(years) < 2 {
		return false
	}
	step := years[1] - years[0]
	for i := range years[1:] {
		if years[i+1]-years[i] != step {
			return false
		}
	}
	return step == 1 || step == -1
}

// findSeparator returns the separator that splits the first lines into the same
// number of cells, preferring more cells.
func findSeparator(start []byte, isAll bool) rune {
	best, bestScore := ',', 0
	for _, candidate := range []rune{',', ';', '\t', '|'} {
		in := csv.NewReader(strings.NewReader(string(start[:min(len(start), 128<<10)])))
		in.Comma, in.FieldsPerRecord, in.LazyQuotes, in.ReuseRecord = candidate, -1, true, true
		counts := make(map[int]int)
		rows, width := 0, 0
		for rows < 200 {
			cells, err := in.Read()
			if err != nil {
				break
			}
			if rows == 0 {
				width = len(cells)
			}
			rows++
			counts[len(cells)]++
		}
		if !isAll && rows > 1 { // the last line may be incomplete
			rows--
		}
		if width > 1 && rows > 0 {
			if score := counts[width] * 1000 / rows * min(width, 50); score > bestScore {
				best, bestScore = candidate, score
			}
		}
	}
	return best
}

// Next returns the next row that has a value, as an object of strings. Spreadsheets
// write rows of separators alone below the last row.
func (r *csvReader) Next(context.Context) (Row, error) {
	for {
		row, err := r.next()
		if err != nil || len(row.Document) > 0 {
			return row, err
		}
	}
}

// next returns the next row. Its document is empty if every cell is.
func (r *csvReader) next() (Row, error) {
	cells := r.pending
	r.pending = nil
	if cells == nil {
		var err error
		cells, err = r.in.Read()
		if errors.Is(err, io.EOF) {
			return Row{}, io.EOF
		}
		if err != nil {
			if bad := (*RowError)(nil); errors.As(err, &bad) {
				r.number++
				bad.Number = r.number
				return Row{}, bad
			}
			if parse := (*csv.ParseError)(nil); !errors.As(err, &parse) {
				return Row{}, err
			}
			r.number++
			return Row{}, &RowError{Number: r.number, Err: err}
		}
	}
	r.number++
	if len(cells) > len(r.names) {
		for _, extra := range cells[len(r.names):] {
			if strings.TrimSpace(extra) != "" {
				return Row{}, &RowError{Number: r.number, Text: shorten(strings.Join(cells, string(r.separator))),
					Err: fmt.Errorf("it has %d cells, the header %d; put quotes around cells that hold the separator", len(cells), len(r.names))}
			}
		}
	}
	for _, cell := range cells {
		if !utf8.ValidString(cell) {
			return Row{}, &RowError{Number: r.number, Text: shorten(strings.Join(cells, string(r.separator))), Err: errors.New("the text is not valid UTF-8")}
		}
	}
	if !slices.ContainsFunc(cells, func(cell string) bool { return strings.TrimSpace(cell) != "" }) {
		return Row{Number: r.number}, nil
	}
	r.out = append(r.out[:0], '{')
	for i, cell := range cells[:min(len(cells), len(r.names))] {
		if cell = strings.TrimSpace(cell); cell == "" && r.hasNamed {
			continue
		}
		if len(r.out) > 1 {
			r.out = append(r.out, ',')
		}
		r.out = append(append(r.out, r.names[i]...), ':')
		if cell == "" { // the first row names every column
			r.out = append(r.out, "null"...)
			continue
		}
		r.out = appendText(r.out, cell)
	}
	r.out = append(r.out, '}')
	r.hasNamed = true
	return Row{Number: r.number, Document: r.out}, nil
}

// appendText appends a JSON string; bytes that are not UTF-8 become U+FFFD.
func appendText(to []byte, text string) []byte {
	out, err := jsontext.AppendQuote(to, text)
	if err != nil {
		out, _ = jsontext.AppendQuote(to, strings.ToValidUTF8(text, "\ufffd"))
	}
	return out
}

func shorten(text string) string {
	if len(text) > 200 {
		return strings.ToValidUTF8(text[:200], "") + "…"
	}
	return strings.ToValidUTF8(text, "\ufffd")
}
