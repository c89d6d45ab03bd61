package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/log"
	"github.com/quiresearch/quire/internal/vfs"
)

// distantLog delays every append and counts them.
type distantLog struct {
	Log
	takes   time.Duration
	appends int
}

func (l *distantLog) Append(lsn uint64, payload []byte) error {
	<-time.After(l.takes)
	l.appends++
	return l.Log.Append(lsn, payload)
}

// distant opens a generation whose log takes the given time for an append.
func distant(t *testing.T, takes time.Duration) (*Generation, *distantLog) {
	fs := vfs.Memory()
	create(t, fs, books)
	files, err := log.Open(fs, "g/log")
	if err != nil {
		t.Fatal(err)
	}
	l := &distantLog{Log: files, takes: takes}
	g, err := Open(t.Context(), Storage{FS: fs, Directory: "g", Log: l}, manual)
	if err != nil {
		t.Fatal(err)
	}
	return g, l
}

// Clients that write again as soon as they are answered share every append to a
// slow log: a write takes little more than one append.
func TestClientsShareTheAppendsOfADistantLog(t *testing.T) {
	compressOutside(t)
	for _, clients := range []int{1, 2, 16} {
		t.Run(fmt.Sprint(clients), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const each, takes = 20, 50 * time.Millisecond
				g, l := distant(t, takes)
				defer g.Close(t.Context())
				began := time.Now()
				var all sync.WaitGroup
				for client := range clients {
					all.Go(func() {
						for i := range each {
							<-time.After(time.Duration(client%4) * time.Millisecond) // what an answer and a request take
							mustAdd(t, g, fmt.Sprintf(`{"id":"%d-%d"}`, client, i))
						}
					})
				}
				all.Wait()
				most := (each + 3) * (takes + 4*time.Millisecond)
				if clients == 1 {
					most = each * takes // one client waits for no other
				}
				if took := time.Since(began); took > most {
					t.Errorf("%d writes of %d clients took %s in %d appends", each*clients, clients, took, l.appends)
				}
				if l.appends > each+3 {
					t.Errorf("%d appends for %d writes of each of %d clients", l.appends, each, clients)
				}
			})
		})
	}
}

// Slow clients do not prevent fast ones from sharing appends.
func TestSlowClientsKeepNobodyApart(t *testing.T) {
	compressOutside(t)
	for _, slow := range []int{1, 4} {
		t.Run(fmt.Sprint(slow), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const each, takes = 40, 50 * time.Millisecond
				g, _ := distant(t, takes)
				defer g.Close(t.Context())
				began := time.Now()
				fast, stop := sync.WaitGroup{}, make(chan struct{})
				var all sync.WaitGroup
				for client := range slow { // they write first
					all.Go(func() {
						for i := 0; ; i++ {
							mustAdd(t, g, fmt.Sprintf(`{"id":"s%d-%d"}`, client, i))
							select {
							case <-stop:
								return
							case <-time.After(takes / 2):
							}
						}
					})
				}
				for client := range 16 {
					fast.Go(func() {
						for i := range each {
							<-time.After(time.Duration(1+client%4) * time.Millisecond)
							mustAdd(t, g, fmt.Sprintf(`{"id":"%d-%d"}`, client, i))
						}
					})
				}
				fast.Wait()
				took := time.Since(began)
				close(stop)
				all.Wait()
				if most := each * takes * 3 / 2; took > most { // if they did not share appends it would take twice as long
					t.Errorf("%d writes of each client took %s", each, took)
				}
			})
		})
	}
}

// The log does not wait again and again for clients that do not come back, nor for
// a stream that goes on.
func TestNobodyIsWaitedForInVain(t *testing.T) {
	compressOutside(t)
	synctest.Test(t, func(t *testing.T) {
		const takes = 50 * time.Millisecond
		g, l := distant(t, takes)
		defer g.Close(t.Context())
		began := time.Now()
		var all sync.WaitGroup
		for client := range 200 { // one every ten milliseconds
			<-time.After(10 * time.Millisecond)
			all.Go(func() { mustAdd(t, g, fmt.Sprintf(`{"id":"%d"}`, client)) })
		}
		all.Wait()
		if least := int(time.Since(began)/takes) * 9 / 10; l.appends < least {
			t.Errorf("%d appends in %s", l.appends, time.Since(began))
		}

		began, before := time.Now(), l.appends
		s := g.WriteStream()
		for i := range 200 {
			<-time.After(10 * time.Millisecond)
			if err := add(s, fmt.Sprintf(`{"id":"s%d"}`, i)); err != nil {
				t.Fatal(err)
			}
		}
		mustWait(t, s)
		if appends := l.appends - before; appends < int(time.Since(began)/takes)-2 {
			t.Errorf("%d appends of one stream in %s", appends, time.Since(began))
		}
	})
}

