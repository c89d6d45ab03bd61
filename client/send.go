package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/problem"
)

// request is a request to send, possibly several times.
type request struct {
	method string
	path   string // escaped
	query  url.Values
	body   []byte
	media  string // of body; empty means JSON
	accept string // empty means JSON
	header http.Header

	// answers names a member that every response of a node has; if it is empty, the
	// response has no body. Any other response comes from an intermediary.
	answers string

	index string // index whose freshness token is used; empty for none
	reads bool   // the token is sent, otherwise only taken from the response
	// isRepeatable reports whether the request is idempotent; nil means no. It is
	// called when the outcome of an attempt is unknown.
	isRepeatable func(ctx context.Context) bool
	// promotes reports whether the index serves from this generation afterwards. Its
	// readers then see what was written to the generation.
	promotes bool
	// several is true if documents before a failed one stay, so that a refusal to
	// write does not cover the whole request.
	several bool
}

// mayRepeat reports whether the request is idempotent, false if that is not known
// by the deadline.
func (r *request) mayRepeat(ctx context.Context, deadline time.Time) bool {
	if r.isRepeatable == nil {
		return false
	}
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	return r.isRepeatable(ctx)
}

// always is isRepeatable for idempotent requests.
func always(context.Context) bool { return true }

// answer is the response of a node that carried out a request.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// maxAnswer bounds the memory of one response.
const maxAnswer = 1 << 30

// send sends the request until it is answered, retrying it if that is safe.
func (c *Client) send(ctx context.Context, r *request) (*answer, error) {
	deadline := time.Now().Add(c.retryFor)
	for try := 0; ; try++ {
		node := int(c.preferred.Load()) % len(c.nodes)
		token := c.token(r)
		found, err := c.try(ctx, c.nodes[node], r, token)
		if err == nil {
			c.remember(r, found)
			return found, nil
		}
		if token != "" && errors.Is(err, problem.SearchFreshnessIndexMismatch) {
			c.forget(r.index, token)
			continue
		}
		if ctx.Err() != nil {
			return nil, err
		}
		again := outcomeOf(err, r.several)
		if again == refused {
			return nil, err
		}
		// Another node may answer immediately; pause only after all were tried.
		c.preferred.CompareAndSwap(int64(node), int64((node+1)%len(c.nodes)))
		pause := pauseAfter(err, try-len(c.nodes)+1)
		if try+1 < len(c.nodes) && retryAfter(err) == 0 {
			pause = 0
		}
		if time.Now().Add(pause).After(deadline) || again == unknown && !r.mayRepeat(ctx, deadline.Add(-pause)) {
			return nil, err
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, err
		case <-timer.C:
		}
	}
}

// outcome is the known outcome of a failed request.
type outcome int

const (
	refused  outcome = iota // a retry would get the same response
	notTaken                // it was not carried out and may succeed later
	unknown                 // it may have been carried out
)

// untaken are the codes of requests that did nothing.
var untaken = []*problem.Code{problem.IndexerUnavailable, problem.IndexerLeadershipUnreadable, problem.SearchFreshnessUnavailable,
	problem.StorageUnavailable, problem.StorageConflict}

// unwritten are the codes of documents that were not written; others of the
// same request may have been.
var unwritten = []*problem.Code{problem.StorageIoError, problem.IndexClosed, problem.IndexReadonly, problem.IndexGenerationUnsettled}

func outcomeOf(err error, several bool) outcome {
	var answered *Error
	if !errors.As(err, &answered) {
		var dial *net.OpError
		if errors.As(err, &dial) && dial.Op == "dial" {
			return notTaken
		}
		return unknown
	}
	isOneOf := func(codes []*problem.Code) bool {
		return slices.ContainsFunc(codes, func(code *problem.Code) bool { return errors.Is(err, code) })
	}
	switch {
	case answered.Status == http.StatusTooManyRequests || isOneOf(untaken):
		return notTaken
	case isOneOf(unwritten) && several:
		return unknown
	case isOneOf(unwritten):
		return notTaken
	}
	switch answered.Status {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return unknown
	}
	return refused
}

const (
	firstPause = 50 * time.Millisecond
	lastPause  = 2 * time.Second
)

// pauseAfter returns the pause before the next attempt: the one requested by
// the node, otherwise exponential backoff with jitter.
func pauseAfter(err error, try int) time.Duration {
	if wanted := retryAfter(err); wanted > 0 {
		return wanted + rand.N(firstPause)
	}
	pause := min(lastPause, firstPause<<min(max(try, 0), 10))
	return pause/2 + rand.N(pause/2)
}

func retryAfter(err error) time.Duration {
	var answered *Error
	if errors.As(err, &answered) {
		return answered.RetryAfter
	}
	return 0
}

