package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/quiresearch/quire/internal/log"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// appendLoop runs the group commits: it takes what waits, makes it durable with one
// append, applies it to the table and answers all callers.
func (g *Generation) appendLoop() {
	for {
		for long := g.queue.gatherFor(); long > 0; long = g.queue.gatherFor() {
			g.appending.await(context.Background(), long)
		}
		g.order.Lock()
		batch := g.queue.take()
		if batch == nil {
			g.order.Unlock()
			if g.appending.park() {
				return
			}
			continue
		}
		entries, t := g.appendBatch(batch)
		g.order.Unlock()
		if len(entries) > 0 {
			g.dispatch(t, entries)
		}
	}
}

// appendBatch makes a batch durable and applies it. The caller holds order, and
// must dispatch the returned entries to the table, which already counts them in
// working.
func (g *Generation) appendBatch(batch []*operation) ([]*entry, *table) {
	if err := g.writable(); err != nil {
		g.refuse(batch, err)
		return nil, nil
	}
	notify(g.written)
	g.mu.Lock()
	promised, epoch := g.active.sequence, g.manifest.Epoch
	g.mu.Unlock()
	encoded := log.Batch{
		Generation: g.identity, LSN: g.nextLSN, Epoch: epoch, Session: g.session, Promised: promised,
		Operations: make([]log.Operation, len(batch)),
	}
	rand.Read(encoded.WriteID[:])
	for i, op := range batch {
		encoded.Operations[i] = op.Operation
	}
	err := g.log.Append(g.nextLSN, encoded.Encode())
	switch {
	case errors.Is(err, log.ErrNotWritten) && errors.Is(err, ErrFenced):
		g.fail(err)
		g.refuse(batch, problem.IndexReadonly.New().Because(err))
		return nil, nil
	case errors.Is(err, log.ErrNotWritten):
		g.refuse(batch, problem.StorageIoError.New("resource", "index").Because(err))
		return nil, nil
	case err != nil:
		// E6: the outcome of this batch is unknown; nothing that waits behind it
		// was written.
		unknown := problem.StorageUnknown.New("resource", "index").Because(err)
		g.fail(fmt.Errorf("append to the log: %w", err))
		g.queue.done(batch)
		settleAll(batch, 0, unknown)
		return nil, nil
	}
	entries, t := g.applyBatch(batch, g.nextLSN, promised)
	g.nextLSN++
	g.queue.done(batch)
	settleAll(batch, promised, nil)
	return entries, t
}

// applyBatch applies durable operations to the active table.
func (g *Generation) applyBatch(batch []*operation, lsn, promised uint64) ([]*entry, *table) {
	now := time.Now()
	arena := newEntries(batch)
	entries := make([]*entry, 0, len(arena.free))
	g.mu.Lock()
	defer g.mu.Unlock()
	t := g.active
	before, bytes := t.changes, int64(0)
	for _, op := range batch {
		bytes += op.size()
		if added := t.apply(op, &arena, now); added != nil {
			entries = append(entries, added)
		}
	}
	g.accountEntries(t, bytes)
	t.lastLSN = lsn
	g.promised = max(g.promised, promised)
	if len(entries) > 0 {
		t.working.Add(1) // until they are dispatched
	}
	if before == 0 || g.options.MaxChanges > 0 && t.changes >= g.options.MaxChanges {
		g.committing.wake()
	}
	return entries, t
}

// refuse fails a batch that is known not to be written, and everything that waits
// behind it, because an update there may have read it.
func (g *Generation) refuse(batch []*operation, refusal error) {
	waiting := g.queue.refuseWaiting(nil)
	g.queue.done(batch)
	settleAll(batch, 0, refusal)
	settleAll(waiting, 0, refusal)
}

// settleAll answers operations; consecutive ones of the same stream are answered
// with one call.
func settleAll(operations []*operation, sequence uint64, err error) {
	for len(operations) > 0 {
		count := 1
		for count < len(operations) && operations[count].stream == operations[0].stream {
			count++
		}
		operations[0].stream.settle(count, sequence, err)
		operations = operations[count:]
	}
}

// writable returns an error when writes are currently impossible.
func (g *Generation) writable() error {
	g.mu.Lock()
	failure, recovering := g.failure, g.recovering
	refusal := g.refusal()
	g.mu.Unlock()
	switch {
	case failure != nil:
		return refusal
	case recovering:
		return problem.StorageIoError.New("resource", "index").Because(errors.New("what the log holds is not committed yet"))
	}
	return g.enoughSpace()
}

// enoughSpace returns an error while less than the reserve is free.
func (g *Generation) enoughSpace() error {
	if err := CheckSpace(g.fs, g.options.MinFree); err != nil {
		return problem.StorageIoError.New("resource", "index").Because(err)
	}
	return nil
}

// CheckSpace returns an error while fewer bytes are free than the reserve: minFree,
// or the smaller of 1 GiB and 5 % when minFree is 0. A negative minFree means no
// reserve.
func CheckSpace(fs vfs.FS, minFree int64) error {
	if minFree < 0 {
		return nil
	}
	free, total, err := fs.Free()
	if err != nil {
		return fmt.Errorf("free space: %w", err)
	}
	if total == 0 {
		return nil
	}
	reserve := uint64(minFree)
	if reserve == 0 {
		reserve = min(1<<30, total/20)
	}
	if free < reserve {
		return fmt.Errorf("%d bytes free, %d are kept in reserve", free, reserve)
	}
	return nil
}

// refusal returns the error of writes after a failure. The caller holds mu.
func (g *Generation) refusal() error {
	if errors.Is(g.failure, ErrFenced) || g.options.ReadOnly {
		return problem.IndexReadonly.New().Because(g.failure)
	}
	return problem.IndexClosed.New().Because(g.failure)
}

// storageProblem returns the problem that a caller sees when the manifest cannot be
// replaced.
func storageProblem(err error) error {
	var known *problem.Problem
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.Is(err, ErrFenced):
		return problem.IndexReadonly.New().Because(err)
	case errors.Is(err, manifest.ErrUnsettled):
		return problem.StorageUnknown.New("resource", "index").Because(err)
	}
	return problem.StorageIoError.New("resource", "index").Because(err)
}
