package api

import (
	"context"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/internal/node"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/problem"
)

type indexBody struct {
	Name        string           `json:"name"`
	Generation  string           `json:"generation"`
	Live        bool             `json:"live"`
	Version     string           `json:"version"`
	Definition  jsontext.Value   `json:"definition"`
	Status      indexStatusBody  `json:"status"`
	Generations []generationBody `json:"generations"`
	Freshness   string           `json:"freshness,omitempty"`
}

type indexStatusBody struct {
	State                       string       `json:"state"`
	ReadOnly                    bool         `json:"readOnly"`
	EngineCompatibility         string       `json:"engineCompatibility"`
	EngineCreatedMajor          int          `json:"engineCreatedMajor,omitzero"`
	SettingsUnsupportedFeatures []string     `json:"settingsUnsupportedFeatures,omitempty"`
	Indexer                     *indexerBody `json:"indexer,omitzero"`
}

type indexerBody struct {
	Node    string `json:"node"`
	Address string `json:"address,omitempty"`
}

type generationBody struct {
	Name      string `json:"name"`
	Live      bool   `json:"live"`
	CreatedAt string `json:"createdAt,omitempty"`
}

type listedIndexBody struct {
	Name           string           `json:"name"`
	LiveGeneration string           `json:"liveGeneration,omitempty"`
	Generations    []generationBody `json:"generations"`
}

type indexListBody struct {
	Indexes []listedIndexBody `json:"indexes"`
	Next    string            `json:"next,omitempty"`
}

func describeGenerations(entries []node.GenerationEntry) []generationBody {
	bodies := make([]generationBody, 0, len(entries))
	for _, g := range entries {
		body := generationBody{Name: g.Name, Live: g.Live}
		if !g.CreatedAt.IsZero() {
			body.CreatedAt = timestamp(g.CreatedAt)
		}
		bodies = append(bodies, body)
	}
	return bodies
}

// indexResponse responds with the index resource and its version.
func indexResponse(status int, d *node.Description) *Response {
	body := indexBody{
		Name: d.Name.Index, Generation: d.Name.Generation, Live: d.Live, Version: d.Version,
		Definition: d.Definition.Encode(), Generations: describeGenerations(d.Generations), Freshness: d.Freshness,
		Status: indexStatusBody{
			State: d.Status.State, ReadOnly: d.Status.ReadOnly, EngineCompatibility: d.Status.EngineCompatibility,
			EngineCreatedMajor: d.Status.EngineCreatedMajor, SettingsUnsupportedFeatures: d.Status.SettingsUnsupported,
		},
	}
	if holder := d.Status.Indexer; holder != nil {
		body.Status.Indexer = &indexerBody{holder.Node, holder.Address}
	}
	return (&Response{Status: status, Body: body}).WithETag(d.Version)
}

// indexName parses the name in the path, exactly as the permission check saw
// it.
func (r *Request) indexName() (registry.Name, error) { return registry.ParseName(r.Param("name")) }

// matcher returns the condition of the If-Match header, or nil if there is
// none.
func (r *Request) matcher() func(version string) bool {
	tags := r.IfMatch()
	if tags == nil {
		return nil
	}
	return tags.Match
}

func (a *API) listIndexes(ctx context.Context, r *Request) (*Response, error) {
	listing, err := r.Listing()
	if err != nil {
		return nil, err
	}
	all, err := a.node.List(ctx)
	if err != nil {
		return nil, err
	}
	var visible []node.IndexEntry
	for _, index := range all {
		if r.Principal.Can(auth.IndexesRead, index.Name) {
			visible = append(visible, index)
		}
	}
	page, next := Page(visible, func(i node.IndexEntry) string { return i.Name }, listing)
	body := indexListBody{Indexes: make([]listedIndexBody, 0, len(page)), Next: next}
	for _, index := range page {
		body.Indexes = append(body.Indexes, listedIndexBody{
			Name: index.Name, LiveGeneration: index.Live, Generations: describeGenerations(index.Generations)})
	}
	return OK(body), nil
}

func (a *API) getIndex(ctx context.Context, r *Request) (*Response, error) {
	name, err := r.indexName()
	if err != nil {
		return nil, err
	}
	described, err := a.node.Describe(ctx, name)
	if err != nil {
		return nil, err
	}
	if unmodified := r.Unmodified(described.Version); unmodified != nil {
		return unmodified, nil
	}
	return indexResponse(http.StatusOK, described), nil
}

