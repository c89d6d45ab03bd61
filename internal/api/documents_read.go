package api

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/node"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/problem"
)

// Bounds of one page of documents.
const (
	defaultDocumentLimit = 100
	maxDocumentLimit     = 10000
)

// readDocuments opens the view that a read of whole documents answers from.
func (a *API) readDocuments(ctx context.Context, r *Request) (*node.Reading, error) {
	reading, err := a.read(ctx, r, r.Freshness(), problem.At(freshness.Header))
	if err != nil {
		return nil, err
	}
	if _, err = keyField(reading.Schema); err == nil && !reading.Schema.KeepsSource() {
		err = problem.DocumentSourceNotKept.New()
	}
	if err != nil {
		reading.Close()
		return nil, err
	}
	return reading, nil
}

// documentPage writes documents as they were sent, current signal values filled
// in. It belongs to one goroutine.
type documentPage struct {
	sent    *document.Projection
	records *snapshot.Records
	stored  []byte
}

// newDocumentPage returns a page read through records; nil keeps what is read for
// nobody.
func newDocumentPage(schema *definition.Schema, records *snapshot.Records) *documentPage {
	return &documentPage{sent: document.AsSent(schema), records: records}
}

func (p *documentPage) append(to []byte, s *snapshot.Segment, doc uint32) ([]byte, error) {
	data, err := p.records.Get(p.stored, s, doc)
	switch {
	case err != nil:
		return to, err
	case len(data) == 0:
		return to, problem.DocumentSourceNotKept.New()
	case p.records == nil:
		p.stored = data
	}
	record, err := document.OpenRecord(data)
	if err != nil {
		return to, fmt.Errorf("document %d of %s: %w", doc, s.Reader.Name(), err)
	}
	if !record.HasSource() {
		return to, problem.DocumentSourceNotKept.New()
	}
	return p.sent.Append(to, record, func(f *definition.ResolvedField) (int64, bool) {
		return s.SignalValue(layout.Signal(f.Path), doc)
	}), nil
}

// listDocuments answers committed documents in the order of their keys.
func (a *API) listDocuments(ctx context.Context, r *Request) (*Response, error) {
	limit, err := r.Limit(defaultDocumentLimit, maxDocumentLimit)
	if err != nil {
		return nil, err
	}
	reading, err := a.readDocuments(ctx, r)
	if err != nil {
		return nil, err
	}
	field := reading.Schema.PrimaryKey()
	after, hasAfter := document.Key(""), r.HasQuery("after")
	if hasAfter && (r.Query("after") != "" || field.Type.IsWhole()) { // every text stands behind the empty one
		after, err = document.ParseKey(field, r.Query("after"), problem.At("after"))
	}
	var keys *snapshot.KeyIterator
	if err == nil {
		keys, err = reading.Snapshot.Keys(string(after), hasAfter, field.Type.IsWhole())
	}
	if err != nil {
		reading.Close()
		return nil, err
	}
	walk := &documentWalk{page: newDocumentPage(reading.Schema, nil), keys: keys, left: limit}
	if r.WantsNDJSON() {
		return walk.lines(reading)
	}
	return walk.list(reading)
}

// documentWalk is the rest of one page.
type documentWalk struct {
	page *documentPage
	keys *snapshot.KeyIterator
	left int
	last string // key of the document written last

	isBegun bool // a document of a list is written
}

// next appends the next document and reports whether there was one.
func (w *documentWalk) next(to []byte) ([]byte, bool, error) {
	if w.left == 0 {
		return to, false, nil
	}
	key, segment, doc, ok := w.keys.Next()
	if !ok {
		return to, false, w.keys.Err()
	}
	to, err := w.page.append(to, segment, doc)
	if err != nil {
		return to, false, err
	}
	w.left--
	w.last = key
	return to, true, nil
}

// maxBufferedPage is how many bytes of a page are gathered before the answer
// begins. A page within it tells what is wrong as an error; a larger one is sent
// as it is read, so that its size does not matter.
const maxBufferedPage = 4 << 20

// list answers one page as a JSON object.
func (w *documentWalk) list(reading *node.Reading) (*Response, error) {
	body, more, err := w.fill([]byte(`{"documents":[`))
	if err != nil || !more {
		defer reading.Close()
		if err != nil {
			return nil, err
		}
		return OKJSON(w.end(body, reading)), nil
	}
	return &Response{Status: http.StatusOK, ContentType: mediaJSON, Stream: func(out io.Writer) error {
		defer reading.Close()
		for more {
			if _, err := out.Write(body); err != nil {
				return err
			}
			if body, more, err = w.fill(body[:0]); err != nil {
				return err
			}
		}
		_, err := out.Write(w.end(body, reading))
		return err
	}}, nil
}

// fill appends documents, separated by commas, until the page ends or enough is
// gathered.
func (w *documentWalk) fill(to []byte) (filled []byte, more bool, err error) {
	for len(to) < maxBufferedPage {
		start := len(to)
		if w.isBegun {
			to = append(to, ',')
		}
		if to, more, err = w.next(to); err != nil {
			return to, false, err
		}
		if !more {
			return to[:start], false, nil
		}
		w.isBegun = true
	}
	return to, true, nil
}

// end appends what follows the documents of a page.
func (w *documentWalk) end(to []byte, reading *node.Reading) []byte {
	to = append(to, ']')
	if w.left == 0 {
		to = append(to, `,"next":`...)
		to, _ = jsontext.AppendQuote(to, w.last) // keys are valid UTF-8
	}
	to = append(to, `,"freshness":`...)
	to = strconv.AppendQuote(to, reading.Freshness()) // base64url text
	return append(to, '}')
}

// lines answers one document per line. The first is read before the answer
// begins, so that what is wrong with it is told as an error.
func (w *documentWalk) lines(reading *node.Reading) (*Response, error) {
	token := reading.Freshness()
	line, more, err := w.next(nil)
	if err != nil {
		reading.Close()
		return nil, err
	}
	return NDJSON(func(out io.Writer) error {
		defer reading.Close()
		for more {
			if _, err := out.Write(append(line, '\n')); err != nil {
				return err
			}
			if line, more, err = w.next(line[:0]); err != nil {
				return err
			}
		}
		return nil
	}).WithFreshness(token), nil
}
