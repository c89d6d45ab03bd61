package node

import (
	"context"
	"errors"
	"testing"

	"github.com/quiresearch/quire/internal/judgement"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/reindex"
	"github.com/quiresearch/quire/internal/search"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

const keyed = `{"fields":{"id":{"type":"string","role":"id"}}}`

// answers returns a search that always finds the keys.
func answers(keys ...string) Search {
	return func(context.Context, search.View, *query.Search) (*query.Answer, error) {
		a := &query.Answer{Total: query.Total{Count: int64(len(keys)), Exact: true}}
		for _, key := range keys {
			a.Hits = append(a.Hits, query.Hit{ID: key, HasID: true})
		}
		return a, nil
	}
}

// A job that is interrupted while it is being verified is verified again.
func TestVerificationGoesOnAfterARestart(t *testing.T) {
	f, asked, _ := evaluated(t)
	f.mustWrite("x", `{"id":"1"}`)
	f.mustPut("x@2", keyed)
	request := reindex.Request{Target: parse(f, "x@2"), Promote: reindex.Auto, Verify: "base"}
	if _, err := f.StartReindex(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	<-asked
	if job := f.job("x"); job.Phase != reindex.Ready || job.Verification != nil {
		t.Fatalf("the job is %+v while it is verified", job)
	}
	f.options.Search = answers("1")
	f.restart()
	if job := f.reach("x", reindex.Done); job.Verification == nil || !job.Verification.Held || *job.Verification.NDCG != 1 {
		t.Errorf("ended with %+v", job.Verification)
	}
}

func TestAJobThatIsVerifiedCanBeCancelled(t *testing.T) {
	f, asked, _ := evaluated(t)
	f.mustWrite("x", `{"id":"1"}`)
	f.mustPut("x@2", keyed)
	if _, err := f.StartReindex(t.Context(), reindex.Request{Target: parse(f, "x@2"), Promote: reindex.Auto, Verify: "base"}); err != nil {
		t.Fatal(err)
	}
	<-asked
	if _, err := f.CancelReindex(t.Context(), parse(f, "x")); err != nil {
		t.Fatal(err)
	}
	f.reach("x", reindex.Cancelled)
}

// Whatever happens to the set, a job that asks for verification is not promoted
// without it.
func TestASetThatIsGoneFailsTheVerification(t *testing.T) {
	f := newFixture(t)
	f.Node.options.Search = answers("2")
	f.mustPut("x", keyed)
	f.mustWrite("x", `{"id":"1"}`)
	name := registry.Name{Index: "x"}
	set, err := judgement.Decode([]byte(`{"queries":[{"text":"red","known":"1"}],"bounds":{"minNdcg":0.5}}`), query.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.ChangeJudgements(t.Context(), name, "base", nil, func(*judgement.Set) (*judgement.Set, error) { return set, nil }); err != nil {
		t.Fatal(err)
	}
	f.mustPut("x@2", keyed)
	if _, err := f.StartReindex(t.Context(), reindex.Request{Target: parse(f, "x@2"), Promote: reindex.Auto, Verify: "base"}); err != nil {
		t.Fatal(err)
	}
	f.reach("x", reindex.Ready)
	if _, err := f.Promote(t.Context(), parse(f, "x@2")); !errors.Is(err, problem.IndexPromotionVerificationFailed) {
		t.Errorf("promoted: %v", err)
	}
	if err := f.DeleteJudgements(t.Context(), name, "base"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Promote(t.Context(), parse(f, "x@2")); !errors.Is(err, problem.JudgementsNotFound) {
		t.Errorf("promoted without the set: %v", err)
	}
	if _, err := f.PromoteAs(t.Context(), parse(f, "x@2"), Promotion{Force: true}); err != nil {
		t.Errorf("by force: %v", err)
	}
}
