package server

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

func TestRequestsThatCannotBeReadAreAnsweredInTheFormOfTheInterface(t *testing.T) {
	base, stop := start(t, load(t, "SERVICE_STORAGE_LOCAL_DIRECTORY="+t.TempDir()))
	for name, request := range map[string]string{
		"no request":      "GARBAGE\r\n\r\n",
		"bad escape":      "GET /v1alpha1/admin/indexes/%zz HTTP/1.1\r\nHost: a\r\n\r\n",
		"no host":         "GET /q/health HTTP/1.1\r\n\r\n",
		"large header":    "GET /q/health HTTP/1.1\r\nHost: a\r\nX-A: " + strings.Repeat("a", 64<<10) + "\r\n\r\n",
		"expectation":     "GET /q/health HTTP/1.1\r\nHost: a\r\nExpect: a miracle\r\n\r\n",
		"folded header":   "GET /q/health HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer\r\n abc\r\n\r\n",
		"folded by a tab": "GET /q/health HTTP/1.1\r\nHost: a\r\nX-A: b\n\tc\r\n\r\n",
		"unknown version": "GET /q/health HTTP/9.9\r\nHost: a\r\n\r\n",
	} {
		connection, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(connection, request); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		answer, err := http.ReadResponse(bufio.NewReader(connection), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var body struct {
			Code   string
			Errors []struct{ Code string }
		}
		if err := json.NewDecoder(answer.Body).Decode(&body); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		answer.Body.Close()
		connection.Close()
		if answer.StatusCode != 400 || answer.Header.Get("Content-Type") != "application/json" ||
			body.Code != "request:refused" || len(body.Errors) != 1 || body.Errors[0].Code != "request:refused" {
			t.Errorf("%s: %d %s %+v", name, answer.StatusCode, answer.Header.Get("Content-Type"), body)
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// A folded header is found anywhere on a connection and however it is split into
// reads; bodies and other protocols are left as they are.
func TestFoldedHeadersAreFound(t *testing.T) {
	const plain = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
	const posted = "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n\n a\n "
	for sent, want := range map[string]string{
		plain:  plain,
		posted: posted,
		plain + "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n": plain + "GET / HTTP/1.1\r\nA: b\r\n:c\r\n\r\n",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\n\n ":        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\n\n ",
	} {
		for size := 1; size <= len(sent); size++ {
			var c foldCheck
			got := []byte(sent)
			for at := 0; at < len(got); at += size {
				c.check(got[at:min(at+size, len(got))])
			}
			if string(got) != want {
				t.Fatalf("%q in reads of %d: %q", sent, size, got)
			}
		}
	}
	var c foldCheck
	c.check([]byte(posted))
	c.begin()
	next := []byte("GET / HTTP/1.1\r\nA: b\r\n\tc\r\n\r\n")
	if c.check(next); !strings.Contains(string(next), "\n:c") {
		t.Errorf("after a body: %q", next)
	}
}

func TestOnlyAnswersOfTheServerItselfAreReplaced(t *testing.T) {
	for _, answer := range []string{
		"", "HTTP/1.1 400 Bad Request", "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\n\r\n{}",
		"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nDate: now\r\nConnection: close\r\n\r\n",
		"x\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n",
	} {
		if reason, ok := refusal([]byte(answer)); ok {
			t.Errorf("%q is taken for a refusal: %s", answer, reason)
		}
	}
}
