package engine

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/internal/vfs"
)

// Reopened segments show the same documents, deletes and signals; an earlier view
// does not change.
func TestReopenShowsTheSameDocuments(t *testing.T) {
	files, want := stored(t)
	fs := restore(t, files)
	g := open(t, fs, manual)
	before := g.Snapshot()
	defer before.Release()
	var names []string
	for _, file := range g.Manifest().Files {
		names = append(names, file.Name)
	}
	if err := g.Reopen(names); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, mustDocuments(t, g)); diff != "" {
		t.Errorf("reopened: %s", diff)
	}
	old, err := documents(g, before)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, old); diff != "" {
		t.Errorf("a view from before: %s", diff)
	}
	after := g.Snapshot()
	defer after.Release()
	for _, s := range after.Segments {
		if slices.ContainsFunc(before.Segments, func(b *snapshot.Segment) bool { return b.Reader == s.Reader }) {
			t.Errorf("%s was not opened anew", s.Reader.Name())
		}
		if earlier := findByFile(before, fileOf(s)); earlier.First != s.First {
			t.Errorf("%s stands at %d, before at %d", s.Reader.Name(), s.First, earlier.First)
		}
	}
	mustAdd(t, g, `{"id":"e","title":"later"}`)
	mustCommit(t, g)
	if got := len(mustDocuments(t, g)); got != len(want)+1 {
		t.Errorf("%d documents after a commit, want %d", got, len(want)+1)
	}
}

// A merge that began before a segment was reopened still replaces it.
func TestReopenDuringAMerge(t *testing.T) {
	fs := vfs.Memory()
	create(t, fs, books)
	g := open(t, fs, manual)
	for _, text := range []string{`{"id":"a","title":"one"}`, `{"id":"b","title":"two"}`} {
		mustAdd(t, g, text)
		mustCommit(t, g)
	}
	want := mustDocuments(t, g)
	view := g.Snapshot()
	defer view.Release()
	if err := g.Reopen([]string{fileOf(view.Segments[0])}); err != nil {
		t.Fatal(err)
	}
	if err := g.merge(t.Context(), view.Segments); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, mustDocuments(t, g)); diff != "" {
		t.Error(diff)
	}
	merged := g.Snapshot()
	defer merged.Release()
	if len(merged.Segments) != 1 {
		t.Errorf("%d segments after the merge", len(merged.Segments))
	}
}
