package api

import (
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"slices"

	"github.com/quiresearch/quire/problem"
)

// errorBody is the body of every failed request. Path is that of the only
// problem.
type errorBody struct {
	Code    string        `json:"code"`
	Message string        `json:"message"`
	Path    string        `json:"path,omitempty"`
	Help    string        `json:"help"`
	Errors  []ErrorDetail `json:"errors"`
}

// ErrorDetail is one problem as error bodies and failed entries show it.
type ErrorDetail struct {
	Code      string            `json:"code"`
	Message   string            `json:"message"`
	Path      string            `json:"path,omitempty"`
	Help      string            `json:"help"`
	Arguments map[string]string `json:"arguments,omitempty"`
}

// Details renders the problems that err holds.
func Details(err error) []ErrorDetail {
	found := problem.All(err)
	details := make([]ErrorDetail, 0, len(found))
	for _, p := range found {
		if len(p.Details) == 0 {
			details = append(details, detail(p))
		}
		for _, inner := range p.Details {
			details = append(details, detail(inner))
		}
	}
	return details
}

func detail(p *problem.Problem) ErrorDetail {
	d := ErrorDetail{Code: p.Code.Name(), Message: p.Message(), Path: p.Path, Help: p.Help(), Arguments: p.Arguments}
	switch p.Code {
	case problem.RequestPropertyUnknown, problem.RequestValueInvalid, problem.RequestValueRequired:
		// These name their place among the arguments too.
		if p.Path != "" {
			d.Arguments = map[string]string{"path": p.Path}
			maps.Copy(d.Arguments, p.Arguments)
		}
	}
	return d
}

// statusError is an error answered with another status than its code's own.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string { return e.err.Error() }
func (e *statusError) Unwrap() error { return e.err }

// WithStatus returns err answered with the given status. The one use is
// document:not_found of a batch entry, which is 400 there and 404 elsewhere.
func WithStatus(err error, status int) error { return &statusError{status, err} }

// errorResponse renders a failure. Several problems become one validation
// envelope; a failure of the node among them is answered alone.
func errorResponse(err error) (*Response, *problem.Code) {
	found := problem.All(err)
	for i, p := range found {
		if p.Code == problem.NodeError && isDiskFailure(p.Cause) {
			p = problem.IndexIoError.New().Because(p.Cause)
			found = slices.Clone(found)
			found[i] = p
		}
		if p.Code.Status() >= http.StatusInternalServerError {
			found = problem.Problems{p}
			break
		}
	}
	top := found[0]
	if len(found) > 1 {
		top = problem.Validation.New("count", len(found))
	}
	code := top.Code
	response := &Response{
		Status: code.Status(),
		Body:   errorBody{Code: code.Name(), Message: top.Message(), Path: top.Path, Help: top.Help(), Errors: Details(found)},
	}
	var other *statusError
	if errors.As(err, &other) {
		response.Status = other.status
	}
	switch code {
	case problem.AuthUnauthenticated:
		response.With("WWW-Authenticate", "Bearer")
	case problem.SearchFreshnessUnavailable, problem.StorageUnknown, problem.StorageIoError, problem.StorageConflict, problem.IndexReadonly,
		problem.IndexClosed, problem.IndexGenerationUnsettled, problem.IndexerUnavailable, problem.IndexerUnreachable, problem.IndexerLeadershipUnreadable:
		response.With("Retry-After", "1") // they pass
	case problem.RequestBodyTooLarge:
		response.With("Connection", "close")
	}
	return response, code
}

// ErrorAnswer returns the status and the body that a failure is answered with.
func ErrorAnswer(err error) (status int, body []byte, encodeErr error) {
	response, _ := errorResponse(err)
	body, encodeErr = response.encode()
	return response.Status, body, encodeErr
}

// isDiskFailure reports whether a failure without a code is one of the
// local disk.
func isDiskFailure(err error) bool {
	var path *fs.PathError
	return errors.As(err, &path)
}
