package settings

import (
	"strconv"
	"strings"

	"github.com/quiresearch/quire/internal/change"
	"github.com/quiresearch/quire/problem"
)

// located puts problems of changed settings where the caller can see them: at
// the path of the change that reaches the place. What no change reaches, or
// several do, stays where it is in the settings.
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
		place, by := namesOf(p.Path), ""
		for i, names := range reached {
			if len(names) == 0 || !together(names, place) {
				continue
			}
			if by != "" {
				by = ""
				break
			}
			by = changes[i]
		}
		if by != "" {
			p.Path = by
		}
	}
}

// together reports whether one list of names begins with the other.
func together(a, b []string) bool {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return false
		}
	}
	return len(b) > 0
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
