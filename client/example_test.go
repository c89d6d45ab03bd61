package client_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/quiresearch/quire/client"
	"github.com/quiresearch/quire/query"
)

// A first search: typed text with a mistake in it, and a filter.
func Example() {
	node := canned()
	defer node.Close()

	ctx := context.Background()
	c, err := client.New(node.URL, "key")
	if err != nil {
		log.Fatal(err)
	}
	answer, err := c.Index("books").Search(ctx, &query.Search{
		Query:   []query.Clause{&query.TextClause{Text: query.Text{Text: "dispossesed", Match: query.MatchUser}}},
		Filters: []query.Clause{&query.FieldClause{Field: "year", Match: &query.RangeMatcher{Range: query.Range{Gte: query.Value(1970)}}}},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range answer.Hits {
		fmt.Printf("%s %s\n", hit.ID, hit.Document)
	}
	// Output: 2 {"id":"2","title":"The Dispossessed"}
}

// canned is a node that knows one answer; internal/campaign runs the client
// against real ones.
func canned() *httptest.Server { return httptest.NewServer(oneAnswer{}) }
