package collect

import "github.com/quiresearch/quire/internal/search/match"

// AlwaysHelp makes any work wake search threads, and cuts segments into the shortest possible
// ranges.
func (r *Runner) AlwaysHelp() {
	r.worthHelp, r.worthCut, r.leastRange = -1, 0, match.Span
}

// Idle returns how many threads are idle beside a number of running searches.
func (r *Runner) Idle(running int) int {
	r.running.Store(int32(running))
	defer r.running.Store(0)
	return r.idle()
}

// AlwaysLeads makes a search find the leading documents of its order at once, however few it
// reads, and keep only some.
func (r *Runner) AlwaysLeads(documents int) {
	r.leadingDocs, r.leadingWorth, r.leadingShare = documents, 0, 1<<20
}
