package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/settings"
)

// Generation is one generation of an index.
type Generation struct {
	Name      string    `json:"name"`
	Live      bool      `json:"live"`
	CreatedAt time.Time `json:"createdAt"`
}

// Listed is an index in a listing.
type Listed struct {
	Name           string       `json:"name"`
	LiveGeneration string       `json:"liveGeneration"`
	Generations    []Generation `json:"generations"`
}

// Description is the description of an index by a node.
type Description struct {
	Name        string       `json:"name"`
	Generation  string       `json:"generation"`
	Live        bool         `json:"live"`
	Version     string       `json:"version"`
	Generations []Generation `json:"generations"`
	Freshness   string       `json:"freshness"`
	Status      struct {
		State    string `json:"state"`
		ReadOnly bool   `json:"readOnly"`
	} `json:"status"`
	// Raw is the definition as the node sent it.
	Raw json.RawMessage `json:"definition"`
	// Definition is nil if it uses features unknown to this version.
	Definition *definition.Definition `json:"-"`
}

func (d *Description) read() *Description {
	d.Definition, _ = definition.ParseStored(d.Raw, definition.Capabilities{})
	return d
}

// Indexes lists the indexes that the key can see, ordered by name. An error
// ends the sequence.
func (c *Client) Indexes(ctx context.Context) iter.Seq2[Listed, error] {
	return func(yield func(Listed, error) bool) {
		after := url.Values{}
		for {
			var page struct {
				Indexes []Listed `json:"indexes"`
				Next    string   `json:"next"`
			}
			r := &request{method: http.MethodGet, path: "/v1alpha1/admin/indexes", query: after, answers: "indexes", isRepeatable: always}
			if _, err := c.call(ctx, r, nil, &page); err != nil {
				yield(Listed{}, err)
				return
			}
			for _, index := range page.Indexes {
				if !yield(index, nil) {
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

// Get reads the definition and status of the index.
func (x *Index) Get(ctx context.Context) (*Description, error) {
	return x.describe(ctx, &request{method: http.MethodGet, path: x.admin(), isRepeatable: always}, nil)
}

// Put creates the index or replaces its definition. Use definition.Parse for a
// JSON definition, which may have roles, or build one in Go.
func (x *Index) Put(ctx context.Context, d *definition.Definition) (*Description, error) {
	return x.describe(ctx, &request{method: http.MethodPut, path: x.admin(), isRepeatable: always}, json.RawMessage(d.Encode()))
}

// Commit makes everything acknowledged so far visible to searches.
func (x *Index) Commit(ctx context.Context) (*Description, error) {
	return x.describe(ctx, &request{method: http.MethodPost, path: x.admin("actions", "commit"), index: x.name, isRepeatable: always}, nil)
}

// Promote makes the generation named by the handle the live one.
func (x *Index) Promote(ctx context.Context) (*Description, error) {
	r := &request{method: http.MethodPost, path: x.admin("actions", "promote"), index: x.name, promotes: true, isRepeatable: always}
	return x.describe(ctx, r, nil)
}

func (x *Index) describe(ctx context.Context, r *request, body any) (*Description, error) {
	r.answers = "definition"
	var d Description
	if _, err := x.client.call(ctx, r, body, &d); err != nil {
		return nil, err
	}
	return d.read(), nil
}

// Delete deletes the index with all generations, or only the generation that
// the handle names. A second deletion returns index:not_found, so the request
// is retried only if it was not carried out.
func (x *Index) Delete(ctx context.Context) error {
	_, err := x.client.call(ctx, &request{method: http.MethodDelete, path: x.admin()}, nil, nil)
	return err
}

// settingsAnswer is the member that every answer with settings holds.
const settingsAnswer = "version"

// Settings reads the search settings.
func (x *Index) Settings(ctx context.Context) (*settings.Settings, error) {
	r := &request{method: http.MethodGet, path: x.admin("settings"), answers: settingsAnswer, isRepeatable: always}
	var members map[string]json.RawMessage
	if _, err := x.client.call(ctx, r, nil, &members); err != nil {
		return nil, err
	}
	for _, answered := range []string{"version", "freshness", "unsupportedFeatures"} {
		delete(members, answered)
	}
	body, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	return settings.Load(body, nil)
}

// PutSettings replaces the search settings. settings.Decode reads them from
// JSON.
func (x *Index) PutSettings(ctx context.Context, s *settings.Settings) error {
	r := &request{method: http.MethodPut, path: x.admin("settings"), answers: settingsAnswer, index: x.name, isRepeatable: always}
	_, err := x.client.call(ctx, r, json.RawMessage(s.JSON()), nil)
	return err
}
