package campaign

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// load is a set of owners that write to one index.
type load struct {
	t         *testing.T
	index     string
	directory string
	settings  []string
	owners    []*owner
	random    *rand.Rand
	isOver    atomic.Bool // the node was told to stop
	stepped   func()      // called after every step; nil: steps are not counted
	checked   int         // directories that the checker found clean
	verified  int         // documents compared with what was acknowledged

	node *process
	call *caller
}

// newLoad starts a node on a new directory, creates the index and fills it.
func newLoad(t *testing.T, keys int, settings ...string) *load {
	t.Helper()
	from := *seed
	if from == 0 {
		from = uint64(time.Now().UnixNano())
	}
	t.Logf("-seed %d", from)
	l := &load{t: t, index: "x", directory: t.TempDir(), settings: settings, random: rand.New(rand.NewPCG(from, 99))}
	l.start()
	l.call.must(t, "PUT", "/admin/indexes/x", definition)
	for number := range *clients {
		o := newOwner(l.index, number, keys / *clients, from)
		o.stopping = l.isOver.Load
		l.owners = append(l.owners, o)
	}
	l.each(func(o *owner) error { return o.fill(l.call) })
	return l
}

func (l *load) start() {
	l.t.Helper()
	l.isOver.Store(false)
	l.node = start(l.t, l.directory, l.settings...)
	l.call = newCaller(l.node)
}

// each calls do for every owner concurrently. An answer that breaks a promise fails
// the test; an owner without an answer ends.
func (l *load) each(do func(*owner) error) {
	l.t.Helper()
	var group sync.WaitGroup
	failures := make(chan error, len(l.owners))
	for _, o := range l.owners {
		group.Go(func() { failures <- do(o) })
	}
	group.Wait()
	close(failures)
	for err := range failures {
		var promise broken
		switch {
		case err == nil:
		case errors.As(err, &promise):
			l.t.Fatalf("%v\n%s", err, tail(l.node.output.String()))
		case !l.isOver.Load():
			l.t.Fatalf("no answer: %v\n%s", err, tail(l.node.output.String()))
		}
	}
}

func tail(text string) string { return text[max(0, len(text)-6000):] }

// while lets the owners work as long as during runs.
func (l *load) while(during func()) {
	l.t.Helper()
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer stop.Store(true)
		during()
	}()
	l.each(func(o *owner) error {
		for !stop.Load() {
			if err := o.step(l.call); err != nil {
				return err
			}
			if l.stepped != nil {
				l.stepped()
			}
		}
		return nil
	})
	<-done
	if l.t.Failed() {
		l.t.FailNow()
	}
}

// after calls then under load, once the owners have done that many steps.
func (l *load) after(steps int, then func()) {
	l.t.Helper()
	reached := make(chan struct{})
	left := int64(steps) + 1
	l.stepped = func() {
		if atomic.AddInt64(&left, -1) == 0 {
			close(reached)
		}
	}
	defer func() { l.stepped = nil }()
	l.while(func() {
		<-reached
		then()
	})
}

// kill ends the node at once.
func (l *load) kill() {
	l.isOver.Store(true)
	l.node.kill()
}

// restart starts the node again on the files it left and verifies everything.
func (l *load) restart() {
	l.t.Helper()
	l.node.sound(l.t)
	l.call.http.CloseIdleConnections()
	check(l.t, l.directory)
	l.checked++
	l.start()
	l.verify()
}

// verify compares every document with what its owner knows. Tokens given before
// must be honoured, and doubts are settled.
func (l *load) verify() {
	l.t.Helper()
	l.each(func(o *owner) error {
		if o.token == "" {
			return nil
		}
		return o.read(l.call, o.keys[o.random.IntN(len(o.keys))], true)
	})
	token := l.call.must(l.t, "POST", "/admin/indexes/"+l.index+"/actions/commit", "").token()
	found := l.call.list(l.t, l.index, token)
	l.compare(found)
	for _, o := range l.owners {
		for _, k := range o.keys {
			k.settle(k.find(o.name, k.acked, found[k.id]))
		}
	}
}

// compare fails when a document is older than what was acknowledged, was never
// sent, or has no owner.
func (l *load) compare(found map[string]json.RawMessage) {
	l.t.Helper()
	known := 0
	for _, o := range l.owners {
		for _, k := range o.keys {
			if k.find(o.name, k.acked, found[k.id]) < 0 {
				l.t.Fatalf("%s is %s, states %+v, acknowledged %d\n%s", k.id, found[k.id], k.states, k.acked, tail(l.node.output.String()))
			}
			l.verified++
			if found[k.id] != nil {
				known++
			}
		}
	}
	if known != len(found) {
		l.t.Fatalf("%d documents, %d are of owners", len(found), known)
	}
}

// verdict describes what the load went through. A test that gets here has lost
// nothing: compare and the checker end it at the first wrong document or file.
func (l *load) verdict() string {
	writes, reads := l.figures()
	return fmt.Sprintf("%d writes acknowledged, 0 lost (%d keys compared, %d reads checked); checker clean after %d of %d stops",
		writes, l.verified, reads, l.checked, l.checked)
}

func (l *load) figures() (writes, reads int) {
	for _, o := range l.owners {
		writes += o.writes
		reads += o.reads
	}
	return writes, reads
}
