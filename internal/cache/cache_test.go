package cache

import (
	"math/rand/v2"
	"sync"
	"testing"
)

func TestEvictsWhatWasNotAskedForLongest(t *testing.T) {
	c := New[string, int, string](Options{MaxEntries: 2}, nil)
	c.Put("a", 1, "one", 0)
	c.Put("a", 2, "two", 0)
	if _, ok := c.Get("a", 1); !ok {
		t.Fatal("1 is not kept")
	}
	c.Put("b", 3, "three", 0)
	if _, ok := c.Get("a", 2); ok || c.Len() != 2 {
		t.Errorf("2 was kept, or %d entries", c.Len())
	}
	if v, ok := c.Get("b", 3); !ok || v != "three" {
		t.Errorf("3 is %q, %v", v, ok)
	}
}

func TestDropForgetsAnOwner(t *testing.T) {
	c := New[string, int, int](Options{MaxBytes: 64 << 20}, nil)
	for i := range 1000 {
		c.Put("a", i, i, 10)
		c.Put("b", i, -i, 10)
	}
	c.Drop("a")
	if c.Len() != 1000 {
		t.Fatalf("%d entries", c.Len())
	}
	for i := range 1000 {
		if _, ok := c.Get("a", i); ok {
			t.Fatalf("a %d is kept", i)
		}
		if v, ok := c.Get("b", i); !ok || v != -i {
			t.Fatalf("b %d is %d, %v", i, v, ok)
		}
	}
	c.Drop("b")
	if c.Len() != 0 || c.Bytes() != 0 {
		t.Errorf("%d entries of %d bytes", c.Len(), c.Bytes())
	}
	for i := range c.shards {
		if len(c.shards[i].owners) != 0 {
			t.Errorf("shard %d holds an owner", i)
		}
	}
}

func TestBoundsHold(t *testing.T) {
	for _, o := range []Options{{MaxBytes: 10_000}, {MaxBytes: 4 << 20}, {MaxEntries: 5}, {MaxEntries: 2048}, {MaxEntries: 5000, MaxBytes: 2 << 20}} {
		c := New[int, int, int](o, nil)
		r := rand.New(rand.NewPCG(1, 2))
		for range 20_000 {
			owner, key := r.IntN(20), r.IntN(3000)
			switch r.IntN(50) {
			case 0:
				c.Drop(owner)
			default:
				c.Put(owner, key, owner*10_000+key, int64(r.IntN(4000)))
			}
			if v, ok := c.Get(owner, key); ok && v != owner*10_000+key {
				t.Fatalf("%+v: %d of %d is %d", o, key, owner, v)
			}
		}
		if o.MaxBytes > 0 && c.Bytes() > o.MaxBytes || o.MaxEntries > 0 && c.Len() > o.MaxEntries {
			t.Errorf("%+v: %d entries of %d bytes", o, c.Len(), c.Bytes())
		}
	}
}

func TestNilAndTooLarge(t *testing.T) {
	var none *Cache[int, int, int]
	none.Put(1, 1, 1, 1)
	none.Drop(1)
	if _, ok := none.Get(1, 1); ok || none.Len() != 0 || none.Bytes() != 0 {
		t.Error("a nil cache keeps")
	}
	c := New[int, int, int](Options{MaxBytes: 1000}, nil)
	c.Put(1, 1, 1, 10)
	c.Put(1, 2, 2, 5000)
	if _, ok := c.Get(1, 1); !ok || c.Len() != 1 {
		t.Error("a value larger than the cache drove others out")
	}
}

func TestUsedByMany(t *testing.T) {
	c := New[int, int, int](Options{MaxBytes: 2 << 20}, nil)
	var wait sync.WaitGroup
	for g := range 4 {
		wait.Go(func() {
			for i := range 5000 {
				c.Put(g, i%700, i%700, 100)
				if v, ok := c.Get(g, i%700); ok && v != i%700 {
					t.Errorf("%d", v)
				}
				if i%1000 == 0 {
					c.Drop(g)
				}
			}
		})
	}
	wait.Wait()
}
