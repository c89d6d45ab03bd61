package node

import (
	"context"
	"time"

	"github.com/quiresearch/quire/internal/evaluate"
	"github.com/quiresearch/quire/internal/judgement"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/search"
	"github.com/quiresearch/quire/query"
)

const (
	// maxJudged is how many judged queries an explanation shows. Each costs a
	// search.
	maxJudged = 20
	// judgedWait is how long an explanation waits for judgements. It is useful
	// without them.
	judgedWait = 2 * time.Second
)

// Judged returns what the judgement sets of an index say about a document under the
// text of a search, measured on a view. It returns nothing when they cannot be
// read.
func (n *Node) Judged(ctx context.Context, view search.View, request *query.Search, key string) []query.Judged {
	text := judgement.FoldText(judgement.FirstText(request))
	if text == "" {
		return nil
	}
	timed, cancel := context.WithTimeout(ctx, judgedWait)
	defer cancel()
	found, err := n.judged(timed, view, text, key)
	if ctx.Err() != nil {
		return nil // the client is gone
	}
	if err != nil {
		n.log.Warn("cannot read the judgements of an explanation", "index", view.Index, "error", err)
		return nil
	}
	return found
}

func (n *Node) judged(ctx context.Context, view search.View, text, key string) ([]query.Judged, error) {
	entry, err := n.locate(ctx, registry.Name{Index: view.Index})
	if err != nil {
		return nil, err
	}
	sets, err := n.judgements.List(ctx, entry.Index)
	if err != nil {
		return nil, err
	}
	side := evaluate.Side{Search: func(ctx context.Context, request *query.Search) (*query.Answer, error) {
		return n.options.Search(ctx, view, request)
	}}
	var all []query.Judged
	for _, name := range sets {
		set, err := n.judgements.Read(ctx, entry.Index, name)
		if err != nil {
			return nil, err
		}
		if set == nil {
			continue // removed meanwhile
		}
		for i := range set.Queries {
			q := &set.Queries[i]
			if judgement.FoldText(evaluate.Text(q, n.options.Limits)) != text {
				continue
			}
			found, rank := evaluate.One(ctx, q, side, key, n.options.Limits)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			one := query.Judged{
				Set: name, Position: i, ID: q.ID, Text: q.Text, Known: q.Known, Expect: q.Expect.About(key),
				Rank: rank, NDCG: found.NDCG, Unmet: found.Unmet,
			}
			if grade, graded := q.Grades[key]; graded {
				one.Grade = &grade
			}
			if all = append(all, one); len(all) == maxJudged {
				return all, nil
			}
		}
	}
	return all, nil
}
