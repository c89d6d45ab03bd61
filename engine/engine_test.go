package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// books declares a key, a text, a number, a nested list and two signals.
const books = `{"fields":{
	"id":{"type":"string","primaryKey":true},
	"title":{"type":"string","matching":{}},
	"year":{"type":"int32","filter":{}},
	"editions":{"type":"object","multiple":true,"mode":"nested","fields":{"isbn":{"type":"string","filter":{}}}},
	"sales":{"type":"int64","signal":{}},
	"rating":{"type":"double","signal":{}}
}}`

func parse(t testing.TB, text string) *definition.Definition {
	t.Helper()
	d, err := definition.Parse([]byte(text), definition.Capabilities{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func create(t testing.TB, fs vfs.FS, text string) {
	t.Helper()
	if err := Create(t.Context(), Storage{FS: fs, Directory: "g"}, parse(t, text)); err != nil {
		t.Fatal(err)
	}
}

// manual leaves commits and merges to the test.
var manual = Options{MaxChanges: -1, MaxInterval: -1, NoMerges: true, Workers: 2}

func open(t testing.TB, fs vfs.FS, options Options) *Generation {
	t.Helper()
	g, err := Open(t.Context(), Storage{FS: fs, Directory: "g"}, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close(context.Background()) })
	return g
}

func read(g *Generation, text string) (*document.Document, error) {
	var found problem.List
	d := document.NewReader(g.Schema()).Read([]byte(text), problem.Path{}, &found)
	return d, found.Err()
}

func add(s *WriteStream, text string) error { return addWithin(context.Background(), s, text) }

func addWithin(ctx context.Context, s *WriteStream, text string) error {
	d, err := read(s.g, text)
	if err != nil {
		return err
	}
	return s.Add(ctx, d)
}

func mustAdd(t testing.TB, g *Generation, texts ...string) Receipt {
	t.Helper()
	s := g.WriteStream()
	for _, text := range texts {
		if err := add(s, text); err != nil {
			t.Fatal(err)
		}
	}
	return mustWait(t, s)
}

func mustWait(t testing.TB, s *WriteStream) Receipt {
	t.Helper()
	receipt, err := s.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return receipt
}

func mustCommit(t testing.TB, g *Generation) uint64 {
	t.Helper()
	sequence, err := g.Commit(context.Background(), Explicit)
	if err != nil {
		t.Fatal(err)
	}
	return sequence
}

// documents returns the contents of a view: JSON by key, signal values as "@name".
func documents(g *Generation, view *snapshot.Snapshot) (map[string]map[string]any, error) {
	found := make(map[string]map[string]any)
	keys, err := view.Keys("", false, false)
	if err != nil {
		return nil, err
	}
	for {
		key, s, doc, ok := keys.Next()
		if !ok {
			break
		}
		content, err := contentOf(g, s, doc)
		if err != nil {
			return nil, err
		}
		if found[key] != nil {
			return nil, fmt.Errorf("key %q twice", key)
		}
		found[key] = content
	}
	if len(found) != view.Documents {
		return nil, fmt.Errorf("%d documents, counted %d", len(found), view.Documents)
	}
	return found, keys.Err()
}

func contentOf(g *Generation, s *snapshot.Segment, doc uint32) (map[string]any, error) {
	record, err := s.Reader.Stored().Get(nil, doc)
	if err != nil {
		return nil, err
	}
	source, err := sourceOfRecord(g.Schema(), record)
	if err != nil {
		return nil, err
	}
	var content map[string]any
	if err := json.Unmarshal(source, &content); err != nil {
		return nil, err
	}
	for _, field := range g.Schema().Signals() {
		if value, ok := s.SignalValue(layout.Signal(field.Path), doc); ok {
			content["@"+field.Path] = value
		}
	}
	return content, nil
}

func mustDocuments(t testing.TB, g *Generation) map[string]map[string]any {
	t.Helper()
	view := g.Snapshot()
	defer view.Release()
	found, err := documents(g, view)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func signals(t testing.TB, g *Generation, pairs ...any) []document.Signal {
	t.Helper()
	var values []document.Signal
	for i := 0; i < len(pairs); i += 2 {
		field, ok := g.Schema().Resolve(pairs[i].(string))
		if !ok {
			t.Fatalf("no field %v", pairs[i])
		}
		if pairs[i+1] == nil {
			values = append(values, document.Signal{Field: field, Clear: true})
			continue
		}
		values = append(values, document.Signal{Field: field, Number: int64(pairs[i+1].(int))})
	}
	return values
}

func TestAWriteIsVisibleAfterItsCommit(t *testing.T) {
	fs := vfs.Memory()
	create(t, fs, books)
	g := open(t, fs, manual)
	receipt := mustAdd(t, g, `{"id":"a","title":"one"}`, `{"id":"b","title":"two","editions":[{"isbn":"1"},{"isbn":"2"}]}`)
	if receipt.Durable != 2 || receipt.Sequence != 1 {
		t.Fatalf("receipt %+v", receipt)
	}
	if found := mustDocuments(t, g); len(found) != 0 {
		t.Fatalf("visible before the commit: %v", found)
	}
	if count, err := g.Count(); count != 2 || err != nil {
		t.Fatalf("count %d, %v", count, err)
	}
	if err := g.WaitFor(t.Context(), receipt.Sequence); err != nil {
		t.Fatal(err)
	}
	if found := mustDocuments(t, g); len(found) != 2 || found["a"]["title"] != "one" {
		t.Fatalf("found %v", found)
	}
	if err := g.WaitFor(t.Context(), receipt.Sequence+1); !errors.Is(err, ErrNotPromised) {
		t.Fatalf("got %v", err)
	}
}

func TestReplacingUpdatingAndDeleting(t *testing.T) {
	fs := vfs.Memory()
	create(t, fs, books)
	g := open(t, fs, manual)
	for _, committed := range []bool{false, true} {
		step := func() {
			if committed {
				mustCommit(t, g)
			}
		}
		mustAdd(t, g, `{"id":"a","title":"one","sales":5}`, `{"id":"b","title":"two"}`)
		step()
		mustAdd(t, g, `{"id":"a","title":"uno"}`) // keeps its sales
		step()
		s := g.WriteStream()
		found, err := s.Update(t.Context(), "a", func(current Current) (*document.Document, error) {
			source, err := current.Source()
			if err != nil {
				return nil, err
			}
			var content map[string]any
			if err := json.Unmarshal(source, &content); err != nil {
				return nil, err
			}
			content["title"] = content["title"].(string) + "!"
			changed, _ := json.Marshal(content)
			return read(g, string(changed))
		})
		if !found || err != nil {
			t.Fatal(found, err)
		}
		if found, err := s.Update(t.Context(), "missing", nil); found || err != nil {
			t.Fatal(found, err)
		}
		step()
		if found, err := s.Refresh(t.Context(), "a", signals(t, g, "rating", 7)); !found || err != nil {
			t.Fatal(found, err)
		}
		if found, err := s.Refresh(t.Context(), "missing", nil); found || err != nil {
			t.Fatal(found, err)
		}
		if err := s.Delete(t.Context(), "b"); err != nil {
			t.Fatal(err)
		}
		mustWait(t, s)
		mustCommit(t, g)
		got := mustDocuments(t, g)
		if len(got) != 1 || got["a"]["title"] != "uno!" || got["a"]["@sales"] != int64(5) || got["a"]["@rating"] != int64(7) {
			t.Fatalf("committed %v: %v", committed, got)
		}
		if _, _, err := g.DeleteAll(t.Context()); err != nil {
			t.Fatal(err)
		}
		mustCommit(t, g)
		if got := mustDocuments(t, g); len(got) != 0 {
			t.Fatalf("after deleting all: %v", got)
		}
	}
}

// Opening a generation removes what a crash left outside the manifest; other files
// stay.
func TestOpeningRemovesWhatACrashLeft(t *testing.T) {
	fs := vfs.Memory()
	create(t, fs, books)
	left := []string{"0000000007.seg", "0000000007.seg.aside", "0000000008.side"}
	for _, name := range append([]string{"notes.txt"}, left...) {
		file, err := fs.Create("g/" + name)
		if err != nil {
			t.Fatal(err)
		}
		file.Close()
	}
	g := open(t, fs, manual)
	defer abandon(g)
	for _, name := range left {
		if _, err := fs.Size("g/" + name); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	if _, err := fs.Size("g/notes.txt"); err != nil {
		t.Error(err)
	}
}

func TestReopeningBringsBackWhatWasNotCommitted(t *testing.T) {
	fs := vfs.Memory()
	create(t, fs, books)
	g := open(t, fs, manual)
	mustAdd(t, g, `{"id":"a","title":"one","sales":1}`)
	mustCommit(t, g)
	receipt := mustAdd(t, g, `{"id":"b","title":"two"}`)
	s := g.WriteStream()
	if found, err := s.Refresh(t.Context(), "a", signals(t, g, "sales", 9)); !found || err != nil {
		t.Fatal(found, err)
	}
	mustWait(t, s)
	abandon(g)
	g = open(t, fs, manual)
	if got := mustDocuments(t, g); len(got) != 2 || got["a"]["@sales"] != int64(9) {
		t.Fatalf("found %v", got)
	}
	if g.Sequence() < receipt.Sequence {
		t.Fatalf("sequence %d, promised %d", g.Sequence(), receipt.Sequence)
	}
}

// abandon ends a generation as a crash of the process would: nothing is committed,
// everything is released.
func abandon(g *Generation) {
	g.fail(errors.New("abandoned"))
	g.Close(context.Background())
}

func TestKeylessDocumentsAreDeletedByQuery(t *testing.T) {
	fs := vfs.Memory()
	create(t, fs, `{"fields":{"text":{"type":"string","matching":{}}}}`)
	g := open(t, fs, manual)
	mustAdd(t, g, `{"text":"one"}`, `{"text":"two"}`, `{"text":"one"}`)
	mustCommit(t, g)
	mustAdd(t, g, `{"text":"one"}`)
	deleted, _, err := g.DeleteMatching(t.Context(), func(_ context.Context, view *snapshot.Snapshot) ([]document.Key, error) {
		var keys []document.Key
		it, err := view.Keys("", false, false)
		if err != nil {
			return nil, err
		}
		for {
			key, s, doc, ok := it.Next()
			if !ok {
				return keys, it.Err()
			}
			content, err := contentOf(g, s, doc)
			if err != nil {
				return nil, err
			}
			if content["text"] == "one" {
				keys = append(keys, document.Key(key))
			}
		}
	})
	if deleted != 2 || err != nil {
		t.Fatal(deleted, err)
	}
	mustCommit(t, g)
	if got := mustDocuments(t, g); len(got) != 1 {
		t.Fatalf("left %v", got)
	}
}

// A file that is in the way of a commit stays, and the next attempt uses another
// name.
func TestACommitRemovesNoFileOfOthers(t *testing.T) {
	fs := vfs.Memory()
	create(t, fs, books)
	g := open(t, fs, manual)
	mustAdd(t, g, `{"id":"a","title":"one"}`)
	name := g.path(formatFileName(g.nextFile.Load(), segmentSuffix))
	if _, err := fs.Create(name); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Commit(t.Context(), Explicit); !errors.Is(err, vfs.ErrExist) {
		t.Fatalf("commit: %v", err)
	}
	if _, err := fs.Size(name); err != nil {
		t.Errorf("the file that was there: %v", err)
	}
	mustCommit(t, g)
	if n, err := g.Count(); n != 1 || err != nil {
		t.Errorf("%d documents, %v", n, err)
	}
}
