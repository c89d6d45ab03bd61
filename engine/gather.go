package engine

import "time"

// Clients that write one document after the other are answered together and come
// back together. Without waiting for them the first to come back would be
// appended alone and the others with the append after that: a write would take as
// long as two appends, and each would carry half of the clients. So after an
// append of some length the next one waits for as many streams as this one
// answered or kept waiting, at most for a part of its length. PostgreSQL has the
// same for one length that is set, commit_delay
// (https://www.postgresql.org/docs/current/runtime-config-wal.html).
//
// Where few come back, as when every client writes once, some batches do not
// wait. Their number is even: while batches do not wait, two groups of clients
// take turns, and the next one to wait must follow the other group, or those who
// are slow to come back would keep all apart for ever.
const (
	gatherFrom = 5 * time.Millisecond // what takes less, as a local log does, is not worth a wait
	gatherPart = 4
	gatherMost = 25 * time.Millisecond
	aloneFor   = 2 // batches
)

// gatherFor returns how much longer the next batch waits for others, 0 when it is
// to be taken.
func (q *queue) gatherFor() time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	complete := len(q.waiting) >= maxBatchOperations || q.bytes >= maxBatchBytes || q.full.Load()
	if len(q.waiting) == 0 || complete || q.refusal != nil || q.writers >= q.wanted {
		return 0
	}
	return max(0, time.Until(q.until))
}

// awaitOthers lets the batch behind one that ends wait for others. The caller holds mu.
func (q *queue) awaitOthers(batch []*operation) {
	q.stayed, q.wanted = 0, 0
	long := time.Since(q.since)
	if q.alone > 0 {
		q.alone--
		return
	}
	if long < gatherFrom {
		return
	}
	q.round++
	q.writers = 0
	for _, op := range q.waiting {
		q.join(op.stream)
	}
	q.stayed, q.wanted = q.writers, q.writers
	for _, op := range batch {
		if s := op.stream; s != nil && s.joined != q.round && s.answered != q.round {
			s.answered = q.round
			q.wanted++
		}
	}
	q.until = time.Now().Add(min(long/gatherPart, gatherMost))
}

// join counts the stream of an operation that waits. The caller holds mu.
func (q *queue) join(stream *WriteStream) {
	if stream == nil {
		return
	}
	if stream.joined != q.round {
		stream.joined = q.round
		q.writers++
	}
	if stream.inside { // the others stand before the gate
		q.stayed, q.wanted = 0, 0
	}
}

// takeAtOnce lets the next batch wait for nobody.
func (q *queue) takeAtOnce() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stayed, q.wanted = 0, 0
	if len(q.waiting) > 0 {
		q.arrived()
	}
}
