package settingstore

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/versioned"
	"github.com/quiresearch/quire/settings"
)

// S24: whatever the stored settings of an index are, they are read, set aside or
// rejected, and can be replaced.
func FuzzStoredSettings(f *testing.F) {
	f.Add([]byte(`{"settings":{"ranking":{}},"features":["declared_values"]}`))
	f.Add([]byte(`{"settings":{"ranking":{"signals":[{"field":"a","linear":{"ceiling":1}}]},"later":1},"features":["later"],"more":[]}`))
	f.Add([]byte(`{"settings":[],"features":null}`))
	f.Fuzz(func(t *testing.T, stored []byte) {
		if !jsontext.Value(stored).IsValid() {
			return
		}
		b, index := memory.New(nil), registry.NewID()
		raw := versioned.New[jsontext.Value](b, key(index), resource)
		if _, err := raw.Replace(t.Context(), versioned.Object[jsontext.Value]{}, jsontext.Value(stored)); err != nil {
			return
		}
		s := New(b)
		if held, err := s.Read(t.Context(), index); err == nil && held.Settings != nil && held.Version() == "" {
			t.Fatalf("%s has no version", stored)
		}
		_, _ = s.Current(t.Context(), index)
		_, _, _ = s.Change(t.Context(), index, func(Held) (*settings.Settings, error) { return settings.Decode([]byte(`{}`)) })
	})
}
