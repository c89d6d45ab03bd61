//go:build unix

package clustertest

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"syscall"
	"testing"
)

var stops = flag.Int("stops", 2, "how often the owner of an index is stopped with requests queued")

// lateRequest is a request that reaches a process which lost its index while it was
// stopped. is reports whether a definite answer is true; every other answer must be
// a refusal.
type lateRequest struct {
	name, method, path, body string
	is                       func(status int, answer []byte) bool
}

// Each request of a round has its own keys, so that none changes the true answer to
// another. Before any was sent, the other process deleted the keys that begin with
// "gone", created those that begin with "new", and raised those that begin with
// "changed" from version 1 to 2.
var (
	goneKeys    = []string{"gone-patch", "gone-update", "gone-read", "gone-search"}
	newKeys     = []string{"new-patch", "new-update", "new-read", "new-delete"}
	changedKeys = []string{"changed-old", "changed-new"}
)

// lateRequests returns requests of every kind that reads or writes documents, for a
// round whose keys begin with p; token is that of the last write of the other
// process.
func lateRequests(p, token string) []lateRequest {
	const documents = "/indexes/books/documents"
	only := func(statuses ...int) func(int, []byte) bool {
		return func(status int, _ []byte) bool { return slices.Contains(statuses, status) }
	}
	counts := func(member string, want int) func(int, []byte) bool {
		return func(status int, answer []byte) bool {
			var members map[string]json.RawMessage
			return status == http.StatusOK && json.Unmarshal(answer, &members) == nil && string(members[member]) == fmt.Sprint(want)
		}
	}
	of := func(text string) string { return strings.ReplaceAll(text, "~", p) }
	return []lateRequest{
		{"patch of a deleted document", "PATCH", documents + "/" + p + "gone-patch", `{"v":7}`, only(404)},
		{"patch of a new document", "PATCH", documents + "/" + p + "new-patch", `{"v":7}`, only(204)},
		{"update of a deleted document", "POST", documents + "/actions/update?missing=skip", of(`{"documents":[{"id":"~gone-update","v":7}]}`), counts("updated", 0)},
		{"update of a new document", "POST", documents + "/actions/update?missing=skip", of(`{"documents":[{"id":"~new-update","v":7}]}`), counts("updated", 1)},
		{"delete by a query for what is", "POST", documents + "/actions/delete",
			of(`{"query":[{"field":"id","match":{"value":"~changed-new"}},{"field":"v","match":{"value":2}}]}`), counts("deleted", 1)},
		{"delete by a query for what was", "POST", documents + "/actions/delete",
			of(`{"query":[{"field":"id","match":{"value":"~changed-old"}},{"field":"v","match":{"value":1}}]}`), counts("deleted", 0)},
		{"delete by key", "POST", documents + "/actions/delete", of(`{"keys":["~new-delete"]}`), counts("deleted", 1)},
		{"add", "POST", documents, of(`{"documents":[{"id":"~added","v":7}]}`), counts("indexed", 1)},
		{"put", "PUT", documents + "/" + p + "put", of(`{"id":"~put","v":7}`), only(200, 201, 204)},
		{"commit", "POST", "/admin/indexes/books/actions/commit", "", only(200)},
		{"read of a deleted document", "GET", documents + "/" + p + "gone-read", "", only(404)},
		{"read of a new document", "GET", documents + "/" + p + "new-read", "", only(200)},
		{"search for a deleted document", "POST", "/indexes/books/search",
			of(`{"limit":0,"total":"exact","query":[{"field":"id","match":{"value":"~gone-search"}}],"freshness":{"atLeast":"`) + token + `"}}`,
			func(status int, answer []byte) bool {
				return status == http.StatusOK && strings.Contains(string(answer), `"count":0`)
			}},
	}
}

// send sends a request with a token and calls sent once all of it is written. It
// returns 0 when no answer came.
func (p *program) send(request lateRequest, token string, sent func()) (int, []byte) {
	r, err := http.NewRequest(request.method, fmt.Sprintf("http://127.0.0.1:%d/v1alpha1%s", p.port, request.path), strings.NewReader(request.body))
	if err != nil {
		sent()
		return 0, nil
	}
	r.Header.Set("Content-Type", "application/json")
	if request.method == http.MethodGet {
		r.Header.Set("X-Service-Freshness", token)
	}
	trace := &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { sent() }}
	r = r.WithContext(httptrace.WithClientTrace(r.Context(), trace))
	connection := &http.Transport{} // its own: a request that is sent again would be sent when the process runs
	defer connection.CloseIdleConnections()
	answer, err := connection.RoundTrip(r)
	if err != nil {
		return 0, []byte(err.Error())
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, []byte(err.Error())
	}
	return answer.StatusCode, content
}

