package query

import (
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
)

// budget counts the clauses of a raw body before anything else looks at it.
// Every clause object counts one, wherever it sits; each enclosing clause adds
// one to its depth.
type budget struct {
	limits Limits
	count  int
	over   *problem.Problem // the first violation
}

// measure returns the violation of the clause budget, or nil.
func measure(body jsonread.Value, limits Limits) *problem.Problem {
	b := budget{limits: limits}
	b.object(body, func(name string, member jsonread.Value) {
		switch name {
		case "query", "filters":
			b.clauses(member, 1)
		case "hits":
			b.object(member, func(name string, inner jsonread.Value) {
				if name == "when" {
					b.clauses(inner, 1)
				}
			})
		case "rescore":
			b.object(member, func(name string, inner jsonread.Value) {
				if name == "boost" {
					b.clauses(inner, 1)
				}
			})
		case "sort", "facets":
			b.targets(member, 1)
		}
	})
	return b.over
}

func (b *budget) clauses(list jsonread.Value, depth int) {
	if b.over != nil {
		return
	}
	items := jsonread.Items(list.Raw())
	for position := 0; items.Next() && b.over == nil; position++ {
		at := list.Path().Item(position)
		clause := jsonread.New(items.Value(), at, nil)
		if clause.Kind() != jsonread.ObjectKind {
			continue
		}
		b.count++
		switch {
		case b.count > b.limits.MaxClauses:
			b.over = problem.SearchClausesTooMany.At(at, "max", b.limits.MaxClauses)
			return
		case depth > b.limits.MaxClauseDepth:
			b.over = problem.SearchClausesTooDeep.At(at, "max", b.limits.MaxClauseDepth)
			return
		}
		b.clause(clause, depth)
	}
}

func (b *budget) clause(clause jsonread.Value, depth int) {
	b.object(clause, func(name string, member jsonread.Value) {
		switch name {
		case "clauses", "filter":
			b.clauses(member, depth+1)
		case "rankings":
			rankings := jsonread.Items(member.Raw())
			for position := 0; rankings.Next(); position++ {
				ranking := jsonread.New(rankings.Value(), member.Path().Item(position), nil)
				b.object(ranking, func(name string, inner jsonread.Value) {
					if name == "clauses" {
						b.clauses(inner, depth+1)
					}
				})
			}
		case "interpret":
			b.interpret(member, depth+1)
		case "match":
			b.object(member, func(name string, inner jsonread.Value) {
				if name == "interpret" {
					b.interpret(inner, depth+1)
				}
			})
		}
	})
}

func (b *budget) interpret(value jsonread.Value, depth int) {
	b.object(value, func(name string, member jsonread.Value) {
		if name == "fields" {
			b.targets(member, depth)
		}
	})
}

// targets counts the clauses of value chains; each fallback level is one
// deeper.
func (b *budget) targets(list jsonread.Value, depth int) {
	items := jsonread.Items(list.Raw())
	for position := 0; items.Next() && b.over == nil; position++ {
		b.object(jsonread.New(items.Value(), list.Path().Item(position), nil), func(name string, member jsonread.Value) {
			switch name {
			case "when":
				b.clauses(member, depth)
			case "fallback":
				b.fallback(member, depth+1)
			}
		})
	}
}

func (b *budget) fallback(list jsonread.Value, depth int) {
	if depth > b.limits.MaxClauseDepth && elements(list) > 0 {
		b.over = problem.SearchClausesTooDeep.At(list.Path().Item(0), "max", b.limits.MaxClauseDepth)
		return
	}
	b.targets(list, depth)
}

// object calls read for every member of an object; anything else has none.
func (b *budget) object(value jsonread.Value, read func(name string, member jsonread.Value)) {
	members := jsonread.Members(value.Raw())
	for members.Next() && b.over == nil {
		name := jsonread.String(members.RawName())
		read(name, jsonread.New(members.Value(), value.Path().Field(name), nil))
	}
}
