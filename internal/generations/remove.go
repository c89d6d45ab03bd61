package generations

import (
	"context"
	"errors"
	"fmt"

	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/vfs"
)

// Remove closes a generation without a commit and deletes its files. Removing a
// generation that does not exist succeeds.
func (s *Set) Remove(ctx context.Context, generation registry.ID) error {
	s.mu.Lock()
	h := s.at(generation)
	h.removals++
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		h.removals--
	}()
	h.forget()
	s.fire(ctx, h, remove)
	inst := h.current
	s.mu.Unlock()
	if inst != nil {
		<-inst.opened
	}
	s.mu.Lock()
	if h.current != nil && h.current.engine != nil {
		s.fire(ctx, h, shutDown)
	}
	gone := h.departure
	s.mu.Unlock()
	if gone != nil {
		gone.hurry()
		<-gone.over
	}
	return s.removeFiles(generation)
}

// isRemoved reports whether a generation was removed. A generation that is listed
// again was restored since, and is no longer removed once its old files are gone
// (GN3). The caller must hold mu.
func (s *Set) isRemoved(h *holding, entry registry.Entry) bool {
	if h.state == removed && h.removals == 0 && s.options.Listed != nil && s.options.Listed(entry) {
		s.fire(context.Background(), h, restore)
	}
	return h.state == removed
}

// removeFiles deletes the directory of a generation. It durably deletes the
// manifest first, so that a crash does not leave a generation that lacks files.
func (s *Set) removeFiles(generation registry.ID) error {
	directory := s.storage(generation).Directory
	err := s.fs.Remove(directory + "/" + manifest.Name)
	if err == nil {
		err = s.fs.SyncDir(directory)
	}
	if err != nil && !errors.Is(err, vfs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", directory, err)
	}
	return removeTree(s.fs, s.directory, directory)
}

// removeTree deletes a directory. It syncs the directory above, so that a crash
// does not bring the directory back.
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