// F11, F46: the owner of an index is stopped until another process took the index
// over and changed it. By then requests of every kind wait in its sockets. When it
// continues, it answers none of them from its old state, and whatever it
// acknowledges is done.
func TestAPausedOwnerAnswersNothingOld(t *testing.T) {
	a := newProgram(t)
	a.start()
	a.must("PUT", "/admin/indexes/books", `{"fields":{"id":{"type":"string","primaryKey":true,"filter":{}},"v":{"type":"int32","filter":{}}}}`)
	b := nextProgram(t, a)
	b.start()
	answered, refused := 0, 0
	for round := range *stops {
		owner, other := a, b
		if a.holder() == b.name() {
			owner, other = b, a
		}
		p := fmt.Sprintf("r%d-", round)
		for _, key := range slices.Concat(goneKeys, changedKeys) {
			owner.put(p+key, 1)
		}
		owner.signal(syscall.SIGSTOP)
		other.await("the index of a stopped process is taken over", func() (bool, string) {
			holder := other.holder()
			return holder == other.name(), holder
		})
		for _, key := range goneKeys {
			other.must("POST", "/indexes/books/documents/actions/delete", fmt.Sprintf(`{"keys":[%q]}`, p+key))
		}
		for _, key := range newKeys {
			other.put(p+key, 1)
		}
		var token string
		for _, key := range changedKeys {
			token = other.put(p+key, 2)
		}
		other.must("POST", "/admin/indexes/books/actions/commit", "") // a delete by query counts committed documents
		yes, no := queue(t, owner, other, lateRequests(p, token), token)
		answered, refused = answered+yes, refused+no
		last := other.put(p+"last", 1)
		for _, key := range goneKeys {
			if got := other.find(p+key, last); got != 0 {
				t.Errorf("round %d: %s came back", round, key)
			}
		}
		if got := other.find(p+"changed-old", last); got != 1 {
			t.Errorf("round %d: a query for what was deleted what is", round)
		}
	}
	t.Logf("%d stops: %d requests answered truly, %d refused", *stops, answered, refused)
}

// queue sends requests to a stopped process, lets it continue, and checks its
// answers. It sends a refused request to the other process.
func queue(t *testing.T, stopped, other *program, requests []lateRequest, token string) (answered, refused int) {
	t.Helper()
	type outcome struct {
		lateRequest
		status int
		answer []byte
	}
	outcomes, sent := make(chan outcome, len(requests)), make(chan struct{}, 2*len(requests))
	for _, request := range requests {
		go func() {
			status, answer := stopped.send(request, token, func() { sent <- struct{}{} })
			outcomes <- outcome{request, status, answer}
		}()
	}
	for range requests {
		<-sent
	}
	stopped.signal(syscall.SIGCONT)
	for range requests {
		got := <-outcomes
		switch {
		case got.is(got.status, got.answer):
			answered++
		case got.status == 0 || got.status == http.StatusConflict || got.status >= 500:
			refused++
			inDoubt := got.status != http.StatusConflict
			other.await(got.name, func() (bool, string) {
				status, answer := other.send(got.lateRequest, token, func() {})
				return got.is(status, answer) || inDoubt && status/100 == 2, fmt.Sprintf("%d %s", status, answer)
			})
		default:
			t.Fatalf("%s: %d %s\n%s", got.name, got.status, got.answer, stopped.output.String())
		}
	}
	return answered, refused
}

// find returns how many documents have a key, at the state of a token.
func (p *program) find(key, token string) int {
	p.t.Helper()
	body := fmt.Sprintf(`{"limit":0,"total":"exact","query":[{"field":"id","match":{"value":%q}}],"freshness":{"atLeast":%q}}`, key, token)
	var found struct {
		Total struct{ Count int } `json:"total"`
	}
	p.await("search", func() (bool, string) {
		status, answer := p.call("POST", "/indexes/books/search", body)
		return status == http.StatusOK && json.Unmarshal(answer, &found) == nil, fmt.Sprintf("%d %s", status, answer)
	})
	return found.Total.Count
}
