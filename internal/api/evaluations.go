package api

import (
	"context"

	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/internal/evaluate"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/internal/node"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/problem"
)

// evaluationBody is an evaluation. Once it is done, the members of its report
// are included.
type evaluationBody struct {
	ID           string  `json:"id"`
	Index        string  `json:"index"`
	Generation   string  `json:"generation"`
	Judgements   string  `json:"judgements"`
	State        string  `json:"state"`
	Searches     int     `json:"searches"`
	SearchesDone int     `json:"searchesDone"`
	Error        *string `json:"error"`
	StartedBy    *string `json:"startedBy"`
	StartedAt    string  `json:"startedAt"`
	FinishedAt   *string `json:"finishedAt"`

	Version    string               `json:"judgementsVersion,omitempty"`
	K          int                  `json:"k,omitzero"`
	RecallK    int                  `json:"recallK,omitzero"`
	Measures   *evaluate.Measures   `json:"measures,omitempty"`
	Against    *evaluate.Against    `json:"against,omitempty"`
	Comparison *evaluate.Comparison `json:"comparison,omitempty"`
	Bounds     *evaluate.Verdict    `json:"bounds,omitempty"`
	Queries    []evaluate.Query     `json:"queries,omitempty"`
}

type evaluationListBody struct {
	Evaluations []evaluationBody `json:"evaluations"`
}

func describeEvaluation(e node.Evaluation) evaluationBody {
	body := evaluationBody{
		ID: e.ID, Index: e.Index, Generation: e.Generation, Judgements: e.Judgements, State: e.State, Searches: e.Searches,
		SearchesDone: e.SearchesDone, StartedAt: timestamp(e.StartedAt),
	}
	if e.Error != "" {
		body.Error = &e.Error
	}
	if e.StartedBy != "" {
		body.StartedBy = &e.StartedBy
	}
	if e.FinishedAt != nil {
		at := timestamp(*e.FinishedAt)
		body.FinishedAt = &at
	}
	if r := e.Report; r != nil {
		body.Version, body.K, body.RecallK, body.Measures = r.JudgementsVersion, r.K, r.RecallK, &r.Measures
		body.Against, body.Comparison, body.Bounds, body.Queries = r.Against, r.Comparison, &r.Bounds, r.Queries
	}
	return body
}

func (a *API) evaluateIndex(ctx context.Context, r *Request) (*Response, error) {
	name, err := r.indexName()
	if err != nil {
		return nil, err
	}
	if err := a.node.CheckIndex(ctx, name); err != nil {
		return nil, err
	}
	// The report lists the texts of the set, and sets belong to the bare index.
	if err := r.Principal.CheckBareIndex(auth.IndexesRead, name.String()); err != nil {
		return nil, err
	}
	body, err := r.RequiredBody()
	if err != nil {
		return nil, err
	}
	request, err := evaluationRequest(name, body)
	if err != nil {
		return nil, err
	}
	if against := request.Against; against != nil {
		if err := r.Principal.CheckIndex(auth.IndexesRead, against.Name.String()); err != nil {
			return nil, err
		}
	}
	request.StartedBy = r.Principal.Name()
	evaluation, err := a.node.Evaluate(ctx, request)
	if err != nil {
		return nil, err
	}
	if evaluation.State == node.EvaluationRunning {
		return Accepted(describeEvaluation(evaluation), r.URL(adminIndexes+"/"+name.Index+"/evaluations/"+evaluation.ID)), nil
	}
	return OK(describeEvaluation(evaluation)), nil
}

func evaluationRequest(name registry.Name, body []byte) (node.EvaluationRequest, error) {
	request := node.EvaluationRequest{Side: node.EvaluationSide{Name: name}}
	var found problem.List
	value, ok := jsonread.Parse(body, &found)
	if !ok {
		return request, found.Err()
	}
	value.Members(func(member string, v jsonread.Value) bool {
		switch member {
		case "judgements":
			request.Judgements, _ = v.Text()
		case "settings":
			request.Side.Settings = settingsOf(v)
		case "against":
			if !v.IsNull() {
				request.Against = againstOf(name, v)
			}
		case "k":
			k, ok := v.Int()
			if ok && (k < 1 || k > evaluate.Depth) {
				v.Invalid("expected a number from 1 to 100")
			}
			request.K = k
		case "hits":
			request.Hits, _ = v.Bool()
		case "background":
			request.InBackground, _ = v.Bool()
		default:
			return false
		}
		return true
	})
	if request.Judgements == "" {
		found.Report(problem.RequestValueRequired.At(problem.At("judgements")))
	}
	return request, found.Err()
}

// settingsOf returns the settings given in the body, or nil for null, which
// means the stored settings.
func settingsOf(v jsonread.Value) []byte {
	if v.IsNull() {
		return nil
	}
	return v.Raw()
}

// againstOf parses the second side of a comparison: the live generation unless
// the body names one.
func againstOf(name registry.Name, v jsonread.Value) *node.EvaluationSide {
	side := &node.EvaluationSide{Name: name.Bare(), At: v.Path()}
	v.Members(func(member string, v jsonread.Value) bool {
		switch member {
		case "generation":
			text, ok := v.Text()
			if !ok {
				break
			}
			parsed, err := registry.ParseName(name.Index + "@" + text)
			if err != nil {
				v.Report(problem.IndexGenerationNameInvalid, "name", text)
			}
			side.Name = parsed
		case "settings":
			side.Settings = settingsOf(v)
		default:
			return false
		}
		return true
	})
	return side
}

func (a *API) listEvaluations(ctx context.Context, r *Request) (*Response, error) {
	name, err := r.indexName()
	if err != nil {
		return nil, err
	}
	found, err := a.node.Evaluations(ctx, name)
	if err != nil {
		return nil, err
	}
	body := evaluationListBody{Evaluations: make([]evaluationBody, len(found))}
	for i, e := range found {
		body.Evaluations[i] = describeEvaluation(e)
	}
	return OK(body), nil
}

func (a *API) getEvaluation(ctx context.Context, r *Request) (*Response, error) {
	return r.evaluationAction(ctx, a.node.Evaluation)
}

func (a *API) cancelEvaluation(ctx context.Context, r *Request) (*Response, error) {
	return r.evaluationAction(ctx, a.node.CancelEvaluation)
}

func (r *Request) evaluationAction(ctx context.Context, action func(context.Context, registry.Name, string) (node.Evaluation, error)) (*Response, error) {
	name, err := r.indexName()
	if err != nil {
		return nil, err
	}
	evaluation, err := action(ctx, name, r.Param("evaluation"))
	if err != nil {
		return nil, err
	}
	return OK(describeEvaluation(evaluation)), nil
}
