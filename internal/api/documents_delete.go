package api

import (
	"context"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/search"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

type deleteBody struct {
	Deleted   int    `json:"deleted"`
	Freshness string `json:"freshness"`
}

// deleteDocuments deletes documents by key, by query, or all.
func (a *API) deleteDocuments(ctx context.Context, r *Request) (*Response, error) {
	name, err := registry.ParseName(r.Param("name"))
	if err != nil {
		return nil, err
	}
	body, err := r.RequiredBody()
	if err != nil {
		return nil, err
	}
	request, err := query.DecodeDelete(body, a.limits)
	if err != nil {
		return nil, err
	}
	operation := metrics.OperationDeleteByQuery
	if request.HasKeys {
		operation = metrics.OperationDelete
	}
	done := a.timeWrite(r, operation)
	var answer deleteBody
	switch {
	case request.HasKeys:
		answer.Deleted = len(request.Keys)
		answer.Freshness, err = a.write(ctx, r, func(schema *definition.Schema, s *engine.WriteStream) error {
			return deleteKeys(ctx, schema, s, request.Keys)
		})
	case request.All:
		answer.Deleted, answer.Freshness, err = a.node.DeleteAll(ctx, name)
	default:
		answer.Deleted, answer.Freshness, err = a.node.DeleteMatching(ctx, name, func(g *generations.Generation) engine.Resolve {
			return func(ctx context.Context, view *snapshot.Snapshot) ([]document.Key, error) {
				keys, err := a.searcher.Keys(ctx, search.View{Snapshot: view, Schema: g.Schema(), Chains: g.Chains()}, request)
				return keys, nearFields(err, g.Schema())
			}
		})
	}
	done(answer.Deleted, err)
	if err != nil {
		return nil, err
	}
	return OK(answer), nil
}

// deleteKeys validates every key before it deletes the first document.
func deleteKeys(ctx context.Context, schema *definition.Schema, s *engine.WriteStream, given []query.Literal) error {
	field, err := keyField(schema)
	if err != nil {
		return err
	}
	var found problem.List
	keys := make([]document.Key, 0, len(given))
	for i, raw := range given {
		key, ok := document.KeyOf(field, raw)
		if !ok {
			found.Add(document.KeyInvalid(field, problem.At("keys").Item(i), string(raw)))
		}
		keys = append(keys, key)
	}
	if err := found.Err(); err != nil {
		return err
	}
	for _, key := range keys {
		if err := s.Delete(ctx, key); err != nil {
			return err
		}
	}
	return nil
}
