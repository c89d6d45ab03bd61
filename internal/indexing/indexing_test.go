package indexing

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/segment/postings"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

const shop = `{"localeFallback":{},"fields":{
	"id":{"type":"string","role":"id"},
	"name":{"type":"string","sort":{},"matching":{"analyzer":{"preset":"preserve_terms"},"exact":{}},"autocomplete":{},"locales":{"locales":["sv"]}},
	"tags":{"type":"string","multiple":true,"filter":{},"facet":{},"matching":{"analyzer":{"preset":"preserve_terms"}}},
	"path":{"type":"string","role":"path"},
	"price":{"type":"double","filter":{},"facet":{},"sort":{}},
	"at":{"type":"timestamp","filter":{},"sort":{}},
	"flag":{"type":"boolean","filter":{},"facet":{},"sort":{}},
	"where":{"type":"geo_point","filter":{},"sort":{}},
	"v":{"type":"vector","dimensions":2},
	"idle":{"type":"string"},
	"pop":{"type":"int64","signal":{}},
	"variants":{"type":"object","multiple":true,"mode":"nested","fields":{"sku":{"type":"string","filter":{}},"price":{"type":"int32","filter":{}}}},
	"parts":{"type":"object","multiple":true,"mode":"flattened","fields":{"no":{"type":"int32","filter":{}}}}}}`

// build indexes documents and opens the resulting segment.
func build(t testing.TB, body string, documents ...string) (*definition.Schema, *segment.Reader) {
	t.Helper()
	analyser := analysis.NewBuilder(analysis.Options{})
	d, err := definition.Parse([]byte(body), analyser.Capabilities())
	if err != nil {
		t.Fatal(err)
	}
	schema := definition.NewSchema(d)
	reader, indexer, builder := document.NewReader(schema), NewIndexer(analysis.NewChains(analyser)), segment.NewBuilder()
	for _, text := range documents {
		var found problem.List
		doc := reader.Read([]byte(text), problem.Path{}, &found)
		if doc == nil {
			t.Fatal(found.Err())
		}
		if _, err := indexer.Add(builder, doc); err != nil {
			t.Fatal(err)
		}
		doc.Release()
	}
	fs := vfs.Memory()
	if _, err := builder.Finish(fs, "segment"); err != nil {
		t.Fatal(err)
	}
	r, err := segment.Open(fs, "segment", blockfile.VerifyAll)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Release() })
	return schema, r
}

// terms lists the terms of a structure with their documents.
func terms(t testing.TB, r *segment.Reader, name string) string {
	t.Helper()
	field := r.Terms(name)
	if field == nil {
		return ""
	}
	var parts []string
	var it postings.Iterator
	for ord := range field.Stats().Terms {
		field.Iterator(&it, field.At(ord))
		var docs []string
		for it.NextBlock() {
			for _, doc := range it.Docs() {
				docs = append(docs, fmt.Sprint(doc))
			}
		}
		parts = append(parts, string(field.Term(ord))+":"+strings.Join(docs, ","))
	}
	return strings.Join(parts, " ")
}

func TestEveryUsageIsWrittenByItsName(t *testing.T) {
	schema, r := build(t, shop,
		`{"id":"A","name":"Red Shoe","tags":["New","red hot"],"path":"Men/Shoes","price":2.5,"at":"1970-01-01T00:00:01Z","flag":true,"where":{"lat":1,"lon":2},
		  "v":[3,4],"idle":"x","pop":7,"variants":[{"sku":"S1","price":1},{"sku":"S2"}],"parts":[{"no":4},{"no":5}]}`,
		`{"id":"B","name":{"sv":"Åsna"},"tags":"old"}`)
	if r.NumDocs() != 4 || r.NumRoots() != 2 {
		t.Fatalf("%d documents, %d roots", r.NumDocs(), r.NumRoots())
	}
	for _, c := range []struct{ name, want string }{
		{layout.Key, "A:2 B:3"},
		{layout.Lists, "variants:0,1"},
		{layout.Filter("id", ""), "a:2 b:3"},
		{layout.Filter("tags", ""), "new:2 old:3 red hot:2"},
		{layout.Filter("flag", ""), "1:2"},
		{layout.Filter("variants.sku", ""), "s1:0 s2:1"},
		{layout.Matching("name", "en"), "red:2 shoe:2"},
		{layout.Matching("name", "sv"), "red:2 shoe:2 åsna:3"},
		{layout.Exact("name", "en"), "red shoe:2"},
		{layout.Autocomplete("name", "en"), "r:2 re:2 red:2 s:2 sh:2 sho:2 shoe:2"},
		{layout.Hierarchy("path", ""), "men:2 men/shoes:2"},
		{layout.Matching("idle", ""), ""},
	} {
		if got := terms(t, r, c.name); got != c.want {
			t.Errorf("%q: %s, want %s", c.name, got, c.want)
		}
	}
	exists := strings.Fields(strings.ReplaceAll(terms(t, r, layout.Exists), "\x00", "/"))
	sort.Strings(exists)
	if got := strings.Join(exists, " "); got != "at/:2 flag/:2 id/:2,3 name/en:2 name/sv:2,3 parts.no/:2 path/:2 price/:2 tags/:2,3 v/:2 variants.price/:0 variants.sku/:0,1 where/:2" {
		t.Errorf("exists: %s", got)
	}
	number := func(name string, doc uint32) string {
		column := r.Numbers(name)
		if column == nil {
			return "no column"
		}
		value, ok := column.Get(doc)
		return fmt.Sprint(value, ok)
	}
	for _, c := range []struct {
		name string
		doc  uint32
		want string
	}{
		{layout.ListPosition, 1, "1 true"}, {layout.Filter("price", ""), 2, fmt.Sprint(layout.Float(2.5), true)}, {layout.Filter("at", ""), 2, "1000 true"},
		{layout.Sort("flag", ""), 2, "1 true"}, {layout.Signal("pop"), 2, "7 true"}, {layout.Filter("variants.price", ""), 0, "1 true"}, {layout.Filter("variants.price", ""), 1, "0 false"},
	} {
		if got := number(c.name, c.doc); got != c.want {
			t.Errorf("%q of %d: %s, want %s", c.name, c.doc, got, c.want)
		}
	}
	data, err := r.Stored().Get(nil, 2)
	if err != nil {
		t.Fatal(err)
	}
	record, err := document.OpenRecord(data)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(document.Only(schema, []string{"price"}, "").Append(nil, record, nil)); got != `{"id":"A","price":2.5}` {
		t.Errorf("stored %s", got)
	}
}

