package client

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/quiresearch/quire/problem"
)

// Error is problem.Error, the error of every request that a node rejected or
// failed to carry out.
type Error = problem.Error

// Detail is one problem as encoded in a response.
type Detail struct {
	Code      string            `json:"code"`
	Message   string            `json:"message"`
	Path      string            `json:"path"`
	Arguments map[string]string `json:"arguments"`
	Help      string            `json:"help"`
}

// problem returns the problem of a detail with the help of the node. If this
// version does not declare the code, the problem has the message of the node.
func (d *Detail) problem(status int) *problem.Problem {
	code, ok := problem.Lookup(d.Code)
	if !ok {
		code = problem.Undeclared(d.Code, status, d.Message)
	}
	p := &problem.Problem{Code: code, Path: d.Path, Arguments: d.Arguments}
	return p.Advise(d.Help)
}

// readError reads the body of a failed request, sent by a node or by a proxy.
func readError(response *http.Response, body []byte) error {
	e := &Error{Status: response.StatusCode, RetryAfter: retryAfterOf(response.Header)}
	var wire struct {
		Detail
		Errors []Detail `json:"errors"`
	}
	if err := json.Unmarshal(body, &wire); err != nil || wire.Code == "" {
		e.Message = strings.TrimSpace(string(body[:min(len(body), 500)]))
		return e
	}
	e.Message = wire.Message
	if len(wire.Errors) != 1 || wire.Errors[0].Code != wire.Code {
		e.Problems = append(e.Problems, wire.Detail.problem(e.Status))
	}
	for i := range wire.Errors {
		e.Problems = append(e.Problems, wire.Errors[i].problem(e.Status))
	}
	return e
}
