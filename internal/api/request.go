package api

import (
	"io"
	"net/http"
	"net/url"

	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/internal/freshness"
)

// Request is one request on its way to a handler: routed, negotiated,
// authenticated and authorized. It belongs to the goroutine of the request.
type Request struct {
	// HTTP is the request as received. Its body is read through Body and Entries,
	// which enforce the limits.
	HTTP *http.Request
	// Route is the matched row of the table of routes.
	Route *Route
	// Principal is the sender of the request; nil on routes without a permission.
	Principal *auth.Principal

	values []string // of the path parameters, unescaped
	query  url.Values
	media  string       // of the response
	body   *boundedBody // as it arrives
	text   io.Reader    // the body without its content encoding

	maxEntry int64 // bytes of one NDJSON entry; 0: no limit
}

// Param returns the unescaped value of a path parameter, or an empty string if
// the route has no such parameter.
func (r *Request) Param(name string) string {
	for i, parameter := range r.Route.parameters {
		if parameter == name {
			return r.values[i]
		}
	}
	return ""
}

// HasQuery reports whether a query parameter is present.
func (r *Request) HasQuery(name string) bool { return r.query.Has(name) }

// Query returns the first value of a query parameter, empty if absent.
func (r *Request) Query(name string) string { return r.query.Get(name) }

// QueryAll returns every value of a query parameter.
func (r *Request) QueryAll(name string) []string { return r.query[name] }

// Freshness returns the token of the freshness header, empty if absent.
func (r *Request) Freshness() string { return r.HTTP.Header.Get(freshness.Header) }

// WantsNDJSON reports whether the response is to be written as NDJSON.
func (r *Request) WantsNDJSON() bool { return r.media == mediaNDJSON }

// URL returns an address for Location headers: the scheme and host of the
// request with the given path, or the path alone if the request names no host.
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
