package registry

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quiresearch/quire/internal/versioned"
)

// Audit compares the registry with the storage.
type Audit struct {
	Registry string         `json:"registry"` // present, absent or corrupt
	Indexes  []AuditedIndex `json:"indexes"`
	Unusable []string       `json:"unusable"`
	// KeptCopies names copies on the disk of the answering node that the registry
	// ceased to list although no client removed them.
	KeptCopies []string `json:"keptCopies,omitempty"`
}

// AuditedIndex is an index that the registry, the storage or both know.
type AuditedIndex struct {
	Name         string              `json:"name"`
	Registered   bool                `json:"registered"`
	Live         string              `json:"live,omitempty"`
	ProposedLive string              `json:"proposedLive,omitempty"`
	RemovedAt    *time.Time          `json:"removedAt,omitzero"`
	Generations  []AuditedGeneration `json:"generations"`
}

// AuditedGeneration is a generation of an AuditedIndex.
type AuditedGeneration struct {
	Name       string     `json:"name"`
	Registered bool       `json:"registered"`
	Stored     string     `json:"stored"`           // synced, damaged, incomplete or missing
	Lacking    int        `json:"lacking,omitzero"` // objects that a damaged one lacks
	RemovedAt  *time.Time `json:"removedAt,omitzero"`
}

// owner distinguishes indexes of one name: a removed one and its successor.
type owner struct {
	name string
	id   ID
}

// Lacking returns how many objects that a generation needs are not stored, or not
// as its manifest says.
type Lacking func(ctx context.Context, generation ID) (int, error)

// Audit reads registry and storage and changes nothing.
func (r *Registry) Audit(ctx context.Context, synced Synced, lacking Lacking) (Audit, error) {
	audit := Audit{Registry: "present", Indexes: []AuditedIndex{}, Unusable: []string{}}
	held, err := r.stored(ctx)
	switch {
	case errors.Is(err, versioned.ErrCorrupt), errors.Is(err, errForeign):
		audit.Registry = "corrupt"
	case err != nil:
		return Audit{}, err
	case !held.Exists():
		audit.Registry = "absent"
	}
	held.Value.settle()
	found, unusable, err := r.survey(ctx, synced)
	if err != nil {
		return Audit{}, err
	}
	for i := range found {
		if found[i].synced && lacking != nil {
			if found[i].lacking, err = lacking(ctx, found[i].GenerationID); err != nil {
				return Audit{}, storageFailed(err)
			}
		}
	}
	if audit.Registry != "present" {
		dropUndone(found, r.lastKnown().Value)
	}
	audit.Unusable = append(audit.Unusable, unusable...)
	slices.Sort(audit.Unusable)
	byOwner := storedByOwner(withoutReplaced(withRemoved(found, held.Value.Removed), held.Value.Indexes))
	for name, index := range held.Value.Indexes {
		stored := byOwner[owner{name, index.ID}]
		delete(byOwner, owner{name, index.ID})
		audit.Indexes = append(audit.Indexes, auditRegistered(name, index, stored))
	}
	for of, stored := range byOwner {
		audit.Indexes = append(audit.Indexes, auditUnregistered(of.name, stored))
	}
	slices.SortFunc(audit.Indexes, func(a, b AuditedIndex) int {
		switch {
		case a.Name != b.Name:
			return strings.Compare(a.Name, b.Name)
		case a.Registered != b.Registered && a.Registered:
			return -1
		}
		return 1
	})
	return audit, nil
}

// withoutReplaced leaves out removed generations whose name was reused: they cannot
// come back and only wait to be swept.
func withoutReplaced(found []storedGeneration, indexes map[string]*Index) []storedGeneration {
	indexOf := make(map[string]ID)    // the index created last under a name
	generationOf := make(map[Name]ID) // the generation of that index created last under a name
	slices.SortFunc(found, func(a, b storedGeneration) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.GenerationID.String(), b.GenerationID.String()))
	})
	for _, g := range found {
		indexOf[g.Index] = g.IndexID
	}
	for name, index := range indexes {
		indexOf[name] = index.ID
	}
	for _, g := range found {
		if g.IndexID == indexOf[g.Index] {
			generationOf[Name{g.Index, g.Generation}] = g.GenerationID
		}
	}
	for name, index := range indexes {
		for generation, registered := range index.Generations {
			generationOf[Name{name, generation}] = registered.ID
		}
	}
	return slices.DeleteFunc(found, func(g storedGeneration) bool {
		return g.mark != nil && generationOf[Name{g.Index, g.Generation}] != g.GenerationID
	})
}

func storedByOwner(found []storedGeneration) map[owner][]storedGeneration {
	byOwner := make(map[owner][]storedGeneration)
	for _, g := range found {
		of := owner{g.Index, g.IndexID}
		byOwner[of] = append(byOwner[of], g)
	}
	return byOwner
}

func auditRegistered(name string, index *Index, stored []storedGeneration) AuditedIndex {
	audited := AuditedIndex{Name: name, Registered: true, Live: index.Live, Generations: []AuditedGeneration{}}
	byID := make(map[ID]storedGeneration)
	for _, g := range stored {
		byID[g.GenerationID] = g
	}
	for _, generation := range index.GenerationNames() {
		id := index.Generations[generation].ID
		one := AuditedGeneration{Name: generation, Registered: true, Stored: "missing"}
		if g, ok := byID[id]; ok {
			one.Stored, one.Lacking = g.state(), g.lacking
		}
		delete(byID, id)
		audited.Generations = append(audited.Generations, one)
	}
	for _, g := range byID {
		audited.Generations = append(audited.Generations, g.audited(false))
	}
	sortAudited(audited.Generations)
	return audited
}

func auditUnregistered(name string, stored []storedGeneration) AuditedIndex {
	audited := AuditedIndex{Name: name, Generations: []AuditedGeneration{}}
	whole := slices.IndexFunc(stored, func(g storedGeneration) bool { return g.mark != nil && g.mark.Whole })
	isRemoved := whole >= 0 && !slices.ContainsFunc(stored, func(g storedGeneration) bool { return g.mark == nil })
	if isRemoved {
		at := stored[whole].mark.RemovedAt
		audited.RemovedAt = &at
	} else {
		audited.ProposedLive = newest(stored)
	}
	for _, g := range stored {
		audited.Generations = append(audited.Generations, g.audited(isRemoved && g.mark.Whole))
	}
	sortAudited(audited.Generations)
	return audited
}

func (g storedGeneration) state() string {
	switch {
	case g.lacking > 0:
		return "damaged"
	case g.synced:
		return "synced"
	}
	return "incomplete"
}

func (g storedGeneration) audited(whole bool) AuditedGeneration {
	a := AuditedGeneration{Name: g.Generation, Stored: g.state(), Lacking: g.lacking}
	if g.mark != nil && !whole {
		at := g.mark.RemovedAt
		a.RemovedAt = &at
	}
	return a
}

// newest returns the highest-numbered generation that is stored and not marked, or
// an empty string. It never returns generations named by hand.
func newest(stored []storedGeneration) string {
	best, name := -1, ""
	for _, g := range stored {
		number, err := strconv.Atoi(g.Generation)
		if err == nil && strconv.Itoa(number) == g.Generation && g.synced && g.mark == nil && number > best {
			best, name = number, g.Generation
		}
	}
	return name
}

func sortAudited(generations []AuditedGeneration) {
	slices.SortFunc(generations, func(a, b AuditedGeneration) int { return strings.Compare(a.Name, b.Name) })
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
