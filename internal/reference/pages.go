// Package reference renders the reference pages under docs/reference from the
// tables of the API. Its test compares the pages with the files or, run with
// -rewrite, writes them.
package reference

import (
	"fmt"
	"strings"

	"github.com/quiresearch/quire/internal/api"
	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/internal/config"
	"github.com/quiresearch/quire/internal/format"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/problem"
)

// Pages returns the reference pages by file name.
func Pages() map[string]string {
	return map[string]string{
		"errors.md":      errorsPage(),
		"routes.md":      routesPage(),
		"permissions.md": permissionsPage(),
		"variables.md":   variablesPage(),
		"meters.md":      metersPage(),
		"formats.md":     formatsPage(),
	}
}

const generated = "<!-- Written by `make generate` from the table in %s. -->\n\n"

// page builds the text of one page.
type page struct{ strings.Builder }

func newPage(title, table, opening string) *page {
	p := new(page)
	fmt.Fprintf(p, generated, table)
	fmt.Fprintf(p, "# %s\n\n%s\n\n", title, opening)
	return p
}

func (p *page) head(columns ...string) {
	p.row(columns...)
	p.WriteString(strings.Repeat("|---", len(columns)) + "|\n")
}

func (p *page) row(cells ...string) {
	for _, cell := range cells {
		p.WriteString("| " + strings.ReplaceAll(cell, "|", `\|`) + " ")
	}
	p.WriteString("|\n")
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

func codes(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = code(word)
	}
	return strings.Join(quoted, ", ")
}

func errorsPage() string {
	p := newPage("Error codes", "`problem`", "Clients match on the code, never on the message. A code is never renamed or reused. "+
		"A failed request changed nothing unless its code says otherwise.\n\n"+
		"An answer has the code, message, place and help of its one problem, or the code `validation` and every problem under `errors`. "+
		"`path` is the place in the body or the query parameter, `arguments` are the values of the message, and `help` says what to do: "+
		"the remedy below with the values filled in and, for a name that is not known, the nearest ones that the caller may see.")
	for _, e := range errorExamples {
		p.example(e)
	}
	p.WriteString("## All codes\n\n")
	p.head("Code", "Status", "Message", "What to do")
	for _, c := range problem.Codes() {
		p.row(code(c.Name()), fmt.Sprint(c.Status()), c.Message(), c.Remedy())
	}
	return p.String()
}

func routesPage() string {
	p := newPage("Routes", "`internal/api/routes.go`", "Every operation, the permission it needs and the node it runs on. A running node describes them at `/q/docs`, those below `/v1alpha1` also at `/q/openapi`.")
	p.head("Operation", "Method", "Path", "Permission", "Scope", "Anonymous", "Runs on", "What it does")
	for _, r := range api.Routes() {
		anonymous := ""
		if r.Anonymous {
			anonymous = "yes"
		}
		p.row(code(r.Operation), r.Method, code(r.Path), code(string(r.Permission)), string(r.Scope), anonymous, string(r.RunsOn), r.Summary)
	}
	return p.String()
}

func permissionsPage() string {
	p := newPage("Permissions and roles", "`internal/auth/permissions.go`", "A grant names permissions or a role and the indexes they apply to. Roles are expanded when a key is created.")
	p.head("Permission", "Scope", "Roles", "Allows")
	for _, d := range auth.Permissions() {
		p.row(code(string(d.Permission)), string(d.Scope), codes(d.Roles), d.Allows)
	}
	return p.String()
}

func variablesPage() string {
	p := newPage("Variables", "`internal/config/variables.go`", "A node is configured by environment variables alone. `quire config` prints them with their values. "+
		"Durations are written as 500ms, 10s, 5m or 1h; sizes in bytes or with the suffix K, M, G or T.")
	p.head("Variable", "Kind", "Default", "Bounds", "Mode", "Meaning")
	for _, v := range config.Variables() {
		p.row(code(v.Name), string(v.Kind), code(v.Default), v.Bounds, v.Mode, v.Meaning)
	}
	return p.String()
}

func metersPage() string {
	p := newPage("Meters", "`internal/metrics/meters.go`", "Scraped at `/q/metrics` under the Prometheus name. A timer has `_count`, `_sum`, `_max` and, unless turned off, `_bucket`.")
	p.head("Meter", "Prometheus", "Kind", "Tags", "Meaning")
	for _, m := range metrics.Meters() {
		p.row(code(m.Name), code(m.PrometheusName()), string(m.Kind), codes(m.Tags), m.Help)
	}
	return p.String()
}

func formatsPage() string {
	p := newPage("Stored formats", "`internal/format`", "What is written to be read later by another process. A reader refuses a version it does not know.")
	p.head("Format", "Version", "Read from", "Mark", "Holds", "Bytes")
	for _, f := range format.All() {
		p.row(f.Name, fmt.Sprint(f.Version), fmt.Sprint(f.Oldest), code(f.Mark), f.Holds, fmt.Sprintf("[%s](../../%s/FORMAT.md)", f.Package, f.Package))
	}
	return p.String()
}
