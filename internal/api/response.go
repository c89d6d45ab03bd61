package api

import (
	"io"
	"net/http"
	"strconv"

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
	if header.Get("Cache-Control") == "" {
		// A versioned resource may be kept and asked about; nothing else is.
		if header.Get("ETag") != "" {
			header.Set("Cache-Control", "no-cache")
		} else {
			header.Set("Cache-Control", "no-store")
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
		header.Set("Content-Type", contentType)
		header.Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(r.Status)
		_, err := w.Write(body)
		return err
	}
	w.WriteHeader(r.Status)
	return nil
}
