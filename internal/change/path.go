// Package change reads change objects: each key is a path to a place, each value
// replaces what is there, and null clears it. Documents and search settings share
// the syntax; each has its own codes and describes by a Shape what a place may
// hold.
//
//	price                     a member
//	dimensions.width          a member of an object
//	title[sv]                 one variant of a locale-specific member
//	tags[]                    a value added last
//	variants[sku=V-1].price   a member inside the list values whose sku is V-1
//	variants[V-1]             the list value whose declared key is V-1
//
// A backslash makes the next character part of a name or selector. Paths are
// applied in order to a Tree, a JSON value that can be changed; the package that
// stores the result validates it as a whole.
//
// Nothing here is safe for concurrent use.
package change

import (
	"errors"
	"strings"
)

// SelectorKind is the kind of a selector.
type SelectorKind uint8

// The kinds of selectors.
const (
	NoSelector SelectorKind = iota
	Add                     // []
	Match                   // [field=value]
	Word                    // [word]
)

// Selector is the part of a step in brackets after the name.
type Selector struct {
	Kind  SelectorKind
	Field string // of Match
	Value string // of Match and Word
}

// Step is one name of a path with its selector.
type Step struct {
	Name     string
	Selector Selector
}

// Path is a parsed path; it has at least one step.
type Path []Step

// ErrPath reports that a text is not a path.
var ErrPath = errors.New("not a change path")

// ParsePath parses a path. The error is ErrPath if the text is not a path.
func ParsePath(text string) (Path, error) {
	var path Path
	for rest := text; ; {
		step, after, err := parseStep(rest)
		if err != nil {
			return nil, err
		}
		path = append(path, step)
		if after == "" {
			return path, nil
		}
		if after[0] != '.' {
			return nil, ErrPath
		}
		rest = after[1:]
	}
}

// Field returns the names of the path, joined by dots.
func (p Path) Field() string {
	names := make([]string, len(p))
	for i, step := range p {
		names[i] = step.Name
	}
	return strings.Join(names, ".")
}

// selectors returns the number of steps that select among values; adding a value
// does not select.
func (p Path) selectors() int {
	n := 0
	for _, step := range p {
		if kind := step.Selector.Kind; kind == Match || kind == Word {
			n++
		}
	}
	return n
}

// splitDots splits names at dots. It returns nil when that leaves an empty name.
func (p Path) splitDots() Path {
	var split Path
	for _, step := range p {
		names := strings.Split(step.Name, ".")
		for i, name := range names {
			if name == "" {
				return nil
			}
			if i < len(names)-1 {
				split = append(split, Step{Name: name})
			} else {
				split = append(split, Step{Name: name, Selector: step.Selector})
			}
		}
	}
	return split
}

// parseStep reads a name and its selector and returns the rest of the text.
func parseStep(text string) (Step, string, error) {
	var step Step
	name, rest, ok := unescapeUntil(text, ".[", "]")
	if !ok || name == "" {
		return step, "", ErrPath
	}
	step.Name = name
	if rest == "" || rest[0] != '[' {
		return step, rest, nil
	}
	selector, rest, err := parseSelector(rest[1:])
	step.Selector = selector
	return step, rest, err
}

func parseSelector(text string) (Selector, string, error) {
	if strings.HasPrefix(text, "]") {
		return Selector{Kind: Add}, text[1:], nil
	}
	word, rest, ok := unescapeUntil(text, "]=", "")
	if !ok || rest == "" || word == "" {
		return Selector{}, "", ErrPath
	}
	if rest[0] == ']' {
		return Selector{Kind: Word, Value: word}, rest[1:], nil
	}
	value, rest, ok := unescapeUntil(rest[1:], "]", "")
	if !ok || rest == "" {
		return Selector{}, "", ErrPath
	}
	return Selector{Kind: Match, Field: word, Value: value}, rest[1:], nil
}

// unescapeUntil reads up to the first unescaped character of stops, or to the end.
// It returns false for a trailing backslash and for an unescaped character of
// refused.
func unescapeUntil(text, stops, refused string) (read, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\':
			if i++; i == len(text) {
				return "", "", false
			}
			b.WriteByte(text[i])
		case strings.IndexByte(stops, c) >= 0:
			return b.String(), text[i:], true
		case strings.IndexByte(refused, c) >= 0:
			return "", "", false
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), "", true
}
