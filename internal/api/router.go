package api

import (
	"net/url"
	"slices"
	"strings"
)

// router finds the route of a path. It works on the escaped path, segment by
// segment, so that an encoded slash or dot is part of a parameter; a literal
// segment takes precedence over a parameter. It never cleans or redirects a
// path. It does not change after construction.
type router struct {
	root branch
}

type branch struct {
	literals  map[string]*branch
	parameter *branch
	methods   map[string]*Route
}

// match is the result of routing a path: the routes by method and the parameter
// values in path order.
type match struct {
	methods map[string]*Route
	values  []string
}

func (r *router) add(route *Route) {
	at := &r.root
	for segment := range strings.SplitSeq(strings.TrimPrefix(route.Path, "/"), "/") {
		var next **branch
		if isParameter(segment) {
			next = &at.parameter
			if *next == nil {
				*next = new(branch)
			}
			at = *next
			continue
		}
		if at.literals == nil {
			at.literals = make(map[string]*branch)
		}
		if at.literals[segment] == nil {
			at.literals[segment] = new(branch)
		}
		at = at.literals[segment]
	}
	if at.methods == nil {
		at.methods = make(map[string]*Route)
	}
	at.methods[route.Method] = route
}

// find returns the match of an escaped path and reports false if there is none.
func (r *router) find(escapedPath string) (match, bool) {
	rest, ok := strings.CutPrefix(escapedPath, "/")
	if !ok {
		return match{}, false
	}
	return r.root.find(rest, nil)
}

func (b *branch) find(rest string, values []string) (match, bool) {
	segment, after, more := strings.Cut(rest, "/")
	if next := b.literals[segment]; next != nil {
		if found, ok := next.step(after, more, values); ok {
			return found, true
		}
	}
	if b.parameter == nil || segment == "" {
		return match{}, false
	}
	value, err := url.PathUnescape(segment)
	if err != nil {
		return match{}, false
	}
	return b.parameter.step(after, more, append(slices.Clip(values), value))
}

func (b *branch) step(after string, more bool, values []string) (match, bool) {
	if more {
		return b.find(after, values)
	}
	if b.methods == nil {
		return match{}, false
	}
	return match{methods: b.methods, values: values}, true
}

// allow returns the value of the Allow header.
func (m match) allow() string {
	methods := []string{"OPTIONS"}
	for method := range m.methods {
		methods = append(methods, method)
		if method == "GET" {
			methods = append(methods, "HEAD")
		}
	}
	slices.Sort(methods)
	return strings.Join(methods, ", ")
}

func isParameter(segment string) bool { return strings.HasPrefix(segment, "{") }

// parameters returns the names of the parameters of a path in order.
func parameters(path string) []string {
	var names []string
	for segment := range strings.SplitSeq(path, "/") {
		if isParameter(segment) {
			names = append(names, strings.Trim(segment, "{}"))
		}
	}
	return names
}
