package auth

import (
	"slices"
	"strings"

	"github.com/quiresearch/quire/internal/registry"
)

// Grant gives permissions on every index or generation that one of its patterns
// matches. Deployment-scoped permissions hold regardless of patterns.
type Grant struct {
	Permissions []Permission `json:"permissions"`
	Indexes     []string     `json:"indexes,omitempty"`
}

// holds reports whether the grant names the permission. Names that this build does
// not know have no effect, because nothing asks for them.
func (g Grant) holds(p Permission) bool { return slices.Contains(g.Permissions, p) }

// covers reports whether a pattern of the grant matches the name, which is an index
// or index@generation exactly as in the request.
func (g Grant) covers(name string) bool {
	return slices.ContainsFunc(g.Indexes, func(pattern string) bool {
		return patternMatches(pattern, name)
	})
}

// patternMatches reports whether a pattern matches a name: they are equal, or the
// pattern ends in * and the name begins with the rest.
func patternMatches(pattern, name string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(name, prefix)
	}
	return pattern == name
}

// isPattern reports whether text can match an index or a generation: a whole name,
// or the beginning of one followed by a single *.
func isPattern(text string) bool {
	prefix, open := strings.CutSuffix(text, "*")
	if !open {
		_, err := registry.ParseName(text)
		return err == nil
	}
	index, generation, named := strings.Cut(prefix, "@")
	if !named {
		return registry.CouldBeginIndexName(index)
	}
	return registry.IsIndexName(index) && registry.CouldBeginGenerationName(generation)
}
