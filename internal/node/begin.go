package node

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/quiresearch/quire/internal/turn"
	"github.com/quiresearch/quire/problem"
)

// beginRetry is the time between attempts to read a registry that could not be read
// at the start.
const beginRetry = time.Second

var errNotBegun = errors.New("the jobs were not read yet")

// beginning is how far the start of a node has come.
type beginning struct {
	done chan struct{} // closed when names are answered

	mu      turn.Lock // held by the call that begins
	triedAt time.Time // when a request last tried
}

// IsReady reports whether the registry was read and everything that a crash
// interrupted is finished.
func (n *Node) IsReady() bool {
	select {
	case <-n.begun.done:
		return true
	default:
		return false
	}
}

// ready returns nil once names can be answered, and storage:io_error before. A node
// that started while the registry could not be read tries again when a request
// comes, at most once per interval.
func (n *Node) ready(ctx context.Context) error {
	if n.IsReady() {
		return nil
	}
	if err := n.begun.mu.LockUntil(ctx); err != nil {
		return notBegun(err)
	}
	due := time.Since(n.begun.triedAt) >= beginRetry
	if due {
		n.begun.triedAt = time.Now()
	}
	n.begun.mu.Unlock()
	switch {
	case n.IsReady(): // another call began in the meantime
		return nil
	case due:
		return n.tryBegin(ctx)
	}
	if err := n.registry.Check(); err != nil {
		return err
	}
	return notBegun(errNotBegun)
}

func notBegun(cause error) error {
	return problem.StorageIoError.New("resource", "reindex records").Because(cause)
}

// awaitBegin begins as soon as the registry can be read.
func (n *Node) awaitBegin(ctx context.Context, begun func()) {
	if n.IsReady() {
		return
	}
	awaiting, stop := context.WithCancel(ctx)
	defer stop()
	every(awaiting, beginRetry, func(ctx context.Context) {
		if n.tryBegin(ctx) == nil {
			stop()
		}
	})
	if n.IsReady() && begun != nil {
		begun()
	}
}

func (n *Node) tryBegin(ctx context.Context) error {
	if !n.registry.IsRead() {
		if err := n.registry.Refresh(ctx); err != nil {
			return err
		}
	}
	return n.begin(ctx)
}

// begin does the work between the first read of the registry and the first answer:
// it erases removed generations, reads the unfinished jobs, so that no write
// reaches a generation that is being filled, and drops local copies that are no
// longer listed.
func (n *Node) begin(ctx context.Context) error {
	if err := n.begun.mu.LockUntil(ctx); err != nil {
		return notBegun(err)
	}
	defer n.begun.mu.Unlock()
	if n.IsReady() {
		return nil
	}
	if err := n.deployment.eraseRemoved(ctx); err != nil {
		n.log.Error("cannot erase removed generations; the next start tries again", "error", err)
	}
	if err := n.jobs.Recover(ctx); err != nil {
		return fmt.Errorf("read the reindex jobs: %w", err)
	}
	n.deployment.begin()
	close(n.begun.done)
	return nil
}
