package load

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/jsonread"
)

// maxRow is the maximum size in bytes of one document in a file.
const maxRow = 16 << 20

// chooseJSON decides between a sequence of documents and one object that
// contains the list of documents.
func (s *Source) chooseJSON(text *bufio.Reader, start []byte, isAll bool) (string, error) {
	decoder := jsontext.NewDecoder(bytes.NewReader(start))
	first, err := decoder.ReadValue()
	if err != nil && !isAll { // the first document may have up to maxRow bytes
		text = bufio.NewReaderSize(text, maxRow)
		var end error
		start, end = text.Peek(maxRow)
		isAll = end != nil
		decoder = jsontext.NewDecoder(bytes.NewReader(start))
		first, err = decoder.ReadValue()
	}
	switch {
	case err != nil && isAll:
		// For any other error, reading line by line shows where it is.
		s.Reader = newLineReader(text)
		return "NDJSON", nil
	case err != nil: // a single document is not that long
		return s.wrapped(text, "")
	}
	rest := bytes.TrimLeft(start[decoder.InputOffset():], " \t\r")
	_, extension := Split(s.Name)
	hasLines := extension == "ndjson" || extension == "jsonl" // every line is a document
	if isAll && !hasLines && len(bytes.TrimSpace(rest)) == 0 {
		if name, ok := onlyList(first); ok {
			return s.wrapped(text, name)
		}
	}
	if bytes.IndexByte(bytes.TrimSpace(first), '\n') < 0 && (len(rest) == 0 || rest[0] == '\n') {
		s.Reader = newLineReader(text)
		return "NDJSON", nil
	}
	s.Reader = &valueReader{decoder: jsontext.NewDecoder(text)}
	return "JSON documents", nil
}

// onlyList returns the name of the only member that is a list of objects.
func onlyList(object []byte) (name string, ok bool) {
	for members := jsonread.Members(object); members.Next(); {
		if jsonread.KindOf(members.Value()) != jsonread.ListKind {
			continue
		}
		items := jsonread.Items(members.Value())
		if !items.Next() || jsonread.KindOf(items.Value()) != jsonread.ObjectKind {
			continue
		}
		if ok {
			return "", false
		}
		name, ok = jsonread.String(members.RawName()), true
	}
	return name, ok
}

// wrapped moves to the list inside an object: the named list, or the first list
// of objects.
func (s *Source) wrapped(text *bufio.Reader, name string) (string, error) {
	decoder := jsontext.NewDecoder(text)
	if _, err := decoder.ReadToken(); err != nil {
		return "", err
	}
	for decoder.PeekKind() != '}' {
		token, err := decoder.ReadToken()
		if err != nil {
			return "", err
		}
		member := token.String()
		if decoder.PeekKind() == '[' && (name == "" || member == name) {
			if _, err := decoder.ReadToken(); err != nil {
				return "", err
			}
			if name != "" || decoder.PeekKind() == '{' {
				s.Reader = &valueReader{decoder: decoder, isList: true, inside: member}
				return fmt.Sprintf("JSON, the list %q", member), nil
			}
			for decoder.PeekKind() != ']' {
				if err := decoder.SkipValue(); err != nil {
					return "", err
				}
			}
			if _, err := decoder.ReadToken(); err != nil {
				return "", err
			}
			continue
		}
		if err := decoder.SkipValue(); err != nil {
			return "", err
		}
	}
	return "", errors.New("the object holds no list of documents")
}

func newArrayReader(text *bufio.Reader) *valueReader {
	decoder := jsontext.NewDecoder(text)
	_, err := decoder.ReadToken()
	return &valueReader{decoder: decoder, isList: true, failed: err}
}

// valueReader reads a sequence of values and the values of lists among them, or only
// those of a list inside an object.
type valueReader struct {
	decoder *jsontext.Decoder
	isList  bool   // reading inside a list
	inside  string // name of the list inside an object; empty if there is no such object
	number  int
	failed  error
}

