package api

import (
	"context"
	"fmt"
	"io"
	"math"
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

// readDocuments opens the snapshot that reads of whole documents use.
func (a *API) readDocuments(ctx context.Context, r *Request) (*node.IndexSnapshot, error) {
	index, err := a.read(ctx, r, r.Freshness(), problem.At(freshness.Header))
	if err != nil {
		return nil, err
	}
	if _, err = keyField(index.Schema); err == nil && !index.Schema.KeepsSource() {
		err = problem.DocumentSourceNotKept.New()
	}
	if err != nil {
		index.Close()
		return nil, err
	}
	return index, nil
}

// documentPage writes documents as they were sent, with the current values of
// signals. It belongs to one goroutine.
type documentPage struct {
	sent    *document.Projection
	records *snapshot.Records
	stored  []byte
}

// newDocumentPage returns a page that reads through records; with nil, records
// are not cached.
func newDocumentPage(schema *definition.Schema, records *snapshot.Records) *documentPage {
	return &documentPage{sent: document.AsSent(schema), records: records}
}

func (p *documentPage) append(to []byte, s *snapshot.Segment, doc uint32) ([]byte, error) {
	record, err := p.record(s, doc)
	if err != nil {
		return to, err
	}
	return p.sent.Append(to, record, func(f *definition.ResolvedField) (int64, bool) {
		return s.SignalValue(layout.Signal(f.Path), doc)
	}), nil
}

// record reads a document and rejects one stored without its source. The record
// is valid until the next call.
func (p *documentPage) record(s *snapshot.Segment, doc uint32) (document.Record, error) {
	data, err := p.records.Get(&p.stored, s, doc)
	switch {
	case err != nil:
		return document.Record{}, err
	case len(data) == 0:
		return document.Record{}, problem.DocumentSourceNotKept.New()
	}
	record, err := document.OpenRecord(data)
	if err != nil {
		return document.Record{}, fmt.Errorf("document %d of %s: %w", doc, s.Reader.Name(), err)
	}
	if !record.HasSource() {
		return document.Record{}, problem.DocumentSourceNotKept.New()
	}
	return record, nil
}

// listDocuments responds with committed documents ordered by key.
func (a *API) listDocuments(ctx context.Context, r *Request) (*Response, error) {
	limit, err := r.Limit(defaultDocumentLimit, maxDocumentLimit)
	if err != nil {
		return nil, err
	}
	all, err := r.boolQuery("all")
	switch {
	case err != nil:
		return nil, err
	case all && !r.WantsNDJSON():
		return nil, problem.RequestNotAcceptable.New()
	case all:
		limit = math.MaxInt
	}
	index, err := a.readDocuments(ctx, r)
	if err != nil {
		return nil, err
	}
	after, err := readAfter(r, index)
	var keys *snapshot.KeyIterator
	if err == nil {
		keys, err = index.Snapshot.Keys(after, r.HasQuery("after"), index.Schema.PrimaryKey().Type.IsWhole())
	}
	if err != nil {
		index.Close()
		return nil, err
	}
	walk := &documentWalk{page: newDocumentPage(index.Schema, nil), keys: keys, left: limit, isLines: r.WantsNDJSON(), isAll: all}
	return walk.answer(index)
}

// readAfter reads the key after which a page begins.
func readAfter(r *Request, index *node.IndexSnapshot) (string, error) {
	field, text := index.Schema.PrimaryKey(), r.Query("after")
	if text == "" && !(field.Type.IsWhole() && r.HasQuery("after")) { // every string is greater than the empty one
		return "", nil
	}
	key, refused := document.ParseKey(field, text, problem.At("after"))
	if string(key) == text || text == "" || !field.Type.IsWhole() {
		return string(key), refused
	}
	// Documents from before a change of the key's type keep the keys they were
	// written with.
	stale, err := index.Snapshot.HasOtherKey(func(key string) bool {
		_, err := document.ParseKey(field, key, problem.Path{})
		return err == nil
	})
	if err != nil || stale {
		return text, err
	}
	return string(key), refused
}

// documentWalk writes the remaining documents of one page.
type documentWalk struct {
	page *documentPage
	keys *snapshot.KeyIterator
	left int
	last string // key of the document written last

	isLines bool // one document per line and nothing else
	isBegun bool // a document has been written
	isAll   bool // the whole index, which is too long to read ahead
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

// maxBufferedPage is the number of bytes of a page that are buffered before the
// response begins. A larger page is streamed, so its size does not matter.
const maxBufferedPage = 4 << 20

// answer responds with one page. A problem with any of its documents is
// returned as an error before the response begins. The response with all
// documents of an index is cut short instead.
func (w *documentWalk) answer(index *node.IndexSnapshot) (*Response, error) {
	response := &Response{Status: http.StatusOK, ContentType: mediaJSON}
	body := []byte(`{"documents":[`)
	if w.isLines {
		response.ContentType = mediaNDJSON
		response.WithFreshness(index.Freshness())
		body = body[:0]
	}
	body, more, err := w.fill(body)
	if err == nil && more && !w.isAll {
		err = w.check()
	}
	if err != nil {
		index.Close()
		return nil, err
	}
	if !more {
		defer index.Close()
		response.JSON = w.end(body, index)
		return response, nil
	}
	response.Stream = func(out io.Writer) error {
		defer index.Close()
		for more {
			if _, err := out.Write(body); err != nil {
				return err
			}
			if body, more, err = w.fill(body[:0]); err != nil {
				return err
			}
		}
		_, err := out.Write(w.end(body, index))
		return err
	}
	return response, nil
}

// fill appends documents until the page ends or maxBufferedPage is reached.
func (w *documentWalk) fill(to []byte) (filled []byte, more bool, err error) {
	for len(to) < maxBufferedPage {
		start := len(to)
		if w.isBegun && !w.isLines {
			to = append(to, ',')
		}
		if to, more, err = w.next(to); err != nil {
			return to, false, err
		}
		if !more {
			return to[:start], false, nil
		}
		if w.isLines {
			to = append(to, '\n')
		}
		w.isBegun = true
	}
	return to, true, nil
}

// check reads ahead through the rest of the page, so that an unreadable
// document is found before part of the response is sent.
func (w *documentWalk) check() error {
	keys := w.keys.Clone()
	for range w.left {
		_, segment, doc, ok := keys.Next()
		if !ok {
			return keys.Err()
		}
		if _, err := w.page.record(segment, doc); err != nil {
			return err
		}
	}
	return nil
}

// end appends the part of a page after its documents.
func (w *documentWalk) end(to []byte, index *node.IndexSnapshot) []byte {
	if w.isLines {
		return to
	}
	to = append(to, ']')
	if w.left == 0 {
		to = append(to, `,"next":`...)
		to, _ = jsontext.AppendQuote(to, snapshot.Cursor(w.last)) // Cursor returns valid UTF-8
	}
	to = append(to, `,"freshness":`...)
	to = strconv.AppendQuote(to, index.Freshness()) // base64url text
	return append(to, '}')
}
