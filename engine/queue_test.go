package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/log"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// A queue holds a bounded number of operations however small they are, including
// those being appended.
func TestQueueIsBounded(t *testing.T) {
	for _, test := range []struct {
		name  string
		limit int64
		body  int
	}{
		{"operations", 1 << 30, 1},
		{"bytes", maxQueued * 500, 1000},
	} {
		t.Run(test.name, func(t *testing.T) {
			q := newQueue(test.limit, func() {})
			over, cancel := context.WithCancel(t.Context())
			cancel()
			pushed := 0
			for q.awaitCapacity(over, 0) == nil {
				if err := q.push(&operation{Operation: log.Operation{Kind: log.Add, Key: string(rune(pushed)), Body: make([]byte, test.body)}}); err != nil {
					t.Fatal(err)
				}
				pushed++
			}
			if pushed > maxQueued || pushed < maxQueued/4 {
				t.Errorf("%d operations taken", pushed)
			}
			batch := q.take()
			if err := q.awaitCapacity(over, 0); !errors.Is(err, context.Canceled) {
				t.Errorf("room while the batch is being appended: %v", err)
			}
			q.done(batch)
			if err := q.awaitCapacity(over, 0); err != nil {
				t.Errorf("no room behind %d operations: %v", len(batch), err)
			}
			q.refuseWaiting(nil)
			if q.held != 0 || q.bytes != 0 {
				t.Errorf("an empty queue counts %d operations of %d bytes", q.held, q.bytes)
			}
		})
	}
}

// A write waits for capacity as long as it takes, but gives up behind one append
// that does not end.
func TestRoomIsGivenUpBehindAnAppendAlone(t *testing.T) {
	compressOutside(t)
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1, func() {})
		if err := q.push(&operation{Operation: log.Operation{Kind: log.Delete, Key: "a"}}); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		time.AfterFunc(time.Minute, func() { q.done(q.take()) })
		if err := q.awaitCapacity(t.Context(), time.Second); err != nil || time.Since(began) != time.Minute {
			t.Errorf("without an append: %v after %s", err, time.Since(began))
		}
		if err := q.push(&operation{Operation: log.Operation{Kind: log.Delete, Key: "b"}}); err != nil {
			t.Fatal(err)
		}
		q.take()
		began = time.Now()
		if err := q.awaitCapacity(t.Context(), time.Second); !errors.Is(err, problem.StorageIoError) || time.Since(began) != time.Second {
			t.Errorf("behind an append: %v after %s", err, time.Since(began))
		}
	})
}

// sluggish is a disk that blocks writes of segments until proceed is closed.
type sluggish struct {
	vfs.FS
	proceed chan struct{}
}

func (s *sluggish) Create(name string) (vfs.File, error) {
	if strings.HasSuffix(name, segmentSuffix) {
		<-s.proceed
	}
	return s.FS.Create(name)
}

// A write that waits because the workers are busy does not give up: the log is
// fine.
func TestAWriteWaitsForBusyWorkers(t *testing.T) {
	compressOutside(t)
	synctest.Test(t, func(t *testing.T) {
		disk := &sluggish{FS: vfs.Memory(), proceed: make(chan struct{})}
		create(t, disk, books)
		options := manual
		options.Workers, options.Memory, options.LogWait = 1, 1, time.Second // every document is a segment
		g := open(t, disk, options)
		time.AfterFunc(time.Minute, func() { close(disk.proceed) })
		began := time.Now()
		for i := range 40 {
			mustAdd(t, g, fmt.Sprintf(`{"id":"%d"}`, i))
		}
		if took := time.Since(began); took != time.Minute {
			t.Errorf("it took %s", took)
		}
	})
}

// find returns the effect of the operations in the queue, whether newest is
// maintained at the time or not.
func TestQueueTellsTheNewestState(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 2))
		q := newQueue(1<<30, func() {})
		var batch []*operation // being appended
		for step := range 400 {
			switch n := random.IntN(20); {
			case n < 12:
				op := &operation{Operation: log.Operation{Kind: log.Kind(1 + random.IntN(3)), Key: string(rune('a' + random.IntN(6)))}}
				if op.Kind == log.Signals {
					op.signals = []signalValue{{Field: string(rune('p' + random.IntN(3))), Value: int64(step), Has: true}}
				}
				if err := q.push(op); err != nil {
					t.Fatal(err)
				}
			case n < 15 && batch == nil:
				batch = q.take()
			case n < 18 && batch != nil:
				q.done(batch)
				batch = nil
			case n == 18 && batch != nil: // the batch was not written
				q.refuseWaiting(nil)
				q.done(batch)
				batch = nil
			}
			if random.IntN(1+int(seed)) > 3 {
				continue // no lookup for a while
			}
			for key := 'a'; key < 'g'; key++ {
				var want keyState
				known := false
				for _, op := range slices.Concat(batch, q.waiting) {
					if op.Key != string(key) {
						continue
					}
					known = true
					if op.Kind == log.Signals {
						want = keyState{base: want.base, signals: mergeSignals(want.signals, op.signals), last: op}
					} else {
						want = keyState{base: op, last: op}
					}
				}
				got, ok := q.find(string(key))
				if ok != known || got.last != want.last || want.base != nil && got.base != want.base {
					t.Fatalf("seed %d, step %d: key %c is %+v, %v; want %+v, %v", seed, step, key, got, ok, want, known)
				}
				// find may still return what has left the queue: the tables say the
				// same.
				if !slices.Equal(mergeSignals(got.signals, want.signals), got.signals) || want.base != nil && len(got.signals) != len(want.signals) {
					t.Fatalf("seed %d, step %d: signals of %c are %+v, want %+v", seed, step, key, got.signals, want.signals)
				}
			}
		}
	}
}
