package judgementstore

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/judgement"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/versioned"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

func put(body string) func(Held) (*judgement.Set, error) {
	return func(Held) (*judgement.Set, error) { return judgement.Decode([]byte(body), query.DefaultLimits()) }
}

const lamp = `{"queries":[{"text":"lamp","known":"1"}]}`

func TestSetsOfAnIndex(t *testing.T) {
	b := memory.New(nil)
	s, index := New(b, query.DefaultLimits()), registry.NewID()
	if set, err := s.Read(t.Context(), index, "base"); set != nil || err != nil {
		t.Fatalf("no set: %v, %v", set, err)
	}
	first, existed, err := s.Change(t.Context(), index, "base", put(lamp))
	if err != nil || existed {
		t.Fatalf("first set: %v, %v", existed, err)
	}
	if _, existed, err := s.Change(t.Context(), index, "base", put(lamp)); err != nil || !existed {
		t.Fatalf("replaced: %v, %v", existed, err)
	}
	found, err := New(b, query.DefaultLimits()).Read(t.Context(), index, "base")
	if err != nil || found.Version() != first.Version() {
		t.Fatalf("another node reads %v, %v", found, err)
	}
	refused := errors.New("refused")
	if _, _, err := s.Change(t.Context(), index, "base", func(Held) (*judgement.Set, error) { return nil, refused }); !errors.Is(err, refused) {
		t.Fatalf("refused change: %v", err)
	}
	_, _, _ = s.Change(t.Context(), index, "a", put(lamp))
	_, _, _ = s.Change(t.Context(), registry.NewID(), "other", put(lamp))
	if names, err := s.List(t.Context(), index); err != nil || !slices.Equal(names, []string{"a", "base"}) {
		t.Fatalf("listed %v, %v", names, err)
	}
	if err := errors.Join(s.Delete(t.Context(), index, "a"), s.Delete(t.Context(), index, "a"), s.DeleteAll(t.Context(), index)); err != nil {
		t.Fatal(err)
	}
	if names, _ := s.List(t.Context(), index); len(names) != 0 {
		t.Fatalf("%v are left", names)
	}
}

func TestSetsAreBounded(t *testing.T) {
	s, index := New(memory.New(nil), query.DefaultLimits()), registry.NewID()
	for i := range MaxSets {
		if _, _, err := s.Change(t.Context(), index, fmt.Sprint("s", i), put(lamp)); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := s.Change(t.Context(), index, "more", put(lamp)); !errors.Is(err, problem.JudgementsTooMany) {
		t.Fatalf("one more set: %v", err)
	}
	if _, _, err := s.Change(t.Context(), index, "s0", put(lamp)); err != nil {
		t.Fatalf("a set that is there: %v", err)
	}
}

// Whatever is stored is read or rejected, and can be replaced.
func FuzzStoredJudgements(f *testing.F) {
	f.Add([]byte(`{"judgements":` + lamp + `}`))
	f.Add([]byte(`{"judgements":{"queries":[{"search":{"query":[]},"expect":{"above":[["1","2"]]}}],"later":1},"more":[]}`))
	f.Add([]byte(`{"judgements":[]}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		if !jsontext.Value(content).IsValid() {
			return
		}
		b, index := memory.New(nil), registry.NewID()
		raw := versioned.New[jsontext.Value](b, prefix(index)+"base", resource)
		if _, err := raw.Replace(t.Context(), versioned.Object[jsontext.Value]{}, jsontext.Value(content)); err != nil {
			return
		}
		s := New(b, query.DefaultLimits())
		if set, err := s.Read(t.Context(), index, "base"); err == nil && set != nil && set.Version() == "" {
			t.Fatalf("%s has no version", content)
		}
		if _, _, err := s.Change(t.Context(), index, "base", put(lamp)); err != nil && !errors.Is(err, problem.StorageIoError) {
			t.Fatalf("%s cannot be replaced: %v", content, err)
		}
	})
}
