package engine

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/problem"
)

// leastMerged is the number of tracked files from which they are merged.
const leastMerged = 8

// tracking is the keys changed since a reindex began, by the commits that changed
// them. A nil tracking is off. Generation.mu guards it.
//
// Each commit adds a file with its keys. Neighbouring files are merged as in a
// log-structured merge tree (https://doi.org/10.1007/s002360050048): the newest
// ones, once there are eight or more and the oldest of them holds no more keys than
// the others together. So a merge about doubles the file that its keys are in,
// unless the keys are the same: a key is written a logarithmic number of times, all
// files together hold few keys more than once, and their number is logarithmic. In
// commits of 10 keys:
//
//	10 10 10 10 10 10 10 10         merged into 80
//	80 10 10 10 10 10 10 10         too few, and 80 > 70
//	80 10 10 10 10 10 10 10 10      merged into 160: 80 ≤ 80
//
// A merged file has the sequence number of its last commit, and is reported and
// forgotten as a whole: a key may be copied again, and none is lost. What Changes
// reported is not merged with later keys, so that it can be forgotten.
type tracking struct {
	files    []trackedFile // oldest first
	reported uint64        // sequence number of the last file that Changes reported
}

// trackedFile is a tracked file with its keys.
type trackedFile struct {
	manifest.TrackedFile
	keys []string // ascending; never changed
}

// first returns the sequence number of the first commit whose keys the file holds.
func (f trackedFile) first() uint64 {
	if f.First != 0 {
		return f.First
	}
	return f.Sequence
}

func (t *tracking) add(file manifest.TrackedFile, keys []string) {
	t.files = append(t.files, trackedFile{file, keys})
}

// forget drops the files whose commits are all up to a sequence number.
func (t *tracking) forget(upTo uint64) {
	t.files = slices.DeleteFunc(t.files, func(f trackedFile) bool { return f.Sequence <= upTo })
}

// upTo returns the files that hold keys of commits up to a sequence number.
func (t *tracking) upTo(sequence uint64) []trackedFile {
	end := len(t.files)
	for end > 0 && t.files[end-1].first() > sequence {
		end--
	}
	return slices.Clone(t.files[:end])
}

// report is upTo for a caller that will forget them.
func (t *tracking) report(sequence uint64) []trackedFile {
	found := t.upTo(sequence)
	for _, file := range found {
		if file.Sequence <= sequence {
			t.reported = max(t.reported, file.Sequence)
		}
	}
	return found
}

// due returns the files to be merged, the newest ones, or nil.
func (t *tracking) due() []trackedFile {
	if t == nil {
		return nil
	}
	from, newer := len(t.files), 0
	for i := len(t.files) - 1; i >= 0 && t.files[i].Sequence > t.reported; i-- {
		if len(t.files)-i >= leastMerged && len(t.files[i].keys) <= newer {
			from = i
		}
		newer += len(t.files[i].keys)
	}
	if from == len(t.files) {
		return nil
	}
	return slices.Clone(t.files[from:])
}

// mergeKeys returns the keys of neighbouring files as one that is not written yet.
func mergeKeys(files []trackedFile) trackedFile {
	keys := distinct(files)
	return trackedFile{manifest.TrackedFile{First: files[0].first(), Sequence: files[len(files)-1].Sequence, Keys: len(keys)}, keys}
}

// replace puts a merged file in the place of those that it was merged from, which
// are the newest. Some may have been forgotten meanwhile.
func (t *tracking) replace(merged trackedFile) {
	from := slices.IndexFunc(t.files, func(f trackedFile) bool { return f.Sequence >= merged.First })
	if from < 0 {
		from = len(t.files)
	}
	clear(t.files[from:])
	t.files = append(t.files[:from], merged)
}

// clone returns a copy that may be changed, nil when tracking is off.
func (t *tracking) clone() *tracking {
	if t == nil {
		return nil
	}
	return &tracking{files: slices.Clone(t.files), reported: t.reported}
}

