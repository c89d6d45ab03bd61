package engine

import (
	"fmt"
	"slices"

	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/problem"
)

// A segment that is found damaged while it is open stays open, and reads of its
// damaged parts fail. If another copy of its file exists, the caller fetches it under
// the same name, and Reopen shows it.

// Damaged returns the files of the segments in which damage was found since they
// were opened.
func (g *Generation) Damaged() []string {
	view := g.Snapshot()
	if view == nil {
		return nil
	}
	defer view.Release()
	var files []string
	for _, s := range view.Segments {
		if s.Reader.IsDamaged() {
			files = append(files, fileOf(s))
		}
	}
	return files
}

// Reopen opens segments again: those of the given files, which were replaced, and
// those that were found damaged. Their documents and deletes stay the same. Given
// files that the manifest no longer names are removed. On an error the view does
// not change.
func (g *Generation) Reopen(files []string) error {
	g.publishing.Lock()
	defer g.publishing.Unlock()
	view := g.Snapshot()
	if view == nil {
		return problem.IndexClosed.New()
	}
	defer view.Release()
	segments := make([]*snapshot.Segment, 0, len(view.Segments))
	for _, s := range view.Segments {
		next, err := g.reopened(s, slices.Contains(files, fileOf(s)))
		if err != nil {
			for _, s := range segments {
				s.Reader.Release()
			}
			return fmt.Errorf("reopen: %w", err)
		}
		segments = append(segments, next)
	}
	m := g.Manifest()
	g.install(view.Sequence, segments, m)
	for _, file := range files {
		if m.File(file) == nil {
			g.removeFile(file)
		}
	}
	g.merging.wake()
	g.verifying.wake()
	return nil
}

// reopened returns a segment for the next view, opened from its file if that was
// replaced or the segment is damaged.
func (g *Generation) reopened(s *snapshot.Segment, isReplaced bool) (*snapshot.Segment, error) {
	if !isReplaced && !s.Reader.IsDamaged() {
		if !s.Reader.Retain() {
			return nil, fmt.Errorf("segment %s is closed", s.Reader.Name())
		}
		return s.Next(nil, s.Signals()), nil
	}
	reader, err := segment.Open(g.fs, g.path(fileOf(s)), blockfile.VerifyUsed)
	if err != nil {
		return nil, err
	}
	if reader.Size() != s.Reader.Size() || reader.NumDocs() != s.Reader.NumDocs() || reader.NumRoots() != s.Reader.NumRoots() {
		reader.Release()
		return nil, blockfile.Corrupt(reader.Name(), 0, "%d documents in %d bytes, there were %d in %d",
			reader.NumDocs(), reader.Size(), s.Reader.NumDocs(), s.Reader.Size())
	}
	reader.WhenDamaged(g.options.Damaged)
	live := s.Live
	if live != nil {
		live = live.Clone() // a view of another reader does not share it
	}
	next := snapshot.NewSegment(reader, live, s.Signals(), nil)
	next.First = s.First
	return next, nil
}
