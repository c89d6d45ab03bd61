package api

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
)

// Entry is one JSON value of an NDJSON body. Raw is valid until more of the
// body is read.
type Entry struct {
	Raw      []byte
	Line     int // 1-based line where the entry starts
	Position int // 0-based number of the entry

	isChecked bool // Raw is one JSON value
}

// EntryReader splits an NDJSON body into its values. A value may span lines,
// blank lines may separate values, and two values may share a line. The reader
// finds where values end; it validates only those for which finding the end
// already does so. Input that is not JSON is returned as an entry that does not
// parse; if its end cannot be found, it is the last one. An entry is returned
// as soon as it is complete.
type EntryReader struct {
	source   io.Reader
	maxEntry int64
	// beforeRead, if not nil, runs before the reader waits for more of the body
	// and overwrites entries it returned. After an error nothing more is read.
	beforeRead func() error

	line     int
	position int

	buffer []byte // bytes read; entries are slices of it
	next   int    // offset in buffer where the next entry may begin
	failed error  // of source

	checker jsonread.Checker
}

// entryBuffer is how much of a body is read at once; the buffer grows for an
// entry that does not fit.
const entryBuffer = 64 << 10

// entryLook is the length at which an incomplete entry is checked for a prefix
// of valid JSON, so that an unclosed line cannot swallow the rest of a stream.
// Entries of usual size are parsed only once.
const entryLook = 1 << 20

// Entries reads the body as NDJSON. One entry may be as long as a whole JSON
// body.
func (r *Request) Entries() *EntryReader { return newEntryReader(r.text, r.maxEntry) }

func newEntryReader(source io.Reader, maxEntry int64) *EntryReader {
	return &EntryReader{source: source, maxEntry: maxEntry, line: 1}
}

// Position returns the number of entries read so far.
func (e *EntryReader) Position() int { return e.position }

// Next returns the next entry, or io.EOF after the last. Other errors are
// problems with the body. If the body ends inside a value, Next returns the
// incomplete value.
func (e *EntryReader) Next() (Entry, error) {
	if err := e.skipSpace(); err != nil {
		return Entry{}, err
	}
	var err error
	length := jsonread.PlainObject(e.buffer[e.next:])
	isChecked := length > 0
	if !isChecked {
		length, err = e.valueLength()
	}
	switch {
	case errors.Is(err, io.EOF):
		err = nil
	case err == nil && e.isTooLong(length):
		err = problem.RequestBodyTooLarge.New("limit", e.maxEntry)
	}
	if err != nil && !e.isBroken(length) {
		return Entry{}, err
	}
	end := e.next + length
	entry := Entry{Raw: e.buffer[e.next:end:end], Line: e.line, Position: e.position, isChecked: isChecked}
	e.line += bytes.Count(entry.Raw, []byte{'\n'})
	e.next = end
	e.position++
	return entry, nil
}

func (e *EntryReader) isTooLong(length int) bool {
	return e.maxEntry > 0 && int64(length) > e.maxEntry
}

// isBroken reports whether the entry at next, of which length bytes are
// buffered, cannot be the beginning of a JSON value.
func (e *EntryReader) isBroken(length int) bool {
	_, err := e.checker.Check(e.buffer[e.next : e.next+length])
	return err != nil && !errors.Is(err, io.ErrUnexpectedEOF)
}

// skipSpace moves to the first byte of the next value.
func (e *EntryReader) skipSpace() error {
	for {
		for ; e.next < len(e.buffer); e.next++ {
			switch e.buffer[e.next] {
			case '\n':
				e.line++
			case ' ', '\t', '\r':
			default:
				return nil
			}
		}
		if err := e.fill(); err != nil {
			return err
		}
	}
}

// valueLength reads until the value that begins at next is complete and returns
// its length: an object or array ends with its closing bracket, any other value
// with the line. For a broken value or with an error, it returns the length of
// what is buffered.
func (e *EntryReader) valueLength() (int, error) {
	isNested := e.buffer[e.next] == '{' || e.buffer[e.next] == '['
	var nesting nesting
	for done, look := 0, entryLook; ; {
		text := e.buffer[e.next:]
		if isNested {
			if end := nesting.end(text, done); end > 0 {
				return end, nil
			}
		} else if end := bytes.IndexByte(text[done:], '\n'); end >= 0 {
			return done + end, nil
		}
		done = len(text)
		if e.isTooLong(done) {
			return done, nil
		}
		if done >= look {
			if e.isBroken(done) {
				return done, nil
			}
			look = 2 * done // all checks together read at most twice the entry
		}
		if err := e.fill(); err != nil {
			return done, err
		}
	}
}

// nesting tracks how deep inside a value the bytes seen so far end.
type nesting struct {
	depth  int
	quoted bool
}

// end scans text from an offset and returns where the value ends, or zero if it
// continues beyond text.
func (n *nesting) end(text []byte, from int) int {
	for i := from; i < len(text); i++ {
		if n.quoted {
			quote := bytes.IndexByte(text[i:], '"')
			if quote < 0 {
				return 0
			}
			i += quote
			n.quoted = isEscaped(text, i)
			continue
		}
		switch text[i] {
		case '"':
			n.quoted = true
		case '{', '[':
			n.depth++
		case '}', ']':
			if n.depth--; n.depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// isEscaped reports whether an odd number of backslashes precedes an offset in
// a string.
func isEscaped(text []byte, at int) bool {
	start := at
	for start > 0 && text[start-1] == '\\' {
		start--
	}
	return (at-start)%2 == 1
}

// maxEmptyReads is how many times in a row a source may return nothing.
const maxEmptyReads = 100

// fill moves the bytes not yet returned to the front of the buffer and reads
// more behind them.
func (e *EntryReader) fill() error {
	if e.beforeRead != nil {
		if err := e.beforeRead(); err != nil {
			return err
		}
	}
	if e.next > 0 {
		e.buffer = e.buffer[:copy(e.buffer, e.buffer[e.next:])]
		e.next = 0
	}
	if len(e.buffer) == cap(e.buffer) {
		e.buffer = slices.Grow(e.buffer, max(entryBuffer, len(e.buffer)))
	}
	for range maxEmptyReads {
		if e.failed != nil {
			return e.failed
		}
		var n int
		n, e.failed = e.source.Read(e.buffer[len(e.buffer):cap(e.buffer)])
		if n > 0 {
			e.buffer = e.buffer[:len(e.buffer)+n]
			return nil
		}
	}
	return problem.RequestBodyUnreadable.New().Because(io.ErrNoProgress)
}
