package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
	"github.com/quiresearch/quire/settings"
)

// roundTrip answers requests without a network.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func reply(status int, body string, header ...string) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	for i := 0; i+1 < len(header); i += 2 {
		recorder.Header().Set(header[i], header[i+1])
	}
	recorder.WriteHeader(status)
	if body != "" {
		if _, err := recorder.WriteString(body); err != nil {
			return nil, err
		}
	}
	return recorder.Result(), nil
}

func refusal(code *problem.Code) string {
	detail := fmt.Sprintf(`{"code":%q,"message":"m"`, code.Name())
	return detail + `,"errors":[` + detail + `}]}`
}

func newClient(t *testing.T, answer roundTrip, options ...Option) *Client {
	t.Helper()
	c, err := New("http://a.example", "k", append(options, HTTP(&http.Client{Transport: answer}))...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Which requests are retried after which failures. The index keyed has a
// primary key, the index plain has none.
func TestRequestsAreRepeatedOnlyWhereThatIsSafe(t *testing.T) {
	search := func(ctx context.Context, x *Index) error { _, err := x.Search(ctx, &query.Search{}); return err }
	add := func(ctx context.Context, x *Index) error { _, err := x.Add(ctx, map[string]any{"id": "1"}); return err }
	addTwo := func(ctx context.Context, x *Index) error {
		_, err := x.Add(ctx, map[string]any{"id": "1"}, map[string]any{"id": "2"})
		return err
	}
	patch := func(ctx context.Context, x *Index) error {
		return x.PatchDocument(ctx, "1", map[string]any{"a[]": 1})
	}
	broken := func() (*http.Response, error) { return nil, io.ErrUnexpectedEOF }
	coded := func(code *problem.Code) func() (*http.Response, error) {
		return func() (*http.Response, error) { return reply(code.Status(), refusal(code)) }
	}
	for _, c := range []struct {
		name    string
		index   string
		send    func(context.Context, *Index) error
		fail    func() (*http.Response, error)
		repeats bool
	}{
		{"a search after a cut", "keyed", search, broken, true},
		{"a search that timed out", "keyed", search, coded(problem.SearchTimeout), true},
		{"an invalid search", "keyed", search, coded(problem.SearchFieldUnknown), false},
		{"documents with keys after a cut", "keyed", add, broken, true},
		{"documents with keys, outcome unknown", "keyed", add, coded(problem.StorageUnknown), true},
		{"documents without keys after a cut", "plain", add, broken, false},
		{"documents without keys, no writer", "plain", add, coded(problem.IndexerUnavailable), true},
		{"one document without a key that was not written", "plain", add, coded(problem.IndexReadonly), true},
		{"two documents without keys, one not written", "plain", addTwo, coded(problem.IndexReadonly), false},
		{"two documents with keys, one not written", "keyed", addTwo, coded(problem.IndexReadonly), true},
		{"two documents without keys, no writer", "plain", addTwo, coded(problem.IndexerUnavailable), true},
		{"documents without keys, the writer does not answer", "plain", add, coded(problem.IndexerUnreachable), false},
		{"a change after a cut", "keyed", patch, broken, false},
		{"a change that was not written", "keyed", patch, coded(problem.StorageIoError), true},
		{"a missing index", "keyed", add, coded(problem.IndexNotFound), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tries := 0
				x := newClient(t, func(r *http.Request) (*http.Response, error) {
					if r.Method == http.MethodGet {
						key := c.index == "keyed"
						return reply(200, fmt.Sprintf(`{"definition":{"fields":{"id":{"type":"string","primaryKey":%v,"required":true}}}}`, key))
					}
					if tries++; tries < 3 {
						return c.fail()
					}
					if r.Method == http.MethodPatch {
						return reply(204, "")
					}
					return reply(200, `{"hits":[],"indexed":1}`)
				}).Index(c.index)
				err := c.send(t.Context(), x)
				if repeated := tries == 3; repeated != c.repeats || repeated != (err == nil) {
					t.Errorf("%d tries: %v", tries, err)
				}
			})
		})
	}
}

