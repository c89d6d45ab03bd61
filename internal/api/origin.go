package api

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/quiresearch/quire/problem"
)

// A browser sends requests on behalf of every page it shows. If the node
// requires a credential, a page of another origin has none. If it does not, the
// checks here keep such pages out: browsers name the origin of a page and its
// relation to the target in headers that a page cannot change
// (https://www.w3.org/TR/fetch-metadata/), and a page whose own name was
// pointed at this machine (DNS rebinding) still sends that name as Host.
//
// Programs other than browsers send none of these headers and are not affected.

// checkSender rejects a request caused by a page of another origin or sent to a
// host name that this node does not serve.
func (a *API) checkSender(r *http.Request) error {
	host := hostName(r.Host)
	switch {
	case a.options.OnlyLoopback && !isLoopbackName(host):
		return problem.RequestHostForbidden.New("host", host)
	case len(a.options.Hosts) > 0 && !slices.Contains(a.options.Hosts, host) && !strings.HasPrefix(r.URL.Path, "/q/health"):
		return problem.RequestHostForbidden.New("host", host)
	case !a.options.IsOpen:
		return nil
	}
	origins := r.Header.Values("Origin")
	for _, origin := range origins {
		if !a.allowsOrigin(origin) && !isOwnOrigin(origin, r) {
			return problem.RequestOriginForbidden.New("origin", origin)
		}
	}
	for _, site := range r.Header.Values("Sec-Fetch-Site") {
		if site == "cross-site" && (len(origins) == 0 || !a.allowsOrigin(origins[0])) {
			return problem.RequestOriginForbidden.New("origin", "another site")
		}
	}
	return nil
}

// allowsOrigin reports whether CORS lets pages of an origin call the node.
func (a *API) allowsOrigin(origin string) bool {
	return slices.Contains(a.options.CORSOrigins, origin) || slices.Contains(a.options.CORSOrigins, "*")
}

// isOwnOrigin reports whether a page of the origin came from the host that the
// request is sent to. TLS may have been terminated by a proxy in front of the
// node.
func isOwnOrigin(origin string, r *http.Request) bool {
	page, err := url.Parse(origin)
	if err != nil || page.Host == "" || page.Scheme != "https" && (page.Scheme != "http" || r.TLS != nil) {
		return false
	}
	return strings.EqualFold(withPort(page.Host, page.Scheme), withPort(r.Host, page.Scheme))
}

// withPort returns host with a port, adding the default port of the scheme if
// there is none.
func withPort(host, scheme string) string {
	if _, _, err := net.SplitHostPort(host); err == nil {
		return host
	}
	return host + map[string]string{"http": ":80", "https": ":443"}[scheme]
}

// hostName returns the name or address in a Host header in lower case, without
// port, brackets and trailing dot.
func hostName(host string) string {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	return strings.ToLower(strings.TrimSuffix(name, "."))
}

// isLoopbackName reports whether a name always resolves to this machine,
// whatever DNS says.
func isLoopbackName(name string) bool {
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	address, err := netip.ParseAddr(name)
	return err == nil && address.Unmap().IsLoopback()
}
