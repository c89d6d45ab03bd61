package api

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/quiresearch/quire/problem"
)

func TestNegotiation(t *testing.T) {
	for _, test := range []struct {
		accept string
		offers []offered
		want   string
	}{
		{"", jsonAndNDJSON, mediaJSON},
		{"*/*", jsonAndNDJSON, mediaJSON},
		{"application/json, application/x-ndjson", jsonAndNDJSON, mediaJSON},
		{"application/x-ndjson", jsonAndNDJSON, mediaNDJSON},
		{"application/json;q=0.5, application/x-ndjson", jsonAndNDJSON, mediaNDJSON},
		{"application/*", onlyJSON, mediaJSON},
		{"application/json; charset=utf-8", onlyJSON, mediaJSON},
		{"text/plain, */*;q=0.1", onlyJSON, mediaJSON},
		{"text/plain", onlyJSON, ""},
		{"application/x-ndjson", onlyJSON, ""},
		{"*/*, application/json;q=0", onlyJSON, ""},
	} {
		var accept []string
		if test.accept != "" {
			accept = []string{test.accept}
		}
		if got, ok := negotiate(accept, test.offers); got != test.want || ok != (test.want != "") {
			t.Errorf("Accept %q gives %q", test.accept, got)
		}
	}
}

func TestConditions(t *testing.T) {
	for _, test := range []struct {
		header           []string
		match, noneMatch bool // of version v1
	}{
		{nil, true, true},
		{[]string{`"v1"`}, true, false},
		{[]string{`"v2"`}, false, true},
		{[]string{`W/"v1"`}, false, false},
		{[]string{`"v2", "v1"`}, true, false},
		{[]string{`"v2"`, `"v1"`}, true, false},
		{[]string{`*`}, true, false},
		{[]string{`"a,b","v1"`}, true, false},
		{[]string{`v1`}, false, true},
		{[]string{``}, false, true},
	} {
		tags := parseTags(test.header)
		if got := tags.Match("v1"); got != test.match {
			t.Errorf("If-Match %q: %v", test.header, got)
		}
		if got := tags.NoneMatch("v1"); got != test.noneMatch {
			t.Errorf("If-None-Match %q: %v", test.header, got)
		}
	}
}

func TestListingPages(t *testing.T) {
	all := []string{"a", "ab", "abc", "b", "c"}
	name := func(s string) string { return s }
	for _, test := range []struct {
		listing Listing
		page    string
		next    string
	}{
		{Listing{}, "a ab abc b c", ""},
		{Listing{Limit: 2}, "a ab", "ab"},
		{Listing{Limit: 2, After: "ab"}, "abc b", "b"},
		{Listing{Limit: 2, After: "b"}, "c", ""},
		{Listing{Limit: 5}, "a ab abc b c", ""},
		{Listing{Prefix: "ab"}, "ab abc", ""},
		{Listing{Prefix: "ab", Limit: 1}, "ab", "ab"},
		{Listing{Prefix: "ab", After: "ab"}, "abc", ""},
		{Listing{Prefix: "b", After: "a"}, "b", ""},
		{Listing{After: "bb"}, "c", ""},
		{Listing{Prefix: "zz"}, "", ""},
	} {
		page, next := Page(all, name, test.listing)
		if strings.Join(page, " ") != test.page || next != test.next {
			t.Errorf("%+v: %v next %q", test.listing, page, next)
		}
		if page == nil {
			t.Errorf("%+v: the page is nil, which is not an array", test.listing)
		}
	}
}

func TestListingLimit(t *testing.T) {
	for text, want := range map[string]int{"1": 1, "1000": 1000, "0": -1, "1001": -1, "-3": -1, "x": -1, "": -1, "1.5": -1} {
		r := &Request{query: url.Values{"limit": {text}}}
		got, err := r.Listing()
		if want < 0 {
			if !errors.Is(err, problem.RequestLimitOutOfRange) {
				t.Errorf("limit %q: %v", text, err)
			}
		} else if err != nil || got.Limit != want {
			t.Errorf("limit %q: %v %v", text, got, err)
		}
	}
}

func TestEntriesOfAStream(t *testing.T) {
	type entry struct {
		raw  string
		line int
	}
	for _, test := range []struct {
		body string
		want []entry
	}{
		{"", nil},
		{"\n \n", nil},
		{`{"a":1}` + "\n" + `{"a":2}`, []entry{{`{"a":1}`, 1}, {`{"a":2}`, 2}}},
		{"\n\n{\"a\":\n1}\n\n{\"b\":\"}\\\"\"}\r\n", []entry{{"{\"a\":\n1}", 3}, {`{"b":"}\""}`, 6}}},
		{`{"a":1}{"b":[{}]}`, []entry{{`{"a":1}`, 1}, {`{"b":[{}]}`, 1}}},
		{"17\n\"x\"\n", []entry{{"17", 1}, {`"x"`, 2}}},
		{`{"a":`, []entry{{`{"a":`, 1}}},
		{"nonsense {\n{}", []entry{{"nonsense {", 1}, {"{}", 2}}},
		{`{"a":"\\"}{"b":"\\\""}` + "\n[]", []entry{{`{"a":"\\"}`, 1}, {`{"b":"\\\""}`, 1}, {"[]", 2}}},
	} {
		for _, source := range []io.Reader{strings.NewReader(test.body), iotest.OneByteReader(strings.NewReader(test.body))} {
			reader := newEntryReader(source, 100)
			for i, want := range test.want {
				got, err := reader.Next()
				if err != nil || string(got.Raw) != want.raw || got.Line != want.line || got.Position != i {
					t.Errorf("%q entry %d: %q line %d position %d, %v", test.body, i, got.Raw, got.Line, got.Position, err)
				}
			}
			if got, err := reader.Next(); err != io.EOF {
				t.Errorf("%q goes on with %q, %v", test.body, got.Raw, err)
			}
		}
	}
}

