package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/internal/vfs"
)

// model is a generation as a map: what documents returns after everything is
// committed.
type model map[string]map[string]any

func (m model) clone() model {
	out := make(model, len(m))
	for key, content := range m {
		out[key] = maps.Clone(content)
	}
	return out
}

// put replaces a document and keeps signals that it does not give.
func (m model) put(key string, content map[string]any) {
	for name, value := range m[key] {
		if name[0] == '@' {
			if _, given := content[name]; !given {
				content[name] = value
			}
		}
	}
	m[key] = content
}

// writer makes random writes to a generation and to its model.
type writer struct {
	random *rand.Rand
	model  model
	keys   int
}

func (w *writer) key() string { return fmt.Sprintf("k%03d", w.random.IntN(w.keys)) }

// content returns a random document as JSON and in the form that the model holds.
func (w *writer) content(key string) (string, map[string]any) {
	sent := map[string]any{"id": key, "title": fmt.Sprintf("title %d", w.random.IntN(1000))}
	if w.random.IntN(2) == 0 {
		sent["year"] = float64(1900 + w.random.IntN(100))
	}
	if n := w.random.IntN(4); n > 0 {
		var editions []any
		for range n {
			editions = append(editions, map[string]any{"isbn": fmt.Sprint(w.random.IntN(50))})
		}
		sent["editions"] = editions
	}
	held := maps.Clone(sent)
	if w.random.IntN(3) == 0 {
		sales := w.random.IntN(100)
		sent["sales"], held["@sales"] = sales, int64(sales)
	}
	text, _ := json.Marshal(sent)
	return string(text), held
}

// write makes one random write.
func (w *writer) write(g *Generation, s *WriteStream) error {
	key := w.key()
	switch action := w.random.IntN(100); {
	case action < 50:
		text, held := w.content(key)
		if err := add(s, text); err != nil {
			return err
		}
		w.model.put(key, held)
	case action < 65:
		text, held := w.content(key)
		found, err := s.Update(context.Background(), document.Key(key), func(current Current) (*document.Document, error) {
			source, err := current.Source()
			if err != nil {
				return nil, err
			}
			var content map[string]any
			if err := json.Unmarshal(source, &content); err != nil {
				return nil, err
			}
			delete(content, "sales")
			want := maps.Clone(w.model[key])
			maps.DeleteFunc(want, func(name string, _ any) bool { return name[0] == '@' })
			if difference := cmp.Diff(want, content); difference != "" {
				return nil, fmt.Errorf("newest state of %s: %s", key, difference)
			}
			return read(g, text)
		})
		if _, exists := w.model[key]; err != nil || found != exists {
			return fmt.Errorf("update %s: found %v, is there %v: %w", key, found, exists, err)
		}
		if found {
			w.model.put(key, held)
		}
	case action < 80:
		return w.refresh(g, s)
	default:
		if err := s.Delete(context.Background(), document.Key(key)); err != nil {
			return err
		}
		delete(w.model, key)
	}
	return nil
}

// refresh gives several random documents new values at once; some do not exist.
func (w *writer) refresh(g *Generation, s *WriteStream) error {
	field, _ := g.Schema().Resolve("rating")
	all := make([]Refresh, 1+w.random.IntN(8))
	for i := range all {
		signal := document.Signal{Field: field, Number: layout.Float(float64(w.random.IntN(10))), Clear: w.random.IntN(4) == 0}
		all[i] = Refresh{Key: document.Key(w.key()), Signals: []document.Signal{signal}}
	}
	stop := w.random.IntN(2) == 0
	done, err := s.RefreshAll(context.Background(), all, stop)
	if err != nil {
		return err
	}
	for i, r := range all {
		content, exists := w.model[string(r.Key)]
		if stop && !exists {
			if done != i {
				return fmt.Errorf("refreshes up to %d, %s is missing at %d", done, r.Key, i)
			}
			return nil
		}
		if r.Found != exists {
			return fmt.Errorf("refresh %s: found %v, is there %v", r.Key, r.Found, exists)
		}
		if exists && r.Signals[0].Clear {
			delete(content, "@rating")
		} else if exists {
			content["@rating"] = r.Signals[0].Number
		}
	}
	if done != len(all) {
		return fmt.Errorf("%d of %d refreshes", done, len(all))
	}
	return nil
}

