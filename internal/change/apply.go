package change

import (
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
)

// Shape describes what a place may hold.
type Shape interface {
	// Member returns the shape of a member, and false if none is declared. It is
	// called on objects only.
	Member(name string) (Shape, bool)
	// Names returns the names of the declared members, for help.
	Names() []string
	// IsObject reports whether the values are objects.
	IsObject() bool
	// IsMultiple reports whether there may be several values.
	IsMultiple() bool
	// Key returns the name of the member that identifies a value of a list, "" if
	// none is declared.
	Key() string
	// IsLocalized reports whether the place holds variants by locale.
	IsLocalized() bool
	// Variant returns the variant that a tag names, and false if there is none. The
	// tag "" names the default variant.
	Variant(tag string) (string, bool)
}

// Codes holds the codes for problems of paths, in the family of the changed
// resource.
type Codes struct {
	PathInvalid         *problem.Code
	AddReachesInside    *problem.Code
	FieldUnknown        *problem.Code
	SelectorUnsupported *problem.Code
	MatchNotAnObject    *problem.Code
	AddUnsupported      *problem.Code
	NotAnObject         *problem.Code
	SelectorRequired    *problem.Code
	KeyUnsupported      *problem.Code
	NoMatch             *problem.Code
	LocaleUnknown       *problem.Code
	// OneSelector rejects a second selector in a path as PathInvalid.
	OneSelector bool
	// SplitDots treats an escaped dot in a name as a plain one, for resources
	// without dots in names.
	SplitDots bool
}

// DocumentCodes returns the codes of document changes.
func DocumentCodes() Codes {
	return Codes{
		PathInvalid:         problem.DocumentPatchPathInvalid,
		AddReachesInside:    problem.DocumentPatchAddReachesInside,
		FieldUnknown:        problem.DocumentPatchFieldUnknown,
		SelectorUnsupported: problem.DocumentPatchSelectorUnsupported,
		MatchNotAnObject:    problem.DocumentPatchMatchNotAnObject,
		AddUnsupported:      problem.DocumentPatchAddUnsupported,
		NotAnObject:         problem.DocumentPatchNotAnObject,
		SelectorRequired:    problem.DocumentPatchSelectorRequired,
		KeyUnsupported:      problem.DocumentPatchKeyUnsupported,
		NoMatch:             problem.DocumentPatchNoMatch,
		LocaleUnknown:       problem.DocumentLocaleUnknown,
		OneSelector:         true,
		SplitDots:           true,
	}
}

// SettingsCodes returns the codes of settings changes.
func SettingsCodes() Codes {
	return Codes{
		PathInvalid:         problem.SettingsPatchPathInvalid,
		AddReachesInside:    problem.SettingsPatchAddReachesInside,
		FieldUnknown:        problem.SettingsPatchFieldUnknown,
		SelectorUnsupported: problem.SettingsPatchSelectorUnsupported,
		MatchNotAnObject:    problem.SettingsPatchMatchNotAnObject,
		AddUnsupported:      problem.SettingsPatchAddUnsupported,
		NotAnObject:         problem.SettingsPatchNotAnObject,
		SelectorRequired:    problem.SettingsPatchSelectorRequired,
		KeyUnsupported:      problem.SettingsPatchKeyUnsupported,
		NoMatch:             problem.SettingsPatchNoMatch,
		LocaleUnknown:       problem.SettingsPatchSelectorUnsupported,
	}
}

// Target is a value that several paths change, one after another.
type Target struct {
	Tree  *Tree
	Shape Shape
	Codes Codes
	At    problem.Path  // prefix of the path of every problem
	Found *problem.List // receives the problems
}

// Apply changes the target by one path and reports whether it could. value is raw
// checked JSON, which the tree retains; null clears the place. The path of a
// problem is At followed by the path as written. A rejected path may have created
// objects on its way, so the caller must discard the target of a rejected change.
func (t *Target) Apply(path string, value []byte) bool {
	a := applier{Target: t, path: path}
	steps, err := ParsePath(path)
	if err != nil || (t.Codes.OneSelector && steps.selectors() > 1) {
		return a.refuse(t.Codes.PathInvalid)
	}
	if t.Codes.SplitDots {
		if steps = steps.splitDots(); steps == nil {
			return a.refuse(t.Codes.PathInvalid)
		}
	}
	if jsonread.KindOf(value) != jsonread.NullKind {
		a.value = func() *Tree {
			placed := parseInner(value)
			placed.written = path
			return placed
		}
		a.length = len(value)
	}
	return a.apply(t.Tree, t.Shape, steps)
}

// applier applies one path to a target.
type applier struct {
	*Target
	path   string
	value  func() *Tree // nil for null; returns a new tree for each place
	length int          // length of the value in bytes
}

func (a *applier) refuse(code *problem.Code, arguments ...any) bool {
	a.Found.Report(code.At(a.At.Append(a.path), append([]any{"path", a.path}, arguments...)...))
	return false
}

// unknown rejects a name that an object does not declare.
func (a *applier) unknown(object Shape, name string) bool {
	a.Found.Report(a.Codes.FieldUnknown.At(a.At.Append(a.path), "path", a.path, "name", name).Among(name, object.Names))
	return false
}

