package scope

import (
	"strconv"
	"strings"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// ChainRules holds the differences between the value chains of sorts and range
// facets.
type ChainRules struct {
	Mismatch  *problem.Code // of a fallback with another type
	Usable    func(*definition.ResolvedField) bool
	Usage     string // required for a field to be usable
	Structure func(*definition.ResolvedField) string
}

// Chain compiles a value chain: a document takes its value from the first field
// that has one. The walk is depth first: a fallback's own fallbacks precede its
// next sibling. The returned text identifies the chain in fingerprints.
func (s *Scope) Chain(target *query.Target, rules ChainRules) ([]collect.Source, string, error) {
	var sources []collect.Source
	var text strings.Builder
	var first *definition.ResolvedField
	var walk func(t *query.Target) error
	walk = func(t *query.Target) error {
		at := t.At.Field("field")
		field, ok := s.Schema.Resolve(t.Field)
		switch {
		case !ok:
			return problem.SearchFieldUnknown.At(at, "name", t.Field)
		case !rules.Usable(field):
			return problem.SearchUsageUnsupported.At(at, "name", t.Field, "usage", rules.Usage)
		case first == nil:
			first = field
		case field.Type != first.Type:
			return rules.Mismatch.At(at, "name", t.Field, "type", field.Type, "field", first.Path, "expected", first.Type)
		}
		source := collect.Source{Structure: rules.Structure(field), List: field.List}
		if len(t.When) > 0 {
			when, err := CompileIn(s.Compiler, field.List, t.When)
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
