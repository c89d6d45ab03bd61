package clustertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
)

// Faults are how many of a thousand requests go wrong, by kind.
type Faults struct {
	Unavailable int // not delivered
	Lost        int // delivered, the answer is lost
	Late        int // delivered some time after the caller got no answer
	Undecided   int // a conditional write that the store could not decide
	Stalled     int // no answer for half a minute, not delivered
	Away        int // changes of the registry with unknown outcome; then nothing is delivered for a while
}

// Link is the connection of one machine to the bucket. It may be used by any
// number of goroutines.
type Link struct {
	under bucket.Bucket
	name  string
	trace *Trace

	seed    uint64
	mu      sync.Mutex
	counts  map[string]uint64 // requests so far, by kind
	sent    int               // requests so far
	meet    func(number int, request string) fate
	faults  Faults
	resumed chan struct{} // closed when a pause ends; nil while there is none
	pauses  int           // so far
	isCut   bool
	back    time.Time             // nothing is delivered before this time
	slow    time.Duration         // the longest time that a file of a generation takes; 0: as long as other objects
	given   map[string]bucket.Tag // of the registry and manifest states that the machine was last given
	late    sync.WaitGroup
}

var _ bucket.Bucket = (*Link)(nil)

// NewLink returns a connection without faults.
func NewLink(under bucket.Bucket, name string, seed uint64, trace *Trace) *Link {
	return &Link{under: under, name: name, trace: trace, seed: seed, counts: make(map[string]uint64), given: make(map[string]bucket.Tag)}
}

// SetFaults changes how often requests go wrong.
func (l *Link) SetFaults(f Faults) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.faults = f; f == (Faults{}) {
		l.back = time.Time{}
	}
}

// Away delivers nothing for a while.
func (l *Link) Away(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.back = later(l.back, time.Now().Add(d))
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// Slow makes files of generations take up to most; 0 ends it.
func (l *Link) Slow(most time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.slow = most
}

// Meet sets what happens to requests by their kind and number, counted from the
// first of the link. Requests for which it returns delivered are left to the
// faults.
func (l *Link) Meet(happens func(number int, request string) fate) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.meet = happens
}

// Requests returns how many requests were sent.
func (l *Link) Requests() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sent
}

// Cut ends the connection for good: the machine is gone. Requests on their way may
// still be delivered.
func (l *Link) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.isCut = true
	if l.resumed != nil {
		close(l.resumed)
		l.resumed = nil
	}
}

// IsCut reports whether the machine is gone.
func (l *Link) IsCut() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.isCut
}

// Given returns the tag of the registry or manifest state that the machine last
// read or wrote, or an empty tag.
func (l *Link) Given(key string) bucket.Tag {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.given[key]
}

func (l *Link) give(key string, tag bucket.Tag) {
	if store, ok := l.under.(*Store); !isWatched(key) || ok && store.IsReserved(tag) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.given[key] = tag
}

// Pause holds every request, before it is delivered or before its answer arrives,
// until Resume.
func (l *Link) Pause() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.resumed == nil && !l.isCut {
		l.resumed = make(chan struct{})
		l.pauses++
	}
}

// Pauses returns how often the machine was paused.
func (l *Link) Pauses() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pauses
}

// Resume ends a pause.
func (l *Link) Resume() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.resumed != nil {
		close(l.resumed)
		l.resumed = nil
	}
}

// Settle waits for requests that are delivered late.
func (l *Link) Settle() { l.late.Wait() }

// pass waits for the end of a pause, and then as long as apart, so that held
// requests do not continue at one instant. It reports whether the connection still
// exists.
func (l *Link) pass(apart time.Duration) bool {
	for {
		l.mu.Lock()
		resumed, isCut := l.resumed, l.isCut
		l.mu.Unlock()
		if isCut {
			return false
		}
		if resumed == nil {
			return true
		}
		<-resumed
		time.Sleep(apart)
	}
}

// fate is what happens to one request.
type fate int

const (
	delivered fate = iota
	unavailable
	lost
	late
	undecided
	stalled
	cutBefore // the machine is gone before the store has the request
	cutAfter  // the machine is gone before the answer arrives
)

