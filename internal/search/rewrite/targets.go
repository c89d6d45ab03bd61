package rewrite

import (
	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/interpret"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/scope"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// targetCheck validates the targets on which texts are interpreted, wherever the
// clauses stand and whether or not the texts are interpreted. It stops at the first
// problem.
type targetCheck struct {
	schema   *definition.Schema
	compiler *plan.Compiler
	err      error
}

// CheckTargets checks the targets in all clauses of a search and returns the first
// problem.
func CheckTargets(schema *definition.Schema, compiler *plan.Compiler, r *query.Search) error {
	c := targetCheck{schema: schema, compiler: compiler}
	c.clauses(r.Query, "")
	c.clauses(r.Filters, "")
	if r.Hits != nil {
		c.clauses(r.Hits.When, "")
	}
	for i := range r.Facets {
		f := &r.Facets[i]
		c.chain(f.Field, f.When, f.Fallback)
	}
	for i := range r.Sort {
		o := &r.Sort[i]
		c.chain(o.Field, o.When, o.Fallback)
	}
	if r.Rescore != nil {
		c.clauses(r.Rescore.Boost, "")
	}
	return c.err
}

// CheckClauses checks the targets in clauses over documents and returns the first
// problem.
func CheckClauses(schema *definition.Schema, compiler *plan.Compiler, clauses []query.Clause) error {
	c := targetCheck{schema: schema, compiler: compiler}
	c.clauses(clauses, "")
	return c.err
}

// clauses checks the targets in clauses that stand in a nested list, or in none
// ("").
func (c *targetCheck) clauses(clauses []query.Clause, list string) {
	for _, clause := range clauses {
		if c.err != nil {
			return
		}
		switch clause := clause.(type) {
		case *query.TextClause:
			for i := range clause.Interpret.Targets {
				var first *definition.ResolvedField
				c.target(&clause.Interpret.Targets[i], list, &first)
			}
		case *query.NestedClause:
			c.clauses(clause.Clauses, c.listAt(clause.List))
		case *query.KnnClause:
			c.clauses(clause.Filter, list)
		case *query.FuseClause:
			for i := range clause.Rankings {
				c.clauses(clause.Rankings[i].Clauses, list)
			}
			c.clauses(clause.Filter, list)
		default:
			c.clauses(query.Children(clause), list)
		}
	}
}

// listAt returns the path of a nested list, and "" for anything else. Compiling the
// clause that names it reports the problem.
func (c *targetCheck) listAt(path string) string {
	if field, ok := c.schema.Resolve(path); ok && field.IsNestedList() {
		return field.Path
	}
	return ""
}

// chain checks the targets in the clauses of a value chain. Compiling the chain
// checks its fields.
func (c *targetCheck) chain(name string, when []query.Clause, fallback []query.Target) {
	if len(when) == 0 && len(fallback) == 0 {
		return
	}
	list := ""
	if field, ok := c.schema.Resolve(name); ok {
		list = field.List
	}
	c.clauses(when, list)
	for i := range fallback {
		c.chain(fallback[i].Field, fallback[i].When, fallback[i].Fallback)
	}
}

// target checks a target of a text, and its fallbacks. The text stands in a nested
// list or in none (""). first is the first field of the chain.
func (c *targetCheck) target(target *query.Target, list string, first **definition.ResolvedField) {
	if c.err != nil {
		return
	}
	at := target.At.Field("field")
	field, ok := c.schema.Resolve(target.Field)
	inner := "" // the list in which the condition stands
	if ok {
		inner = field.List
	}
	switch {
	case !ok:
		c.refuse(problem.SearchFieldUnknown.At(at, "name", target.Field))
	case !field.Type.IsNumber() || field.Unit == "":
		c.refuse(problem.SearchInterpretUnitRequired.At(at, "name", target.Field))
	case list != "" && field.List != list:
		c.refuse(problem.SearchNestedFieldNotInside.At(at, "name", target.Field, "path", list))
	case !field.Filter:
		c.refuse(problem.SearchUsageUnsupported.At(at, "name", target.Field, "usage", "filter"))
	case *first != nil && field.Unit != (*first).Unit:
		c.refuse(problem.SearchInterpretFallbackUnitMismatch.At(at,
			"name", field.Path, "unit", field.Unit, "field", (*first).Path, "expected", (*first).Unit))
	case *first == nil:
		*first = field
	}
	if c.err == nil {
		c.condition(target.When, inner)
	}
	c.clauses(target.When, inner)
	for i := range target.Fallback {
		c.target(&target.Fallback[i], list, first)
	}
}

func (c *targetCheck) refuse(p *problem.Problem) { c.err = p }

// condition checks each field and text of a condition separately, over documents or
// over the values of a list.
func (c *targetCheck) condition(when []query.Clause, list string) {
	for i, clause := range when {
		if c.err != nil {
			return
		}
		switch clause.(type) {
		case *query.FieldClause, *query.TextClause:
			_, c.err = scope.CompileIn(c.compiler, list, when[i:i+1])
		default:
			c.condition(query.Children(clause), list)
		}
	}
}

// targetFields returns the fields that the checked targets of a text name: chain
// after chain, a fallback's own fallbacks before its next sibling. A field with a
// wildcard is not interpreted; it only precedes others in a chain.
func (r *Request) targetFields(clause *query.TextClause) []interpret.Field {
	var all []interpret.Field
	for i := range clause.Interpret.Targets {
		var chain []interpret.Field
		var walk func(target *query.Target)
		walk = func(target *query.Target) {
			field, _ := r.Schema.Resolve(target.Field)
			// Earlier aliases the part of the chain that no longer changes.
			chain = append(chain, interpret.Field{
				ResolvedField: field, When: target.When, Earlier: chain[:len(chain):len(chain)], Target: target,
			})
			for j := range target.Fallback {
				walk(&target.Fallback[j])
			}
		}
		walk(&clause.Interpret.Targets[i])
		for _, field := range chain {
			if !field.IsWildcard {
				all = append(all, field)
			}
		}
	}
	return all
}