// A machine that is gone answers a connection with nothing. Waiting for it must leave
// time to ask other nodes.
func TestConnectingLeavesTimeForOtherNodes(t *testing.T) {
	if limit := newDialer().Timeout; limit == 0 || 3*limit > defaultRetry {
		t.Errorf("connecting to one node may take %v of %v", limit, defaultRetry)
	}
}

func TestRepeatingIsBoundedAndObeysRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		begin := time.Now()
		x := newClient(t, func(*http.Request) (*http.Response, error) {
			at = append(at, time.Since(begin))
			return reply(503, refusal(problem.SearchFreshnessUnavailable), "Retry-After", "3")
		}, RetryFor(10*time.Second)).Index("x")
		_, err := x.Search(t.Context(), &query.Search{})
		if !errors.Is(err, problem.SearchFreshnessUnavailable) || len(at) != 4 || at[1] < 3*time.Second || at[3] > 10*time.Second {
			t.Errorf("%v after %v", err, at)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		x := newClient(t, func(*http.Request) (*http.Response, error) { tries++; return nil, io.ErrUnexpectedEOF }, RetryFor(0)).Index("x")
		if _, err := x.Search(t.Context(), &query.Search{}); !errors.Is(err, io.ErrUnexpectedEOF) || tries != 1 {
			t.Errorf("%d tries: %v", tries, err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		x := newClient(t, func(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF }).Index("x")
		begin := time.Now()
		if _, err := x.Search(ctx, &query.Search{}); err == nil || time.Since(begin) != time.Second {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
	})
}

// An index may be deleted and created anew, and another generation promoted:
// whether documents have keys is asked before every retry, and only then.
func TestWhetherDocumentsHaveKeysIsAskedEachTime(t *testing.T) {
	for _, c := range []struct {
		name  string
		keyed []bool // the answers
		cuts  []int  // of each write before it is answered
		asked int
		tries int
		fails bool // the last write
	}{
		{"a healthy write asks nothing", nil, []int{0, 0}, 0, 2, false},
		{"each retry asks", []bool{true, true}, []int{2}, 2, 3, false},
		{"the next write asks again", []bool{true, false}, []int{1, 1}, 2, 3, true},
		{"keys that came later count", []bool{false, true}, []int{1, 1}, 2, 3, false},
		{"keys that went between two retries count", []bool{true, false}, []int{2}, 2, 2, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked, tries, cuts := 0, 0, 0
				x := newClient(t, func(r *http.Request) (*http.Response, error) {
					if r.Method == http.MethodGet {
						asked++
						return reply(200, fmt.Sprintf(`{"definition":{"fields":{"id":{"type":"string","primaryKey":%v,"required":true}}}}`, c.keyed[asked-1]))
					}
					if tries++; cuts > 0 {
						cuts--
						return nil, io.ErrUnexpectedEOF
					}
					return reply(200, `{"indexed":1,"failed":[]}`)
				}).Index("x")
				var err error
				for _, cuts = range c.cuts {
					err = addOne(t.Context(), x)
				}
				if asked != c.asked || tries != c.tries || (err != nil) != c.fails {
					t.Errorf("asked %d times, %d tries: %v", asked, tries, err)
				}
			})
		})
	}
}

// Asking takes none of the time that is not left for a retry.
func TestAskingForKeysEndsWithTheTimeForRetries(t *testing.T) {
	for _, retryFor := range []time.Duration{0, 5 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			asked := 0
			x := newClient(t, func(r *http.Request) (*http.Response, error) {
				if r.Method == http.MethodGet {
					asked++
				}
				return reply(503, "")
			}, RetryFor(retryFor)).Index("x")
			begin := time.Now()
			if err := addOne(t.Context(), x); err == nil || time.Since(begin) > retryFor || (asked > 0) != (retryFor > 0) {
				t.Errorf("asked %d times in %v: %v", asked, time.Since(begin), err)
			}
		})
	}
}

