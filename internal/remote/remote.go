// Package remote is how the command line talks to a node over HTTP.
//
// A Node sends one request after the other and waits, up to Patience, while the
// node is away or busy. An answer that refuses the request is a *Refusal.
//
// A Node may be used by any number of goroutines.
package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
)

// DefaultURL is the address of a node on this machine.
const DefaultURL = "http://localhost:8080"

// Node is a node of the service.
type Node struct {
	URL      string
	Key      string        // sent as a bearer credential; empty: none is sent
	Patience time.Duration // how long a node may be away
	Waits    func(error)   // called after every failed attempt; may be nil

	client http.Client
}

// New returns a node. The address may lack its scheme.
func New(address, key string) (*Node, error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return nil, fmt.Errorf("%q is not the address of a node, such as %s", address, DefaultURL)
	}
	return &Node{URL: strings.TrimRight(address, "/"), Key: key, Patience: 2 * time.Minute}, nil
}

// Refusal is an answer with status 400 or above.
type Refusal struct {
	Status int
	Detail
	Errors []Detail `json:"errors"`
}

// Detail is one problem of an answer.
type Detail struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Path    string `json:"path"`
	Help    string `json:"help"`
}

func (r *Refusal) Error() string {
	var all []string
	for _, one := range r.Details() {
		all = append(all, one.String())
	}
	return strings.Join(all, "\n")
}

// Details returns the problems, at least one.
func (r *Refusal) Details() []Detail {
	if len(r.Errors) == 0 {
		return []Detail{r.Detail}
	}
	return r.Errors
}

// Has reports whether one of the problems has a code.
func (r *Refusal) Has(code string) bool {
	for _, one := range append([]Detail{r.Detail}, r.Errors...) {
		if one.Code == code {
			return true
		}
	}
	return false
}

// String returns a problem with its place and remedy.
func (d Detail) String() string {
	text := d.Message
	if d.Path != "" {
		text = d.Path + ": " + text
	}
	if d.Help != "" {
		text += " " + d.Help
	}
	return text
}

// IsCode reports whether an error is a refusal with a code.
func IsCode(err error, code string) bool {
	var refusal *Refusal
	return errors.As(err, &refusal) && refusal.Has(code)
}

// Request is one request. Body is sent again when the request is repeated.
type Request struct {
	Method, Path string
	ContentType  string // of the body; empty: JSON
	Accept       string
	Body         []byte
	Once         bool // may have an effect each time: repeat it only if the node cannot have read it
}

// ErrLost marks a request whose answer was lost: its effect is unknown.
var ErrLost = errors.New("the connection was lost before the answer came")

// Do sends a request and reads its answer into answer, unless that is nil.
func (n *Node) Do(ctx context.Context, r Request, answer any) error {
	content, err := n.Raw(ctx, r)
	if err != nil || answer == nil || len(content) == 0 {
		return err
	}
	if err := json.Unmarshal(content, answer); err != nil {
		return fmt.Errorf("%s %s: the answer is not that of a node: %w", r.Method, r.Path, err)
	}
	return nil
}

// Raw sends a request and returns the body of its answer.
func (n *Node) Raw(ctx context.Context, r Request) ([]byte, error) {
	began, pause := time.Now(), 100*time.Millisecond
	for {
		response, err := n.send(ctx, r)
		var content []byte
		if err == nil {
			content, err = io.ReadAll(response.Body)
			err = errors.Join(err, response.Body.Close())
		}
		if err == nil && response.StatusCode < 400 {
			return content, nil
		}
		wait := pause
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && r.Once && !neverArrived(err):
			return nil, fmt.Errorf("%w: %w", ErrLost, err)
		case err == nil:
			refusal := readRefusal(response.StatusCode, content)
			if !isBusy(response.StatusCode, refusal, r.Once) {
				return nil, refusal
			}
			if seconds, bad := strconv.Atoi(response.Header.Get("Retry-After")); bad == nil && seconds > 0 && seconds < 60 {
				wait = time.Duration(seconds) * time.Second
			}
			err = refusal
		}
		if time.Since(began)+wait > n.Patience {
			return nil, err
		}
		if n.Waits != nil {
			n.Waits(err)
		}
		if err := sleep(ctx, wait); err != nil {
			return nil, err
		}
		pause = min(2*pause, 5*time.Second)
	}
}

// Stream sends a GET request and returns the body as it arrives. It does not repeat
// the request.
func (n *Node) Stream(ctx context.Context, path, accept string) (io.ReadCloser, error) {
	response, err := n.send(ctx, Request{Method: http.MethodGet, Path: path, Accept: accept})
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= 400 {
		content, err := io.ReadAll(response.Body)
		return nil, errors.Join(readRefusal(response.StatusCode, content), err, response.Body.Close())
	}
	return response.Body, nil
}

func (n *Node) send(ctx context.Context, r Request) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, r.Method, n.URL+r.Path, bytes.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	if r.Body != nil {
		request.Header.Set("Content-Type", "application/json")
		if r.ContentType != "" {
			request.Header.Set("Content-Type", r.ContentType)
		}
	}
	if r.Accept != "" {
		request.Header.Set("Accept", r.Accept)
	}
	if n.Key != "" {
		request.Header.Set("Authorization", "Bearer "+n.Key)
	}
	return n.client.Do(request)
}

// readRefusal reads an answer that refuses a request. Of one that is not from a node, such
// as an error page, it keeps the status and the first line of plain text.
func readRefusal(status int, content []byte) *Refusal {
	refusal := &Refusal{Status: status}
	if err := json.Unmarshal(content, refusal); err != nil || refusal.Message == "" {
		text, _, _ := strings.Cut(strings.TrimSpace(string(content[:min(len(content), 200)])), "\n")
		if strings.HasPrefix(text, "<") {
			text = ""
		}
		refusal.Message = strings.TrimSpace(fmt.Sprintf("%d %s %s", status, http.StatusText(status), text)) + "."
		refusal.Help = "This is not the answer of a node: check the address, and what else listens there."
	}
	refusal.Status = status
	return refusal
}

// isBusy reports whether a request may be sent again: it changed nothing, or may
// make the same change once more.
func isBusy(status int, refusal *Refusal, once bool) bool {
	switch status {
	case http.StatusTooManyRequests:
		return true
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return !once
	case http.StatusConflict:
		return refusal.Has("indexer:unavailable") || refusal.Has("index:out_of_date") || refusal.Has("index:readonly") || refusal.Has("storage:io_error")
	}
	return false
}

// neverArrived reports whether the node cannot have read anything.
func neverArrived(err error) bool {
	var dial *net.OpError
	return errors.Is(err, syscall.ECONNREFUSED) || errors.As(err, &dial) && dial.Op == "dial"
}

// IsAway reports whether no node answers at the address.
func IsAway(err error) bool { return err != nil && neverArrived(err) }

func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// IndexPath returns the path of an index in the data or admin interface.
func IndexPath(area, index string) string {
	if area == "admin" {
		return "/v1alpha1/admin/indexes/" + url.PathEscape(index)
	}
	return "/v1alpha1/indexes/" + url.PathEscape(index)
}
