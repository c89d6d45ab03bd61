package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/mergeplan"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/internal/vfs"
)

// mergeState is what merges of a generation remember between rounds.
type mergeState struct {
	damaged  map[*segment.Reader]bool
	ended    int        // consecutive merges at rest that a write ended
	failed   int        // consecutive rounds of merges that failed
	long     *longMerge // nil when none runs
	mayBegin bool       // a long merge may begin, see idleMerge
}

// longMerge is a merge that runs concurrently with those of small segments.
type longMerge struct {
	chosen chosenMerge
	done   chan error // buffered
}

// chosenMerge is a merge worth running, with the snapshot that holds its segments.
type chosenMerge struct {
	base    *snapshot.Snapshot
	sources []*snapshot.Segment
	isLong  bool
}

// mergeLoop merges segments after every commit that changed them until their sizes
// are well spread. Once no commit has come for a while it joins them further, until
// the generation is settled. A long merge runs concurrently with the loop: commits
// continue meanwhile, and unless their small segments were merged too, every search
// and every write would have to read hundreds of them. A long merge begins when
// documents are written after the commit that made it due (see settle.go). A failed
// merge is retried after the next commit, or after a backoff. A damaged segment is
// left out from then on (I12), and the others are still merged.
func (g *Generation) mergeLoop(ctx context.Context) {
	state := &g.mergers
	if state.damaged == nil {
		state.damaged = make(map[*segment.Reader]bool)
	}
	var next idleMerge
	for ctx.Err() == nil {
		isSound := true
		switch {
		case state.long != nil:
			select {
			case <-g.merging.woken:
			case err := <-state.long.done:
				isSound = g.endLong(ctx, state, err)
			}
		case next.due != nil:
			select {
			case <-ctx.Done():
				return
			case <-g.merging.woken:
			case <-next.written:
				state.mayBegin = true
			case <-next.due:
				if state.mayBegin = next.isPutOff; !next.isPutOff && !next.isRetry {
					isSound = g.mergeAtRest(ctx, next.credit)
				}
			}
		case g.merging.park():
			return
		}
		for worth := isSound; worth; {
			var err error
			worth, err = g.mergeOnce(ctx, state)
			g.logMerge(ctx, err)
			isSound = worth || err == nil
		}
		state.mayBegin = false
		switch next = (idleMerge{}); {
		case state.long != nil:
		case isSound:
			next = g.nextIdleMerge(state.damaged, state.ended)
		case g.Err() == nil:
			next = retryMerge(state.failed)
			state.failed++
		}
	}
	if state.long != nil {
		g.endLong(ctx, state, <-state.long.done)
	}
}

func (g *Generation) logMerge(ctx context.Context, err error) {
	if err != nil && err != errWritten && ctx.Err() == nil {
		g.options.Logger.Error("merge failed", "directory", g.storage.Directory, "error", err)
	}
}

// mergeAtRest runs the merge that waited for a rest, and reports whether another
// one may be tried.
func (g *Generation) mergeAtRest(ctx context.Context, credit int64) (isSound bool) {
	state, began := &g.mergers, g.merged.Load()
	err := vfs.Protect(func() error { return g.settle(ctx, state.damaged, credit) })
	g.logMerge(ctx, err)
	switch {
	case err == errWritten:
		state.ended++
	case err != nil:
		return false
	case g.merged.Load() > began:
		state.ended, state.failed = 0, 0
	}
	return true
}

// mergeOnce runs the most useful merge of segments that are undamaged and in no
// other merge, or only starts it if it is long, and reports whether it is worth
// calling again. The work, the upload included, runs concurrently with commits and
// searches; only the exchange of the segments waits for a commit that is being
// published.
func (g *Generation) mergeOnce(ctx context.Context, state *mergeState) (worth bool, err error) {
	chosen, ok := g.chooseMerge(state)
	if !ok {
		return false, nil
	}
	if chosen.isLong {
		long := &longMerge{chosen: chosen, done: make(chan error, 1)}
		state.long = long
		go func() { long.done <- vfs.Protect(func() error { return g.merge(ctx, chosen.sources) }) }()
		return true, nil
	}
	defer chosen.base.Release()
	if err = vfs.Protect(func() error { return g.merge(ctx, chosen.sources) }); err == nil {
		state.failed = 0
	}
	return isWorthAnother(ctx, chosen.sources, state.damaged, err), err
}

// endLong handles the outcome of a long merge, and reports whether another merge is
// worth trying.
func (g *Generation) endLong(ctx context.Context, state *mergeState, err error) (worth bool) {
	chosen := state.long.chosen
	defer chosen.base.Release()
	if state.long = nil; err == nil {
		state.failed = 0
	}
	g.logMerge(ctx, err)
	return isWorthAnother(ctx, chosen.sources, state.damaged, err)
}

