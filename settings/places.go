package settings

import (
	"slices"
	"strconv"
	"strings"

	"github.com/quiresearch/quire/internal/change"
	"github.com/quiresearch/quire/problem"
)

// applied is one change as it was written.
type applied struct {
	path   string
	steps  change.Path // nil: not a path
	names  []string    // of the steps
	clears bool        // null was given
}

func appliedTo(path string, clears bool) applied {
	a := applied{path: path, clears: clears}
	a.steps, _ = change.ParsePath(path) // an invalid one was refused
	for _, step := range a.steps {
		a.names = append(a.names, step.Name)
	}
	return a
}

// written are changes by the first two names of their paths.
type written map[[2]string][]applied

func writtenBy(changes []applied) written {
	w := make(written)
	for _, c := range changes {
		entry := entryOf(c.names)
		w[entry] = append(w[entry], c)
	}
	return w
}

func entryOf(names []string) (entry [2]string) {
	copy(entry[:], names)
	return entry
}

// holds reports whether a change wrote what a problem is about, which stands in
// an entry.
func (w written) holds(p *problem.Problem) bool {
	place := namesOf(p.Path)
	entry := entryOf(place)
	writes := func(c applied) bool { return c.writes(p, place) }
	return slices.ContainsFunc(w[entry], writes) || slices.ContainsFunc(w[[2]string{entry[0]}], writes)
}

// writes reports whether the change gave the entry a problem is about, or a
// part of it. Clearing gives nothing, and what is added stands beside it.
func (a applied) writes(p *problem.Problem, place []string) bool {
	if a.clears || together(a.names, place) < min(len(a.names), len(place)) {
		return false
	}
	for _, step := range a.steps[:min(len(a.steps), len(place))] {
		switch s := step.Selector; {
		case s.Kind == change.Add:
			return false
		case s.Kind == change.Word, s.Kind == change.Match && s.Field == "field":
			if s.Value != p.Arguments["name"] {
				return false
			}
		}
	}
	return true
}

// located puts problems of changed settings where the caller can see them: at
// the path of the change that reaches the place, or that made the object which
// lacks it. What no change reaches, or several do, stays where it is in the
// settings.
func located(found problem.Problems, changes []applied) {
	if len(changes) == 0 {
		return
	}
	for _, p := range found {
		if p.Code == problem.RequestPropertyUnknown {
			continue // which points at a name inside the value
		}
		place := namesOf(p.Path)
		by, best := "", sharedEnough-1
		for _, c := range changes {
			shared := together(c.names, place)
			if shared > 0 && shared == min(len(c.names), len(place)) {
				shared = len(place) + 1 // one reaches the other
			}
			switch {
			case shared > best:
				by, best = c.path, shared
			case shared == best:
				by = ""
			}
		}
		if by != "" {
			p.Path = by
		}
	}
}

// sharedEnough is how many names a place and a change must have in common to
// speak of the same entry: two of synonyms.merch.rules.
const sharedEnough = 2

// together returns how many names two lists begin with in common.
func together(a, b []string) int {
	shared := 0
	for shared < min(len(a), len(b)) && a[shared] == b[shared] {
		shared++
	}
	return shared
}

// namesOf returns the names of a problem's path without the positions in
// lists.
func namesOf(path string) []string {
	var names []string
	for path != "" {
		switch {
		case path[0] == '.':
			path = path[1:]
		case strings.HasPrefix(path, `["`):
			quoted, err := strconv.QuotedPrefix(path[1:])
			if err != nil {
				return names
			}
			name, _ := strconv.Unquote(quoted)
			names = append(names, name)
			path = strings.TrimPrefix(path[1+len(quoted):], "]")
		case path[0] == '[':
			_, path, _ = strings.Cut(path, "]")
		default:
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			names = append(names, path[:end])
			path = path[end:]
		}
	}
	return names
}
