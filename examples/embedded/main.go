// Command embedded searches in its own process. It is a program of another
// module that uses Quire as a library.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/quiresearch/quire/embedded"
	"github.com/quiresearch/quire/query"
	"github.com/quiresearch/quire/settings"
)

const books = `{"fields":{
	"id":     {"type":"string","role":"id"},
	"title":  {"type":"string","role":"title"},
	"author": {"type":"string","role":"tag"},
	"year":   {"type":"int32","filter":{},"sort":{},"facet":{}}}}`

type book struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Author string `json:"author"`
	Year   int    `json:"year"`
}

func main() {
	directory := "quire-books"
	if len(os.Args) > 1 {
		directory = os.Args[1]
	}
	if err := run(context.Background(), directory, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, directory string, out io.Writer) (err error) {
	declared, err := embedded.ParseDefinition([]byte(books))
	if err != nil {
		return err
	}
	suggesting, err := settings.Decode([]byte(`{"fields":{"author":{"suggest":{}}}}`))
	if err != nil {
		return err
	}
	index, err := embedded.Open(ctx, directory, declared, embedded.Options{Settings: suggesting})
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := index.Close(ctx); err == nil {
			err = closeErr
		}
	}()
	if err := index.Add(ctx,
		book{"1", "The Left Hand of Darkness", "Ursula K. Le Guin", 1969},
		book{"2", "The Dispossessed", "Ursula K. Le Guin", 1974},
		book{"3", "Kindred", "Octavia E. Butler", 1979},
	); err != nil {
		return err
	}
	if err := index.Commit(ctx); err != nil {
		return err
	}

	typed := &query.Search{
		Query:   []query.Clause{&query.TextClause{Text: query.Text{Text: "dispossesed", Match: query.MatchUser}}},
		Filters: []query.Clause{&query.FieldClause{Field: "year", Match: &query.RangeMatcher{Range: query.Range{Gte: query.Value(1970)}}}},
	}
	answer, err := index.Search(ctx, typed)
	if err != nil {
		return err
	}
	for _, hit := range answer.Hits {
		fmt.Fprintf(out, "%s\n", hit.Document)
		explained, err := index.Explain(ctx, typed, hit.ID, 0)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "the explanation gives the same score: %v\n", explained.Score == hit.Score)
	}
	suggested, err := index.Suggest(ctx, &query.Suggest{Text: "oct"})
	if err != nil {
		return err
	}
	for _, s := range suggested.Suggestions {
		fmt.Fprintf(out, "oct: %s\n", s.Text)
	}
	return nil
}
