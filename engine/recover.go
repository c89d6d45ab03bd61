package engine

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"time"

	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/log"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// opener opens the files of one commit.
type opener struct {
	fs        vfs.FS
	directory string
	manifest  *manifest.Manifest
	open      *opened // nil: nothing is open
	damaged   func()  // called when a part is damaged; may be nil
	sides     map[string]*snapshot.Side
}

// opened is a view whose segments are open already.
type opened struct {
	view     *snapshot.Snapshot
	manifest *manifest.Manifest // the manifest that view shows
}

// segment returns an open segment. It returns nil when the segment is not open, or
// when the file of that name has changed, as it does when a bucket continues from
// an earlier state.
func (o *opened) segment(file *manifest.File) *snapshot.Segment {
	if o == nil {
		return nil
	}
	if before := o.manifest.File(file.Name); before == nil || before.Size != file.Size || before.CRC32C != file.CRC32C {
		return nil
	}
	return findByFile(o.view, file.Name)
}

// openManifest opens every file that a manifest names. Segment contents are
// verified before they are first used (I12), everything else now. damaged, which
// may be nil, is called when a part turns out damaged. Segments in open, which may
// be nil, are not opened again.
func openManifest(fs vfs.FS, directory string, m *manifest.Manifest, open *opened, damaged func()) (segments []*snapshot.Segment, tracked *tracking, err error) {
	defer func() {
		if err != nil {
			for _, s := range segments {
				s.Reader.Release()
			}
		}
	}()
	o := &opener{fs: fs, directory: directory, manifest: m, open: open, damaged: damaged, sides: make(map[string]*snapshot.Side)}
	for _, entry := range m.Segments {
		s, err := o.segment(entry)
		if err != nil {
			return segments, nil, err
		}
		segments = append(segments, s)
	}
	if m.Tracking != nil {
		tracked = new(tracking)
		for _, file := range m.Tracking.Files {
			read, err := o.side(file.File)
			if err != nil {
				return segments, nil, err
			}
			tracked.add(file, read.Keys)
		}
	}
	return segments, tracked, nil
}

// side reads a side file, once.
func (o *opener) side(name string) (*snapshot.Side, error) {
	if read := o.sides[name]; read != nil {
		return read, nil
	}
	content, err := o.fs.ReadFile(path.Join(o.directory, name))
	if err != nil {
		return nil, fmt.Errorf("read side file: %w", err)
	}
	file := o.manifest.File(name)
	if file.Size != int64(len(content)) || file.CRC32C != blockfile.Checksum(content) {
		return nil, blockfile.Corrupt(name, 0, "not the file that the manifest names")
	}
	read, err := snapshot.ReadSide(name, content)
	if err != nil {
		return nil, err
	}
	o.sides[name] = read
	return read, nil
}

// segment opens a segment with its side file.
func (o *opener) segment(entry manifest.Segment) (*snapshot.Segment, error) {
	name := path.Join(o.directory, entry.File)
	earlier := o.open.segment(o.manifest.File(entry.File))
	var reader *segment.Reader
	if earlier != nil && earlier.Reader.Retain() {
		reader = earlier.Reader
	} else {
		var err error
		if reader, err = segment.Open(o.fs, name, blockfile.VerifyUsed); err != nil {
			return nil, fmt.Errorf("open segment: %w", err)
		}
		reader.WhenDamaged(o.damaged)
	}
	fault := func(format string, arguments ...any) (*snapshot.Segment, error) {
		reader.Release()
		return nil, blockfile.Corrupt(name, 0, format, arguments...)
	}
	if file := o.manifest.File(entry.File); file.Size != reader.Size() {
		return fault("%d bytes, the manifest says %d", reader.Size(), file.Size)
	}
	var state snapshot.SideEntry
	if entry.Side != "" {
		read, err := o.side(entry.Side)
		if err != nil {
			reader.Release()
			return nil, err
		}
		found := read.Entry(entry.File)
		if found == nil || found.Documents != reader.NumDocs() {
			return fault("side file %s does not fit", entry.Side)
		}
		state = *found
	}
	s := snapshot.NewSegment(reader, state.Live, state.Signals, earlier)
	s.First = entry.First
	if int64(s.Documents) != entry.Live || int64(reader.NumRoots()) != entry.Documents {
		return fault("%d of %d documents live, the manifest says %d of %d", s.Documents, reader.NumRoots(), entry.Live, entry.Documents)
	}
	return s, nil
}

