//go:build unix

package clustertest

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

var (
	restarts = flag.Int("restarts", 3, "how often a node of three is stopped and started again under load")
	tries    = flag.Int("tries", 30, "how often a request is sent before it counts as failed")
)

// balanced is a client of several nodes. Like a load balancer, it retries a failed
// request on the next node, after the pause that the answer asks for, or a second.
// It skips a node that takes no connection, because that node got nothing.
type balanced struct {
	nodes   []*program
	turn    int
	token   string
	retried []error // why requests were sent again
}

// send sends a request until it is answered, at most as often as a client tries.
func (b *balanced) send(method, path, body string) error {
	pause, err := b.try(method, path, body)
	for again := 1; err != nil && again < *tries; again++ {
		b.retried = append(b.retried, err)
		time.Sleep(pause)
		pause, err = b.try(method, path, body)
	}
	return err
}

// try sends a request to the next node. With an error it returns how long the
// answer asks to wait.
func (b *balanced) try(method, path, body string) (time.Duration, error) {
	var (
		answer *http.Response
		node   *program
		err    error
	)
	for range b.nodes {
		node = b.nodes[b.turn%len(b.nodes)]
		b.turn++
		var failed *net.OpError
		if answer, err = b.ask(node, method, path, body); !errors.As(err, &failed) || failed.Op != "dial" {
			break
		}
	}
	if err != nil {
		return time.Second, err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		return time.Second, err
	}
	if answer.StatusCode/100 != 2 {
		seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
		return time.Duration(seconds) * time.Second, fmt.Errorf("%s %s by %s: %d %s", method, path, node.name(), answer.StatusCode, content)
	}
	if token := answer.Header.Get("X-Service-Freshness"); token != "" {
		b.token = token
	}
	return 0, nil
}

func (b *balanced) ask(node *program, method, path, body string) (*http.Response, error) {
	request, err := http.NewRequest(method, fmt.Sprintf("http://127.0.0.1:%d/v1alpha1%s", node.port, path), bytes.NewReader([]byte(body)))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Service-Freshness", b.token)
	return (&http.Client{Timeout: time.Minute}).Do(request)
}

// F36: nodes of a deployment are stopped and started again in turn. Clients that
// retry failed requests notice nothing. One retry is enough on a machine that is
// not overloaded, which the campaign requires.
func TestRollingRestartsFailNoRequest(t *testing.T) {
	first := newProgram(t)
	nodes := []*program{first, nextProgram(t, first), nextProgram(t, first)}
	for _, p := range nodes {
		p.start()
	}
	first.must("PUT", "/admin/indexes/books", definition[0])
	token := first.put("0-0", 0)
	for _, p := range nodes {
		p.total(token) // every node knows the index
	}

	var (
		over     atomic.Bool
		writes   [4]int
		retried  [len(writes)][]error
		requests atomic.Int64
		working  sync.WaitGroup
	)
	for number := range writes {
		working.Go(func() {
			b := &balanced{nodes: nodes, turn: number}
			for !over.Load() {
				id, v := fmt.Sprintf("%d-%d", number, writes[number]), writes[number]
				for _, r := range [][3]string{
					{"PUT", "/indexes/books/documents/" + id, fmt.Sprintf(`{"id":%q,"v":%d}`, id, v)},
					{"GET", "/indexes/books/documents/" + id, ""},
					{"PATCH", "/indexes/books/documents/" + id, fmt.Sprintf(`{"v":%d}`, v+1)},
					{"POST", "/indexes/books/search", `{"limit":1}`},
				} {
					if err := b.send(r[0], r[1], r[2]); err != nil {
						t.Errorf("client %d: %v", number, err)
						over.Store(true)
						return
					}
					requests.Add(1)
				}
				writes[number]++
			}
			retried[number] = b.retried
		})
	}
	done := 0
	for ; done < *restarts && !over.Load(); done++ {
		p := nodes[done%len(nodes)]
		p.signal(syscall.SIGTERM)
		if err := p.cmd.Wait(); err != nil {
			t.Errorf("SIGTERM: %v\n%s", err, p.output.String())
			break
		}
		p.start()
	}
	over.Store(true)
	working.Wait()
	all := 0
	for _, count := range writes {
		all += count
	}
	token = nodes[0].put("last", 1)
	if got := nodes[1].total(token); !t.Failed() && got < all+1 {
		t.Errorf("%d documents, %d were acknowledged", got, all)
	}
	again := slices.Concat(retried[:]...)
	for _, why := range again {
		t.Logf("sent again: %v", why)
	}
	t.Logf("%d restarts: %d requests, %d sent again, none failed %d times", done, requests.Load(), len(again), *tries)
}
