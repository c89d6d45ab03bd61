package engine

import (
	"fmt"
	"testing"

	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/vfs"
)

// Segments from before an update that changed the dimensions of a vector and left
// documents stale cannot be merged with segments from after it. The segments on either
// side are still merged with each other.
func TestSegmentsWithOtherDimensionsAreMergedApart(t *testing.T) {
	definitionOf := func(dimensions int) string {
		return fmt.Sprintf(`{"fields":{"id":{"type":"string","primaryKey":true},"v":{"type":"vector","dimensions":%d}}}`, dimensions)
	}
	fs := vfs.Memory()
	create(t, fs, definitionOf(2))
	g := open(t, fs, manual)
	for i := range 2 {
		mustAdd(t, g, fmt.Sprintf(`{"id":"a%d","v":[1,2]}`, i))
		mustCommit(t, g)
	}
	if err := g.SetDefinition(t.Context(), parse(t, definitionOf(3))); err != nil {
		t.Fatal(err)
	}
	const written = 25
	for i := range written {
		mustAdd(t, g, fmt.Sprintf(`{"id":"b%d","v":[1,2,3]}`, i))
		mustCommit(t, g)
	}
	count := func() int {
		view := g.Snapshot()
		defer view.Release()
		return len(view.Segments)
	}
	damaged := make(map[*segment.Reader]bool)
	for worth := true; worth; {
		var err error
		if worth, err = mergeNow(g, damaged); err != nil {
			t.Fatal(err)
		}
	}
	if got := count(); got > 12 {
		t.Errorf("%d segments after the merges", got)
	}
	if err := g.settle(t.Context(), damaged, 1<<30); err != nil {
		t.Error(err)
	}
	if err := g.MergeAll(t.Context()); err != nil {
		t.Error(err)
	}
	if got := count(); got != 2 {
		t.Errorf("%d segments are left, want one of each kind", got)
	}
	if got := mustDocuments(t, g); len(got) != written+2 {
		t.Errorf("%d documents", len(got))
	}
}
