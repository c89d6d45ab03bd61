package document

import (
	"strings"

	"github.com/quiresearch/quire/definition"
)

// Each calls yield with the raw JSON of every value of a field, in document order,
// until yield returns false. For a localized field it visits the values that a
// search in the wanted locale shows. A position of zero or more restricts it to
// that value of the field's nested list; -1 means all. It also visits texts stored
// only for highlighting.
func (r Record) Each(f *definition.ResolvedField, wantedLocale string, position int, yield func(raw []byte) bool) {
	w := walker{position: position, key: r.key}
	if f.List != "" && position >= 0 {
		w.list = listOf(f)
	}
	var one [1]string
	names := one[:]
	if one[0] = f.Path; strings.Contains(f.Path, ".") {
		names = strings.Split(f.Path, ".")
	}
	seen := false
	visit := func(n node) bool {
		if f.Locales != nil {
			_, value, ok := chooseVariant(n, f, wantedLocale)
			if !ok {
				return true
			}
			n = value
		}
		seen = true
		return eachScalar(n, yield)
	}
	w.walk(node{objectNode, r.root}, nil, names, visit)
	if !seen && r.highlights != nil {
		w.seen = 0
		w.walk(node{objectNode, r.highlights}, nil, names, visit)
	}
}

func listOf(f *definition.ResolvedField) *definition.ResolvedField {
	for f = f.Parent; f != nil && f.Mode != definition.Nested; f = f.Parent {
	}
	return f
}

func eachScalar(n node, yield func([]byte) bool) bool {
	switch n.kind {
	case scalarNode:
		return yield(n.data)
	case listNode:
		for c := (cursor{data: n.data}); ; {
			item, ok := c.node()
			if !ok {
				return true
			}
			if !eachScalar(item, yield) {
				return false
			}
		}
	}
	return true
}

// walker visits the nodes at a path, through lists of objects. If list is set, it
// enters only the value at position of that list.
type walker struct {
	list     *definition.ResolvedField
	position int
	seen     int    // number of values of list passed so far
	key      []byte // of the record
}

func (w *walker) walk(n node, passed, names []string, visit func(node) bool) bool {
	if n.kind == listNode && (len(names) > 0 || w.isList(passed)) {
		for c := (cursor{data: n.data}); ; {
			item, ok := c.node()
			if !ok {
				return true
			}
			if w.isList(passed) {
				w.seen++
				if w.seen-1 != w.position {
					continue
				}
			}
			if !w.inside(item, passed, names, visit) {
				return false
			}
		}
	}
	if n.kind == objectNode && w.isList(passed) { // a single object stands for a list of one value
		w.seen++
		if w.seen-1 != w.position {
			return true
		}
	}
	return w.inside(n, passed, names, visit)
}

func (w *walker) inside(n node, passed, names []string, visit func(node) bool) bool {
	if len(names) == 0 {
		return visit(n)
	}
	if n.kind != objectNode {
		return true
	}
	next, ok := find(cursor{n.data, w.key}, names[0])
	if !ok {
		return true
	}
	return w.walk(next, append(passed, names[0]), names[1:], visit)
}

func (w *walker) isList(passed []string) bool {
	return w.list != nil && len(passed) > 0 && strings.Join(passed, ".") == w.list.Path
}
