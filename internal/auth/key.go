package auth

import (
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Key is a stored API key. Only the hash of its secret is kept.
type Key struct {
	ID               string     `json:"id"`
	Description      string     `json:"description"`
	Grants           []Grant    `json:"grants"`
	CreatedAt        time.Time  `json:"createdAt"`
	ExpiresAt        *time.Time `json:"expiresAt,omitzero"`
	RequiredFeatures []string   `json:"required_features,omitempty"`
	SecretHash       string     `json:"secretSha256"`

	Unknown jsontext.Value `json:",embed"`
}

// isAccepted reports whether this build understands everything the key needs. No
// feature has a name yet.
func (k *Key) isAccepted() bool { return len(k.RequiredFeatures) == 0 }

// isLapsed reports whether the key has expired.
func (k *Key) isLapsed(now time.Time) bool { return k.ExpiresAt != nil && !k.ExpiresAt.After(now) }

// isUsable reports whether the key authenticates at all.
func (k *Key) isUsable(now time.Time) bool { return k.isAccepted() && !k.isLapsed(now) }

func (k *Key) holds(p Permission) bool {
	return slices.ContainsFunc(k.Grants, func(g Grant) bool { return g.holds(p) })
}

// holdsOnly reports whether the key holds p and nothing else.
func (k *Key) holdsOnly(p Permission) bool {
	for _, g := range k.Grants {
		for _, held := range g.Permissions {
			if held != p {
				return false
			}
		}
	}
	return k.holds(p)
}

// keySet is the stored object: every key of the deployment, ordered by id.
type keySet struct {
	Keys    []Key          `json:"keys"`
	Unknown jsontext.Value `json:",embed"`
}

func (s keySet) find(id string) *Key {
	for i := range s.Keys {
		if s.Keys[i].ID == id {
			return &s.Keys[i]
		}
	}
	return nil
}

// with returns the set with a key added or replaced.
func (s keySet) with(k Key) keySet {
	s.Keys = slices.Clone(s.Keys)
	at, found := slices.BinarySearchFunc(s.Keys, k.ID, func(have Key, id string) int {
		return strings.Compare(have.ID, id)
	})
	if found {
		s.Keys[at] = k
	} else {
		s.Keys = slices.Insert(s.Keys, at, k)
	}
	return s
}

// without returns the set with a key removed.
func (s keySet) without(id string) keySet {
	s.Keys = slices.DeleteFunc(slices.Clone(s.Keys), func(k Key) bool { return k.ID == id })
	return s
}
