package change

import (
	"slices"
	"strconv"

	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
)

// MaxScanned bounds the values that the selectors of one change look at, over all
// its paths: a list that many paths select from is looked through once, again
// after a path that changes what is selected by, and removals move what they keep.
const MaxScanned = 5_000_000

// removalCost is how many values are moved in the time one is looked at.
const removalCost = 64

// selection knows the values of a list by what one member of them reads as.
type selection struct {
	by     string
	values map[string][]*Tree // by every text the member reads as
}

// find returns the values of a list whose member reads as text. The list is looked
// through when it is first asked by the member.
func (t *Tree) find(by, text string) []*Tree {
	if t.selection == nil || t.selection.by != by {
		t.selection = &selection{by: by, values: make(map[string][]*Tree, len(t.items))}
		for _, item := range t.items {
			if item.kind != jsonread.ObjectKind {
				continue
			}
			if name := item.Get(by); name != nil {
				for _, reading := range name.readings() {
					t.selection.values[reading] = append(t.selection.values[reading], item)
				}
			}
		}
	}
	return t.selection.values[text]
}

// forget takes values that are removed out of the selection.
func (s *selection) forget(removed []*Tree) {
	for _, item := range removed {
		for _, reading := range item.Get(s.by).readings() {
			s.values[reading] = slices.DeleteFunc(slices.Clone(s.values[reading]), func(other *Tree) bool { return other == item })
		}
	}
}

// isSelectedBy reports whether the values of a list are known by a member.
func (t *Tree) isSelectedBy(by string) bool { return t.selection != nil && t.selection.by == by }

// readings returns the texts a scalar reads as; see reads.
func (t *Tree) readings() []string {
	switch t.kind {
	case jsonread.TextKind:
		return []string{jsonread.String(t.raw)}
	case jsonread.NumberKind:
		raw := string(t.raw)
		if n, ok := jsonread.Int64(t.raw); ok {
			if digits := strconv.FormatInt(n, 10); digits != raw {
				return []string{raw, digits}
			}
		}
		return []string{raw}
	case jsonread.BoolKind:
		return []string{string(t.raw)}
	}
	return nil
}

// scan counts values that are looked at and refuses a change that looks at too
// many.
func (a *applier) scan(values int) bool {
	if a.root.scanned += values; a.root.scanned <= MaxScanned {
		return true
	}
	a.found.Report(problem.RequestValueInvalid.At(a.at.Append(a.path), "reason",
		"the selectors of a change look at more than "+strconv.Itoa(MaxScanned)+" values; send fewer paths at once"))
	return false
}
