package node

import (
	"context"
	"errors"
	"testing"

	"github.com/quiresearch/quire/internal/judgement"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/search"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

const judged = `{"queries":[{"text":"red","known":"1"}]}`

// evaluated is a node with an index whose searches wait for the test.
func evaluated(t *testing.T) (f *fixture, asked chan struct{}, answer chan struct{}) {
	asked, answer = make(chan struct{}), make(chan struct{})
	f = newFixture(t)
	f.Node.options.Search = func(ctx context.Context, _ search.View, _ *query.Search) (*query.Answer, error) {
		select {
		case asked <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		select {
		case <-answer:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return &query.Answer{Hits: []query.Hit{{ID: "1", HasID: true}}, Total: query.Total{Count: 1, Exact: true}}, nil
	}
	f.mustPut("x", `{"fields":{"id":{"type":"string","role":"id"}}}`)
	set, err := judgement.Decode([]byte(judged), query.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.ChangeJudgements(t.Context(), registry.Name{Index: "x"}, "base", nil, func(*judgement.Set) (*judgement.Set, error) { return set, nil }); err != nil {
		t.Fatal(err)
	}
	return f, asked, answer
}

var ofX = EvaluationRequest{Side: EvaluationSide{Name: registry.Name{Index: "x"}}, Judgements: "base", InBackground: true}

func (f *fixture) evaluationEnds(id string) Evaluation {
	f.Helper()
	f.evaluations.running.Wait()
	e, err := f.Evaluation(f.Context(), registry.Name{Index: "x"}, id)
	if err != nil || e.FinishedAt == nil {
		f.Fatalf("the evaluation is %+v, %v", e, err)
	}
	return e
}

func TestAnIndexHasOneUnfinishedEvaluation(t *testing.T) {
	f, asked, answer := evaluated(t)
	first, err := f.Evaluate(t.Context(), ofX)
	if err != nil || first.State != EvaluationRunning {
		t.Fatalf("accepted as %+v, %v", first, err)
	}
	<-asked
	if _, err := f.Evaluate(t.Context(), ofX); !errors.Is(err, problem.EvaluationInProgress) {
		t.Errorf("a second one: %v", err)
	}
	answer <- struct{}{}
	if done := f.evaluationEnds(first.ID); done.State != EvaluationDone || *done.Report.Measures.NDCG != 1 || done.SearchesDone != 1 {
		t.Errorf("ended as %+v", done)
	}
	go func() { <-asked; answer <- struct{}{} }()
	now := ofX
	now.InBackground = false
	if again, err := f.Evaluate(t.Context(), now); err != nil || again.State != EvaluationDone {
		t.Errorf("a small one is answered at once with %+v, %v", again, err)
	}
	if all, err := f.Evaluations(t.Context(), registry.Name{Index: "x"}); err != nil || len(all) != 2 || all[1].ID != first.ID || all[0].Report != nil {
		t.Errorf("listed %+v, %v", all, err)
	}
}

func TestEvaluationsAreCancelled(t *testing.T) {
	f, asked, _ := evaluated(t)
	one, err := f.Evaluate(t.Context(), ofX)
	if err != nil {
		t.Fatal(err)
	}
	<-asked
	if cancelled, err := f.CancelEvaluation(t.Context(), registry.Name{Index: "x"}, one.ID); err != nil || cancelled.State != EvaluationCancelled {
		t.Fatalf("cancelled as %+v, %v", cancelled, err)
	}
	if ended := f.evaluationEnds(one.ID); ended.State != EvaluationCancelled || ended.Report != nil {
		t.Errorf("ended as %+v", ended)
	}
	// An evaluation that runs when the node is closed ends with it.
	if _, err := f.Evaluate(t.Context(), ofX); err != nil {
		t.Fatal(err)
	}
	<-asked
}
