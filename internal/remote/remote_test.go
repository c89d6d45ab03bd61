package remote

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// serve answers with the statuses one after the other, then repeats the last; 0
// cuts the connection.
func serve(t *testing.T, statuses ...int) (*Node, *atomic.Int32) {
	t.Helper()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		status := statuses[min(int(asked.Add(1))-1, len(statuses)-1)]
		if status == 0 {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(status)
		if status == http.StatusConflict {
			_, _ = w.Write([]byte(`{"code":"indexer:unavailable","message":"No node writes the index.","errors":[]}`))
		}
	}))
	t.Cleanup(server.Close)
	node, err := New(server.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	return node, &asked
}

// L2 of package load: a request that may have an effect each time is repeated only
// if the node cannot have read it.
func TestRepetition(t *testing.T) {
	for _, c := range []struct {
		statuses []int
		once     bool
		asked    int32
		fails    bool
	}{
		{[]int{200}, false, 1, false},
		{[]int{503, 0, 200}, false, 3, false},
		{[]int{409, 200}, false, 2, false},
		{[]int{409, 200}, true, 2, false},
		{[]int{429, 200}, true, 2, false},
		{[]int{400}, false, 1, true},
		{[]int{404}, true, 1, true},
		{[]int{503, 200}, true, 1, true},
		{[]int{0, 200}, true, 1, true},
	} {
		node, asked := serve(t, c.statuses...)
		err := node.Do(context.Background(), Request{Method: "POST", Path: "/x", Body: []byte("{}"), Once: c.once}, nil)
		if (err != nil) != c.fails || asked.Load() != c.asked {
			t.Errorf("%v once %v: asked %d times, %v", c.statuses, c.once, asked.Load(), err)
		}
		if lost := c.statuses[0] == 0 && c.once; lost != errors.Is(err, ErrLost) {
			t.Errorf("%v once %v: %v", c.statuses, c.once, err)
		}
	}
}

func TestPatienceEnds(t *testing.T) {
	node, asked := serve(t, 503)
	node.Patience = 0
	var refusal *Refusal
	if err := node.Do(context.Background(), Request{Method: "GET", Path: "/x"}, nil); !errors.As(err, &refusal) || refusal.Status != 503 || asked.Load() != 1 {
		t.Errorf("%v after %d", err, asked.Load())
	}
	away, err := New("127.0.0.1:1", "")
	if err != nil {
		t.Fatal(err)
	}
	away.Patience = 0
	if err := away.Do(context.Background(), Request{Method: "GET", Path: "/x"}, nil); !IsAway(err) {
		t.Error(err)
	}
}

func TestAddresses(t *testing.T) {
	for address, want := range map[string]string{"localhost:8080": "http://localhost:8080", "https://x/": "https://x", "ftp://x": "", "http://": ""} {
		node, err := New(address, "")
		if (err == nil) != (want != "") || err == nil && node.URL != want {
			t.Errorf("%s: %v %v", address, node, err)
		}
	}
}

// What is not from a node, such as a page of another program on the port, is named as such.
func TestAnswersOfOtherPrograms(t *testing.T) {
	const help = " This is not the answer of a node: check the address, and what else listens there."
	for content, want := range map[string]string{
		"<!DOCTYPE html>\n<h1>Not found</h1>":                       "404 Not Found." + help,
		"no route\nfor this":                                        "404 Not Found no route." + help,
		`{"message":"The index is not there.","help":"Create it."}`: "The index is not there. Create it.",
	} {
		if got := readRefusal(http.StatusNotFound, []byte(content)).Error(); got != want {
			t.Errorf("%s: %s", content, got)
		}
	}
}
