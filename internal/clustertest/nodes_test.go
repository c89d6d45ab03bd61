//go:build unix

package clustertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"syscall"
	"testing"
)

// written is the answer to a write.
type written struct {
	Freshness string `json:"freshness"`
}

// must sends a write through a node until it is acknowledged, as a client that is
// told to retry does, and returns the token.
func (p *program) must(method, path, body string) string {
	p.t.Helper()
	var w written
	p.await(method+" "+path, func() (bool, string) {
		status, answer := p.call(method, path, body)
		_ = json.Unmarshal(answer, &w)
		return status == http.StatusOK || status == http.StatusCreated, fmt.Sprintf("%d %s", status, answer)
	})
	return w.Freshness
}

func (p *program) put(id string, v int) string {
	return p.must("POST", "/indexes/books/documents", fmt.Sprintf(`{"documents":[{"id":%q,"v":%d}]}`, id, v))
}

// total returns how many documents a search at the state of a token finds.
func (p *program) total(token string) int {
	p.t.Helper()
	body := `{"limit":0,"total":"exact"}`
	if token != "" {
		body = fmt.Sprintf(`{"limit":0,"total":"exact","freshness":{"atLeast":%q}}`, token)
	}
	var found struct {
		Total struct{ Count int } `json:"total"`
	}
	p.await("search", func() (bool, string) {
		status, answer := p.call("POST", "/indexes/books/search", body)
		return status == http.StatusOK && json.Unmarshal(answer, &found) == nil, fmt.Sprintf("%d %s", status, answer)
	})
	return found.Total.Count
}

func (p *program) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// name returns the identity of the node.
func (p *program) name() string { return fmt.Sprintf("node-%d", p.port) }

// holder returns the node that writes books, as p knows it.
func (p *program) holder() string {
	status, answer := p.call("GET", "/admin/indexers", "")
	var table struct {
		Claims []struct{ Index, Node string }
	}
	if status != http.StatusOK || json.Unmarshal(answer, &table) != nil {
		return ""
	}
	for _, claim := range table.Claims {
		if claim.Index == "books" {
			return claim.Node
		}
	}
	return ""
}

// Two processes share a bucket: writes are forwarded to the process that holds the
// index, reads with tokens work on both, and the index continues on the other
// process when one is killed, comes back with an empty disk, or leaves in an
// orderly way.
func TestTwoProcessesShareABucket(t *testing.T) {
	a := newProgram(t)
	a.start()
	b := nextProgram(t, a)
	b.start()
	a.must("PUT", "/admin/indexes/books", definition[0])
	count := 0
	write := func(by *program) string {
		t.Helper()
		count++
		return by.put(fmt.Sprint(count), count)
	}
	shows := func(by *program, token string) {
		t.Helper()
		if got := by.total(token); got != count {
			t.Errorf("%d documents, want %d", got, count)
		}
	}
	shows(b, write(a))
	shows(a, write(b)) // forwarded

	a.signal(syscall.SIGKILL)
	_ = a.cmd.Wait()
	shows(b, write(b)) // taken over
	if err := os.RemoveAll(a.disk); err != nil {
		t.Fatal(err)
	}
	a.start() // with an empty disk
	shows(a, write(a))

	// The process that holds the index leaves; SIGTERM loses nothing and frees it.
	leaving, staying := a, b
	if b.holder() == b.name() {
		leaving, staying = b, a
	}
	token := write(leaving)
	leaving.signal(syscall.SIGTERM)
	if err := leaving.cmd.Wait(); err != nil {
		t.Errorf("SIGTERM: %v\n%s", err, leaving.output.String())
	}
	shows(staying, token)
	shows(staying, write(staying))
	if holder := staying.holder(); holder != staying.name() {
		t.Errorf("the index is held by %q", holder)
	}
}

// F11: a process that is stopped for several leases while it writes, and then
// continues, acknowledges nothing that the other process does not know.
func TestAStoppedProcessAcknowledgesNothing(t *testing.T) {
	a := newProgram(t)
	a.start()
	a.must("PUT", "/admin/indexes/books", definition[0])
	a.put("first", 1)
	b := nextProgram(t, a)
	b.start()
	type outcome struct {
		id     string
		status int
	}
	answers := make(chan outcome, 64)
	send := func(number int) {
		id := fmt.Sprintf("s%d", number)
		status, _ := a.call("POST", "/indexes/books/documents", fmt.Sprintf(`{"documents":[{"id":%q,"v":%d}]}`, id, number))
		answers <- outcome{id, status}
	}
	for i := range 16 { // some are in the middle of an append when it stops
		go send(i)
	}
	a.signal(syscall.SIGSTOP)
	b.await("the index of a stopped process is taken over", func() (bool, string) {
		holder := b.holder()
		return holder == b.name(), holder
	})
	b.put("other", 1)
	for i := range 16 {
		go send(16 + i)
	}
	a.signal(syscall.SIGCONT)
	acknowledged := map[string]bool{"first": true, "other": true}
	sent := map[string]bool{"first": true, "other": true, "last": true}
	for range 32 {
		o := <-answers
		sent[o.id] = true
		if o.status == http.StatusOK {
			acknowledged[o.id] = true
		}
	}
	token := b.put("last", 1)
	acknowledged["last"] = true
	for _, p := range []*program{a, b} {
		p.total(token)
		for id := range acknowledged {
			if status, body := p.call("GET", "/indexes/books/documents/"+id, ""); status != http.StatusOK {
				t.Errorf("%s was acknowledged and is not there: %d %s", id, status, body)
			}
		}
		if got := p.total(token); got < len(acknowledged) || got > len(sent) {
			t.Errorf("%d documents, %d were acknowledged and %d sent", got, len(acknowledged), len(sent))
		}
	}
}
