package api

import (
	"context"
	"slices"
	"strings"

	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/reindex"
	"github.com/quiresearch/quire/problem"
)

type jobBody struct {
	ID              *string       `json:"id"`
	Index           string        `json:"index"`
	Target          string        `json:"target"`
	Source          string        `json:"source"`
	Phase           reindex.Phase `json:"phase"`
	Promote         string        `json:"promote"`
	DocumentsCopied int64         `json:"documentsCopied"`
	SourceDocuments int64         `json:"sourceDocuments"`
	Backlog         int64         `json:"backlog"`
	Error           *string       `json:"error"`
	StartedBy       *string       `json:"startedBy"`
	Node            *string       `json:"node"`
	StartedAt       string        `json:"startedAt"`
	UpdatedAt       string        `json:"updatedAt"`
	FinishedAt      *string       `json:"finishedAt"`
	Freshness       *string       `json:"freshness"`

	Verify       *string           `json:"verify,omitempty"`
	Verification *verificationBody `json:"verification,omitempty"`
}

type verificationBody struct {
	reindex.Verification
	VerifiedAt string `json:"verifiedAt"`
}

type jobListBody struct {
	Reindexes []jobBody `json:"reindexes"`
	Next      string    `json:"next,omitempty"`
}

func describeJob(r reindex.Record) jobBody {
	body := jobBody{
		ID: r.ID, Index: r.Index, Target: r.Target, Source: r.Source, Phase: r.Phase, Promote: r.Promote,
		DocumentsCopied: r.DocumentsCopied, SourceDocuments: r.SourceDocuments, Backlog: r.Backlog,
		Error: r.Error, StartedBy: r.StartedBy, Node: r.Node,
		StartedAt: timestamp(r.StartedAt), UpdatedAt: timestamp(r.UpdatedAt), Freshness: r.Freshness,
	}
	if r.FinishedAt != nil {
		at := timestamp(*r.FinishedAt)
		body.FinishedAt = &at
	}
	if body.Verify = r.Verify; r.Verification != nil {
		body.Verification = &verificationBody{*r.Verification, timestamp(r.Verification.VerifiedAt)}
	}
	return body
}

func (a *API) startReindex(ctx context.Context, r *Request) (*Response, error) {
	name, err := r.indexName()
	if err != nil {
		return nil, err
	}
	request, err := r.reindexRequest(name)
	if err != nil {
		return nil, err
	}
	if request.Promote == reindex.Auto {
		if err := r.Principal.CheckIndex(auth.IndexesPromote, r.Param("name")); err != nil {
			return nil, err
		}
	}
	if from, err := registry.ParseName(request.From); err == nil && from.Index == name.Index && from.HasGeneration() {
		if err := r.Principal.CheckVisible(request.From); err != nil {
			return nil, err
		}
	}
	record, err := a.node.StartReindex(ctx, request)
	if err != nil {
		return nil, err
	}
	return Accepted(describeJob(record), r.URL(adminJobs+"/"+record.Index)), nil
}

// reindexRequest parses the body, which may be missing.
func (r *Request) reindexRequest(target registry.Name) (reindex.Request, error) {
	request := reindex.Request{Target: target, Promote: reindex.Auto, StartedBy: r.Principal.Name()}
	body, err := r.OptionalBody()
	if err != nil {
		return request, err
	}
	var (
		found   problem.List
		hasFrom bool
	)
	if value, ok := jsonread.Parse(body, &found); ok {
		value.Members(func(name string, member jsonread.Value) bool {
			switch name {
			case "from":
				request.From, hasFrom = member.Text()
			case "promote":
				if text, ok := member.Text(); ok {
					request.Promote = text
				}
			case "verify":
				request.Verify, _ = member.Text()
			default:
				return false
			}
			return true
		})
	}
	if err := found.Err(); err != nil {
		return request, err
	}
	if !target.HasGeneration() {
		return request, problem.ReindexTargetGenerationRequired.New("name", target.String())
	}
	if !reindex.IsPromote(request.Promote) {
		return request, problem.ReindexPromoteInvalid.At(problem.At("promote"), "value", request.Promote)
	}
	if hasFrom && request.From == "" {
		return request, problem.IndexNameInvalid.At(problem.At("from"), "name", "")
	}
	return request, nil
}

func (a *API) listReindexes(ctx context.Context, r *Request) (*Response, error) {
	var found problem.List
	listing, err := r.Listing()
	found.Add(err)
	phases, err := r.phases()
	found.Add(err)
	if err := found.Err(); err != nil {
		return nil, err
	}
	records, err := a.node.Reindexes(ctx)
	if err != nil {
		return nil, err
	}
	var visible []reindex.Record
	for _, record := range records {
		switch {
		case !r.Principal.Can(auth.IndexesRead, record.Index):
		case r.HasQuery("index") && record.Index != r.Query("index"):
		case phases != nil && !slices.Contains(phases, string(record.Phase)):
		default:
			visible = append(visible, record)
		}
	}
	page, next := Page(visible, func(r reindex.Record) string { return r.Index }, listing)
	body := jobListBody{Reindexes: make([]jobBody, 0, len(page)), Next: next}
	for _, record := range page {
		body.Reindexes = append(body.Reindexes, describeJob(record))
	}
	return OK(body), nil
}

// phases reads the phase filter, which may be repeated or comma-separated. It
// returns nil if there is none.
func (r *Request) phases() ([]string, error) {
	var (
		wanted []string
		found  problem.List
	)
	for _, list := range r.QueryAll("phase") {
		for _, phase := range strings.Split(list, ",") {
			phase = strings.TrimSpace(phase)
			if !reindex.IsPhase(phase) {
				found.Report(problem.ReindexPhaseInvalid.At(problem.At("phase"), "value", phase))
			}
			wanted = append(wanted, phase)
		}
	}
	return wanted, found.Err()
}

func (a *API) getReindex(ctx context.Context, r *Request) (*Response, error) {
	return r.jobAction(ctx, a.node.Reindex)
}

func (a *API) cancelReindex(ctx context.Context, r *Request) (*Response, error) {
	return r.jobAction(ctx, a.node.CancelReindex)
}

func (r *Request) jobAction(ctx context.Context, action func(context.Context, registry.Name) (reindex.Record, error)) (*Response, error) {
	name, err := r.indexName()
	if err != nil {
		return nil, err
	}
	record, err := action(ctx, name)
	if err != nil {
		return nil, err
	}
	return OK(describeJob(record)), nil
}
