package node

import (
	"context"

	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/ownership"
	"github.com/quiresearch/quire/internal/registry"
)

// deployment is the part of a node that depends on whether other nodes share its
// indexes. local is a node by itself, which has only its directory; shared is one
// of several nodes on one bucket. Open chooses, and nothing else asks which it is.
type deployment interface {
	// join begins to take part, before the registry is known to be readable.
	join()
	// eraseRemoved deletes what an earlier process removed but could not delete
	// before it ended. It is called once the registry was read.
	eraseRemoved(ctx context.Context) error
	// begin runs before the first answer, once the jobs are known.
	begin()
	// run works in the background until ctx ends.
	run(ctx context.Context)
	// renew brings local copies up to date after every refresh of the registry.
	renew(ctx context.Context)
	// drain refuses new writes; those under way finish.
	drain()
	// watchClose calls hurry when last commits would wait for a bucket that does
	// not answer, until ctx ends. The channel is closed when the watch is over.
	watchClose(ctx context.Context, hurry context.CancelFunc) <-chan struct{}
	// leave gives up everything this node writes. Generations are already closed.
	leave(ctx context.Context) error

	// claim makes this node the owner of an index.
	claim(ctx context.Context, index registry.ID) error
	// owned returns how many of all indexes this node writes.
	owned(all int) int
	// writerAddress is Node.WriterAddress.
	writerAddress(ctx context.Context, text string, creates bool) (string, error)
	// describeWriter fills in which node writes an index.
	describeWriter(ctx context.Context, index registry.ID, status *Status)
	// indexers returns which node writes which index.
	indexers(ctx context.Context) (ownership.Table, error)
	// isServing reports whether the node at an address takes part in indexing.
	isServing(ctx context.Context, address string) bool
	// peers returns the addresses of the other nodes that take part in indexing.
	peers(ctx context.Context) ([]string, error)
	// otherRootKeys returns the names of the nodes that have another root key than
	// this one.
	otherRootKeys() []string

	// refresh reads the registry if another node may have changed it. The read
	// begins after the call.
	refresh(ctx context.Context) error
	// refreshForName reads the registry for an unknown name, at most once per
	// refresh interval. Callers in between wait for the last of these reads. It
	// reports whether that read succeeded.
	refreshForName(ctx context.Context) bool
	// hasMoved reports whether a name answers from another generation than entry.
	// Opening a generation to write may bring news of what another node did to the
	// index.
	hasMoved(name registry.Name, entry registry.Entry) bool
	// read is Node.Read.
	read(ctx context.Context, name registry.Name, atLeast freshness.Token, ask Ask) (*IndexSnapshot, error)
	// awaitCopy brings a copy to a commit of another node. It returns the
	// generation to continue with, also together with an error.
	awaitCopy(ctx context.Context, g *generations.Generation, sequence uint64, ask Ask) (*generations.Generation, error)
	// hasFiles reports whether a generation can be opened from local files.
	hasFiles(generation registry.ID) bool
	// unopenedState is the state of generations that cannot be opened.
	unopenedState() string

	// commit commits the pending changes of a generation.
	commit(ctx context.Context, g *generations.Generation) error
	// promote makes entry live in place of live. No job fills entry.
	promote(ctx context.Context, live, entry registry.Entry) error
	// retire takes generations that a client removed out of use.
	retire(ctx context.Context, removed []registry.Removed) error
	// storageMode is Node.StorageMode.
	storageMode() string
	// audit, repair and restore are AuditRegistry, RepairRegistry and Restore of Node.
	audit(ctx context.Context) (registry.Audit, error)
	repair(ctx context.Context, request registry.RepairRequest) (registry.Repair, error)
	restore(ctx context.Context, round Round, named []registry.Name) (Restored, error)
}
