package engine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/vfs"
)

// BenchmarkWildcardNames measures what 10,000 names of a wildcard field cost:
// memory of the documents that introduce them, the commit, memory of the open
// index, opening it and merging two segments that hold them all.
func BenchmarkWildcardNames(b *testing.B) {
	for _, usage := range []struct{ name, field, value string }{
		{"number", `{"type":"int32","filter":{}}`, `%d`},
		{"string", `{"type":"string","filter":{},"facet":{},"sort":{}}`, `"value %d"`},
		{"text", `{"type":"string","matching":{},"filter":{}}`, `"some words about value %d"`},
	} {
		for _, documents := range []int{100, 10_000} {
			b.Run(fmt.Sprint(usage.name, documents), func(b *testing.B) {
				for b.Loop() {
					loadNames(b, usage.field, usage.value, documents)
				}
			})
		}
	}
}

// loadNames commits documents that hold every name ten times, twice, and merges
// both segments.
func loadNames(b *testing.B, field, value string, documents int) {
	fs := vfs.OS(b.TempDir())
	create(b, fs, `{"fields":{"id":{"type":"string","primaryKey":true},"attr":{"type":"object","fields":{"*":`+field+`}}}}`)
	g := open(b, fs, manual)
	each := 10 * MaxWildcardNames / documents
	fill := func(round int) {
		s := g.WriteStream()
		for i := range documents {
			var names []string
			for j := range each {
				names = append(names, fmt.Sprintf(`"n%d":`+value, (i*each+j)%MaxWildcardNames, j%7))
			}
			if err := add(s, fmt.Sprintf(`{"id":"%d-%d","attr":{%s}}`, round, i, strings.Join(names, ","))); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := s.Wait(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	timed := func(what string, do func()) {
		began := time.Now()
		do()
		b.ReportMetric(float64(time.Since(began).Milliseconds()), what+"-ms")
	}
	commit := func() {
		if _, err := g.Commit(b.Context(), Explicit); err != nil {
			b.Fatal(err)
		}
	}
	before := inUse()
	fill(0)
	b.ReportMetric(float64(inUse()-before)/MaxWildcardNames, "built-B/name")
	timed("commit", commit)
	b.ReportMetric(float64(inUse()-before)/MaxWildcardNames, "held-B/name")
	if err := g.Close(b.Context()); err != nil {
		b.Fatal(err)
	}
	g = nil
	before = inUse()
	timed("open", func() { g = open(b, fs, manual) })
	b.ReportMetric(float64(inUse()-before)/MaxWildcardNames, "opened-B/name")
	fill(1)
	commit()
	timed("merge", func() {
		if err := g.MergeAll(b.Context()); err != nil {
			b.Fatal(err)
		}
	})
	b.ReportMetric(float64(inUse()-before)/MaxWildcardNames, "merged-B/name")
	if err := g.Close(b.Context()); err != nil {
		b.Fatal(err)
	}
}
