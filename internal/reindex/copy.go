package reindex

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/problem"
)

const (
	batchSize    = 1000
	smallBacklog = 100
	replayRounds = 10
)

// transfer moves documents of a view of the source into the target.
type transfer struct {
	view    *snapshot.Snapshot
	sent    *document.Projection
	reader  *document.Reader
	stream  *engine.WriteStream
	signals []*definition.ResolvedField // of the target
	buffer  []byte
	record  []byte
}

func newTransfer(source, target *generations.Generation) (*transfer, error) {
	schema, view := source.Schema(), source.Snapshot()
	if view == nil {
		return nil, problem.IndexClosed.New()
	}
	return &transfer{
		view: view, sent: document.AsSent(schema), reader: document.NewReader(target.Schema()),
		stream: target.WriteStream(), signals: target.Schema().Signals(),
	}, nil
}

func (t *transfer) close() { t.view.Release() }

// copy adds one document of the source to the target.
func (t *transfer) copy(ctx context.Context, key string, segment *snapshot.Segment, doc uint32) error {
	var err error
	stored := segment.Reader.Stored()
	if stored == nil {
		return t.refused(key, "its source is not kept")
	}
	if t.record, err = stored.Get(t.record[:0], doc); err != nil {
		return fmt.Errorf("read document %q: %w", key, err)
	}
	record, err := document.OpenRecord(t.record)
	if err != nil {
		return fmt.Errorf("read document %q: %w", key, err)
	}
	if !record.HasSource() {
		return t.refused(key, "its source is not kept")
	}
	t.buffer = t.sent.Append(t.buffer[:0], record, func(f *definition.ResolvedField) (int64, bool) {
		return segment.SignalValue(layout.Signal(f.Path), doc)
	})
	var found problem.List
	d := t.reader.Read(t.buffer, problem.Path{}, &found)
	if err := found.Err(); err != nil || d == nil {
		return t.refused(key, describe(err))
	}
	// Clear signals for which the source has no value: the document may have been
	// deleted and added again.
	for _, f := range t.signals {
		if !slices.ContainsFunc(d.Signals, func(s document.Signal) bool { return s.Field == f }) {
			d.Signals = append(d.Signals, document.Signal{Field: f, Clear: true})
		}
	}
	return t.stream.Add(ctx, d)
}

func (t *transfer) refused(key, reason string) error {
	return problem.ReindexDocumentRefused.New("key", key, "reason", strings.TrimSuffix(reason, "."))
}

// wait returns when the target holds everything durably.
func (t *transfer) wait(ctx context.Context) error {
	_, err := t.stream.Wait(ctx)
	return err
}

// copyBatch copies the next documents in key order and moves the cursor.
func (j *Jobs) copyBatch(ctx context.Context, one *job) error {
	source, target, release, err := j.pair(ctx, one)
	if err != nil {
		return err
	}
	defer release()
	if !source.IsTracking() {
		return errUntracked
	}
	t, err := newTransfer(source, target)
	if err != nil {
		return err
	}
	defer t.close()
	record := one.record()
	after := ""
	if record.Cursor != nil {
		after = *record.Cursor
	}
	keys, err := t.view.Keys(after, record.Cursor != nil, source.Schema().PrimaryKey().Type.IsWhole())
	if err != nil {
		return err
	}
	copied, last := 0, ""
	for copied < batchSize {
		key, segment, doc, ok := keys.Next()
		if !ok {
			break
		}
		if err := t.copy(context.WithoutCancel(ctx), key, segment, doc); err != nil {
			return err
		}
		copied, last = copied+1, snapshot.Cursor(key)
	}
	if err := errors.Join(keys.Err(), t.wait(context.WithoutCancel(ctx))); err != nil {
		return err
	}
	return j.save(ctx, one, func(s *stored) {
		s.Record.DocumentsCopied += int64(copied)
		s.Record.Backlog = int64(source.Backlog())
		if copied > 0 {
			s.Cursor = &last
		}
		if copied < batchSize {
			s.Record.Phase = Replaying
		}
	})
}

// replay brings what changed during the copy into the target, round by round until
// little is left, and enters the next phase.
func (j *Jobs) replay(ctx context.Context, one *job) error {
	left := 0
	for range replayRounds {
		if err := one.interrupted(ctx); err != nil {
			return err
		}
		var err error
		if left, err = j.round(ctx, one); err != nil {
			return err
		}
		if left <= smallBacklog {
			break
		}
	}
	return j.save(ctx, one, func(s *stored) {
		s.Record.Backlog = int64(left)
		s.Record.Phase = Ready
		if s.Record.Promote == Auto && s.Record.Verify == nil {
			s.Record.Phase = Promoting
		}
	})
}

