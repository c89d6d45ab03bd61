package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/quiresearch/quire/bench/wire"
)

// Reading during writing: all classes run interleaved while existing documents
// are written again, at the same rate in both services.

const (
	steadyDocuments = 100 // per request
	steadyRequests  = 10  // per second
)

var besideConnections = []int{1, 4, 16}

// beside is the result of concurrent searches and writes.
type beside struct {
	searches  cell // the processor time is that of both, per search
	documents float64
	p50, p99  time.Duration // of a write, from sending until durable
}

// besideWrites measures the searches during a steady stream of writes.
func (r *wholeRun) besideWrites(o options, n *node, requests [][]byte) error {
	for _, connections := range besideConnections {
		stop := make(chan struct{})
		var times []time.Duration
		written := make(chan error, 1)
		began := time.Now()
		go func() {
			var err error
			times, err = r.writeSteadily(n, stop)
			written <- err
		}()
		searches, err := r.cell(n, connections, 5*o.cell, requests)
		close(stop)
		if failure := <-written; err == nil {
			err = failure
		}
		if err != nil {
			return fmt.Errorf("searches beside writes: %w", err)
		}
		if len(times) == 0 {
			return fmt.Errorf("searches beside writes: nothing was written")
		}
		slices.Sort(times)
		b := beside{searches: searches, documents: float64(len(times)*steadyDocuments) / time.Since(began).Seconds(),
			p50: times[len(times)/2], p99: times[len(times)*99/100]}
		fmt.Printf("%-10s beside writes %2d connections %8.0f/s p50 %v p99 %v, %.0f documents/s\n", r.service.name, connections,
			searches.perSecond, searches.p50, searches.p99, b.documents)
		r.beside = append(r.beside, b)
	}
	return nil
}

// writeSteadily sends requests on schedule until stop is closed, a late one
// immediately, and returns the time each took to be acknowledged.
func (r *wholeRun) writeSteadily(n *node, stop <-chan struct{}) ([]time.Duration, error) {
	w, err := wire.Dial(n.address)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	var times []time.Duration
	ticks := time.NewTicker(time.Second / steadyRequests)
	defer ticks.Stop()
	for i := 0; ; i++ {
		select {
		case <-stop:
			return times, nil
		case <-ticks.C:
		}
		sent := time.Now()
		answer, err := w.Send("POST", r.service.bulkPath, r.service.bulkKind, r.updates[i%len(r.updates)])
		if err == nil {
			err = r.service.bulkFailed(answer)
		}
		if err != nil {
			return times, err
		}
		times = append(times, time.Since(sent))
	}
}

func renderBeside(b *strings.Builder, ours, theirs *wholeRun) {
	fmt.Fprintf(b, "\n## Reading beside writing\n\nAll classes in turn while %d documents a second that are there already are written again, %d a request, on a connection of their own. Searches per second · p50 ms · p99 ms · µs of the service's processor time for a search, writes included; and documents a second with p50 · p99 ms of an acknowledgement.\n\n| connections | %s | %s | throughput, Quire ÷ OpenSearch | p99, OpenSearch ÷ Quire |\n|---|---|---|---|---|\n",
		steadyDocuments*steadyRequests, steadyDocuments, ours.service.name, theirs.service.name)
	for i, connections := range besideConnections {
		x, y := ours.beside[i], theirs.beside[i]
		fmt.Fprintf(b, "| %d | %s | %s | %.2f | %.2f |\n", connections, x, y,
			x.searches.perSecond/y.searches.perSecond, y.searches.p99.Seconds()/x.searches.p99.Seconds())
	}
}

func (b beside) String() string {
	return fmt.Sprintf("%s; %.0f · %.1f · %.1f", b.searches, b.documents, b.p50.Seconds()*1e3, b.p99.Seconds()*1e3)
}
