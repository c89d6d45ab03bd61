package api

import (
	"io"
	"net/http"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/quiresearch/quire/internal/freshness"
)

// Response is what a handler answers. Exactly one of Body, JSON and Stream is
// set, or none for an answer without body.
type Response struct {
	Status int
	Header http.Header // nil when there are none

	// Body is encoded as JSON with its json tags; nil slices become [], map
	// members are sorted by name.
	Body any
	// JSON is a body that is already encoded, in ContentType.
	JSON []byte
	// Stream writes a body of ContentType piece by piece; an error after the
	// first byte cuts the connection.
	Stream      func(io.Writer) error
	ContentType string // of Stream and of JSON; application/json when empty

	buffer *[]byte // memory of JSON that is used again when the answer is out
}

// OK answers 200 with a body.
func OK(body any) *Response { return &Response{Status: http.StatusOK, Body: body} }

// OKJSON answers 200 with a body that is already encoded.
func OKJSON(body []byte) *Response { return &Response{Status: http.StatusOK, JSON: body} }

// Created answers 201 with a body.
func Created(body any) *Response { return &Response{Status: http.StatusCreated, Body: body} }

// Accepted answers 202 with a body and the place where the job is read.
func Accepted(body any, location string) *Response {
	return (&Response{Status: http.StatusAccepted, Body: body}).With("Location", location)
}

// NoContent answers 204.
func NoContent() *Response { return &Response{Status: http.StatusNoContent} }

// With sets a header and returns the response.
func (r *Response) With(name, value string) *Response {
	if r.Header == nil {
		r.Header = make(http.Header)
	}
	r.Header.Set(name, value)
	return r
}

// WithETag names the version of the resource and returns the response.
func (r *Response) WithETag(version string) *Response { return r.With("ETag", ETag(version)) }

// WithFreshness sets the freshness header and returns the response.
func (r *Response) WithFreshness(token string) *Response { return r.With(freshness.Header, token) }

// encode returns the body as bytes; nil for a stream or an empty answer.
func (r *Response) encode() ([]byte, error) {
	if r.Body == nil {
		return r.JSON, nil
	}
	return json.Marshal(r.Body, json.Deterministic(true))
}

// write sends the response. It reports an error only when the body could not
// be completed after the header went out.
func (r *Response) write(w http.ResponseWriter, body []byte) error {
	header := w.Header()
	for name, values := range r.Header {
		if name == "Vary" { // others may have set one
			values = append(header[name], values...)
		}
		header[name] = values
	}
	if len(header["Cache-Control"]) == 0 {
		// A versioned resource may be kept and asked about; nothing else is.
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

// Header values that answers share. Nothing changes them: who adds a value makes a
// list of its own.
var (
	noCache  = []string{"no-cache"}
	noStore  = []string{"no-store"}
	noSniff  = []string{"nosniff"}
	typeJSON = []string{mediaJSON}
)

// answerBuffers keeps the memory of answers for those that follow. Its zero value is
// ready; it may be used by any number of goroutines.
type answerBuffers struct{ unused sync.Pool }

// maxAnswerBuffer is the largest memory that is kept.
const maxAnswerBuffer = 64 << 10

// encode answers 200 with a body that is encoded into memory used before.
func (b *answerBuffers) encode(answer interface{ AppendJSON([]byte) []byte }) *Response {
	buffer, ok := b.unused.Get().(*[]byte)
	if !ok {
		buffer = new([]byte)
	}
	*buffer = answer.AppendJSON((*buffer)[:0])
	return &Response{Status: http.StatusOK, JSON: *buffer, buffer: buffer}
}

// release takes the memory of an answer that is out.
func (b *answerBuffers) release(r *Response) {
	if r.buffer == nil {
		return
	}
	if cap(*r.buffer) <= maxAnswerBuffer {
		b.unused.Put(r.buffer)
	}
	r.JSON, r.buffer = nil, nil
}
