package node

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/reindex"
	"github.com/quiresearch/quire/internal/vfs/faultfs"
	"github.com/quiresearch/quire/problem"
)

// powered is the bucket of a machine that loses power: afterwards the processes
// from before read and write nothing.
type powered struct {
	bucket.Bucket
	off *atomic.Bool
}

var errPower = errors.New("power is off")

func (p powered) Get(ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error) {
	if p.off.Load() {
		return bucket.Object{}, errPower
	}
	return p.Bucket.Get(ctx, key, unless)
}

func (p powered) PutIf(ctx context.Context, key string, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	if p.off.Load() {
		return bucket.Written{}, errPower
	}
	return p.Bucket.PutIf(ctx, key, body, condition)
}

func (p powered) Delete(ctx context.Context, key string, condition bucket.Condition) (bucket.Written, error) {
	if p.off.Load() {
		return bucket.Written{}, errPower
	}
	return p.Bucket.Delete(ctx, key, condition)
}

// ledger is what clients were answered: for each key the last acknowledged document
// and every write since whose outcome they do not know. An empty string stands for
// no document.
type ledger struct {
	mu       sync.Mutex
	known    map[string]string
	possible map[string][]string
}

func (l *ledger) acknowledged(key, raw string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known[key] = raw
	delete(l.possible, key)
}

func (l *ledger) unknown(key, raw string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.possible[key] = append(l.possible[key], raw)
}

func (l *ledger) check(t *testing.T, seed uint64, got map[string]string) {
	keys := maps.Clone(l.known)
	maps.Copy(keys, got)
	for key := range keys {
		fits := got[key] == l.known[key]
		for _, raw := range l.possible[key] {
			fits = fits || got[key] == raw
		}
		if !fits {
			t.Errorf("seed %d: %s is %q, acknowledged %q, possible %q", seed, key, got[key], l.known[key], l.possible[key])
		}
	}
}

// Power fails at random moments of reindex jobs under load. Whatever the phase,
// every acknowledged write is there afterwards, the job ends, and nothing tracks changes.
func TestPowerLossDuringReindex(t *testing.T) {
	seeds := uint64(10)
	if testing.Short() {
		seeds = 3
	}
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) { powerLoss(t, seed) })
		if t.Failed() {
			return
		}
	}
}

func powerLoss(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 7))
	store, disk := memory.New(nil), faultfs.New(nil)
	told := &ledger{known: map[string]string{}, possible: map[string][]string{}}
	for life := range 6 {
		f := &fixture{T: t, fs: disk}
		off := new(atomic.Bool)
		f.bucket = powered{store, off}
		f.options = Options{NodeID: fmt.Sprint("n", life), FreshnessWait: time.Minute, MaxOpen: random.IntN(3),
			Engine:  engine.Options{MaxChanges: 50, MinFree: -1, Workers: 2},
			Reindex: reindex.Options{CatchupInterval: 10 * time.Millisecond}}
		f.start()
		if life == 0 {
			f.mustPut("books", books)
			initial := manyBooks(300)
			f.mustWrite("books", initial...)
			for i, raw := range initial {
				told.acknowledged(fmt.Sprint(i), raw)
			}
		}
		// In the last life the power stays on.
		if life < 5 {
			left := int64(random.IntN(600) + 20)
			disk.SetFault(func(faultfs.Call) error {
				if atomic.AddInt64(&left, -1) <= 0 {
					off.Store(true)
					return faultfs.ErrPower
				}
				return nil
			})
		}
		stop := make(chan struct{})
		var clients sync.WaitGroup
		for client := range 3 {
			pick := rand.New(rand.NewPCG(seed, uint64(100*life+client)))
			clients.Go(func() { writeUntil(f, stop, off, pick, client, life, told) })
		}
		for i := 0; i < 200 && !off.Load(); i++ {
			time.Sleep(time.Millisecond)
			if isIdle(f) {
				startNext(f, random, off)
			}
		}
		close(stop)
		clients.Wait()
		if life < 5 {
			off.Store(true)
			disk.PowerOff()
			f.stop()
			_ = f.Node.Close(context.Background())
			disk = disk.Restart(random, random.IntN(3) == 0)
			continue
		}
		for !isIdle(f) {
			if record := f.job("books"); record.Phase == reindex.Ready {
				if _, err := f.Promote(t.Context(), parse(t, record.Target)); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
			time.Sleep(time.Millisecond)
		}
		if _, err := f.Commit(t.Context(), parse(t, "books")); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		told.check(t, seed, f.documents("books", ""))
		time.Sleep(time.Minute)
		if got := f.tracking(); len(got) > 0 {
			t.Errorf("seed %d: %v track changes that no job needs", seed, got)
		}
		f.shut()
	}
}

// isIdle reports whether no job is under way.
func isIdle(f *fixture) bool {
	record, err := f.Reindex(context.Background(), parse(f, "books"))
	return errors.Is(err, problem.ReindexNotFound) || err == nil && record.Phase.IsFinished()
}

// startNext fills another generation, automatically or up to the promotion.
func startNext(f *fixture, random *rand.Rand, off *atomic.Bool) {
	mode := reindex.Auto
	if random.IntN(3) == 0 {
		mode = reindex.Manual
	}
	target := fmt.Sprintf("books@g%d", random.IntN(1<<30))
	_, _, err := f.put(target, facets, func(p *Put) { p.Reindex, p.HasReindex = mode, true })
	if err != nil && !off.Load() {
		f.Errorf("start of %s: %v", target, err)
	}
}

// writeUntil changes documents of its own until it is stopped.
func writeUntil(f *fixture, stop chan struct{}, off *atomic.Bool, pick *rand.Rand, client, life int, told *ledger) {
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		case <-time.After(time.Duration(pick.IntN(3000)) * time.Microsecond):
		}
		key := fmt.Sprint(pick.IntN(100)*3 + client)
		raw := fmt.Sprintf(`{"id":"%s","name":"life %d write %d"}`, key, life, n)
		if pick.IntN(4) == 0 {
			raw = ""
		}
		w := f.Write(parse(f, "books"))
		err := w.Do(context.Background(), func(g *generations.Generation, s *engine.WriteStream) error {
			if raw == "" {
				return s.Delete(context.Background(), document.Key(key))
			}
			return add(g, s, raw)
		})
		_, finishErr := w.Finish(context.Background())
		switch err := errors.Join(err, finishErr); {
		case err == nil:
			told.acknowledged(key, raw)
		case off.Load():
			told.unknown(key, raw)
		default:
			f.Errorf("write of %s: %v", key, err)
			return
		}
	}
}
