package ownership

import (
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/registry"
)

const (
	objectKey = "leadership"
	resource  = "leadership"
)

// leadership is the stored object. A leadership that was read or written never
// changes; changes work on a clone.
type leadership struct {
	Sessions map[string]session     `json:"sessions"`
	Claims   map[registry.ID]string `json:"claims"`           // the session that writes an index
	Loads    map[registry.ID]int    `json:"loads,omitempty"`  // how much an index is written; absent: hardly
	Offers   map[registry.ID]string `json:"offers,omitempty"` // indexes on offer, and the session that takes one; empty: none yet

	Unknown jsontext.Value `json:",embed"`
}

// session is one run of a node that may write.
type session struct {
	Node    string `json:"node"`
	Address string `json:"address,omitempty"`
	Beat    uint64 `json:"beat"`              // grows while the run continues
	RootKey string `json:"rootKey,omitempty"` // fingerprint of the node's root key
	Full    bool   `json:"full,omitzero"`     // it cannot store writes

	Unknown jsontext.Value `json:",embed"`
}

func (l leadership) clone() leadership {
	next := leadership{Sessions: maps.Clone(l.Sessions), Claims: maps.Clone(l.Claims), Loads: maps.Clone(l.Loads),
		Offers: maps.Clone(l.Offers), Unknown: l.Unknown}
	if next.Sessions == nil {
		next.Sessions = make(map[string]session)
	}
	if next.Claims == nil {
		next.Claims = make(map[registry.ID]string)
	}
	if next.Loads == nil {
		next.Loads = make(map[registry.ID]int)
	}
	if next.Offers == nil {
		next.Offers = make(map[registry.ID]string)
	}
	return next
}

// remove ends a session. Its claims go to heir, or to no session when heir is
// empty.
func (l *leadership) remove(ended, heir string) {
	delete(l.Sessions, ended)
	for index, holder := range l.Claims {
		if holder != ended {
			continue
		}
		delete(l.Offers, index)
		if heir != "" {
			l.Claims[index] = heir
		} else {
			delete(l.Claims, index)
		}
	}
}

// held returns the indexes that a session writes.
func (l leadership) held(id string) map[registry.ID]bool {
	all := make(map[registry.ID]bool)
	for index, holder := range l.Claims {
		if holder == id {
			all[index] = true
		}
	}
	return all
}

// watch is what a node saw of the sessions of others.
type watch map[string]sighting

type sighting struct {
	beat uint64
	at   time.Duration // on the clock of this node
	wall time.Time     // for display only
}

// see records every session of a state that was read.
func (w watch) see(l leadership, at time.Duration, wall time.Time) {
	for id, s := range l.Sessions {
		if seen, ok := w[id]; !ok || seen.beat != s.Beat {
			w[id] = sighting{beat: s.Beat, at: at, wall: wall}
		}
	}
	for id := range w {
		if _, ok := l.Sessions[id]; !ok {
			delete(w, id)
		}
	}
}

// isOver reports whether a session has ended, or showed no beat for a whole lease
// up to the last read (OW1).
func (w watch) isOver(l leadership, id string, read, lease time.Duration) bool {
	if _, ok := l.Sessions[id]; !ok {
		return true
	}
	seen, ok := w[id]
	return ok && read-seen.at >= lease
}

// candidates returns the ids of the sessions that are not over, ordered by node.
func (l leadership) candidates(isOver func(id string) bool) []string {
	var all []string
	for id := range l.Sessions {
		if !isOver(id) {
			all = append(all, id)
		}
	}
	slices.SortFunc(all, func(a, b string) int {
		if x, y := l.Sessions[a].Node, l.Sessions[b].Node; x != y {
			if x < y {
				return -1
			}
			return 1
		}
		if a < b {
			return -1
		}
		return 1
	})
	return all
}
