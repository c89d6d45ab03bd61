package problem

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Error is the response of a node that rejected or failed a request, as clients
// return it. errors.Is compares its problems with the codes of this package, and
// errors.As finds the first *Problem.
type Error struct {
	Status  int
	Message string
	// Problems are the problems listed in the response. If there are several, the
	// first is the code of the whole, such as validation. There are none when a
	// proxy responded instead of a node.
	Problems   Problems
	RetryAfter time.Duration // when the node says to retry; 0 if it does not say
}

// Error returns the problems on one line.
func (e *Error) Error() string {
	if len(e.Problems) == 0 {
		text := strings.TrimSpace(strconv.Itoa(e.Status) + " " + http.StatusText(e.Status))
		if e.Message != "" {
			text += ": " + e.Message
		}
		return text
	}
	return e.Problems.Error()
}

// Help returns what the caller can do about the error, or "" when the response does
// not say. Each of Problems has its own Help.
func (e *Error) Help() string {
	if len(e.Problems) == 0 {
		return ""
	}
	return e.Problems[0].Help()
}

// Unwrap returns the problems for errors.Is and errors.As.
func (e *Error) Unwrap() []error { return e.Problems.Unwrap() }
