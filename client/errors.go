package client

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode"

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

// readError reads the body of a failed request, sent by a node or by an
// intermediary such as a proxy.
func readError(response *http.Response, body []byte) error {
	e := &Error{Status: response.StatusCode, RetryAfter: retryAfterOf(response.Header)}
	var wire struct {
		Detail
		Errors []Detail `json:"errors"`
	}
	isOther := func(d Detail) bool { return d.Code == "" }
	if json.Unmarshal(body, &wire) != nil || isOther(wire.Detail) || len(wire.Errors) == 0 || slices.ContainsFunc(wire.Errors, isOther) {
		e.Message = readable(body)
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

// unexpected is the error of a response that reports success and is not the answer
// of a node.
func unexpected(status int, body []byte) error {
	text := readable(body)
	if text == "" {
		text = "nothing"
	}
	return &Error{Status: status, Message: "unexpected answer: " + text}
}

// notText matches the tags of HTML, and the elements whose content is not text.
var notText = regexp.MustCompile(`(?is)<(?:style|script).*?(?:</(?:style|script)>|$)|<[^>]*(?:>|$)`)

// readable returns the beginning of a body, whatever it holds, as a line of text.
func readable(body []byte) string {
	text := strings.ToValidUTF8(string(body[:min(len(body), 4096)]), "\uFFFD")
	if strings.HasPrefix(strings.TrimSpace(text), "<") {
		text = notText.ReplaceAllString(text, " ")
	}
	isBlank := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	line := []rune(strings.Join(strings.FieldsFunc(text, isBlank), " "))
	return strings.TrimSpace(string(line[:min(len(line), 300)]))
}
