package api

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkStream sends documents over HTTP; its profile shows how much of the
// work is HTTP and JSON and how much indexing.
func BenchmarkStream(b *testing.B) {
	s := serveDocuments(b, `{"fields":{"id":{"type":"string","primaryKey":true},"repo":{"type":"string","filter":{},"facet":{}},
		"ts":{"type":"int64","filter":{},"sort":{}},"title":{"type":"string","matching":{}},"body":{"type":"string","matching":{}}}}`, Options{})
	var body strings.Builder
	const documents = 5000
	for i := range documents {
		fmt.Fprintf(&body, `{"id":"rust-%08d","repo":"rust","ts":%d,"title":"opt-dist: add a flag for running tests %d","body":"when using opt-dist local the user probably won't need to run tests, for various reasons. Currently the only way to disable them is to set a variable, which is not obvious."}`+"\n", i, 1744884082+i, i)
	}
	b.SetBytes(int64(body.Len()))
	for b.Loop() {
		if status, _, answer := ask(b, "POST", s.url, body.String(), "Content-Type", ndjsonType); status != 200 {
			b.Fatal(answer)
		}
	}
	b.ReportMetric(float64(documents)*float64(b.N)/b.Elapsed().Seconds(), "documents/s")
}
