package load

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/format"
)

// A dump is lines of JSON: the header, one line per document, and the end,
// which is the only line that is an array. A dump without its end was cut off.
//
//	{"quire":"dump","version":1,"index":"books","definition":{…},"settings":{…}}
//	{"id":"1","title":"Kindred"}
//	["end",1]
//
//	{"quire":"dump","version":1,"index":"books","definition":{…},"settings":{…}}
//	{"id":"1","title":"Kindred"}
//	["end",1]

// DumpHeader is the first line of a dump.
type DumpHeader struct {
	Quire      string         `json:"quire"` // "dump"
	Version    int            `json:"version"`
	Index      string         `json:"index"`
	Definition jsontext.Value `json:"definition"`
	Settings   jsontext.Value `json:"settings,omitempty"`
}

// WriteDump writes a dump of documents, one per line, and returns their number.
func WriteDump(out io.Writer, header DumpHeader, documents io.Reader) (int, error) {
	header.Quire, header.Version = format.Dump.Mark, int(format.Dump.Version)
	first, err := json.Marshal(header)
	if err != nil {
		return 0, err
	}
	buffered := bufio.NewWriterSize(out, 256<<10)
	if _, err := buffered.Write(append(first, '\n')); err != nil {
		return 0, err
	}
	count := &lineCounter{out: buffered}
	if _, err := io.Copy(count, documents); err != nil {
		return count.lines, fmt.Errorf("the documents end early, after %d: %w", count.lines, err)
	}
	if _, err := fmt.Fprintf(buffered, "[\"end\",%d]\n", count.lines); err != nil {
		return count.lines, err
	}
	return count.lines, buffered.Flush()
}

type lineCounter struct {
	out   io.Writer
	lines int
}

func (c *lineCounter) Write(p []byte) (int, error) {
	for _, b := range p {
		if b == '\n' {
			c.lines++
		}
	}
	return c.out.Write(p)
}

// OpenDump opens a dump, compressed or not; "-" is stdin. The source reads its
// documents and fails if the dump was cut off.
func OpenDump(name string, stdin io.Reader) (*Source, DumpHeader, error) {
	var header DumpHeader
	source, err := Open(name, stdin)
	if err != nil {
		return nil, header, err
	}
	lines, isLines := source.Reader.(*lineReader)
	fail := func(reason string) (*Source, DumpHeader, error) {
		return nil, header, errors.Join(fmt.Errorf("%s is not a dump: %s", name, reason), source.Close())
	}
	if !isLines {
		return fail("it does not begin with the header of one")
	}
	first, err := lines.Next(context.Background())
	if err != nil {
		return fail(err.Error())
	}
	if err := json.Unmarshal(first.Document, &header); err != nil || header.Quire != format.Dump.Mark {
		return fail("it does not begin with the header of one")
	}
	if header.Version > int(format.Dump.Version) {
		return fail(fmt.Sprintf("it is of version %d, and this program reads %d", header.Version, format.Dump.Version))
	}
	source.Reader = &dumpReader{lines: lines}
	return source, header, nil
}

// dumpReader reads the documents of a dump and checks that the end is present.
type dumpReader struct {
	lines *lineReader
	count int
}

// Next returns the next document.
func (r *dumpReader) Next(ctx context.Context) (Row, error) {
	row, err := r.lines.Next(ctx)
	var bad *RowError
	switch {
	case errors.Is(err, io.EOF):
		return Row{}, fmt.Errorf("the dump was cut off after %d documents", r.count)
	case errors.As(err, &bad):
		if expected, ok := readEnd(r.lines.line); ok {
			if expected != r.count {
				return Row{}, fmt.Errorf("the dump holds %d documents and should hold %d", r.count, expected)
			}
			if _, err := r.lines.Next(ctx); !errors.Is(err, io.EOF) {
				return Row{}, fmt.Errorf("more follows the end of the dump, after %d documents: restore one dump at a time", r.count)
			}
			return Row{}, io.EOF
		}
		return Row{}, err
	case err != nil:
		return Row{}, err
	}
	r.count++
	row.Number = r.count
	return row, nil
}

func readEnd(line []byte) (count int, ok bool) {
	var parts []any
	if err := json.Unmarshal(line, &parts); err != nil || len(parts) != 2 || parts[0] != "end" {
		return 0, false
	}
	number, ok := parts[1].(float64)
	return int(number), ok
}
