package turn

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestLockIsHeldByOne(t *testing.T) {
	var (
		lock  Lock
		group sync.WaitGroup
		n     int
	)
	for range 16 {
		group.Go(func() {
			for range 500 {
				lock.Lock()
				n++
				lock.Unlock()
			}
		})
	}
	group.Wait()
	if n != 16*500 {
		t.Errorf("counted %d", n)
	}
}

func TestSharedIsAloneOrTogether(t *testing.T) {
	var (
		lock  Shared
		group sync.WaitGroup
		n, m  int
	)
	for i := range 16 {
		group.Go(func() {
			for range 300 {
				if i%4 == 0 {
					lock.Lock()
					n++
					m++
					lock.Unlock()
					continue
				}
				lock.RLock()
				if n != m {
					t.Error("seen half a change")
				}
				lock.RUnlock()
			}
		})
	}
	group.Wait()
}

func TestVirtualTimeGoesOnWhileAHolderSleeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var (
			lock   Lock
			shared Shared
			group  sync.WaitGroup
		)
		began := time.Now()
		for range 3 {
			group.Go(func() {
				lock.Lock()
				defer lock.Unlock()
				time.Sleep(time.Second)
				shared.RLock()
				defer shared.RUnlock()
			})
		}
		group.Go(func() {
			shared.Lock()
			defer shared.Unlock()
			time.Sleep(10 * time.Second)
		})
		group.Wait()
		if took := time.Since(began); took < 3*time.Second {
			t.Errorf("took %s", took)
		}
	})
}