// catchUp is one round of a job that is ready.
func (j *Jobs) catchUp(ctx context.Context, one *job) error {
	left, err := j.round(ctx, one)
	if err != nil {
		return err
	}
	return j.save(ctx, one, func(s *stored) { s.Record.Backlog, s.Record.Phase = int64(left), Ready })
}

// round brings every key that the source records into its state there, commits the
// target and forgets the keys (J2). It returns how many were recorded meanwhile.
func (j *Jobs) round(ctx context.Context, one *job) (int, error) {
	source, target, release, err := j.pair(ctx, one)
	if err != nil {
		return 0, err
	}
	defer release()
	if err := j.replayKeys(context.WithoutCancel(ctx), source, target); err != nil {
		return 0, err
	}
	return source.Backlog() + source.Pending().Changes, nil
}

func (j *Jobs) replayKeys(ctx context.Context, source, target *generations.Generation) error {
	sequence, err := source.Commit(ctx, engine.Explicit)
	if err != nil {
		return err
	}
	if !source.IsTracking() {
		return errUntracked
	}
	keys := source.Changes(sequence)
	if len(keys) > 0 {
		t, err := newTransfer(source, target)
		if err != nil {
			return err
		}
		defer t.close()
		for _, key := range keys {
			if err := t.bring(ctx, key); err != nil {
				return err
			}
		}
		if err := t.wait(ctx); err != nil {
			return err
		}
	}
	if _, err := target.Commit(ctx, engine.Explicit); err != nil {
		return err
	}
	source.Forget(sequence)
	return nil
}

// bring copies or deletes one key.
func (t *transfer) bring(ctx context.Context, key string) error {
	segment, doc, ok, err := t.view.LookupKey(key)
	switch {
	case err != nil:
		return err
	case ok:
		return t.copy(ctx, key, segment, doc)
	}
	return t.stream.Delete(ctx, document.Key(key))
}

// promote holds writes, brings the last changes over and makes the target live.
func (j *Jobs) promote(ctx context.Context, one *job) error {
	steady := context.WithoutCancel(ctx)
	if j.isPromoted(one) {
		return j.close(steady, one)
	}
	err := j.save(steady, one, func(s *stored) { s.Record.Phase = Promoting })
	if err != nil {
		return err
	}
	if err := j.move(steady, one); err != nil && !j.isPromoted(one) {
		return err
	}
	record := one.record()
	j.log.Info("reindex promoted", "index", record.Record.Index, "target", record.Record.Target)
	return j.close(steady, one)
}

// move is the promotion itself. The intent in the registry makes it fail when
// another node took the job over; the lock of the index keeps writes waiting, so
// that the last round leaves nothing behind.
func (j *Jobs) move(ctx context.Context, one *job) error {
	source, target, release, err := j.pair(ctx, one)
	if err != nil {
		return err
	}
	defer release()
	record := one.record()
	from, to := record.source(), record.target()
	intent := registry.Intent{Job: record.id(), Target: to.Name.Generation, Epoch: record.Epoch}
	if err := j.registry.Announce(ctx, from, to, intent); err != nil {
		return err
	}
	moves := j.generations.Moves(to.Index)
	moves.Lock()
	defer moves.Unlock()
	ctx, cancel := context.WithTimeout(ctx, holdLimit)
	defer cancel()
	held, err := source.HoldWrites(ctx)
	if err != nil {
		return notMoved(err)
	}
	defer held()
	if err := j.replayKeys(ctx, source, target); err != nil {
		return notMoved(err)
	}
	// A node that took the source since the announcement calls the promotion off
	// before it acknowledges anything; one that took it earlier is detected here.
	if err := source.Prove(ctx); err != nil {
		return err
	}
	err = j.registry.PromoteAnnounced(ctx, from, to, intent)
	if errors.Is(err, problem.StorageUnknown) {
		j.generations.Unsettle(to.Index, func(ctx context.Context) error { return j.registry.CallOff(ctx, to, intent.Job) })
	}
	return err
}

// holdLimit is how long writes wait for a promotion. One that takes longer is
// retried: commits that it waited for continue meanwhile.
const holdLimit = 30 * time.Second

// notMoved returns a failure that came before a promotion was requested: whatever
// became of a commit or of the copied documents, nothing was moved.
func notMoved(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, problem.StorageUnknown) {
		return problem.StorageIoError.New("resource", "index").Because(err)
	}
	return err
}
