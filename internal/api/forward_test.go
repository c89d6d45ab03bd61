package api

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/internal/bucket/memory"
)

// heldBy is an Ownership that always returns one address.
type heldBy string

func (address heldBy) WriterAddress(context.Context, string, bool) (string, error) {
	return string(address), nil
}

func (heldBy) Forwarded(context.Context) {}

func (heldBy) IsServing(context.Context, string) bool { return true }

// stopped is an Ownership whose node is no longer live.
type stopped struct{ heldBy }

func (stopped) IsServing(context.Context, string) bool { return false }

// forwarding starts a node that writes no index itself.
func forwarding(t *testing.T, address string) *httptest.Server {
	t.Helper()
	return forwardingWith(t, address, Options{})
}

func forwardingWith(t *testing.T, address string, options Options) *httptest.Server {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	authority, err := auth.Open(t.Context(), memory.New(nil), auth.Options{RootKey: rootKey}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, New(Components{Authority: authority, Ownership: heldBy(address), Health: NewHealth(time.Second), Log: quiet}, options))
}

func serve(t *testing.T, handler http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

// F35: a request arrives at the writer as it was sent, over HTTP/1.1 and
// HTTP/2, with and without a declared length, empty, and with a caller that
// waits for 100 Continue.
func TestRequestsOfEveryShapeAreForwarded(t *testing.T) {
	type arrived struct {
		body   string
		length int64
	}
	var last atomic.Pointer[arrived]
	writer := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("read: %v", err)
		}
		last.Store(&arrived{string(body), r.ContentLength})
		w.WriteHeader(http.StatusNoContent)
	}))
	behind := forwarding(t, writer.URL)
	front := httptest.NewUnstartedServer(behind.Config.Handler)
	front.Config.Protocols = new(http.Protocols)
	front.Config.Protocols.SetHTTP1(true)
	front.Config.Protocols.SetUnencryptedHTTP2(true)
	front.Start()
	defer front.Close()
	long := strings.Repeat(`{"id":"1"}`+"\n", 20000)
	for _, isHTTP2 := range []bool{false, true} {
		protocols := new(http.Protocols)
		protocols.SetHTTP1(!isHTTP2)
		protocols.SetUnencryptedHTTP2(isHTTP2)
		transport := &http.Transport{Protocols: protocols, ExpectContinueTimeout: time.Minute}
		for _, test := range []struct {
			method, path, body string
			isChunked, expects bool
		}{
			{"POST", "/documents", long, false, false},
			{"POST", "/documents", long, true, false},
			{"POST", "/documents", long, true, true},
			{"POST", "/documents", "", true, false},
			{"DELETE", "/documents/1", "", false, false},
		} {
			t.Run(fmt.Sprint("http2_", isHTTP2, test.method, len(test.body), test.isChunked, test.expects), func(t *testing.T) {
				var body io.Reader = strings.NewReader(test.body)
				if test.isChunked {
					body = struct{ io.Reader }{body}
				}
				request, err := http.NewRequestWithContext(t.Context(), test.method, front.URL+"/v1alpha1/indexes/books"+test.path, body)
				if err != nil {
					t.Fatal(err)
				}
				request.Header.Set("Authorization", "Bearer "+rootKey)
				request.Header.Set("Content-Type", ndjsonType)
				if test.expects {
					request.Header.Set("Expect", "100-continue")
				}
				answer, err := transport.RoundTrip(request)
				if err != nil {
					t.Fatal(err)
				}
				answer.Body.Close()
				got := last.Swap(nil)
				if isOther := isHTTP2 != (answer.ProtoMajor == 2); isOther || answer.StatusCode != http.StatusNoContent || got == nil {
					t.Fatalf("%s %s", answer.Proto, answer.Status)
				}
				if got.body != test.body || !test.isChunked && got.length != int64(len(test.body)) {
					t.Errorf("%d bytes arrived with length %d, want %d", len(got.body), got.length, len(test.body))
				}
			})
		}
		transport.CloseIdleConnections()
	}
}

