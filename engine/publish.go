package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/internal/vfs"
)

// change collects what a commit or a merge does to one segment.
type change struct {
	from     *snapshot.Segment // the segment before the change; all documents of a new one are live
	name     string            // file name
	isNew    bool
	summary  blockfile.Summary // of the file of a new segment
	overlays map[string]*snapshot.OverlayBuilder

	deletions *snapshot.Deleter // nil until a document is deleted
	deleted   int

	field string                   // the signal column refreshed last
	into  *snapshot.OverlayBuilder // of field
}

// kill deletes a document together with its list values.
func (c *change) kill(doc uint32) {
	if c.deletions == nil {
		c.deletions = snapshot.NewDeleter(c.from)
	}
	if c.deletions.Delete(doc) {
		c.deleted++
	}
}

// refresh sets signal values of a document.
func (c *change) refresh(doc uint32, values []signalValue) {
	for _, value := range values {
		if c.into == nil || c.field != value.Field {
			c.field, c.into = value.Field, c.overlay(layout.Signal(value.Field))
		}
		c.into.Set(doc, value.Value, value.Has)
	}
}

// overlay returns the builder for the next overlay of a signal column.
func (c *change) overlay(column string) *snapshot.OverlayBuilder {
	builder := c.overlays[column]
	if builder == nil {
		if c.overlays == nil {
			c.overlays = make(map[string]*snapshot.OverlayBuilder)
		}
		builder = snapshot.NewOverlayBuilder(c.from.Signal(column), c.from.Reader.NumDocs())
		c.overlays[column] = builder
	}
	return builder
}

func (c *change) isTouched() bool { return c.deletions != nil || len(c.overlays) > 0 }

// next returns the segment after the change, with a reference of its own.
func (c *change) next() (*snapshot.Segment, error) {
	if !c.from.Reader.Retain() {
		return nil, fmt.Errorf("segment %s is closed", c.name)
	}
	signals := c.from.Signals()
	if len(c.overlays) > 0 {
		signals = maps.Clone(signals)
		if signals == nil {
			signals = make(map[string]*snapshot.Overlay)
		}
		for column, builder := range c.overlays {
			signals[column] = builder.Finish()
		}
	}
	return c.from.Next(c.deletions, signals), nil
}

// publishTable commits a table whose segments are written: it applies deletes and
// refreshed signals to earlier segments and replaces the manifest and the snapshot.
func (g *Generation) publishTable(ctx context.Context, t *table) error {
	g.publishing.Lock()
	defer g.publishing.Unlock()
	base := g.Snapshot()
	defer base.Release()
	tracked, err := g.track(t, base)
	if err != nil {
		return err
	}
	changes, deleted, err := g.changesOf(t, base)
	if err != nil {
		return err
	}
	// E5: what the manifest will name must match the operations.
	want := base.Documents + t.added - deleted
	g.mergeTracked(tracked)
	next, segments, err := g.assemble(changes, want, tracked, t.sequence)
	if err != nil {
		if tracked != nil && tracked.merged.File != "" {
			g.removeFile(tracked.merged.File)
		}
		return err
	}
	release := func() {
		for _, s := range segments {
			s.Reader.Release()
		}
	}
	next.Sequence, next.LastLSN = t.sequence, max(next.LastLSN, t.lastLSN)
	if err := g.publish(ctx, next); err != nil {
		release()
		g.discardSide(next)
		return err
	}
	// The snapshot is shown before the table is dropped: a reader of the newest
	// state looks in the table first.
	g.install(t.sequence, segments, next)
	g.mu.Lock()
	g.frozen = nil
	g.recovering = false
	g.promised = max(g.promised, t.sequence)
	tracked.addTo(g.tracking)
	g.mu.Unlock()
	g.account(&t.holding, 0)
	for _, r := range t.runs() {
		g.account(&r.holding, 0)
		if r.reader == nil {
			continue
		}
		r.reader.Release()
		if next.File(r.file) == nil { // none of its documents outlived the table
			g.removeFile(r.file)
		}
	}
	return nil
}

