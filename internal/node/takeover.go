package node

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/registry"
)

// ownershipChanged opens what this node began to write and closes what it no
// longer does. A slow index delays no other one (I19).
func (n *Node) ownershipChanged(ctx context.Context, gained, lost []registry.ID) {
	for _, index := range lost {
		name, _ := n.registry.Lists(index)
		n.log.Info("gave up writing an index", "index", name, "id", index)
		n.metrics.OwnershipChange("lost")
		n.generations.Demote(index)
	}
	if len(gained) == 0 {
		return
	}
	for range gained {
		n.metrics.OwnershipChange("gained")
	}
	n.finishLogs(ctx)
	var taking sync.WaitGroup
	defer taking.Wait()
	slots := make(chan struct{}, max(n.object.PullConcurrency, generations.LeastAtOnce))
	for _, index := range gained {
		slots <- struct{}{}
		taking.Go(func() {
			defer func() { <-slots }()
			n.takeOver(ctx, index)
		})
	}
}

// takeOver goes on with the job of an index that this node began to write and
// opens its live generation while it holds few. An index with a log that its last
// writer did not finish is opened whatever it holds, by finishLogs.
func (n *Node) takeOver(ctx context.Context, index registry.ID) {
	name, listed := n.registry.Lists(index)
	if !listed {
		return // it is being created, or gone
	}
	n.log.Info("took over writing an index", "index", name, "id", index)
	if err := n.jobs.TakeOver(ctx, index); err != nil {
		n.log.Error("the reindex job of an index cannot be taken over", "index", name, "error", err)
	}
	entry, err := n.registry.Resolve(registry.Name{Index: name})
	if err != nil || len(n.object.Member.Held()) > n.object.PreloadIdleLimit || n.generations.IsFull() {
		return
	}
	if g, err := n.generations.AcquireFor(ctx, entry, generations.ForBackground); err == nil {
		g.Release()
	}
}

// finishLogs finishes the logs of the generations of what this node writes.
func (n *Node) finishLogs(ctx context.Context) {
	var entries []registry.Entry
	for _, index := range n.registry.List() {
		if !n.object.Member.Holds(index.ID) || len(index.RequiredFeatures) > 0 {
			continue
		}
		for _, name := range index.GenerationNames() {
			entries = append(entries, registry.Entry{Name: registry.Name{Index: index.Name, Generation: name}, Index: index.ID,
				Generation: index.Generations[name].ID, Live: name == index.Live})
		}
	}
	n.generations.FinishLogs(ctx, entries, orDefault(n.object.VerifyInterval, 10*time.Minute), n.object.PullConcurrency)
}

// fenceLater notes that whoever wrote a removed generation is still to be fenced.
func (n *Node) fenceLater(generation registry.ID) {
	if n.object == nil {
		return
	}
	n.object.mu.Lock()
	defer n.object.mu.Unlock()
	n.object.unfenced[generation] = true
}

// fenceRemoved fences whoever wrote the generations that could not be fenced when they
// were removed. What was restored or erased meanwhile is left alone.
func (n *Node) fenceRemoved(ctx context.Context) {
	n.object.mu.Lock()
	waiting := slices.SortedFunc(maps.Keys(n.object.unfenced), registry.ID.Compare)
	n.object.mu.Unlock()
	for _, generation := range waiting {
		isRemoved := slices.ContainsFunc(n.registry.Removed(), func(one registry.Removed) bool { return one.GenerationID == generation && !one.Erased })
		fencing, cancel := context.WithTimeout(ctx, fenceLimit)
		if !isRemoved || n.generations.Fence(fencing, generation) == nil {
			n.object.mu.Lock()
			delete(n.object.unfenced, generation)
			n.object.mu.Unlock()
		}
		cancel()
	}
}
