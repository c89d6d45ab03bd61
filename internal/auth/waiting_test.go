package auth

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

// While the store does not answer a change of the keys, a caller may leave another
// change, and an unknown credential is refused within the limit of a look-up.
func TestCallersLeaveAChangeThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := faultbucket.New(memory.New(nil), nil)
		a := open(t, b, Options{RootKey: "r"})
		b.SetPlan(func(c faultbucket.Call) faultbucket.Fault {
			if c.Op == "put" {
				return faultbucket.Hang
			}
			return faultbucket.None
		})
		var first sync.WaitGroup
		first.Go(func() { _, _, _ = a.Create(context.Background(), searchKey()) })
		synctest.Wait()

		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, _, err := a.Create(ctx, searchKey()); !errors.Is(err, problem.StorageIoError) || time.Since(began) != time.Second {
			t.Errorf("create: %v after %s", err, time.Since(began))
		}
		began = time.Now()
		_, err := a.Authenticate(t.Context(), []string{"Bearer quire_0000000000000000_x"})
		if !errors.Is(err, problem.AuthUnauthenticated) || time.Since(began) != refreshLimit {
			t.Errorf("an unknown credential: %v after %s", err, time.Since(began))
		}
		first.Wait()
		b.SetPlan(nil)
		mustCreate(t, a, searchKey())
	})
}
