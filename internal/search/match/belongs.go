package match

import (
	"slices"
	"strings"

	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/search/plan"
)

// belongs reports whether a node matches nothing in the segment but list values of the path, or
// nothing but root documents for the path "". It may return false even if so.
func (b *binder) belongs(n plan.Node, path string) bool {
	switch n := n.(type) {
	case *plan.Nothing:
		return true
	case *plan.Term:
		return b.listOf(n.Structure, path)
	case *plan.Word:
		return !slices.ContainsFunc(n.Fields, func(f plan.WordField) bool { return !b.listOf(f.Structure, path) })
	case *plan.Pair:
		return b.belongs(n.First, path)
	case *plan.Phrase:
		return b.listOf(n.Structure, path)
	case *plan.Expand:
		return b.listOf(n.Structure, path)
	case *plan.TermSet:
		return b.listOf(n.Structure, path)
	case *plan.TermRange:
		return b.listOf(n.Structure, path)
	case *plan.NumberRange:
		return b.listOf(n.Structure, path)
	case *plan.Distance:
		return b.listOf(n.Structure, path)
	case *plan.Nested:
		return path == ""
	case *plan.And:
		return slices.ContainsFunc(n.Clauses, func(c plan.Node) bool { return b.belongs(c, path) })
	case *plan.Or:
		return !slices.ContainsFunc(n.Clauses, func(c plan.Node) bool { return !b.belongs(c, path) })
	case *plan.Best:
		return !slices.ContainsFunc(n.Clauses, func(c plan.Node) bool { return !b.belongs(c, path) })
	case *plan.Cover:
		return !slices.ContainsFunc(n.Clauses, func(c plan.Node) bool { return !b.belongs(c, path) })
	case *plan.Scale:
		return b.belongs(n.Clause, path)
	case *plan.Constant:
		return b.belongs(n.Clause, path)
	}
	return false
}

// listOf reports whether a structure belongs to the list values of a path, or to root documents
// for the path "".
func (b *binder) listOf(structure, path string) bool {
	field, _, _ := strings.Cut(structure, "\x00")
	if field == "" {
		return false // shared by documents and values
	}
	nearest := ""
	for _, list := range b.listPaths() {
		if len(list) > len(nearest) && strings.HasPrefix(field, list) && strings.HasPrefix(field[len(list):], ".") {
			nearest = list
		}
	}
	return nearest == path
}

// listPaths returns the paths of all nested lists in the segment.
func (b *binder) listPaths() []string {
	if b.paths == nil {
		b.paths = []string{}
		if lists := b.segment.Reader.Terms(layout.Lists); lists != nil {
			for ord := range lists.Len() {
				b.paths = append(b.paths, string(lists.Term(ord)))
			}
		}
	}
	return b.paths
}
