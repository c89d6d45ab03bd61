package api

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/quiresearch/quire/problem"
)

//go:embed docs.html
var docsTemplate string

// docsPage responds with the description of the interface as an HTML page. The
// page loads no external resource and runs no script.
func (a *API) docsPage(context.Context, *Request) (*Response, error) {
	d, err := a.descriptions()
	if err != nil {
		return nil, err
	}
	response := &Response{Status: http.StatusOK, JSON: d.page, ContentType: "text/html; charset=utf-8"}
	return response.With("Content-Security-Policy", docsPolicy(d.page)), nil
}

// docsPolicy allows a page its own style sheet and nothing else: no script, no
// other style, no external resource.
func docsPolicy(page []byte) string {
	_, rest, _ := bytes.Cut(page, []byte("<style>"))
	style, _, _ := bytes.Cut(rest, []byte("</style>"))
	digest := sha256.Sum256(style)
	return "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'sha256-" +
		base64.StdEncoding.EncodeToString(digest[:]) + "'"
}

// docs is the data of the page.
type docs struct {
	Groups []docsGroup
	Bodies []docsBody
	Every  []*problem.Code // codes that every operation has in addition to its own
}

// docsGroup is one tag with its operations.
type docsGroup struct {
	Tag    string
	Routes []Route
}

func renderDocs() ([]byte, error) {
	bodies, err := docsBodies(schemasYAML)
	if err != nil {
		return nil, err
	}
	var groups []docsGroup
	for _, route := range routes {
		at := slices.IndexFunc(groups, func(g docsGroup) bool { return g.Tag == route.Tag })
		if at < 0 {
			at = len(groups)
			groups = append(groups, docsGroup{Tag: route.Tag})
		}
		groups[at].Routes = append(groups[at].Routes, route)
	}
	return docs{Groups: groups, Bodies: bodies, Every: everyCodes}.render()
}

func (d docs) render() ([]byte, error) {
	described, err := readSchemas()
	if err != nil {
		return nil, err
	}
	page, err := template.New("docs").Funcs(template.FuncMap{
		"join":     func(words []string) string { return strings.Join(words, ", ") },
		"anchor":   func(tag string) string { return strings.ReplaceAll(strings.ToLower(tag), " ", "-") },
		"distinct": distinct,
		"path":     func(name string) any { return described.Paths[name]["description"] },
		"query":    func(name string) any { return described.Query[name]["description"] },
		"header":   func(name string) any { return described.Headers[name]["description"] },
		"inPath":   parameters,
	}).Parse(docsTemplate)
	if err != nil {
		return nil, fmt.Errorf("read docs.html: %w", err)
	}
	var out bytes.Buffer
	if err := page.Execute(&out, d); err != nil {
		return nil, fmt.Errorf("render docs.html: %w", err)
	}
	return out.Bytes(), nil
}

// distinct returns every code once, ordered by status and name.
func distinct(codes []*problem.Code) []*problem.Code {
	sorted := slices.SortedFunc(slices.Values(codes), func(a, b *problem.Code) int {
		return cmp.Or(cmp.Compare(a.Status(), b.Status()), strings.Compare(a.Name(), b.Name()))
	})
	return slices.Compact(sorted)
}
