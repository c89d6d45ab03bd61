package search

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/indexing"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
	"github.com/quiresearch/quire/settings"
)

// index is a generation without an engine: documents in segments of memory.
type index struct {
	searcher *Searcher
	schema   *definition.Schema
	chains   *analysis.Chains
	settings *settings.Settings
	segments []*snapshot.Segment
	view     *snapshot.Snapshot
	fs       vfs.FS
	files    int // number of files written
}

func newIndex(t testing.TB, definitionJSON string) *index {
	t.Helper()
	d, err := definition.Parse([]byte(definitionJSON), definition.Capabilities{})
	if err != nil {
		t.Fatal(err)
	}
	clock := time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC)
	return &index{
		searcher: New(collect.NewRunner(collect.Options{}, nil), nil, Options{
			FacetCacheSize: 1 << 20, Now: func() time.Time { return clock },
		}),
		schema: definition.NewSchema(d), chains: analysis.NewChains(analysis.NewBuilder(analysis.Options{})), fs: vfs.Memory(),
	}
}

// add writes documents as one segment and makes them visible. Documents for whose
// position drop returns true are deleted.
func (x *index) add(t testing.TB, documents []string, drop func(i int) bool) {
	t.Helper()
	reader := document.NewReader(x.schema)
	builder := segment.NewBuilder()
	indexer := indexing.NewIndexer(x.chains)
	type block struct{ from, to uint32 }
	var deleted []block
	for i, text := range documents {
		raw, err := jsonread.Check([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var found problem.List
		d := reader.Read(raw, problem.Path{}, &found)
		if d == nil {
			t.Fatalf("%s: %v", text, found.Err())
		}
		from := builder.Docs()
		if _, err := indexer.Add(builder, d); err != nil {
			t.Fatal(err)
		}
		if drop != nil && drop(i) {
			deleted = append(deleted, block{from, builder.Docs()})
		}
	}
	x.files++
	name := fmt.Sprintf("segment-%d", x.files)
	if _, err := builder.Finish(x.fs, name); err != nil {
		t.Fatal(err)
	}
	opened, err := segment.Open(x.fs, name, blockfile.VerifyAll)
	if err != nil {
		t.Fatal(err)
	}
	var live *bitset.Bitset
	if len(deleted) > 0 {
		live = bitset.NewFull(opened.NumDocs())
		for _, b := range deleted {
			for doc := b.from; doc < b.to; doc++ {
				live.Clear(doc)
			}
		}
	}
	x.segments = append(x.segments, snapshot.NewSegment(opened, live, nil, nil))
	x.view = snapshot.New(1, x.segments, nil)
}

func (x *index) snapshot() View {
	if x.view == nil {
		x.view = snapshot.New(1, nil, nil)
	}
	return View{Snapshot: x.view, Schema: x.schema, Settings: x.settings, Chains: x.chains, Generation: "1"}
}

func (x *index) set(t testing.TB, body string) {
	t.Helper()
	s, err := settings.Decode([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(x.schema); err != nil {
		t.Fatal(err)
	}
	x.settings = s
}

// search runs a request and returns its answer or its problems.
func (x *index) search(body string) (*query.Answer, error) {
	request, err := query.DecodeSearch([]byte(body), query.DefaultLimits())
	if err != nil {
		return nil, err
	}
	return x.searcher.Run(context.Background(), x.snapshot(), request)
}

func (x *index) mustSearch(t testing.TB, body string) *query.Answer {
	t.Helper()
	answer, err := x.search(body)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return answer
}
