package settings

import (
	"strconv"
	"strings"

	"github.com/quiresearch/quire/internal/change"
	"github.com/quiresearch/quire/problem"
)

// located puts problems of changed settings where the caller can see them: at
// the path of the change that reaches the place, or that made the object which
// lacks it. What no change reaches, or several do, stays where it is in the
// settings.
func located(found problem.Problems, changes []string) {
	if len(changes) == 0 {
		return
	}
	reached := make([][]string, len(changes))
	for i, text := range changes {
		steps, err := change.ParsePath(text)
		if err != nil {
			continue
		}
		for _, step := range steps {
			reached[i] = append(reached[i], step.Name)
		}
	}
	for _, p := range found {
		if p.Code == problem.RequestPropertyUnknown {
			continue // which points at a name inside the value
		}
		place := namesOf(p.Path)
		by, best := "", sharedEnough-1
		for i, names := range reached {
			shared := together(names, place)
			if shared > 0 && shared == min(len(names), len(place)) {
				shared = len(place) + 1 // one reaches the other
			}
			switch {
			case shared > best:
				by, best = changes[i], shared
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
