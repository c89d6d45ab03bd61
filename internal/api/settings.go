package api

import (
	"context"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/node"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/settings"
)

// settingsBody is the stored settings with additional status.
type settingsBody struct {
	Stored              jsontext.Value `json:",embed"`
	Version             string         `json:"version"`
	UnsupportedFeatures []string       `json:"unsupportedFeatures,omitempty"`
	Freshness           string         `json:"freshness,omitempty"`
}

func settingsResponse(status int, s *settings.Settings, token string) (*Response, error) {
	body, err := json.Marshal(settingsBody{
		Stored: s.JSON(), Version: s.Version(), UnsupportedFeatures: s.UnsupportedFeatures, Freshness: token,
	}, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	return (&Response{Status: status, JSON: body}).WithETag(s.Version()), nil
}

func (a *API) getSearchSettings(ctx context.Context, r *Request) (*Response, error) {
	name, err := r.indexName()
	if err != nil {
		return nil, err
	}
	found, err := a.node.ReadSettings(ctx, name)
	if err != nil {
		return nil, err
	}
	if unmodified := r.Unmodified(found.Version()); unmodified != nil {
		return unmodified, nil
	}
	return settingsResponse(http.StatusOK, found, "")
}

func (a *API) putSearchSettings(ctx context.Context, r *Request) (*Response, error) {
	return r.changeSettings(ctx, a.node.PutSettings)
}

func (a *API) patchSearchSettings(ctx context.Context, r *Request) (*Response, error) {
	return r.changeSettings(ctx, a.node.PatchSettings)
}

type settingsChange func(ctx context.Context, name registry.Name, matches func(string) bool, body []byte) (node.Settings, bool, error)

func (r *Request) changeSettings(ctx context.Context, change settingsChange) (*Response, error) {
	name, err := r.indexName()
	if err != nil {
		return nil, err
	}
	body, err := r.Body() // a missing index is reported before a missing body
	if err != nil {
		return nil, err
	}
	stored, isFirst, err := change(ctx, name, r.matcher(), body)
	if err != nil {
		return nil, err
	}
	status := http.StatusOK
	if isFirst {
		status = http.StatusCreated
	}
	return settingsResponse(status, stored.Settings, stored.Freshness)
}

func (a *API) deleteSearchSettings(ctx context.Context, r *Request) (*Response, error) {
	name, err := r.indexName()
	if err != nil {
		return nil, err
	}
	token, err := a.node.DeleteSettings(ctx, name)
	if err != nil {
		return nil, err
	}
	return NoContent().WithFreshness(token), nil
}