func compare(g *Generation, view *snapshot.Snapshot, want model) error {
	got, err := documents(g, view)
	if err != nil {
		return err
	}
	if difference := cmp.Diff(map[string]map[string]any(want), got); difference != "" {
		return fmt.Errorf("documents differ: %s", difference)
	}
	return nil
}

// Compares a generation with a map over random writes, commits, merges and
// reopenings; earlier views must not change.
func TestGenerationAgreesWithAModel(t *testing.T) {
	seeds, steps := uint64(12), 120
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			agree(t, seed, steps)
		})
	}
}

func agree(t *testing.T, seed uint64, steps int) {
	random := rand.New(rand.NewPCG(seed, 7))
	fs := vfs.Memory()
	create(t, fs, books)
	options := manual
	options.Workers = 1 + random.IntN(3)
	options.MergeFloor = 1 << 20
	if random.IntN(2) == 0 {
		options.Memory = 1 // flush after every document
	}
	g := open(t, fs, options)
	w := &writer{random: random, model: make(model), keys: 5 + random.IntN(60)}
	type held struct {
		view *snapshot.Snapshot
		want model
	}
	var earlier []held
	committed := make(model)
	for step := range steps {
		switch action := random.IntN(100); {
		case action < 60:
			s := g.WriteStream()
			for range 1 + random.IntN(20) {
				if err := w.write(g, s); err != nil {
					t.Fatalf("step %d: %v", step, err)
				}
			}
			mustWait(t, s)
		case action < 75:
			mustCommit(t, g)
			committed = w.model.clone()
		case action < 82:
			if _, err := mergeNow(g, nil); err != nil {
				t.Fatalf("step %d: %v", step, err)
			}
		case action < 85:
			if err := mergeAll(g); err != nil {
				t.Fatalf("step %d: %v", step, err)
			}
		case action < 90:
			abandon(g)
			g = open(t, fs, options)
			committed = w.model.clone()
			earlier = nil
		case action < 94:
			if err := g.Close(context.Background()); err != nil {
				t.Fatalf("step %d: %v", step, err)
			}
			if _, err := Check(fs, "g"); err != nil {
				t.Fatalf("step %d: %v", step, err)
			}
			g = open(t, fs, options)
			committed = w.model.clone()
			earlier = nil
		case action < 95:
			if _, _, err := g.DeleteAll(context.Background()); err != nil {
				t.Fatal(err)
			}
			w.model = make(model)
		case action < 97 && len(earlier) > 0:
			if err := compare(g, earlier[0].view, earlier[0].want); err != nil {
				t.Fatalf("step %d: view changed: %v", step, err)
			}
			earlier[0].view.Release()
			earlier = earlier[1:]
		default:
			earlier = append(earlier, held{g.Snapshot(), committed})
		}
		if count, err := g.Count(); err != nil || count != len(w.model) {
			t.Fatalf("step %d: count %d of %d, %v", step, count, len(w.model), err)
		}
		view := g.Snapshot()
		if err := compare(g, view, committed); err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
		view.Release()
	}
	for i, h := range earlier {
		if err := compare(g, h.view, h.want); err != nil {
			t.Fatalf("view %d changed: %v", i, err)
		}
		h.view.Release()
	}
	mustCommit(t, g)
	if err := g.Close(context.Background()); err != nil { // a concurrent merge has files of its own
		t.Fatal(err)
	}
	names, err := fs.List("g")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if _, ok := fileNumber(name); ok && g.manifest.File(name) == nil {
			t.Fatalf("file %s was not given back", name)
		}
	}
}

// mergeAll merges every segment into one while writes go on.
func mergeAll(g *Generation) error {
	view := g.Snapshot()
	defer view.Release()
	if len(view.Segments) == 0 {
		return nil
	}
	return g.merge(context.Background(), view.Segments)
}
