package api

import (
	"errors"
	"sync"
	"time"
)

// Each request is bounded, but what is held for slow clients adds up: sixty clients that
// each read nothing of a response of 32 MB held 4.4 GB, and 200 clients that each sent ten
// bytes of a compressed stream held 1.7 GB. While all long responses and large windows of
// streams together exceed a bound, those whose clients make no progress are cut, the one
// without progress for longest first. A client that keeps reading or sending is never cut,
// however long it takes.

const (
	// leastReserved is the size from which memory that is held for a client counts.
	leastReserved = 1 << 20
	// maxReserved bounds the memory that counts. Four search answers of the default
	// maximum size fit.
	maxReserved = 256 << 20
	// progressLimit is how long a client for which memory is held may make no progress
	// while the bound is exceeded.
	progressLimit = time.Second
	// leastArrived is how much a client of a stream must send within progressLimit to
	// make progress.
	leastArrived = 16 << 10
)

// errCut ends a request that was cut.
var errCut = errors.New("memory is short and the client makes no progress")

// reservations account for what is held for clients until they take it. Any number of
// goroutines may use it.
type reservations struct {
	most int64

	mu    sync.Mutex
	held  int64
	all   map[*reservation]struct{}
	timer *time.Timer // calls shed again while held exceeds most; nil: not running
}

// reservation is the memory held for one client.
type reservation struct {
	size    int64
	expire  func() error // makes what waits for the client fail
	movedAt time.Time    // when the client last made progress; zero: nothing waits for it; guarded by reservations.mu
	isCut   bool         // guarded by reservations.mu

	waited  time.Duration // for the client of a stream, without progress; guarded by reservations.mu
	arrived int           // meanwhile; guarded by reservations.mu
}

func newReservations(most int64) *reservations {
	return &reservations{most: most, all: make(map[*reservation]struct{})}
}

// reserve accounts for memory until release.
func (s *reservations) reserve(size int, expire func() error) *reservation {
	r := &reservation{size: int64(size), movedAt: time.Now(), expire: expire}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[r] = struct{}{}
	s.held += r.size
	s.shed()
	return r
}

// moved records that the client has made progress. It reports false if its request was
// cut.
func (s *reservations) moved(r *reservation) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.movedAt = time.Now()
	return !r.isCut
}

// await begins a wait for the client of a stream. It reports false if the request was
// cut.
func (s *reservations) await(r *reservation) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.movedAt = time.Now().Add(-r.waited)
	return !r.isCut
}

// arrive ends a wait for the client of a stream, which sent n bytes.
func (s *reservations) arrive(r *reservation, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.arrived += n
	r.waited = time.Since(r.movedAt)
	if r.arrived >= leastArrived {
		r.arrived, r.waited = 0, 0
	}
	r.movedAt = time.Time{}
}

// release stops accounting for memory. Until then the connection must not be used for
// another request.
func (s *reservations) release(r *reservation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(r)
}

// remove stops counting a reservation if it is still counted. The caller holds mu.
func (s *reservations) remove(r *reservation) {
	if _, ok := s.all[r]; ok {
		delete(s.all, r)
		s.held -= r.size
	}
}

// shed cuts requests without progress while the bound is exceeded. If that is not
// enough, it runs again after progressLimit. The caller holds mu.
func (s *reservations) shed() {
	now := time.Now()
	for s.held > s.most {
		var oldest *reservation
		for r := range s.all {
			isSlow := !r.movedAt.IsZero() && now.Sub(r.movedAt) >= progressLimit
			if isSlow && (oldest == nil || r.movedAt.Before(oldest.movedAt)) {
				oldest = r
			}
		}
		if oldest == nil {
			break
		}
		oldest.isCut = true
		_ = oldest.expire() // fails only without deadlines, as in tests, where nothing blocks
		s.remove(oldest)
	}
	if s.held > s.most && s.timer == nil {
		s.timer = time.AfterFunc(progressLimit, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.timer = nil
			s.shed()
		})
	}
}
