package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"

	"github.com/quiresearch/quire/query"
)

// Added is the response to added documents.
type Added struct {
	Indexed   int    `json:"indexed"`
	Freshness string `json:"freshness"`
}

// Add adds documents, which may be anything that encodes to a JSON object,
// replacing those with the same keys. If one is refused, the documents before
// it are added and the rest are not. For many documents use AddAll.
func (x *Index) Add(ctx context.Context, documents ...any) (*Added, error) {
	body, err := encode(documents)
	if err != nil {
		return nil, err
	}
	var added Added
	if _, err := x.client.call(ctx, x.addRequest(body, len(documents)), nil, &added); err != nil {
		return nil, err
	}
	return &added, nil
}

func (x *Index) addRequest(lines []byte, count int) *request {
	return &request{method: http.MethodPost, path: x.data("documents"), body: lines, media: mediaNDJSON, answers: "indexed", index: x.name,
		isRepeatable: x.hasKey, several: count > 1}
}

// encode writes one document per line.
func encode(documents []any) ([]byte, error) {
	body := []byte{}
	for i, document := range documents {
		line, err := json.Marshal(document)
		if err != nil {
			return nil, fmt.Errorf("encode document %d: %w", i, err)
		}
		body = append(append(body, line...), '\n')
	}
	return body, nil
}

// hasKey reports whether documents of the index have keys, so that adding them
// is idempotent. It returns false for an index that cannot be read. The answer
// is not kept: the index may be deleted and created anew, or serve from a
// generation with another definition.
func (x *Index) hasKey(ctx context.Context) bool {
	d, err := x.Get(ctx)
	if err != nil || d.Definition == nil {
		return false
	}
	for _, field := range d.Definition.Fields {
		if field.PrimaryKey != nil && *field.PrimaryKey {
			return true
		}
	}
	return false
}

// Document reads the document with a key into result. Writes that are not
// committed yet are not visible unless the client reads its own writes.
func (x *Index) Document(ctx context.Context, key string, result any) error {
	var body struct {
		Document json.RawMessage `json:"document"`
	}
	r := &request{method: http.MethodGet, path: x.data("documents", key), answers: "document", index: x.name, reads: true, isRepeatable: always}
	if _, err := x.client.call(ctx, r, nil, &body); err != nil {
		return err
	}
	return json.Unmarshal(body.Document, result)
}

// PutDocument adds a document under a key, replacing any existing one.
func (x *Index) PutDocument(ctx context.Context, key string, document any) error {
	r := &request{method: http.MethodPut, path: x.data("documents", key), index: x.name, isRepeatable: always}
	_, err := x.client.call(ctx, r, document, nil)
	return err
}

// PatchDocument changes parts of a document, given as change paths and their
// values. It is retried only if it was not carried out, because a change may
// append.
func (x *Index) PatchDocument(ctx context.Context, key string, changes map[string]any) error {
	_, err := x.client.call(ctx, &request{method: http.MethodPatch, path: x.data("documents", key), index: x.name}, changes, nil)
	return err
}

// DeleteDocument deletes the document with a key, if there is one.
func (x *Index) DeleteDocument(ctx context.Context, key string) error {
	r := &request{method: http.MethodDelete, path: x.data("documents", key), index: x.name, isRepeatable: always}
	_, err := x.client.call(ctx, r, nil, nil)
	return err
}

// DeleteDocuments deletes documents by key, by query, or all of them, and
// returns their number. After a retry it returns the number that the last
// attempt found.
func (x *Index) DeleteDocuments(ctx context.Context, d *query.Delete) (int64, error) {
	var body struct {
		Deleted int64 `json:"deleted"`
	}
	r := &request{method: http.MethodPost, path: x.data("documents", "actions", "delete"), answers: "deleted", index: x.name, isRepeatable: always}
	_, err := x.client.call(ctx, r, d, &body)
	return body.Deleted, err
}

