package search

import (
	"sync"
	"weak"

	"github.com/quiresearch/quire/definition"
)

// asked remembers what searches asked of facets, by schema, so that it can be
// prepared when a reader changes.
type asked struct {
	mu sync.Mutex
	of map[weak.Pointer[definition.Schema]]map[askedFor]bool
}

// askedFor is a state of one field that was asked for in a locale.
type askedFor struct {
	kind   askedKind
	field  string
	locale string
}

type askedKind uint8

const (
	askedCounts askedKind = iota // counts over all documents
	askedForms                   // normalized forms of suggested values
	askedValues                  // the value index of an interpreted field
)

// Bounds of what is remembered.
const (
	maxAsked        = 64
	maxAskedSchemas = 1024
)

func newAsked() *asked {
	return &asked{of: make(map[weak.Pointer[definition.Schema]]map[askedFor]bool)}
}

func (a *asked) note(schema *definition.Schema, what askedFor) {
	key := weak.Make(schema)
	a.mu.Lock()
	defer a.mu.Unlock()
	known := a.of[key]
	if known[what] || len(known) >= maxAsked {
		return
	}
	if known == nil {
		for old := range a.of {
			if old.Value() == nil || len(a.of) >= maxAskedSchemas {
				delete(a.of, old)
			}
		}
		known = make(map[askedFor]bool)
		a.of[key] = known
	}
	known[what] = true
}

func (a *asked) list(schema *definition.Schema) []askedFor {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []askedFor
	for what := range a.of[weak.Make(schema)] {
		all = append(all, what)
	}
	return all
}
