package search

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// unverified returns a view of the first segment of an index as a node sees it
// right after startup.
func (x *index) unverified(t *testing.T, released func()) View {
	t.Helper()
	view := x.snapshot()
	reader, err := segment.Open(x.fs, view.Snapshot.Segments[0].Reader.Name(), blockfile.VerifyUsed)
	if err != nil {
		t.Fatal(err)
	}
	view.Snapshot = snapshot.New(1, []*snapshot.Segment{snapshot.NewSegment(reader, nil, nil, nil)}, func(*snapshot.Snapshot) { released() })
	return view
}

func TestUnverifiedSnapshotAnswersTheSame(t *testing.T) {
	x := newIndex(t, randomDefinition)
	x.add(t, []string{`{"id":"1","name":"red","tags":["a"]}`, `{"id":"2","name":"red one","tags":["b"]}`}, nil)
	request, err := query.DecodeSearch([]byte(`{"query":[{"type":"text","text":"red"}],"facets":[{"field":"tags"}]}`), query.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	want, err := x.searcher.Run(context.Background(), x.snapshot(), request)
	if err != nil {
		t.Fatal(err)
	}
	isReleased := false
	view := x.unverified(t, func() { isReleased = true })
	got, err := x.searcher.Run(context.Background(), view, request)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want.AppendJSON(nil)), string(got.AppendJSON(nil))); diff != "" {
		t.Error(diff)
	}
	if view.Snapshot.IsVerified() || isReleased {
		t.Error("the snapshot is verified or gone")
	}
}

// TestSearchOfAnUnverifiedSnapshotEndsOnTime checks that a search that has to wait
// for the verification of a part ends on time, and that it releases its seat and
// its snapshot when the work ends.
func TestSearchOfAnUnverifiedSnapshotEndsOnTime(t *testing.T) {
	x := newIndex(t, randomDefinition)
	x.add(t, []string{`{"id":"1","name":"red","tags":["a"]}`}, nil)
	synctest.Test(t, func(t *testing.T) {
		x.searcher.gate = newGate(1)
		isReleased := false
		view := x.unverified(t, func() { isReleased = true })
		verified := make(chan struct{})
		began := time.Now()
		_, _, err := serve(t.Context(), x.searcher, time.Second, view, &query.Search{}, func(*execution, context.Context) (int, error) {
			<-verified
			return 1, nil
		})
		if !errors.Is(err, problem.SearchTimeout) || time.Since(began) != time.Second {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		view.Snapshot.Release()
		if _, _, err := x.searcher.enter(t.Context(), time.Second); !errors.Is(err, problem.SearchTimeout) || isReleased {
			t.Errorf("its turn was given away while it works: %v", err)
		}
		close(verified)
		synctest.Wait()
		_, done, err := x.searcher.enter(t.Context(), time.Second)
		if err != nil || !isReleased {
			t.Errorf("after it ended: %v", err)
		}
		done()
	})
}