// isWorthAnother reports whether another merge may succeed after one that returned
// err: either that one succeeded, or the segments that made it fail are known now.
func isWorthAnother(ctx context.Context, sources []*snapshot.Segment, damaged map[*segment.Reader]bool, err error) bool {
	return err == nil || errors.Is(err, vfs.ErrFault) && findDamaged(ctx, sources, damaged)
}

// mayMerge reports whether the generation can take the result of a merge.
func (g *Generation) mayMerge() bool { return g.Err() == nil && g.enoughSpace() == nil }

// chooseMerge returns the most useful merge that may begin now. The caller releases
// its snapshot.
func (g *Generation) chooseMerge(state *mergeState) (chosenMerge, bool) {
	if !g.mayMerge() {
		return chosenMerge{}, false
	}
	base := g.Snapshot()
	if base == nil {
		return chosenMerge{}, false
	}
	plan := planOf(base, state.damaged)
	if state.long != nil {
		for _, source := range state.long.chosen.sources {
			for i, s := range base.Segments {
				plan[i].Busy = plan[i].Busy || s.Reader == source.Reader
			}
		}
	}
	policy := g.options.mergePolicy()
	for _, merge := range chooseApart(base, plan, policy.Choose) {
		isLong := policy.IsLong(plan, merge)
		if isLong && (state.long != nil || !state.mayBegin) {
			continue
		}
		chosen := chosenMerge{base: base, isLong: isLong}
		for _, position := range merge {
			chosen.sources = append(chosen.sources, base.Segments[position])
		}
		return chosen, true
	}
	base.Release()
	return chosenMerge{}, false
}

// findDamaged adds the damaged segments among sources to damaged, and reports
// whether there are any.
func findDamaged(ctx context.Context, sources []*snapshot.Segment, damaged map[*segment.Reader]bool) bool {
	found := false
	for _, s := range sources {
		err := vfs.Protect(func() error { return s.Reader.Verify(ctx) })
		if errors.Is(err, vfs.ErrFault) {
			damaged[s.Reader], found = true, true
		}
	}
	return found
}

func planOf(view *snapshot.Snapshot, damaged map[*segment.Reader]bool) []mergeplan.Segment {
	plan := make([]mergeplan.Segment, len(view.Segments))
	for i, s := range view.Segments {
		plan[i] = mergeplan.Segment{Size: s.Reader.Size(), Docs: int(s.Reader.NumDocs()), Deleted: s.Deleted, Busy: damaged[s.Reader]}
	}
	return plan
}

// runsOf cuts the segments of a view into runs that can be merged: the vectors of a
// field have the same dimensions in all segments of a run. A definition update that
// leaves documents stale may change the dimensions.
func runsOf(view *snapshot.Snapshot) (runs []segmentRun) {
	from, dimensions := 0, make(map[string]int)
	for i, s := range view.Segments {
		if !agrees(s.Reader, dimensions) {
			runs = append(runs, segmentRun{from, i})
			from = i
			clear(dimensions)
		}
		for _, f := range s.Reader.Fields() {
			if f.Kind == segment.Vector {
				dimensions[f.Name] = f.Vectors.Dimensions
			}
		}
	}
	return append(runs, segmentRun{from, len(view.Segments)})
}

// segmentRun is the adjacent segments [from, to).
type segmentRun struct{ from, to int }

// agrees reports whether the vectors of a segment have the given dimensions. Fields
// without an entry agree.
func agrees(r *segment.Reader, dimensions map[string]int) bool {
	for _, f := range r.Fields() {
		if known, ok := dimensions[f.Name]; ok && f.Kind == segment.Vector && known != f.Vectors.Dimensions {
			return false
		}
	}
	return true
}

// chooseApart calls choose for each run of segments of a view and returns all merges.
func chooseApart(view *snapshot.Snapshot, plan []mergeplan.Segment, choose func([]mergeplan.Segment) []mergeplan.Merge) (all []mergeplan.Merge) {
	for _, run := range runsOf(view) {
		for _, merge := range choose(plan[run.from:run.to]) {
			for i := range merge {
				merge[i] += run.from
			}
			all = append(all, merge)
		}
	}
	return all
}

// merge writes one segment in place of several and exchanges them. The caller holds
// the sources.
func (g *Generation) merge(ctx context.Context, sources []*snapshot.Segment) error {
	return g.mergeUntil(ctx, ctx, sources)
}

