package server

import (
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	// fileReserve is how many descriptors are kept for files, the bucket and other
	// nodes.
	fileReserve = 64
	// leastConnections are served however few descriptors there are.
	leastConnections = 16
)

// boundConnections returns how many connections are served at once: the configured
// number, or half of the descriptors that files leave if that is less.
func boundConnections(configured int, descriptors uint64) int {
	if descriptors == 0 {
		return configured
	}
	left := max(int64(min(descriptors, 1<<30))-fileReserve, 0) / 2
	return min(configured, max(int(left), leastConnections))
}

// limitedListener serves a bounded number of connections at once. When no permit is
// left for another one, it closes the connection that was idle for longest, or
// otherwise one on which the client has sent nothing for a while. While all are
// busy, others wait.
type limitedListener struct {
	net.Listener
	permits  chan struct{}
	done     chan struct{}
	close    func() error
	patience time.Duration // with connections on which nothing was sent

	mu     sync.Mutex
	idle   map[net.Conn]time.Time // since when each is idle
	silent map[net.Conn]time.Time // since when each has been open without sending anything
}

// silentPatience is how long a client may take to begin its first request while
// others wait for a connection.
const silentPatience = time.Second

func limitConnections(listener net.Listener, most int) *limitedListener {
	l := &limitedListener{
		Listener: listener, permits: make(chan struct{}, most), done: make(chan struct{}), patience: silentPatience,
		idle: make(map[net.Conn]time.Time), silent: make(map[net.Conn]time.Time),
	}
	l.close = sync.OnceValue(func() error { close(l.done); return listener.Close() })
	return l
}

func (l *limitedListener) Close() error { return l.close() }

// idlePause is the time between two searches for a connection that became idle.
const idlePause = 50 * time.Millisecond

// Accept waits for a permit, then for a connection.
func (l *limitedListener) Accept() (net.Conn, error) {
	for isPermitted := false; !isPermitted; {
		select {
		case l.permits <- struct{}{}:
			isPermitted = true
			continue
		default:
		}
		l.closeIdle()
		timer := time.NewTimer(idlePause)
		select {
		case l.permits <- struct{}{}:
			isPermitted = true
		case <-timer.C:
		case <-l.done:
			timer.Stop()
			return nil, net.ErrClosed
		}
		timer.Stop()
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.permits
		return nil, err
	}
	return &permittedConn{Conn: c, leave: sync.OnceFunc(func() { <-l.permits })}, nil
}

// permittedConn returns its permit when it is closed.
type permittedConn struct {
	net.Conn
	leave func()
}

func (c *permittedConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

// note is called when the state of a connection changes.
func (l *limitedListener) note(c net.Conn, state http.ConnState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.idle, c)
	delete(l.silent, c)
	switch state {
	case http.StateNew:
		l.silent[c] = time.Now()
	case http.StateIdle:
		l.idle[c] = time.Now()
	}
}

// closeIdle closes the connection that was idle for longest or, when none is idle,
// the one that was silent for longest.
func (l *limitedListener) closeIdle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	c, of := oldest(l.idle), l.idle
	if c == nil {
		c, of = oldest(l.silent), l.silent
		if c == nil || time.Since(of[c]) < l.patience {
			return
		}
	}
	delete(of, c)
	_ = c.Close()
}

// oldest returns the connection with the earliest time, or nil when there is none.
func oldest(of map[net.Conn]time.Time) (first net.Conn) {
	for c, since := range of {
		if first == nil || since.Before(of[first]) {
			first = c
		}
	}
	return first
}
