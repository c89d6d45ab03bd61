package search

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/query"
)

// Warm prepares the state that facets, suggestions and interpreted values need on a
// view, so that the first search after a change does not wait for it. It covers
// what earlier searches under the schema needed and what the settings opt in to.
func (s *Searcher) Warm(ctx context.Context, view View) error {
	locales := append(s.counter.Locales(view.Schema, view.Settings), s.rewriter.Locales(view.Schema, view.Settings)...)
	slices.Sort(locales)
	for _, locale := range slices.Compact(locales) {
		w, err := s.open(ctx, &view, &query.Search{Locale: locale}, s.options.Now())
		if err != nil {
			return err
		}
		if err = w.facets().Warm(ctx); err == nil {
			err = w.typed.Warm(ctx)
		}
		w.close()
		if err != nil {
			return err
		}
	}
	return nil
}

// errSuperseded cancels the preparation of a reader that was replaced.
var errSuperseded = errors.New("the reader was replaced")

// Warmer prepares facet state on its own goroutines when the reader of an index
// changes; K identifies an index. Each index is queued at most once, and preparing
// a reader that gets replaced is abandoned in favour of its successor. A Warmer may
// be used by any number of goroutines.
type Warmer[K comparable] struct {
	searcher *Searcher
	threads  int
	read     func(ctx context.Context, index K) (view View, release func(), ok bool)

	mu      sync.Mutex // guards the fields below
	waiting []K
	running map[K]context.CancelCauseFunc
	wake    chan struct{} // holds a token while anything waits
}

// NewWarmer returns a warmer with that many threads. read returns the current view
// of an index, which release gives back, and false when the index is not open.
func NewWarmer[K comparable](s *Searcher, threads int, read func(ctx context.Context, index K) (View, func(), bool)) *Warmer[K] {
	return &Warmer[K]{searcher: s, threads: threads, read: read,
		running: make(map[K]context.CancelCauseFunc), wake: make(chan struct{}, 1)}
}

// Changed notes that an index has a new reader. It does not block.
func (w *Warmer[K]) Changed(index K) {
	if w.threads <= 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if cancel := w.running[index]; cancel != nil {
		cancel(errSuperseded)
	}
	for _, one := range w.waiting {
		if one == index {
			return
		}
	}
	w.waiting = append(w.waiting, index)
	w.queued()
}

// queued records the length of the queue and wakes a thread if it is not empty. The
// caller must hold mu.
func (w *Warmer[K]) queued() {
	w.searcher.metrics.FacetWarmQueued(len(w.waiting))
	if len(w.waiting) == 0 {
		return
	}
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Run prepares indexes until ctx ends.
func (w *Warmer[K]) Run(ctx context.Context) {
	var threads sync.WaitGroup
	for range w.threads {
		threads.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case <-w.wake:
					w.next(ctx)
				}
			}
		})
	}
	threads.Wait()
}

// next prepares the index that has waited longest among those not being prepared.
func (w *Warmer[K]) next(ctx context.Context) {
	w.mu.Lock()
	at := -1
	for i, index := range w.waiting {
		if w.running[index] == nil {
			at = i
			break
		}
	}
	if at < 0 {
		w.mu.Unlock()
		return // the thread preparing it wakes the next one when done
	}
	index := w.waiting[at]
	w.waiting = append(w.waiting[:at], w.waiting[at+1:]...)
	bounded, cancel := context.WithCancelCause(ctx)
	w.running[index] = cancel
	w.queued()
	w.mu.Unlock()

	w.prepare(bounded, index)

	w.mu.Lock()
	defer w.mu.Unlock()
	cancel(nil)
	delete(w.running, index)
	w.queued()
}

func (w *Warmer[K]) prepare(ctx context.Context, index K) {
	view, release, ok := w.read(ctx, index)
	if !ok {
		return
	}
	defer release()
	s := w.searcher
	began := s.options.Now()
	err := collect.Guard(func() error { return s.Warm(ctx, view) })
	outcome := "success"
	switch {
	case err == nil:
	case context.Cause(ctx) == errSuperseded:
		outcome = "superseded"
	case ctx.Err() != nil:
		outcome = "stopped"
	default:
		outcome = "error"
	}
	s.metrics.FacetWarm(outcome, s.options.Now().Sub(began))
}
