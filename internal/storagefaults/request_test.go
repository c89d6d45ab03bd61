package storagefaults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"github.com/quiresearch/quire/internal/api"
	"github.com/quiresearch/quire/problem"
)

// patience is how long a client waits for an answer; a node answers earlier.
const patience = 5 * time.Minute

// answer is the answer to a request; the status is 0 when there was none.
type answer struct {
	status int
	body   []byte
	header http.Header
	code   string // of an error
	done   int    // entries of a batch that an error reports as accepted
}

func (a answer) String() string {
	return fmt.Sprintf("%d %s", a.status, bytes.TrimSpace(a.body[:min(len(a.body), 300)]))
}

// read decodes the body.
func (a answer) read(into any) { _ = json.Unmarshal(a.body, into) }

// ended returns what a client knows about a change after this answer.
func (a answer) ended() outcome {
	switch {
	case a.status >= 200 && a.status < 300:
		return acknowledged
	case a.status == 0, a.code == problem.StorageUnknown.Name():
		return unknown
	}
	return refused
}

// send sends a request as root.
func send(to *api.API, method, path, body string, header http.Header) (a answer) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	request := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+rootKey)
	for name, values := range header {
		request.Header[name] = values
	}
	if body == "" {
		request.Body, request.ContentLength = http.NoBody, 0
	}
	recorder := httptest.NewRecorder()
	defer func() {
		if cause := recover(); cause != nil && cause != http.ErrAbortHandler {
			panic(cause)
		} else if cause != nil {
			a = answer{} // the answer was cut off
		}
	}()
	to.ServeHTTP(recorder, request)
	a = answer{status: recorder.Code, body: recorder.Body.Bytes(), header: recorder.Header()}
	if a.status >= 400 {
		var refused struct {
			Code   string
			Errors []struct {
				Arguments struct{ Processed int }
			}
		}
		a.read(&refused)
		a.code = refused.Code
		for _, e := range refused.Errors {
			a.done = max(a.done, e.Arguments.Processed)
		}
	}
	return a
}

// documented lists the codes of every operation.
var documented = func() map[string][]string {
	all := make(map[string][]string)
	for _, route := range api.Routes() {
		for _, code := range route.Documented() {
			all[route.Operation] = append(all[route.Operation], code.Name())
		}
	}
	return all
}()

// wrong describes what is wrong with the answer to a request of an operation;
// empty: nothing.
func (a answer) wrong(operation string) string {
	switch {
	case a.status == 0:
		return "was not answered"
	case a.status < 400:
		return ""
	case a.code == "" || !slices.Contains(documented[operation], a.code):
		return "was answered with a code that is not documented"
	case a.code == problem.NodeError.Name(), a.status >= 500 && a.status != 502 && a.status != 503:
		return "failed"
	case a.status >= 502 && a.header.Get("Retry-After") == "":
		return "was answered without Retry-After"
	}
	return ""
}
