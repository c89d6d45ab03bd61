// Package load reads files of documents and adds them to an index: CSV, TSV,
// JSON, NDJSON and Parquet, optionally compressed with gzip or zstd.
//
// Open detects the format of a file and returns a Reader of its rows, each a
// JSON object. A Converter converts rows to documents according to the columns
// of a draft. A Job adds documents in batches, waits while the node is
// unavailable and resends a batch that may have been lost.
//
//	file -> Reader -> Converter -> Job -> node
//
// Invariants:
//
//	LD1  Memory does not grow with the file: it holds at most a row, two
//	     batches and the sample of the draft.
//	LD2  A batch is resent only if that cannot add a document twice.
//	LD3  Every row is added, listed as refused, or named in the error.
//
// A Reader and a Converter belong to one goroutine.
package load

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Row is one row of a file.
type Row struct {
	Number   int    // from 1
	Document []byte // a checked JSON object; valid until the next row
}

// RowError is a row that cannot be read. The rows after it can.
type RowError struct {
	Number int
	Text   string // the beginning of the row
	Err    error
}

func (e *RowError) Error() string { return fmt.Sprintf("row %d: %v", e.Number, e.Err) }

// Unwrap returns the cause.
func (e *RowError) Unwrap() error { return e.Err }

// Reader reads the rows of a file.
type Reader interface {
	// Next returns the next row, io.EOF after the last, and a *RowError for an
	// unreadable row. A reader that does not read a file returns when ctx ends.
	Next(ctx context.Context) (Row, error)
}

// Source is an opened file.
type Source struct {
	Reader
	Name   string
	Format string   // for people: "CSV, separated by ;"
	Notes  []string // findings about the file
	Size   int64    // of the file as stored; 0 if unknown

	Refused *RowError // the first row that Draft could not read

	counted *countedReader
	close   []func() error
}

// NewSource returns a source whose rows do not come from a file.
func NewSource(name string, rows Reader) *Source {
	return &Source{Reader: rows, Name: name, counted: &countedReader{}}
}

// Read returns the number of bytes read from the file. It may be called
// concurrently with reading rows.
func (s *Source) Read() int64 { return s.counted.count.Load() }

// Close closes the file and its decoders.
func (s *Source) Close() error {
	var all []error
	for i := len(s.close) - 1; i >= 0; i-- {
		all = append(all, s.close[i]())
	}
	return errors.Join(all...)
}

type countedReader struct {
	source io.Reader
	count  atomic.Int64
}

func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.source.Read(p)
	c.count.Add(int64(n))
	return n, err
}

// lookAhead is how much of a file is examined to detect its format.
const lookAhead = 1 << 20

// Open opens a file, "-" meaning stdin, and detects its format. After an error
// nothing remains open.
func Open(name string, stdin io.Reader) (*Source, error) {
	s := &Source{Name: name}
	input := stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		s.close = append(s.close, file.Close)
		input = file
		if stat, err := file.Stat(); err == nil {
			if stat.IsDir() {
				return nil, errors.Join(fmt.Errorf("%s is a directory", name), s.Close())
			}
			s.Size = stat.Size()
		}
	}
	s.counted = &countedReader{source: input}
	if err := s.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), s.Close())
	}
	return s, nil
}

func (s *Source) open() error {
	packed := bufio.NewReaderSize(s.counted, 256<<10)
	head, _ := packed.Peek(4)
	if string(head) == parquetMark {
		return s.openParquet(packed)
	}
	unpacked, how, err := s.unpack(packed)
	if err != nil {
		return err
	}
	text := bufio.NewReaderSize(unpacked, lookAhead)
	if head, _ := text.Peek(4); string(head) == parquetMark {
		return s.openParquet(text)
	}
	if head, _ := text.Peek(8); otherFormat(head) != "" {
		return errors.New(otherFormat(head))
	}
	decoded, encoding := decode(text)
	if encoding != "" {
		s.Notes = append(s.Notes, "encoded as "+encoding+", converted")
		text = bufio.NewReaderSize(decoded, lookAhead)
	}
	start, err := text.Peek(lookAhead)
	if err != nil && err != io.EOF {
		return err
	}
	isAll := err == io.EOF
	if strings.TrimSpace(string(start)) == "" {
		return errors.New("the file is empty")
	}
	if isBinary(start) {
		return errBinary
	}
	if isMarkup(start) {
		return errors.New("it is HTML or XML: convert it to CSV or JSON")
	}
	s.Format, err = s.choose(text, start, isAll)
	if how != "" {
		s.Format += ", packed with " + how
	}
	return err
}

