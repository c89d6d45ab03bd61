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
// path leads into, keep their text, so that what is not changed comes out as it
// went in.
type Tree struct {
	kind      jsonread.Kind
	raw       []byte // of scalars, and of what was not opened
	members   []member
	positions map[string]int // of many members, by name; nil: not made
	looked    int            // for members without positions
	items     []*Tree
	written   string // the change path that placed the value, "" for none

	// Of lists that paths select from, and of their values.
	selections []*selection
	turns      int  // of finding values
	turn       int  // in which the value was last found
	removed    int  // of the items, which are still there
	isRemoved  bool // from its list

	// Of a root: what its paths used up, see MaxScanned and MaxCopied.
	source  []byte
	scanned int
	copied  int
	isSpent bool // one of the bounds was reached, which is reported once
}

type member struct {
	name  string
	value *Tree
}

// newObject returns an object without members.
func newObject() *Tree { return &Tree{kind: jsonread.ObjectKind} }

// ParseTree returns the tree of JSON that was checked before. The tree refers to
// raw.
func ParseTree(raw []byte) *Tree {
	return &Tree{kind: jsonread.KindOf(raw), raw: raw, source: raw}
}

// open takes an object or list apart.
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

// compact drops the removed items of a list.
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
			// Names come from checked JSON or from paths inside it, which are
			// valid UTF-8; AppendQuote replaces anything else.
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

// Get returns a member, nil when the tree has none of the name.
func (t *Tree) Get(name string) *Tree {
	if at := t.position(name); at >= 0 {
		return t.members[at].value
	}
	return nil
}

// Set replaces a member where it stands, or adds it last.
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

// Remove takes a member away.
func (t *Tree) Remove(name string) {
	if at := t.position(name); at >= 0 {
		t.members = append(t.members[:at], t.members[at+1:]...)
		t.positions, t.looked = nil, 0
	}
}

// Members are looked through for a name, unless there are many and it happens
// often.
const (
	manyMembers = 64
	oftenLooked = 16
)

// position returns where a member stands, -1 when there is none.
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

// Prune keeps the members of an object that keep answers true for, and calls the
// function it returns, when there is one, with each object below them. A list is
// pruned value by value.
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

// reads reports whether a scalar reads as text: strings by their text, all else
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

// Written calls visit for every value that a change placed, with where it
// stands below at and the path as it was written.
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
