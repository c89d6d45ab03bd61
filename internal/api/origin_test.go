package api

import (
	"crypto/tls"
	"net/http/httptest"
	"testing"

	"github.com/quiresearch/quire/problem"
)

// S27: if no credential is required, pages of other origins are refused and
// programs other than browsers are not.
func TestPagesOfOtherOriginsAreRefused(t *testing.T) {
	open := Options{IsOpen: true}
	shop := Options{IsOpen: true, CORSOrigins: []string{"https://shop.example"}}
	const origin, host = "request:origin_forbidden", "request:host_forbidden"
	for _, test := range []struct {
		options            Options
		host, origin, site string
		want               string
	}{
		{open, "node:8080", "", "", ""},
		{open, "node:8080", "http://node:8080", "same-origin", ""},
		{open, "node:8080", "https://node:8080", "same-origin", ""}, // behind a proxy
		{open, "NODE", "http://node", "same-origin", ""},
		{open, "node:443", "https://node", "same-origin", ""},
		{open, "node:80", "https://node", "", origin},
		{open, "node:8080", "", "none", ""}, // typed into the address bar
		{open, "node:8080", "http://node:9090", "same-site", origin},
		{open, "node:8080", "http://evil.example", "cross-site", origin},
		{open, "node:8080", "http://evil.example", "", origin},
		{open, "node:8080", "", "cross-site", origin},
		{open, "node:8080", "null", "", origin},
		{open, "node:8080", "file://", "", origin},
		{open, "", "http://", "", origin},
		{open, "node:8080", "http://node:8080", "cross-site", origin},
		{open, "node:8080", "http://node:8080.evil.example", "", origin},
		{open, "node:8080", "http://evil@node:8080", "", ""}, // no browser writes this; the host is the node's
		{shop, "node:8080", "https://shop.example", "cross-site", ""},
		{shop, "node:8080", "https://other.example", "cross-site", origin},
		{shop, "node:8080", "", "cross-site", origin},
		{Options{IsOpen: true, CORSOrigins: []string{"*"}}, "node", "https://a.example", "cross-site", ""},
		{Options{}, "node", "https://evil.example", "cross-site", ""}, // the page has no credential
		{Options{OnlyLoopback: true}, "localhost:8080", "", "", ""},
		{Options{OnlyLoopback: true}, "127.0.0.1:8080", "", "", ""},
		{Options{OnlyLoopback: true}, "127.9.9.9", "", "", ""},
		{Options{OnlyLoopback: true}, "[::1]:8080", "", "", ""},
		{Options{OnlyLoopback: true}, "[::1]", "", "", ""},
		{Options{OnlyLoopback: true}, "[::ffff:127.0.0.1]:1", "", "", ""},
		{Options{OnlyLoopback: true}, "console.localhost:1", "", "", ""},
		{Options{OnlyLoopback: true}, "LocalHost.:1", "", "", ""},
		{Options{OnlyLoopback: true}, "rebound.example:8080", "", "", host},
		{Options{OnlyLoopback: true}, "127.0.0.1.example", "", "", host},
		{Options{OnlyLoopback: true}, "localhost.evil.example", "", "", host},
		{Options{OnlyLoopback: true}, "0.0.0.0:8080", "", "", host},
		{Options{OnlyLoopback: true}, "192.168.0.1:8080", "", "", host},
		{Options{OnlyLoopback: true}, "", "", "", host},
		{Options{Hosts: []string{"search.example", "::1"}}, "Search.Example:8080", "", "", ""},
		{Options{Hosts: []string{"search.example", "::1"}}, "[::1]:8080", "", "", ""},
		{Options{Hosts: []string{"search.example"}}, "other.example", "", "", host},
	} {
		_, a := serveRoutes(t, test.options)
		request := httptest.NewRequest("POST", "/v1alpha1/indexes/x/documents/actions/delete", nil)
		request.Host = test.host
		if test.origin != "" {
			request.Header.Set("Origin", test.origin)
		}
		if test.site != "" {
			request.Header.Set("Sec-Fetch-Site", test.site)
		}
		got := ""
		if err := a.checkSender(request); err != nil {
			got = err.(*problem.Problem).Code.Name()
		}
		if got != test.want {
			t.Errorf("%+v: %q", test, got)
		}
	}
}

func TestAPlainPageIsAnotherOriginToANodeWithTLS(t *testing.T) {
	_, a := serveRoutes(t, Options{IsOpen: true})
	request := httptest.NewRequest("POST", "/", nil)
	request.Host, request.TLS = "node:8080", new(tls.ConnectionState)
	request.Header.Set("Origin", "http://node:8080")
	if a.checkSender(request) == nil {
		t.Error("a page without TLS may call a node with TLS")
	}
}

// Load balancers check health by IP address.
func TestHealthAnswersToEveryHost(t *testing.T) {
	server, _ := serveRoutes(t, Options{Hosts: []string{"search.example"}})
	if status, _, _ := ask(t, "GET", server.URL+"/q/health/live", ""); status != 200 {
		t.Errorf("health: %d", status)
	}
	if status, _, _ := ask(t, "GET", server.URL+"/q/openapi", ""); status != 403 {
		t.Errorf("description: %d", status)
	}
}
