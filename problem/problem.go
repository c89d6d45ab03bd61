// Package problem holds every error code of the interface: its name, status,
// message and remedy, declared once. Everything that can be wrong with a request is
// reported as a Problem: a code, the path in the request, and the values with which
// the message is rendered.
//
// Validation continues after a problem and reports each one it finds to a List; a
// single failure is returned as a *Problem, which is an error. errors.Is
// distinguishes cases by code:
//
//	found.Report(problem.DocumentFieldUnknown.At(at.Field(name), "name", name))
//	return problem.IndexNotFound.New("name", name)
//	if errors.Is(err, problem.IndexNotFound) { … }
//
// Codes are immutable and shared; a List belongs to one goroutine.
package problem

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// Code is one error code of the interface. It is an error only so that errors.Is
// can compare with it; functions return a *Problem.
type Code struct {
	name    string
	status  int
	message string
	remedy  string
}

// Name returns the code as clients see it, such as "index:not_found".
func (c *Code) Name() string { return c.name }

// Status returns the HTTP status of the code.
func (c *Code) Status() int { return c.status }

// Message returns the message template; {name} stands for an argument.
func (c *Code) Message() string { return c.message }

// Remedy returns the template of the help for callers; {name} stands for an
// argument.
func (c *Code) Remedy() string { return c.remedy }

// Error returns the name of the code.
func (c *Code) Error() string { return c.name }

// New returns a problem with the request as a whole. The arguments alternate names
// and values.
func (c *Code) New(arguments ...any) *Problem {
	return c.At(Path{}, arguments...)
}

// At returns a problem at a path in the request. The arguments alternate names and
// values.
func (c *Code) At(at Path, arguments ...any) *Problem {
	p := &Problem{Code: c, Path: strings.ToValidUTF8(at.String(), "\uFFFD")}
	for i := 0; i+1 < len(arguments); i += 2 {
		p = p.With(fmt.Sprint(arguments[i]), arguments[i+1])
	}
	return p
}

// Problem is one thing wrong with a request.
type Problem struct {
	Code      *Code
	Path      string            // empty for the request as a whole
	Arguments map[string]string // nil when there are none
	Cause     error             // for the log, never shown to a caller

	// Details are listed in the error body instead of the problem itself, such as
	// each difference of an incompatible definition; usually nil.
	Details Problems

	help  string          // instead of the remedy of the code
	given string          // an unknown name
	known func() []string // the names known in its context; nil when no name was unknown
}

// With adds an argument and returns the problem.
func (p *Problem) With(name string, value any) *Problem {
	if p.Arguments == nil {
		p.Arguments = make(map[string]string, 4)
	}
	// Input may be arbitrary bytes; a response must be valid text.
	p.Arguments[name] = strings.ToValidUTF8(shortened(argumentText(value), maxArgument), "\uFFFD")
	return p
}

// Detailed sets the details and returns the problem.
func (p *Problem) Detailed(details Problems) *Problem {
	p.Details = details
	return p
}

// Because records the cause and returns the problem.
func (p *Problem) Because(cause error) *Problem {
	p.Cause = cause
	return p
}

// Message returns the rendered message.
func (p *Problem) Message() string { return p.render(p.Code.message) }

// Error returns code, message and path on one line.
func (p *Problem) Error() string {
	text := p.Code.name + ": " + p.Message()
	if p.Path != "" {
		text += " at " + p.Path
	}
	if p.Cause != nil {
		text += ": " + p.Cause.Error()
	}
	return text
}

// Is reports whether target is the code of the problem.
func (p *Problem) Is(target error) bool {
	code, ok := target.(*Code)
	return ok && code == p.Code
}

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Cause }

// Problems is the error of a request with one or more problems.
type Problems []*Problem

// Error lists the problems.
func (ps Problems) Error() string {
	parts := make([]string, len(ps))
	for i, p := range ps {
		parts[i] = p.Error()
	}
	return strings.Join(parts, "; ")
}

// Unwrap returns the problems for errors.Is and errors.As.
func (ps Problems) Unwrap() []error {
	all := make([]error, len(ps))
	for i, p := range ps {
		all[i] = p
	}
	return all
}

// List collects the problems of one request.
type List struct {
	found Problems
	count int
}

// MaxReported bounds the problems reported for one request: a hostile one could
// have a million problems, each larger than its cause.
const MaxReported = 1000

// Report adds a problem. Beyond MaxReported, problems are only counted.
func (l *List) Report(p *Problem) {
	if l.count++; l.count <= MaxReported {
		l.found = append(l.found, p)
	}
}

// Add adds the problems that err holds. Any other error becomes a node:error
// problem; nil adds nothing.
func (l *List) Add(err error) {
	for _, p := range All(err) {
		l.Report(p)
	}
}

// Len returns the number of problems found.
func (l *List) Len() int { return l.count }

// Problems returns the problems in order of reporting, at most MaxReported.
func (l *List) Problems() Problems { return l.found }

// Err returns nil when there are no problems, the problem itself when there is one,
// and Problems otherwise.
func (l *List) Err() error {
	switch len(l.found) {
	case 0:
		return nil
	case 1:
		return l.found[0]
	}
	return l.found
}

// All returns the problems that err holds: itself, its parts, or a node:error with
// err as the cause. It returns none for nil.
func All(err error) Problems {
	switch e := err.(type) {
	case nil:
		return nil
	case *Problem:
		return Problems{e}
	case Problems:
		return e
	case *Code:
		return Problems{e.New()}
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			if found := All(inner); len(found) > 0 && found[0].Code != NodeError {
				return found
			}
		}
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			if found := All(inner); len(found) > 0 && found[0].Code != NodeError {
				return found
			}
		}
	}
	return Problems{NodeError.New().Because(err)}
}

// Path is a place in a request: names joined by dots, list items as [n], and map
// keys with a dot or a bracket quoted. A Path is a value; its methods return longer
// paths and leave it unchanged. The zero Path is the request as a whole.
type Path struct {
	text string
}

// At returns a path that begins with text verbatim.
func At(text string) Path { return Path{text} }

// Field appends a member. A name with a dot, a bracket or a quote is bracketed and
// quoted.
func (p Path) Field(name string) Path {
	name = shortened(name, maxName)
	if name == "" || strings.ContainsAny(name, `.[]"`) {
		return Path{p.text + "[" + strconv.Quote(name) + "]"}
	}
	if p.text == "" {
		return Path{name}
	}
	return Path{p.text + "." + name}
}

// Maximum number of bytes of input that a problem repeats. A name or value may fill
// a body, and each of a thousand problems could repeat it.
const (
	maxName     = 256 // in a path
	maxArgument = 1024
)

// shortened truncates a text longer than most bytes and marks the truncation.
func shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && text[most]&0xC0 == 0x80 {
		most--
	}
	return text[:most] + "…"
}

// Item appends an element of a list, counted from zero.
func (p Path) Item(position int) Path {
	return Path{p.text + "[" + strconv.Itoa(position) + "]"}
}

// Append appends text verbatim, such as a change path.
func (p Path) Append(text string) Path {
	text = shortened(text, maxArgument)
	switch {
	case text == "":
		return p
	case p.text == "" || text[0] == '[':
		return Path{p.text + text}
	}
	return Path{p.text + "." + text}
}

// String returns the path as shown in error bodies.
func (p Path) String() string { return p.text }

func argumentText(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case []string:
		sorted := append([]string(nil), v...)
		sort.Strings(sorted)
		return strings.Join(sorted, ", ")
	}
	return fmt.Sprint(value)
}
