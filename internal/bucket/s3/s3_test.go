package s3_test

import (
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/buckettest"
	"github.com/quiresearch/quire/internal/bucket/s3"
	"github.com/quiresearch/quire/internal/s3test"
)

func TestConformsOnARealServer(t *testing.T) {
	server := s3test.Start(t)
	var n atomic.Int64
	buckettest.Run(t, func(t *testing.T) bucket.Bucket {
		return server.Store(t, "suite/run"+string(rune('a'+n.Add(1))))
	})
}

func TestProbeAcceptsARealServer(t *testing.T) {
	server := s3test.Start(t)
	store := server.Store(t, "")
	if err := s3.Probe(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	listing, err := store.List(t.Context(), "probe/", "")
	if err != nil || len(listing.Entries) != 0 {
		t.Errorf("the probe left %v behind, %v", listing.Entries, err)
	}
}

func TestObjectsSurviveARestartOfTheServer(t *testing.T) {
	server := s3test.Start(t)
	store := server.Store(t, "p")
	written, err := store.PutIf(t.Context(), "a/b", bucket.Bytes([]byte("kept")), bucket.Absent())
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, object, err := bucket.ReadAll(t.Context(), store, "a/b", "", 100)
	if err != nil || string(text) != "kept" || object.Tag != written.Tag {
		t.Errorf("%q %v %v", text, object.Tag, err)
	}
}

func TestStatusesAreReadAsOutcomes(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		want   error
	}{
		{412, "", bucket.ErrCondition},
		{409, "", bucket.ErrUndecided},
		{404, "<Error><Code>NoSuchKey</Code></Error>", bucket.ErrNotFound},
		{403, "<Error><Code>AccessDenied</Code></Error>", fs.ErrPermission},
		{500, "", bucket.ErrUnknown},
		{503, "", bucket.ErrUnknown},
		{503, "<Error><Code>SlowDown</Code></Error>", bucket.ErrUndecided},
	} {
		var requests atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests.Add(1)
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.body))
		}))
		store, err := s3.New(s3.Options{URL: server.URL, Bucket: "b", Credentials: s3.Static("a", "s", "")})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := store.PutIf(t.Context(), "k", bucket.Bytes([]byte("x")), bucket.Absent()); !errors.Is(err, c.want) {
			t.Errorf("status %d %s: %v, want %v", c.status, c.body, err, c.want)
		}
		if requests.Load() != 1 {
			t.Errorf("status %d: a conditional write was sent %d times", c.status, requests.Load())
		}
		server.Close()
	}
}

// A 404 that is not about a missing object must not be read as one: some stores send
// it for an access key that they do not know.
func TestANotFoundOfAnotherKindIsARefusal(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte("<Error><Code>UserNotFound</Code></Error>"))
	}))
	defer server.Close()
	store, err := s3.New(s3.Options{URL: server.URL, Bucket: "b", Credentials: s3.Static("a", "s", "")})
	if err != nil {
		t.Fatal(err)
	}
	_, put := store.PutIf(t.Context(), "k", bucket.Bytes([]byte("x")), bucket.Absent())
	_, deleted := store.Delete(t.Context(), "k", bucket.Always)
	for _, err := range []error{put, deleted} {
		if err == nil || errors.Is(err, bucket.ErrNotFound) || !strings.Contains(err.Error(), "status 404 UserNotFound") {
			t.Errorf("read as %v", err)
		}
	}
	if _, err := store.PutIf(t.Context(), "k", bucket.Bytes([]byte("x")), bucket.Matches("v")); !errors.Is(err, bucket.ErrNotFound) {
		t.Errorf("a replaced object: %v", err)
	}
}

// S24: a store that lists keys outside the prefix cannot stop a node, and the node does
// not mistake them for other keys.
func TestAListingHoldsOnlyWhatIsBelowThePrefix(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`<ListBucketResult><Contents><Key>deploy/g/1</Key></Contents><Contents><Key>other/g/2</Key></Contents><Contents><Key>x</Key></Contents>` +
			`<CommonPrefixes><Prefix>deploy/g/a/</Prefix></CommonPrefixes><CommonPrefixes><Prefix>other/g/b/</Prefix></CommonPrefixes><CommonPrefixes><Prefix>x</Prefix></CommonPrefixes></ListBucketResult>`))
	}))
	defer server.Close()
	store, err := s3.New(s3.Options{URL: server.URL, Bucket: "b", Prefix: "deploy", Credentials: s3.Static("a", "s", "")})
	if err != nil {
		t.Fatal(err)
	}
	listed, err := store.List(t.Context(), "g/", "/")
	if err != nil {
		t.Fatal(err)
	}
	if len(listed.Entries) != 1 || listed.Entries[0].Key != "g/1" || len(listed.Prefixes) != 1 || listed.Prefixes[0] != "g/a/" {
		t.Errorf("entries %v, prefixes %v", listed.Entries, listed.Prefixes)
	}
}

func TestGoogleDialect(t *testing.T) {
	var seen []http.Header
	transport := roundTripper(func(r *http.Request) (*http.Response, error) {
		seen = append(seen, r.Header.Clone())
		h := http.Header{"Etag": {`"e"`}, "X-Goog-Generation": {"17"}, "Date": {"Sun, 06 Nov 1994 08:49:37 GMT"}}
		return &http.Response{StatusCode: 200, Header: h, Body: http.NoBody, Request: r}, nil
	})
	store, err := s3.New(s3.Options{URL: "https://storage.googleapis.com", Bucket: "b", Credentials: s3.Static("a", "s", ""), Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	written, err := store.PutIf(t.Context(), "k", bucket.Bytes([]byte("x")), bucket.Absent())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.PutIf(t.Context(), "k", bucket.Bytes([]byte("y")), bucket.Matches(written.Tag)); err != nil {
		t.Fatal(err)
	}
	if got := seen[0].Get("X-Goog-If-Generation-Match"); got != "0" {
		t.Errorf("create asked for generation %q", got)
	}
	if got := seen[1].Get("X-Goog-If-Generation-Match"); got != "17" {
		t.Errorf("replace asked for generation %q", got)
	}
	if seen[0].Get("If-None-Match") != "" || seen[1].Get("If-Match") != "" {
		t.Error("the conditions of S3 were sent to Google")
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestTargetsAreOnlyAHost(t *testing.T) {
	for _, url := range []string{"ftp://x", "http://", "http://h/path", "http://user:pw@h", "://"} {
		if _, err := s3.New(s3.Options{URL: url, Bucket: "b"}); err == nil {
			t.Errorf("%q was accepted", url)
		}
	}
}