func TestOneEntryIsBounded(t *testing.T) {
	reader := newEntryReader(strings.NewReader(`{"a":"`+strings.Repeat("x", 200)+`"}`), 100)
	if _, err := reader.Next(); !errors.Is(err, problem.RequestBodyTooLarge) {
		t.Errorf("got %v", err)
	}
}

// An entry that cannot become JSON is returned as far as it arrived, so that it
// is reported as malformed and not as too long.
func TestABrokenEntryIsHandedOutBeforeItsBound(t *testing.T) {
	good := strings.Repeat(`{"id":"1","t":"x"}`+"\n", 100)
	for _, broken := range []string{`{"id":"bad",,`, `{`, `{"id":"bad","t":"x"`, `{"id":"bad`, `["a"`, `[`, "\"open"} {
		for _, failure := range []error{nil, problem.RequestBodyTooLarge.New()} {
			source := io.Reader(strings.NewReader("{}\n" + broken + "\n" + good))
			bound := int64(100)
			if failure != nil {
				source, bound = io.MultiReader(source, iotest.ErrReader(failure)), 0
			}
			reader := newEntryReader(source, bound)
			if _, err := reader.Next(); err != nil {
				t.Fatal(err)
			}
			entry, err := reader.Next()
			if err != nil || entry.Line != 2 || entry.Position != 1 || !strings.HasPrefix(string(entry.Raw), broken) {
				t.Errorf("%s: %q line %d position %d, %v", broken, entry.Raw, entry.Line, entry.Position, err)
			}
		}
	}
}

