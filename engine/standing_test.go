package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/vfs"
)

// standingsOf returns the standings of the committed documents, and fails unless
// standings ascend with the document numbers.
func standingsOf(t *testing.T, g *Generation) map[string]uint64 {
	t.Helper()
	view := g.Snapshot()
	defer view.Release()
	keys := make(map[uint32]string)
	walk, err := view.Keys("", false, false)
	if err != nil {
		t.Fatal(err)
	}
	for {
		key, segment, doc, ok := walk.Next()
		if !ok {
			break
		}
		keys[segment.Base+doc] = key
	}
	standings := make(map[string]uint64)
	for global := range view.MaxDoc {
		standing := view.Standing(global)
		if global > 0 && standing <= view.Standing(global-1) {
			t.Fatalf("document %d stands at %d, the one before it at %d", global, standing, view.Standing(global-1))
		}
		if view.FromStanding(standing) != global || view.FromStanding(standing+1) != global+1 {
			t.Fatalf("document %d is not found where it stands", global)
		}
		if key, ok := keys[global]; ok {
			standings[key] = standing
		}
	}
	return standings
}

// A document keeps its standing until it is written again, whatever is committed,
// merged or reopened; a rewritten document moves behind all others.
func TestADocumentKeepsItsStanding(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 3))
			fs := vfs.Memory()
			create(t, fs, books)
			options := manual
			options.Workers = 1 + random.IntN(3)
			options.MergeFloor = 1 << 12
			g := open(t, fs, options)
			w := &writer{random: random, model: make(model), keys: 200}
			known := make(map[string]uint64)
			highest := uint64(0)
			for step := range 150 {
				switch action := random.IntN(10); {
				case action < 5:
					s := g.WriteStream()
					for range 1 + random.IntN(10) {
						key := w.key()
						var err error
						if random.IntN(4) == 0 {
							err = s.Delete(t.Context(), document.Key(key))
						} else {
							text, _ := w.content(key)
							err = add(s, text)
						}
						if err != nil {
							t.Fatal(err)
						}
						delete(known, key)
					}
					mustWait(t, s)
					mustCommit(t, g)
				case action < 8:
					if _, err := mergeNow(g, nil); err != nil {
						t.Fatal(err)
					}
				case action < 9:
					if err := mergeAll(g); err != nil {
						t.Fatal(err)
					}
				default:
					if err := g.Close(context.Background()); err != nil {
						t.Fatal(err)
					}
					g = open(t, fs, options)
				}
				now := standingsOf(t, g)
				for key, standing := range known {
					if got, ok := now[key]; !ok || got != standing {
						t.Fatalf("step %d: %s stood at %d, now at %d (%v)", step, key, standing, got, ok)
					}
				}
				before := highest
				for key, standing := range now {
					if _, ok := known[key]; !ok && standing < before {
						t.Fatalf("step %d: %s was written and stands at %d, before %d", step, key, standing, before)
					}
					highest = max(highest, standing+1)
				}
				known = now
			}
		})
	}
}
