package engine

import (
	"context"
	"errors"

	"github.com/quiresearch/quire/internal/snapshot"
)

// MergeAll merges the committed segments into one. It is for an index that is
// written once and then searched; the background merges keep every other index in
// shape. Writes and searches continue meanwhile.
func (g *Generation) MergeAll(ctx context.Context) error {
	for {
		base := g.Snapshot()
		if base == nil {
			return errors.New("the generation is closed")
		}
		if isMerged(base) {
			base.Release()
			return nil
		}
		err := g.merge(ctx, base.Segments)
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

func isMerged(s *snapshot.Snapshot) bool {
	return len(s.Segments) == 0 || len(s.Segments) == 1 && s.Segments[0].Live == nil
}
