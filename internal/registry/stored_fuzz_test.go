package registry

import (
	"log/slog"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/versioned"
)

// S24: whatever the stored registry holds, only names and ids that could have been
// made come out of it, and a change of it works or is refused.
func FuzzStoredRegistry(f *testing.F) {
	f.Add([]byte(`{"deployment":"00000000000000000000000000000009","indexes":{"books":{"id":"00000000000000000000000000000001","live":"1","generations":{"1":{"id":"00000000000000000000000000000002","createdAt":"2026-01-01T00:00:00Z"}}}}}`))
	f.Add([]byte(`{"deployment":"00000000000000000000000000000009","indexes":{"../x":{"id":"zz"},"A":null,"b":{"id":"00000000000000000000000000000001","live":"2","generations":{"..":{}}}}}`))
	f.Add([]byte(`{"deployment":"00000000000000000000000000000009","indexes":{"b":{"id":"00000000000000000000000000000001","requiredFeatures":["x"],"intent":{"job":"j"}}},"removed":[{},null]}`))
	f.Fuzz(func(t *testing.T, stored []byte) {
		if !jsontext.Value(stored).IsValid() {
			return
		}
		b := memory.New(nil)
		raw := versioned.New[jsontext.Value](b, objectKey, resource)
		if _, err := raw.Replace(t.Context(), versioned.Object[jsontext.Value]{}, jsontext.Value(stored)); err != nil {
			return
		}
		r, err := Open(t.Context(), b, slog.New(slog.DiscardHandler))
		if err != nil {
			return
		}
		for _, index := range r.List() {
			if !IsIndexName(index.Name) || index.ID.IsZero() {
				t.Fatalf("%s lists %q", stored, index.Name)
			}
			for _, generation := range index.GenerationNames() {
				if !isGenerationName(generation) || index.Generations[generation].ID.IsZero() {
					t.Fatalf("%s lists %q of %q", stored, generation, index.Name)
				}
			}
			_, _ = r.Resolve(Name{Index: index.Name})
		}
		_ = r.CreateIndex(t.Context(), Name{Index: "fresh", Generation: "1"}, NewID(), NewID(), time.Now())
		_, _ = r.RemoveIndex(t.Context(), Name{Index: "books"}, time.Now())
		_, _ = r.Audit(t.Context(), nil, nil)
	})
}
