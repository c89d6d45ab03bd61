package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/quiresearch/quire/query"
)

// BenchmarkSuggest completes values of two fields with 65,000 values in total over
// 200,000 documents, and lists the values of one as a facet.
func BenchmarkSuggest(b *testing.B) {
	x := newIndex(b, `{"fields":{"id":{"type":"string","primaryKey":true},"name":{"type":"string","matching":{}},"brand":{"type":"string","filter":{},"facet":{}},
		"author":{"type":"string","filter":{},"facet":{}},"year":{"type":"int32","filter":{}}}}`)
	r := rand.New(rand.NewPCG(1, 2))
	for range 4 {
		documents := make([]string, 50_000)
		for i := range documents {
			documents[i] = fmt.Sprintf(`{"id":"%d-%d","name":"thing%d","brand":"Brand %d","author":"u%d","year":%d}`,
				len(x.segments), i, i%100, r.IntN(20_000), r.IntN(45_000), 1990+r.IntN(30))
		}
		x.add(b, documents, nil)
	}
	x.set(b, `{"fields":{"brand":{"suggest":{}},"author":{"suggest":{}}}}`)
	for _, c := range []struct{ name, body string }{
		{"blank", `{}`}, {"letter", `{"text":"u"}`}, {"prefix", `{"text":"brand 12"}`}, {"typo", `{"text":"brnad 12"}`},
		{"filtered", `{"text":"brand 12","filters":[{"field":"year","match":{"value":2001}}]}`},
	} {
		request, err := query.DecodeSuggest([]byte(c.body), query.DefaultLimits())
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if _, err := x.searcher.Suggest(context.Background(), x.snapshot(), request); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	for _, c := range []struct{ name, body string }{
		{"values", `{}`}, {"values of a letter", `{"prefix":"u"}`},
		{"values of a query", `{"prefix":"u1","query":[{"type":"text","text":"thing7","prefix":"off"}]}`},
	} {
		request, err := query.DecodeFacetValues([]byte(c.body), query.DefaultLimits())
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if _, err := x.searcher.FacetValues(context.Background(), x.snapshot(), "author", request); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
