package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// foreign is a response of an intermediary such as a proxy or a load balancer.
type foreign struct {
	Name     string
	Type     string // Content-Type
	Encoding string // Content-Encoding
	Body     string // each character is a byte
	Times    int    // the body is repeated
	Missing  int    // bytes that are announced and not sent
	Says     string // what the message of the error holds
}

func (f *foreign) ServeHTTP(w http.ResponseWriter, status int) {
	var body []byte
	for _, r := range strings.Repeat(f.Body, max(1, f.Times)) {
		body = append(body, byte(r))
	}
	w.Header().Set("Content-Type", f.Type)
	if f.Encoding != "" {
		w.Header().Set("Content-Encoding", f.Encoding)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)+f.Missing))
	w.WriteHeader(status)
	_, _ = w.Write(body)
	if f.Missing > 0 {
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// readForeign reads the answers that all clients are tested with.
func readForeign(t *testing.T) []*foreign {
	t.Helper()
	data, err := os.ReadFile("../clients/testing/foreign.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []*foreign
	if err := json.Unmarshal(data, &all); err != nil || len(all) < 20 {
		t.Fatal(len(all), err)
	}
	return all
}

// serve returns a client of a server that gives the answer first, and after that
// those of a node; and the number of requests it has received.
func (f *foreign) serve(t *testing.T, status int, options ...Option) (*Index, *int) {
	t.Helper()
	tries := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tries++; tries == 1 {
			f.ServeHTTP(w, status)
		} else if r.Method == http.MethodPost {
			_, _ = w.Write([]byte(`{"hits":[],"page":{}}`))
		} else {
			w.WriteHeader(http.StatusNoContent)
		}
	}))
	t.Cleanup(server.Close)
	c, err := New(server.URL, "", options...)
	if err != nil {
		t.Fatal(err)
	}
	return c.Index("x"), &tries
}

func TestAnswersOfProxiesAreErrorsOfTheClient(t *testing.T) {
	search := func(t *testing.T, x *Index) error { _, err := x.Search(t.Context(), &query.Search{}); return err }
	patch := func(t *testing.T, x *Index) error { return x.PatchDocument(t.Context(), "1", map[string]any{}) }
	for _, f := range readForeign(t) {
		for _, c := range []struct {
			status          int
			search, repeats bool // which request, and whether it is retried
		}{
			{200, true, false}, {301, true, false}, {400, true, false}, {404, false, false}, {500, true, false}, {520, false, false},
			{429, true, true}, {502, true, true}, {503, true, true}, {504, true, true},
			{429, false, true}, {502, false, false}, {503, false, false}, {504, false, false},
		} {
			if c.status == 200 && (f.Missing > 0 || f.Encoding != "") {
				continue // an answer of a node may be cut, too, and is then asked for again
			}
			send := patch
			if c.search {
				send = search
			}
			t.Run(f.Name+"/"+strconv.Itoa(c.status), func(t *testing.T) {
				t.Parallel()
				x, tries := f.serve(t, c.status)
				if err := send(t, x); c.repeats != (err == nil) || c.repeats != (*tries == 2) {
					t.Errorf("%d tries: %v", *tries, err)
				}
				x, _ = f.serve(t, c.status, RetryFor(0))
				err := send(t, x)
				e, ok := err.(*problem.Error)
				if !ok {
					t.Fatalf("%T: %v", err, err)
				}
				if e.Status != c.status || len(e.Problems) != 0 || e.Help() != "" || !strings.Contains(e.Message, f.Says) || utf8.RuneCountInString(e.Message) > 400 ||
					!utf8.ValidString(e.Message) || strings.ContainsFunc(e.Message, unicode.IsControl) || strings.HasSuffix(err.Error(), " ") {
					t.Errorf("%q of %+v", err, e)
				}
			})
		}
	}
}

// A write that a node answers without a body is not done if a proxy answers.
func TestAnAnswerWithABodyIsNotThatOfAWrite(t *testing.T) {
	for _, f := range readForeign(t) {
		if strings.TrimSpace(f.Body) == "" || f.Missing > 0 || f.Encoding != "" {
			continue
		}
		x, _ := f.serve(t, 200)
		var e *problem.Error
		if err := x.DeleteDocument(t.Context(), "1"); !errors.As(err, &e) || e.Status != 200 {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

// Nothing says that the node did not answer, so the request is sent again.
func TestACutAnswerIsAskedForAgain(t *testing.T) {
	f := &foreign{Body: `{"hits":[`, Missing: 3}
	x, tries := f.serve(t, 200)
	if _, err := x.Search(t.Context(), &query.Search{}); err != nil || *tries != 2 {
		t.Errorf("%d tries: %v", *tries, err)
	}
}

// A context that ends while a body arrives is the cause, not the status.
func TestABodyThatDoesNotEndIsCancelled(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	c, err := New(server.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.Index("x").Search(ctx, &query.Search{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

func TestRetryAfterIsSecondsOrATime(t *testing.T) {
	soon := time.Now().Add(time.Minute).UTC().Format(http.TimeFormat)
	for value, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "-7": 0, "soon": 0, "²": 0, "1.5": 0, "Wed, 21 Oct 2015 07:28:00 GMT": 0, soon: time.Minute,
		"9223372036854775807": time.Hour, "99999999999999999999999": time.Hour,
	} {
		got := retryAfterOf(http.Header{"Retry-After": {value}})
		if want == time.Hour && got < want || want < time.Hour && (got > want || got < want-2*time.Second) {
			t.Errorf("%q: %v", value, got)
		}
	}
}