// otherFormat recognizes a file in an unsupported format by its first bytes and says
// what to do with it. It returns "" for any other file.
func otherFormat(head []byte) string {
	for _, known := range []struct{ mark, text string }{
		{"PK\x03\x04", "it is a zip archive or a workbook (.xlsx, .ods): unpack it, or save the sheet as CSV"},
		{"\xd0\xcf\x11\xe0", "it is a workbook (.xls) or another document of Office: save the sheet as CSV"},
		{"SQLite f", "it is a database of SQLite: export the table as CSV"},
		{"%PDF-", "it is a PDF: load CSV, TSV, JSON, NDJSON or Parquet"},
	} {
		if bytes.HasPrefix(head, []byte(known.mark)) {
			return known.text
		}
	}
	return ""
}

var errBinary = errors.New("it is not text: unpack it, or export it as CSV, TSV, JSON, NDJSON or Parquet")

// isBinary reports whether more than 5 % of the first characters are control characters
// that text does not hold. Of random bytes 9 % are.
func isBinary(text []byte) bool {
	text = text[:min(len(text), 64<<10)]
	controls := 0
	for _, c := range text {
		if c <= '\b' || c >= 0x0e && c < 0x1b {
			controls++
		}
	}
	return controls*20 > utf8.RuneCount(text)
}

// isMarkup reports whether text begins like HTML or XML.
func isMarkup(text []byte) bool {
	text = bytes.TrimSpace(text)
	return slices.ContainsFunc([]string{"<?xml", "<!doctype", "<html"}, func(mark string) bool {
		return len(text) >= len(mark) && strings.EqualFold(string(text[:len(mark)]), mark)
	})
}

// choose detects the format of text and sets the reader.
func (s *Source) choose(text *bufio.Reader, start []byte, isAll bool) (string, error) {
	_, extension := Split(s.Name)
	isTable := extension == "csv" || extension == "tsv"
	switch firstLetter(start) {
	case '[':
		if isTable && !startsList(start) { // a header such as [id],[name]
			break
		}
		s.Reader = newArrayReader(text)
		return "JSON array", nil
	case '{':
		return s.chooseJSON(text, start, isAll)
	}
	reader, err := newCSVReader(text, start, isAll, extension)
	if err != nil {
		return "", err
	}
	s.Reader = reader
	s.Notes = append(s.Notes, reader.notes...)
	return reader.format(), nil
}

// startsList reports whether text begins with a JSON list.
func startsList(text []byte) bool {
	decoder := jsontext.NewDecoder(bytes.NewReader(text))
	for range 2 {
		if _, err := decoder.ReadToken(); err != nil {
			return false
		}
	}
	return true
}

func firstLetter(text []byte) byte {
	for _, c := range text {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c
		}
	}
	return 0
}

// Split returns the name of a file without directory and extensions, and the extension
// in lower case. The extensions of compressors are dropped.
func Split(file string) (name, extension string) {
	name = filepath.Base(file)
	for _, packer := range []string{".gz", ".zst", ".zstd"} {
		if at := len(name) - len(packer); at >= 0 && strings.EqualFold(name[at:], packer) {
			name = name[:at]
		}
	}
	extension = filepath.Ext(name)
	return strings.TrimSuffix(name, extension), strings.ToLower(strings.TrimPrefix(extension, "."))
}

// unpack decompresses gzip and zstd, recognized by their first bytes.
func (s *Source) unpack(packed *bufio.Reader) (io.Reader, string, error) {
	head, _ := packed.Peek(4)
	switch {
	case len(head) >= 2 && head[0] == 0x1f && head[1] == 0x8b:
		unpacked, err := gzip.NewReader(packed)
		if err != nil {
			return nil, "", err
		}
		return cutOff{unpacked, "gzip"}, "gzip", nil
	case string(head) == "\x28\xb5\x2f\xfd":
		// zstd --long=27 uses a window of 128 MB; most files use 8.
		unpacked, err := zstd.NewReader(packed, zstd.WithDecoderMaxWindow(128<<20), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, "", err
		}
		s.close = append(s.close, func() error { unpacked.Close(); return nil })
		return cutOff{unpacked, "zstd"}, "zstd", nil
	}
	return packed, "", nil
}

// cutOff explains the end of a packed file before the end of its data.
type cutOff struct {
	io.Reader
	packer string
}

func (c cutOff) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("the file ends inside its %s data; copy or download it again", c.packer)
	}
	return n, err
}
