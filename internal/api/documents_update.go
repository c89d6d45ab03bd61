package api

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/problem"
)

type updateBody struct {
	Updated   int            `json:"updated"`
	Missing   []string       `json:"missing"`
	Failed    jsontext.Value `json:"failed"`
	Freshness string         `json:"freshness"`
}

// updateDocuments applies the change objects of a JSON list or an NDJSON
// stream, in order.
func (a *API) updateDocuments(ctx context.Context, r *Request) (*Response, error) {
	done := a.timeWrite(r, metrics.OperationUpdate)
	skipMissing, missingErr := onMissing(r)
	b, err := a.newBatch(r)
	var found problem.List
	found.Add(missingErr)
	found.Add(err)
	if err := found.Err(); err != nil {
		done(0, err)
		return nil, err
	}
	b.needs = func(schema *definition.Schema) error {
		_, err := keyField(schema)
		return err
	}
	b.refreshing = &refreshing{stopsAtMissing: !b.skip && !skipMissing}
	missing := []string{}
	token, err := b.run(ctx, r, func(ctx context.Context, schema *definition.Schema, s *engine.WriteStream, raw []byte, at problem.Path) error {
		key, exists, err := b.change(ctx, schema, s, raw, at)
		switch {
		case err != nil || exists:
			return err
		case skipMissing:
			missing = append(missing, string(key))
			return errMissingListed
		}
		return problem.DocumentNotFound.At(at, "key", string(key))
	})
	done(b.processed, err)
	if err != nil {
		return nil, err
	}
	return OK(updateBody{Updated: b.processed, Missing: missing, Failed: b.failed.json(), Freshness: token}), nil
}

// change applies one change object. exists is false if no document has its key.
func (b *batch) change(ctx context.Context, schema *definition.Schema, s *engine.WriteStream, raw []byte, at problem.Path) (key document.Key, exists bool, err error) {
	if err := b.needs(schema); err != nil {
		return "", false, err
	}
	return applyChange(ctx, b.readers.of(schema), s, raw, at)
}
