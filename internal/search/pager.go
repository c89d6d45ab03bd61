package search

import (
	"context"

	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/query"
)

// pager cuts the page out of the collected hits and makes its cursors.
type pager struct {
	execution *execution
	order     *order
	at        *pageStart
	rescore   *rescoring
}

// cut returns the hits of the page and fills in f.page.
func (p *pager) cut(ctx context.Context, result *collect.Result, f *found) ([]hit, error) {
	r := p.execution.request
	f.page = query.Page{Limit: r.Limit, Offset: p.at.offset, HasOffset: !p.at.isPosition()}
	if r.Limit == 0 {
		return nil, nil
	}
	hits := p.execution.hits[:0]
	for _, h := range result.Hits {
		hits = append(hits, hit{Hit: h, score: float64(h.Score)})
	}
	p.execution.hits = hits
	inWindow := p.rescore != nil && !p.at.isPosition() && p.at.offset < p.rescore.window
	var firstPass []hit
	if p.rescore != nil {
		f.hasScore = true
		if !result.Scored {
			for i := range hits {
				hits[i].score = 1
			}
		}
	}
	if inWindow {
		firstPass = append(firstPass, hits...)
		if err := p.execution.runRescore(ctx, p.rescore, hits, p.order.keys[0].Descending); err != nil {
			return nil, err
		}
	}
	collected := len(hits)
	if !p.at.isPosition() {
		from := min(p.at.offset, len(hits))
		hits = hits[from:min(from+r.Limit, len(hits))]
	}
	if inWindow {
		p.windowCursors(f, firstPass, p.at.offset+len(hits), collected)
	} else {
		p.cursors(f, hits)
	}
	if r.Pages != nil {
		total := f.total.Count
		if p.rescore != nil {
			total = min(total, int64(p.rescore.window))
		}
		f.page.Pages = pageList(total, r.Limit, p.at.offset, r.Pages.Max, p.execution.searcher.options.Limits.MaxPageDepth)
	}
	return hits, nil
}

// cursors sets previous and next according to how the page was reached.
func (p *pager) cursors(f *found, hits []hit) {
	limit := p.execution.request.Limit
	if len(hits) == 0 {
		if !p.at.isPosition() && p.at.offset > 0 {
			f.page.Previous = encodeOffset(max(0, p.at.offset-limit))
		}
		return
	}
	full := len(hits) == limit
	previous, next := true, true
	switch {
	case p.at.after != nil:
		next = full
	case p.at.before != nil:
		previous = full
	default:
		previous = p.at.offset > 0
		next = int64(p.at.offset+limit) < f.total.Count
	}
	if previous {
		f.page.Previous = p.position(hits[0].Hit)
	}
	if next {
		f.page.Next = p.position(hits[len(hits)-1].Hit)
	}
}

// windowCursors sets previous and next inside a rescored window. Cursors within the
// window are offsets; after it, the order of the first pass resumes.
func (p *pager) windowCursors(f *found, firstPass []hit, end, collected int) {
	limit := p.execution.request.Limit
	if p.at.offset > 0 {
		f.page.Previous = encodeOffset(max(0, p.at.offset-limit))
	}
	switch {
	case end >= p.rescore.window && int64(end) < f.total.Count && len(firstPass) > 0:
		f.page.Next = p.position(firstPass[len(firstPass)-1].Hit)
	case end < collected:
		f.page.Next = encodeOffset(end)
	}
}

// position returns the cursor of a hit.
func (p *pager) position(h collect.Hit) string {
	fingerprint := p.order.fingerprint(p.execution.hitKind())
	score := [1]collect.Value{{Float: float64(h.Score)}}
	values := score[:]
	if h.Values != nil {
		values = h.Values
	}
	return encodePosition(fingerprint, p.order.keys, values, p.execution.view.Snapshot.Standing(h.Doc))
}
