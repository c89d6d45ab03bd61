package clustertest

import (
	"context"
	"errors"
	"hash/fnv"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"syscall"
	"time"
)

// network is the network between the machines (F14): connections in memory that are
// slow, stall in one direction or both, or are reset. As with TCP, bytes sent
// before a connection stalled arrive when it continues, even if their sender has
// left.
type network struct {
	seed uint64
	gone *sync.WaitGroup // goroutines that carry bytes

	mu        sync.Mutex
	hosts     map[string]*host
	wires     map[*wire]bool
	barred    map[way]chan struct{} // closed when bytes pass again
	faults    peerFaults
	connected uint64
}

// peerFaults are how many of a thousand pieces of a request or an answer go wrong
// on the way to another node, by kind.
type peerFaults struct {
	Lost    int // the connection is reset before the piece arrives
	Cut     int // the connection is reset after it arrived
	Delayed int // it takes up to half a minute
}

// way is a direction between two machines.
type way struct{ from, to string }

// host takes the connections of one process.
type host struct {
	network *network
	name    string
	dialled chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

// wire is one connection. The network holds one end of the pipe to either side.
type wire struct {
	ends   [2]net.Conn // of the caller and of the callee
	ways   [2]way
	reset  chan struct{}
	random *rand.Rand // guarded by mu of the network
}

func newNetwork(seed uint64, gone *sync.WaitGroup) *network {
	return &network{seed: seed, gone: gone, hosts: make(map[string]*host), wires: make(map[*wire]bool), barred: make(map[way]chan struct{})}
}

// listen makes a process reachable under the name of its machine.
func (n *network) listen(name string) *host {
	h := &host{network: n, name: name, dialled: make(chan net.Conn), closed: make(chan struct{})}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.hosts[name] = h
	return h
}

func (h *host) Accept() (net.Conn, error) {
	select {
	case c := <-h.dialled:
		return c, nil
	case <-h.closed:
		return nil, net.ErrClosed
	}
}

func (h *host) Addr() net.Addr { return &net.UnixAddr{Name: h.name, Net: "unix"} }

// Close makes the host take no more connections. Existing ones are left alone.
func (h *host) Close() error {
	h.once.Do(func() { close(h.closed) })
	return nil
}

// dialer returns the function with which a machine connects to others.
func (n *network) dialer(from string) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, _, address string) (net.Conn, error) {
		refused := func(err error) (net.Conn, error) { return nil, &net.OpError{Op: "dial", Err: err} }
		to, _, _ := strings.Cut(address, ":")
		there, back := way{from, to}, way{to, from}
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		if !n.pass(there, ctx.Done()) || !n.pass(back, ctx.Done()) {
			return refused(errors.New("no answer"))
		}
		n.mu.Lock()
		h := n.hosts[to]
		n.connected++
		sum := fnv.New64a()
		_, _ = sum.Write([]byte(from + " " + to))
		w := &wire{ways: [2]way{there, back}, reset: make(chan struct{}), random: rand.New(rand.NewPCG(n.seed^sum.Sum64(), n.connected))}
		n.mu.Unlock()
		if h == nil {
			return refused(syscall.ECONNREFUSED)
		}
		var near, far net.Conn
		near, w.ends[0] = net.Pipe()
		far, w.ends[1] = net.Pipe()
		select {
		case h.dialled <- far:
		case <-h.closed:
			return refused(syscall.ECONNREFUSED)
		case <-ctx.Done():
			return refused(ctx.Err())
		}
		n.mu.Lock()
		n.wires[w] = true
		n.mu.Unlock()
		n.gone.Go(func() { n.carry(w, 0) })
		n.gone.Go(func() { n.carry(w, 1) })
		return near, nil
	}
}

// pass waits until bytes pass along a way, or gives up.
func (n *network) pass(along way, given <-chan struct{}) bool {
	for {
		n.mu.Lock()
		open := n.barred[along]
		n.mu.Unlock()
		if open == nil {
			return true
		}
		select {
		case <-open:
		case <-given:
			return false
		}
	}
}

// carry passes what one side sends to the other until the connection ends.
func (n *network) carry(w *wire, side int) {
	piece := make([]byte, 32<<10)
	for {
		read, err := w.ends[side].Read(piece)
		latency, isLost, isCut := n.draw(w)
		timer := time.NewTimer(latency)
		select {
		case <-timer.C:
		case <-w.reset:
			timer.Stop()
			return
		}
		if isLost || !n.pass(w.ways[side], w.reset) {
			n.end(w)
			return
		}
		if read > 0 {
			if _, failed := w.ends[1-side].Write(piece[:read]); failed != nil {
				err = failed
			}
		}
		if err != nil || isCut {
			n.end(w)
			return
		}
	}
}

func (n *network) draw(w *wire) (latency time.Duration, isLost, isCut bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	latency = time.Millisecond + time.Duration(w.random.Int64N(int64(5*time.Millisecond)))
	delay := time.Duration(w.random.Int64N(int64(30 * time.Second)))
	switch roll := w.random.IntN(1000); {
	case roll < n.faults.Lost:
		isLost = true
	case roll < n.faults.Lost+n.faults.Cut:
		isCut = true
	case roll < n.faults.Lost+n.faults.Cut+n.faults.Delayed:
		latency = delay
	}
	return latency, isLost, isCut
}

// end resets a connection.
func (n *network) end(w *wire) {
	n.mu.Lock()
	isOpen := n.wires[w]
	delete(n.wires, w)
	n.mu.Unlock()
	if isOpen {
		close(w.reset)
		_ = w.ends[0].Close()
		_ = w.ends[1].Close()
	}
}

// disconnect resets every connection of a machine that is down.
func (n *network) disconnect(name string) {
	n.mu.Lock()
	if h := n.hosts[name]; h != nil {
		_ = h.Close()
		delete(n.hosts, name)
	}
	var gone []*wire
	for w := range n.wires {
		if w.ways[0].from == name || w.ways[0].to == name {
			gone = append(gone, w)
		}
	}
	n.mu.Unlock()
	for _, w := range gone {
		n.end(w)
	}
}

// bar stops everything along a way until open is called.
func (n *network) bar(along way) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.barred[along] == nil {
		n.barred[along] = make(chan struct{})
	}
}

func (n *network) open(along way) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if held := n.barred[along]; held != nil {
		close(held)
		delete(n.barred, along)
	}
}

// heal lets everything pass again.
func (n *network) heal() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.faults = peerFaults{}
	for along, held := range n.barred {
		close(held)
		delete(n.barred, along)
	}
}

func (n *network) setFaults(f peerFaults) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.faults = f
}
