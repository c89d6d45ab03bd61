package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/snapshot"
)

// merge replaces adjacent segments by one without their deleted documents.
func (x *index) merge(t *testing.T, from, to int, name string) {
	t.Helper()
	var inputs []segment.MergeInput
	for _, s := range x.segments[from:to] {
		inputs = append(inputs, segment.MergeInput{Reader: s.Reader, Live: s.Live, First: s.First})
	}
	info, _, err := segment.Merge(context.Background(), x.fs, name, inputs)
	if err != nil {
		t.Fatal(err)
	}
	var merged []*snapshot.Segment
	if info.Docs > 0 {
		reader, err := segment.Open(x.fs, name, blockfile.VerifyAll)
		if err != nil {
			t.Fatal(err)
		}
		merged = append(merged, snapshot.NewSegment(reader, nil, nil, nil))
		merged[0].First = x.segments[from].First
	}
	x.show(slices.Concat(x.segments[:from], merged, x.segments[to:]))
}

// delete deletes a document.
func (x *index) delete(t *testing.T, key string) {
	t.Helper()
	for i, s := range x.segments {
		doc, ok, err := s.Lookup(key)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			live := bitset.NewFull(s.Reader.NumDocs())
			if s.Live != nil {
				live = s.Live.Clone()
			}
			live.Clear(doc)
			segments := slices.Clone(x.segments)
			segments[i] = snapshot.NewSegment(s.Reader, live, nil, s)
			x.show(segments)
		}
	}
}

// show replaces the visible segments; earlier views keep theirs.
func (x *index) show(segments []*snapshot.Segment) {
	x.segments = nil
	for _, s := range segments {
		x.segments = append(x.segments, snapshot.NewSegment(s.Reader, s.Live, nil, s))
	}
	x.view = snapshot.New(x.view.Sequence+1, x.segments, nil)
}

// TestPagesAreStableWhileSegmentsAreMerged checks that pages of hits that all tie
// show every document once, forwards and backwards, while segments are merged, hits
// already seen are deleted and other documents are written between any two pages.
func TestPagesAreStableWhileSegmentsAreMerged(t *testing.T) {
	const orders = 4
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 11))
		x := newIndex(t, `{"fields":{"id":{"type":"string","role":"id"},"tag":{"type":"string","filter":{},"matching":{}},
			"n":{"type":"int32","sort":{}},"here":{"type":"geo_point","sort":{}}}}`)
		written := 0
		write := func(tag string, count int) (ids []string) {
			var documents []string
			for range count {
				id := fmt.Sprintf("d%04d", random.IntN(10)*1000+written)
				written++
				ids = append(ids, id)
				documents = append(documents, fmt.Sprintf(`{"id":%q,"tag":%q,"n":%d,"here":{"lat":%d,"lon":0}}`, id, tag, random.IntN(3), random.IntN(2)))
			}
			x.add(t, documents, nil)
			return ids
		}
		var wanted, others []string
		for range 6 {
			wanted = append(wanted, write("red", 1+random.IntN(9))...)
			others = append(others, write("blue", 1+random.IntN(4))...)
		}
		merges := 0
		disturb := func(seen []string) {
			switch random.IntN(4) {
			case 0:
				others = append(others, write("blue", 1+random.IntN(3))...)
			case 1:
				if len(others) > 0 {
					i := random.IntN(len(others))
					x.delete(t, others[i])
					others = slices.Delete(others, i, i+1)
				}
			case 2:
				if len(seen) > 0 {
					x.delete(t, seen[len(seen)-1])
				}
			default:
				from := random.IntN(len(x.segments))
				merges++
				x.merge(t, from, min(len(x.segments), from+1+random.IntN(4)), fmt.Sprint("merged-", merges))
			}
		}
		filter := `"filters":[{"field":"tag","match":{"value":"red"}}]`
		order := []string{
			`"sort":[{"field":"n"}],` + filter,
			`"sort":[{"field":"n","order":"desc"}],` + filter,
			`"sort":[{"type":"distance","field":"here","lat":0,"lon":0}],` + filter,
			filter,
		}[seed%orders]
		// The initial order is the order of all pages.
		var want []string
		for _, h := range x.mustSearch(t, `{"limit":500,`+order+`}`).Hits {
			want = append(want, h.ID)
		}
		if len(want) != len(wanted) {
			t.Fatalf("%d hits, want %d", len(want), len(wanted))
		}
		limit := 1 + random.IntN(4)
		var got []string
		page := x.mustSearch(t, fmt.Sprintf(`{"limit":%d,%s}`, limit, order))
		for {
			for _, h := range page.Hits {
				got = append(got, h.ID)
			}
			if page.Page.Next == "" {
				break
			}
			for range random.IntN(4) {
				disturb(got)
			}
			page = x.mustSearch(t, fmt.Sprintf(`{"limit":%d,"after":%q,%s}`, limit, page.Page.Next, order))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d forwards:\n%v, want\n%v", seed, got, want)
		}
		// Page back from the end, over the remaining documents.
		want = want[:0]
		for _, h := range x.mustSearch(t, `{"limit":500,`+order+`}`).Hits {
			want = append(want, h.ID)
		}
		if len(want) == 0 {
			continue
		}
		got = nil
		page = x.mustSearch(t, fmt.Sprintf(`{"limit":%d,"offset":%d,%s}`, limit, len(want)-1, order))
		cursor := page.Page.Previous
		seen := []string{want[len(want)-1]}
		for cursor != "" {
			for range random.IntN(4) {
				disturb(seen)
			}
			page = x.mustSearch(t, fmt.Sprintf(`{"limit":%d,"before":%q,%s}`, limit, cursor, order))
			var ids []string
			for _, h := range page.Hits {
				ids = append(ids, h.ID)
			}
			got = append(ids, got...)
			seen = seen[:0]
			if len(ids) > 0 {
				seen = append(seen, ids[0])
			}
			cursor = page.Page.Previous
		}
		if !slices.Equal(got, want[:len(want)-1]) {
			t.Fatalf("seed %d backwards:\n%v, want\n%v", seed, got, want[:len(want)-1])
		}
	}
}
