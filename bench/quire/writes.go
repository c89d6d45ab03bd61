package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"runtime/pprof"
	"slices"
	"sync"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/engine"
)

// warmClients is the number of clients that write during warm-up.
const warmClients = 8

// writing is an index that receives single documents.
type writing struct {
	open      *engine.Generation
	documents []json.RawMessage
}

// durableWrites measures writes of one document each, acknowledged when
// durable. The first command creates the index; one without documents continues
// with it.
func (d *driver) durableWrites(c command) (any, error) {
	if len(c.Documents) > 0 {
		if err := d.startWriting(c); err != nil {
			return nil, err
		}
	}
	if d.writing == nil {
		return nil, errors.New("no index to write to")
	}
	ctx := context.Background()
	if c.Warm > 0 {
		if _, err := d.writing.run(ctx, warmClients, c.Warm); err != nil {
			return nil, err
		}
	}
	if c.CPU != "" {
		f, err := os.Create(c.CPU)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return nil, err
		}
		defer pprof.StopCPUProfile()
	}
	began, cpu := time.Now(), cpuSeconds()
	times, err := d.writing.run(ctx, max(1, c.Clients), c.Seconds)
	seconds, spent := time.Since(began).Seconds(), cpuSeconds()-cpu
	if err == nil && len(times) == 0 {
		err = errors.New("nothing was written")
	}
	if err != nil {
		return nil, err
	}
	slices.Sort(times)
	n := len(times)
	return map[string]any{"writes": n, "seconds": seconds, "per_second": float64(n) / seconds,
		"p50_ms": times[n/2].Seconds() * 1e3, "p99_ms": times[n*99/100].Seconds() * 1e3, "cpu_us": spent / float64(n) * 1e6}, nil
}

// startWriting creates an index and opens it with the options of a server: it
// commits and merges automatically, and the log is a file synced by every
// append.
func (d *driver) startWriting(c command) error {
	text := []byte(c.Definition)
	if len(text) == 0 {
		text = []byte(definitionText)
	}
	def, err := definition.Parse(text, d.builder.Capabilities())
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return err
	}
	ctx := context.Background()
	if err := engine.Create(ctx, d.storage(c.Dir), def); err != nil {
		return err
	}
	options := d.options()
	options.MaxChanges, options.MaxInterval, options.MinFree = 0, 0, 0
	g, err := engine.Open(ctx, d.storage(c.Dir), options)
	if err != nil {
		return err
	}
	d.writing = &writing{open: g, documents: c.Documents}
	return nil
}

// run lets clients write for a while and returns the duration of each write.
func (w *writing) run(ctx context.Context, clients int, seconds float64) ([]time.Duration, error) {
	times := make([][]time.Duration, clients)
	failures := make([]error, clients)
	began := time.Now()
	var wg sync.WaitGroup
	for client := range clients {
		wg.Go(func() {
			r := newReader(w.open.Schema())
			for number := 0; time.Since(began).Seconds() < seconds && failures[client] == nil; number++ {
				line := w.documents[(number*clients+client)%len(w.documents)]
				asked := time.Now()
				failures[client] = w.one(ctx, r, line)
				times[client] = append(times[client], time.Since(asked))
			}
		})
	}
	wg.Wait()
	return slices.Concat(times...), errors.Join(failures...)
}

// one writes a document like a request with one document: it uses its own
// stream and waits until the document is durable.
func (w *writing) one(ctx context.Context, r reader, line []byte) error {
	doc, err := r.document(line)
	if err != nil {
		return err
	}
	s := w.open.WriteStream()
	if err := s.Add(ctx, doc); err != nil {
		return err
	}
	receipt, err := s.Wait(ctx)
	if err == nil && receipt.Durable != 1 {
		err = errors.New("a write was answered and is not durable")
	}
	return err
}
