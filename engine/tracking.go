package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/problem"
)

// tracking is the set of keys changed since a reindex began, by the commit that
// changed them. A nil tracking is off. Generation.mu guards it.
type tracking struct {
	files []manifest.TrackedFile
	keys  [][]string // parallel to files, each ascending
}

func (t *tracking) add(file manifest.TrackedFile, keys []string) {
	t.files = append(t.files, file)
	t.keys = append(t.keys, keys)
}

// forget drops the changes of commits up to a sequence number.
func (t *tracking) forget(upTo uint64) {
	for len(t.files) > 0 && t.files[0].Sequence <= upTo {
		t.files, t.keys = t.files[1:], t.keys[1:]
	}
}

// manifest returns the tracking section of the manifest, or nil when tracking is
// off.
func (t *tracking) manifest() *manifest.Tracking {
	if t == nil {
		return nil
	}
	return &manifest.Tracking{Files: slices.Clone(t.files)}
}

// distinct returns the keys changed by commits up to a sequence number, in
// ascending order.
func (t *tracking) distinct(upTo uint64) []string {
	seen := make(map[string]bool)
	for i, file := range t.files {
		if file.Sequence > upTo {
			break
		}
		for _, key := range t.keys[i] {
			seen[key] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// trackedKeys returns the keys that a table changes, or nil while changes are not
// tracked.
func (g *Generation) trackedKeys(t *table, base *snapshot.Snapshot) ([]string, error) {
	g.mu.Lock()
	on := g.tracking != nil
	g.mu.Unlock()
	if !on {
		return nil, nil
	}
	changed := make(map[string]bool, len(t.entries)+len(t.signals))
	for key := range t.entries {
		changed[key] = true
	}
	for key := range t.signals {
		changed[key] = true
	}
	if t.all {
		keys, err := base.Keys("", false, false)
		if err != nil {
			return nil, err
		}
		for {
			key, _, _, ok := keys.Next()
			if !ok {
				break
			}
			changed[key] = true
		}
		if err := keys.Err(); err != nil {
			return nil, err
		}
	}
	keys := slices.Sorted(maps.Keys(changed))
	if keys == nil {
		keys = []string{}
	}
	return keys, nil
}

// StartTracking begins to record the keys of changed documents, durably. Every
// commit from now on records its changes, including writes that were accepted
// before the call and are not committed yet. To separate those from later ones,
// commit after the call. It does nothing when tracking is already on.
func (g *Generation) StartTracking(ctx context.Context) error {
	return g.setTracking(ctx, func(t *tracking) *tracking {
		if t == nil {
			return new(tracking)
		}
		return t
	})
}

// StopTracking ends the recording and drops the recorded keys, durably.
func (g *Generation) StopTracking(ctx context.Context) error {
	return g.setTracking(ctx, func(*tracking) *tracking { return nil })
}

func (g *Generation) setTracking(ctx context.Context, set func(*tracking) *tracking) error {
	g.publishing.Lock()
	defer g.publishing.Unlock()
	g.mu.Lock()
	before := g.tracking
	after := set(before)
	g.mu.Unlock()
	if before == after {
		return nil
	}
	err := g.rewrite(ctx, func(next *manifest.Manifest) { next.Tracking = after.manifest() })
	if err != nil {
		return storageProblem(fmt.Errorf("set change tracking: %w", err))
	}
	g.mu.Lock()
	g.tracking = after
	g.mu.Unlock()
	return nil
}

// rewrite replaces the manifest and keeps the segments. The caller holds
// publishing.
func (g *Generation) rewrite(ctx context.Context, edit func(*manifest.Manifest)) error {
	view := g.Snapshot()
	if view == nil {
		return problem.IndexClosed.New()
	}
	defer view.Release()
	g.mu.Lock()
	before := g.manifest
	g.mu.Unlock()
	next := before.Next()
	edit(next)
	listFiles(next, before, nil, manifest.File{})
	next.NextFile = g.nextFile.Load()
	if err := g.publish(ctx, next); err != nil {
		return err
	}
	segments := make([]*snapshot.Segment, len(view.Segments))
	for i, s := range view.Segments {
		s.Reader.Retain()
		segments[i] = s.Next(nil, s.Signals())
	}
	g.install(view.Sequence, segments, next)
	return nil
}

// IsTracking reports whether changed keys are recorded.
func (g *Generation) IsTracking() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.tracking != nil
}

// Changes returns the keys recorded by commits up to a sequence number, in
// ascending order and without duplicates. A view at or after that commit shows
// their state.
func (g *Generation) Changes(upTo uint64) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.tracking == nil {
		return nil
	}
	return g.tracking.distinct(upTo)
}

// Backlog returns the number of keys recorded and not forgotten, without those of
// uncommitted changes.
func (g *Generation) Backlog() int {
	return len(g.Changes(^uint64(0)))
}

// Forget drops the keys recorded by commits up to a sequence number. It becomes
// durable with the next commit; until then a crash brings the keys back, which
// repeats work and loses nothing.
func (g *Generation) Forget(upTo uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.tracking != nil {
		g.tracking.forget(upTo)
	}
}
