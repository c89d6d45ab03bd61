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

// boundConnections returns how many connections are served at once: what is
// configured, or half of the descriptors that files leave where that is less.
func boundConnections(configured int, descriptors uint64) int {
	if descriptors == 0 {
		return configured
	}
	left := max(int64(min(descriptors, 1<<30))-fileReserve, 0) / 2
	return min(configured, max(int(left), leastConnections))
}

// limitedListener serves a bounded number of connections at once. When there is no
// permit for another one, the connection that was idle for longest is closed; while
// all are busy, others wait.
type limitedListener struct {
	net.Listener
	permits chan struct{}
	done    chan struct{}
	close   func() error

	mu   sync.Mutex
	idle map[net.Conn]time.Time // since when
}

func limitConnections(listener net.Listener, most int) *limitedListener {
	l := &limitedListener{Listener: listener, permits: make(chan struct{}, most), done: make(chan struct{}), idle: make(map[net.Conn]time.Time)}
	l.close = sync.OnceValue(func() error { close(l.done); return listener.Close() })
	return l
}

func (l *limitedListener) Close() error { return l.close() }

// idlePause is the time between looks for a connection that became idle.
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

// permittedConn gives its permit back when it is closed.
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
	if state == http.StateIdle {
		l.idle[c] = time.Now()
	} else {
		delete(l.idle, c)
	}
}

// closeIdle closes the connection that was idle for longest.
func (l *limitedListener) closeIdle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	var longest net.Conn
	for c, since := range l.idle {
		if longest == nil || since.Before(l.idle[longest]) {
			longest = c
		}
	}
	if longest != nil {
		delete(l.idle, longest)
		_ = longest.Close()
	}
}
