package engine

import "time"

// Clients that write one document after the other are answered together and come
// back together. Without a wait, the first to come back would be appended alone and
// the others with the next append: a write would take as long as two appends, and
// each append would carry half of the clients. So after a slow append, the next
// batch waits for as many streams as this append answered or kept waiting, for at
// most a fraction of its duration. PostgreSQL does the same with one configured
// duration, commit_delay
// (https://www.postgresql.org/docs/current/runtime-config-wal.html).
//
// If few streams come back, as when every client writes once, the next batches do
// not wait. Their number is even: while batches do not wait, two groups of clients
// take turns, and the next batch that waits must follow the other group, or slow
// clients would keep the groups apart for ever.
const (
	gatherFrom = 5 * time.Millisecond // a faster append, as to a local log, is not worth a wait
	gatherPart = 4
	gatherMost = 25 * time.Millisecond
	aloneFor   = 2 // batches
)

// gatherFor returns how much longer the next batch waits for other streams, or 0
// when it is to be taken now.
func (q *queue) gatherFor() time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	complete := len(q.waiting) >= maxBatchOperations || q.bytes >= maxBatchBytes || q.full.Load()
	if len(q.waiting) == 0 || complete || q.refusal != nil || q.writers >= q.wanted {
		return 0
	}
	return max(0, time.Until(q.until))
}

// awaitOthers makes the batch after the given one wait for other streams. The
// caller holds mu.
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

// join counts the stream of a waiting operation. The caller holds mu.
func (q *queue) join(stream *WriteStream) {
	if stream == nil {
		return
	}
	if stream.joined != q.round {
		stream.joined = q.round
		q.writers++
	}
	if stream.inside { // the other streams are blocked at the gate
		q.stayed, q.wanted = 0, 0
	}
}

// takeAtOnce makes the next batch wait for no other streams.
func (q *queue) takeAtOnce() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stayed, q.wanted = 0, 0
	if len(q.waiting) > 0 {
		q.arrived()
	}
}
