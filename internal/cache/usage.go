package cache

import (
	"sync"
	"weak"
)

// Bounds of a Usage.
const (
	maxUses       = 64   // of one owner
	maxUsedOwners = 1024 // beyond that, arbitrary owners are evicted
)

// Usage remembers what was used under an owner, such as the facets of a schema, so
// that it can be rebuilt before it is needed again. It does not keep its owners
// alive. A Usage is safe for concurrent use.
type Usage[O any, U comparable] struct {
	mu sync.Mutex
	of map[weak.Pointer[O]]map[U]bool
}

// NewUsage returns an empty Usage.
func NewUsage[O any, U comparable]() *Usage[O, U] {
	return &Usage[O, U]{of: make(map[weak.Pointer[O]]map[U]bool)}
}

// Note remembers a use, unless the owner has reached maxUses.
func (u *Usage[O, U]) Note(owner *O, use U) {
	key := weak.Make(owner)
	u.mu.Lock()
	defer u.mu.Unlock()
	uses := u.of[key]
	if uses[use] || len(uses) >= maxUses {
		return
	}
	if uses == nil {
		for old := range u.of {
			if old.Value() == nil || len(u.of) >= maxUsedOwners {
				delete(u.of, old)
			}
		}
		uses = make(map[U]bool)
		u.of[key] = uses
	}
	uses[use] = true
}

// List returns what was used under an owner, in no particular order.
func (u *Usage[O, U]) List(owner *O) []U {
	u.mu.Lock()
	defer u.mu.Unlock()
	var all []U
	for use := range u.of[weak.Make(owner)] {
		all = append(all, use)
	}
	return all
}
