package generations

import (
	"context"
	"errors"
	"fmt"

	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/vfs"
)

// leave takes an open generation out of the set and closes it beside; whoever
// opens it again waits for that. The caller holds mu.
func (s *Set) leave(ctx context.Context, held *slot) {
	id := held.entry.Generation
	ctx, abandon := context.WithCancel(ctx)
	before := s.leaving[id]
	now := departure{over: make(chan struct{}), abandon: func() { before.hurry(); abandon() }}
	s.stay(held)
	s.worked(held)
	delete(s.slots, id)
	s.leaving[id] = now
	if s.hurried {
		now.hurry()
	}
	s.closing.Go(func() {
		defer abandon()
		held.endPulls()
		if before.over != nil {
			<-before.over
		}
		err := held.engine.Close(ctx)
		if err != nil && !errors.Is(err, context.Canceled) {
			s.options.Log.Error("generation was not closed in good order", "index", held.entry.Name.Index,
				"generation", held.entry.Name.Generation, "error", err)
		}
		s.notePublished(held, err)
		s.left(id, now)
	})
}

// notePublished remembers the manifest that a writer left, which others are told
// of although it is closed, and whether it ended without its last commit.
func (s *Set) notePublished(held *slot, failure error) {
	if !held.isWriter || s.options.Remote == nil {
		return
	}
	version := held.engine.Manifest().Version
	s.noteRisk(held.entry.Generation, func(r *risk) { *r = risk{} }) // whoever opens it next finds out
	isWhole := failure == nil && held.engine.Err() == nil
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isRemoved(held.entry) {
		return
	}
	s.published[held.entry.Generation] = version
	if !isWhole {
		s.unfinished[held.entry.Generation] = held.entry.Index
	}
}

// departure is a generation that is being closed or whose files are being
// deleted.
type departure struct {
	over    chan struct{} // closed when it has left
	abandon func()        // ends its last commit; nil: it makes none
}

// hurry lets it leave without its last commit, which may wait for a bucket
// that is gone.
func (d departure) hurry() {
	if d.abandon != nil {
		d.abandon()
	}
}

// left tells those who wait that a generation is closed.
func (s *Set) left(id registry.ID, gone departure) {
	s.mu.Lock()
	if s.leaving[id].over == gone.over {
		delete(s.leaving, id)
	}
	s.mu.Unlock()
	close(gone.over)
}

// Remove closes a generation without a commit and deletes its files. Removing
// what is not there succeeds.
func (s *Set) Remove(ctx context.Context, generation registry.ID) error {
	s.mu.Lock()
	s.removed[generation]++
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.removed[generation]--
	}()
	delete(s.looks, generation)
	delete(s.rests, generation)
	delete(s.wrong, generation)
	delete(s.risks, generation)
	delete(s.published, generation)
	delete(s.unfinished, generation)
	held := s.slots[generation]
	s.leaving[generation].hurry() // what is open may wait for it
	s.mu.Unlock()
	if held != nil {
		held.abandon()
		<-held.opened
	}
	s.mu.Lock()
	if now := s.slots[generation]; now != nil && now.engine != nil {
		s.leave(ctx, now)
	}
	gone := s.leaving[generation]
	s.mu.Unlock()
	if gone.over != nil {
		gone.hurry()
		<-gone.over
	}
	return removeTree(s.fs, s.directory, s.storage(generation).Directory)
}

// isRemoved reports whether a generation was removed. One that is listed again was
// restored since, and is no longer removed once its old files are gone (G3). The
// caller holds mu.
func (s *Set) isRemoved(entry registry.Entry) bool {
	removals, isRemoved := s.removed[entry.Generation]
	if isRemoved && removals == 0 && s.options.Listed != nil && s.options.Listed(entry) {
		delete(s.removed, entry.Generation)
		return false
	}
	return isRemoved
}

// removeTree deletes a directory. The directory above is synced, so that it
// does not come back.
func removeTree(fs vfs.FS, parent, directory string) error {
	names, err := fs.List(directory)
	if errors.Is(err, vfs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w", directory, err)
	}
	for _, name := range names {
		full := directory + "/" + name
		if name[len(name)-1] == '/' {
			err = removeTree(fs, directory, full[:len(full)-1])
		} else {
			err = fs.Remove(full)
		}
		if err != nil && !errors.Is(err, vfs.ErrNotExist) {
			return fmt.Errorf("remove %s: %w", full, err)
		}
	}
	if err := fs.Remove(directory); err != nil && !errors.Is(err, vfs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", directory, err)
	}
	if err := fs.SyncDir(parent); err != nil {
		return fmt.Errorf("remove %s: %w", directory, err)
	}
	return nil
}

// hurry makes every generation that is leaving, now or later, do so without its
// last commit, and ends opens.
func (s *Set) hurry() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hurried = true
	for _, held := range s.slots {
		held.abandon()
	}
	for _, gone := range s.leaving {
		gone.hurry()
	}
}