func findByFile(view *snapshot.Snapshot, file string) *snapshot.Segment {
	for _, s := range view.Segments {
		if fileOf(s) == file {
			return s
		}
	}
	return nil
}

// Verify checks every checksum of the segments that has not been checked yet, and
// returns the damage it finds.
func (g *Generation) Verify(ctx context.Context) error {
	view := g.Snapshot()
	if view == nil {
		return problem.IndexClosed.New()
	}
	defer view.Release()
	var failures []error
	for _, s := range view.Segments {
		failures = append(failures, vfs.Protect(func() error { return s.Reader.Verify(ctx) }))
	}
	return errors.Join(failures...)
}

// verifyLoop verifies segments that were opened from files, so that damage shows
// before a search meets it and no search waits long for a verification.
func (g *Generation) verifyLoop(ctx context.Context) {
	for ctx.Err() == nil {
		if g.verifying.park() {
			return
		}
		if err := g.Verify(ctx); err != nil && ctx.Err() == nil {
			g.options.Logger.Error("index is damaged", "directory", g.storage.Directory, "error", err)
		}
	}
}

// replay brings the log beyond the last commit into a table and commits it, so that
// nothing is built on a record whose durability is not confirmed. If that commit
// fails the generation still opens for searches; writes are accepted once the
// commit loop succeeds.
func (g *Generation) replay(ctx context.Context) error {
	g.active = newTable(g.manifest.Sequence+1, g.pipeline.Load(), g.options.Workers)
	g.nextLSN = g.manifest.LastLSN + 1
	err := g.log.Replay(g.manifest.LastLSN, func(lsn uint64, payload []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		batch, err := log.DecodeBatch(payload)
		switch {
		case err != nil:
			return err
		case batch.LSN != lsn:
			return fmt.Errorf("%w: batch %d in record %d", log.ErrCorrupt, batch.LSN, lsn)
		case batch.Generation != g.identity:
			return fmt.Errorf("%w: batch %d belongs to generation %x", log.ErrCorrupt, lsn, batch.Generation)
		}
		g.promised = max(g.promised, batch.Promised)
		g.active.sequence = max(g.active.sequence, batch.Promised)
		operations := make([]*operation, len(batch.Operations))
		for i, logged := range batch.Operations {
			if operations[i], err = decodeOperation(logged); err != nil {
				return fmt.Errorf("batch %d: %w", lsn, err)
			}
		}
		arena := newEntries(operations)
		var entries []*entry
		for _, op := range operations {
			g.mu.Lock()
			added := g.active.apply(op, &arena, time.Now())
			g.accountEntries(g.active, op.size())
			g.mu.Unlock()
			if added != nil {
				entries = append(entries, added)
			}
		}
		g.active.lastLSN = lsn
		g.nextLSN = lsn + 1
		if len(entries) > 0 {
			g.active.working.Add(1)
			g.dispatch(g.active, entries)
		}
		return nil
	})
	if err != nil {
		g.active.working.Wait()
		g.discardTables()
		return err
	}
	if g.active.lastLSN == 0 {
		return nil
	}
	g.recovering = true
	if g.active.changes == 0 {
		g.active.changes = 1 // fences only: the commit moves past them
	}
	if err := vfs.Protect(func() error { return g.commit(ctx) }); err != nil {
		g.options.Logger.Error("cannot commit replayed changes", "directory", g.storage.Directory, "error", err)
	}
	return nil
}

// decodeOperation decodes an operation of the log.
func decodeOperation(logged log.Operation) (*operation, error) {
	op := &operation{Operation: log.Operation{Kind: logged.Kind, Key: logged.Key}}
	var rest []byte
	var err error
	switch logged.Kind {
	case log.Add:
		op.signals, op.source, err = cutSignals(logged.Body)
	case log.Signals:
		op.signals, rest, err = cutSignals(logged.Body)
		if len(rest) != 0 {
			err = errOperation
		}
	case log.Delete, log.DeleteAll, log.Fence:
	default:
		err = fmt.Errorf("%w: kind %d", errOperation, logged.Kind)
	}
	return op, err
}

func decodeID(text string) []byte {
	id, err := hex.DecodeString(text)
	if err != nil {
		return nil
	}
	return id
}
