// Package client talks to Quire nodes over HTTP with the types the server uses:
// requests and answers of package query, definitions, settings, and errors of
// type *problem.Error, whose codes errors.Is distinguishes.
//
//	c, err := client.New("http://localhost:8080", key)
//	books := c.Index("books")
//	_, err = books.Add(ctx, map[string]any{"id": "1", "title": "Kindred"})
//	answer, err := books.Search(ctx, &query.Search{
//		Query: []query.Clause{&query.TextClause{Text: query.Text{Text: "kindred"}}}})
//	if errors.Is(err, problem.IndexNotFound) { … }
//
// Requests are retried only where that is safe; see RetryFor. With several
// nodes (see Nodes), a request that cannot reach one node goes to the next.
//
// A Client may be used by any number of goroutines.
package client

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
)

// Client talks to the nodes of one deployment.
type Client struct {
	nodes    []string // base URLs without a trailing slash
	key      string
	http     *http.Client
	retryFor time.Duration

	preferred atomic.Int64 // index of the node that last answered

	readYourWrites bool
	mu             sync.Mutex
	tokens         map[string]string // newest token of each index written here
}

// Option configures a Client.
type Option func(*Client)

// defaultRetry is longer than the lease of a lost node (10 s), after which
// another node writes its indexes.
const defaultRetry = 20 * time.Second

// New returns a client of the node at a URL. The key is sent as a bearer token;
// leave it empty for a node without authentication.
func New(node, key string, options ...Option) (*Client, error) {
	c := &Client{nodes: []string{node}, key: key, http: newHTTP(), retryFor: defaultRetry,
		tokens: make(map[string]string)}
	for _, option := range options {
		option(c)
	}
	if strings.ContainsFunc(key, unicode.IsControl) {
		return nil, errors.New("the key has a character that a header cannot carry, such as the end of a line")
	}
	for i, node := range c.nodes {
		parsed, err := url.Parse(node)
		if err != nil {
			return nil, fmt.Errorf("node %q: %w", node, err)
		}
		if parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" {
			return nil, fmt.Errorf("node %q: expected a URL such as http://localhost:8080", node)
		}
		c.nodes[i] = strings.TrimRight(node, "/")
	}
	return c, nil
}

// newHTTP returns an HTTP client that keeps enough idle connections for many
// goroutines.
func newHTTP() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64
	transport.DialContext = newDialer().DialContext
	return &http.Client{Transport: transport}
}

// connectLimit bounds the wait for a connection. A machine that is gone sends nothing,
// and other nodes must be asked before the time for retries ends.
const connectLimit = 5 * time.Second

func newDialer() *net.Dialer { return &net.Dialer{Timeout: connectLimit} }

// Nodes adds more nodes of the same deployment. A request that one node does
// not answer goes to the next.
func Nodes(nodes ...string) Option {
	return func(c *Client) { c.nodes = append(c.nodes, nodes...) }
}

// HTTP replaces the HTTP client, for example to set a timeout or a proxy.
func HTTP(h *http.Client) Option { return func(c *Client) { c.http = h } }

// RetryFor bounds the time during which a request is retried; 0 disables
// retries, and the default is 20 seconds. The pauses grow from 50 milliseconds
// to two seconds with jitter, and Retry-After is respected. A request is
// retried
//
//   - if it was certainly not carried out: no connection, or the node reports
//     that nothing was written (of several documents some may have been, in
//     which case the outcome is unknown);
//   - if its outcome is unknown and it is idempotent: all reads, commits, and
//     writes of documents to an index with a primary key. The client reads the
//     definition before each such retry; if it cannot, it does not retry.
func RetryFor(d time.Duration) Option { return func(c *Client) { c.retryFor = d } }

// ReadYourWrites makes every read of an index include this client's earlier
// writes to it: the read sends the newest freshness token, and the node waits
// for the commit.
func ReadYourWrites() Option { return func(c *Client) { c.readYourWrites = true } }

// Index returns a handle on an index, or on a generation given as
// index@generation. It sends no request.
func (c *Client) Index(name string) *Index { return &Index{client: c, name: name} }

// Index is a handle on one index of a Client.
type Index struct {
	client *Client
	name   string
}

// Name returns the name of the index.
func (x *Index) Name() string { return x.name }

func (x *Index) data(parts ...string) string {
	return "/v1alpha1/indexes/" + join(append([]string{x.name}, parts...))
}

func (x *Index) admin(parts ...string) string {
	return "/v1alpha1/admin/indexes/" + join(append([]string{x.name}, parts...))
}

// join escapes the segments of a path. It also escapes dot segments, which
// would otherwise be resolved on the way.
func join(segments []string) string {
	escaped := make([]string, len(segments))
	for i, segment := range segments {
		escaped[i] = url.PathEscape(segment)
		if segment == "." || segment == ".." {
			escaped[i] = strings.ReplaceAll(segment, ".", "%2E")
		}
	}
	return strings.Join(escaped, "/")
}
