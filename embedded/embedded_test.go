package embedded

import (
	"errors"
	"testing"

	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

func open(t *testing.T, directory, fields string) *Index {
	t.Helper()
	d, err := ParseDefinition([]byte(`{"fields":{"id":{"type":"string","role":"id"},` + fields + `}}`))
	if err != nil {
		t.Fatal(err)
	}
	x, err := Open(t.Context(), directory, d, Options{CommitInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

const title = `"title":{"type":"string","role":"title"}`

func count(t *testing.T, x *Index) int64 {
	t.Helper()
	answer, err := x.Search(t.Context(), &query.Search{Limit: query.NoHits, ExactTotal: true})
	if err != nil {
		t.Fatal(err)
	}
	return answer.Total.Count
}

func TestDocumentsAreVisibleAfterACommitAndStay(t *testing.T) {
	directory, ctx := t.TempDir()+"/books", t.Context()
	x := open(t, directory, title)
	if err := x.Add(ctx, map[string]any{"id": "1", "title": "One"}, map[string]any{"id": "2", "title": "Two"}); err != nil || count(t, x) != 0 {
		t.Fatalf("before a commit: %v", err)
	}
	if err := x.Commit(ctx); err != nil || count(t, x) != 2 {
		t.Errorf("after it: %v", err)
	}
	if err := x.Delete(ctx, "1", "missing"); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Search(ctx, &query.Search{}); !errors.Is(err, problem.IndexClosed) {
		t.Errorf("a closed index: %v", err)
	}
	again, err := Open(ctx, directory, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close(ctx)
	if count(t, again) != 1 {
		t.Errorf("%d documents", count(t, again))
	}
}

func TestInvalidDocumentsAreRefusedTogether(t *testing.T) {
	x := open(t, t.TempDir(), title)
	defer x.Close(t.Context())
	err := x.Add(t.Context(), map[string]any{"id": "1"}, map[string]any{"title": "no key"}, map[string]any{"id": "3", "colour": "red"})
	if !errors.Is(err, problem.DocumentFieldRequired) || !errors.Is(err, problem.DocumentFieldUnknown) || len(problem.All(err)) != 2 {
		t.Errorf("%v", err)
	}
	if err := x.Commit(t.Context()); err != nil || count(t, x) != 0 {
		t.Errorf("%d documents: %v", count(t, x), err)
	}
	if _, err := x.Search(t.Context(), &query.Search{Query: []query.Clause{&query.FieldClause{Field: "nowhere", Match: &query.AnyMatcher{}}}}); !errors.Is(err, problem.SearchFieldUnknown) {
		t.Errorf("%v", err)
	}
}

func TestADefinitionIsReplacedWhereDocumentsFitIt(t *testing.T) {
	directory, ctx := t.TempDir(), t.Context()
	x := open(t, directory, title)
	if err := x.Add(ctx, map[string]any{"id": "1", "title": "One"}); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(ctx); err != nil {
		t.Fatal(err)
	}
	x = open(t, directory, title+`,"year":{"type":"int32"}`)
	if x.Definition().Fields["year"] == nil {
		t.Error("the field is not there")
	}
	if err := x.Close(ctx); err != nil {
		t.Fatal(err)
	}
	d, err := ParseDefinition([]byte(`{"fields":{"id":{"type":"string","role":"id"},"title":{"type":"int32"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(ctx, directory, d, Options{}); !errors.Is(err, problem.IndexDefinitionIncompatible) {
		t.Errorf("%v", err)
	}
	if _, err := Open(ctx, t.TempDir(), nil, Options{}); err == nil {
		t.Error("an empty directory was opened without a definition")
	}
}