func TestAnotherNodeAnswersAtOnce(t *testing.T) {
	var asked []string
	c := newClient(t, func(r *http.Request) (*http.Response, error) {
		asked = append(asked, r.URL.Host)
		if r.URL.Host != "c.example" {
			return nil, io.ErrUnexpectedEOF
		}
		return reply(200, `{"hits":[]}`)
	}, Nodes("http://b.example/", "http://c.example"))
	begin := time.Now()
	for range 2 {
		if _, err := c.Index("x").Search(t.Context(), &query.Search{}); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(asked, " "); got != "a.example b.example c.example c.example" || time.Since(begin) > firstPause*20 {
		t.Errorf("asked %s in %v", got, time.Since(begin))
	}
}

func TestErrorsAreToldApart(t *testing.T) {
	answered := func(status int, body string) error {
		c := newClient(t, func(*http.Request) (*http.Response, error) { return reply(status, body) }, RetryFor(0))
		_, err := c.Index("x").Get(t.Context())
		return err
	}
	err := answered(404, `{"code":"index:not_found","message":"…","errors":[{"code":"index:not_found","message":"…","arguments":{"name":"x"}}]}`)
	var p *problem.Problem
	if !errors.Is(err, problem.IndexNotFound) || errors.Is(err, problem.IndexClosed) || !errors.As(err, &p) || p.Arguments["name"] != "x" {
		t.Errorf("%v", err)
	}
	err = answered(400, `{"code":"validation","message":"…","errors":[{"code":"search:field_unknown","message":"…","path":"query[0].field"},{"code":"later:code","message":"a later problem"}]}`)
	if !errors.Is(err, problem.Validation) || !errors.Is(err, problem.SearchFieldUnknown) || !strings.Contains(err.Error(), "later:code: a later problem") ||
		!strings.Contains(err.Error(), "at query[0].field") {
		t.Errorf("%v", err)
	}
}

// An error keeps the content of the response: status, pause, and the node's
// help for the whole and for each problem.
func TestErrorsCarryTheAnswer(t *testing.T) {
	c := newClient(t, func(*http.Request) (*http.Response, error) {
		return reply(503, `{"code":"validation","message":"m","help":"for all","errors":[
			{"code":"search:field_unknown","message":"m","path":"query[0].field","arguments":{"name":"titel"},"help":"Did you mean title?"},
			{"code":"later:code","message":"m","help":"later help"}]}`, "Retry-After", "7")
	}, RetryFor(0))
	_, err := c.Index("x").Search(t.Context(), &query.Search{})
	e, ok := err.(*problem.Error)
	if !ok {
		t.Fatalf("%T: %v", err, err)
	}
	var help []string
	for _, p := range e.Problems {
		help = append(help, p.Help())
	}
	if got := strings.Join(help, "|"); e.Help() != "for all" || got != "for all|Did you mean title?|later help" {
		t.Errorf("help %q, of the problems %q", e.Help(), got)
	}
	if e.Status != 503 || e.RetryAfter != 7*time.Second || e.Problems[1].Path != "query[0].field" || e.Problems[1].Arguments["name"] != "titel" {
		t.Errorf("%+v", e)
	}
}

func TestNamesAreEscaped(t *testing.T) {
	var path string
	c := newClient(t, func(r *http.Request) (*http.Response, error) { path = r.URL.EscapedPath(); return reply(204, "") })
	for key, want := range map[string]string{"a/b": "a%2Fb", "..": "%2E%2E", "ä b": "%C3%A4%20b", "a?b#c": "a%3Fb%23c"} {
		if err := c.Index("x@2").DeleteDocument(t.Context(), key); err != nil || path != "/v1alpha1/indexes/x@2/documents/"+want {
			t.Errorf("%s: %s %v", key, path, err)
		}
	}
}

func TestReadsCarryTheNewestTokenOfTheClient(t *testing.T) {
	token := func(sequence uint64) string {
		return freshness.Token{Index: freshness.ID{1}, IndexName: "x", Generation: freshness.ID{2}, Sequence: sequence}.String()
	}
	written, read := "", ""
	c := newClient(t, func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodDelete {
			return reply(204, "", freshness.Header, written)
		}
		if strings.HasSuffix(r.URL.Path, "/documents") {
			return reply(200, fmt.Sprintf(`{"indexed":1,"failed":[],"freshness":%q}`, written))
		}
		read = r.Header.Get(freshness.Header)
		return reply(200, `{"hits":[]}`)
	}, ReadYourWrites())
	search := func(index string) string {
		if _, err := c.Index(index).Search(t.Context(), &query.Search{}); err != nil {
			t.Fatal(err)
		}
		return read
	}
	if search("x") != "" {
		t.Error("a token before the first write")
	}
	written = token(7)
	if _, err := c.Index("x").Add(t.Context(), map[string]any{}); err != nil || search("x") != token(7) || search("y") != "" {
		t.Errorf("%v %s", err, read)
	}
	written = token(5) // a write whose response arrived late
	if err := c.Index("x").DeleteDocument(t.Context(), "1"); err != nil || search("x") != token(7) {
		t.Errorf("%v %s", err, read)
	}
}

