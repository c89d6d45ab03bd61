package api

import (
	"io"
	"net/http"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/quiresearch/quire/internal/freshness"
)

// Response is the result of a handler. Exactly one of Body, JSON and Stream is
// set, or none for a response without a body.
type Response struct {
	Status int
	Header http.Header // nil if there are none

	// Body is encoded as JSON with its json tags; nil slices become [], map
	// members are sorted by name.
	Body any
	// JSON is an encoded body of type ContentType.
	JSON []byte
	// Stream writes a body of type ContentType incrementally; an error after the
	// first byte cuts the connection.
	Stream      func(io.Writer) error
	ContentType string // of Stream and of JSON; application/json when empty

	buffer *[]byte // memory of JSON, reused once the response is sent
}

// OK returns a 200 response with a body.
func OK(body any) *Response { return &Response{Status: http.StatusOK, Body: body} }

// OKJSON returns a 200 response with an encoded body.
func OKJSON(body []byte) *Response { return &Response{Status: http.StatusOK, JSON: body} }

// Created returns a 201 response with a body.
func Created(body any) *Response { return &Response{Status: http.StatusCreated, Body: body} }

// Accepted returns a 202 response with a body and the location of the job.
func Accepted(body any, location string) *Response {
	return (&Response{Status: http.StatusAccepted, Body: body}).With("Location", location)
}

// NoContent returns a 204 response.
func NoContent() *Response { return &Response{Status: http.StatusNoContent} }

// With sets a header and returns the response.
func (r *Response) With(name, value string) *Response {
	if r.Header == nil {
		r.Header = make(http.Header)
	}
	r.Header.Set(name, value)
	return r
}

// WithETag sets the ETag to the version of the resource and returns the
// response.
func (r *Response) WithETag(version string) *Response { return r.With("ETag", ETag(version)) }

// WithFreshness sets the freshness header and returns the response.
func (r *Response) WithFreshness(token string) *Response { return r.With(freshness.Header, token) }

// encode returns the encoded body; nil for a stream or an empty response.
func (r *Response) encode() ([]byte, error) {
	if r.Body == nil {
		return r.JSON, nil
	}
	return json.Marshal(r.Body, json.Deterministic(true))
}

// write sends the response. It returns an error only if the body could not be
// completed after the header was sent.
func (r *Response) write(w http.ResponseWriter, body []byte) error {
	header := w.Header()
	for name, values := range r.Header {
		if name == "Vary" { // another value may be set already
			values = append(header[name], values...)
		}
		header[name] = values
	}
	if len(header["Cache-Control"]) == 0 {
		// A versioned resource may be cached and revalidated; nothing else may be
		// cached.
		if header.Get("ETag") != "" {
			header["Cache-Control"] = noCache
		} else {
			header["Cache-Control"] = noStore
		}
	}
	contentType := r.ContentType
	if contentType == "" {
		contentType = mediaJSON
	}
	switch {
	case r.Stream != nil:
		header.Set("Content-Type", contentType)
		w.WriteHeader(r.Status)
		return r.Stream(w)
	case body != nil:
		if header["Content-Type"] = typeJSON; contentType != mediaJSON {
			header.Set("Content-Type", contentType)
		}
		header["Content-Length"] = []string{strconv.Itoa(len(body))}
		w.WriteHeader(r.Status)
		_, err := w.Write(body)
		return err
	}
	w.WriteHeader(r.Status)
	return nil
}

// Header values shared by responses. They are never modified: adding a value
// must copy the slice.
var (
	noCache  = []string{"no-cache"}
	noStore  = []string{"no-store"}
	noSniff  = []string{"nosniff"}
	typeJSON = []string{mediaJSON}
)

// answerBuffers pools the memory of responses. Its zero value is ready to use;
// it may be used by any number of goroutines.
type answerBuffers struct{ unused sync.Pool }

// maxAnswerBuffer is the largest buffer kept in the pool.
const maxAnswerBuffer = 64 << 10

// encode returns a 200 response with a body encoded into pooled memory.
func (b *answerBuffers) encode(answer interface{ AppendJSON([]byte) []byte }) *Response {
	buffer, ok := b.unused.Get().(*[]byte)
	if !ok {
		buffer = new([]byte)
	}
	*buffer = answer.AppendJSON((*buffer)[:0])
	return &Response{Status: http.StatusOK, JSON: *buffer, buffer: buffer}
}

// release returns the buffer of a sent response to the pool.
func (b *answerBuffers) release(r *Response) {
	if r.buffer == nil {
		return
	}
	if cap(*r.buffer) <= maxAnswerBuffer {
		b.unused.Put(r.buffer)
	}
	r.JSON, r.buffer = nil, nil
}
