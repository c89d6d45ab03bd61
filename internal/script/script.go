// Package script runs the interface scripts under spec/: HTTP in, HTTP out,
// against a node in this process.
//
// A script begins with a line that says the rule it shows; lines that begin with
// "# with" name variables the node is started with. Steps are separated
// by blank lines; each sends a request and states the answer:
//
//	PUT /v1alpha1/admin/indexes/books
//	If-Match: "abc"
//	{"fields":{"id":{"type":"string","role":"id"}}}
//	----
//	201
//	{"name":"books",…}
//
// The request has a method and a path, then headers, then the body. It carries
// the root key unless it names an Authorization; the value none sends no
// credential. "Save: reader=credential" keeps a member of the answer, which
// ${reader} stands for afterwards; "Show: name,live" cuts the answer down to
// some members and "Show: nothing" to its status; "Show: help" adds to a failure
// what to do about it; "Pack: gzip" and "Pack: zstd" compress the body. The answer has a status,
// headers that are compared, and the body; a failure is written as its status
// and code, with a line for each problem when there are several. Values that differ from run to run, such as tokens,
// versions and times, are written as "*". "Until: phase=ready" repeats a request
// until a member of the answer has a value. The step "restart" stops the node and
// starts it again over the same directory, with the variables on the lines below
// it beside those of the script.
//
// The test of the package replaces expected answers when run with -rewrite.
package script

import (
	"bufio"
	"fmt"
	"strings"
)

// Script is one file of steps.
type Script struct {
	Opening []string // comment lines before the first step
	Steps   []Step
}

// Step is one request and its answer, or restart.
type Step struct {
	Comment []string // comment lines before the step
	Line    int
	Request []string // as written: method and path, headers, body
	Answer  []string // as written: status, headers, body
}

const separator = "----"

// Variables returns the variables the node of the script is started with.
func (s *Script) Variables() []string {
	var found []string
	for _, line := range s.Opening {
		if rest, ok := strings.CutPrefix(line, "# with "); ok {
			found = append(found, strings.Fields(rest)...)
		}
	}
	return found
}

// IsRestart reports whether the step restarts the node.
func (s Step) IsRestart() bool { return s.Request[0] == "restart" }

// Parse reads a script.
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

// String writes the script as a file.
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
