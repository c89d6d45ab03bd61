package engine

import (
	"context"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/internal/vfs"
)

// someBooks returns documents k0, k1, … with up to three list values each.
func someBooks(count int) []string {
	texts := make([]string, count)
	for i := range texts {
		editions := []string{"", `{"isbn":"1"}`, `{"isbn":"1"},{"isbn":"2"}`, `{"isbn":"1"},{"isbn":"2"},{"isbn":"3"}`}[i%4]
		texts[i] = fmt.Sprintf(`{"id":"k%d","title":"t","editions":[%s]}`, i, editions)
	}
	return texts
}

// deleteSome deletes random documents of k0, k1, …; some may be deleted already.
func deleteSome(g *Generation, random *rand.Rand, documents, deletes int) error {
	s := g.WriteStream()
	for range deletes {
		if err := s.Delete(context.Background(), document.Key(fmt.Sprintf("k%d", random.IntN(documents)))); err != nil {
			return err
		}
	}
	if _, err := s.Wait(context.Background()); err != nil {
		return err
	}
	_, err := g.Commit(context.Background(), Explicit)
	return err
}

// fingerprint identifies the live documents and list values of a view.
func fingerprint(view *snapshot.Snapshot, seed maphash.Seed) (uint64, error) {
	var h maphash.Hash
	h.SetSeed(seed)
	documents := 0
	for _, s := range view.Segments {
		parents := s.Reader.Parents()
		for doc := range s.Reader.NumDocs() {
			if !s.IsLive(doc) {
				continue
			}
			if parents == nil || parents.Get(doc) {
				documents++
			}
			maphash.WriteComparable(&h, doc)
		}
	}
	if documents != view.Documents {
		return 0, fmt.Errorf("view %d: %d documents are live, counted %d", view.Sequence, documents, view.Documents)
	}
	return h.Sum64(), nil
}

// hold checks the current view repeatedly until the given number of commits has
// followed.
func hold(g *Generation, commits uint64, ended *atomic.Bool) error {
	view := g.Snapshot()
	defer view.Release()
	seed := maphash.MakeSeed()
	first, err := fingerprint(view, seed)
	for err == nil && g.Sequence() < view.Sequence+commits && !ended.Load() {
		var again uint64
		if again, err = fingerprint(view, seed); err == nil && again != first {
			err = fmt.Errorf("view %d changed, the current one is %d", view.Sequence, g.Sequence())
		}
	}
	return err
}

// Readers hold views during any number of commits and merges, which reuse the words
// of live documents. The race detector notices a commit that writes words being
// read.
func TestReadersKeepTheirLiveDocumentsDuringCommits(t *testing.T) {
	const documents, commits, readers = 800, 120, 3
	fs := vfs.Memory()
	create(t, fs, books)
	g := open(t, fs, manual)
	mustAdd(t, g, someBooks(documents)...)
	mustCommit(t, g)
	var ended atomic.Bool
	var group sync.WaitGroup
	failures := make([]error, readers)
	for reader := range failures {
		group.Go(func() {
			random := rand.New(rand.NewPCG(uint64(reader), 8))
			for !ended.Load() && failures[reader] == nil {
				failures[reader] = hold(g, random.Uint64N(5), &ended)
			}
		})
	}
	random := rand.New(rand.NewPCG(1, 9))
	var err error
	for commit := 0; commit < commits && err == nil; commit++ {
		switch {
		case commit%40 == 39:
			err = mergeAll(g)
		case commit%10 == 9:
			mustAdd(t, g, someBooks(20)...)
			fallthrough
		default:
			err = deleteSome(g, random, documents, 1+random.IntN(4))
		}
	}
	ended.Store(true)
	group.Wait()
	for _, failure := range append(failures, err) {
		if failure != nil {
			t.Error(failure)
		}
	}
}

// Commits alternate between two arrays of words when no view holds them.
func TestCommitsUseWordsOfLiveDocumentsAgain(t *testing.T) {
	fs := vfs.Memory()
	create(t, fs, books)
	g := open(t, fs, manual)
	mustAdd(t, g, someBooks(500)...)
	mustCommit(t, g)
	random := rand.New(rand.NewPCG(2, 9))
	arrays := make(map[*uint64]bool)
	for range 20 {
		if err := deleteSome(g, random, 500, 5); err != nil {
			t.Fatal(err)
		}
		view := g.Snapshot()
		arrays[&view.Segments[0].Live.Words()[0]] = true
		view.Release()
	}
	if len(arrays) != 2 {
		t.Fatalf("20 commits have %d arrays of words", len(arrays))
	}
}
