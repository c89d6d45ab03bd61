package api

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/problem"
)

// failedEntry is one refused entry of a batch.
type failedEntry struct {
	Position int           `json:"position"`
	Line     int           `json:"line,omitzero"`
	Errors   []ErrorDetail `json:"errors"`
}

// failedEntries are the refused entries of a batch, encoded as in the response. A body
// of ten megabytes may hold millions of entries, and their problems take a thousand
// times its size.
type failedEntries struct {
	list  []byte // JSON without the closing bracket
	count int
	most  int // bytes
}

// maxFailed bounds the bytes of refused entries in a response.
const maxFailed = 64 << 20

// add appends an entry to the list. It reports false if the list is full.
func (f *failedEntries) add(entry failedEntry) (bool, error) {
	if len(f.list) >= f.most {
		return false, nil
	}
	text, err := json.Marshal(entry, json.Deterministic(true))
	if err != nil {
		return false, err
	}
	separator := byte(',')
	if f.count == 0 {
		separator = '['
	}
	f.list = append(append(f.list, separator), text...)
	f.count++
	return true, nil
}

// json returns the list.
func (f *failedEntries) json() jsontext.Value {
	if f.count == 0 {
		return jsontext.Value("[]")
	}
	return append(f.list, ']')
}

// onError reads the onError parameter, which decides how a batch treats a
// refused entry.
func onError(r *Request) (skip bool, err error) {
	if !r.HasQuery("onError") {
		return false, nil
	}
	switch value := r.Query("onError"); value {
	case "fail":
		return false, nil
	case "skip":
		return true, nil
	default:
		return false, problem.DocumentOnErrorInvalid.At(problem.At("onError"), "value", value)
	}
}

// onMissing reads the missing parameter, which decides how an update treats a
// key without a document.
func onMissing(r *Request) (skip bool, err error) {
	if !r.HasQuery("missing") {
		return false, nil
	}
	switch value := r.Query("missing"); value {
	case "fail":
		return false, nil
	case "skip":
		return true, nil
	default:
		return false, problem.DocumentPatchMissingInvalid.At(problem.At("missing"), "value", value)
	}
}

// keyField returns the primary key of a generation.
func keyField(schema *definition.Schema) (*definition.ResolvedField, error) {
	if field := schema.PrimaryKey(); field != nil {
		return field, nil
	}
	return nil, problem.IndexNoPrimaryKey.New()
}

// readers returns the reader for the generation that an entry is written to. A
// stream keeps its reader as long as generation and definition stay the same.
type readers struct {
	current *document.Reader
}

func (r *readers) of(schema *definition.Schema) *document.Reader {
	if r.current == nil || r.current.Schema() != schema {
		r.current = document.NewReader(schema)
	}
	return r.current
}

// writeDocument runs work on the generation that a name resolves to. The
// generation handles a definition that changes in the meantime. Nothing begins
// if the client has already left.
func writeDocument(ctx context.Context, w documentWrite, work func(*definition.Schema, *engine.WriteStream) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return w.Do(ctx, func(g *generations.Generation, s *engine.WriteStream) error { return work(g.Schema(), s) })
}

// documentWrite is the writes of one request, as returned by node.Write.
type documentWrite interface {
	Do(ctx context.Context, work func(*generations.Generation, *engine.WriteStream) error) error
	Finish(ctx context.Context) (token string, err error)
}

// putDocument adds one document under a key.
func (a *API) putDocument(ctx context.Context, r *Request) (*Response, error) {
	raw, err := oneObject(r)
	if err != nil {
		return nil, err
	}
	return a.writeOne(ctx, r, metrics.OperationAdd, func(schema *definition.Schema, s *engine.WriteStream) error {
		text, err := underKey(schema, r, raw, document.WithKey)
		if err != nil {
			return err
		}
		var found problem.List
		d := document.NewReader(schema).Read(text, problem.Path{}, &found)
		if d == nil {
			return found.Err()
		}
		return s.Add(ctx, d)
	})
}

// patchDocument changes parts of one document.
func (a *API) patchDocument(ctx context.Context, r *Request) (*Response, error) {
	raw, err := oneObject(r)
	if err != nil {
		return nil, err
	}
	return a.writeOne(ctx, r, metrics.OperationUpdate, func(schema *definition.Schema, s *engine.WriteStream) error {
		text, err := underKey(schema, r, raw, document.ChangeWithKey)
		if err != nil {
			return err
		}
		key, exists, err := applyChange(ctx, document.NewReader(schema), s, text, problem.Path{})
		if err == nil && !exists {
			err = problem.DocumentNotFound.New("key", string(key))
		}
		return err
	})
}

