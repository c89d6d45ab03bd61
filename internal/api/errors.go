package api

import (
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"slices"

	"github.com/quiresearch/quire/problem"
)

// errorBody is the body of every failed request. Path is set if there is only
// one problem.
type errorBody struct {
	Code    string        `json:"code"`
	Message string        `json:"message"`
	Path    string        `json:"path,omitempty"`
	Help    string        `json:"help"`
	Errors  []ErrorDetail `json:"errors"`
}

// ErrorDetail is one problem in an error body or failed entry.
type ErrorDetail struct {
	Code      string            `json:"code"`
	Message   string            `json:"message"`
	Path      string            `json:"path,omitempty"`
	Help      string            `json:"help"`
	Arguments map[string]string `json:"arguments,omitempty"`
}

// Details renders the problems of err.
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
		// For these codes the path is also one of the arguments.
		if p.Path != "" {
			d.Arguments = map[string]string{"path": p.Path}
			maps.Copy(d.Arguments, p.Arguments)
		}
	}
	return d
}

// statusError is an error with a status other than that of its code.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string { return e.err.Error() }
func (e *statusError) Unwrap() error { return e.err }

// WithStatus returns err with the given status. Its only use is
// document:not_found for a batch entry, which is 400 there and 404 elsewhere.
func WithStatus(err error, status int) error { return &statusError{status, err} }

// errorResponse renders an error. Several problems become one validation
// envelope; if one of them is a failure of the node, it alone is reported.
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
		response.With("Retry-After", "1") // temporary conditions
	case problem.RequestBodyTooLarge:
		response.With("Connection", "close")
	}
	return response, code
}

// ErrorAnswer returns the status and the body of the response to an error.
func ErrorAnswer(err error) (status int, body []byte, encodeErr error) {
	response, _ := errorResponse(err)
	body, encodeErr = response.encode()
	return response.Status, body, encodeErr
}

// isDiskFailure reports whether an error without a code comes from the local
// disk.
func isDiskFailure(err error) bool {
	var path *fs.PathError
	return errors.As(err, &path)
}
