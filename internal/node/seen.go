package node

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/quiresearch/quire/internal/format"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/vfs"
)

const seenName = "registry-seen"

// seen is the last registry that the local copies were compared with.
type seen struct {
	Format     uint32        `json:"format"`
	Deployment registry.ID   `json:"deployment"`
	Version    uint64        `json:"version"`
	Listed     []registry.ID `json:"listed"` // generations, in order
}

// dropUnlisted removes local copies that a registry of this deployment, newer
// than the one seen before, lists no longer: it listed them before, or names them
// as removed. What it never listed stays, as after a registry that was lost and
// begun anew; a registry that was not read or is older removes nothing.
func (n *Node) dropUnlisted() {
	now := seen{Format: format.Notes.Version, Deployment: n.registry.Deployment(), Version: n.registry.Version()}
	if !n.registry.IsRead() || now.Deployment.IsZero() {
		return
	}
	before, isFirst := n.seenBefore()
	isSame := before.Deployment == now.Deployment
	if isSame && before.Version >= now.Version {
		return
	}
	local, err := n.generations.Local()
	if err != nil {
		n.log.Error("local copies cannot be listed", "error", err)
		return
	}
	for _, index := range n.registry.List() {
		for _, generation := range index.Generations {
			now.Listed = append(now.Listed, generation.ID)
		}
	}
	slices.SortFunc(now.Listed, registry.ID.Compare)
	gone := make(map[registry.ID]bool)
	for _, removed := range n.registry.Removed() {
		gone[removed.GenerationID] = true
	}
	kept, stuck := 0, []registry.ID(nil)
	for _, generation := range local {
		if _, isListed := slices.BinarySearchFunc(now.Listed, generation, registry.ID.Compare); isListed {
			continue
		}
		if _, wasListed := slices.BinarySearchFunc(before.Listed, generation, registry.ID.Compare); !isSame || !wasListed && !gone[generation] {
			kept++
			continue
		}
		if err := n.generations.Remove(context.Background(), generation); err != nil {
			n.log.Error("a local copy cannot be removed", "generation", generation, "error", err)
			stuck = append(stuck, generation) // to be removed the next time
		}
	}
	now.Listed = append(now.Listed, stuck...)
	slices.SortFunc(now.Listed, registry.ID.Compare)
	if kept > 0 && isFirst {
		n.log.Error("there are local copies of indexes that the registry never listed; they stay", "copies", kept)
	}
	n.noteSeen(now)
}

// seenBefore returns the registry last compared with, and whether this is the
// first comparison since the start. One that cannot be read is as good as none:
// nothing is removed by it.
func (n *Node) seenBefore() (before seen, isFirst bool) {
	n.object.mu.Lock()
	defer n.object.mu.Unlock()
	if n.object.seen != nil {
		return *n.object.seen, false
	}
	content, err := n.object.fs.ReadFile(seenName)
	if err == nil {
		err = json.Unmarshal(content, &before)
	}
	if err == nil && before.Format != format.Notes.Version {
		err = fmt.Errorf("format %d, not %d", before.Format, format.Notes.Version)
	}
	if err != nil {
		if !errors.Is(err, vfs.ErrNotExist) {
			n.log.Error("the registry that was seen cannot be read; no local copy is removed by it", "error", err)
		}
		return seen{}, true
	}
	slices.SortFunc(before.Listed, registry.ID.Compare)
	return before, true
}

func (n *Node) noteSeen(now seen) {
	n.object.mu.Lock()
	n.object.seen = &now
	n.object.mu.Unlock()
	content, err := json.Marshal(now)
	if err == nil {
		err = replaceFile(n.object.fs, seenName, content)
	}
	if err != nil {
		n.log.Error("the registry that was seen cannot be noted", "error", err)
	}
}
