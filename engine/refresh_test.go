package engine

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/vfs"
)

// Documents with refreshed signals equal documents that are added again with the
// new values, whatever commits, merges and crashes come in between.
func TestRefreshedDocumentsEqualThoseAddedAgain(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 23))
			var stores [2]vfs.FS
			var both [2]*Generation // the first is refreshed, the second written again
			for i := range both {
				stores[i] = vfs.Memory()
				create(t, stores[i], books)
				both[i] = open(t, stores[i], manual)
			}
			const documents = 60
			text := func(i, sales int) string {
				return fmt.Sprintf(`{"id":"d%d","title":"title %d","editions":[{"isbn":"%d"}],"sales":%d}`, i, i, i, sales)
			}
			for i := range documents {
				for _, g := range both {
					mustAdd(t, g, text(i, i))
				}
				if random.IntN(20) == 0 {
					mustCommit(t, both[0])
				}
			}
			for range 30 {
				var all []Refresh
				var texts []string
				for range 1 + random.IntN(40) {
					i, sales := random.IntN(documents), random.IntN(1000)
					all = append(all, Refresh{Key: document.Key(fmt.Sprintf("d%d", i)), Signals: signals(t, both[0], "sales", sales)})
					texts = append(texts, text(i, sales))
				}
				s := both[0].WriteStream()
				if done, err := s.RefreshAll(t.Context(), all, true); done != len(all) || err != nil {
					t.Fatal(done, err)
				}
				if receipt := mustWait(t, s); receipt.Durable != len(all) {
					t.Fatalf("%d of %d refreshes are durable", receipt.Durable, len(all))
				}
				mustAdd(t, both[1], texts...)
				switch random.IntN(6) {
				case 0:
					mustCommit(t, both[0])
				case 1:
					if err := mergeAll(both[0]); err != nil {
						t.Fatal(err)
					}
				case 2: // uncommitted operations come from the log
					abandon(both[0])
					both[0] = open(t, stores[0], manual)
				}
			}
			mustCommit(t, both[0])
			mustCommit(t, both[1])
			got, want := mustDocuments(t, both[0]), mustDocuments(t, both[1])
			for _, content := range got {
				delete(content, "sales") // the source keeps the value that was sent with it
			}
			for _, content := range want {
				delete(content, "sales")
			}
			if difference := cmp.Diff(want, got); difference != "" {
				t.Fatal(difference)
			}
		})
	}
}

// Refreshes of many documents at once never bring back a document that is deleted
// meanwhile, and are never lost beside whole documents written by others.
func TestRefreshesBesideOtherWriters(t *testing.T) {
	fs := vfs.Memory()
	create(t, fs, books)
	options := manual
	options.MaxChanges = 50
	g := open(t, fs, options)
	const documents, rounds = 64, 60
	for i := range documents {
		mustAdd(t, g, fmt.Sprintf(`{"id":"d%d","title":"old"}`, i))
	}
	var writers sync.WaitGroup
	work := func(do func(s *WriteStream, round int) error) {
		writers.Go(func() {
			for round := range rounds {
				s := g.WriteStream()
				if err := do(s, round); err != nil {
					t.Error(err)
					return
				}
				if _, err := s.Wait(t.Context()); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	// Two writers refresh one field each of all documents, one rewrites even
	// documents, one finally deletes the documents divisible by eight.
	for _, field := range []string{"sales", "rating"} {
		work(func(s *WriteStream, round int) error {
			var all []Refresh
			for i := range documents {
				all = append(all, Refresh{Key: document.Key(fmt.Sprintf("d%d", i)), Signals: signals(t, g, field, round)})
			}
			_, err := s.RefreshAll(t.Context(), all, false)
			return err
		})
	}
	work(func(s *WriteStream, round int) error {
		return add(s, fmt.Sprintf(`{"id":"d%d","title":"round %d"}`, 2*(round%4)+2, round))
	})
	work(func(s *WriteStream, round int) error {
		if round%8 != 0 {
			return nil
		}
		return s.Delete(t.Context(), document.Key(fmt.Sprintf("d%d", 16+round)))
	})
	writers.Wait()
	mustCommit(t, g)
	got := mustDocuments(t, g)
	for round := 0; round < rounds; round += 8 {
		if key := fmt.Sprintf("d%d", 16+round); got[key] != nil {
			t.Errorf("%s is back", key)
		}
		delete(got, fmt.Sprintf("d%d", 16+round))
	}
	want := signals(t, g, "sales", rounds-1, "rating", rounds-1)
	for key, content := range got {
		if content["@sales"] != want[0].Number || content["@rating"] != want[1].Number {
			t.Errorf("%s: %v", key, content)
		}
	}
}
