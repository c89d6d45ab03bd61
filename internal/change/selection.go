package change

import (
	"hash/maphash"
	"strconv"

	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
)

// MaxScanned bounds the number of values that all paths of one change examine: a
// list is scanned once for each member by which paths select, and every selected
// value counts.
const MaxScanned = 5_000_000

// MaxCopied bounds the bytes of a document plus those of all copies of a value that
// a change places in several values of a list.
const MaxCopied = 128 << 20

// copyCost is the memory in bytes that a copy takes in addition to its text.
const copyCost = 200

// variantCost is the number of values examined in the time it takes to resolve a
// locale.
const variantCost = 8

// selection is a hash index of the values of a list by the texts that one member
// equals. Values are only ever added; find drops entries whose value was removed or
// no longer has the text.
type selection struct {
	by      string
	heads   map[uint64]int32 // by the hash of a form: the entry added last, counted from one
	entries []selectable
}

// selectable is an entry of a selection.
type selectable struct {
	value *Tree
	next  int32 // next entry with the same hash, 0 for none
}

var formSeed = maphash.MakeSeed()

// add adds a value under every text its member equals.
func (s *selection) add(value *Tree) {
	if value.kind != jsonread.ObjectKind {
		return
	}
	member := value.Get(s.by)
	if member == nil {
		return
	}
	for _, form := range member.forms() {
		hash := maphash.String(formSeed, form)
		s.entries = append(s.entries, selectable{value, s.heads[hash]})
		s.heads[hash] = int32(len(s.entries))
	}
}

// find returns the values whose member equals text, each once. turn must differ in
// every call.
func (s *selection) find(text string, turn int) []*Tree {
	var found []*Tree
	hash := maphash.String(formSeed, text)
	last := int32(0) // last valid entry
	for at := s.heads[hash]; at != 0; at = s.entries[at-1].next {
		value := s.entries[at-1].value
		if value.isRemoved || value.turn == turn || !value.hasForm(s.by, text) {
			continue
		}
		value.turn = turn
		found = append(found, value)
		if last == 0 {
			s.heads[hash] = at
		} else {
			s.entries[last-1].next = at
		}
		last = at
	}
	if last == 0 {
		delete(s.heads, hash)
	} else {
		s.entries[last-1].next = 0
	}
	return found
}

func (t *Tree) hasForm(by, text string) bool {
	if t.kind != jsonread.ObjectKind {
		return false
	}
	member := t.Get(by)
	return member != nil && member.reads(text)
}

// selectionBy returns the selection of a list by a member, or nil if there is none
// yet.
func (t *Tree) selectionBy(by string) *selection {
	for _, s := range t.selections {
		if s.by == by {
			return s
		}
	}
	return nil
}

// find returns the values of a list whose member equals text, and false when the
// change examines too many values.
func (a *applier) find(list *Tree, by, text string) ([]*Tree, bool) {
	s := list.selectionBy(by)
	if s == nil {
		list.compact()
		if !a.scan(len(list.items)) {
			return nil, false
		}
		s = &selection{by: by, heads: make(map[uint64]int32, len(list.items))}
		for _, item := range list.items {
			s.add(item)
		}
		list.selections = append(list.selections, s)
	}
	list.turns++
	found := s.find(text, list.turns)
	return found, a.scan(len(found))
}

// reselect adds changed values of a list to the selections they may now belong to:
// those by one member, or all of them when by is empty.
func (a *applier) reselect(list *Tree, by string, changed ...*Tree) bool {
	for _, s := range list.selections {
		if by != "" && s.by != by {
			continue
		}
		if !a.scan(len(changed)) {
			return false
		}
		for _, value := range changed {
			s.add(value)
		}
	}
	return true
}

// forms returns the texts that a scalar equals; see reads.
func (t *Tree) forms() []string {
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

// scan counts examined values. A change that examines too many is rejected once;
// its remaining paths examine nothing.
func (a *applier) scan(values int) bool {
	return a.spend(&a.Tree.scanned, values, MaxScanned,
		"the paths of a change look at more than "+strconv.Itoa(MaxScanned)+" values; send fewer paths at once")
}

// copies counts the copies of a value in addition to the first.
func (a *applier) copies(places int) bool {
	if places <= 1 {
		return true
	}
	if a.Tree.copied == 0 {
		a.Tree.copied = len(a.Tree.source)
	}
	return a.spend(&a.Tree.copied, (places-1)*(copyCost+a.length), MaxCopied,
		"the copies of the values that a change places take more than "+strconv.Itoa(MaxCopied)+" bytes; select fewer values or send shorter ones")
}

func (a *applier) spend(spent *int, amount, limit int, reason string) bool {
	if a.Tree.isSpent {
		return false
	}
	if *spent += amount; *spent <= limit {
		return true
	}
	a.Tree.isSpent = true
	a.Found.Report(problem.RequestValueInvalid.At(a.At.Append(a.path), "reason", reason))
	return false
}
