package settings

import (
	"maps"
	"slices"
	"strings"

	"github.com/quiresearch/quire/internal/change"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
)

// Patch applies a change object: its names are change paths, and null clears. The
// receiver may be nil, which stands for empty settings, and is not modified. The
// error holds every problem that can be found without a definition, at the path of
// its change; as with Decode, the settings may be returned as well.
func (s *Settings) Patch(body []byte) (*Settings, error) {
	var found problem.List
	changes, ok := jsonread.Parse(body, &found)
	if !ok {
		return nil, found.Err()
	}
	before := []byte("{}")
	if s != nil {
		if len(s.UnsupportedFeatures) > 0 {
			return nil, problem.SettingsUnrepresentable.New("features", strings.Join(s.UnsupportedFeatures, ", "))
		}
		before = s.document
	}
	tree := change.ParseTree(before)
	target := change.Target{Tree: tree, Shape: settingsShape, Codes: change.SettingsCodes(), Found: &found}
	made := []applied{} // not nil, because an empty change is a change too
	changes.Members(func(path string, value jsonread.Value) bool {
		made = append(made, appliedTo(path, value.IsNull()))
		if found.Len() >= maxProblems || refuseSelector(path, &found) {
			return true
		}
		target.Apply(path, value.Raw())
		return true
	})
	if err := found.Err(); err != nil {
		return nil, err
	}
	// Settings stored with too much content can still be changed, even step by step.
	next, err := decode(tree.Append(nil), s.isWithinBounds())
	refuseValues(problem.All(err), tree)
	located(problem.All(err), made)
	if next != nil {
		next.changes = made
	}
	return next, err
}

// refuseValues reports values of the wrong kind at the change that placed them: the
// place exists but does not accept the value.
func refuseValues(found problem.Problems, tree *change.Tree) {
	tree.Written(problem.Path{}, func(stands problem.Path, written string) {
		place := stands.String()
		for _, p := range found {
			if p.Code == problem.RequestValueInvalid && isInside(p.Path, place) {
				*p = *problem.SettingsPatchValueInvalid.At(problem.At(written), "path", written, "reason", p.Arguments["reason"])
			}
		}
	})
}

// isInside reports whether a path leads to place or into it.
func isInside(path, place string) bool {
	rest, ok := strings.CutPrefix(path, place)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// refuseSelector reports a selector that does not fit its place: a word selects
// only values of a list that declares a key, and a match only objects of a list.
func refuseSelector(path string, found *problem.List) bool {
	steps, err := change.ParsePath(path)
	if err != nil {
		return false // reported when the change is applied
	}
	at := settingsShape
	for _, step := range steps {
		inner, ok := at.members(step.Name)
		if !ok {
			return false
		}
		if code := inner.refuses(step.Selector.Kind); code != nil {
			found.Report(code.At(problem.At(path), "path", path, "name", step.Name))
			return true
		}
		at = inner
	}
	return false
}

func (s shape) refuses(kind change.SelectorKind) *problem.Code {
	switch {
	case kind == change.Word && s.list && s.key == "":
		return problem.SettingsPatchKeyUnsupported
	case kind == change.Match && !s.IsObject():
		return problem.SettingsPatchMatchNotAnObject
	case (kind == change.Word || kind == change.Match) && !s.list:
		return problem.SettingsPatchSelectorUnsupported
	}
	return nil
}

// shape describes what a place in the settings may hold.
type shape struct {
	fields map[string]shape // of an object with fixed names
	every  *shape           // of a map: the shape of each entry
	list   bool
	key    string // member that identifies a value of a list
}

func (s shape) members(name string) (shape, bool) {
	if s.every != nil {
		return *s.every, true
	}
	inner, ok := s.fields[name]
	return inner, ok
}

// Member returns the shape of a member.
func (s shape) Member(name string) (change.Shape, bool) {
	inner, ok := s.members(name)
	return inner, ok
}

// Names returns the sorted names of the members.
func (s shape) Names() []string { return slices.Sorted(maps.Keys(s.fields)) }

// IsObject reports whether values are objects.
func (s shape) IsObject() bool { return s.fields != nil || s.every != nil }

// IsMultiple reports whether the place holds a list.
func (s shape) IsMultiple() bool { return s.list }

// Key returns the member that identifies a value of the list.
func (s shape) Key() string { return s.key }

// IsLocalized returns false: settings have no variants.
func (s shape) IsLocalized() bool { return false }

// Variant returns false: settings have no variants.
func (s shape) Variant(string) (string, bool) { return "", false }

func listOf(key string, fields map[string]shape) shape {
	return shape{fields: fields, list: true, key: key}
}

func mapOf(entry shape) shape { return shape{every: &entry} }

func object(fields map[string]shape) shape { return shape{fields: fields} }

var (
	single = shape{}
	texts  = shape{list: true}
	empty  = object(map[string]shape{})
)

// settingsShape is the shape of the whole settings object.
var settingsShape = object(map[string]shape{
	"ranking": object(map[string]shape{
		"tieBreakers": listOf("field", map[string]shape{"field": single, "direction": single}),
		"signals": listOf("field", map[string]shape{
			"field": single, "weight": single,
			"saturation": object(map[string]shape{"pivot": single}),
			"decay":      object(map[string]shape{"halfLife": single}),
			"linear":     object(map[string]shape{"ceiling": single}),
		}),
	}),
	"countSearches": single,
	"synonyms": mapOf(object(map[string]shape{
		"rules": listOf("", map[string]shape{
			"equivalent": texts,
			"mapping":    object(map[string]shape{"from": texts, "to": texts}),
		}),
		"fields": texts, "boost": single,
	})),
	"typoExclusions": mapOf(object(map[string]shape{"words": texts, "fields": texts})),
	"fields": mapOf(object(map[string]shape{
		"interpret": empty, "suggest": empty,
		"values": listOf("value", map[string]shape{"value": single, "order": single, "labels": mapOf(single)}),
	})),
})