// S12: the Connection header of a caller can strip neither the marker nor the
// credential from the forwarded request, and no header of the caller's own
// connection is passed on.
func TestForwardingIsNotChangedByTheCaller(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	got := make(chan *http.Request, 1)
	bodies := make(chan string, 1)
	writer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies <- string(body)
		got <- r
		w.Header().Set("Via", "1.1 inside")
		w.Header().Set("Location", "http://"+r.Host+"/v1alpha1/admin/indexes/books")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{}`)
	}))
	defer writer.Close()
	front := forwarding(t, writer.URL)
	connection, _ := dial(t, front.URL)
	_, err := io.WriteString(connection, "PUT /v1alpha1/admin/indexes/b%6Foks?allowStaleDocuments=true HTTP/1.1\r\nHost: caller.example\r\n"+
		"Connection: close, X-Service-Forwarded, Authorization, Content-Type, Upgrade\r\nUpgrade: other\r\nTE: trailers\r\n"+
		"Via: 1.0 outside\r\nKeep-Alive: 5\r\nProxy-Authorization: Basic x\r\nX-Forwarded-Host: evil.example\r\nForwarded: host=evil.example\r\nX-Service-Await: token\r\n"+
		"Authorization: Bearer "+rootKey+"\r\nIf-Match: \"v\"\r\nContent-Length: 2\r\n\r\n{}")
	if err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(connection)
	if err != nil {
		t.Fatal(err)
	}
	text := string(answer)
	if !strings.HasPrefix(text, "HTTP/1.1 201 ") || !strings.Contains(text, "Location: http://caller.example/v1alpha1/admin/indexes/books\r\n") || strings.Contains(text, "Via:") {
		t.Errorf("answered %s", text)
	}
	request := <-got
	if request.Header.Get("X-Service-Forwarded") != "true" || request.Header.Get("Authorization") != "Bearer "+rootKey ||
		request.Header.Get("If-Match") != `"v"` || <-bodies != "{}" {
		t.Errorf("the writer got %v", request.Header)
	}
	if request.RequestURI != "/v1alpha1/admin/indexes/b%6Foks?allowStaleDocuments=true" || "http://"+request.Host != writer.URL {
		t.Errorf("the writer got %s of %s", request.RequestURI, request.Host)
	}
	for _, name := range []string{"Connection", "Upgrade", "Te", "Via", "Keep-Alive", "Proxy-Authorization", "X-Forwarded-Host", "Forwarded", "X-Service-Await"} {
		if value := request.Header.Get(name); value != "" {
			t.Errorf("%s: %s was passed on", name, value)
		}
	}
}

// S12: a redirect from the writer is passed to the caller, not followed.
func TestForwardingFollowsNoRedirect(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") }))
	defer elsewhere.Close()
	writer := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer writer.Close()
	front := forwarding(t, writer.URL)
	request, err := http.NewRequest("DELETE", front.URL+"/v1alpha1/admin/indexes/books", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+rootKey)
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil || answer.StatusCode != http.StatusTemporaryRedirect {
		t.Fatalf("%v, %v", answer, err)
	}
	answer.Body.Close()
}

// S13: whatever a forged table of leaders contains, a request goes only to its
// scheme http(s), host and port.
func TestForgedAddressesAreNotUsed(t *testing.T) {
	writer := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("reached by %s", r.RequestURI) }))
	defer writer.Close()
	host := strings.TrimPrefix(writer.URL, "http://")
	for _, address := range []string{
		"http://" + host + "/admin", "http://" + host + "/", "http://" + host + "?a=b", "http://" + host + "#f", "http://user:secret@" + host,
		"http://user@" + host, "//" + host, host, "ftp://" + host, "file:///etc/passwd", "gopher://" + host, "javascript:alert(1)",
		"http:" + host, "http://", "http://:80", "https://", "http://" + host + "\r\nX: y", " http://" + host, "unix:///run/node.sock", "http://%zz",
	} {
		front := forwarding(t, address)
		status, _, body := ask(t, "DELETE", front.URL+"/v1alpha1/admin/indexes/books", "", "Authorization", "Bearer "+rootKey,
			"X-Forwarded-Host", host, "X-Service-Node-Address", writer.URL)
		if status != 409 || code(t, body) != "indexer:unavailable" {
			t.Errorf("%q: %d %s", address, status, body)
		}
		front.Close()
	}
}

// S1: the writer repeats the check and rejects what another node wrongly let
// through. A request is forwarded only once.
func TestTheWriterChecksAgain(t *testing.T) {
	writer := deploy(t, auth.Options{RootKey: "another root key"})
	front := forwarding(t, writer.server.URL)
	at := front.URL + "/v1alpha1/admin/indexes/books"
	if status, header, body := ask(t, "PUT", at, small, "Authorization", "Bearer "+rootKey); status != 401 || code(t, body) != "auth:unauthenticated" ||
		header.Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("%d %s", status, body)
	}
	if writer.node.Has("books") {
		t.Error("the index was created")
	}
	if status, _, body := ask(t, "PUT", at, small, "Authorization", "Bearer "+rootKey, "X-Service-Forwarded", "true"); status != 409 ||
		code(t, body) != "indexer:unavailable" {
		t.Errorf("a second hop: %d %s", status, body)
	}
}

// successive is an Ownership that returns one address after the other; the last
// one stays.
type successive struct {
	heldBy
	addresses []string
	asked     *atomic.Int32
}

func (s successive) WriterAddress(context.Context, string, bool) (string, error) {
	return s.addresses[min(int(s.asked.Add(1))-1, len(s.addresses)-1)], nil
}

// F36: a node that refuses the connection received nothing of a request, which
// is then sent with its whole body to the next node that writes the index.
// Without such a node, the request fails after a while.
func TestARequestWaitsForTheNextWriter(t *testing.T) {
	quiet := slog.New(slog.DiscardHandler)
	authority, err := auth.Open(t.Context(), memory.New(nil), auth.Options{RootKey: rootKey}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	bodies := make(chan string, 1)
	writer := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies <- string(body)
		w.WriteHeader(http.StatusCreated)
	}))
	for _, c := range []struct {
		next   string
		status int
	}{{writer.URL, 201}, {gone.URL, 502}} {
		handler := New(Components{Authority: authority, Health: NewHealth(time.Second), Log: quiet,
			Ownership: successive{addresses: []string{gone.URL, gone.URL, c.next}, asked: new(atomic.Int32)}}, Options{})
		handler.servingCheck, handler.takeoverWait = time.Millisecond, 50*time.Millisecond
		if c.status == 201 {
			handler.takeoverWait = time.Minute
		}
		front := serve(t, handler)
		status, _, body := ask(t, "PUT", front.URL+"/v1alpha1/admin/indexes/books", small, "Authorization", "Bearer "+rootKey)
		if status != c.status || status == 502 && code(t, body) != "indexer:unreachable" {
			t.Errorf("answered %d %s", status, body)
		}
	}
	if got := <-bodies; got != small {
		t.Errorf("the writer got %q", got)
	}
}

// F11, F35: a stopped writer accepts connections and bodies and never responds.
// The request ends when the writer's session ends, or after a long silence if
// its state is unknown, whether its body has been sent completely or not.
func TestAWriterThatDoesNotAnswerIsGivenUp(t *testing.T) {
	t.Run("whose_session_is_over", func(t *testing.T) {
		writerDoesNotAnswer(t, func(address heldBy) Ownership { return stopped{address} }, longestSilence)
	})
	t.Run("of_which_nothing_is_known", func(t *testing.T) {
		writerDoesNotAnswer(t, func(address heldBy) Ownership { return address }, 10*time.Millisecond)
	})
}

func writerDoesNotAnswer(t *testing.T, ownership func(heldBy) Ownership, silence time.Duration) {
	t.Helper()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // the operating system accepts its connections
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	authority, err := auth.Open(t.Context(), memory.New(nil), auth.Options{RootKey: rootKey}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	handler := New(Components{Authority: authority, Ownership: ownership(heldBy("http://" + silent.Addr().String())),
		Health: NewHealth(time.Second), Log: slog.New(slog.DiscardHandler)}, Options{})
	handler.servingCheck, handler.longestSilence = time.Millisecond, silence
	front := serve(t, handler)
	endless, write := io.Pipe()
	defer write.Close()
	for name, body := range map[string]io.Reader{"none": nil, "whole": strings.NewReader("{}"), "large": strings.NewReader(strings.Repeat(" ", 64<<20)), "open": endless} {
		request, err := http.NewRequest("POST", front.URL+"/v1alpha1/indexes/books/documents", body)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+rootKey)
		request.Header.Set("Content-Type", "application/x-ndjson")
		answer, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		content, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != 502 || code(t, string(content)) != "indexer:unreachable" {
			t.Errorf("%s: %d %s", name, answer.StatusCode, content)
		}
	}
}

// once is an Ownership whose writer is no longer live; from the second request
// on, the node serves requests itself.
type once struct {
	stopped
	asked *atomic.Int32
}

func (o once) WriterAddress(ctx context.Context, name string, creates bool) (string, error) {
	if o.asked.Add(1) > 1 {
		return "", ctx.Err()
	}
	return o.stopped.WriterAddress(ctx, name, creates)
}

// I20, F45: a connection over which a request was forwarded to a stopped writer
// serves the next request, with and without a body.
func TestAConnectionServesOnAfterAWriterWasGivenUp(t *testing.T) {
	for _, c := range []struct{ method, path, body string }{
		{"DELETE", "/v1alpha1/indexes/books/documents/1", ""},
		{"POST", "/v1alpha1/admin/indexes/books/actions/commit", ""},
		{"PUT", "/v1alpha1/indexes/books/documents/1", "{}"},
	} {
		silent, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer silent.Close()
		writer := deploy(t, auth.Options{RootKey: rootKey})
		handler := New(Components{Node: writer.node, Authority: writer.authority, Health: NewHealth(time.Second), Log: slog.New(slog.DiscardHandler),
			Ownership: once{stopped{heldBy("http://" + silent.Addr().String())}, new(atomic.Int32)}}, Options{})
		handler.servingCheck = time.Millisecond
		front := serve(t, handler)
		client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
		ask := func(method, path, body string) int {
			request, err := http.NewRequest(method, front.URL+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			if body == "" {
				request.Body, request.ContentLength = nil, 0
			}
			request.Header.Set("Authorization", "Bearer "+rootKey)
			answer, err := client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
			return answer.StatusCode
		}
		if status := ask(c.method, c.path, c.body); status != 502 {
			t.Errorf("%s: %d", c.method, status)
		}
		if status := ask("PUT", "/v1alpha1/admin/indexes/books", small); status != 201 {
			t.Errorf("the request after %s: %d", c.method, status)
		}
		client.CloseIdleConnections()
	}
}

// S15, F35: a body above the limit gets the same refusal from the writer and
// from a forwarding node, with a declared length or not, also if the client
// sends all of it before it reads. A stream reports how far it was processed.
func TestABodyAboveTheBoundIsNotForwarded(t *testing.T) {
	options := Options{MaxBodySize: 1 << 20, MaxStreamBodySize: 2 << 20}
	writer := deploy(t, auth.Options{RootKey: rootKey})
	if status, _, body := ask(t, "PUT", writer.server.URL+"/v1alpha1/admin/indexes/books", small, "Authorization", "Bearer "+rootKey); status != 201 {
		t.Fatalf("%d %s", status, body)
	}
	bounded := serve(t, New(Components{Node: writer.node, Authority: writer.authority, Health: NewHealth(time.Second), Log: slog.New(slog.DiscardHandler)}, options))
	front := forwardingWith(t, bounded.URL, options)
	documents := `{"documents":[` + strings.Repeat(" ", 8<<20) + `]}`
	stream := strings.Repeat(`{"id":"1"}`+strings.Repeat(" ", 99)+"\n", 8<<20/110)
	for range 5 {
		for _, c := range []struct{ contentType, body string }{{"application/json", documents}, {ndjsonType, stream}} {
			for _, isChunked := range []bool{false, true} {
				want, _ := sendWhole(t, bounded.URL, c.contentType, c.body, isChunked)
				got, answer := sendWhole(t, front.URL, c.contentType, c.body, isChunked)
				if want == "" || got != want || !strings.HasPrefix(answer, "HTTP/1.1 413 ") || !strings.Contains(answer, "Connection: close\r\n") {
					t.Errorf("%s, chunked %t: %s, the writer says %q", c.contentType, isChunked, answer, want)
				}
			}
		}
	}
	// A declared length is limited even if the body is not read.
	for _, at := range []string{bounded.URL, front.URL} {
		status, _, body := ask(t, "POST", at+"/v1alpha1/admin/indexes/books/actions/commit", documents, "Authorization", "Bearer "+rootKey)
		if status != 413 {
			t.Errorf("a body that is not read: %d %s", status, body)
		}
	}
}

// F35: if the other node responds before it took the whole body, nothing reads
// the caller's connection any more after the response: the server reads the
// next request from it.
func TestAnEarlyAnswerEndsForwarding(t *testing.T) {
	writer, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	go func() {
		for {
			connection, err := writer.Accept()
			if err != nil {
				return
			}
			go answerEarly(connection)
		}
	}()
	front := forwarding(t, "http://"+writer.Addr().String())
	const request = "POST /v1alpha1/indexes/books/documents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + rootKey +
		"\r\nContent-Type: " + ndjsonType + "\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{}\n\r\n"
	for i := range 100 {
		connection, _ := dial(t, front.URL)
		answers := bufio.NewReader(connection)
		for range 3 {
			if _, err := io.WriteString(connection, request); err != nil {
				t.Fatal(err)
			}
			rest := make(chan error)
			go func() {
				for range i { // about the time of the response
					runtime.Gosched()
				}
				_, err := io.WriteString(connection, "3\r\n{}\n\r\n0\r\n\r\n")
				rest <- err
			}()
			answer, err := http.ReadResponse(answers, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := <-rest; err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != http.StatusConflict {
				t.Fatalf("%s, %v", answer.Status, err)
			}
			if answer.Close {
				break
			}
		}
		connection.Close()
	}
}

// answerEarly refuses a request after its first byte and reads the rest.
func answerEarly(connection net.Conn) {
	defer connection.Close()
	request, err := http.ReadRequest(bufio.NewReader(connection))
	if err != nil {
		return
	}
	_, _ = io.WriteString(connection, "HTTP/1.1 100 Continue\r\n\r\n")
	_, _ = request.Body.Read(make([]byte, 1))
	_, _ = io.WriteString(connection, "HTTP/1.1 409 Conflict\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}")
	_, _ = io.Copy(io.Discard, connection)
}

// sendWhole adds documents on a connection of its own, reads the response after
// sending the whole body, and returns the response body and the whole response.
func sendWhole(t *testing.T, at, contentType, body string, isChunked bool) (content, answer string) {
	t.Helper()
	connection, _ := dial(t, at)
	head := "POST /v1alpha1/indexes/books/documents HTTP/1.1\r\nHost: caller.example\r\nAuthorization: Bearer " + rootKey +
		"\r\nContent-Type: " + contentType + "\r\n"
	if isChunked {
		body = head + fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n", len(body)) + body + "\r\n0\r\n\r\n"
	} else {
		body = head + fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body)) + body
	}
	if _, err := io.WriteString(connection, body); err != nil {
		t.Errorf("send: %v", err)
	}
	whole, err := io.ReadAll(connection)
	if err != nil {
		t.Errorf("read: %v", err)
	}
	_, content, _ = strings.Cut(string(whole), "\r\n\r\n")
	return content, string(whole)
}

// F10: a request whose connection breaks before the response is not sent again,
// whatever headers the caller sends.
func TestAForwardedRequestIsSentOnce(t *testing.T) {
	var served atomic.Int32
	writer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if served.Add(1)%2 == 0 {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	defer writer.Close()
	front := forwarding(t, writer.URL)
	for i := range int32(10) { // every other one on a reused connection
		status, _, body := ask(t, "DELETE", front.URL+"/v1alpha1/admin/indexes/books", "", "Authorization", "Bearer "+rootKey,
			"Idempotency-Key", "a", "X-Idempotency-Key", "a")
		if got := served.Load(); got != i+1 {
			t.Fatalf("request %d was sent %d times", i, got-i)
		}
		if i%2 == 1 && (status != 502 || code(t, body) != "indexer:unreachable") || i%2 == 0 && status != 204 {
			t.Errorf("request %d: %d %s", i, status, body)
		}
	}
}

// I20: a stopping node may close a pooled connection at the moment it is used.
// An idempotent request is sent again on a new connection, unless it was
// already sent on a new one.
func TestARepeatableRequestIsSentAgain(t *testing.T) {
	for _, test := range []struct {
		method, path string
		isRepeated   bool
	}{
		{"DELETE", "/v1alpha1/indexes/books/documents/1", true},
		{"POST", "/v1alpha1/admin/indexes/books/actions/commit", true},
		{"POST", "/v1alpha1/admin/indexes/books@2/actions/promote", false},
		{"DELETE", "/v1alpha1/admin/indexes/books", false},
	} {
		t.Run(test.method+test.path, func(t *testing.T) {
			var mu sync.Mutex
			seen := make(map[string]int) // number of requests by connection
			all, isGone := 0, false
			writer := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				all++
				if seen[r.RemoteAddr]++; seen[r.RemoteAddr] == 2 || isGone {
					panic(http.ErrAbortHandler)
				}
				if r.Header["Idempotency-Key"] != nil {
					t.Errorf("the writer is sent %v", r.Header)
				}
				w.WriteHeader(http.StatusNoContent)
			}))
			front := forwarding(t, writer.URL)
			send := func() int {
				status, _, _ := ask(t, test.method, front.URL+test.path, "", "Authorization", "Bearer "+rootKey)
				return status
			}
			if status := send(); status != 204 {
				t.Fatalf("the first request: %d", status)
			}
			status, want, sent := send(), 502, 2
			if test.isRepeated {
				want, sent = 204, 3
			}
			mu.Lock()
			if status != want || all != sent {
				t.Errorf("on a connection that is closed: %d, sent %d times", status, all-1)
			}
			isGone, all = true, 0
			mu.Unlock()
			status = send()
			mu.Lock()
			defer mu.Unlock()
			if status != 502 || all > sent-1 {
				t.Errorf("by a writer that closes every connection: %d, sent %d times", status, all)
			}
		})
	}
}

// F10, F36: a stopping node may close a pooled connection at the moment it is
// used. If it had not asked for the body, the request goes to the next writer;
// if it had, the request is not sent again.
func TestARequestWhoseBodyWasNotTakenIsSentAgain(t *testing.T) {
	for _, isTaken := range []bool{false, true} {
		t.Run(fmt.Sprint("taken_", isTaken), func(t *testing.T) {
			var connections, bodies atomic.Int32
			writer := serveConnections(t, func(connection net.Conn) {
				defer connection.Close()
				isFirst := connections.Add(1) == 1
				in := bufio.NewReader(connection)
				for requests := 1; ; requests++ {
					request, err := http.ReadRequest(in)
					if err != nil || requests == 2 && isFirst && !isTaken {
						return
					}
					if request.Header.Get("Expect") != "100-continue" {
						t.Errorf("expects %q", request.Header.Get("Expect"))
					}
					_, _ = io.WriteString(connection, "HTTP/1.1 100 Continue\r\n\r\n")
					if body, err := io.ReadAll(request.Body); err != nil || string(body) != small {
						t.Errorf("%q %v", body, err)
					}
					bodies.Add(1)
					if requests == 2 && isFirst {
						return
					}
					_, _ = io.WriteString(connection, "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
				}
			})
			front := forwarding(t, writer)
			for i := range 2 {
				status, _, body := ask(t, "PUT", front.URL+"/v1alpha1/admin/indexes/books", small, "Authorization", "Bearer "+rootKey)
				want := 201
				if isTaken && i == 1 {
					want = 502
				}
				if status != want || status == 502 && code(t, body) != "indexer:unreachable" {
					t.Errorf("request %d: %d %s", i, status, body)
				}
			}
			if got := bodies.Load(); got != 2 {
				t.Errorf("%d bodies were taken", got)
			}
		})
	}
}

// serveConnections calls serve with every connection, one after the other, and
// returns the address of the listener.
func serveConnections(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	ended := make(chan struct{})
	serving.Go(func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { <-ended; connection.Close() })
			serve(connection)
		}
	})
	t.Cleanup(func() { listener.Close(); close(ended); serving.Wait() })
	return "http://" + listener.Addr().String()
}
