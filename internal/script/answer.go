package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/quiresearch/quire/internal/script/steps"
)

// shownHeaders are the headers included in an expected answer.
var shownHeaders = []string{"Allow", "Content-Type", "ETag", "Location", "Retry-After", "WWW-Authenticate", "X-Service-Freshness"}

// changing are the members whose values vary between runs.
var changing = []string{"freshness", "tookMs", "p50Ms", "p99Ms", "meanMs", "secondsSinceRefresh", "version", "createdAt", "updatedAt", "startedAt", "finishedAt", "verifiedAt", "credential", "node", "next", "previous", "cursor"}

const masked = "*"

// unfilled matches the placeholder of an argument in a message.
var unfilled = regexp.MustCompile(`\{[a-zA-Z]+\}`)

var hexadecimal = regexp.MustCompile(`[0-9a-f]{16}`)

// render renders an answer in the notation of scripts. A failure is rendered as
// its status and code, followed by one line per problem; any other body as JSON
// or lines of JSON, reduced to the shown members: nil shows all of them.
func render(status int, header http.Header, body []byte, shown []string) []string {
	first, rest := fmt.Sprint(status), []string(nil)
	if status >= 400 {
		if code, problems, ok := renderError(body, slices.Contains(shown, "help")); ok {
			first, rest, body = first+" "+code, problems, nil
		}
	}
	out := []string{first}
	for _, name := range shownHeaders {
		value := header.Get(name)
		if value == "" || name == "Content-Type" && value == "application/json" {
			continue
		}
		switch name {
		case "ETag":
			value = `"` + masked + `"`
		case "X-Service-Freshness":
			value = masked
		case "Location":
			_, path, _ := strings.Cut(value, "://")
			_, path, _ = strings.Cut(path, "/")
			value = "/" + hexadecimal.ReplaceAllString(path, masked)
		}
		out = append(out, name+": "+value)
	}
	out = append(out, rest...)
	if len(body) == 0 || len(shown) == 1 && shown[0] == "nothing" {
		return out
	}
	for line := range bytes.SplitSeq(bytes.TrimSpace(body), []byte("\n")) {
		out = append(out, strings.Split(normalise(line, shown), "\n")...)
	}
	return out
}

// renderError returns the code of an error body and a line for each problem,
// followed by its help if that is shown; a single problem is on the line of its
// code.
func renderError(body []byte, showHelp bool) (code string, lines []string, ok bool) {
	var failure struct {
		Code   string
		Errors []struct {
			Code, Message, Path, Help string
			Arguments                 map[string]string
		}
	}
	if err := json.Unmarshal(body, &failure); err != nil || failure.Code == "" || len(failure.Errors) == 0 {
		return "", nil, false
	}
	isSingle := len(failure.Errors) == 1 && failure.Errors[0].Code == failure.Code
	for _, e := range failure.Errors {
		line := e.Code
		if e.Path != "" {
			line += " at " + e.Path
		}
		for _, name := range slices.Sorted(maps.Keys(e.Arguments)) {
			value := e.Arguments[name]
			if slices.Contains(changing, name) || hexadecimal.MatchString(value) {
				value = masked
			}
			line += fmt.Sprintf(" %s=%q", name, value)
		}
		if text := e.Message + " " + e.Help; e.Help == "" || unfilled.MatchString(text) {
			line += fmt.Sprintf(" with %q left open", text)
		}
		lines = append(lines, line)
		if showHelp {
			lines = append(lines, "help: "+e.Help)
		}
	}
	if isSingle {
		return lines[0], lines[1:], true
	}
	return failure.Code, lines, true
}

// normalise renders a JSON value with changing members masked and reduced to
// those shown, on one line if it is short. Other text is returned unchanged.
func normalise(text []byte, shown []string) string {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return string(text)
	}
	mask(value)
	if object, ok := value.(map[string]any); ok && shown != nil {
		for name := range object {
			if !slices.Contains(shown, name) {
				delete(object, name)
			}
		}
	}
	return layOut(value, "")
}

// lineWidth is the maximum length of a line of JSON.
const lineWidth = 110

// layOut renders a JSON value in as few lines as possible: a value too long for
// one line gets a line for each of its members or items.
func layOut(value any, indent string) string {
	short := compact(value)
	if len(indent)+len(short) <= lineWidth {
		return short
	}
	var lines []string
	inner := indent + "  "
	open, shut := "{", "}"
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			lines = append(lines, inner+compact(name)+": "+layOut(v[name], inner))
		}
	case []any:
		open, shut = "[", "]"
		for _, item := range v {
			lines = append(lines, inner+layOut(item, inner))
		}
	default:
		return short
	}
	return open + "\n" + strings.Join(lines, ",\n") + "\n" + indent + shut
}

// compact renders a value as JSON on one line.
func compact(value any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(fmt.Sprintf("%v was read from JSON and is not written again: %v", value, err))
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// layOutAgain lays out a body of JSON values like layOut, so that bodies can be
// compared regardless of layout. Other text is returned unchanged.
func layOutAgain(body string) string {
	decoder := json.NewDecoder(strings.NewReader(body))
	decoder.UseNumber()
	var out []string
	for {
		var value any
		switch err := decoder.Decode(&value); {
		case errors.Is(err, io.EOF):
			return strings.Join(out, "\n")
		case err != nil:
			return body
		}
		out = append(out, layOut(value, ""))
	}
}

// mask replaces the values of changing members.
func mask(value any) {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			text, isText := inner.(string)
			switch {
			case inner == nil:
			case name == "status" && isObject(inner):
				mask(inner)
			case slices.Contains(changing, name) && !isObject(inner):
				v[name] = masked
			case (name == "id" || name == "key") && isText && hexadecimal.MatchString(text):
				v[name] = masked
			case name == "score" && !isText && !isObject(inner):
				v[name] = masked // scores are not guaranteed
			default:
				mask(inner)
			}
		}
	case []any:
		for _, inner := range v {
			mask(inner)
		}
	}
}

func isObject(value any) bool {
	_, ok := value.(map[string]any)
	return ok
}

// parseAnswer splits an expected answer into status, headers and body.
func parseAnswer(lines []string) (status string, headers []string, body string) {
	if len(lines) == 0 {
		return "", nil, ""
	}
	headers, rest := steps.Headers(lines)
	return lines[0], headers, strings.Join(rest, "\n")
}
