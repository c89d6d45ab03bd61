package reindex

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/versioned"
)

func TestPhases(t *testing.T) {
	for _, phase := range phases {
		finished := phase == Done || phase == Failed || phase == Cancelled
		if !IsPhase(string(phase)) || phase.IsFinished() != finished {
			t.Errorf("%s: known %v, finished %v", phase, IsPhase(string(phase)), phase.IsFinished())
		}
	}
	for _, text := range []string{"", "READY", "paused", "ready "} {
		if IsPhase(text) {
			t.Errorf("%q is a phase", text)
		}
	}
}

// A record keeps members that a later version added.
func TestUnknownMembersOfARecordAreKept(t *testing.T) {
	b, index := memory.New(nil), registry.NewID()
	raw := versioned.New[jsontext.Value](b, recordKey(index), resource)
	if _, err := raw.Replace(t.Context(), versioned.Object[jsontext.Value]{},
		jsontext.Value(`{"record":{"index":"books","target":"books@2","source":"books@1","phase":"ready"},"indexId":"`+index.String()+`","epoch":3,"later":{"a":1}}`)); err != nil {
		t.Fatal(err)
	}
	r := records{b}
	held, err := r.read(t.Context(), index)
	if err != nil {
		t.Fatal(err)
	}
	next := held.Value
	next.Epoch++
	if _, err := r.replace(t.Context(), held, next); err != nil {
		t.Fatal(err)
	}
	found, err := raw.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(found.Value, &members); err != nil || string(members["later"]) != `{"a":1}` || string(members["epoch"]) != "4" {
		t.Errorf("%s, %v", found.Value, err)
	}
}

// S24: whatever a stored record holds, its names and ids are those of generations
// or of nothing.
func FuzzStoredRecord(f *testing.F) {
	f.Add([]byte(`{"record":{"id":"1","index":"books","target":"books@2","source":"books@1","phase":"copying"},"indexId":"00000000000000000000000000000001","epoch":1,"cursor":"a"}`))
	f.Add([]byte(`{"record":{"target":"../x","source":"@","phase":"nonsense"},"indexId":"zz"}`))
	f.Fuzz(func(t *testing.T, stored []byte) {
		if !jsontext.Value(stored).IsValid() {
			return
		}
		b, index := memory.New(nil), registry.NewID()
		raw := versioned.New[jsontext.Value](b, recordKey(index), resource)
		if _, err := raw.Replace(t.Context(), versioned.Object[jsontext.Value]{}, jsontext.Value(stored)); err != nil {
			return
		}
		held, err := records{b}.read(t.Context(), index)
		if err != nil {
			return
		}
		for _, entry := range []registry.Entry{held.Value.source(), held.Value.target()} {
			if entry.Name.Index != "" && !registry.IsIndexName(entry.Name.Index) {
				t.Fatalf("%s names %q", stored, entry.Name)
			}
		}
		_ = held.Value.id()
	})
}
