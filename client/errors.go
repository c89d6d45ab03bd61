package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/quiresearch/quire/problem"
)

// Error is a request that a node refused or failed. errors.Is compares its
// problems with the codes of package problem, and errors.As finds the first
// *problem.Problem.
type Error struct {
	Status     int
	Message    string
	Problems   problem.Problems
	RetryAfter time.Duration // when the node says to ask again; 0 when it does not
}

// Error returns the problems on one line.
func (e *Error) Error() string {
	if len(e.Problems) == 0 {
		return fmt.Sprintf("%d %s: %s", e.Status, http.StatusText(e.Status), e.Message)
	}
	return e.Problems.Error()
}

// Unwrap returns the problems for errors.Is and errors.As.
func (e *Error) Unwrap() []error { return e.Problems.Unwrap() }

// Detail is one problem as answers spell it.
type Detail struct {
	Code      string            `json:"code"`
	Message   string            `json:"message"`
	Path      string            `json:"path"`
	Arguments map[string]string `json:"arguments"`
	Help      string            `json:"help"`
}

// problem returns the problem of a detail. One with a code that this version
// does not declare has the message of the node.
func (d *Detail) problem(status int) *problem.Problem {
	code, ok := problem.Lookup(d.Code)
	if !ok {
		code = problem.Undeclared(d.Code, status, d.Message)
	}
	return &problem.Problem{Code: code, Path: d.Path, Arguments: d.Arguments}
}

// readError reads the body of a failed request, whoever sent it.
func readError(response *http.Response, body []byte) error {
	e := &Error{Status: response.StatusCode, RetryAfter: retryAfterOf(response.Header)}
	var wire struct {
		Detail
		Errors []Detail `json:"errors"`
	}
	if err := json.Unmarshal(body, &wire); err != nil || wire.Code == "" {
		// A proxy on the way answers in its own words.
		e.Message = strings.TrimSpace(string(body[:min(len(body), 500)]))
		return e
	}
	e.Message = wire.Message
	if len(wire.Errors) != 1 {
		// The code of the whole, such as validation, comes first.
		e.Problems = append(e.Problems, wire.Detail.problem(e.Status))
	}
	for i := range wire.Errors {
		e.Problems = append(e.Problems, wire.Errors[i].problem(e.Status))
	}
	if len(wire.Errors) == 1 && wire.Errors[0].Code != wire.Code {
		e.Problems = append(problem.Problems{wire.Detail.problem(e.Status)}, e.Problems...)
	}
	return e
}
