package main

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/quiresearch/quire/engine"
)

// rest waits until no merge is due, up to a limit, and returns how long that
// took.
func rest(g *engine.Generation, limit float64) float64 {
	began := time.Now()
	for !g.IsSettled() && time.Since(began).Seconds() < limit {
		time.Sleep(50 * time.Millisecond)
	}
	return time.Since(began).Seconds()
}

// restOf waits until another process uses almost no processor time, up to a
// limit, and returns how long that took. A node starts merging the segments of
// a load some seconds after it.
func restOf(pid int, limit float64) float64 {
	const look = 5 * time.Second
	began := time.Now()
	for time.Since(began).Seconds() < limit {
		before := cpuSecondsOf(pid)
		time.Sleep(look)
		if cpuSecondsOf(pid)-before < look.Seconds()/100 {
			break
		}
	}
	return time.Since(began).Seconds()
}

// writtenBytes returns how much this process has written to files so far.
func writtenBytes() int64 {
	text, _ := os.ReadFile("/proc/self/io")
	for line := range strings.SplitSeq(string(text), "\n") {
		if rest, ok := strings.CutPrefix(line, "wchar: "); ok {
			n, _ := strconv.ParseInt(rest, 10, 64)
			return n
		}
	}
	return 0
}

// trickle is a steady stream of updates during queries.
type trickle struct {
	stop    context.CancelFunc
	done    sync.WaitGroup
	began   time.Time
	written int
	failure error
}

// startTrickle opens an index with the options of a server and changes
// c.PerSecond documents per second until still stops it.
func (d *driver) startTrickle(c command) (any, error) {
	options := d.options()
	options.MaxChanges, options.MaxInterval = 0, 0
	g, err := engine.Open(context.Background(), d.storage(c.Dir), options)
	if err != nil {
		return nil, err
	}
	d.open = g
	ctx, stop := context.WithCancel(context.Background())
	t := &trickle{stop: stop, began: time.Now()}
	d.trickle = t
	t.done.Go(func() { t.failure = t.run(ctx, g, c) })
	return map[string]any{}, nil
}

// run changes documents on schedule, however long one takes to become durable.
func (t *trickle) run(ctx context.Context, g *engine.Generation, c command) error {
	r := newReader(g.Schema())
	ticks := time.NewTicker(time.Duration(float64(time.Second) / c.PerSecond))
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		}
		s, durable := g.WriteStream(), context.WithoutCancel(ctx)
		for due := int(time.Since(t.began).Seconds() * c.PerSecond); t.written < due; t.written++ {
			doc, err := r.document(c.Documents[t.written%len(c.Documents)])
			if err == nil {
				err = s.Add(durable, doc)
			}
			if err != nil {
				return err
			}
		}
		if _, err := s.Wait(durable); err != nil {
			return err
		}
	}
}

// still stops a trickle.
func (d *driver) still() (any, error) {
	t := d.trickle
	if t == nil {
		return nil, errors.New("no trickle")
	}
	t.stop()
	t.done.Wait()
	s := d.open.Snapshot()
	segments := len(s.Segments)
	s.Release()
	flushed, merged := d.open.Written()
	answer := map[string]any{"documents": t.written, "seconds": time.Since(t.began).Seconds(), "segments": segments, "flushed": flushed, "merged": merged}
	return answer, errors.Join(t.failure, d.open.Close(context.Background()))
}