// A generation that fails while a batch waits for others is closed at once.
func TestAFailureEndsWaitingForOthers(t *testing.T) {
	compressOutside(t)
	synctest.Test(t, func(t *testing.T) {
		g, _ := distant(t, 50*time.Millisecond)
		all := g.WriteStream()
		other := g.WriteStream()
		if err := errors.Join(add(all, `{"id":"a"}`), add(other, `{"id":"b"}`), add(all, `{"id":"c"}`)); err != nil {
			t.Fatal(err)
		}
		mustWait(t, all)
		mustWait(t, other)
		if err := add(g.WriteStream(), `{"id":"d"}`); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if g.queue.gatherFor() == 0 {
			t.Fatal("waits for nobody")
		}
		began := time.Now()
		g.fail(errors.New("a fault"))
		g.Close(t.Context())
		if took := time.Since(began); took != 0 {
			t.Errorf("closed after %s", took)
		}
	})
}

// A batch stops waiting for others when the queue ends, has enough, or is full.
func TestWaitingForOthersEnds(t *testing.T) {
	compressOutside(t)
	synctest.Test(t, func(t *testing.T) {
		var streams []*WriteStream
		push := func(q *queue, s *WriteStream) {
			if err := q.push(&operation{Operation: log.Operation{Kind: log.Delete, Key: "a"}, stream: s}); err != nil {
				t.Fatal(err)
			}
		}
		// answered returns a queue that answered all streams, one of which is back.
		answered := func(takes time.Duration) *queue {
			q := newQueue(1<<20, func() {})
			streams = []*WriteStream{{}, {}, {}}
			for _, s := range streams {
				push(q, s)
			}
			batch := q.take()
			<-time.After(takes)
			q.done(batch)
			push(q, streams[0])
			return q
		}
		if q := answered(time.Millisecond); q.gatherFor() != 0 {
			t.Error("waits for others behind a quick append")
		}
		q := answered(40 * time.Millisecond)
		if long := q.gatherFor(); long != 10*time.Millisecond {
			t.Errorf("waits for %s", long)
		}
		push(q, streams[0])
		if q.gatherFor() == 0 {
			t.Error("one stream counts twice")
		}
		push(q, streams[1])
		push(q, streams[2])
		if q.gatherFor() != 0 {
			t.Error("waits though all are back")
		}
		q = answered(time.Minute)
		if long := q.gatherFor(); long != gatherMost {
			t.Errorf("waits for %s", long)
		}
		<-time.After(gatherMost)
		if q.gatherFor() != 0 {
			t.Error("waits longer than it says")
		}
		q = answered(40 * time.Millisecond)
		q.end(context.Canceled)
		if q.gatherFor() != 0 {
			t.Error("waits at the end")
		}
		q = answered(40 * time.Millisecond)
		q.limit = 1
		push(q, streams[0])
		if q.gatherFor() != 0 {
			t.Error("waits though nothing more is taken")
		}
		q = answered(40 * time.Millisecond)
		for range maxBatchOperations {
			push(q, streams[0])
		}
		if q.gatherFor() != 0 {
			t.Error("waits though a batch has as many operations as it takes")
		}
		q = answered(40 * time.Millisecond)
		q.limit = 1 << 30
		if err := q.push(&operation{Operation: log.Operation{Kind: log.Add, Body: make([]byte, maxBatchBytes)}, stream: streams[0]}); err != nil {
			t.Fatal(err)
		}
		if q.gatherFor() != 0 {
			t.Error("waits though a batch has as many bytes as it takes")
		}
		q = answered(40 * time.Millisecond)
		push(q, &WriteStream{inside: true})
		if q.gatherFor() != 0 {
			t.Error("waits for those that stand before the gate")
		}
		q = answered(40 * time.Millisecond)
		ended, end := context.WithCancel(t.Context())
		end()
		if err := q.drain(ended); err == nil || q.gatherFor() != 0 {
			t.Error("waits though all is to be written")
		}
	})
}
