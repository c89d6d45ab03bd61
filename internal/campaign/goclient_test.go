package campaign

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/quiresearch/quire/client"
	defined "github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/s3test"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
	"github.com/quiresearch/quire/settings"
)

// objectMode returns the variables of a node over a bucket of its own server.
func objectMode(t *testing.T) []string {
	return bucketOf(s3test.Start(t))
}

// bucketOf returns the variables of a node over the bucket of a server.
func bucketOf(server *s3test.Server) []string {
	return []string{"SERVICE_STORAGE_MODE=object", "SERVICE_INDEXER_ENABLED=true", "SERVICE_STORAGE_REMOTE_URL=" + server.URL,
		"SERVICE_STORAGE_REMOTE_BUCKET=" + server.Bucket, "SERVICE_STORAGE_REMOTE_ACCESS_KEY=" + server.Access,
		"SERVICE_STORAGE_REMOTE_SECRET_KEY=" + server.Secret}
}

func text(words string) []query.Clause {
	return []query.Clause{&query.TextClause{Text: query.Text{Text: words, Match: query.MatchUser}}}
}

const booksDefinition = `{"fields":{"id":{"type":"string","role":"id"},"title":{"type":"string","role":"title"},
	"author":{"type":"string","role":"tag"},"year":{"type":"int32","filter":{},"sort":{},"facet":{}}}}`

type book struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Author string `json:"author"`
	Year   int    `json:"year"`
}

func TestGoClientInBothModes(t *testing.T) {
	for _, mode := range []string{"local", "object"} {
		t.Run(mode, func(t *testing.T) {
			var variables []string
			if mode == "object" {
				variables = objectMode(t)
			}
			p := start(t, t.TempDir(), variables...)
			c, err := client.New(p.base, rootKey, client.ReadYourWrites())
			if err != nil {
				t.Fatal(err)
			}
			useGoClient(t, c)
			p.sound(t)
		})
	}
}

func useGoClient(t *testing.T, c *client.Client) {
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	declared, err := defined.Parse([]byte(booksDefinition), defined.Capabilities{})
	must(err)
	books := c.Index("books")
	if _, err := books.Get(ctx); !errors.Is(err, problem.IndexNotFound) {
		t.Fatalf("before the index: %v", err)
	}
	described, err := books.Put(ctx, declared)
	must(err)
	if described.Definition == nil || described.Version != declared.Version() {
		t.Errorf("described as %+v", described)
	}
	suggesting, err := settings.Decode([]byte(`{"fields":{"author":{"suggest":{}}}}`))
	must(err)
	must(books.PutSettings(ctx, suggesting))
	if got, err := books.Settings(ctx); err != nil || string(got.JSON()) != string(suggesting.JSON()) {
		t.Errorf("settings %s: %v", got.JSON(), err)
	}

	_, err = books.Add(ctx, book{"1", "The Left Hand of Darkness", "Ursula K. Le Guin", 1969}, book{"2", "The Dispossessed", "Ursula K. Le Guin", 1974})
	must(err)
	if _, err := books.Add(ctx, map[string]any{"id": "x", "colour": "red"}); !errors.Is(err, problem.DocumentFieldUnknown) {
		t.Errorf("an unknown field: %v", err)
	}
	refused := 0
	stream := func(yield func(any) bool) {
		for i := range 2500 {
			document := any(book{fmt.Sprintf("s%04d", i), fmt.Sprintf("Volume %d", i), "Many", 2000})
			if i%1000 == 7 {
				document = map[string]any{"title": "without a key"}
			}
			if !yield(document) {
				return
			}
		}
	}
	for result, err := range books.AddAll(ctx, stream) {
		must(err)
		if result.Refused != nil {
			refused++
		}
	}
	if refused != 3 {
		t.Errorf("%d refused", refused)
	}

	// No commit was requested: the client reads its own writes.
	answer, err := books.Search(ctx, &query.Search{Query: text("dispossesed"), Facets: []query.Facet{{Field: "author"}},
		Highlight: &query.Highlight{Fields: []query.HighlightField{{Field: "title"}}}})
	must(err)
	if len(answer.Hits) != 1 || answer.Hits[0].ID != "2" || !strings.Contains(answer.Hits[0].Highlights[0].Fragments[0], "<em>Dispossessed</em>") ||
		len(answer.Facets) != 1 || string(answer.Facets[0].Values[0].Value) != `"Ursula K. Le Guin"` {
		t.Errorf("%+v", answer)
	}
	seen := make(map[string]bool)
	for hit, err := range books.Hits(ctx, &query.Search{Query: text("volume"), Limit: 500}) {
		must(err)
		seen[hit.ID] = true
	}
	if len(seen) != 2497 {
		t.Errorf("%d hits on all pages", len(seen))
	}
	listed := 0
	for document, err := range books.Documents(ctx) {
		must(err)
		if !json.Valid(document) {
			t.Errorf("%s", document)
		}
		listed++
	}
	if listed != 2499 {
		t.Errorf("%d documents listed", listed)
	}

	explanation, err := books.Explain(ctx, &query.Search{Query: text("dispossesed")}, "2", 0)
	must(err)
	if !explanation.Matched || explanation.Score != answer.Hits[0].Score {
		t.Errorf("explained %v, scored %v", explanation.Score, answer.Hits[0].Score)
	}
	suggested, err := books.Suggest(ctx, &query.Suggest{Text: "urs"})
	must(err)
	values, err := books.FacetValues(ctx, "author", &query.FacetValues{Prefix: "Man"})
	must(err)
	if len(suggested.Suggestions) != 1 || len(values.Values) != 1 || values.Values[0].Count != 2497 {
		t.Errorf("%+v %+v", suggested, values)
	}

	must(books.PutDocument(ctx, "a/b", book{"a/b", "Kindred", "Octavia E. Butler", 1979}))
	must(books.PatchDocument(ctx, "a/b", map[string]any{"year": 1980}))
	var read book
	must(books.Document(ctx, "a/b", &read))
	if read != (book{"a/b", "Kindred", "Octavia E. Butler", 1980}) {
		t.Errorf("%+v", read)
	}
	must(books.DeleteDocument(ctx, "a/b"))
	if err := books.Document(ctx, "a/b", &read); !errors.Is(err, problem.DocumentNotFound) {
		t.Errorf("after the deletion: %v", err)
	}
	deleted, err := books.DeleteDocuments(ctx, &query.Delete{Query: []query.Clause{&query.FieldClause{Field: "author", Match: &query.EqualsMatcher{Value: query.Value("Many")}}}})
	if err != nil || deleted != 2497 {
		t.Errorf("%d deleted: %v", deleted, err)
	}
	for index, err := range c.Indexes(ctx) {
		if err != nil || index.Name != "books" || len(index.Generations) != 1 {
			t.Errorf("%+v: %v", index, err)
		}
	}
	must(books.Delete(ctx))
}
