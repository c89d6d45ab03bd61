package node

import (
	"context"
	"strings"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/evaluate"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/reindex"
	"github.com/quiresearch/quire/problem"
)

// Promotion says how a generation is promoted.
type Promotion struct {
	Verify string // judgement set whose bounds it must keep; empty: that of its job
	Force  bool   // promote without verification
	By     string // the caller, for the log
}

// worstShown is how many queries a failed verification names.
const worstShown = 5

// checkVerify rejects a set that does not exist, and a set without a job.
func (n *Node) checkVerify(ctx context.Context, put Put) error {
	switch {
	case put.Verify == "":
		return nil
	case !put.HasReindex:
		return problem.RequestValueInvalid.At(problem.At("verify"), "reason", "expected with reindex")
	}
	_, err := n.Judgements(ctx, put.Name.Bare(), put.Verify)
	return err
}

// verifyPromotion refuses a generation that does not keep the bounds of a set.
func (n *Node) verifyPromotion(ctx context.Context, g *generations.Generation, how Promotion) error {
	set := how.Verify
	if set == "" {
		var err error
		if set, err = n.jobs.Verifies(ctx, g.Entry); err != nil || set == "" {
			return err
		}
	}
	if how.Force {
		n.log.Warn("promoted by force, without verification", "generation", g.Entry.Name, "judgements", set, "by", how.By)
		return nil
	}
	report, err := n.verify(ctx, g, set)
	if err != nil || report.Bounds.Held {
		return err
	}
	return problem.IndexPromotionVerificationFailed.New("name", g.Entry.Name.String(), "set", set,
		"failures", report.Bounds.Summary(), "queries", strings.Join(report.Worst(worstShown), ", "))
}

// verify commits a generation and measures it by a set, against the live one.
func (n *Node) verify(ctx context.Context, g *generations.Generation, name string) (*evaluate.Report, error) {
	set, err := n.Judgements(ctx, g.Entry.Name, name)
	if err != nil {
		return nil, err
	}
	if _, err := g.Commit(ctx, engine.Explicit); err != nil {
		return nil, commitProblem(err)
	}
	var against *EvaluationSide
	if live, err := n.resolve(ctx, g.Entry.Name.Bare()); err == nil && live.Generation != g.Entry.Generation {
		against = &EvaluationSide{Name: live.Name}
	}
	first, second, err := n.openSides(ctx, EvaluationSide{Name: g.Entry.Name}, against)
	if err != nil {
		return nil, err
	}
	return n.runEvaluation(ctx, name, set, first, second, evaluate.Options{})
}

// verifyJob verifies the target of a reindex job.
func (n *Node) verifyJob(ctx context.Context, target registry.Entry, name string) (reindex.Verification, error) {
	g, err := n.generations.AcquireFor(ctx, target, generations.ForBackground)
	if err != nil {
		return reindex.Verification{}, err
	}
	defer g.Release()
	report, err := n.verify(ctx, g, name)
	if err != nil {
		return reindex.Verification{}, err
	}
	v := reindex.Verification{Judgements: name, Held: report.Bounds.Held, Failures: report.Bounds.Failures, NDCG: report.Measures.NDCG}
	if !v.Held {
		v.Worst = report.Worst(worstShown)
	}
	if report.Against != nil {
		v.LiveNDCG, v.P = report.Against.Measures.NDCG, &report.Comparison.NDCG.P
	}
	return v, nil
}
