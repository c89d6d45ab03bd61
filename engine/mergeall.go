package engine

import (
	"context"
	"errors"

	"github.com/quiresearch/quire/internal/snapshot"
)

// MergeAll merges the committed segments into one, or into as few as can be merged
// with each other. It is for an index that is written once and then searched; the
// background merges keep every other index in shape. Writes and searches continue
// meanwhile.
func (g *Generation) MergeAll(ctx context.Context) error {
	for {
		base := g.Snapshot()
		if base == nil {
			return errors.New("the generation is closed")
		}
		sources := notMerged(base)
		if sources == nil {
			base.Release()
			return nil
		}
		err := g.merge(ctx, sources)
		base.Release()
		// A background merge may have taken some of the segments: start over with
		// what it left.
		if err != nil && !errors.Is(err, errSuperseded) {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// notMerged returns segments that can be merged into one, or nil if there are none.
func notMerged(s *snapshot.Snapshot) []*snapshot.Segment {
	for _, run := range runsOf(s) {
		if segments := s.Segments[run.from:run.to]; len(segments) > 1 || len(segments) == 1 && segments[0].Live != nil {
			return segments
		}
	}
	return nil
}
