package generations

import "github.com/quiresearch/quire/internal/registry"

// forgetAfter is the number of consecutive passes in which a generation or an index
// must be unknown before its entry is dropped: an hour of refreshes of the
// registry. It counts passes instead of time because a process that was stopped for
// hours continues with requests that name what has gone meanwhile, and those must
// find it removed (GN3).
const forgetAfter = 120

// Forget drops the entries of generations and indexes that are gone. known are the
// ids of everything that the registry lists, or lists as removed while their data
// may exist. It is called after every refresh of the registry.
func (s *Set) Forget(known map[registry.ID]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, h := range s.holdings {
		if known[id] {
			h.unknown = 0
		} else if h.unknown++; h.unknown >= forgetAfter && h.isQuiet() {
			delete(s.holdings, id)
		}
	}
	for id, m := range s.moves {
		if known[id] {
			m.unknown = 0
		} else if m.unknown++; m.unknown >= forgetAfter && m.lock.IsFree() {
			delete(s.moves, id)
		}
	}
}

// isQuiet reports whether nothing of a generation is open or under way.
func (h *holding) isQuiet() bool {
	return (h.state == absent || h.state == removed) && h.current == nil && h.departure == nil && h.removals == 0 && !h.finishing
}
