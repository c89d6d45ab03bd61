package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/judgement"
	"github.com/quiresearch/quire/problem"
)

// judgementsBody is a stored judgement set with its version.
type judgementsBody struct {
	Stored  jsontext.Value `json:",embed"`
	Version string         `json:"version"`
}

type judgementListBody struct {
	Judgements []judgementName `json:"judgements"`
}

type judgementName struct {
	Name string `json:"name"`
}

func judgementsResponse(status int, s *judgement.Set) (*Response, error) {
	body, err := json.Marshal(judgementsBody{Stored: s.JSON(), Version: s.Version()}, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	return (&Response{Status: status, JSON: body}).WithETag(s.Version()), nil
}

func (a *API) listJudgements(ctx context.Context, r *Request) (*Response, error) {
	name, err := r.indexName()
	if err != nil {
		return nil, err
	}
	names, err := a.node.ListJudgements(ctx, name)
	if err != nil {
		return nil, err
	}
	body := judgementListBody{Judgements: make([]judgementName, len(names))}
	for i, name := range names {
		body.Judgements[i].Name = name
	}
	return OK(body), nil
}

func (a *API) getJudgements(ctx context.Context, r *Request) (*Response, error) {
	name, err := r.indexName()
	if err != nil {
		return nil, err
	}
	set, err := a.node.Judgements(ctx, name, r.Param("set"))
	if err != nil {
		return nil, err
	}
	if unmodified := r.Unmodified(set.Version()); unmodified != nil {
		return unmodified, nil
	}
	if r.WantsNDJSON() {
		return (&Response{Status: http.StatusOK, JSON: set.AppendLines(nil), ContentType: mediaNDJSON}).WithETag(set.Version()), nil
	}
	return judgementsResponse(http.StatusOK, set)
}

func (a *API) putJudgements(ctx context.Context, r *Request) (*Response, error) {
	return a.changeJudgements(ctx, r, func() (func(*judgement.Set) (*judgement.Set, error), error) {
		set, err := a.readJudgements(r)
		return func(*judgement.Set) (*judgement.Set, error) { return set, nil }, err
	})
}

// readJudgements reads a set from a JSON or NDJSON body.
func (a *API) readJudgements(r *Request) (*judgement.Set, error) {
	if !r.IsNDJSON() {
		body, err := r.RequiredBody()
		if err != nil {
			return nil, err
		}
		return judgement.Decode(body, a.limits)
	}
	entries := r.Entries()
	return judgement.DecodeLines(func() ([]byte, error) {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return bytes.Clone(entry.Raw), err
	}, a.limits)
}

func (a *API) patchJudgements(ctx context.Context, r *Request) (*Response, error) {
	return a.changeJudgements(ctx, r, func() (func(*judgement.Set) (*judgement.Set, error), error) {
		body, err := r.RequiredBody()
		return func(now *judgement.Set) (*judgement.Set, error) {
			if now == nil {
				return nil, problem.JudgementsNotFound.New("name", r.Param("name"), "set", r.Param("set"))
			}
			return now.Patch(body, a.limits)
		}, err
	})
}

// changeJudgements reads a change to a set, applies it and stores the result.
func (a *API) changeJudgements(ctx context.Context, r *Request, read func() (func(*judgement.Set) (*judgement.Set, error), error)) (*Response, error) {
	name, err := r.indexName()
	if err != nil {
		return nil, err
	}
	if err := a.node.CheckSet(ctx, name, r.Param("set")); err != nil {
		return nil, err
	}
	change, err := read()
	if err != nil {
		return nil, err
	}
	stored, isNew, err := a.node.ChangeJudgements(ctx, name, r.Param("set"), r.matcher(), change)
	if err != nil {
		return nil, err
	}
	status := http.StatusOK
	if isNew {
		status = http.StatusCreated
	}
	return judgementsResponse(status, stored)
}

func (a *API) deleteJudgements(ctx context.Context, r *Request) (*Response, error) {
	name, err := r.indexName()
	if err != nil {
		return nil, err
	}
	if err := a.node.DeleteJudgements(ctx, name, r.Param("set")); err != nil {
		return nil, err
	}
	return NoContent(), nil
}