// The token of a document write says nothing about the settings, and vice versa. Writes
// to a generation count for its index once it is promoted.
func TestTokensOfDocumentsAndSettingsAreKeptTogether(t *testing.T) {
	token := func(generation byte, sequence, revision uint64) string {
		of := freshness.Token{Index: freshness.ID{1}, IndexName: "x", Sequence: sequence, Settings: revision}
		if generation > 0 {
			of.Generation = freshness.ID{generation}
		}
		return of.String()
	}
	written, read := "", ""
	c := newClient(t, func(r *http.Request) (*http.Response, error) {
		if r.Method != http.MethodGet {
			return reply(200, fmt.Sprintf(`{"indexed":1,"version":"v","definition":{},"freshness":%q}`, written))
		}
		read = r.Header.Get(freshness.Header)
		return reply(200, `{"document":{}}`)
	}, ReadYourWrites())
	for _, step := range []struct {
		name    string
		index   string
		write   func(context.Context, *Index) error
		written string
		read    string
	}{
		{"documents", "x", addOne, token(8, 5, 0), token(8, 5, 0)},
		{"settings", "x", putSettings, token(0, 0, 2), token(8, 5, 2)},
		{"documents again", "x", addOne, token(8, 6, 0), token(8, 6, 2)},
		{"a generation that does not serve", "x@next", addOne, token(7, 1, 0), token(8, 6, 2)},
		{"promote", "x@next", promote, token(7, 0, 0), token(7, 1, 2)},
	} {
		written = step.written
		if err := step.write(t.Context(), c.Index(step.index)); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		var document map[string]any
		if err := c.Index("x").Document(t.Context(), "1", &document); err != nil || read != step.read {
			t.Errorf("%s: %v, sent %s instead of %s", step.name, err, read, step.read)
		}
	}
}

func addOne(ctx context.Context, x *Index) error {
	_, err := x.Add(ctx, map[string]any{})
	return err
}

func putSettings(ctx context.Context, x *Index) error {
	return x.PutSettings(ctx, &settings.Settings{})
}

func promote(ctx context.Context, x *Index) error {
	_, err := x.Promote(ctx)
	return err
}

// Another index has taken the name of the deleted one.
func TestTheTokenOfADeletedIndexIsForgotten(t *testing.T) {
	token := freshness.Token{Index: freshness.ID{1}, IndexName: "x"}.String()
	var sent []string
	x := newClient(t, func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodDelete {
			return reply(204, "", freshness.Header, token)
		}
		sent = append(sent, r.Header.Get(freshness.Header))
		if sent[len(sent)-1] != "" {
			return reply(400, refusal(problem.SearchFreshnessIndexMismatch))
		}
		return reply(200, `{"hits":[]}`)
	}, ReadYourWrites(), RetryFor(0)).Index("x")
	if err := x.DeleteDocument(t.Context(), "1"); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Search(t.Context(), &query.Search{}); err != nil || len(sent) != 2 || sent[0] != token {
		t.Errorf("%v, sent %q", err, sent)
	}
}