// deleteDocument deletes the document with a key, if there is one.
func (a *API) deleteDocument(ctx context.Context, r *Request) (*Response, error) {
	return a.writeOne(ctx, r, metrics.OperationDelete, func(schema *definition.Schema, s *engine.WriteStream) error {
		field, err := keyField(schema)
		if err != nil {
			return err
		}
		key, err := document.ParseKey(field, r.Param("key"), problem.Path{})
		if err != nil {
			return err
		}
		return s.Delete(ctx, key)
	})
}

// writeOne writes one document and responds with the freshness token of the
// state that includes it.
func (a *API) writeOne(ctx context.Context, r *Request, operation string, work func(*definition.Schema, *engine.WriteStream) error) (*Response, error) {
	done := a.timeWrite(r, operation)
	token, err := a.write(ctx, r, work)
	done(1, err)
	if err != nil {
		return nil, err
	}
	return NoContent().WithFreshness(token), nil
}

func (a *API) write(ctx context.Context, r *Request, work func(*definition.Schema, *engine.WriteStream) error) (token string, err error) {
	name, err := registry.ParseName(r.Param("name"))
	if err != nil {
		return "", err
	}
	w := a.node.Write(name)
	refused := writeDocument(ctx, w, work)
	token, err = w.Finish(ctx)
	if refused != nil && !isUnproven(err) {
		return "", refused
	}
	return token, err
}

// oneObject reads a body that must be one JSON object.
func oneObject(r *Request) ([]byte, error) {
	body, err := r.RequiredBody()
	if err != nil {
		return nil, err
	}
	raw, err := jsonread.Check(body)
	if err != nil {
		return nil, jsonread.Malformed(body, err)
	}
	switch jsonread.KindOf(raw) {
	case jsonread.ObjectKind:
		return raw, nil
	case jsonread.NullKind:
		return nil, problem.RequestBodyRequired.New()
	}
	return nil, problem.DocumentNotAnObject.New()
}

// underKey adds the key of the path to a document or change object.
func underKey(schema *definition.Schema, r *Request, raw []byte, withKey func(*definition.Schema, []byte, document.Key) ([]byte, error)) ([]byte, error) {
	field, err := keyField(schema)
	if err != nil {
		return nil, err
	}
	key, err := document.ParseKey(field, r.Param("key"), problem.Path{})
	if err != nil {
		return nil, err
	}
	return withKey(schema, raw, key)
}

// applyChange reads a change object and applies it. exists is false if no
// document has its key. A change that is waiting for others to the same
// document, or being applied, is abandoned when ctx ends.
func applyChange(ctx context.Context, reader *document.Reader, s *engine.WriteStream, raw []byte, at problem.Path) (key document.Key, exists bool, err error) {
	var found problem.List
	change := reader.ReadChange(raw, at, &found)
	if change == nil {
		return "", false, found.Err()
	}
	if change.SignalsOnly {
		exists, err = s.Refresh(ctx, change.Key, change.Signals)
		return change.Key, exists, err
	}
	exists, err = s.Update(ctx, change.Key, func(current engine.Current) (*document.Document, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		source, err := current.Source()
		if err != nil {
			return nil, err
		}
		d := reader.Apply(change, source, current.Signal, at, &found)
		if d == nil {
			return nil, found.Err()
		}
		return d, ctx.Err()
	})
	return change.Key, exists, err
}

// getDocument responds with one committed document as it was added.
func (a *API) getDocument(ctx context.Context, r *Request) (*Response, error) {
	index, err := a.readDocuments(ctx, r)
	if err != nil {
		return nil, err
	}
	defer index.Close()
	key, refused := document.ParseKey(index.Schema.PrimaryKey(), r.Param("key"), problem.Path{})
	if refused != nil {
		key = document.Key(r.Param("key")) // a document may predate the type of the key
	}
	segment, doc, ok, err := index.Snapshot.LookupKey(string(key))
	switch {
	case err != nil:
		return nil, err
	case !ok && refused != nil:
		return nil, refused
	case !ok:
		return nil, problem.DocumentNotFound.New("key", string(key))
	}
	page := newDocumentPage(index.Schema, a.records)
	body, err := page.append([]byte(`{"document":`), segment, doc)
	if err != nil {
		return nil, err
	}
	body = append(body, `,"freshness":`...)
	body = strconv.AppendQuote(body, index.Freshness()) // base64url text
	return OKJSON(append(body, '}')), nil
}

// timeWrite starts the timer of a write. The function it returns stops the
// timer and, if the request succeeded, counts its documents.
func (a *API) timeWrite(r *Request, operation string) func(documents int, err error) {
	began := time.Now()
	return func(documents int, err error) {
		a.metrics.Write(operation, outcome(r, err), time.Since(began))
		if err == nil {
			a.metrics.WriteDocuments(operation, documents)
		}
	}
}

// refusedInBatch turns err into a refused entry of a batch, where codes of
// documents have status 400, including document:not_found.
func refusedInBatch(err error) error { return WithStatus(err, http.StatusBadRequest) }
