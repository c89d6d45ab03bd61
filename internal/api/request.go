package api

import (
	"io"
	"net/http"
	"net/url"

	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/internal/freshness"
)

// Request is one request on its way to a handler: matched, negotiated,
// authenticated and permitted. It belongs to the goroutine of the request.
type Request struct {
	// HTTP is the request as it came in. Its body is read through Body, Stream
	// and Entries, which keep the bounds.
	HTTP *http.Request
	// Route is the row of the table that answers.
	Route *Route
	// Principal is who sends the request; nil on routes without permission.
	Principal *auth.Principal

	values []string // of the path parameters, unescaped
	query  url.Values
	media  string       // to answer with
	body   *boundedBody // as it arrives
	text   io.Reader    // the body without its encoding

	maxEntry int64 // bytes of one NDJSON entry; 0: no bound
}

// Param returns the unescaped value of a path parameter; empty for a name the
// route does not have.
func (r *Request) Param(name string) string {
	for i, parameter := range r.Route.parameters {
		if parameter == name {
			return r.values[i]
		}
	}
	return ""
}

// HasQuery reports whether the query holds a parameter.
func (r *Request) HasQuery(name string) bool { return r.query.Has(name) }

// Query returns the first value of a query parameter, empty when it is absent.
func (r *Request) Query(name string) string { return r.query.Get(name) }

// QueryAll returns every value of a query parameter.
func (r *Request) QueryAll(name string) []string { return r.query[name] }

// Freshness returns the token of the freshness header, empty when it is
// absent.
func (r *Request) Freshness() string { return r.HTTP.Header.Get(freshness.Header) }

// WantsNDJSON reports whether the answer is to be written as lines.
func (r *Request) WantsNDJSON() bool { return r.media == mediaNDJSON }

// URL returns the address the caller used, for Location headers: scheme and
// host of the request with the given path, which stands alone where a caller
// names no host.
func (r *Request) URL(path string) string {
	if r.HTTP.Host == "" {
		return (&url.URL{Path: path}).String()
	}
	scheme := "http"
	if r.HTTP.TLS != nil {
		scheme = "https"
	}
	return (&url.URL{Scheme: scheme, Host: r.HTTP.Host, Path: path}).String()
}
