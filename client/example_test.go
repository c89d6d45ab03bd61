package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/quiresearch/quire/client"
	"github.com/quiresearch/quire/problem"
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

// An error is a *problem.Error: errors.Is distinguishes codes, and the value
// has the status, every problem with its path, and the remedy.
func Example_errors() {
	node := canned()
	defer node.Close()

	c, err := client.New(node.URL, "key")
	if err != nil {
		log.Fatal(err)
	}
	_, err = c.Index("boks").Search(context.Background(), &query.Search{})
	var refused *problem.Error
	if errors.Is(err, problem.IndexNotFound) && errors.As(err, &refused) {
		fmt.Println(refused.Status, refused)
		fmt.Println(refused.Help())
	}
	// Output:
	// 404 index:not_found: No index or generation is called boks.
	// Did you mean `books`? Check the name; GET /v1alpha1/admin/indexes lists the indexes the key can see.
}

// canned is a node with one fixed answer; internal/campaign runs the client
// against real nodes.
func canned() *httptest.Server { return httptest.NewServer(oneAnswer{}) }
