package api

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/problem"
)

// advise adds to an error what only the interface knows: the properties a body
// may have, the indexes the caller may see, the request that a definition
// needs. It does not modify the problems of err.
func (a *API) advise(ctx context.Context, r *Request, err error) error {
	return advised(err, func(p *problem.Problem) {
		switch p.Code {
		case problem.RequestPropertyUnknown:
			a.adviseProperty(r.Route, p)
		case problem.IndexNotFound:
			p.Among(p.Arguments["name"], func() []string { return a.visibleIndexes(ctx, r) })
		case problem.IndexDefinitionIncompatible:
			a.adviseReindex(ctx, r, p)
		}
	})
}

// advised returns err with copies of its problems, each passed to change.
func advised(err error, change func(*problem.Problem)) error {
	found := problem.All(err)
	if len(found) == 0 || found[0].Code == problem.NodeError {
		return err
	}
	copies := make(problem.Problems, len(found))
	for i, p := range found {
		one := *p
		change(&one)
		copies[i] = &one
	}
	var with error = copies
	if len(copies) == 1 {
		with = copies[0]
	}
	var other *statusError
	if errors.As(err, &other) {
		with = WithStatus(with, other.status)
	}
	return with
}

// nearFields adds to a failed search what the fields of the index tell: those with
// similar names, and usages that a field cannot have.
func nearFields(err error, schema *definition.Schema) error {
	if err == nil || schema == nil {
		return err
	}
	return advised(err, func(p *problem.Problem) {
		switch p.Code {
		case problem.SearchFieldUnknown:
			p.Among(p.Arguments["name"], schema.Paths)
		case problem.SearchUsageUnsupported:
			f, ok := schema.Resolve(p.Arguments["name"])
			if !ok || p.HasAdvice() {
				return
			}
			if obstacle := f.Obstacle(p.Arguments["usage"]); obstacle != "" {
				p.Advise(fmt.Sprintf("Name another field; %s %s and cannot have %s.", f.Path, obstacle, p.Arguments["usage"]))
			}
		case problem.SearchNestedPathNotNested, problem.SearchHitsPathNotNested:
			p.Among(p.Arguments["path"], func() []string { return nestedLists(schema) })
		}
	})
}

func nestedLists(schema *definition.Schema) []string {
	var lists []string
	for _, f := range schema.Fields() {
		if f.IsNestedList() {
			lists = append(lists, f.Path)
		}
	}
	return lists
}

// visibleIndexes returns the indexes that the caller can list.
func (a *API) visibleIndexes(ctx context.Context, r *Request) []string {
	all, err := a.node.List(ctx)
	if err != nil || r.Principal == nil {
		return nil
	}
	var names []string
	for _, index := range all {
		if r.Principal.Can(auth.IndexesRead, index.Name) {
			names = append(names, index.Name)
		}
	}
	return names
}

// adviseReindex names the request that makes documents fit an incompatible
// definition: a new generation, filled from the live one.
func (a *API) adviseReindex(ctx context.Context, r *Request, p *problem.Problem) {
	name, err := registry.ParseName(r.Param("name"))
	if err != nil {
		return
	}
	all, err := a.node.List(ctx)
	if err != nil {
		return
	}
	next := 1
	for _, index := range all {
		if index.Name != name.Index {
			continue
		}
		for _, g := range index.Generations {
			if n, err := strconv.Atoi(g.Name); err == nil {
				next = max(next, n+1)
			}
		}
	}
	help := fmt.Sprintf("The documents must be indexed again: send the same body to PUT /v1alpha1/admin/indexes/%s@%d?reindex=auto, "+
		"which fills a new generation from the live one and then answers from it.", name.Index, next)
	p.Advise(help)
	details := make(problem.Problems, len(p.Details))
	for i, inner := range p.Details {
		one := *inner
		details[i] = one.Advise(help)
	}
	p.Details = details
}

// maxListedProperties bounds how many properties the help lists if none has a
// similar name.
const maxListedProperties = 24