// Entries are processed before the reader waits for more of the body, and an
// error in processing is reported without waiting for more.
func TestEntriesAreTakenBeforeMoreIsRead(t *testing.T) {
	refused := errors.New("refused")
	reads := 0
	source := readerFunc(func(p []byte) (int, error) {
		reads++
		return copy(p, "{\"a\":1}\n{\"a\":2}\n{\"a\""), nil
	})
	reader := newEntryReader(source, 100)
	var held []Entry
	reader.beforeRead = func() error {
		if len(held) == 0 {
			return nil
		}
		if got := string(held[0].Raw) + string(held[1].Raw); len(held) != 2 || got != `{"a":1}{"a":2}` {
			t.Errorf("%d entries, %s", len(held), got)
		}
		return refused
	}
	for {
		entry, err := reader.Next()
		if err != nil {
			if !errors.Is(err, refused) || reads != 1 {
				t.Errorf("%v after %d reads", err, reads)
			}
			return
		}
		held = append(held, entry)
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// A broken entry is returned without waiting for the rest of a long body.
func TestABrokenEntryIsFoundWhileItArrives(t *testing.T) {
	const megabytes = 100
	source := strings.NewReader("{\"a\":1,,\n" + strings.Repeat("{\"a\":\""+strings.Repeat("x", 1000)+"\"}\n", megabytes<<10))
	reader := newEntryReader(source, 0)
	if _, err := reader.Next(); err != nil {
		t.Fatal(err)
	}
	if read := source.Size() - int64(source.Len()); read > 4*entryLook {
		t.Errorf("%d bytes were read", read)
	}
}

func TestAnEntryThatGoesOnIsNotBroken(t *testing.T) {
	var r EntryReader
	whole := `{"a":[1,-2.5e-3,true,false,null,{}],"ö\u00f6\ud83d\ude00":"\\\"ü😀",` + "\n \"b\" : [ { \"c\" : [] } ] }"
	for i := 1; i < len(whole); i++ {
		r.buffer = []byte(whole[:i])
		if r.isBroken(i) {
			t.Errorf("%s is broken", whole[:i])
		}
	}
}

// Complete entries are returned even if the rest of the body fails.
func TestEntriesBeforeAFailure(t *testing.T) {
	broken := problem.RequestBodyUnreadable.New()
	reader := newEntryReader(io.MultiReader(strings.NewReader("{}\n{\"a\":1}"), iotest.ErrReader(broken)), 100)
	for _, want := range []string{"{}", `{"a":1}`} {
		if got, err := reader.Next(); err != nil || string(got.Raw) != want {
			t.Errorf("%q, %v instead of %s", got.Raw, err, want)
		}
	}
	if got, err := reader.Next(); !errors.Is(err, problem.RequestBodyUnreadable) {
		t.Errorf("goes on with %q, %v", got.Raw, err)
	}
}

func FuzzEntries(f *testing.F) {
	f.Add("{\"a\":1}\n{}")
	f.Add("\"\\")
	f.Add("{\"\\\\\\\"}\n\n\":[]}x")
	f.Fuzz(func(t *testing.T, body string) {
		reader := newEntryReader(strings.NewReader(body), 0)
		slow := newEntryReader(iotest.OneByteReader(strings.NewReader(body)), 0)
		total := 0
		for {
			entry, err := reader.Next()
			if same, _ := slow.Next(); string(same.Raw) != string(entry.Raw) || same.Line != entry.Line || same.Position != entry.Position {
				t.Fatalf("byte by byte %+v, at once %+v", same, entry)
			}
			if err == io.EOF {
				break
			}
			if err != nil || len(entry.Raw) == 0 {
				t.Fatalf("entry %q: %v", entry.Raw, err)
			}
			total += len(entry.Raw)
		}
		if total > len(body) {
			t.Errorf("%d bytes of entries from %d", total, len(body))
		}
	})
}

func TestErrorBodies(t *testing.T) {
	one := problem.DocumentFieldUnknown.At(problem.At("documents[1].x"), "name", "x")
	two := problem.Problems{one, problem.RequestValueRequired.At(problem.At("a"))}
	for _, test := range []struct {
		err     error
		status  int
		code    string
		message string
		errors  int
		path    string
	}{
		{one, 400, "document:field_unknown", "The definition declares no field called x.", 1, problem.All(one)[0].Path},
		{two, 400, "validation", "Request contains 2 errors", 2, ""},
		{errors.New("boom"), 500, "node:error", problem.NodeError.Message(), 1, ""},
		{fmt.Errorf("open the segment: %w", &fs.PathError{Op: "open", Path: "a", Err: fs.ErrPermission}), 500, "index:io_error", problem.IndexIoError.Message(), 1, ""},
		{WithStatus(problem.DocumentNotFound.New("key", "7"), 400), 400, "document:not_found", "No document has the key 7.", 1, ""},
		{problem.IndexDefinitionIncompatible.New().Detailed(two), 409, "index:definition:incompatible", problem.IndexDefinitionIncompatible.Message(), 2, ""},
	} {
		response, _ := errorResponse(test.err)
		body := response.Body.(errorBody)
		if response.Status != test.status || body.Code != test.code || body.Message != test.message || len(body.Errors) != test.errors || body.Path != test.path {
			t.Errorf("%v gives %d %+v", test.err, response.Status, body)
		}
	}
}

func TestErrorHeaders(t *testing.T) {
	for _, test := range []struct {
		code   *problem.Code
		header string
		value  string
	}{
		{problem.AuthUnauthenticated, "WWW-Authenticate", "Bearer"},
		{problem.SearchFreshnessUnavailable, "Retry-After", "1"},
		{problem.StorageUnknown, "Retry-After", "1"},
		{problem.RequestBodyTooLarge, "Connection", "close"},
	} {
		response, _ := errorResponse(test.code.New())
		if got := response.Header.Get(test.header); got != test.value {
			t.Errorf("%s: %s is %q", test.code.Name(), test.header, got)
		}
	}
}

func TestAddressesNameTheHostTheCallerUsed(t *testing.T) {
	for host, want := range map[string]string{"": "/a/b@1", "node.example:99": "http://node.example:99/a/b@1", "[::1]:99": "http://[::1]:99/a/b@1"} {
		r := &Request{HTTP: &http.Request{Host: host}}
		if got := r.URL("/a/b@1"); got != want {
			t.Errorf("%q: got %s, want %s", host, got, want)
		}
	}
}

func TestBodyTypes(t *testing.T) {
	for _, test := range []struct {
		route    Route
		header   http.Header
		accepted bool
	}{
		{Route{Body: "X"}, http.Header{"Content-Type": {"application/json; charset=utf-8"}}, true},
		{Route{Body: "X"}, http.Header{}, true},
		{Route{Body: "X"}, http.Header{"Content-Type": {"text/plain"}}, false},
		{Route{Body: "X"}, http.Header{"Content-Type": {"application/x-ndjson"}}, false},
		{Route{Body: "X", Streams: true}, http.Header{"Content-Type": {"application/x-ndjson"}}, true},
		{Route{Body: "X"}, http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}}, true},
		{Route{Body: "X"}, http.Header{"Content-Encoding": {"ZSTD"}}, true},
		{Route{Body: "X"}, http.Header{"Content-Encoding": {"br"}}, false},
		{Route{Body: "X"}, http.Header{"Content-Encoding": {"gzip, zstd"}}, false},
		{Route{Body: "X"}, http.Header{"Content-Encoding": {"gzip", "gzip"}}, false},
		{Route{Body: "X"}, http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"Identity"}}, true},
		{Route{}, http.Header{"Content-Type": {"text/plain"}}, true},
	} {
		err := test.route.checkBodyType(&http.Request{Header: test.header, ContentLength: 5})
		if (err == nil) != test.accepted {
			t.Errorf("%v: %v", test.header, err)
		}
	}
}
