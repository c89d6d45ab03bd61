package registry

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket/faultbucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/problem"
)

// A change or repair whose caller leaves does not wait for an earlier change that
// the store does not answer.
func TestACallerLeavesAChangeThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := faultbucket.New(memory.New(nil), nil)
		r := open(t, b)
		live := create(t, r, "books@1")
		b.SetPlan(func(c faultbucket.Call) faultbucket.Fault {
			if c.Op == "put" {
				return faultbucket.Hang
			}
			return faultbucket.None
		})
		hint := map[ID]uint64{live.Generation: 2}
		var first sync.WaitGroup
		first.Go(func() { _ = r.Hint(context.Background(), hint, nil) })
		synctest.Wait()
		for what, change := range map[string]func(context.Context) error{
			"change": func(ctx context.Context) error { return r.Hint(ctx, hint, nil) },
			"repair": func(ctx context.Context) error {
				_, err := r.Repair(ctx, RepairRequest{}, nil)
				return err
			},
		} {
			began := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			err := change(ctx)
			cancel()
			if took := time.Since(began); !errors.Is(err, problem.StorageIoError) || took != time.Second {
				t.Errorf("%s: %v after %s", what, err, took)
			}
		}
		first.Wait()
		b.SetPlan(nil)
		if err := r.Hint(t.Context(), hint, nil); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	})
}
