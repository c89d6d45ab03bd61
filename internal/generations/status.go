package generations

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/vfs"
)

// The states of a generation on this node.
const (
	Usable       = "usable"
	Modified     = "modified"
	NeedsPull    = "needs_pull"
	Pulling      = "pulling"
	Pushing      = "pushing"
	Unsupported  = "unsupported"  // the stored definition needs features that this build lacks
	Incompatible = "incompatible" // the stored files are in a format that this build does not read
	Closed       = "closed"
)

// Status is what a generation holds.
type Status struct {
	Documents  int64 // committed
	Pending    int64 // changes that wait for a commit
	PendingAge time.Duration
	Bytes      int64 // of the files on disk
}

// Status returns what the generation holds now.
func (g *Generation) Status() Status {
	var s Status
	pending := g.Pending()
	if pending.Changes > 0 {
		s.Pending, s.PendingAge = int64(pending.Changes), time.Since(pending.Since)
	}
	if view := g.Snapshot(); view != nil {
		s.Documents = int64(view.Documents)
		view.Release()
	}
	s.Bytes = sizeOf(g.fs, g.directory)
	return s
}

// sizeOf adds up the files of a directory. Files that disappear meanwhile do not
// count.
func sizeOf(fs vfs.FS, directory string) int64 {
	names, err := fs.List(directory)
	if err != nil {
		return 0
	}
	var total int64
	for _, name := range names {
		full := directory + "/" + name
		if name[len(name)-1] == '/' {
			total += sizeOf(fs, full[:len(full)-1])
		} else if size, err := fs.Size(full); err == nil {
			total += size
		}
	}
	return total
}

// State returns the synchronization state: pushing during a commit to the bucket;
// modified while changes wait for one; needs_pull while another writer may have
// newer state, a local file is damaged, or this node should write the generation
// and cannot; pulling while either is fetched; unsupported or incompatible when
// this build cannot read the stored state; usable otherwise.
func (g *Generation) State() string {
	c := &g.instance.pulled
	c.mu.Lock()
	pulling, failed, blocked := c.pulling, c.failed, c.blocked
	c.mu.Unlock()
	damaged, mending := g.instance.repair.state()
	g.set.mu.Lock()
	unwritable := !g.instance.isWriter && g.set.at(g.Entry.Generation).backoff.isFailing()
	g.set.mu.Unlock()
	switch {
	case g.isClosed():
		return Closed
	case pulling, mending:
		return Pulling
	case blocked != nil && errors.Is(blocked, errIncompatible):
		return Incompatible
	case blocked != nil:
		return Unsupported
	case failed, damaged, unwritable, errors.Is(g.Err(), engine.ErrFenced):
		return NeedsPull
	case g.instance.pushing.Load() > 0:
		return Pushing
	case g.Pending().Changes > 0:
		return Modified
	}
	return Usable
}

func (g *Generation) isClosed() bool {
	view := g.Snapshot()
	if view == nil {
		return true
	}
	view.Release()
	return false
}

// UsedSince reports whether the generation was used within that time.
func (g *Generation) UsedSince(within time.Duration) bool {
	g.set.mu.Lock()
	defer g.set.mu.Unlock()
	return time.Since(g.instance.usedAt) <= within
}

// Len returns how many generations are open.
func (s *Set) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	count := 0
	for _, h := range s.holdings {
		if h.isOpen() {
			count++
		}
	}
	return count
}

// Open returns every open generation, ordered by id. The caller releases each. This
// does not count as use.
func (s *Set) Open() []*Generation {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*Generation
	for _, id := range slices.SortedFunc(maps.Keys(s.holdings), registry.ID.Compare) {
		if g := s.peek(s.holdings[id]); g != nil {
			all = append(all, g)
		}
	}
	return all
}

// Peek returns a generation if it is open, else nil. The caller releases it. It
// does not count as use.
func (s *Set) Peek(generation registry.ID) *Generation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.peek(s.at(generation))
}

// peek returns an open generation without counting it as used, or nil. The caller
// must hold mu.
func (s *Set) peek(h *holding) *Generation {
	if !h.isOpen() {
		return nil
	}
	inst := h.current
	inst.users++
	g := s.handOut(inst, inst.entry)
	g.release = sync.OnceFunc(func() { s.leaveAlone(inst) })
	return g
}