// Documents lists the documents as JSON, ordered by key. An error ends the
// sequence.
func (x *Index) Documents(ctx context.Context) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		after := url.Values{"limit": {"1000"}}
		for {
			var page struct {
				Documents []json.RawMessage `json:"documents"`
				Next      string            `json:"next"`
			}
			r := &request{method: http.MethodGet, path: x.data("documents"), query: after, answers: "documents", index: x.name, reads: true, isRepeatable: always}
			if _, err := x.client.call(ctx, r, nil, &page); err != nil {
				yield(nil, err)
				return
			}
			for _, document := range page.Documents {
				if !yield(document, nil) {
					return
				}
			}
			if page.Next == "" {
				return
			}
			after.Set("after", page.Next)
		}
	}
}

// Result is the outcome of one document of AddAll.
type Result struct {
	Position int64 // of the document in the input, from 0
	Refused  error // why it was refused, nil if it was added
}

// Limits of one request of AddAll: enough to make the round trip cheap, small
// enough to retry.
const (
	batchDocuments = 1000
	batchBytes     = 4 << 20
)

// AddAll adds a stream of documents and yields a Result for each, in order. It
// sends one batch while it collects the next and reads no further documents
// meanwhile. A refused document does not stop the others; an error ends the
// sequence, and the documents after the last Result may or may not be added.
func (x *Index) AddAll(ctx context.Context, documents iter.Seq[any]) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		batches, sent := make(chan *batch), make(chan *batch)
		go func() {
			defer close(sent)
			for b := range batches {
				b.send(ctx, x)
				select {
				case sent <- b:
				case <-ctx.Done():
				}
			}
		}()
		s := &addStream{batches: batches, sent: sent, yield: yield}
		s.run(documents)
		cancel()
		close(batches)
		for range sent { // until the sender has ended
		}
	}
}

// batch is the documents of one request.
type batch struct {
	first   int64
	count   int
	lines   []byte
	refused map[int]error // by position in the batch
	err     error
}

func (b *batch) send(ctx context.Context, x *Index) {
	var body struct {
		Failed []struct {
			Position int      `json:"position"`
			Errors   []Detail `json:"errors"`
		} `json:"failed"`
	}
	r := x.addRequest(b.lines, b.count)
	r.query, r.answers = url.Values{"onError": {"skip"}}, "failed"
	if _, b.err = x.client.call(ctx, r, nil, &body); b.err != nil {
		var answered *Error
		if b.count == 1 && errors.As(b.err, &answered) && answered.Status == http.StatusRequestEntityTooLarge {
			b.refused, b.err = map[int]error{0: b.err}, nil
		}
		return
	}
	b.refused = make(map[int]error, len(body.Failed))
	for _, failed := range body.Failed {
		e := &Error{Status: http.StatusBadRequest}
		for i := range failed.Errors {
			e.Problems = append(e.Problems, failed.Errors[i].problem(e.Status))
		}
		b.refused[failed.Position] = e
	}
}

// addStream collects batches and yields the results of previous ones.
type addStream struct {
	batches chan<- *batch
	sent    <-chan *batch
	yield   func(Result, error) bool

	current batch
	waiting bool // a batch is being sent
}

func (s *addStream) run(documents iter.Seq[any]) {
	for document := range documents {
		line, err := json.Marshal(document)
		if err != nil {
			position := s.current.first + int64(s.current.count)
			if s.flush() && s.settle() {
				s.yield(Result{}, fmt.Errorf("encode document %d: %w", position, err))
			}
			return
		}
		if full := s.current.count == batchDocuments || s.current.count > 0 && len(s.current.lines)+len(line) > batchBytes; full && !s.flush() {
			return
		}
		s.current.lines = append(append(s.current.lines, line...), '\n')
		s.current.count++
	}
	if s.flush() {
		s.settle()
	}
}

// flush sends the current batch, once the previous one is answered.
func (s *addStream) flush() bool {
	if !s.settle() {
		return false
	}
	if s.current.count > 0 {
		full := s.current
		s.current = batch{first: full.first + int64(full.count)}
		s.batches <- &full
		s.waiting = true
	}
	return true
}

// settle yields the results of the batch in flight.
func (s *addStream) settle() bool {
	if !s.waiting {
		return true
	}
	b := <-s.sent
	s.waiting = false
	if b.err != nil {
		s.yield(Result{}, b.err)
		return false
	}
	for i := range b.count {
		if !s.yield(Result{Position: b.first + int64(i), Refused: b.refused[i]}, nil) {
			return false
		}
	}
	return true
}
