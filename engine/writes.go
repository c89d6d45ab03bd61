package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/log"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// Pending describes the changes that wait for a commit.
type Pending struct {
	Changes int
	Since   time.Time // when the oldest was accepted; zero when there is none
}

// HoldWrites blocks new writes, lets those under way finish until they are durable,
// and returns a function that lets writes continue. Searches, commits and merges
// continue.
func (g *Generation) HoldWrites(ctx context.Context) (release func(), err error) {
	if err := g.gate.hold(ctx); err != nil {
		return nil, fmt.Errorf("hold writes: %w", err)
	}
	if err := g.queue.drain(ctx); err != nil {
		g.gate.release()
		return nil, fmt.Errorf("hold writes: %w", err)
	}
	return g.gate.release, nil
}

// SetDefinition replaces the definition under which documents are read from now on.
// Everything written before is committed under the earlier one. The new definition
// is durable when SetDefinition returns nil. If the storage does not confirm it in
// time, the error is storage:unknown, and writes wait until the outcome is settled.
func (g *Generation) SetDefinition(ctx context.Context, d *definition.Definition) error {
	release, err := g.HoldWrites(ctx)
	if err != nil {
		return err
	}
	if err := g.commitHeld(ctx); err != nil {
		release()
		return fmt.Errorf("commit before the definition changes: %w", err)
	}
	if err := g.lockHeld(ctx); err != nil {
		release()
		return fmt.Errorf("replace the definition: %w", err)
	}
	settled := make(chan error, 1)
	go func() { // Close waits for publishing, which this goroutine holds
		err := vfs.Protect(func() error { return g.define(ctx, d) })
		g.publishing.Unlock()
		release()
		settled <- err
	}()
	late, stop := after(g.options.LogWait)
	defer stop()
	select {
	case err := <-settled:
		return err
	case <-late:
		return problem.StorageUnknown.New("resource", "index").Because(errors.New("the new definition is not settled"))
	}
}

// define replaces the definition. The caller holds writes and publishing.
func (g *Generation) define(ctx context.Context, d *definition.Definition) error {
	err := g.rewrite(ctx, func(next *manifest.Manifest) { next.Definition = d.EncodeStored() })
	if err != nil {
		return storageProblem(fmt.Errorf("set definition: %w", err))
	}
	g.order.Lock()
	defer g.order.Unlock()
	g.mu.Lock()
	defer g.mu.Unlock()
	next := newPipeline(d, g.options.Analysis)
	if g.active != nil { // nil when it was closed meanwhile
		g.active.pipeline = next // it is empty: writes are held
	}
	g.pipeline.Store(next)
	return nil
}

// Resolve returns the keys of the documents in a view that match a query.
type Resolve func(ctx context.Context, view *snapshot.Snapshot) (keys []document.Key, err error)

// DeleteMatching removes the documents that match a query, including those written
// since the last commit, and returns how many committed ones matched. Writes wait
// meanwhile. The deletion is durable when DeleteMatching returns.
func (g *Generation) DeleteMatching(ctx context.Context, resolve Resolve) (deleted int, receipt Receipt, err error) {
	release, err := g.HoldWrites(ctx)
	if err != nil {
		return 0, Receipt{}, err
	}
	defer release()
	pending := g.Pending().Changes > 0
	keys, err := g.resolve(ctx, resolve)
	if err != nil {
		return 0, Receipt{}, err
	}
	deleted = len(keys)
	if pending {
		if err := g.commitHeld(ctx); err != nil {
			return 0, Receipt{}, err
		}
		if keys, err = g.resolve(ctx, resolve); err != nil {
			return 0, Receipt{}, err
		}
	}
	s := &WriteStream{g: g, inside: true}
	for _, key := range keys {
		if err := s.Delete(ctx, key); err != nil {
			receipt, unsettled := s.Wait(ctx)
			if errors.Is(unsettled, problem.StorageUnknown) {
				err = unsettled // some may be deleted
			}
			return 0, receipt, err
		}
	}
	receipt, err = s.Wait(ctx)
	return deleted, receipt, err
}

// heldLimit bounds how long writes wait while the storage may be unavailable.
const heldLimit = 30 * time.Second

// patience returns the context of a wait while writes are held. It has a deadline
// if the storage may be unavailable.
func (g *Generation) patience(ctx context.Context) (context.Context, context.CancelFunc) {
	if g.options.LogWait > 0 {
		return context.WithTimeout(ctx, heldLimit)
	}
	return context.WithCancel(ctx)
}

// commitHeld commits while writes are held. A commit that takes too long continues
// without its caller.
func (g *Generation) commitHeld(ctx context.Context) error {
	waiting, cancel := g.patience(ctx)
	defer cancel()
	_, err := g.Commit(waiting, Explicit)
	switch {
	case err != nil && ctx.Err() == nil && waiting.Err() != nil, errors.Is(err, problem.StorageUnknown):
		// Nothing that the caller requested was done, whatever becomes of the
		// commit.
		return problem.StorageIoError.New("resource", "index").Because(err)
	}
	return err
}

// lockHeld locks publishing while writes are held. A commit may hold it for as long
// as its upload takes.
func (g *Generation) lockHeld(ctx context.Context) error {
	waiting, cancel := g.patience(ctx)
	defer cancel()
	err := g.publishing.LockUntil(waiting)
	if err != nil && ctx.Err() == nil {
		return problem.StorageIoError.New("resource", "index").Because(err)
	}
	return err
}

func (g *Generation) resolve(ctx context.Context, resolve Resolve) ([]document.Key, error) {
	view := g.Snapshot()
	if view == nil {
		return nil, problem.IndexClosed.New()
	}
	defer view.Release()
	return resolve(ctx, view)
}

// DeleteAll removes every document and returns how many committed ones there were.
// The deletion is durable when DeleteAll returns.
func (g *Generation) DeleteAll(ctx context.Context) (deleted int, receipt Receipt, err error) {
	release, err := g.HoldWrites(ctx)
	if err != nil {
		return 0, Receipt{}, err
	}
	defer release()
	view := g.Snapshot()
	if view == nil {
		return 0, Receipt{}, problem.IndexClosed.New()
	}
	deleted = view.Documents
	view.Release()
	s := &WriteStream{g: g, inside: true}
	err = g.queue.push(&operation{Operation: log.Operation{Kind: log.DeleteAll}, stream: s})
	if err != nil {
		return 0, Receipt{}, err
	}
	receipt, err = s.Wait(ctx)
	return deleted, receipt, err
}
