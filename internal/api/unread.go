package api

import (
	"errors"
	"sync"
	"time"
)

// Each request is bounded, but the responses to slow clients add up: sixty clients that
// each read nothing of a response of 32 MB held 4.4 GB. While all long responses together
// exceed a bound, those whose clients make no progress are cut, the least recently read
// first. A client that keeps reading is never cut, however long it takes.

const (
	// longResponse is the minimum size of a response that counts.
	longResponse = 1 << 20
	// maxUnread bounds the bytes of all long responses together. Four search answers of
	// the default maximum size fit.
	maxUnread = 256 << 20
	// unreadLimit is how long a client of a long response may read nothing while the
	// bound is exceeded.
	unreadLimit = time.Second
)

// errUnread ends a response that was cut.
var errUnread = errors.New("the client does not read its response")

// unread accounts for the long responses that are being sent. Any number of goroutines
// may use it.
type unread struct {
	most int64

	mu    sync.Mutex
	held  int64
	sends map[*sending]struct{}
	timer *time.Timer // calls shed again while held exceeds most; nil: not running
}

// sending is one response on its way to a client.
type sending struct {
	size   int64
	readAt time.Time    // when the client last read something; guarded by unread.mu
	expire func() error // makes the pending write fail
	isCut  bool         // guarded by unread.mu
}

func newUnread(most int64) *unread {
	return &unread{most: most, sends: make(map[*sending]struct{})}
}

// begin accounts for a long response until end.
func (u *unread) begin(size int, expire func() error) *sending {
	s := &sending{size: int64(size), readAt: time.Now(), expire: expire}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.sends[s] = struct{}{}
	u.held += s.size
	u.shed()
	return s
}

// read records that the client has read part of a response. It reports false if the
// response was cut.
func (u *unread) read(s *sending) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	s.readAt = time.Now()
	return !s.isCut
}

// end stops accounting for a response. Until then its connection must not be used for
// another one.
func (u *unread) end(s *sending) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.remove(s)
}

// remove stops counting a response if it is still counted. The caller holds mu.
func (u *unread) remove(s *sending) {
	if _, ok := u.sends[s]; ok {
		delete(u.sends, s)
		u.held -= s.size
	}
}

// shed cuts responses without progress while the bound is exceeded. If that is not
// enough, it runs again after unreadLimit. The caller holds mu.
func (u *unread) shed() {
	now := time.Now()
	for u.held > u.most {
		var oldest *sending
		for s := range u.sends {
			if now.Sub(s.readAt) >= unreadLimit && (oldest == nil || s.readAt.Before(oldest.readAt)) {
				oldest = s
			}
		}
		if oldest == nil {
			break
		}
		oldest.isCut = true
		_ = oldest.expire() // fails only without deadlines, as in tests, where no write blocks
		u.remove(oldest)
	}
	if u.held > u.most && u.timer == nil {
		u.timer = time.AfterFunc(unreadLimit, func() {
			u.mu.Lock()
			defer u.mu.Unlock()
			u.timer = nil
			u.shed()
		})
	}
}
