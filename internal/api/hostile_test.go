package api

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/search"
	"github.com/quiresearch/quire/internal/search/collect"
)

// hostileDocuments is the number of documents that hostile searches run on.
const hostileDocuments = 6000

// hostile returns searches designed to be expensive.
func hostile() map[string]string {
	r := rand.New(rand.NewPCG(3, 4))
	word := func() string {
		letters := make([]byte, 5+r.IntN(8))
		for i := range letters {
			letters[i] = byte('a' + r.IntN(26))
		}
		return string(letters)
	}
	words := func(n int) string {
		all := make([]string, n)
		for i := range all {
			all[i] = word()
		}
		return strings.Join(all, " ")
	}
	list := func(n int, entry func(i int) string) string {
		all := make([]string, n)
		for i := range all {
			all[i] = entry(i)
		}
		return strings.Join(all, ",")
	}
	deep := `{"field":"brand","match":{"value":"b1"}}`
	for range 18 {
		deep = `{"type":"or","clauses":[` + list(40, func(i int) string { return fmt.Sprintf(`{"field":"n","match":{"type":"range","gte":%d}}`, i) }) + "," + deep + `]}`
	}
	vector := "[" + list(8, func(int) string { return "0.5" }) + "]"
	return map[string]string{
		"words with typos": `{"query":[{"type":"text","match":"any","text":"` + words(12_000) + `"}]}`,
		"typed words":      `{"query":[{"type":"text","match":"user","text":"` + words(12_000) + `"}]}`,
		"phrases":          `{"query":[{"type":"text","match":"user","text":"` + strings.Repeat(`\"a b c\" -\"x y\" `, 20_000) + `"}]}`,
		"one-letter prefixes": `{"query":[{"type":"or","clauses":[` + list(1000, func(i int) string {
			return fmt.Sprintf(`{"type":"text","text":"%c"}`, 'a'+i%26)
		}) + `]}]}`,
		"prefix filters": `{"query":[{"type":"or","clauses":[` + list(1000, func(i int) string {
			return fmt.Sprintf(`{"field":"tag","match":{"type":"prefix","value":"%c"}}`, 'a'+i%26)
		}) + `]}]}`,
		"deep or":        `{"query":[` + deep + `]}`,
		"huge in":        `{"filters":[{"field":"tag","match":{"type":"in","values":[` + list(200_000, func(i int) string { return strconv.Quote(fmt.Sprint("t", i%70_000)) }) + `]}}]}`,
		"many ranges":    `{"filters":[{"field":"n","match":{"type":"ranges","values":[` + list(50_000, func(i int) string { return fmt.Sprintf(`{"gte":%d}`, i) }) + `]}}]}`,
		"many intervals": `{"filters":[{"field":"tag","match":{"type":"ranges","values":[` + list(20_000, func(i int) string { return fmt.Sprintf(`{"gte":"t%d"}`, i) }) + `]}}]}`,
		"many facets":    `{"limit":0,"facets":[` + list(100_000, func(i int) string { return fmt.Sprintf(`{"name":"f%d","field":"tag","limit":1000}`, i) }) + `]}`,
		"wide facets": `{"limit":0,"facets":[` + list(100, func(i int) string {
			return fmt.Sprintf(`{"name":"f%d","field":"many","ranges":[%s]}`, i, list(1000, func(j int) string { return fmt.Sprintf(`{"from":%d}`, j) }))
		}) + `]}`,
		"nearest": `{"query":[{"type":"or","clauses":[` + list(200, func(int) string { return `{"type":"knn","field":"v","k":1000,"vector":` + vector + `}` }) + `]}]}`,
		"fusion": `{"query":[{"type":"fuse","depth":1000,"rankings":[` + list(100, func(int) string {
			return `{"clauses":[{"type":"text","text":"` + word() + ` a"}]}`
		}) + `]}]}`,
		"deep page":   `{"offset":5000,"limit":1000,"sort":[{"field":"tag"},{"field":"n"}],"query":[]}`,
		"many sorts":  `{"sort":[` + list(50_000, func(int) string { return `{"field":"n"}` }) + `]}`,
		"long text":   `{"query":[{"type":"text","match":"all","text":"` + strings.Repeat("lorem ipsum ", 500_000) + `"}]}`,
		"many fields": `{"query":[{"type":"text","text":"` + words(1000) + `","fields":{` + list(1000, func(i int) string { return fmt.Sprintf(`"attr%d":1`, i) }) + `}}]}`,
	}
}

// TestHostileSearchesCostTheirSender sends expensive searches together with
// plain ones. Each expensive search is answered, refused or times out, and
// plain searches are answered throughout.
func TestHostileSearchesCostTheirSender(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	s := serveDocuments(t, `{"fields":{"id":{"type":"string","primaryKey":true},"name":{"type":"string","matching":{"typoTolerance":{}}},
		"attr*":{"type":"string","matching":{"typoTolerance":{}}},"brand":{"type":"string","filter":{},"facet":{}},
		"tag":{"type":"string","filter":{},"facet":{},"sort":{}},"n":{"type":"int32","filter":{},"sort":{},"facet":{}},
		"many":{"type":"int32","multiple":true,"facet":{}},"v":{"type":"vector","dimensions":8,"similarity":"cosine"}}}`, Options{MaxBodySize: 16 << 20})
	s.api.searcher = search.New(collect.NewRunner(collect.Options{}, nil), nil, search.Options{
		Timeout: time.Minute, MaxConcurrent: 64, FacetCacheSize: 8 << 20})
	r := rand.New(rand.NewPCG(1, 2))
	var documents strings.Builder
	for i := range hostileDocuments {
		fmt.Fprintf(&documents, `{"id":"%d","name":"plain w%x%c thing%d","attr%d":"w%x","brand":"b%d","tag":"t%d","n":%d,"many":[%d,%d],"v":[%f,1,0,0,0,0,0,%f]}`+"\n",
			i, r.IntN(1<<20), 'a'+i%26, i%9000, i%50, i, i%7, i, i, i%900, i%37, r.Float64(), r.Float64())
	}
	if status, _, answer := ask(t, "POST", s.url, documents.String(), "Content-Type", ndjsonType); status != 200 {
		t.Fatal(answer)
	}
	if status, _, answer := ask(t, "POST", s.admin+"/actions/commit", "{}"); status != 200 {
		t.Fatal(answer)
	}
	url := strings.TrimSuffix(s.url, "documents") + "search"
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var plain sync.WaitGroup
	answered := 0
	plain.Go(func() {
		for ctx.Err() == nil {
			status, _, answer := ask(t, "POST", url, `{"query":[{"type":"text","text":"plain","prefix":"off"}],"facets":[{"field":"brand"}]}`)
			if status != http.StatusOK || !strings.Contains(answer, fmt.Sprintf(`"count":%d`, hostileDocuments)) {
				t.Errorf("a plain search was answered %d %.200s", status, answer)
				return
			}
			answered++
		}
	})
	var senders sync.WaitGroup
	for name, body := range hostile() {
		senders.Go(func() {
			began := time.Now()
			status, _, answer := ask(t, "POST", url, body)
			t.Logf("%-20s %d in %v, %d bytes", name, status, time.Since(began), len(answer))
			switch status {
			case http.StatusOK, http.StatusBadRequest, http.StatusServiceUnavailable:
			default:
				t.Errorf("%s: %d %.300s", name, status, answer)
			}
		})
	}
	senders.Wait()
	stop()
	plain.Wait()
	if answered == 0 {
		t.Error("no plain search was answered")
	}
}
