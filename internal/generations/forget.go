package generations

import "github.com/quiresearch/quire/internal/registry"

// forgetAfter is in how many passes in a row nothing may know of a generation or an index
// before its entry goes: an hour of refreshes of the registry. Passes are counted rather
// than time: a process that was stopped for hours goes on with requests that name what
// has gone meanwhile, and those must find it removed (GN3).
const forgetAfter = 120

// Forget drops the entries of generations and indexes that are gone: known are the ids of
// all that the registry lists, or lists as removed while their data may be there. It is
// called after every refresh of the registry.
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
