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

// RunsOn names the node that serves an operation.
type RunsOn string

// Values of RunsOn.
const (
	AnyNode RunsOn = "any"    // the node that receives the request
	Writer  RunsOn = "writer" // the node that writes the index; others forward to it
)

// Route is one row of the table of routes. All but the last columns are
// mandatory for a route with a permission.
type Route struct {
	Method     string
	Path       string // parameters in braces
	Operation  string // the operationId; also the name of the handler
	Tag        string
	Summary    string
	Permission auth.Permission // empty outside the versioned API and with auth.ScopeCredential
	Scope      auth.Scope
	Anonymous  bool // available to the anonymous key
	RunsOn     RunsOn
	Query      []string // names of query parameters described in schemas.yaml
	Headers    []string // names of request headers described in schemas.yaml
	Body       string   // schema of the request body; empty if none is read
	Answers    []Answer
	Codes      []*problem.Code // in addition to those every operation has

	Creates      bool // may create the named index
	BareIndex    bool // the permission is required on the index, whichever generation is named
	OptionalBody bool // a missing body counts as {}
	Streams      bool // the body may be NDJSON
	Rows         bool // the body may be CSV or tab-separated
	Lines        bool // the response may be NDJSON
	Repeats      bool // has no body and is idempotent

	handler    Handler
	parameters []string
	offers     []offered
	meter      func(s *metrics.Set, index string, ended metrics.Outcome, took time.Duration)
}

// Answer is one successful response of a route.
type Answer struct {
	Status int
	Schema string // empty for a response without a body
	Means  string
}

// isOpen reports whether the route is served without a credential, which only
// routes outside the versioned interface are.
func (r *Route) isOpen() bool { return r.Permission == "" && strings.HasPrefix(r.Path, "/q/") }

// IsVersioned reports whether the route belongs to the versioned interface,
// which requires a credential and is described by OpenAPI.
func (r *Route) IsVersioned() bool { return r.Scope != "" }

// Documented returns every code that the route may respond with.
func (r *Route) Documented() []*problem.Code { return slices.Concat(r.Codes, everyCodes) }

func (r *Route) forwards() bool { return r.RunsOn == Writer }

// checkBodyType rejects a body in a format the route does not read.
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

// permit rejects a principal without the permission of the route on the named
// resource. A route without a permission is closed to everyone, unless it
// accepts any credential.
func (r *Route) permit(p *auth.Principal, name string) error {
	if r.Scope == auth.ScopeCredential {
		return nil
	}
	if !r.Permission.IsKnown() {
		return problem.AuthForbidden.New("permission", string(r.Permission))
	}
	if p.IsAnonymous() && !r.Anonymous {
		// The anonymous key has no permission but search: to it, an index it cannot
		// search does not exist, as to any key that does not cover the index.
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
