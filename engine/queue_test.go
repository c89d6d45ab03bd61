package engine

import (
	"context"
	"errors"
	"testing"

	"github.com/quiresearch/quire/internal/log"
)

// A queue holds a bounded number of operations however small they are, those
// being appended included.
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
			q := newQueue(test.limit)
			over, cancel := context.WithCancel(t.Context())
			cancel()
			pushed := 0
			for q.awaitRoom(over, 0) == nil {
				if err := q.push(&operation{Operation: log.Operation{Kind: log.Add, Key: string(rune(pushed)), Body: make([]byte, test.body)}}); err != nil {
					t.Fatal(err)
				}
				pushed++
			}
			if pushed > maxQueued || pushed < maxQueued/4 {
				t.Errorf("%d operations taken", pushed)
			}
			batch := q.take()
			if err := q.awaitRoom(over, 0); !errors.Is(err, context.Canceled) {
				t.Errorf("room while the batch is being appended: %v", err)
			}
			q.done(batch)
			if err := q.awaitRoom(over, 0); err != nil {
				t.Errorf("no room behind %d operations: %v", len(batch), err)
			}
			q.refuseWaiting(nil)
			if q.held != 0 || q.bytes != 0 {
				t.Errorf("an empty queue counts %d operations of %d bytes", q.held, q.bytes)
			}
		})
	}
}
