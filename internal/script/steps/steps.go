// Package steps parses and formats the interface scripts under spec/: the
// requests that a script sends and the answers it expects.
//
// A script begins with a line that states the rule it shows; lines that begin
// with "# with" set variables of the node. Steps are separated by blank lines;
// each sends a request and states the answer:
//
//	PUT /v1alpha1/admin/indexes/books
//	If-Match: "abc"
//	{"fields":{"id":{"type":"string","role":"id"}}}
//	----
//	201
//	{"name":"books",…}
//
// The request has a method and a path, then headers, then the body. A body
// "@definitions/shop.json" is read from that file under spec/. The request
// carries the root key unless it has an Authorization header; the value none
// sends no credential. These headers are not sent:
//
//	Save: reader=credential  saves a member of the answer; ${reader} stands for it afterwards
//	Show: name,live          reduces the answer to some members
//	Show: nothing            reduces the answer to its status
//	Show: help               adds the help text to each problem of a failure
//	Pack: gzip               compresses the body; zstd is also supported
//	Until: phase=ready       repeats the request until a member of the answer has a value
//
// The answer has a status, headers to compare, and the body; a failure is
// written as its status and code, with one line per problem if there are
// several. Values that vary between runs, such as tokens, versions and times,
// are written as "*". Line breaks in JSON do not matter.
//
// The step "restart" stops the node and starts it again with the same
// directory, and with the variables on the following lines in addition to those
// of the script.
//
// # Tables
//
// Many similar requests form a table. Its first line names the columns:
//
//	POST /v1alpha1/indexes/shop/search
//	Show: hits,interpreted
//	{"locale":"${locale}","fields":[],"query":[{"type":"text","text":"${text}","match":"user"}]}
//	----
//	locale | text           | hits | read        | words     | remains
//	# A bound.
//	nl     | mug onder 5 kg | 1, 4 | weight < 5  | onder 5 kg | mug
//	nl     | mug            | 1, 2 | -           | -          | -
//
// The request is sent once per row. A column that occurs in the request as
// ${column} is an input: its cell replaces the placeholder, as a JSON string if
// the placeholder is in quotes. Every other column shows a part of the answer,
// whose status must be 200:
//
//	hits     the keys of the hits, in order
//	read     interpreted: the filters recognized in the text, as price < 5, 5 <= price < 7 or price = 5
//	words    interpreted: the words from which each filter was recognized
//	remains  interpreted: the remaining text
//	another  the member of that name, as JSON
//
// Several filters are separated by "; ". A member missing from the answer is
// written as "-", and an answer with a member that no column shows is an error,
// so a table compares as much as separate steps would. A value that a column
// cannot abbreviate, such as a hit with fields, is written as JSON. A failure
// goes into the first column that is not an input. Cells cannot contain bars,
// and a line that begins with # is a comment.
package steps

import (
	"bufio"
	"fmt"
	"regexp"
	"strings"
)

// Script is one file of steps.
type Script struct {
	Opening []string // comment lines before the first step
	Steps   []Step
}

// Step is one request and its answer, or a restart.
type Step struct {
	Comment []string // comment lines before the step
	Line    int
	Request []string // as written: method and path, headers, body
	Answer  []string // as written: status, headers, body
}

const separator = "----"

// Variables returns the variables to start the node of the script with.
func (s *Script) Variables() []string {
	var found []string
	for _, line := range s.Opening {
		if rest, ok := strings.CutPrefix(line, "# with "); ok {
			found = append(found, strings.Fields(rest)...)
		}
	}
	return found
}

// headerLine matches a header line of a request or an answer.
var headerLine = regexp.MustCompile(`^[A-Z][A-Za-z-]*: `)

// Headers splits off the header lines of a request or an answer, which follow
// its first line.
func Headers(lines []string) (headers, rest []string) {
	rest = lines[1:]
	for len(rest) > 0 && headerLine.MatchString(rest[0]) {
		headers, rest = append(headers, rest[0]), rest[1:]
	}
	return headers, rest
}

// IsRestart reports whether the step restarts the node.
func (s Step) IsRestart() bool { return s.Request[0] == "restart" }

// Parse parses a script.
func Parse(text string) (*Script, error) {
	script := new(Script)
	var step *Step
	var comment []string
	inAnswer := false
	scanner := bufio.NewScanner(strings.NewReader(text))
	scanner.Buffer(nil, 1<<20)
	line := 0
	finish := func() error {
		if step == nil {
			return nil
		}
		if !inAnswer && !step.IsRestart() {
			return fmt.Errorf("line %d: the step has no answer; write %s", step.Line, separator)
		}
		script.Steps = append(script.Steps, *step)
		step, inAnswer = nil, false
		return nil
	}
	for scanner.Scan() {
		line++
		content := strings.TrimRight(scanner.Text(), " \t\r")
		switch {
		case content == "":
			if err := finish(); err != nil {
				return nil, err
			}
			if len(comment) > 0 && len(script.Steps) == 0 && script.Opening == nil {
				script.Opening, comment = comment, nil
			}
		case step == nil && strings.HasPrefix(content, "#"):
			comment = append(comment, content)
		case step == nil:
			step = &Step{Comment: comment, Line: line, Request: []string{content}}
			comment = nil
		case !inAnswer && content == separator:
			inAnswer = true
		case inAnswer:
			step.Answer = append(step.Answer, content)
		default:
			step.Request = append(step.Request, content)
		}
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("read the script: %w", err)
	}
	if err := finish(); err != nil {
		return nil, err
	}
	if len(comment) > 0 && len(script.Steps) == 0 && script.Opening == nil {
		script.Opening = comment
	}
	if len(script.Opening) == 0 {
		return nil, fmt.Errorf("the script does not begin with a line that says its rule")
	}
	return script, nil
}

// String formats the script as a file.
func (s *Script) String() string {
	var out strings.Builder
	lines := func(all []string) {
		for _, line := range all {
			out.WriteString(line + "\n")
		}
	}
	lines(s.Opening)
	for _, step := range s.Steps {
		out.WriteString("\n")
		lines(step.Comment)
		lines(step.Request)
		if !step.IsRestart() {
			out.WriteString(separator + "\n")
			lines(step.Answer)
		}
	}
	return out.String()
}