func (a *API) putIndex(ctx context.Context, r *Request) (*Response, error) {
	name, err := r.indexName()
	if err != nil {
		return nil, err
	}
	allowStale, err := r.boolQuery("allowStaleDocuments")
	if err != nil {
		return nil, err
	}
	body, err := r.Body() // a missing index is reported before a missing body
	if err != nil {
		return nil, err
	}
	described, created, err := a.node.Put(ctx, node.Put{
		Name: name, Body: body, Matches: r.matcher(), AllowStale: allowStale,
		Reindex: r.Query("reindex"), HasReindex: r.HasQuery("reindex"), Verify: r.Query("verify"), StartedBy: r.Principal.Name(),
		MayPromote: func() error { return r.Principal.CheckIndex(auth.IndexesPromote, r.Param("name")) },
	})
	if err != nil {
		return nil, err
	}
	if created {
		return indexResponse(http.StatusCreated, described).With("Location", r.URL(r.HTTP.URL.Path)), nil
	}
	return indexResponse(http.StatusOK, described), nil
}

type definitionPreviewBody struct {
	Name        string         `json:"name"`
	Generation  string         `json:"generation"`
	Outcome     string         `json:"outcome"`
	Version     string         `json:"version,omitempty"`
	Definition  jsontext.Value `json:"definition"`
	Differences []ErrorDetail  `json:"differences"`
}

// previewDefinition responds with what putIndex would do with a definition.
func (a *API) previewDefinition(ctx context.Context, r *Request) (*Response, error) {
	name, err := r.indexName()
	if err != nil {
		return nil, err
	}
	body, err := r.Body()
	if err != nil {
		return nil, err
	}
	preview, err := a.node.PreviewPut(ctx, name, body)
	if err != nil {
		return nil, err
	}
	answer := definitionPreviewBody{
		Name: preview.Name.Index, Generation: preview.Name.Generation, Outcome: preview.Outcome, Version: preview.Version,
		Definition: preview.Definition.Encode(), Differences: []ErrorDetail{},
	}
	if len(preview.Differences) > 0 {
		refusal := problem.IndexDefinitionIncompatible.New().Detailed(preview.Differences)
		a.adviseReindex(ctx, r, refusal)
		answer.Differences = Details(refusal)
	}
	return OK(answer), nil
}

// boolQuery reads a boolean query parameter; it is false if absent.
func (r *Request) boolQuery(name string) (bool, error) {
	if !r.HasQuery(name) {
		return false, nil
	}
	value, err := strconv.ParseBool(r.Query(name))
	if err != nil {
		return false, problem.RequestValueInvalid.At(problem.At(name), "reason", "expected true or false")
	}
	return value, nil
}

func (a *API) deleteIndex(ctx context.Context, r *Request) (*Response, error) {
	name, err := r.indexName()
	if err != nil {
		return nil, err
	}
	if err := a.node.Delete(ctx, name); err != nil {
		return nil, err
	}
	return NoContent(), nil
}

func (a *API) promoteGeneration(ctx context.Context, r *Request) (*Response, error) {
	force, err := r.boolQuery("force")
	if err != nil {
		return nil, err
	}
	return r.indexAction(ctx, func(ctx context.Context, name registry.Name) (*node.Description, error) {
		return a.node.PromoteAs(ctx, name, node.Promotion{Verify: r.Query("verify"), Force: force, By: r.Principal.Name()})
	})
}

func (a *API) commitIndex(ctx context.Context, r *Request) (*Response, error) {
	return r.indexAction(ctx, a.node.Commit)
}

func (a *API) pullIndex(ctx context.Context, r *Request) (*Response, error) {
	return r.indexAction(ctx, a.node.Pull)
}

func (r *Request) indexAction(ctx context.Context, action func(context.Context, registry.Name) (*node.Description, error)) (*Response, error) {
	name, err := r.indexName()
	if err != nil {
		return nil, err
	}
	described, err := action(ctx, name)
	if err != nil {
		return nil, err
	}
	return indexResponse(http.StatusOK, described).With("Cache-Control", "no-store"), nil
}
