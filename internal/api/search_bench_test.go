package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/query"
)

// BenchmarkSearch measures a search for one term: in process, as a handler and
// over a connection, to show the cost of HTTP.
func BenchmarkSearch(b *testing.B) {
	s := serveDocuments(b, `{"fields":{"id":{"type":"string","primaryKey":true},"name":{"type":"string","matching":{},"stored":true},
		"brand":{"type":"string","filter":{},"facet":{}},"price":{"type":"double","filter":{},"sort":{}}}}`, Options{})
	var documents strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&documents, `{"id":"%d","name":"word%d common%d thing","brand":"b%d","price":%d}`+"\n", i, i%5000, i%20, i%500, i%1000)
	}
	if status, _, answer := ask(b, "POST", s.url, documents.String(), "Content-Type", ndjsonType); status != 200 {
		b.Fatal(answer)
	}
	if status, _, answer := ask(b, "POST", s.admin+"/actions/commit", "{}"); status != 200 {
		b.Fatal(answer)
	}
	body := `{"query":[{"type":"text","text":"word17","prefix":"off"}]}`
	url := strings.TrimSuffix(s.url, "documents") + "search"
	b.Run("process", func(b *testing.B) {
		b.ReportAllocs()
		name, _ := registry.ParseName("shop")
		for b.Loop() {
			request, err := query.DecodeSearch([]byte(body), query.DefaultLimits())
			if err != nil {
				b.Fatal(err)
			}
			index, err := s.api.node.Read(b.Context(), name, freshness.Token{}, nil)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := s.api.searcher.Run(b.Context(), index.View(), request); err != nil {
				b.Fatal(err)
			}
			index.Close()
		}
	})
	b.Run("handler", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			request := httptest.NewRequest("POST", "/v1alpha1/indexes/shop/search", strings.NewReader(body))
			request.Header.Set("Authorization", "Bearer "+rootKey)
			answer := httptest.NewRecorder()
			s.api.ServeHTTP(answer, request)
			if answer.Code != http.StatusOK {
				b.Fatal(answer.Body)
			}
		}
	})
	b.Run("connection", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if status, _, answer := ask(b, "POST", url, body); status != 200 {
				b.Fatal(answer)
			}
		}
	})
}