func (c *Client) try(ctx context.Context, node string, r *request, token string) (*answer, error) {
	address := node + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	sent, err := http.NewRequestWithContext(ctx, r.method, address, bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	for name, values := range r.header {
		sent.Header[name] = values
	}
	if r.body != nil {
		sent.Header.Set("Content-Type", orElse(r.media, mediaJSON))
	}
	sent.Header.Set("Accept", orElse(r.accept, mediaJSON))
	if c.key != "" {
		sent.Header.Set("Authorization", "Bearer "+c.key)
	}
	if token != "" {
		sent.Header.Set(freshness.Header, token)
	}
	response, err := c.http.Do(sent)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	isError := response.StatusCode >= 300
	// The status counts also if the body of an error is cut.
	if err != nil && (!isError || ctx.Err() != nil) {
		return nil, fmt.Errorf("%s %s: %w", r.method, address, err)
	}
	switch {
	case len(body) > maxAnswer:
		return nil, &Error{Status: response.StatusCode, Message: "the answer is longer than this client reads"}
	case isError:
		return nil, readError(response, body)
	case !r.isAnswer(body):
		return nil, unexpected(response.StatusCode, body)
	}
	return &answer{status: response.StatusCode, header: response.Header, body: body}, nil
}

// isAnswer reports whether the body of a successful response is that of a node.
// It reads the body up to the member that tells.
func (r *request) isAnswer(body []byte) bool {
	if r.answers == "" {
		return len(bytes.TrimSpace(body)) == 0
	}
	members := json.NewDecoder(bytes.NewReader(body))
	if first, err := members.Token(); err != nil || first != json.Delim('{') {
		return false
	}
	for {
		name, err := members.Token()
		if err != nil || name == json.Delim('}') {
			return false
		}
		if name == r.answers {
			return true
		}
		var value json.RawMessage
		if members.Decode(&value) != nil {
			return false
		}
	}
}

const (
	mediaJSON   = "application/json"
	mediaNDJSON = "application/x-ndjson"
)

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// call sends a request with a JSON body, if body is not nil, and decodes the
// response into result, if result is not nil.
func (c *Client) call(ctx context.Context, r *request, body, result any) (*answer, error) {
	if body != nil {
		var err error
		if r.body, err = json.Marshal(body); err != nil {
			return nil, fmt.Errorf("encode the body: %w", err)
		}
	}
	found, err := c.send(ctx, r)
	if err != nil || result == nil {
		return found, err
	}
	if json.Unmarshal(found.body, result) != nil {
		return nil, unexpected(found.status, found.body)
	}
	return found, nil
}

// token returns the token to send with a read, empty for none.
func (c *Client) token(r *request) string {
	if !c.readYourWrites || !r.reads || r.index == "" {
		return ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tokens[r.index]
}

// remember stores the token of a write.
func (c *Client) remember(r *request, found *answer) {
	if !c.readYourWrites || r.reads || r.index == "" {
		return
	}
	token := found.header.Get(freshness.Header)
	if token == "" && len(found.body) > 0 {
		var body struct {
			Freshness string `json:"freshness"`
		}
		if json.Unmarshal(found.body, &body) == nil {
			token = body.Freshness
		}
	}
	if token == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	token = newer(c.tokens[r.index], token)
	c.tokens[r.index] = token
	if index, _, ok := strings.Cut(r.index, "@"); ok && r.promotes {
		c.tokens[index] = newer(c.tokens[index], token)
	}
}

// forget drops the token of an index that was deleted with everything written to it;
// another index has taken its name.
func (c *Client) forget(index, token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tokens[index] == token {
		delete(c.tokens, index)
	}
}

// newer returns the token of the state that holds both writes. Answers to concurrent
// writes arrive in any order, and a write of documents says nothing about the settings,
// or vice versa. If the index or generation differs, that of the second token counts.
func newer(known, token string) string {
	a, errA := freshness.Parse(known, problem.Path{})
	b, errB := freshness.Parse(token, problem.Path{})
	if errA != nil || errB != nil || a.Index != b.Index {
		return token
	}
	switch b.Generation {
	case freshness.ID{}:
		b.Generation, b.Sequence = a.Generation, a.Sequence
	case a.Generation:
		b.Sequence = max(a.Sequence, b.Sequence)
	}
	b.Settings = max(a.Settings, b.Settings)
	return b.String()
}

// maxRetryAfter bounds the pause that a response can request: enough to end every
// retry.
const maxRetryAfter = 100 * time.Hour

// retryAfterOf parses the header, which contains seconds or a time.
func retryAfterOf(header http.Header) time.Duration {
	text := header.Get("Retry-After")
	if at, err := http.ParseTime(text); err == nil {
		return min(max(0, time.Until(at)), maxRetryAfter)
	}
	seconds, err := strconv.ParseUint(text, 10, 64)
	if errors.Is(err, strconv.ErrRange) || seconds > uint64(maxRetryAfter/time.Second) {
		return maxRetryAfter
	}
	return time.Duration(seconds) * time.Second
}
