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
	names  []string    // names of the steps
	clears bool        // null was given
}

func appliedTo(path string, clears bool) applied {
	a := applied{path: path, clears: clears}
	a.steps, _ = change.ParsePath(path) // an invalid path was already reported
	for _, step := range a.steps {
		a.names = append(a.names, step.Name)
	}
	return a
}

// written groups changes by the first two names of their paths.
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

// holds reports whether a change wrote the entry that a problem is about.
func (w written) holds(p *problem.Problem) bool {
	place := namesOf(p.Path)
	entry := entryOf(place)
	writes := func(c applied) bool { return c.writes(p, place) }
	return slices.ContainsFunc(w[entry], writes) || slices.ContainsFunc(w[[2]string{entry[0]}], writes)
}

// writes reports whether the change wrote the entry that a problem is about, or a
// part of it. Clearing writes nothing, and an added value leaves existing entries
// alone.
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

// located sets the paths of problems with changed settings to where callers can see
// them: the path of the change that reaches the place, or that created the object
// which lacks it. A problem reached by no change, or by several, keeps its path in
// the settings.
func located(found problem.Problems, changes []applied) {
	if len(changes) == 0 {
		return
	}
	for _, p := range found {
		if p.Code == problem.RequestPropertyUnknown {
			continue // its path already names the member inside the value
		}
		place := namesOf(p.Path)
		by, best := "", sharedEnough-1
		for _, c := range changes {
			shared := together(c.names, place)
			if shared > 0 && shared == min(len(c.names), len(place)) {
				shared = len(place) + 1 // one path leads to or into the other
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

// sharedEnough is the number of leading names that a place and a change must share
// to concern the same entry: two of synonyms.merch.rules.
const sharedEnough = 2

// together returns the number of leading names two lists share.
func together(a, b []string) int {
	shared := 0
	for shared < min(len(a), len(b)) && a[shared] == b[shared] {
		shared++
	}
	return shared
}

// namesOf returns the names of a problem's path without list positions.
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
