package search

import (
	"strconv"
	"strings"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// chainCodes is how sorts and range facets differ in their value chains.
type chainCodes struct {
	mismatch  *problem.Code
	usable    func(*definition.ResolvedField) bool
	usage     string
	structure func(*definition.ResolvedField) string
}

// chain compiles a value chain, depth first: a fallback's own fallbacks come
// before its next sibling. The text tells chains apart in fingerprints.
func (s *session) chain(target *query.Target, codes chainCodes) ([]collect.Source, string, error) {
	var sources []collect.Source
	var text strings.Builder
	var first *definition.ResolvedField
	var walk func(t *query.Target) error
	walk = func(t *query.Target) error {
		at := t.At.Field("field")
		field, ok := s.view.Schema.Resolve(t.Field)
		switch {
		case !ok:
			return problem.SearchFieldUnknown.At(at, "name", t.Field)
		case !codes.usable(field):
			return problem.SearchUsageUnsupported.At(at, "name", t.Field, "usage", codes.usage)
		case first == nil:
			first = field
		case field.Type != first.Type:
			return codes.mismatch.At(at, "name", t.Field, "type", field.Type, "field", first.Path, "expected", first.Type)
		}
		source := collect.Source{Structure: codes.structure(field), List: field.List}
		if len(t.When) > 0 {
			when, err := compileIn(&s.compiler, field.List, t.When)
			if err != nil {
				return err
			}
			source.When = when
		}
		sources = append(sources, source)
		text.WriteString(strconv.Quote(t.Field))
		text.WriteString(strconv.Itoa(len(t.When)))
		text.Write(t.WhenText)
		for i := range t.Fallback {
			if err := walk(&t.Fallback[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(target); err != nil {
		return nil, "", err
	}
	return sources, text.String(), nil
}

// compileIn compiles clauses over documents, or over the values of a list.
func compileIn(compiler *plan.Compiler, list string, clauses []query.Clause) (plan.Node, error) {
	if list == "" {
		return compiler.List(clauses)
	}
	return compiler.ListInside(list, clauses)
}
