package main

import (
	"context"
	"errors"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/query"
)

// searchBody runs a request given as the body of the API.
func (d *driver) searchBody(c command) (any, error) {
	if d.open == nil {
		return nil, errors.New("no open index")
	}
	best := time.Duration(1<<63 - 1)
	var answer *query.Answer
	for range max(1, c.Repeat) {
		began := time.Now()
		request, err := query.DecodeSearch(c.Body, query.DefaultLimits())
		if err != nil {
			return nil, err
		}
		if answer, err = d.search(request); err != nil {
			return nil, err
		}
		best = min(best, time.Since(began))
	}
	top := []string{}
	for _, h := range answer.Hits {
		top = append(top, h.ID)
	}
	return map[string]any{"count": answer.Total.Count, "exact": answer.Total.Exact, "us": float64(best.Nanoseconds()) / 1e3, "top": top}, nil
}

// mixed runs searches while documents are written and committed every second,
// with one thread for each.
func (d *driver) mixed(c command) (any, error) {
	ctx := context.Background()
	g, err := engine.Open(ctx, d.storage(c.Dir), d.options())
	if err != nil {
		return nil, err
	}
	d.open = g
	var stop atomic.Bool
	var written, searched int64
	var failure error
	var wg sync.WaitGroup
	began, cpu := time.Now(), cpuSeconds()
	wg.Add(1)
	go func() {
		defer wg.Done()
		written, failure = d.write(ctx, g, c, &stop)
	}()
	requests := make([]*query.Search, len(c.Queries))
	for i, w := range c.Queries {
		if requests[i], err = d.parse(w); err != nil {
			stop.Store(true)
			wg.Wait()
			return nil, err
		}
	}
	for time.Since(began).Seconds() < c.Seconds && err == nil {
		_, err = d.search(requests[int(searched)%len(requests)])
		searched++
	}
	seconds := time.Since(began).Seconds()
	stop.Store(true)
	wg.Wait()
	err = errors.Join(err, failure, g.Close(ctx))
	d.open = nil
	return map[string]any{"searches": searched, "documents": written, "seconds": seconds, "cpu_seconds": cpuSeconds() - cpu, "rss": status("VmHWM:")}, err
}

// write writes documents in a loop, with a commit every second.
func (d *driver) write(ctx context.Context, g *engine.Generation, c command, stop *atomic.Bool) (int64, error) {
	r := newReader(g.Schema())
	written := int64(0)
	last := time.Now()
	for !stop.Load() {
		s := g.WriteStream()
		for range 100 {
			doc, err := r.document(c.Documents[int(written)%len(c.Documents)])
			if err == nil {
				err = s.Add(ctx, doc)
			}
			if err != nil {
				return written, err
			}
			written++
		}
		if _, err := s.Wait(ctx); err != nil {
			return written, err
		}
		if time.Since(last) > time.Second {
			if _, err := g.Commit(ctx, engine.Explicit); err != nil {
				return written, err
			}
			last = time.Now()
		}
	}
	return written, nil
}

// profile runs queries for a while and writes CPU and memory profiles.
func (d *driver) profile(c command) (any, error) {
	f, err := os.Create(c.CPU)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	runtime.MemProfileRate = 4096
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, err
	}
	done := int64(0)
	for began := time.Now(); time.Since(began).Seconds() < c.Seconds; {
		if _, err := d.throughput(c); err != nil {
			pprof.StopCPUProfile()
			return nil, err
		}
		done += int64(len(c.Queries))
	}
	pprof.StopCPUProfile()
	a, err := os.Create(c.Allocs)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	return map[string]any{"queries": done}, pprof.Lookup("allocs").WriteTo(a, 0)
}
