package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quiresearch/quire/client"
)

// Path is the path under which a node serves the protocol.
const Path = "/mcp"

// Bounds of one request. Each message of a batch may be answered with up to maxAnswer
// bytes.
const (
	maxMessage = 1 << 20 // bytes of the body
	maxBatch   = 64      // messages
)

// Handler serves the protocol over streamable HTTP without sessions. Each
// request is served by api with its original headers, so that api checks its
// credential, host and origin.
func Handler(api http.Handler, version string) http.Handler {
	streamable := sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		c, err := client.New("http://node", "", client.RetryFor(0), client.HTTP(&http.Client{Transport: inside{api, r}}))
		if err != nil {
			return nil
		}
		return New(c, version)
	}, &sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := http.MaxBytesReader(w, r.Body, maxMessage)
		content, err := io.ReadAll(body)
		if err == nil && batchSize(content) > maxBatch {
			http.Error(w, fmt.Sprintf("a request has at most %d messages", maxBatch), http.StatusBadRequest)
			return
		}
		r.Body = readBody{io.MultiReader(bytes.NewReader(content), failed{err}), body}
		streamable.ServeHTTP(w, r)
	})
}

// batchSize returns the number of messages in a JSON list, which protocol version
// 2025-03-26 allows as a body, and 0 for any other body.
func batchSize(body []byte) int {
	var messages []json.RawMessage
	if body = bytes.TrimSpace(body); len(body) == 0 || body[0] != '[' || json.Unmarshal(body, &messages) != nil {
		return 0
	}
	return len(messages)
}

// readBody is a body whose beginning has been read into memory.
type readBody struct {
	io.Reader
	io.Closer
}

// failed is a reader that fails every read with err, or with io.EOF if err is nil.
type failed struct{ err error }

func (f failed) Read([]byte) (int, error) {
	if f.err == nil {
		return 0, io.EOF
	}
	return 0, f.err
}

// Mount serves the protocol at Path and passes everything else to next.
func Mount(next, protocol http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == Path {
			protocol.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// inside sends requests to a handler in this process as if they came from the
// caller.
type inside struct {
	api    http.Handler
	caller *http.Request
}

// RoundTrip serves a request with the handler.
func (i inside) RoundTrip(r *http.Request) (*http.Response, error) {
	sent := r.Clone(r.Context())
	sent.Host, sent.RemoteAddr, sent.TLS, sent.RequestURI = i.caller.Host, i.caller.RemoteAddr, i.caller.TLS, r.URL.RequestURI()
	for _, name := range []string{"Authorization", "Origin", "Sec-Fetch-Site"} {
		if values := i.caller.Header.Values(name); len(values) > 0 {
			sent.Header[name] = values
		}
	}
	if sent.Body == nil {
		sent.Body = io.NopCloser(strings.NewReader(""))
	}
	w := &recorder{header: make(http.Header), status: http.StatusOK}
	i.api.ServeHTTP(w, sent)
	return &http.Response{
		StatusCode: w.status, Status: http.StatusText(w.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: r,
	}, nil
}

// recorder buffers a response.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header         { return w.header }
func (w *recorder) WriteHeader(status int)      { w.status = status }
func (w *recorder) Write(p []byte) (int, error) { return w.body.Write(p) }