func TestValuesOfAFieldStandApart(t *testing.T) {
	_, r := build(t, shop, `{"id":"A","tags":["one two","three"]}`)
	field := r.Terms(layout.Matching("tags", ""))
	ord, ok := field.Search([]byte("three"))
	if !ok {
		t.Fatal("no term")
	}
	var it postings.Iterator
	field.Iterator(&it, field.At(ord))
	if !it.NextBlock() {
		t.Fatal("no documents")
	}
	if got := it.AppendPositions(nil, 0); len(got) != 1 || got[0] != 2+layout.PositionGap {
		t.Errorf("positions %v", got)
	}
}

func BenchmarkAdd(b *testing.B) {
	analyser := analysis.NewBuilder(analysis.Options{})
	d, err := definition.Parse([]byte(shop), analyser.Capabilities())
	if err != nil {
		b.Fatal(err)
	}
	schema := definition.NewSchema(d)
	reader, indexer, builder := document.NewReader(schema), NewIndexer(analysis.NewChains(analyser)), segment.NewBuilder()
	text := []byte(`{"id":"A1","name":"Red running shoe for wet trails","tags":["New","red hot"],"path":"Men/Shoes","price":2.5,"at":"2024-01-01T00:00:01Z","flag":true,"idle":"x"}`)
	b.ReportAllocs()
	for b.Loop() {
		var found problem.List
		doc := reader.Read(text, problem.Path{}, &found)
		if builder.Docs() > 50_000 {
			builder = segment.NewBuilder()
		}
		if _, err := indexer.Add(builder, doc); err != nil {
			b.Fatal(err)
		}
		doc.Release()
	}
}

func TestOneColumnFiltersFacetsAndOrders(t *testing.T) {
	schema, r := build(t, `{"fields":{"id":{"type":"string","role":"id"},
		"both":{"type":"int32","filter":{},"sort":{}},"ordered":{"type":"int32","sort":{}},
		"shown":{"type":"string","facet":{},"sort":{"collation":"binary"}},"collated":{"type":"string","facet":{},"sort":{}}}}`,
		`{"id":"A","both":1,"ordered":2,"shown":"b","collated":"c"}`)
	for _, path := range []string{"both", "ordered"} {
		field, _ := schema.Resolve(path)
		column := r.Numbers(layout.Order(field, ""))
		if column == nil || r.Numbers(layout.Sort(path, "")) != nil {
			t.Fatalf("%s is not ordered by the column of its filter", path)
		}
		if n, ok := column.Get(0); !ok || n == 0 {
			t.Errorf("%s: %d %v", path, n, ok)
		}
	}
	if r.NumberPoints(layout.Filter("ordered", "")) != nil {
		t.Error("a field without filter has points")
	}
	if r.Ordinals(layout.SortKey("shown", "")) != nil || r.Ordinals(layout.Facet("shown", "")) == nil {
		t.Error("values in byte order are kept twice")
	}
	if r.Ordinals(layout.SortKey("collated", "")) == nil || r.Ordinals(layout.Facet("collated", "")) == nil {
		t.Error("collation keys are missing")
	}
}
