package judgement

import (
	"maps"
	"slices"

	"github.com/quiresearch/quire/internal/change"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// Patch applies a change object: its names are change paths, and null removes a
// value. It does not modify s.
func (s *Set) Patch(body []byte, limits query.Limits) (*Set, error) {
	var found problem.List
	changes, ok := jsonread.Parse(body, &found)
	if !ok {
		return nil, found.Err()
	}
	tree := change.ParseTree(s.document)
	target := change.Target{Tree: tree, Shape: setShape, Codes: change.SettingsCodes(), Found: &found}
	changes.Members(func(path string, value jsonread.Value) bool {
		if found.Len() < maxProblems {
			target.Apply(path, value.Raw())
		}
		return true
	})
	if err := found.Err(); err != nil {
		return nil, err
	}
	return Decode(tree.Append(nil), limits)
}

// maxProblems bounds the problems reported for one body.
const maxProblems = 1000

// shape is the structure allowed at a path of a set.
type shape struct {
	members map[string]shape
	every   *shape // of a map with free names
	isList  bool
	key     string
}

// Member returns the shape of a member.
func (s shape) Member(name string) (change.Shape, bool) {
	if s.every != nil {
		return *s.every, true
	}
	inner, ok := s.members[name]
	return inner, ok
}

// Names returns the names of the members.
func (s shape) Names() []string { return slices.Sorted(maps.Keys(s.members)) }

// IsObject reports whether the values are objects.
func (s shape) IsObject() bool { return s.members != nil || s.every != nil }

// IsMultiple reports whether the value is a list.
func (s shape) IsMultiple() bool { return s.isList }

// Key returns the member that identifies a value of a list.
func (s shape) Key() string { return s.key }

// IsLocalized reports false: nothing in a set has variants.
func (s shape) IsLocalized() bool { return false }

// Variant reports false: there are no variants.
func (s shape) Variant(string) (string, bool) { return "", false }

var (
	single   = shape{}
	texts    = shape{isList: true}
	setShape = shape{members: map[string]shape{
		"bounds": {members: map[string]shape{"minNdcg": single, "maxLoss": single, "expectations": single}},
		"queries": {isList: true, key: "id", members: map[string]shape{
			"id": single, "text": single, "search": single, "locale": single, "weight": single, "known": single,
			"grades": {every: &single},
			"expect": {members: map[string]shape{"mustHit": texts, "mustNotHit": texts, "above": texts, "atLeast": single}},
		}},
	}}
)
