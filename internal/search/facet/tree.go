package facet

import (
	"strings"

	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/query"
)

// TreeOptions says which levels of a hierarchy to show.
type TreeOptions struct {
	Options
	Path      string // level path whose children are shown, "" for the top
	Depth     int
	Separator string                   // of the field
	Fold      func(path string) string // maps level paths to the form in which they are compared
}

// Tree returns the levels to show and the total number of levels at the first depth. The values
// of counts are level paths.
func Tree(counts []Count, o TreeOptions) ([]query.FacetValue, int) {
	children := make(map[string][]Count)
	for _, c := range counts {
		path := string(c.Value)
		parent := ""
		if cut := strings.LastIndex(path, layout.LevelSeparator); cut >= 0 {
			parent = path[:cut]
		}
		children[parent] = append(children[parent], c)
	}
	top := children[""]
	if o.Path != "" {
		top = nil
		wanted := o.Fold(o.Path)
		for _, c := range counts {
			if parent := string(c.Value); o.Fold(parent) == wanted {
				top = append(top, children[parent]...)
			}
		}
	}
	return o.level(top, children, o.Depth)
}

func (o TreeOptions) level(counts []Count, children map[string][]Count, depth int) ([]query.FacetValue, int) {
	var values []query.FacetValue
	for _, c := range pick(counts, o.Options) {
		path := string(c.Value)
		name := path[strings.LastIndex(path, layout.LevelSeparator)+1:]
		value := query.FacetValue{
			Value: query.TextOf(layout.ShowLevelPath(name, o.Separator)),
			Path:  layout.ShowLevelPath(path, o.Separator),
			Count: c.Count,
		}
		if below := children[path]; depth > 1 && len(below) > 0 {
			value.HasValues = true
			value.Values, value.TotalValues = o.level(below, children, depth-1)
		}
		values = append(values, value)
	}
	return values, len(counts)
}