// Next returns the next value. Reading cannot continue after a syntax error.
func (r *valueReader) Next(context.Context) (Row, error) {
	if r.failed == nil {
		r.failed = r.seek()
	}
	if r.failed != nil {
		return Row{}, r.failed
	}
	value, err := r.decoder.ReadValue()
	if err != nil {
		r.failed = r.failure(err)
		return Row{}, r.failed
	}
	r.number++
	if jsonread.KindOf(value) != jsonread.ObjectKind {
		return Row{}, &RowError{Number: r.number, Text: shorten(string(value)), Err: errors.New("it is not a JSON object")}
	}
	return Row{Number: r.number, Document: value}, nil
}

// seek leaves lists that end and enters those that begin.
func (r *valueReader) seek() error {
	for {
		kind := r.decoder.PeekKind()
		if r.isList && kind != ']' || !r.isList && kind != '[' {
			return nil
		}
		if _, err := r.decoder.ReadToken(); err != nil {
			return r.failure(err)
		}
		if r.isList = !r.isList; !r.isList && r.inside != "" {
			return r.end()
		}
	}
}

// end reads the rest of the object that holds the list.
func (r *valueReader) end() error {
	for r.decoder.StackDepth() > 0 {
		if _, err := r.decoder.ReadToken(); err != nil {
			return r.failure(err)
		}
	}
	if _, err := r.decoder.ReadToken(); err != nil {
		return r.failure(err)
	}
	return fmt.Errorf("more follows the object that holds the list %q", r.inside)
}

// failure names the document at which reading ends. Between top-level values, the end
// of the file is no failure.
func (r *valueReader) failure(err error) error {
	if errors.Is(err, io.EOF) && r.decoder.StackDepth() == 0 {
		return io.EOF
	}
	return fmt.Errorf("document %d: %w", r.number+1, explained(err))
}

// lineReader reads one document per line.
type lineReader struct {
	text    *bufio.Reader
	checker jsonread.Checker
	line    []byte
	number  int
}

func newLineReader(text *bufio.Reader) *lineReader { return &lineReader{text: text} }

// Next returns the document of the next non-blank line. Row numbers count
// lines.
func (r *lineReader) Next(context.Context) (Row, error) {
	for {
		line, err := r.readLine()
		r.number++
		if err != nil {
			return Row{}, err
		}
		if jsonread.Blank(line) {
			continue
		}
		document, err := r.checker.Check(line)
		if err == nil && jsonread.KindOf(document) != jsonread.ObjectKind {
			err = errors.New("it is not a JSON object")
		}
		if err != nil {
			return Row{}, &RowError{Number: r.number, Text: shorten(string(line)), Err: explainedLine(line, err)}
		}
		return Row{Number: r.number, Document: document}, nil
	}
}

// explainedLine describes a syntax error in a line in the words of the API.
func explainedLine(line []byte, err error) error {
	offset, reason := jsonread.Syntax(line, err)
	if offset == 0 && reason == err.Error() {
		return err
	}
	return fmt.Errorf("not JSON at byte %d: %s", offset+1, reason)
}

// explained describes a syntax error in the middle of a file.
func explained(err error) error {
	var syntactic *jsontext.SyntacticError
	if !errors.As(err, &syntactic) {
		return err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the file ends inside it, at byte %d", syntactic.ByteOffset)
	}
	return fmt.Errorf("not JSON at byte %d of the file: %w", syntactic.ByteOffset+1, syntactic.Err)
}

// readLine returns a line; a line that is too long is skipped and rejected.
func (r *lineReader) readLine() ([]byte, error) {
	r.line = r.line[:0]
	for {
		part, err := r.text.ReadSlice('\n')
		if len(r.line) <= maxRow {
			r.line = append(r.line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(r.line) == 0:
			return nil, io.EOF
		case err != nil && !errors.Is(err, io.EOF):
			return nil, err
		case len(r.line) > maxRow:
			return nil, &RowError{Number: r.number + 1, Err: fmt.Errorf("the line is longer than %d MB", maxRow>>20)}
		}
		return r.line, nil
	}
}
