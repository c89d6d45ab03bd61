package engine

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/log"
	"github.com/quiresearch/quire/internal/vfs"
)

// distantLog takes its time for an append and counts them.
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

// distant opens a generation whose log takes so long for an append.
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

// Clients that write again as soon as they are answered share every append of a
// log that takes long: a write takes little more than one.
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
				if took := time.Since(began); took > (each+3)*(takes+gatherMost/4) {
					t.Errorf("%d writes of %d clients took %s in %d appends", each*clients, clients, took, l.appends)
				}
				if l.appends > each+3 {
					t.Errorf("%d appends for %d writes of each of %d clients", l.appends, each, clients)
				}
			})
		})
	}
}

// Clients that do not come back, and a stream that goes on, are not waited for
// again and again.
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

// What waits for others does not when the queue ends, has enough, or is full.
func TestWaitingForOthersEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var streams []*WriteStream
		push := func(q *queue, s *WriteStream) {
			if err := q.push(&operation{Operation: log.Operation{Kind: log.Delete, Key: "a"}, stream: s}); err != nil {
				t.Fatal(err)
			}
		}
		// answered is a queue that answered all streams, of which one is back.
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
		if q := answered(time.Millisecond); q.gathers() != 0 {
			t.Error("waits for others behind a quick append")
		}
		q := answered(40 * time.Millisecond)
		if long := q.gathers(); long != 10*time.Millisecond {
			t.Errorf("waits for %s", long)
		}
		push(q, streams[0])
		if q.gathers() == 0 {
			t.Error("one stream counts twice")
		}
		push(q, streams[1])
		push(q, streams[2])
		if q.gathers() != 0 {
			t.Error("waits though all are back")
		}
		q = answered(time.Minute)
		if long := q.gathers(); long != gatherMost {
			t.Errorf("waits for %s", long)
		}
		<-time.After(gatherMost)
		if q.gathers() != 0 {
			t.Error("waits longer than it says")
		}
		q = answered(40 * time.Millisecond)
		q.end(context.Canceled)
		if q.gathers() != 0 {
			t.Error("waits at the end")
		}
		q = answered(40 * time.Millisecond)
		q.limit = 1
		push(q, streams[0])
		if q.gathers() != 0 {
			t.Error("waits though nothing more is taken")
		}
	})
}
