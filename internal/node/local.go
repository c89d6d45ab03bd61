package node

import (
	"context"
	"errors"

	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/ownership"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/problem"
)

// local is a node by itself: it writes every index, no other node changes the
// registry, its files have no stored copy to compare with, and removals take effect
// at once.
type local struct{ node *Node }

func (local) join() {}

func (l local) eraseRemoved(ctx context.Context) error {
	removed := l.node.registry.Removed()
	if len(removed) == 0 {
		return nil
	}
	return l.retire(ctx, removed)
}

// begin reports generations with documents that the registry does not know: it was
// lost, or is older than they are. They stay (I14).
func (l local) begin() {
	n := l.node
	all, err := n.generations.Local()
	if err != nil {
		n.log.Error("cannot list the generations of the directory", "error", err)
		return
	}
	known := n.registry.Known()
	unlisted, documents := 0, int64(0)
	for _, generation := range all {
		if known[generation] {
			continue
		}
		if held, err := n.generations.Documents(generation); err != nil || held > 0 {
			unlisted++
			documents += held
		}
	}
	if unlisted > 0 {
		n.log.Error("keeping generations that the registry does not list: the directory lost its bucket folder, or belongs to a node in object mode",
			"generations", unlisted, "documents", documents)
	}
}

func (local) run(context.Context)   {}
func (local) renew(context.Context) {}
func (local) drain()                {}

func (local) watchClose(context.Context, context.CancelFunc) <-chan struct{} {
	ended := make(chan struct{})
	close(ended)
	return ended
}

func (local) leave(context.Context) error { return nil }

func (local) claim(context.Context, registry.ID) error                    { return nil }
func (local) owned(all int) int                                           { return all }
func (local) writerAddress(context.Context, string, bool) (string, error) { return "", nil }
func (local) describeWriter(context.Context, registry.ID, *Status)        {}
func (local) indexers(ctx context.Context) (ownership.Table, error) {
	return ownership.Local{}.Table(ctx)
}
func (local) isServing(context.Context, string) bool      { return true }
func (local) peers(context.Context) ([]string, error)     { return nil, nil }
func (local) otherRootKeys() []string                     { return nil }
func (local) refresh(context.Context) error               { return nil }
func (local) refreshForName(context.Context) bool         { return false }
func (local) hasMoved(registry.Name, registry.Entry) bool { return false }
func (local) hasFiles(registry.ID) bool                   { return true }
func (local) unopenedState() string                       { return generations.Closed }
func (local) storageMode() string                         { return "local" }

func (l local) read(ctx context.Context, name registry.Name, atLeast freshness.Token, _ Ask) (*IndexSnapshot, error) {
	return l.node.readOpen(ctx, name, atLeast, nil)
}

func (local) awaitCopy(_ context.Context, g *generations.Generation, _ uint64, _ Ask) (*generations.Generation, error) {
	return g, nil
}

func (l local) commit(ctx context.Context, g *generations.Generation) error {
	waiting, cancel := context.WithTimeout(ctx, commitWait)
	defer cancel()
	return commitNow(waiting, g)
}

func (l local) promote(ctx context.Context, live, entry registry.Entry) error {
	return l.node.promoteNow(ctx, live, entry)
}

// retire deletes the data of removed generations, then forgets them. Settings,
// judgements and job are deleted with the whole index.
func (l local) retire(ctx context.Context, removed []registry.Removed) error {
	n := l.node
	var failed error
	gone := removed[:0:0]
	for _, one := range removed {
		err := n.generations.Remove(ctx, one.GenerationID)
		if err == nil {
			err = registry.Erase(ctx, n.bucket, one.GenerationID)
		}
		if err == nil && one.Whole {
			err = n.deleteShared(ctx, one.IndexID)
		}
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		gone = append(gone, one)
	}
	if len(gone) > 0 {
		if err := n.registry.Forget(ctx, gone); err != nil {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

func (local) audit(context.Context) (registry.Audit, error) {
	return registry.Audit{}, problem.IndexRegistryAuditUnavailable.New()
}

func (local) repair(context.Context, registry.RepairRequest) (registry.Repair, error) {
	return registry.Repair{}, problem.IndexRegistryAuditUnavailable.New()
}

func (local) restore(context.Context, Round, []registry.Name) (Restored, error) {
	return Restored{Uploaded: []string{}, Lost: []string{}}, problem.IndexRegistryAuditUnavailable.New()
}