// decide draws what happens to a request from the seed, its kind and how often that
// was requested, so that requests of one instant meet the same fate in whichever
// order they are sent.
func (l *Link) decide(request string) (what fate, latency, delay time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts[request]++
	l.sent++
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(request))
	random := rand.New(rand.NewPCG(l.seed^sum.Sum64(), l.counts[request]))
	// With nanosecond resolution, no two answers come at the same instant.
	latency = time.Millisecond + time.Duration(random.Int64N(int64(15*time.Millisecond)))
	delay = time.Duration(random.Int64N(int64(40 * time.Second)))
	if l.slow > 0 && strings.HasPrefix(request, "get g/") && strings.Contains(request, "/seg/") {
		latency = time.Millisecond + time.Duration(random.Int64N(int64(l.slow)))
	}
	if time.Now().Before(l.back) {
		return unavailable, latency, delay
	}
	if l.meet != nil {
		if what := l.meet(l.sent, request); what != delivered {
			return what, latency, delay
		}
	}
	roll := random.IntN(1000)
	for _, possible := range []struct {
		what fate
		rate int
	}{{unavailable, l.faults.Unavailable}, {lost, l.faults.Lost}, {late, l.faults.Late}, {undecided, l.faults.Undecided}, {stalled, l.faults.Stalled}} {
		if roll < possible.rate {
			return possible.what, latency, delay
		}
		roll -= possible.rate
	}
	if request == "put registry" && random.IntN(1000) < l.faults.Away {
		l.back = time.Now().Add(5*time.Second + time.Duration(random.Int64N(int64(50*time.Second))))
		return []fate{unavailable, lost, late}[random.IntN(3)], latency, delay
	}
	return delivered, latency, delay
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// request sends one request. isWrite says that its effect may come late.
func (l *Link) request(ctx context.Context, what string, condition bucket.Condition, isWrite bool, apply func(context.Context) error) error {
	nothing := fmt.Errorf("%s: %w", what, bucket.ErrUnknown)
	if err := ctx.Err(); err != nil {
		return err
	}
	happens, latency, delay := l.decide(what)
	if !l.pass(latency) {
		return nothing
	}
	l.trace.Note(l.name, what, int(happens))
	if happens == late && !isWrite {
		happens = unavailable
	}
	if happens == undecided && condition == bucket.Always {
		happens = delivered
	}
	if !sleep(ctx, latency) {
		return nothing
	}
	switch happens {
	case cutBefore:
		l.Cut()
		return nothing
	case unavailable:
		return nothing
	case stalled:
		sleep(ctx, 30*time.Second)
		return nothing
	case undecided:
		return fmt.Errorf("%s: %w", what, bucket.ErrUndecided)
	case late:
		l.late.Go(func() {
			time.Sleep(delay)
			_ = apply(context.WithValue(context.Background(), delayed{}, true))
		})
		return nothing
	}
	if !l.pass(latency) {
		return nothing
	}
	err := apply(ctx)
	l.trace.Note(l.name, "answer to "+what, outcome(err))
	if happens == cutAfter {
		l.Cut()
	}
	if happens == lost || !l.pass(latency) {
		return nothing
	}
	return err
}

// delayed marks a write that was sent some time before it arrives, when it may no
// longer be right.
type delayed struct{}

// outcome returns the kind of an answer of the bucket.
func outcome(err error) int {
	for i, known := range []error{nil, bucket.ErrNotFound, bucket.ErrNotModified, bucket.ErrCondition} {
		if errors.Is(err, known) {
			return i
		}
	}
	return -1
}

// Get reads an object.
func (l *Link) Get(ctx context.Context, key string, unless bucket.Tag) (object bucket.Object, err error) {
	err = l.request(ctx, "get "+key, bucket.Always, false, func(ctx context.Context) (err error) {
		object, err = l.under.Get(ctx, key, unless)
		return err
	})
	if err == nil {
		l.give(key, object.Tag)
	}
	return object, err
}

// PutIf stores an object if the condition holds.
func (l *Link) PutIf(ctx context.Context, key string, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	// The content of a request on its way does not change.
	reader, err := body.Open()
	if err != nil {
		return bucket.Written{}, err
	}
	content, err := io.ReadAll(reader)
	if err != nil {
		return bucket.Written{}, err
	}
	sent := bucket.Bytes(bytes.Clone(content))
	answer := make(chan bucket.Written, 2)
	err = l.request(ctx, "put "+key, condition, true, func(ctx context.Context) error {
		written, err := l.under.PutIf(ctx, key, sent, condition)
		answer <- written
		return err
	})
	if err != nil {
		return bucket.Written{}, err
	}
	written := <-answer
	l.give(key, written.Tag)
	return written, nil
}

// List returns every object below the prefix.
func (l *Link) List(ctx context.Context, prefix, delimiter string) (listing bucket.Listing, err error) {
	err = l.request(ctx, "list "+prefix, bucket.Always, false, func(ctx context.Context) (err error) {
		listing, err = l.under.List(ctx, prefix, delimiter)
		return err
	})
	return listing, err
}

// Delete removes an object if the condition holds.
func (l *Link) Delete(ctx context.Context, key string, condition bucket.Condition) (written bucket.Written, err error) {
	err = l.request(ctx, "delete "+key, condition, false, func(ctx context.Context) (err error) {
		written, err = l.under.Delete(ctx, key, condition)
		return err
	})
	return written, err
}