// mergeUntil is merge, cancelled when working ends before the exchange. An exchange
// that has begun ends only with ctx: cut off, it would leave open which manifest
// the bucket holds.
func (g *Generation) mergeUntil(ctx, working context.Context, sources []*snapshot.Segment) error {
	inputs := make([]segment.MergeInput, len(sources))
	for i, s := range sources {
		inputs[i] = segment.MergeInput{Reader: s.Reader, Live: s.Live, First: s.First}
		for column, overlay := range s.Signals() {
			if overlay.Len() > 0 {
				if inputs[i].Overlays == nil {
					inputs[i].Overlays = make(map[string]map[segment.DocID]segment.OverlayValue)
				}
				inputs[i].Overlays[column] = overlay.Values()
			}
		}
	}
	name := g.newFileName(segmentSuffix)
	info, numbers, err := segment.Merge(working, g.fs, g.path(name), inputs)
	if err != nil {
		g.discardFile(name, err)
		return fmt.Errorf("merge %d segments: %w", len(sources), err)
	}
	g.merged.Add(info.Summary.Size)
	g.options.Metrics.SegmentWritten("merge", info.Summary.Size)
	var merged *change
	if info.Docs > 0 {
		reader, err := segment.Open(g.fs, g.path(name), trusted)
		if err != nil {
			g.removeFile(name)
			return fmt.Errorf("merge %d segments: %w", len(sources), err)
		}
		defer reader.Release()
		merged = &change{name: name, isNew: true, summary: info.Summary, from: snapshot.NewSegment(reader, nil, nil, nil)}
		merged.from.First = sources[0].First
	}
	discard, err := g.uploadMerged(working, merged)
	if err == nil && working.Err() != nil {
		discard()
		err = working.Err()
	}
	if err != nil {
		g.removeFile(name)
		return fmt.Errorf("merge %d segments: %w", len(sources), err)
	}
	began := time.Now()
	used, err := g.exchange(ctx, sources, numbers, merged)
	g.options.Metrics.Commit(string(ByMerges), err == nil, time.Since(began))
	if !used && g.Err() == nil {
		discard()
		g.removeFile(name)
	}
	return err
}

// uploadMerged uploads a merged segment, nil when nothing was live, to where other
// nodes read it. Commits go on meanwhile and wait only for the exchange. The
// returned function discards the uploaded file.
func (g *Generation) uploadMerged(ctx context.Context, merged *change) (discard func(), err error) {
	uploader, ok := g.storage.Publisher.(Uploader)
	if !ok || merged == nil {
		return func() {}, nil
	}
	file := manifest.File{Name: merged.name, Size: merged.summary.Size, CRC32C: merged.summary.CRC32C}
	if err := uploader.Upload(ctx, file); err != nil {
		return nil, err
	}
	return func() { uploader.Discard(file.Name) }, nil
}

var errSuperseded = errors.New("the segments of the merge are gone")

// exchange replaces the sources with the merged segment, nil when nothing was live,
// and reports whether the manifest names its file. Deletes and refreshed signals
// that came since the merge began are carried over.
func (g *Generation) exchange(ctx context.Context, sources []*snapshot.Segment, numbers segment.DocMap, merged *change) (used bool, err error) {
	g.publishing.Lock()
	defer g.publishing.Unlock()
	view := g.Snapshot()
	if view == nil {
		return false, errSuperseded
	}
	defer view.Release()
	replaced := make(map[string]bool)
	for i, source := range sources {
		now := findByFile(view, fileOf(source))
		if now == nil {
			// A commit emptied it: none of its documents is live any more.
			now = snapshot.NewSegment(source.Reader, bitset.New(source.Reader.NumDocs()), nil, source)
		}
		replaced[fileOf(source)] = true
		if merged != nil {
			carry(merged, source, now, numbers[i])
		}
	}
	var changes []*change
	placed := merged == nil
	for _, s := range view.Segments {
		if !replaced[fileOf(s)] {
			changes = append(changes, &change{name: fileOf(s), from: s})
			continue
		}
		if !placed {
			changes, placed = append(changes, merged), true
		}
	}
	next, segments, err := g.assemble(changes, view.Documents, nil, view.Sequence)
	if err != nil {
		return false, err
	}
	if err := g.publish(ctx, next); err != nil {
		for _, s := range segments {
			s.Reader.Release()
		}
		g.discardSide(next)
		return false, err
	}
	g.install(view.Sequence, segments, next)
	return merged != nil && next.File(merged.name) != nil, nil
}

// carry applies changes made to a source since the merge began to the merged
// segment.
func carry(merged *change, then, now *snapshot.Segment, numbers []segment.DocID) {
	parents := then.Reader.Parents()
	for doc := range then.Reader.NumDocs() {
		isParent := parents == nil || parents.Get(doc)
		if isParent && numbers[doc] != segment.NoDoc && !now.IsLive(doc) {
			merged.kill(numbers[doc])
		}
	}
	for column, overlay := range now.Signals() {
		before := then.Signal(column)
		if overlay == before {
			continue
		}
		overlay.Each(func(doc uint32, value int64, has bool) {
			if earlier, had, refreshed := before.Get(doc); refreshed && earlier == value && had == has {
				return
			}
			if numbers[doc] != segment.NoDoc {
				merged.overlay(column).Set(numbers[doc], value, has)
			}
		})
	}
}
