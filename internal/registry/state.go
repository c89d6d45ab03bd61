package registry

import (
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// state is the stored object. A state that was read or written never changes;
// changes work on a clone.
type state struct {
	Deployment ID                `json:"deployment"` // whose registry this is
	Indexes    map[string]*Index `json:"indexes"`
	Removed    []Removed         `json:"removed,omitempty"`
	Forgotten  []ID              `json:"forgotten,omitempty"` // the last generations whose data is gone

	Unknown jsontext.Value `json:",embed"`
}

// Index is what the registry knows of an index.
type Index struct {
	ID               ID                    `json:"id"`
	CreatedAt        time.Time             `json:"createdAt,omitzero"`
	Live             string                `json:"live,omitempty"` // name of a generation; empty: none
	Generations      map[string]Generation `json:"generations"`
	Intent           *Intent               `json:"intent,omitzero"`
	Settings         uint64                `json:"settings,omitzero"` // hint: revision of the search settings
	RequiredFeatures []string              `json:"requiredFeatures,omitempty"`

	Unknown jsontext.Value `json:",embed"`
}

// Generation is what the registry knows of a generation.
type Generation struct {
	ID        ID        `json:"id"`
	CreatedAt time.Time `json:"createdAt,omitzero"` // zero when a repair of an earlier version added it
	Manifest  uint64    `json:"manifest,omitzero"`  // hint: version of the manifest
	// Undone is when the generation was removed, if it was restored since. A
	// removal mark of that time, which the store may apply late, does not count.
	Undone time.Time `json:"undone,omitzero"`

	Unknown jsontext.Value `json:",embed"`
}

// Intent announces a promotion by a reindex job. The promotion itself requires it,
// so a job that another node took over can no longer promote.
type Intent struct {
	Job    string `json:"job"`
	Target string `json:"target"` // name of the generation
	Epoch  uint64 `json:"epoch"`
}

// Removed is a generation whose data may still exist.
type Removed struct {
	Index        string    `json:"index"`
	IndexID      ID        `json:"indexId"`
	Generation   string    `json:"generation"`
	GenerationID ID        `json:"generationId"`
	RemovedAt    time.Time `json:"removedAt"`
	Whole        bool      `json:"whole,omitempty"`  // the whole index was removed
	Erased       bool      `json:"erased,omitempty"` // its objects are being deleted: nothing brings it back
}

func (s state) clone() state {
	next := state{Deployment: s.Deployment, Indexes: make(map[string]*Index, len(s.Indexes)+1), Removed: slices.Clone(s.Removed),
		Forgotten: slices.Clone(s.Forgotten), Unknown: s.Unknown}
	for name, index := range s.Indexes {
		next.Indexes[name] = index.clone()
	}
	return next
}

func (i *Index) clone() *Index {
	next := *i
	next.Generations = maps.Clone(i.Generations)
	if i.Intent != nil {
		intent := *i.Intent
		next.Intent = &intent
	}
	return &next
}

// GenerationNames returns the names of the generations in order.
func (i *Index) GenerationNames() []string {
	return slices.Sorted(maps.Keys(i.Generations))
}

// remove adds a generation of an index to the list of removed ones.
func (s *state) remove(name string, index *Index, generation string, whole bool, at time.Time) {
	s.Removed = append(s.Removed, Removed{
		Index: name, IndexID: index.ID, Generation: generation,
		GenerationID: index.Generations[generation].ID, RemovedAt: at, Whole: whole,
	})
}

// settle makes RG3 hold for every entry that came from storage. It writes nothing
// to a settled state.
func (s *state) settle() {
	for name, index := range s.Indexes {
		if index == nil || !IsIndexName(name) || index.ID.IsZero() {
			delete(s.Indexes, name)
			continue
		}
		for generation, g := range index.Generations {
			if !isGenerationName(generation) || g.ID.IsZero() {
				delete(index.Generations, generation)
			}
		}
		if _, ok := index.Generations[index.Live]; !ok && index.Live != "" {
			index.Live = ""
		}
	}
}
