package engine

import (
	"strings"
	"sync"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/problem"
)

// MaxWildcardNames bounds the distinct concrete names of wildcard fields in one
// generation. Each name has structures of its own in every segment that holds it,
// which every commit and merge walks over.
const MaxWildcardNames = 10_000

// wildcardNames is the set of concrete names of wildcard fields in a generation.
type wildcardNames struct {
	mu    sync.Mutex
	names map[string]struct{} // nil until first used
}

// admitNames rejects a document with a new name of a wildcard field once the
// generation has reached MaxWildcardNames. Names of a rejected document are not
// remembered.
func (g *Generation) admitNames(d *document.Document) error {
	var wanted []*definition.ResolvedField
	add := func(values []document.Value) {
		for i := range values {
			if f := values[i].Field; f.IsWildcard && hasStructures(f) && (len(wanted) == 0 || wanted[len(wanted)-1] != f) {
				wanted = append(wanted, f)
			}
		}
	}
	add(d.Root)
	for i := range d.Children {
		add(d.Children[i].Values)
	}
	if len(wanted) == 0 {
		return nil
	}
	g.names.mu.Lock()
	defer g.names.mu.Unlock()
	if g.names.names == nil {
		g.loadNames()
	}
	var added []string
	for _, f := range wanted {
		if _, ok := g.names.names[f.Path]; ok {
			continue
		}
		if len(g.names.names) >= MaxWildcardNames {
			for _, path := range added {
				delete(g.names.names, path)
			}
			return problem.DocumentNamesTooMany.At(problem.At(f.Path), "name", f.Path, "limit", MaxWildcardNames)
		}
		g.names.names[f.Path] = struct{}{}
		added = append(added, f.Path)
	}
	return nil
}

// loadNames collects the names in the committed segments. The caller must hold
// names.mu.
func (g *Generation) loadNames() {
	g.names.names = make(map[string]struct{})
	current := g.Snapshot()
	if current == nil {
		return
	}
	defer current.Release()
	schema := g.Schema()
	for _, segment := range current.Segments {
		for _, path := range pathsOf(segment) {
			if f, ok := schema.Resolve(path); ok && f.IsWildcard {
				g.names.names[path] = struct{}{}
			}
		}
	}
}

// pathsOf returns the paths of the fields that have structures in a segment.
func pathsOf(segment *snapshot.Segment) []string {
	var paths []string
	for _, field := range segment.Reader.Fields() {
		if path, _, ok := strings.Cut(field.Name, "\x00"); ok && path != "" && (len(paths) == 0 || paths[len(paths)-1] != path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// hasStructures reports whether values of a field are indexed and not only stored.
func hasStructures(f *definition.ResolvedField) bool {
	return f.Filter || f.Facet || f.Sort || f.Signal || f.Hierarchy || f.Matching != nil || f.Autocomplete != nil ||
		f.Type == definition.Vector || f.Type == definition.GeoPoint
}
