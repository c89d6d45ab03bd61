package api

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/problem"
)

type addBody struct {
	Indexed   int            `json:"indexed"`
	Failed    jsontext.Value `json:"failed"`
	Freshness string         `json:"freshness"`
}

// addDocuments adds the documents of a JSON list or an NDJSON stream, in order.
func (a *API) addDocuments(ctx context.Context, r *Request) (*Response, error) {
	done := a.timeWrite(r, metrics.OperationAdd)
	b, err := a.newBatch(r)
	if err != nil {
		done(0, err)
		return nil, err
	}
	token, err := b.run(ctx, r, b.add)
	done(b.processed+b.failed.count, err)
	if err != nil {
		return nil, err
	}
	return OK(addBody{Indexed: b.processed, Failed: b.failed.json(), Freshness: token}), nil
}

// add adds one document.
func (b *batch) add(ctx context.Context, schema *definition.Schema, s *engine.WriteStream, raw []byte, at problem.Path) error {
	var found problem.List
	d := b.readers.of(schema).Read(raw, at, &found)
	if d == nil {
		return found.Err()
	}
	err := s.Add(ctx, d)
	if p := (*problem.Problem)(nil); errors.As(err, &p) && p.Code == problem.DocumentNamesTooMany {
		p.Path = at.Append(p.Path).String()
	}
	return err
}