// apply follows the steps from an object.
func (a *applier) apply(object *Tree, shape Shape, steps Path) bool {
	step, rest := steps[0], steps[1:]
	inner, ok := shape.Member(step.Name)
	if !ok {
		return a.unknown(shape, step.Name)
	}
	switch step.Selector.Kind {
	case Add:
		return a.add(object, inner, step.Name, rest)
	case Match:
		return a.match(object, inner, step, rest)
	case Word:
		if inner.IsLocalized() {
			return a.variant(object, inner, step, rest)
		}
		return a.key(object, inner, step, rest)
	}
	if len(rest) == 0 {
		if a.value == nil {
			object.Remove(step.Name)
		} else {
			object.Set(step.Name, a.value())
		}
		return true
	}
	if !inner.IsObject() {
		return a.refuse(a.Codes.NotAnObject, "name", step.Name)
	}
	if inner.IsMultiple() {
		return a.refuse(a.Codes.SelectorRequired, "name", step.Name)
	}
	next := object.Get(step.Name)
	if next == nil || next.kind != jsonread.ObjectKind {
		next = newObject()
		if a.value != nil {
			object.Set(step.Name, next)
		}
	}
	return a.apply(next, inner, rest)
}

func (a *applier) add(object *Tree, shape Shape, name string, rest Path) bool {
	if len(rest) > 0 {
		return a.refuse(a.Codes.AddReachesInside, "name", name)
	}
	if !shape.IsMultiple() {
		return a.refuse(a.Codes.AddUnsupported, "name", name)
	}
	if a.value == nil {
		return true
	}
	holder := object
	if existing := object.Get(name); shape.IsLocalized() && existing != nil && existing.kind == jsonread.ObjectKind {
		holder = existing
		name, _ = shape.Variant("")
	}
	list := listOf(holder.Get(name))
	added := a.value()
	list.items = append(list.items, added)
	holder.Set(name, list)
	return a.reselect(list, "", added)
}

// listOf returns the list at a place. A single value is a list of one.
func listOf(t *Tree) *Tree {
	switch {
	case t == nil || t.kind == jsonread.NullKind:
		return &Tree{kind: jsonread.ListKind}
	case t.kind == jsonread.ListKind:
		t.open()
		return t
	}
	return &Tree{kind: jsonread.ListKind, items: []*Tree{t}}
}

func (a *applier) match(object *Tree, shape Shape, step Step, rest Path) bool {
	if !shape.IsObject() {
		return a.refuse(a.Codes.MatchNotAnObject, "name", step.Name)
	}
	if _, ok := shape.Member(step.Selector.Field); !ok {
		return a.unknown(shape, step.Selector.Field)
	}
	return a.selected(object, shape, step, step.Selector.Field, rest)
}

func (a *applier) key(object *Tree, shape Shape, step Step, rest Path) bool {
	switch {
	case !shape.IsObject():
		return a.refuse(a.Codes.SelectorUnsupported, "name", step.Name)
	case shape.Key() == "":
		return a.refuse(a.Codes.KeyUnsupported, "name", step.Name)
	}
	return a.selected(object, shape, step, shape.Key(), rest)
}

// selected changes the values of a list whose member equals the selector's value. A
// single object is a list of one that stays single.
func (a *applier) selected(object *Tree, shape Shape, step Step, by string, rest Path) bool {
	list := listOf(object.Get(step.Name))
	found, ok := a.find(list, by, step.Selector.Value)
	switch {
	case !ok:
		return false
	case len(found) == 0:
		return a.refuse(a.Codes.NoMatch, "name", step.Name)
	case a.value != nil && !a.copies(len(found)):
		return false
	case len(rest) > 0:
		for _, item := range found {
			if !a.apply(item, shape, rest) {
				return false
			}
		}
		return a.reselect(list, rest[0].Name, found...)
	case a.value != nil:
		for _, item := range found {
			*item = *a.value()
		}
		return a.reselect(list, "", found...)
	}
	for _, item := range found {
		item.isRemoved = true
	}
	if list.removed += len(found); list.removed == len(list.items) {
		object.Remove(step.Name)
	}
	return true
}

func (a *applier) variant(object *Tree, shape Shape, step Step, rest Path) bool {
	if len(rest) > 0 {
		return a.refuse(a.Codes.NotAnObject, "name", step.Name)
	}
	variant, ok := shape.Variant(step.Selector.Value)
	if !ok {
		return a.refuse(a.Codes.LocaleUnknown, "name", step.Name, "locale", step.Selector.Value)
	}
	variants := object.Get(step.Name)
	switch {
	case variants == nil || variants.kind == jsonread.NullKind:
		variants = newObject()
	case variants.kind != jsonread.ObjectKind: // a value without a tag belongs to the default locale
		untagged := variants
		variants = newObject()
		standard, _ := shape.Variant("")
		variants.Set(standard, untagged)
	}
	if variants.open(); !a.scan(variantCost * len(variants.members)) {
		return false
	}
	// Tags are compared as resolved: sv-SE stands for sv.
	place := variant
	for _, m := range variants.members {
		if resolved, ok := shape.Variant(m.name); ok && resolved == variant && m.name != "" {
			place = m.name
		}
	}
	if a.value != nil {
		variants.Set(place, a.value())
	} else {
		variants.Remove(place)
	}
	if len(variants.members) == 0 {
		object.Remove(step.Name)
	} else {
		object.Set(step.Name, variants)
	}
	return true
}
