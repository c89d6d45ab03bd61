package evaluate

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/judgement"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// answering returns a side that answers every text with fixed keys.
func answering(generation string, rankings map[string][]string) Side {
	return Side{Index: "shop", Generation: generation, Search: func(_ context.Context, s *query.Search) (*query.Answer, error) {
		text := string(s.QueryText)
		for word, keys := range rankings {
			if strings.Contains(text, word) {
				a := &query.Answer{Total: query.Total{Count: int64(len(keys)), Exact: true}}
				for _, key := range keys {
					a.Hits = append(a.Hits, query.Hit{ID: key, HasID: true})
				}
				return a, nil
			}
		}
		return nil, problem.SearchTimeout.New()
	}}
}

func set(t *testing.T, body string) *judgement.Set {
	t.Helper()
	s, err := judgement.Decode([]byte(body), query.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func run(t *testing.T, body string, side Side, against *Side) *Report {
	t.Helper()
	r, err := Run(t.Context(), "base", set(t, body), side, against, Options{Limits: query.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestMeansFollowWeights(t *testing.T) {
	r := run(t, `{"queries":[{"text":"red","known":"1","weight":3},{"text":"blue","known":"2"},{"text":"none","expect":{"atLeast":1}}]}`,
		answering("1", map[string][]string{"red": {"1"}, "blue": {"9", "2"}, "none": {}}), nil)
	m := r.Measures
	if *m.MRR != (3*1+0.5)/4 || m.Queries != 3 || m.Graded != 2 || m.Expectations != 1 || m.ExpectationsMet != 0 || m.ZeroResults != 0.2 {
		t.Errorf("measures are %+v, mrr %v", m, *m.MRR)
	}
	if want := (3 + 1/math.Log2(3)) / 4; math.Abs(*m.NDCG-want) > 1e-12 {
		t.Errorf("nDCG is %v, want %v", *m.NDCG, want)
	}
	if r.Against != nil || r.Comparison != nil || !r.Bounds.Held {
		t.Errorf("one side without bounds gives %+v", r)
	}
}

func TestExpectations(t *testing.T) {
	r := run(t, `{"queries":[{"text":"red","expect":{"mustHit":["1","7"],"mustNotHit":["2","8"],"above":[["1","2"],["2","1"],["3","9"],["9","1"]],"atLeast":3}}]}`,
		answering("1", map[string][]string{"red": {"1", "2", "3"}}), nil)
	want := "mustHit 7|mustNotHit 2|above 2, 1|above 9, 1"
	if got := strings.Join(r.Queries[0].Unmet, "|"); got != want {
		t.Errorf("unmet are %s, want %s", got, want)
	}
	if r.Measures.Expectations != 9 || r.Measures.ExpectationsMet != 5 {
		t.Errorf("%d of %d are met, want 5 of 9", r.Measures.ExpectationsMet, r.Measures.Expectations)
	}
}

func TestTwoSidesAndBounds(t *testing.T) {
	before := answering("1", map[string][]string{"red": {"1"}, "blue": {"2"}, "green": {"x", "3"}})
	now := answering("2", map[string][]string{"red": {"x", "1"}, "blue": {"2"}, "green": {"3"}})
	queries := `"queries":[{"text":"red","known":"1","weight":2},{"text":"blue","known":"2"},{"text":"green","known":"3"}]`
	r := run(t, `{`+queries+`,"bounds":{"minNdcg":0.9,"maxLoss":0.05,"expectations":true}}`, now, &before)
	c := r.Comparison
	if c.Wins != 1 || c.Losses != 1 || c.Ties != 1 || c.NDCG.IsSignificant || c.NDCG.P != 1 {
		t.Errorf("comparison is %+v", c)
	}
	if want := *r.Measures.NDCG - *r.Against.Measures.NDCG; math.Abs(c.NDCG.Difference-want) > 1e-12 {
		t.Errorf("the difference is %v, that of the means %v", c.NDCG.Difference, want)
	}
	if r.Bounds.Held || len(r.Bounds.Failures) != 2 {
		t.Errorf("verdict is %+v", r.Bounds)
	}
	if worst := r.Worst(5); len(worst) != 1 || worst[0] != "red" {
		t.Errorf("the worst are %q", worst)
	}
	if held := run(t, `{`+queries+`,"bounds":{"minNdcg":0.5,"maxLoss":1}}`, now, &before); !held.Bounds.Held {
		t.Errorf("verdict is %+v", held.Bounds)
	}
}

func TestARefusedSearchFindsNothing(t *testing.T) {
	r := run(t, `{"queries":[{"text":"red","known":"1"}],"bounds":{"minNdcg":0}}`, answering("1", nil), nil)
	if q := r.Queries[0]; q.Error != problem.SearchTimeout.Name() || *q.NDCG != 0 || r.Measures.Failed != 1 || r.Bounds.Held {
		t.Errorf("the query is %+v, the verdict %+v", q, r.Bounds)
	}
}

func TestRequestsAskForKeysAlone(t *testing.T) {
	s := set(t, `{"queries":[{"search":{"query":[{"type":"text","text":"x"}],"limit":3,"offset":7,"locale":"sv"},"known":"1"},{"text":"a\"b","locale":"de","known":"1"}]}`)
	first, err := request(&s.Queries[0], query.DefaultLimits())
	if err != nil || first.Limit != Depth || first.Offset != 0 || first.Locale != "sv" || !first.HasFields || len(first.Fields) != 0 {
		t.Errorf("a search becomes %+v, %v", first, err)
	}
	if second, err := request(&s.Queries[1], query.DefaultLimits()); err != nil || second.Locale != "de" || len(second.Query) != 1 {
		t.Errorf("a text becomes %+v, %v", second, err)
	}
}

// An evaluation uses no more than its share, and ends when it is cancelled.
func TestShareAndCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := Side{Search: func(context.Context, *query.Search) (*query.Answer, error) {
			time.Sleep(10 * time.Millisecond)
			return &query.Answer{}, nil
		}}
		began := time.Now()
		done := 0
		s := set(t, `{"queries":[{"text":"a","known":"1"},{"text":"b","known":"1"}]}`)
		_, err := Run(t.Context(), "base", s, slow, &slow, Options{Limits: query.DefaultLimits(), Share: 0.25, Progress: func(n int) { done = n }})
		if took := time.Since(began); err != nil || took != 160*time.Millisecond || done != Searches(s, 2) {
			t.Errorf("40 ms of work took %v, %d searches, %v", took, done, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		_, err = Run(ctx, "base", s, slow, nil, Options{Limits: query.DefaultLimits(), Share: 0.25, Progress: func(int) { cancel() }})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled run ends with %v", err)
		}
	})
}
