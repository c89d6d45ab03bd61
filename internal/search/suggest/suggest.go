// Package suggest finds the values of a field that start with what was typed,
// also by their labels, and those one mistake away.
//
// An Index holds the normalized forms of the values of one field in one
// locale. It never changes; any number of goroutines may use it.
package suggest

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"
)

// MinTypoLength is how many code points a text must have before mistakes are
// forgiven.
const MinTypoLength = 5

// Value is one value of a field with its label, "" without one.
type Value struct {
	Value []byte
	Label string
}

// entry is one normalized form of a value.
type entry struct {
	form    string
	value   int
	isLabel bool
}

// Index finds values by the start of their normalized form.
type Index struct {
	values  []Value
	entries []entry // by form
}

// Build returns the index of values, whose forms are made by normalize. It ends
// early with the context's error.
func Build(ctx context.Context, values []Value, normalize func(text string) string) (*Index, error) {
	x := &Index{values: values, entries: make([]entry, 0, len(values))}
	for i, v := range values {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		x.entries = append(x.entries, entry{form: normalize(string(v.Value)), value: i})
		if v.Label != "" {
			x.entries = append(x.entries, entry{form: normalize(v.Label), value: i, isLabel: true})
		}
	}
	slices.SortFunc(x.entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.form, b.form), cmp.Compare(a.value, b.value))
	})
	return x, nil
}

// Bytes estimates the memory in use.
func (x *Index) Bytes() int {
	total := len(x.values) * 48
	for i := range x.entries {
		total += 40 + len(x.entries[i].form)
	}
	return total
}

// Match is a value found and by what.
type Match struct {
	Value
	ByLabel bool // the text starts the label
	Near    bool // found by forgiving a mistake
}

// All returns every value, in order of value.
func (x *Index) All() []Match {
	all := make([]Match, len(x.values))
	for i, v := range x.values {
		all[i] = Match{Value: v}
	}
	return all
}

// Prefix returns the values whose form, or whose label's, starts with the
// normalized text.
func (x *Index) Prefix(text string) []Match {
	from, _ := slices.BinarySearchFunc(x.entries, text, func(e entry, text string) int { return cmp.Compare(e.form, text) })
	places := make(map[int]int)
	var found []Match
	for _, e := range x.entries[from:] {
		if !strings.HasPrefix(e.form, text) {
			break
		}
		place, known := places[e.value]
		if !known {
			place = len(found)
			places[e.value] = place
			found = append(found, Match{Value: x.values[e.value]})
		}
		found[place].ByLabel = found[place].ByLabel || e.isLabel
	}
	return found
}

// Near returns the values whose form, or whose label's, starts with a reading
// of the normalized text one mistake away: a character inserted, dropped,
// replaced, or two neighbours swapped, never in the first one.
func (x *Index) Near(text string) []Match {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 || first == utf8.RuneError {
		return nil
	}
	word := []rune(text)
	from, _ := slices.BinarySearchFunc(x.entries, text[:size], func(e entry, text string) int { return cmp.Compare(e.form, text) })
	seen := make(map[int]bool)
	var found []Match
	for _, e := range x.entries[from:] {
		if !strings.HasPrefix(e.form, text[:size]) {
			break
		}
		if seen[e.value] || !startsNear(word[1:], e.form[size:]) {
			continue
		}
		seen[e.value] = true
		found = append(found, Match{Value: x.values[e.value], ByLabel: e.isLabel, Near: true})
	}
	return found
}

// startsNear reports whether the form starts with a reading of the word that
// is at most one mistake away.
func startsNear(word []rune, form string) bool {
	var letters [64]rune
	n := 0
	for _, r := range form {
		if n == len(letters) || n > len(word)+1 {
			break
		}
		letters[n] = r
		n++
	}
	text := letters[:n]
	same := 0
	for same < len(word) && same < len(text) && word[same] == text[same] {
		same++
	}
	if same == len(word) {
		return true
	}
	rest, against := word[same:], text[same:]
	switch {
	case startsWith(against, rest[1:]): // dropped from the form
		return true
	case len(against) > 0 && startsWith(against[1:], rest[1:]): // replaced
		return true
	case len(against) > 0 && startsWith(against[1:], rest): // inserted into the form
		return true
	case len(rest) > 1 && len(against) > 1 && rest[0] == against[1] && rest[1] == against[0]:
		return startsWith(against[2:], rest[2:]) // swapped
	}
	return false
}

func startsWith(text, prefix []rune) bool {
	return len(text) >= len(prefix) && slices.Equal(text[:len(prefix)], prefix)
}

// Typed counts the characters of a shown text that the typed one covers: the
// fewest whose normalized form starts with the normalized typed text.
func Typed(shown, typed string, normalize func(text string) string) int {
	if typed == "" {
		return 0
	}
	count := 0
	for at := range shown {
		if count > 0 && strings.HasPrefix(normalize(shown[:at]), typed) {
			return count
		}
		count++
	}
	return count
}

// Lookup returns the position of a value among values ascending by bytes.
func Lookup[T any](values []T, of func(T) []byte, value []byte) (int, bool) {
	return slices.BinarySearchFunc(values, value, func(v T, value []byte) int { return bytes.Compare(of(v), value) })
}
