package change

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
)

// Tree is a JSON value that can be changed. Scalars, and objects and lists that no
// path leads into, keep their text, so that unchanged parts are returned verbatim.
type Tree struct {
	kind      jsonread.Kind
	raw       []byte // of scalars, and of unopened objects and lists
	members   []member
	positions map[string]int // of many members, by name; nil: not built
	looked    int            // number of lookups without positions
	items     []*Tree
	written   string // the change path that placed the value, "" for none

	// Of lists that paths select from, and of their values.
	selections []*selection
	turns      int  // number of lookups of values
	turn       int  // the lookup in which the value was last found
	removed    int  // number of removed items, which are still in items
	isRemoved  bool // from its list

	// Of a root: what its paths consumed, see MaxScanned and MaxCopied.
	source  []byte
	scanned int
	copied  int
	isSpent bool // a bound was exceeded, which is reported once
}

type member struct {
	name  string
	value *Tree
}

// newObject returns an object without members.
func newObject() *Tree { return &Tree{kind: jsonread.ObjectKind} }

// ParseTree returns the tree of checked JSON. The tree retains raw.
func ParseTree(raw []byte) *Tree {
	return &Tree{kind: jsonread.KindOf(raw), raw: raw, source: raw}
}

// open parses an object or list.
func (t *Tree) open() {
	if t.raw == nil {
		return
	}
	switch t.kind {
	case jsonread.ObjectKind:
		for it := jsonread.Members(t.raw); it.Next(); {
			t.members = append(t.members, member{jsonread.String(it.RawName()), parseInner(it.Value())})
		}
		t.raw = nil
	case jsonread.ListKind:
		for it := jsonread.Items(t.raw); it.Next(); {
			t.items = append(t.items, parseInner(it.Value()))
		}
		t.raw = nil
	}
}

func parseInner(raw []byte) *Tree { return &Tree{kind: jsonread.KindOf(raw), raw: raw} }

// compact deletes the removed items of a list.
func (t *Tree) compact() {
	if t.removed == 0 {
		return
	}
	t.items = slices.DeleteFunc(t.items, func(item *Tree) bool { return item.isRemoved })
	t.removed = 0
}

// Append appends the JSON text of the tree.
func (t *Tree) Append(to []byte) []byte {
	if t.raw != nil {
		return append(to, t.raw...)
	}
	switch t.kind {
	case jsonread.ObjectKind:
		to = append(to, '{')
		for i, m := range t.members {
			if i > 0 {
				to = append(to, ',')
			}
			// Names come from checked JSON or from paths inside it, which are valid
			// UTF-8; AppendQuote replaces anything else.
			to, _ = jsontext.AppendQuote(to, m.name)
			to = append(to, ':')
			to = m.value.Append(to)
		}
		return append(to, '}')
	case jsonread.ListKind:
		t.compact()
		to = append(to, '[')
		for i, item := range t.items {
			if i > 0 {
				to = append(to, ',')
			}
			to = item.Append(to)
		}
		return append(to, ']')
	}
	return to
}

// Get returns a member, or nil when there is none with the name.
func (t *Tree) Get(name string) *Tree {
	if at := t.position(name); at >= 0 {
		return t.members[at].value
	}
	return nil
}

// Set replaces a member in place, or appends it.
func (t *Tree) Set(name string, value *Tree) {
	if at := t.position(name); at >= 0 {
		t.members[at].value = value
		return
	}
	if t.positions != nil {
		t.positions[name] = len(t.members)
	}
	t.members = append(t.members, member{name, value})
}

// Remove removes a member.
func (t *Tree) Remove(name string) {
	if at := t.position(name); at >= 0 {
		t.members = append(t.members[:at], t.members[at+1:]...)
		t.positions, t.looked = nil, 0
	}
}

// Members are searched linearly for a name, unless there are many members and many
// lookups.
const (
	manyMembers = 64
	oftenLooked = 16
)

// position returns the index of a member, or -1 when there is none.
func (t *Tree) position(name string) int {
	t.open()
	if t.looked++; t.positions == nil && (len(t.members) <= manyMembers || t.looked <= oftenLooked) {
		return slices.IndexFunc(t.members, func(m member) bool { return m.name == name })
	}
	if t.positions == nil {
		t.positions = make(map[string]int, 2*len(t.members))
		for i, m := range t.members {
			t.positions[m.name] = i
		}
	}
	if at, ok := t.positions[name]; ok {
		return at
	}
	return -1
}

// Prune keeps the members of an object for which keep returns true, and calls the
// returned function, if any, with each object below them. A list is pruned value by
// value.
func (t *Tree) Prune(keep func(name string) (inside func(*Tree), ok bool)) {
	t.open()
	for _, item := range t.items {
		item.Prune(keep)
	}
	kept := t.members[:0]
	for _, m := range t.members {
		inside, ok := keep(m.name)
		if !ok {
			continue
		}
		if inside != nil {
			inside(m.value)
		}
		kept = append(kept, m)
	}
	t.members, t.positions, t.looked = kept, nil, 0
}

// reads reports whether a scalar equals text: a string by its text, anything else
// by its JSON form, and a whole number by its digits however it is spelled.
func (t *Tree) reads(text string) bool {
	switch t.kind {
	case jsonread.TextKind:
		if bytes.IndexByte(t.raw, '\\') < 0 {
			return string(t.raw[1:len(t.raw)-1]) == text
		}
		return jsonread.String(t.raw) == text
	case jsonread.NumberKind:
		if n, ok := jsonread.Int64(t.raw); ok && strconv.FormatInt(n, 10) == text {
			return true
		}
		return string(t.raw) == text
	case jsonread.BoolKind:
		return string(t.raw) == text
	}
	return false
}

// Written calls visit for every value that a change placed, with its path below at
// and the path of the change.
func (t *Tree) Written(at problem.Path, visit func(stands problem.Path, written string)) {
	if t.written != "" {
		visit(at, t.written)
		return
	}
	for _, m := range t.members {
		m.value.Written(at.Field(m.name), visit)
	}
	t.compact()
	for i, item := range t.items {
		item.Written(at.Item(i), visit)
	}
}