// changesOf resolves the operations of a table against the committed segments and
// its own. The changes of the committed segments come first, in order.
func (g *Generation) changesOf(t *table, base *snapshot.Snapshot) (changes []*change, deleted int, err error) {
	fresh := make(map[*run]*change)
	g.mu.Lock()
	standing := g.manifest.Standing
	g.mu.Unlock()
	for _, r := range t.runs() {
		if r.reader == nil {
			continue
		}
		c := &change{name: r.file, isNew: true, summary: r.info.Summary, from: snapshot.NewSegment(r.reader, nil, nil, nil)}
		c.from.First = standing
		standing += r.reader.EndStanding()
		fresh[r] = c
		changes = append(changes, c)
		for _, e := range r.entries {
			if e.dead.Load() && e.run == r {
				c.kill(e.doc)
			}
		}
	}
	if t.all {
		for key, r := range t.signals {
			if e := t.entries[key]; e != nil && !e.isDelete {
				fresh[e.run].refresh(e.doc, r.values)
			}
		}
		return changes, base.Documents, nil
	}
	old := make([]*change, len(base.Segments))
	for i, s := range base.Segments {
		old[i] = &change{name: fileOf(s), from: s}
	}
	if err := killKeys(old, t.keysToKill()); err != nil {
		return nil, 0, err
	}
	for _, c := range old {
		deleted += c.deleted
	}
	for key, r := range t.signals {
		if e := t.entries[key]; e != nil {
			if !e.isDelete {
				fresh[e.run].refresh(e.doc, r.values)
			}
			continue
		}
		if err := refreshKey(old, key, r); err != nil {
			return nil, 0, err
		}
	}
	return append(old, changes...), deleted, nil
}

// refreshKey refreshes the document under a key in the committed segments: where it
// was found, or where a merge has moved it since.
func refreshKey(old []*change, key string, r refreshed) error {
	if r.at.reader != nil {
		for _, c := range old {
			if c.from.Reader == r.at.reader && c.from.IsLive(r.at.doc) {
				c.refresh(r.at.doc, r.values)
				return nil
			}
		}
	}
	for _, c := range old {
		doc, ok, err := c.from.Lookup(key)
		if err != nil {
			return err
		}
		if ok {
			c.refresh(doc, r.values)
			return nil
		}
	}
	return nil
}

// killKeys deletes the documents under the given keys in the committed segments.
// Many keys are deleted in all segments in parallel.
func killKeys(old []*change, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	failures := make([]error, len(old))
	one := func(i int) {
		failures[i] = vfs.Protect(func() error {
			for _, key := range keys {
				doc, ok, err := old[i].from.Lookup(key)
				if err != nil {
					return err
				}
				if ok {
					old[i].kill(doc)
				}
			}
			return nil
		})
	}
	if len(keys) < 1000 {
		for i := range old {
			one(i)
		}
		return errors.Join(failures...)
	}
	var group sync.WaitGroup
	for i := range old {
		group.Go(func() { one(i) })
	}
	group.Wait()
	return errors.Join(failures...)
}