// adviseProperty lists the properties known at the position of an unknown one.
func (a *API) adviseProperty(route *Route, p *problem.Problem) {
	if route == nil || route.Body == "" || p.HasAdvice() {
		return
	}
	names := a.propertiesAt(route.Body, p.Path)
	given := p.Arguments["property"]
	if slices.Contains(names, given) && slices.Contains(names, "type") {
		// Another variant of the same object, such as another matcher, has it. The
		// names would be those of all variants.
		p.Advise(fmt.Sprintf("Remove %s, or change the type: an object of another type can have %s here.", p.Path, given))
		return
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == given })
	if len(problem.Nearest(given, names)) > 0 || len(names) == 0 || len(names) > maxListedProperties {
		p.AmongNames(given, names...)
		return
	}
	p.Advise(p.Help() + " Known here: " + strings.Join(names, ", ") + ".")
}

// propertiesAt returns, in order, the names of the properties that schemas.yaml
// gives the object around path in a body.
func (a *API) propertiesAt(body, path string) []string {
	described, err := a.schemas()
	if err != nil {
		return nil
	}
	at := []object{reference(body)}
	steps := pathSteps(path)
	for _, step := range steps[:max(len(steps)-1, 0)] {
		var inner []object
		for _, schema := range at {
			inner = append(inner, described.step(schema, step)...)
		}
		at = inner
	}
	var names []string
	for _, schema := range at {
		for _, choice := range described.choices(schema) {
			for name, property := range objectOf(choice["properties"]) {
				if objectOf(property)["readOnly"] != true {
					names = append(names, name)
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// step returns the schemas of a member or, for a step in brackets, of the
// elements of an array.
func (s *schemas) step(schema object, step string) []object {
	var inner []object
	for _, choice := range s.choices(schema) {
		property, known := objectOf(choice["properties"])[step]
		switch {
		case strings.HasPrefix(step, "["):
			inner = append(inner, objectOf(choice["items"]))
		case known:
			inner = append(inner, objectOf(property))
		default:
			inner = append(inner, objectOf(choice["additionalProperties"]))
		}
	}
	return inner
}

// choices resolves references and alternatives into object schemas.
func (s *schemas) choices(schema object) []object {
	if link, ok := schema["$ref"].(string); ok {
		return s.choices(s.Schemas[strings.TrimPrefix(link, schemaReference)])
	}
	alternatives, ok := schema["oneOf"].([]any)
	if !ok {
		return []object{schema}
	}
	var all []object
	for _, alternative := range alternatives {
		all = append(all, s.choices(objectOf(alternative))...)
	}
	return all
}

func objectOf(value any) object {
	o, _ := value.(object)
	return o
}

// pathSteps splits the path of a problem into names, and list positions as [n].
func pathSteps(path string) []string {
	var steps []string
	for path != "" {
		switch {
		case strings.HasPrefix(path, `["`):
			quoted, err := strconv.QuotedPrefix(path[1:])
			if err != nil {
				return steps
			}
			name, _ := strconv.Unquote(quoted)
			steps = append(steps, name)
			path = strings.TrimPrefix(path[1+len(quoted):], "]")
		case path[0] == '[':
			end := strings.IndexByte(path, ']') + 1
			if end == 0 {
				return steps
			}
			steps = append(steps, path[:end])
			path = path[end:]
		case path[0] == '.':
			path = path[1:]
		default:
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			steps = append(steps, path[:end])
			path = path[end:]
		}
	}
	return steps
}

// nearestPath returns the route path most similar to an escaped path, with the
// values of that path in place of the parameters. A path without the prefix of
// the interface is also tried with it.
func nearestPath(escapedPath string) string {
	best, bestCost := "", 1<<30
	for _, prefix := range []string{"", "/v1alpha1", "/v1alpha1/admin"} {
		given := strings.Split(strings.Trim(prefix+escapedPath, "/"), "/")
		for i := range routes {
			path, cost, ok := fitPath(strings.Split(strings.Trim(routes[i].Path, "/"), "/"), given)
			if ok && cost < bestCost {
				best, bestCost = path, cost
			}
		}
	}
	return best
}

// fitPath rewrites a path to match a route; cost is the number of segments
// changed.
func fitPath(route, given []string) (path string, cost int, ok bool) {
	if len(route) != len(given) {
		return "", 0, false
	}
	for i, segment := range route {
		switch {
		case isParameter(segment):
			if _, err := url.PathUnescape(given[i]); err != nil || given[i] == "" {
				return "", 0, false
			}
			segment = given[i]
		case segment == given[i]:
		case len(problem.Nearest(given[i], []string{segment})) == 1:
			cost++
		default:
			return "", 0, false
		}
		path += "/" + segment
	}
	return path, cost, true
}