// manifest returns the tracking section of the manifest, or nil when tracking is
// off.
func (t *tracking) manifest() *manifest.Tracking {
	if t == nil {
		return nil
	}
	section := new(manifest.Tracking)
	for _, file := range t.files {
		section.Files = append(section.Files, file.TrackedFile)
	}
	return section
}

// distinct returns the keys of files in ascending order, each once. It begins with
// the newest files, which are the smallest.
func distinct(files []trackedFile) []string {
	keys := []string{}
	for _, file := range slices.Backward(files) {
		keys = union(file.keys, keys)
	}
	return keys
}

// union merges two ascending lists without duplicates.
func union(a, b []string) []string {
	both := make([]string, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch order := strings.Compare(a[0], b[0]); {
		case order < 0:
			both, a = append(both, a[0]), a[1:]
		case order > 0:
			both, b = append(both, b[0]), b[1:]
		default:
			both, a, b = append(both, a[0]), a[1:], b[1:]
		}
	}
	return append(append(both, a...), b...)
}

// trackedCommit is what a commit adds to the tracked keys.
type trackedCommit struct {
	own    trackedFile
	merged trackedFile   // in the place of earlier files; without a name: none are merged
	file   manifest.File // of merged
}

// addTo adds the keys of the commit to t. A nil commit changes nothing, like a
// tracking that is off.
func (c *trackedCommit) addTo(t *tracking) {
	if c == nil || t == nil {
		return
	}
	if c.merged.File != "" {
		t.replace(c.merged)
	}
	t.files = append(t.files, c.own)
}

// mergeTracked writes the merged file of a commit if a merge is due. A failure does
// not concern the commit: the next one tries again. The caller holds publishing and
// removes the file if no manifest names it.
func (g *Generation) mergeTracked(c *trackedCommit) {
	if c == nil {
		return
	}
	g.mu.Lock()
	due := g.tracking.due()
	g.mu.Unlock()
	if due == nil {
		return
	}
	merged := mergeKeys(due)
	name, file, err := g.writeSide(&snapshot.Side{Keys: merged.keys})
	if err != nil {
		g.options.Logger.Warn("cannot merge the keys that a reindex tracks", "directory", g.storage.Directory, "error", err)
		return
	}
	merged.File = name
	c.merged, c.file = merged, file
}

// track returns the keys that a table changes as those of a commit, or nil while
// changes are not tracked.
func (g *Generation) track(t *table, base *snapshot.Snapshot) (*trackedCommit, error) {
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
	keys := slices.AppendSeq([]string{}, maps.Keys(changed))
	slices.Sort(keys)
	return &trackedCommit{own: trackedFile{manifest.TrackedFile{Sequence: t.sequence, Keys: len(keys)}, keys}}, nil
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
	listFiles(next, before, nil)
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
// ascending order and without duplicates, for a caller that will pass the number to
// Forget. A view at or after that commit shows their state. There may be keys of
// later commits among them, which are not forgotten.
func (g *Generation) Changes(upTo uint64) []string {
	g.mu.Lock()
	if g.tracking == nil {
		g.mu.Unlock()
		return nil
	}
	files := g.tracking.report(upTo)
	g.mu.Unlock()
	return distinct(files)
}

// Backlog returns the number of keys recorded and not forgotten, without those of
// uncommitted changes.
func (g *Generation) Backlog() int {
	g.mu.Lock()
	if g.tracking == nil {
		g.mu.Unlock()
		return 0
	}
	files := g.tracking.upTo(math.MaxUint64)
	g.mu.Unlock()
	return len(distinct(files))
}

// Forget drops the keys recorded by commits up to a sequence number, except those
// that were merged with keys of later commits before Changes reported them. It
// becomes durable with the next commit; until then a crash brings the keys back,
// which repeats work and loses nothing.
func (g *Generation) Forget(upTo uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.tracking != nil {
		g.tracking.forget(upTo)
	}
}
