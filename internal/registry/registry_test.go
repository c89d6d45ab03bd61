package registry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/problem"
)

func open(t *testing.T, b bucket.Bucket) *Registry {
	t.Helper()
	r, err := Open(t.Context(), b, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func name(t *testing.T, text string) Name {
	t.Helper()
	n, err := ParseName(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func create(t *testing.T, r *Registry, text string) Entry {
	t.Helper()
	n := name(t, text)
	if err := r.CreateIndex(t.Context(), n, NewID(), NewID(), time.Now()); err != nil {
		t.Fatal(err)
	}
	return resolve(t, r, text)
}

func add(t *testing.T, r *Registry, index ID, text string) Entry {
	t.Helper()
	if err := r.CreateGeneration(t.Context(), name(t, text), index, NewID(), time.Now()); err != nil {
		t.Fatal(err)
	}
	return resolve(t, r, text)
}

func resolve(t *testing.T, r *Registry, text string) Entry {
	t.Helper()
	e, err := r.Resolve(name(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestNamesResolveToGenerations(t *testing.T) {
	b := memory.New(nil)
	r := open(t, b)
	one := create(t, r, "books@1")
	two := add(t, r, one.Index, "books@2")
	if e := resolve(t, r, "books"); e != one || !e.Live || e.Name.String() != "books@1" {
		t.Errorf("books resolves to %+v", e)
	}
	if e := resolve(t, r, "books@2"); e != two || e.Live {
		t.Errorf("books@2 resolves to %+v", e)
	}
	for _, absent := range []string{"other", "books@3", "other@1"} {
		if _, err := r.Resolve(name(t, absent)); !errors.Is(err, problem.IndexNotFound) || problem.All(err)[0].Arguments["name"] != absent {
			t.Errorf("%s: %v", absent, err)
		}
	}
	for _, wrong := range []Entry{two, {}} {
		if err := r.Promote(t.Context(), wrong, two); !errors.Is(err, problem.IndexGenerationLiveMoved) {
			t.Errorf("promotion in the place of a generation that is not live: %v", err)
		}
	}
	if err := r.Promote(t.Context(), one, two); err != nil {
		t.Fatal(err)
	}
	other := open(t, b)
	if e := resolve(t, other, "books"); e.Generation != two.Generation {
		t.Errorf("after the promotion a new node sees %+v", e)
	}
	if _, err := r.RemoveGeneration(t.Context(), name(t, "books@2"), time.Now()); !errors.Is(err, problem.IndexGenerationIsLive) {
		t.Errorf("removal of the live generation: %v", err)
	}
	removed, err := r.RemoveIndex(t.Context(), name(t, "books"), time.Now())
	if err != nil || len(removed) != 2 || len(r.List()) != 0 || len(r.Removed()) != 2 {
		t.Errorf("removed %v, %v", removed, err)
	}
	again := create(t, r, "books@1")
	if again.Index == one.Index || again.Generation == one.Generation {
		t.Error("an id is used again")
	}
	if err := r.Promote(t.Context(), one, two); !errors.Is(err, problem.IndexNotFound) {
		t.Errorf("promotion of a generation of the removed index: %v", err)
	}
	if err := r.Forget(t.Context(), removed); err != nil || len(r.Removed()) != 0 {
		t.Errorf("%v left, %v", r.Removed(), err)
	}
}

func TestAnnouncedPromotionIsFenced(t *testing.T) {
	b := memory.New(nil)
	r := open(t, b)
	one := create(t, r, "books@1")
	two, three := add(t, r, one.Index, "books@2"), add(t, r, one.Index, "books@3")
	mine, theirs := Intent{Job: "j", Target: "2", Epoch: 1}, Intent{Job: "j", Target: "2", Epoch: 2}
	if err := r.PromoteAnnounced(t.Context(), one, two, mine); !errors.Is(err, problem.IndexReadonly) {
		t.Fatalf("promotion that was not announced: %v", err)
	}
	other := open(t, b)
	if err := r.Announce(t.Context(), one, two, mine); err != nil {
		t.Fatal(err)
	}
	if err := other.Announce(t.Context(), one, two, theirs); err != nil {
		t.Fatal(err)
	}
	if err := r.PromoteAnnounced(t.Context(), one, two, mine); !errors.Is(err, problem.IndexReadonly) {
		t.Fatalf("promotion another node took over: %v", err)
	}
	if err := r.Promote(t.Context(), one, three); err != nil {
		t.Fatal(err)
	}
	err := other.PromoteAnnounced(t.Context(), one, two, theirs)
	if !errors.Is(err, problem.IndexGenerationLiveMoved) {
		t.Fatalf("promotion after another one: %v", err)
	}
	if p := problem.All(err)[0]; p.Arguments["expected"] != "1" || p.Arguments["live"] != "3" {
		t.Errorf("arguments %v", p.Arguments)
	}
	if resolve(t, other, "books").Generation != three.Generation {
		t.Error("a refused change did not bring the newest state")
	}
}

func TestRegistryThatIsGoneRefusesChangesAndForgetsNothing(t *testing.T) {
	b := memory.New(nil)
	r := open(t, b)
	create(t, r, "books@1")
	if _, err := b.Delete(t.Context(), "registry", bucket.Always); err != nil {
		t.Fatal(err)
	}
	if err := r.Refresh(t.Context()); err == nil {
		t.Error("a missing registry is not an error")
	}
	resolve(t, r, "books")
	if err := r.CreateIndex(t.Context(), name(t, "more@1"), NewID(), NewID(), time.Now()); !errors.Is(err, problem.StorageIoError) {
		t.Errorf("change of a missing registry: %v", err)
	}
	fresh := open(t, b)
	if fresh.IsRead() {
		t.Error("a node starts over as if there had been no registry")
	}
	if err := fresh.CreateIndex(t.Context(), name(t, "more@1"), NewID(), NewID(), time.Now()); !errors.Is(err, problem.StorageIoError) {
		t.Errorf("change on a node that never read the registry: %v", err)
	}
}

func TestOlderRegistryIsNotTakenOver(t *testing.T) {
	b := memory.New(nil)
	r := open(t, b)
	old, _, err := bucket.ReadAll(t.Context(), b, "registry", "", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	create(t, r, "books@1")
	if _, err := b.PutIf(t.Context(), "registry", bucket.Bytes(old), bucket.Always); err != nil {
		t.Fatal(err)
	}
	if err := r.Refresh(t.Context()); !errors.Is(err, problem.StorageIoError) {
		t.Errorf("read of an older registry: %v", err)
	}
	resolve(t, r, "books")
	if err := r.CreateIndex(t.Context(), name(t, "more@1"), NewID(), NewID(), time.Now()); !errors.Is(err, problem.StorageIoError) {
		t.Errorf("change of an older registry: %v", err)
	}
}

func TestUnknownMembersAndFeatures(t *testing.T) {
	b := memory.New(nil)
	r := open(t, b)
	create(t, r, "books@1")
	err := r.change(t.Context(), func(next *state) error {
		next.Unknown = []byte(`{"later":1}`)
		next.Indexes["books"].Unknown = []byte(`{"owner":"x"}`)
		next.Indexes["new"] = &Index{ID: NewID(), RequiredFeatures: []string{"time"}, Generations: map[string]Generation{}}
		next.Indexes["Bad Name"] = &Index{ID: NewID()}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	r = open(t, b)
	create(t, r, "more@1")
	s := open(t, b).state()
	if string(s.Unknown) != `{"later":1}` || string(s.Indexes["books"].Unknown) != `{"owner":"x"}` {
		t.Errorf("unknown members became %s and %s", s.Unknown, s.Indexes["books"].Unknown)
	}
	if _, err := r.Resolve(name(t, "new")); !errors.Is(err, problem.IndexUnsupported) {
		t.Errorf("index of unknown features: %v", err)
	}
	if len(r.List()) != 3 {
		t.Errorf("%d indexes are listed", len(r.List()))
	}
}

// A node that does not know yet what another node created does not create it again.
func TestWhatExistsIsNotCreatedAgain(t *testing.T) {
	b := memory.New(nil)
	first, second := open(t, b), open(t, b)
	books := create(t, first, "books@1")
	if err := second.CreateIndex(t.Context(), name(t, "books@1"), NewID(), NewID(), time.Now()); !errors.Is(err, problem.IndexAlreadyExists) {
		t.Errorf("an index created twice: %v", err)
	}
	blue := add(t, first, books.Index, "books@blue")
	if err := second.CreateGeneration(t.Context(), name(t, "books@blue"), books.Index, NewID(), time.Now()); !errors.Is(err, problem.IndexGenerationAlreadyExists) {
		t.Errorf("a generation created twice: %v", err)
	}
	if resolve(t, second, "books").Generation != books.Generation || resolve(t, second, "books@blue").Generation != blue.Generation {
		t.Error("what was there is another one now")
	}
}

// Several nodes create, promote and remove at once: every success holds and the
// invariants stay.
func TestNodesRace(t *testing.T) {
	for seed := range uint64(10) {
		b := memory.New(nil)
		open(t, b)
		var nodes sync.WaitGroup
		created := make([]map[string]int, 4)
		for n := range created {
			created[n] = map[string]int{}
			nodes.Go(func() {
				r, random := open(t, b), rand.New(rand.NewPCG(seed, uint64(n)))
				for range 30 {
					step(t.Context(), r, random, created[n])
				}
			})
		}
		nodes.Wait()
		alive := map[string]int{}
		for _, node := range created {
			for name, n := range node {
				alive[name] += n
			}
		}
		r := open(t, b)
		for name, want := range alive {
			_, err := r.Find(Name{Index: name})
			if want < 0 || want > 1 || (want == 1) != (err == nil) {
				t.Errorf("seed %d: %s was created %d times more than removed, %v", seed, name, want, err)
			}
		}
		seen := map[ID]bool{}
		for _, index := range r.List() {
			if _, ok := index.Generations[index.Live]; !ok || seen[index.ID] {
				t.Errorf("seed %d: %+v", seed, index)
			}
			seen[index.ID] = true
		}
	}
}

func step(ctx context.Context, r *Registry, random *rand.Rand, alive map[string]int) {
	index := fmt.Sprintf("i%d", random.IntN(3))
	switch random.IntN(4) {
	case 0:
		if r.CreateIndex(ctx, Name{index, "1"}, NewID(), NewID(), time.Now()) == nil {
			alive[index]++
		}
	case 1:
		if _, err := r.RemoveIndex(ctx, Name{Index: index}, time.Now()); err == nil {
			alive[index]--
		}
	case 2:
		if found, err := r.Find(Name{Index: index}); err == nil {
			_ = r.CreateGeneration(ctx, Name{index, fmt.Sprint(random.IntN(4))}, found.ID, NewID(), time.Now())
		}
	case 3:
		if e, err := r.Resolve(Name{index, fmt.Sprint(random.IntN(4))}); err == nil {
			live, _ := r.Resolve(e.Name.Bare())
			_ = r.Promote(ctx, live, e)
			_, _ = r.RemoveGeneration(ctx, e.Name, time.Now())
		}
	}
}

// Changes of one node wait for each other instead of conflicting.
func TestChangesOfOneNodeDoNotConflict(t *testing.T) {
	r := open(t, memory.New(nil))
	var changes sync.WaitGroup
	for i := range 40 {
		changes.Go(func() {
			if err := r.CreateIndex(t.Context(), Name{fmt.Sprintf("i%d", i), "1"}, NewID(), NewID(), time.Now()); err != nil {
				t.Error(err)
			}
		})
	}
	changes.Wait()
	if n := len(r.List()); n != 40 {
		t.Errorf("%d indexes", n)
	}
}

// A generation never takes over data stored under its id.
func TestHeldStorageRefusesAGeneration(t *testing.T) {
	b := memory.New(nil)
	first := Identity{Index: "books", IndexID: NewID(), Generation: "1", GenerationID: NewID()}
	if err := Identify(t.Context(), b, first); err != nil {
		t.Fatal(err)
	}
	second := first
	second.Generation = "2"
	err := Identify(t.Context(), b, second)
	if !errors.Is(err, problem.IndexGenerationStorageHeld) || problem.All(err)[0].Arguments["generation"] != "2" {
		t.Errorf("got %v", err)
	}
}
