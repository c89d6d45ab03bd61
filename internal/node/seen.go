package node

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/quiresearch/quire/internal/format"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/vfs"
)

const seenName = "registry-seen"

// noteLimit bounds how long a removal counts that only the note of an earlier run
// knows. Sweeps write a missing removal mark long before that; if there is still
// none, the generation may have been restored while this node was away.
const noteLimit = time.Hour

// seen is the registry that the local copies were last compared with.
type seen struct {
	Format     uint32        `json:"format"`
	Deployment registry.ID   `json:"deployment"`
	Version    uint64        `json:"version"`
	Listed     []registry.ID `json:"listed"` // generations, in order

	Indexes map[string]*registry.Index `json:"indexes,omitempty"`
	Removed []registry.Removed         `json:"removed,omitempty"`
	Kept    []registry.Identity        `json:"kept,omitempty"` // local copies that the registry ceased to list although no request removed them
}

// identities returns the identity of every listed or kept generation.
func (s seen) identities() map[registry.ID]registry.Identity {
	all := make(map[registry.ID]registry.Identity)
	for _, kept := range s.Kept {
		all[kept.GenerationID] = kept
	}
	for name, index := range s.Indexes {
		for generation, g := range index.Generations {
			all[g.ID] = registry.Identity{Index: name, IndexID: index.ID, Generation: generation, GenerationID: g.ID, CreatedAt: g.CreatedAt}
		}
	}
	return all
}

// dropUnlisted removes local copies that a client removed, according to a registry
// of this deployment that is newer than the one seen before. Copies that it no
// longer lists for another reason, such as a repair or a registry that was lost and
// begun anew, are kept and remembered (I22). A registry that was not read or is
// older removes nothing.
func (s *shared) dropUnlisted() {
	now := seen{Format: format.Notes.Version, Deployment: s.node.registry.Deployment(), Version: s.node.registry.Version()}
	if !s.node.registry.IsRead() || now.Deployment.IsZero() {
		return
	}
	before, isFirst := s.seenBefore()
	isSame := before.Deployment == now.Deployment
	if isSame && before.Version >= now.Version {
		s.noteAgain()
		return
	}
	local, err := s.node.generations.Local()
	if err != nil {
		s.node.log.Error("cannot list the local copies", "error", err)
		return
	}
	now.Indexes = make(map[string]*registry.Index)
	for _, index := range s.node.registry.List() {
		now.Indexes[index.Name] = index.Index
		for _, generation := range index.Generations {
			now.Listed = append(now.Listed, generation.ID)
		}
	}
	slices.SortFunc(now.Listed, registry.ID.Compare)
	now.Removed = s.node.registry.Removed()
	gone, known := s.node.registry.Gone(), before.identities()
	unlisted := 0
	for _, generation := range local {
		if _, isListed := slices.BinarySearchFunc(now.Listed, generation, registry.ID.Compare); isListed {
			continue
		}
		if !isSame || !gone[generation] {
			unlisted++
			if kept, ok := known[generation]; ok {
				now.Kept = append(now.Kept, kept)
			}
			continue
		}
		if err := s.node.generations.Remove(context.Background(), generation); err != nil {
			s.node.log.Error("cannot remove a local copy", "generation", generation, "error", err)
		}
	}
	if unlisted > 0 && (isFirst || len(now.Kept) > len(before.Kept)) {
		s.node.log.Error("keeping local copies of indexes that the registry does not list and no request removed", "copies", unlisted)
	}
	s.noteSeen(now)
}

// remember gives the registry what an earlier run of this node knew.
func (s *shared) remember() {
	before, _ := s.seenBefore()
	recent := slices.DeleteFunc(slices.Clone(before.Removed), func(one registry.Removed) bool { return time.Since(one.RemovedAt) > noteLimit })
	s.node.registry.Remember(before.Deployment, before.Version, before.Indexes, recent)
}

// seenBefore returns the registry last compared with, and whether this is the first
// comparison since the start. A note that cannot be read counts as none and removes
// nothing.
func (s *shared) seenBefore() (before seen, isFirst bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen != nil {
		return *s.seen, false
	}
	before, err := readSeen(s.fs)
	if err != nil {
		s.node.log.Error("cannot read the registry last seen; removing no local copies", "error", err)
		return seen{}, true
	}
	slices.SortFunc(before.Listed, registry.ID.Compare)
	return before, true
}

// readSeen reads the note of a directory, or returns the zero note when there is
// none.
func readSeen(fs vfs.FS) (before seen, err error) {
	content, err := fs.ReadFile(seenName)
	if errors.Is(err, vfs.ErrNotExist) {
		return seen{}, nil
	}
	if err == nil {
		err = json.Unmarshal(content, &before)
	}
	if err == nil && before.Format != format.Notes.Version {
		err = fmt.Errorf("format %d, not %d", before.Format, format.Notes.Version)
	}
	if err != nil {
		return seen{}, err
	}
	return before, nil
}

// Deployment returns the deployment that the directory of a node of object mode
// belongs to, or the zero id when it belongs to none yet.
func Deployment(fs vfs.FS) (registry.ID, error) {
	before, err := readSeen(fs)
	return before.Deployment, err
}

func (s *shared) noteSeen(now seen) {
	s.mu.Lock()
	s.seen = &now
	s.mu.Unlock()
	content, err := json.Marshal(now)
	if err == nil {
		err = vfs.ReplaceFile(s.fs, seenName, content)
	}
	if err != nil {
		s.node.log.Error("cannot save the registry last seen", "error", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isUnnoted = err != nil
}

// noteAgain saves the registry last seen if the disk failed to save it before.
func (s *shared) noteAgain() {
	s.mu.Lock()
	last := s.seen
	if !s.isUnnoted {
		last = nil
	}
	s.mu.Unlock()
	if last != nil {
		s.noteSeen(*last)
	}
}