// Documents are consumed only as fast as they are sent, and each has a result.
func TestAddAllTakesDocumentsAsTheyAreSent(t *testing.T) {
	const all = 3*batchDocuments + 10
	var taken, sent atomic.Int64
	c := newClient(t, func(r *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		if ahead := taken.Load() - sent.Load(); ahead > 2*batchDocuments+1 {
			t.Errorf("%d documents were taken and not sent", ahead)
		}
		sent.Add(int64(strings.Count(string(body), "\n")))
		return reply(200, `{"indexed":999,"failed":[{"position":3,"errors":[{"code":"document:field_unknown","message":"m","path":"[3].x"}]}]}`)
	})
	documents := func(yield func(any) bool) {
		for i := range all {
			taken.Add(1)
			if !yield(map[string]int{"id": i}) {
				return
			}
		}
	}
	next, refused := int64(0), 0
	for result, err := range c.Index("x").AddAll(t.Context(), documents) {
		if err != nil || result.Position != next {
			t.Fatalf("%v at %d", err, next)
		}
		if result.Refused != nil {
			refused++
			if result.Position%batchDocuments != 3 || !errors.Is(result.Refused, problem.DocumentFieldUnknown) {
				t.Errorf("%+v", result)
			}
		}
		next++
	}
	if next != all || refused != 4 {
		t.Errorf("%d results, %d refused", next, refused)
	}
	for range c.Index("x").AddAll(t.Context(), documents) {
		break // must not leak a goroutine, or the test would not end
	}
	unencodable := func(yield func(any) bool) { _ = yield(map[string]int{}) && yield(func() {}) }
	results := 0
	for _, err := range c.Index("x").AddAll(t.Context(), unencodable) {
		if results++; results == 2 && err == nil {
			t.Error("a function was encoded")
		}
	}
	if results != 2 {
		t.Errorf("%d results", results)
	}
}

func TestADocumentThatIsTooLargeDoesNotStopTheOthers(t *testing.T) {
	x := newClient(t, func(r *http.Request) (*http.Response, error) {
		if r.ContentLength > batchBytes {
			return reply(413, refusal(problem.RequestBodyTooLarge))
		}
		return reply(200, `{"failed":[]}`)
	}).Index("x")
	large := strings.Repeat("x", batchBytes+1)
	var results []Result
	for result, err := range x.AddAll(t.Context(), slices.Values([]any{"1", large, "2"})) {
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, result)
	}
	if len(results) != 3 || results[0].Refused != nil || !errors.Is(results[1].Refused, problem.RequestBodyTooLarge) || results[2].Refused != nil {
		t.Errorf("%+v", results)
	}
	small := newClient(t, func(*http.Request) (*http.Response, error) { return reply(413, "") }).Index("x")
	for _, err := range small.AddAll(t.Context(), slices.Values([]any{"1", "2"})) {
		if err == nil { // which of them is too large is not known
			t.Error("a batch that is too large was added")
		}
	}
}

func TestPagesFollowTheCursor(t *testing.T) {
	var asked []string
	c := newClient(t, func(r *http.Request) (*http.Response, error) {
		var body struct{ After string }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			return nil, err
		}
		asked = append(asked, body.After)
		return reply(200, map[string]string{"": `{"hits":[{"id":"1"},{"id":"2"}],"page":{"limit":2,"next":"c"}}`, "c": `{"hits":[{"id":"3"}],"page":{"limit":2}}`}[body.After])
	})
	var ids string
	for hit, err := range c.Index("x").Hits(t.Context(), &query.Search{Limit: 2, Offset: 0}) {
		if err != nil {
			t.Fatal(err)
		}
		ids += hit.ID
	}
	if ids != "123" || len(asked) != 2 {
		t.Errorf("%s, asked %q", ids, asked)
	}
}

func TestURLsAreChecked(t *testing.T) {
	for _, node := range []string{"localhost:8080", "", "ftp://x", "http://", "http://[::1"} {
		if _, err := New(node, ""); err == nil {
			t.Errorf("%q is accepted", node)
		}
	}
	if _, err := New("http://a.example", "key\n"); err == nil {
		t.Error("a key with the end of a line is accepted")
	}
}
