package search

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkRun measures whole searches over 200,000 small documents.
func BenchmarkRun(b *testing.B) {
	x := newIndex(b, `{"fields":{"id":{"type":"string","primaryKey":true},"name":{"type":"string","matching":{},"stored":true},
		"brand":{"type":"string","filter":{},"facet":{}},"tags":{"type":"string","multiple":true,"filter":{},"facet":{}},"price":{"type":"double","filter":{},"sort":{},"facet":{},"unit":"SEK"}}}`)
	r := rand.New(rand.NewPCG(1, 2))
	for range 4 {
		documents := make([]string, 50_000)
		for i := range documents {
			documents[i] = fmt.Sprintf(`{"id":"%d-%d","name":"word%d common%d thing","brand":"b%d","tags":["t%d","u%d"],"price":%d}`,
				len(x.segments), i, r.IntN(5000), r.IntN(20), r.IntN(500), r.IntN(40), r.IntN(40), r.IntN(1000))
		}
		x.add(b, documents, nil)
	}
	x.set(b, `{"fields":{"brand":{"interpret":{},"suggest":{}}}}`)
	for name, body := range map[string]string{
		"term":     `{"query":[{"type":"text","text":"word17","prefix":"off"}]}`,
		"user":     `{"query":[{"type":"text","text":"word17 thing","match":"user","prefix":"off"}]}`,
		"read":     `{"query":[{"type":"text","text":"b17 thing under 100","match":"user","prefix":"off"}]}`,
		"facets":   `{"limit":0,"query":[{"type":"text","text":"common3","prefix":"off"}],"facets":[{"field":"brand"},{"field":"tags"},{"field":"price","ranges":[{"to":100},{"from":100}]}]}`,
		"allfacet": `{"limit":0,"facets":[{"field":"brand"},{"field":"tags"}]}`,
		"sort":     `{"query":[{"type":"text","text":"common3","prefix":"off"}],"sort":[{"field":"price"}]}`,
	} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				x.mustSearch(b, body)
			}
		})
	}
}
