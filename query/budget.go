package query

import (
	"bytes"
	"strconv"

	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
)

// budget counts the clauses of a raw body before anything else reads it. Every
// clause object counts one, wherever it stands; each enclosing clause adds one to
// its depth. Targets of value chains and rankings together have a count of their
// own with the same bound. The values that matchers list are counted as well.
type budget struct {
	limits  Limits
	count   int
	entries int // targets and rankings
	values  int
	over    *problem.Problem // the first violation
}

// measure returns the first violation of the clause budget, or nil.
func measure(body jsonread.Value, limits Limits) *problem.Problem {
	if isWithin(body.Raw(), limits) {
		return nil
	}
	b := budget{limits: limits}
	b.body(body)
	return b.over
}

func (b *budget) body(body jsonread.Value) {
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
			b.targets(member, 1, false)
		}
	})
}

// isWithin reports whether a body is too small to exceed the budget. Every level of
// clauses has its own list, and everything counted is an element of a list: there
// are at most as many elements as commas and lists, wherever these stand.
func isWithin(body []byte, limits Limits) bool {
	lists := bytes.Count(body, []byte{'['})
	return lists <= limits.MaxClauseDepth && lists+bytes.Count(body, []byte{','}) <= min(limits.MaxClauses, MaxListedValues)
}

func (b *budget) clauses(list jsonread.Value, depth int) {
	if b.over != nil {
		return
	}
	items := jsonread.Items(list.Raw())
	for position := 0; items.Next() && b.over == nil; position++ {
		if jsonread.KindOf(items.Value()) != jsonread.ObjectKind {
			continue
		}
		at := list.Path().Item(position)
		clause := jsonread.New(items.Value(), at, nil)
		switch {
		case !b.admit(&b.count, at):
			return
		case depth > b.limits.MaxClauseDepth:
			b.over = problem.SearchClausesTooDeep.At(at, "max", b.limits.MaxClauseDepth)
			return
		}
		b.clause(clause, depth)
	}
}

// admit counts one and reports whether the count is still within its bound.
func (b *budget) admit(count *int, at problem.Path) bool {
	if *count++; *count > b.limits.MaxClauses {
		b.over = problem.SearchClausesTooMany.At(at, "max", b.limits.MaxClauses)
	}
	return b.over == nil
}

// listed counts the values that a matcher lists.
func (b *budget) listed(list jsonread.Value) {
	if b.values += elements(list); b.values > MaxListedValues {
		b.over = problem.RequestValueInvalid.At(list.Path(), "reason", "the matchers of a request list at most "+strconv.Itoa(MaxListedValues)+" values")
	}
}

func (b *budget) clause(clause jsonread.Value, depth int) {
	b.object(clause, func(name string, member jsonread.Value) {
		switch name {
		case "clauses", "filter":
			b.clauses(member, depth+1)
		case "rankings":
			rankings := jsonread.Items(member.Raw())
			for position := 0; rankings.Next() && b.over == nil; position++ {
				ranking := jsonread.New(rankings.Value(), member.Path().Item(position), nil)
				if !b.admit(&b.entries, ranking.Path()) {
					return
				}
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
				switch name {
				case "interpret":
					b.interpret(inner, depth+1)
				case "values":
					b.listed(inner)
				}
			})
		}
	})
}

func (b *budget) interpret(value jsonread.Value, depth int) {
	b.object(value, func(name string, member jsonread.Value) {
		if name == "fields" {
			b.targets(member, depth, true)
		}
	})
}

// targets counts the clauses of value chains. It counts the targets themselves if
// counted is set; otherwise they are entries with their own bound. Each fallback
// level is one deeper.
func (b *budget) targets(list jsonread.Value, depth int, counted bool) {
	items := jsonread.Items(list.Raw())
	for position := 0; items.Next() && b.over == nil && (counted || position < MaxFacets); position++ {
		if counted && !b.admit(&b.entries, list.Path().Item(position)) {
			return
		}
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
	b.targets(list, depth, true)
}

// object calls read for every member of an object, and never for any other value.
func (b *budget) object(value jsonread.Value, read func(name string, member jsonread.Value)) {
	members := jsonread.Members(value.Raw())
	for members.Next() && b.over == nil {
		name := jsonread.String(members.RawName())
		read(name, jsonread.New(members.Value(), value.Path().Field(name), nil))
	}
}
