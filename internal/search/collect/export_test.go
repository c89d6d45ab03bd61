package collect

import "github.com/quiresearch/quire/internal/search/match"

// AlwaysHelp wakes search threads for any work, and cuts segments into ranges
// that are as short as can be.
func (r *Runner) AlwaysHelp() {
	r.worthHelp, r.worthCut, r.leastRange = -1, 0, match.Span
}

// Idle returns how many threads are idle beside so many running searches.
func (r *Runner) Idle(running int) int {
	r.running.Store(int32(running))
	defer r.running.Store(0)
	return r.idle()
}
