package search

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/quiresearch/quire/query"
)

// TestAnswersStayWhatTheyWere keeps answers while other searches reuse the memory
// in which they were computed, on several goroutines, with some searches that fail.
func TestAnswersStayWhatTheyWere(t *testing.T) {
	x := newIndex(t, `{"source":"full","fields":{
		"id":{"type":"string","primaryKey":true},
		"title":{"type":"string","matching":{"highlight":{}}},
		"brand":{"type":"string","filter":{},"facet":{},"sort":{}},
		"price":{"type":"int32","filter":{},"sort":{}}}}`)
	words := []string{"red", "green", "blue", "mug", "cup", "plate", "big", "small", "old", "new"}
	for range 3 {
		var documents []string
		for i := range 400 {
			n := len(x.segments)*400 + i
			documents = append(documents, fmt.Sprintf(`{"id":"d%d","title":"%s %s %s","brand":"b%d","price":%d}`,
				n, words[n%10], words[n/7%10], words[n/3%10], n%13, n*31%997))
		}
		x.add(t, documents, func(i int) bool { return i%11 == 0 })
	}
	var bodies []string
	for i, w := range words {
		next := words[(i+3)%10]
		bodies = append(bodies,
			fmt.Sprintf(`{"query":[{"type":"text","text":"%s"}],"limit":%d}`, w, 3+i),
			fmt.Sprintf(`{"query":[{"type":"text","text":"%s %s","match":"any"}],"sort":[{"field":"price"}],"highlight":{"fields":{"title":{}}}}`, w, next),
			fmt.Sprintf(`{"query":[{"type":"text","text":"%s %s","match":"phrase"}],"total":"exact"}`, w, next),
			fmt.Sprintf(`{"query":[{"type":"text","text":"%s"}],"filters":[{"field":"brand","match":{"value":"b%d"}}],"facets":[{"field":"brand"}]}`, w, i),
			fmt.Sprintf(`{"query":[{"type":"text","text":"%s nowhere"}],"limit":2,"offset":%d}`, w, i),
			`{"query":[{"field":"nothing","match":{"value":1}}]}`,
		)
	}
	ask := func(body string) (string, *query.Answer) {
		answer, err := x.search(body)
		if err != nil {
			return err.Error(), nil
		}
		return string(answer.AppendJSON(nil)), answer
	}
	want := make([]string, len(bodies))
	failed := 0
	for i, body := range bodies {
		var answer *query.Answer
		if want[i], answer = ask(body); answer == nil {
			failed++
		}
	}
	if failed != len(words) {
		t.Fatalf("%d requests fail, want %d", failed, len(words))
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	var workers sync.WaitGroup
	for worker := range 4 {
		workers.Go(func() {
			kept := make([]*query.Answer, len(bodies))
			for round := range 3 {
				for i := range bodies {
					at := (i*7 + worker*5 + round) % len(bodies)
					got, answer := ask(bodies[at])
					if got != want[at] {
						t.Errorf("%s\n%s, want\n%s", bodies[at], got, want[at])
						return
					}
					kept[at] = answer
					request := &query.Search{Limit: 5}
					if _, err := x.searcher.Run(cancelled, x.snapshot(), request); err != nil && !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
				}
			}
			for i, answer := range kept {
				if answer == nil {
					continue
				}
				if got := string(answer.AppendJSON(nil)); got != want[i] {
					t.Errorf("%s became\n%s, was\n%s", bodies[i], got, want[i])
				}
			}
		})
	}
	workers.Wait()
}
