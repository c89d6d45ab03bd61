package api

import (
	"bufio"
	"errors"
	"io"

	"github.com/quiresearch/quire/problem"
)

// Entry is one JSON value of an NDJSON body. Raw is valid until the next entry
// is read.
type Entry struct {
	Raw      []byte
	Line     int // 1-based line where the entry starts
	Position int // 0-based number of the entry
}

// EntryReader splits an NDJSON body into its values. A value may span lines
// and blank lines may separate values. It finds where values end, it does not
// check them: what is no JSON comes out as an entry that does not parse.
type EntryReader struct {
	source   *bufio.Reader
	maxEntry int64
	line     int
	position int
	raw      []byte
}

// Entries reads the body as NDJSON. One entry may be as long as a whole JSON
// body.
func (r *Request) Entries() *EntryReader { return newEntryReader(r.body, r.maxEntry) }

func newEntryReader(source io.Reader, maxEntry int64) *EntryReader {
	return &EntryReader{source: bufio.NewReaderSize(source, 64<<10), maxEntry: maxEntry, line: 1}
}

// Line returns the 1-based line reading has come to.
func (e *EntryReader) Line() int { return e.line }

// Position returns the number of entries read so far.
func (e *EntryReader) Position() int { return e.position }

// Next returns the next entry, or io.EOF after the last. Other errors are
// problems with the body. A body that ends inside a value gives that value as
// far as it came.
func (e *EntryReader) Next() (Entry, error) {
	first, err := e.skipSpace()
	if err != nil {
		return Entry{}, err
	}
	entry := Entry{Line: e.line, Position: e.position}
	e.raw = append(e.raw[:0], first)
	if err := e.readValue(first); err != nil && !errors.Is(err, io.EOF) {
		return Entry{}, err
	}
	e.position++
	entry.Raw = e.raw
	return entry, nil
}

func (e *EntryReader) skipSpace() (byte, error) {
	for {
		c, err := e.source.ReadByte()
		if err != nil {
			return 0, err
		}
		switch c {
		case '\n':
			e.line++
		case ' ', '\t', '\r':
		default:
			return c, nil
		}
	}
}

// readValue appends the rest of a value to raw. An object or array ends with
// its closing bracket; anything else ends with the line.
func (e *EntryReader) readValue(first byte) error {
	depth, quoted := 0, false
	if first == '{' || first == '[' {
		depth = 1
	}
	for {
		c, err := e.source.ReadByte()
		if err != nil {
			return err
		}
		if c == '\n' {
			e.line++
			if depth == 0 {
				return nil
			}
		}
		if e.maxEntry > 0 && int64(len(e.raw)) >= e.maxEntry {
			return problem.RequestBodyTooLarge.New("limit", e.maxEntry)
		}
		e.raw = append(e.raw, c)
		switch {
		case quoted && c == '\\':
			if c, err = e.source.ReadByte(); err != nil {
				return err
			}
			if c == '\n' {
				e.line++
			}
			e.raw = append(e.raw, c)
		case c == '"':
			quoted = !quoted && depth > 0
		case quoted || depth == 0:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return e.endOfLine()
			}
		}
	}
}

// endOfLine takes what follows a value on its line: more than white space
// becomes part of the entry, which then does not parse.
func (e *EntryReader) endOfLine() error {
	for {
		c, err := e.source.ReadByte()
		if err != nil {
			return err
		}
		switch c {
		case '\n':
			e.line++
			return nil
		case ' ', '\t', '\r':
		default:
			// A value that begins on the line where another ends: two
			// documents written back to back are two entries.
			return e.source.UnreadByte()
		}
	}
}
