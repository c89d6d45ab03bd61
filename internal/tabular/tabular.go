// Package tabular converts rows of CSV and tab-separated text to JSON
// documents, according to the types of the fields in a definition.
//
// A Reader reads the header line and then one row after another. A Header,
// built once per schema, converts a row:
//
//	rows := tabular.NewReader(body, ',', maxRow)
//	names, err := rows.Header()
//	header, err := tabular.NewHeader(names, schema, rows.Decimal())
//	row, err := rows.Next()
//	json := header.Append(nil, row.Values)
//
// A column has the name of its field; address.city is a field of the object
// address, and title[sv] the variant of a localized field. Numbers, truth
// values, timestamps and geo points are parsed by package written; several
// values of a field are separated by | or given as a JSON list; objects and
// vectors are given as JSON. An empty value is left out. A value that cannot be
// converted stays a string, so that the reader of documents refuses it and
// reports its path.
//
// Memory is bounded by the longest row. A Reader belongs to one goroutine; a
// Header may be used by any number.
package tabular

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Row is one line of values. They are valid until the next row is read.
type Row struct {
	Values []string
	Line   int // 1-based line where the row starts
}

// RowError reports an unreadable row.
type RowError struct {
	Line   int
	Reason string
	// IsLast is true if reading cannot continue after it.
	IsLast bool
}

// Error returns the reason.
func (e *RowError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

// ErrTooLong reports a row longer than the limit.
var ErrTooLong = errors.New("the row is too long")

// Reader reads rows.
type Reader struct {
	source    *boundedSource
	buffer    *bufio.Reader
	delimiter rune
	rows      *csv.Reader
	columns   int
}

// NewReader returns a reader of rows with the given delimiter. A comma means a
// comma or a semicolon, whichever is more frequent in the header line. A row
// may have up to maxRow bytes; 0 means unlimited.
func NewReader(source io.Reader, delimiter rune, maxRow int64) *Reader {
	bounded := &boundedSource{source: source, limit: maxRow}
	return &Reader{source: bounded, buffer: bufio.NewReaderSize(bounded, 64<<10), delimiter: delimiter}
}

// Header reads the names of the columns. It returns io.EOF if there is no line.
func (r *Reader) Header() ([]string, error) {
	if mark, err := r.buffer.Peek(3); err == nil && bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = r.buffer.Discard(3)
	}
	// The buffered part of a long line is enough to decide.
	_, _ = r.buffer.Peek(1)
	first, _ := r.buffer.Peek(r.buffer.Buffered())
	line, _, hasLineFeed := bytes.Cut(first, []byte{'\n'})
	if end := bytes.IndexByte(line, '\r'); !hasLineFeed && end >= 0 && end+1 < len(line) {
		line = line[:end]
		r.buffer = bufio.NewReaderSize(LineFeeds(r.buffer), 64<<10)
	}
	if r.delimiter == ',' {
		if bytes.Count(line, []byte{';'}) > bytes.Count(line, []byte{','}) {
			r.delimiter = ';'
		}
	}
	r.rows = csv.NewReader(r.buffer)
	r.rows.Comma = r.delimiter
	r.rows.FieldsPerRecord = -1
	r.rows.ReuseRecord = true
	row, err := r.Next()
	if err != nil {
		return nil, err
	}
	names := make([]string, len(row.Values))
	for i, name := range row.Values {
		names[i] = strings.TrimSpace(name)
	}
	r.columns = len(names)
	return names, nil
}

// Decimal returns the decimal mark to try first: a comma if semicolons separate
// values, because then commas are free.
func (r *Reader) Decimal() byte {
	if r.delimiter == ';' {
		return ','
	}
	return '.'
}

// Next returns the next row, or io.EOF after the last. A *RowError concerns one
// row; other errors come from the source.
func (r *Reader) Next() (Row, error) {
	r.source.taken = 0
	values, err := r.rows.Read()
	var syntax *csv.ParseError
	switch {
	case errors.As(err, &syntax):
		return Row{}, &RowError{Line: syntax.StartLine, Reason: quoteReason(syntax.Err), IsLast: true}
	case err != nil:
		return Row{}, err
	}
	line, _ := r.rows.FieldPos(0)
	if r.columns > 0 && len(values) != r.columns {
		return Row{}, &RowError{Line: line, Reason: fmt.Sprintf("it has %d values, the header names %d", len(values), r.columns)}
	}
	for _, value := range values {
		if !utf8.ValidString(value) {
			return Row{}, &RowError{Line: line, Reason: "the text is not valid UTF-8"}
		}
	}
	return Row{Values: values, Line: line}, nil
}

func quoteReason(err error) string {
	if errors.Is(err, csv.ErrQuote) {
		return `a quotation mark is not closed, or not followed by a delimiter; write "" for one inside a value`
	}
	return `a quotation mark stands inside a value without quotes; put the value in quotes and write "" for it`
}

// LineFeeds returns a reader that replaces the carriage returns of text by line feeds.
// Old spreadsheets end lines with carriage returns alone.
func LineFeeds(text io.Reader) io.Reader { return lineFeeds{text} }

type lineFeeds struct{ text io.Reader }

func (l lineFeeds) Read(p []byte) (int, error) {
	n, err := l.text.Read(p)
	for i, c := range p[:n] {
		if c == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}

// boundedSource limits the bytes read for one row.
type boundedSource struct {
	source io.Reader
	limit  int64
	taken  int64
}

func (s *boundedSource) Read(p []byte) (int, error) {
	if s.limit > 0 && s.taken > s.limit {
		return 0, ErrTooLong
	}
	n, err := s.source.Read(p)
	s.taken += int64(n)
	return n, err
}
