package api

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/problem"
)

// RunsOn says which node serves an operation.
type RunsOn string

// Where operations run.
const (
	AnyNode RunsOn = "any"    // the node that receives the request
	Writer  RunsOn = "writer" // the node that writes the index; others forward to it
)

// Route is one row of the table of routes. Everything but the last columns is
// mandatory for a route with a permission.
type Route struct {
	Method     string
	Path       string // parameters in braces
	Operation  string // the operationId; also the name of the handler
	Tag        string
	Summary    string
	Permission auth.Permission // empty outside the versioned API and with auth.ScopeCredential
	Scope      auth.Scope
	Anonymous  bool // answered to the anonymous key
	RunsOn     RunsOn
	Query      []string // names of query parameters described in schemas.yaml
	Headers    []string // names of request headers described in schemas.yaml
	Body       string   // schema of the request body; empty when none is read
	Answers    []Answer
	Codes      []*problem.Code // besides those every operation has

	Creates      bool // may create the index it names
	BareIndex    bool // the permission is needed on the index, whatever generation is named
	OptionalBody bool // a missing body is read as {}
	Streams      bool // the body may be NDJSON
	Rows         bool // the body may be CSV or tab-separated
	Lines        bool // the answer may be NDJSON
	Repeats      bool // has no body, and doing it twice is doing it once

	handler    Handler
	parameters []string
	offers     []offered
	meter      func(s *metrics.Set, index string, ended metrics.Outcome, took time.Duration)
}

// Answer is one successful answer of a route.
type Answer struct {
	Status int
	Schema string // empty for an answer without body
	Means  string
}

// isOpen reports whether the route is served without credential: only those
// outside the versioned interface are.
func (r *Route) isOpen() bool { return r.Permission == "" && strings.HasPrefix(r.Path, "/q/") }

// IsVersioned reports whether the route belongs to the versioned interface,
// which asks for a credential and is described by OpenAPI.
func (r *Route) IsVersioned() bool { return r.Scope != "" }

// Documented returns every code that the route may answer with.
func (r *Route) Documented() []*problem.Code { return slices.Concat(r.Codes, everyCodes) }

func (r *Route) forwards() bool { return r.RunsOn == Writer }

// checkBodyType refuses a body in a form the route does not read.
func (r *Route) checkBodyType(request *http.Request) error {
	if r.Body == "" || request.ContentLength == 0 {
		return nil
	}
	if _, ok := contentEncoding(request.Header); !ok {
		return problem.RequestUnsupportedMediaType.New().Advise("Compress the body as gzip or zstd, or send it without Content-Encoding.")
	}
	contentType := request.Header.Get("Content-Type")
	if contentType == "" {
		return nil
	}
	switch mediaType(contentType) {
	case mediaJSON:
		return nil
	case mediaNDJSON:
		if r.Streams {
			return nil
		}
	case mediaCSV, mediaTSV:
		if r.Rows {
			return nil
		}
	case "application/x-www-form-urlencoded":
		return problem.RequestUnsupportedMediaType.New().
			Advise("Add the header Content-Type: application/json; curl -d and HTML forms send application/x-www-form-urlencoded without it.")
	}
	return problem.RequestUnsupportedMediaType.New()
}

// permit refuses a principal that lacks the permission of the route on what
// the path names. A route that states none is refused to everybody, unless it
// says that any credential may ask.
func (r *Route) permit(p *auth.Principal, name string) error {
	if r.Scope == auth.ScopeCredential {
		return nil
	}
	if !r.Permission.IsKnown() {
		return problem.AuthForbidden.New("permission", string(r.Permission))
	}
	if p.IsAnonymous() && !r.Anonymous {
		// The anonymous key holds nothing but search: an index without it is as
		// absent to it as to any key that does not cover it.
		if r.Scope == auth.ScopeIndex {
			if err := r.permitIndex(p, auth.Search, name); err != nil {
				return err
			}
		}
		return problem.AuthForbidden.New("permission", string(r.Permission))
	}
	switch r.Scope {
	case auth.ScopeIndex:
		return r.permitIndex(p, r.Permission, name)
	case auth.ScopeAnyIndex:
		return p.CheckSomewhere(r.Permission)
	}
	return p.CheckDeployment(r.Permission)
}

func (r *Route) permitIndex(p *auth.Principal, permission auth.Permission, name string) error {
	if r.BareIndex {
		return p.CheckBareIndex(permission, name)
	}
	return p.CheckIndex(permission, name)
}
