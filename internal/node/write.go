package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// resolutions is how many times one entry of a write follows a name that moves
// before it gives up.
const resolutions = 8

// Write is the writes of one request.
type Write struct {
	node *Node
	name registry.Name

	current *part // the part written last
	parts   []*part
	broken  error // the last storage:io_error of an entry
}

// part is what a request writes to one generation.
type part struct {
	generation *generations.Generation
	stream     *engine.WriteStream
	decided    time.Time // when something was last decided without a log record; zero: never
}

// Write starts the writes of a request to a name. It looks nothing up yet.
func (n *Node) Write(name registry.Name) *Write { return &Write{node: n, name: name} }

// Do runs work on the generation that the name answers from at that moment; no
// promotion comes between. While a promotion is under way it waits, then resolves
// the name again. The error is that of work, or a problem.
func (w *Write) Do(ctx context.Context, work func(*generations.Generation, *engine.WriteStream) error) (err error) {
	defer func() {
		if errors.Is(err, problem.StorageIoError) {
			w.broken = err
		}
	}()
	for range resolutions {
		entry, release, err := w.node.settle(ctx, w.name)
		if err != nil {
			return err
		}
		if err := w.turnTo(ctx, entry); err != nil {
			release()
			return err
		}
		if w.node.deployment.hasMoved(w.name, entry) {
			release()
			continue
		}
		defer release()
		before := w.current.stream.Taken()
		err = vfs.Protect(func() error { return work(w.current.generation, w.current.stream) })
		if w.current.stream.Taken() == before {
			w.current.decided = time.Now()
		}
		return err
	}
	return problem.IndexGenerationUnsettled.New("name", w.name.String())
}

// settle resolves a name for a write and keeps it from moving until the returned
// function is called, once. The target of an unfinished job takes no writes.
func (n *Node) settle(ctx context.Context, name registry.Name) (registry.Entry, func(), error) {
	if err := n.ready(ctx); err != nil {
		return registry.Entry{}, nil, err
	}
	for range resolutions {
		index, err := n.registry.Find(name)
		if err != nil {
			return registry.Entry{}, nil, err
		}
		moves := n.generations.Moves(index.ID)
		if err := moves.RLockUntil(ctx); err != nil {
			return registry.Entry{}, nil, err
		}
		if n.generations.IsUnsettled(index.ID) {
			moves.RUnlock()
			if err := n.generations.Settle(ctx, index.ID); err != nil {
				return registry.Entry{}, nil, err
			}
			continue
		}
		entry, err := n.registry.Resolve(name)
		switch {
		case err == nil && entry.Index != index.ID:
			moves.RUnlock()
			continue
		case err == nil && !entry.Live:
			err = n.checkIdle(ctx, entry)
		}
		if err != nil {
			moves.RUnlock()
			return registry.Entry{}, nil, err
		}
		return entry, moves.RUnlock, nil
	}
	return registry.Entry{}, nil, problem.IndexGenerationUnsettled.New("name", name.String())
}

// checkIdle fails for the target of an unfinished job.
func (n *Node) checkIdle(ctx context.Context, entry registry.Entry) error {
	fills, err := n.jobs.Fills(ctx, entry)
	if err == nil && fills {
		err = problem.ReindexTargetBusy.New("name", entry.Name.String())
	}
	return err
}

// turnTo makes a generation the current one.
func (w *Write) turnTo(ctx context.Context, entry registry.Entry) error {
	if w.current != nil && w.current.generation.Entry.Generation == entry.Generation {
		return nil
	}
	g, err := w.node.generations.Acquire(ctx, entry)
	if err != nil {
		return err
	}
	w.current = &part{generation: g, stream: g.WriteStream()}
	w.parts = append(w.parts, w.current)
	return nil
}

// Finish waits until everything taken is durable and returns the token of the state
// that holds it, or of the current state when nothing was written. storage:io_error says
// that nothing was changed, so if an entry was refused with it while others are durable,
// the error is storage:unknown (R14).
func (w *Write) Finish(ctx context.Context) (string, error) {
	defer func() {
		for _, p := range w.parts {
			p.generation.Release()
		}
		w.parts = nil
	}()
	if w.current == nil {
		entry, err := w.node.resolve(ctx, w.name)
		if err != nil {
			return "", err
		}
		if err := w.turnTo(ctx, entry); err != nil {
			return "", err
		}
		w.current.decided = time.Now()
	}
	var (
		last    engine.Receipt
		failed  error
		durable int
	)
	for _, p := range w.parts {
		// Wait for what was taken even if the caller goes away: answers and logs
		// count it, so its outcome must be known.
		receipt, err := p.stream.Wait(context.WithoutCancel(ctx))
		if err == nil && !p.decided.IsZero() {
			// Only the writer may answer an entry that needed no record (I23).
			err = proveSince(ctx, p.generation, p.decided)
		}
		if err != nil && failed == nil {
			failed = err
		}
		last, durable = receipt, durable+receipt.Durable
	}
	if refusal := cmp.Or(failed, w.broken); durable > 0 && errors.Is(refusal, problem.StorageIoError) {
		return "", problem.StorageUnknown.New("resource", "index").Because(fmt.Errorf("%d writes are durable, another was refused: %v", durable, refusal))
	}
	if failed != nil {
		return "", failed
	}
	return token(w.current.generation.Entry, last.Sequence, 0), nil
}

// DeleteMatching removes the documents that a query matches from the generation a
// name answers from, including writes that are not committed yet. It returns how
// many committed documents matched and the token of the state without them.
func (n *Node) DeleteMatching(ctx context.Context, name registry.Name, resolve func(*generations.Generation) engine.Resolve) (int, string, error) {
	return n.remove(ctx, name, func(g *generations.Generation) (int, engine.Receipt, error) {
		return g.DeleteMatching(ctx, resolve(g))
	})
}

// DeleteAll removes every document of the generation a name answers from.
func (n *Node) DeleteAll(ctx context.Context, name registry.Name) (int, string, error) {
	return n.remove(ctx, name, func(g *generations.Generation) (int, engine.Receipt, error) {
		return g.DeleteAll(ctx)
	})
}

func (n *Node) remove(ctx context.Context, name registry.Name, work func(*generations.Generation) (int, engine.Receipt, error)) (int, string, error) {
	var (
		entry registry.Entry
		g     *generations.Generation
	)
	for range resolutions {
		settled, release, err := n.settle(ctx, name)
		if err != nil {
			return 0, "", err
		}
		opened, err := n.generations.Acquire(ctx, settled)
		if err != nil {
			release()
			return 0, "", err
		}
		if n.deployment.hasMoved(name, settled) {
			opened.Release()
			release()
			continue
		}
		defer release()
		defer opened.Release()
		entry, g = settled, opened
		break
	}
	if g == nil {
		return 0, "", problem.IndexGenerationUnsettled.New("name", name.String())
	}
	var (
		deleted int
		receipt engine.Receipt
	)
	err := vfs.Protect(func() (err error) {
		deleted, receipt, err = work(g)
		return err
	})
	if err != nil || receipt.Durable == 0 {
		if unproven := proveSince(ctx, g, time.Now()); unproven != nil && !errors.Is(err, problem.StorageUnknown) {
			err = unproven
		}
	}
	if err != nil {
		return 0, "", err
	}
	return deleted, token(entry, receipt.Sequence, 0), nil
}