// assemble writes the side file of a commit and returns the manifest and the
// segments after the changes. It leaves out segments without a live document. The
// caller must release the readers of the segments if it does not use them.
func (g *Generation) assemble(changes []*change, want int, tracked *trackedCommit, sequence uint64) (*manifest.Manifest, []*snapshot.Segment, error) {
	g.mu.Lock()
	before := g.manifest
	g.mu.Unlock()
	next := before.Next()
	next.Segments = nil
	side := new(snapshot.Side)
	if tracked != nil {
		side.Keys = tracked.own.keys
	}
	sides := make(map[string]bool) // segments whose state is in the new side file
	var segments []*snapshot.Segment
	var kept []*change
	release := func() {
		for _, s := range segments {
			s.Reader.Release()
		}
	}
	for _, c := range changes {
		s, err := c.next()
		if err != nil {
			release()
			return nil, nil, err
		}
		if s.Documents == 0 {
			s.Reader.Release()
			continue
		}
		segments, kept = append(segments, s), append(kept, c)
		if c.isTouched() {
			sides[c.name] = true
			side.Entries = append(side.Entries, s.SideEntry(c.name))
		}
	}
	live := 0
	for _, s := range segments {
		live += s.Documents
	}
	if live != want {
		release()
		return nil, nil, fmt.Errorf("commit %d has %d live documents where the operations give %d", sequence, live, want)
	}
	sideName := ""
	var sideFile manifest.File
	if !side.IsEmpty() {
		var err error
		if sideName, sideFile, err = g.writeSide(side); err != nil {
			release()
			return nil, nil, err
		}
	}
	for i, c := range kept {
		entry := manifest.Segment{File: c.name}
		if earlier := findSegment(before, c.name); earlier != nil {
			entry = *earlier
		}
		entry.First = segments[i].First
		next.Standing = max(next.Standing, entry.First+segments[i].Reader.EndStanding())
		entry.Documents, entry.Live = int64(segments[i].Reader.NumRoots()), int64(segments[i].Documents)
		if sides[c.name] {
			entry.Side = sideName
		}
		next.Segments = append(next.Segments, entry)
	}
	written := []manifest.File{sideFile}
	if tracked != nil {
		tracked.own.File = sideName
		written = append(written, tracked.file)
	}
	g.mu.Lock()
	after := g.tracking.clone()
	g.mu.Unlock()
	tracked.addTo(after)
	next.Tracking = after.manifest()
	listFiles(next, before, kept, written...)
	next.Live = int64(live)
	next.NextFile = g.nextFile.Load()
	return next, segments, nil
}

func findSegment(m *manifest.Manifest, file string) *manifest.Segment {
	for i := range m.Segments {
		if m.Segments[i].File == file {
			return &m.Segments[i]
		}
	}
	return nil
}

// listFiles sets the files that the next manifest names.
func listFiles(next, before *manifest.Manifest, kept []*change, sides ...manifest.File) {
	fresh := make(map[string]manifest.File)
	for _, side := range sides {
		fresh[side.Name] = side
	}
	for _, c := range kept {
		if c.isNew {
			fresh[c.name] = manifest.File{Name: c.name, Size: c.summary.Size, CRC32C: c.summary.CRC32C}
		}
	}
	named := make(map[string]bool)
	for _, s := range next.Segments {
		named[s.File] = true
		if s.Side != "" {
			named[s.Side] = true
		}
	}
	if next.Tracking != nil {
		for _, f := range next.Tracking.Files {
			named[f.File] = true
		}
	}
	next.Files = nil
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if file, ok := fresh[name]; ok {
			next.Files = append(next.Files, file)
		} else if file := before.File(name); file != nil {
			next.Files = append(next.Files, *file)
		}
	}
}

// discardSide removes the side files of a commit that was not published.
func (g *Generation) discardSide(next *manifest.Manifest) {
	g.mu.Lock()
	current, failed := g.manifest, g.failure != nil
	g.mu.Unlock()
	if failed {
		return // the new manifest may be the one on disk
	}
	for _, file := range next.Files {
		if strings.HasSuffix(file.Name, sideSuffix) && current.File(file.Name) == nil {
			g.removeFile(file.Name)
		}
	}
}

// fileOf returns the file name of a segment.
func fileOf(s *snapshot.Segment) string { return path.Base(s.Reader.Name()) }

// writeSide writes and syncs a side file.
func (g *Generation) writeSide(side *snapshot.Side) (string, manifest.File, error) {
	name := g.newFileName(sideSuffix)
	file, err := g.fs.Create(g.path(name))
	if err != nil {
		return "", manifest.File{}, fmt.Errorf("write side file: %w", err)
	}
	summary, err := side.Write(file, name)
	if err == nil {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err != nil {
		g.removeFile(name)
		return "", manifest.File{}, fmt.Errorf("write side file %s: %w", name, err)
	}
	return name, manifest.File{Name: name, Size: summary.Size, CRC32C: summary.CRC32C}, nil
}
