package versioned

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"reflect"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/faultbucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/problem"
)

type counter struct {
	Count int `json:"count"`
}

func add(now Object[counter]) (counter, error) { return counter{now.Value.Count + 1}, nil }

// faulty answers puts and gets according to functions; a nil fault lets the call
// through.
type faulty struct {
	bucket.Bucket
	put func() (lose bool, before error)
	get func() error
}

func (f *faulty) PutIf(ctx context.Context, key string, body bucket.Body, c bucket.Condition) (bucket.Written, error) {
	lose, err := f.put()
	if err != nil {
		return bucket.Written{}, err
	}
	w, err := f.Bucket.PutIf(ctx, key, body, c)
	if lose {
		return bucket.Written{}, bucket.ErrUnknown
	}
	return w, err
}

func (f *faulty) Get(ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error) {
	if f.get != nil {
		if err := f.get(); err != nil {
			return bucket.Object{}, err
		}
	}
	return f.Bucket.Get(ctx, key, unless)
}

func TestObjectIsReadBack(t *testing.T) {
	store := New[counter](memory.New(time.Now), "thing", "thing")
	absent, err := store.Read(t.Context())
	if err != nil || absent.Exists() {
		t.Fatalf("absent object: %+v, %v", absent, err)
	}
	for want := 1; want <= 40; want++ {
		written, err := store.Change(t.Context(), add)
		if err != nil || written.Value.Count != want || written.Version != uint64(want) {
			t.Fatalf("change %d: %+v, %v", want, written, err)
		}
		read, err := store.Read(t.Context())
		if err != nil || read.Value != written.Value || read.tag != written.tag || len(read.ancestry) != min(want-1, 32) {
			t.Fatalf("read back %d: %+v, %v", want, read, err)
		}
		if _, changed, err := store.ReadUnless(t.Context(), read); changed || err != nil {
			t.Fatalf("unchanged object: %v, %v", changed, err)
		}
	}
}

func TestReplaceOfAnObjectThatMovedIsLost(t *testing.T) {
	store := New[counter](memory.New(time.Now), "thing", "thing")
	first, _ := store.Replace(t.Context(), Object[counter]{}, counter{1})
	if _, err := store.Replace(t.Context(), Object[counter]{}, counter{9}); !errors.Is(err, ErrLost) {
		t.Fatalf("second creation: %v", err)
	}
	if _, err := store.Replace(t.Context(), first, counter{2}); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Replace(t.Context(), first, counter{9}); !errors.Is(err, ErrLost) {
		t.Fatalf("stale replace: %v", err)
	}
	if now, _ := store.Read(t.Context()); now.Value.Count != 2 {
		t.Fatalf("stored %+v", now)
	}
}

func TestChangeGivesUpAfterThreeLostWrites(t *testing.T) {
	b := memory.New(time.Now)
	store, other := New[counter](b, "thing", "thing"), New[counter](b, "thing", "thing")
	calls := 0
	_, err := store.Change(t.Context(), func(now Object[counter]) (counter, error) {
		calls++
		if _, err := other.Change(t.Context(), add); err != nil {
			t.Fatal(err)
		}
		return add(now)
	})
	if !errors.Is(err, problem.StorageConflict) || calls != Attempts {
		t.Fatalf("%v after %d attempts", err, calls)
	}
}

// Writers that lose a race together retry at different times.
func TestChangePausesAfterALostWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(time.Now)
		const writers = 4
		var (
			group    sync.WaitGroup
			mu       sync.Mutex
			returned = make(map[time.Duration]bool)
			first    sync.WaitGroup
		)
		began := time.Now()
		first.Add(writers)
		for range writers {
			group.Go(func() {
				isFirst := true
				written, err := New[counter](b, "thing", "thing").Change(t.Context(), func(now Object[counter]) (counter, error) {
					if isFirst { // all have read the same state
						isFirst = false
						first.Done()
						first.Wait()
					}
					return add(now)
				})
				if err != nil && !errors.Is(err, problem.StorageConflict) {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				if err == nil && written.Value.Count > 1 {
					returned[time.Since(began)] = true
				}
			})
		}
		group.Wait()
		if len(returned) == 0 || returned[0] {
			t.Errorf("those that lost first came back after %v", returned)
		}
	})
}

func TestChangeWithoutEffectWritesNothing(t *testing.T) {
	store := New[counter](memory.New(time.Now), "thing", "thing")
	_, err := store.Change(t.Context(), func(Object[counter]) (counter, error) { return counter{}, ErrUnchanged })
	if now, _ := store.Read(t.Context()); err != nil || now.Exists() {
		t.Fatalf("%+v, %v", now, err)
	}
}

func TestDamagedObjectIsCorrupt(t *testing.T) {
	b := memory.New(time.Now)
	store := New[counter](b, "thing", "thing")
	if _, err := store.Change(t.Context(), add); err != nil {
		t.Fatal(err)
	}
	content, _, err := bucket.ReadAll(t.Context(), b, "thing", "", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for i := range content {
		damaged := append([]byte(nil), content...)
		damaged[i] ^= 1
		if _, err := b.PutIf(t.Context(), "thing", bucket.Bytes(damaged), bucket.Always); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Read(t.Context()); !errors.Is(err, ErrCorrupt) || !errors.Is(err, problem.StorageIoError) {
			t.Fatalf("byte %d of %s: %v", i, damaged, err)
		}
		if _, err := store.Change(t.Context(), add); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("change over damage: %v", err)
		}
	}
}

// A reply that is lost after the store applied the write is detected by reading
// back, even if others wrote since.
func TestLostReplyIsSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(time.Now)
		other := New[counter](b, "thing", "thing")
		lost := true
		f := &faulty{Bucket: b}
		f.put = func() (bool, error) {
			lose := lost
			if !lose {
				// Between the two attempts another writer replaces the object.
				for range 5 {
					if _, err := other.Change(t.Context(), add); err != nil {
						t.Error(err)
					}
				}
			}
			lost = false
			return lose, nil
		}
		written, err := New[counter](f, "thing", "thing").Change(t.Context(), add)
		if err != nil || written.Value.Count != 1 {
			t.Fatalf("%+v, %v", written, err)
		}
		if _, err := New[counter](b, "thing", "thing").Replace(t.Context(), written, counter{0}); !errors.Is(err, ErrLost) {
			t.Fatalf("replace of what was superseded: %v", err)
		}
	})
}

func TestUnknownOutcomeIsReportedAsUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &faulty{Bucket: memory.New(time.Now), put: func() (bool, error) { return false, bucket.ErrUnknown }}
		if _, err := New[counter](f, "thing", "thing").Change(t.Context(), add); !errors.Is(err, problem.StorageUnknown) {
			t.Fatalf("no answer at all: %v", err)
		}
		f.put = func() (bool, error) { return false, bucket.ErrUndecided }
		if _, err := New[counter](f, "thing", "thing").Change(t.Context(), add); !errors.Is(err, problem.StorageConflict) {
			t.Fatalf("never decided: %v", err)
		}
		f.put = func() (bool, error) { return false, errors.New("no route") }
		if _, err := New[counter](f, "thing", "thing").Change(t.Context(), add); !errors.Is(err, problem.StorageIoError) {
			t.Fatalf("not written: %v", err)
		}
	})
}

// A reservation is not an object yet. Only the write that replaces it brings one.
func TestAPlaceIsReserved(t *testing.T) {
	b := memory.New(time.Now)
	store := New[counter](b, "thing", "thing")
	reserved, err := store.Reserve(t.Context())
	if err != nil || !reserved.Exists() {
		t.Fatalf("%+v, %v", reserved, err)
	}
	read, err := store.Read(t.Context())
	if !errors.Is(err, ErrCorrupt) || !reflect.DeepEqual(read, reserved) {
		t.Errorf("what is reserved is read as %+v, %v", read, err)
	}
	if _, err := store.Change(t.Context(), add); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a change: %v", err)
	}
	if _, err := store.Reserve(t.Context()); !errors.Is(err, ErrLost) {
		t.Errorf("reserved twice: %v", err)
	}
	if _, err := store.Replace(t.Context(), read, counter{1}); err != nil {
		t.Fatal(err)
	}
	if now, err := store.Read(t.Context()); err != nil || now.Value.Count != 1 || now.Version != 1 {
		t.Errorf("%+v, %v", now, err)
	}
	if _, err := store.Replace(t.Context(), reserved, counter{2}); !errors.Is(err, ErrLost) {
		t.Errorf("replaced twice: %v", err)
	}
}

// VE3: of two writes to a place that one of them reserved, the second knows that it
// lost, even if its first attempt was not answered.
func TestAReservedPlaceIsTakenByAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(time.Now)
		f := &faulty{Bucket: b, put: func() (bool, error) { return false, nil }}
		store, other := New[counter](f, "thing", "thing"), New[counter](b, "thing", "thing")
		reserved, err := store.Reserve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		f.put = func() (bool, error) {
			f.put = func() (bool, error) { return false, nil }
			read, _ := other.Read(t.Context())
			if _, err := other.Replace(t.Context(), read, counter{1}); err != nil {
				t.Error(err)
			}
			return false, bucket.ErrUnknown
		}
		if _, err := store.Replace(t.Context(), reserved, counter{2}); !errors.Is(err, ErrLost) {
			t.Errorf("%v", err)
		}
	})
}

func TestAReservationWithoutAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &faulty{Bucket: memory.New(time.Now)}
		store := New[counter](f, "thing", "thing")
		for given, want := range map[error]error{bucket.ErrUnknown: problem.StorageUnknown,
			bucket.ErrUndecided: problem.StorageConflict, errors.New("no route"): problem.StorageIoError} {
			f.put = func() (bool, error) { return false, given }
			if _, err := store.Reserve(t.Context()); !errors.Is(err, want) {
				t.Errorf("%v: %v", given, err)
			}
		}
		f.put = func() (bool, error) {
			f.put = func() (bool, error) { return false, nil }
			return true, nil
		}
		if _, err := store.Reserve(t.Context()); !errors.Is(err, ErrLost) {
			t.Errorf("only the answer was lost: %v", err)
		}
		if read, err := store.Read(t.Context()); !errors.Is(err, ErrCorrupt) || !read.Exists() {
			t.Errorf("%+v, %v", read, err)
		}
	})
}

// VE3: a write whose answer was lost is not reported as failed when the object is
// damaged, gone or older at the next attempt: it was made.
func TestALostReplyOfAnObjectThatIsDamagedThen(t *testing.T) {
	for name, damage := range map[string]func(*testing.T, bucket.Bucket){
		"damaged": func(t *testing.T, b bucket.Bucket) {
			if _, err := b.PutIf(t.Context(), "thing", bucket.Bytes([]byte("garbage")), bucket.Always); err != nil {
				t.Fatal(err)
			}
		},
		"older": func(t *testing.T, b bucket.Bucket) {
			content, err := encode(Object[counter]{}.successor(counter{1}))
			if err == nil {
				_, err = b.PutIf(t.Context(), "thing", bucket.Bytes(content), bucket.Always)
			}
			if err != nil {
				t.Fatal(err)
			}
		},
		"gone": func(t *testing.T, b bucket.Bucket) {
			if _, err := b.Delete(t.Context(), "thing", bucket.Always); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				under := memory.New(time.Now)
				first, err := New[counter](under, "thing", "thing").Replace(t.Context(), Object[counter]{}, counter{1})
				if err != nil {
					t.Fatal(err)
				}
				tries := 0
				b := &faulty{Bucket: under, put: func() (bool, error) {
					if tries++; tries == 2 {
						damage(t, under)
					}
					return tries == 1, nil
				}}
				if _, err := New[counter](b, "thing", "thing").Replace(t.Context(), first, counter{2}); !errors.Is(err, problem.StorageUnknown) {
					t.Errorf("%v", err)
				}
			})
		})
	}
}

// before returns the object that a write is to replace, or nothing when it is the
// first one.
func before(t *testing.T, store *Store[counter], isFirst bool) (held Object[counter]) {
	t.Helper()
	if isFirst {
		return held
	}
	held, err := store.Replace(t.Context(), held, counter{1})
	if err != nil {
		t.Fatal(err)
	}
	return held
}

// VE3, I10: an object that is lost and written afresh may continue the count from
// the version of a write whose answer was lost, by a node that read that write. It
// does not show that the write was not made.
func TestALostReplyOfAnObjectThatIsWrittenAnew(t *testing.T) {
	for _, isFirst := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			under := memory.New(time.Now)
			store := New[counter](under, "thing", "thing")
			held := before(t, store, isFirst)
			tries := 0
			b := &faulty{Bucket: under, put: func() (bool, error) {
				if tries++; tries == 2 {
					now, err := store.Read(t.Context())
					if err == nil {
						_, err = under.Delete(t.Context(), "thing", bucket.Always)
					}
					if err == nil {
						_, err = store.Replace(t.Context(), Object[counter]{Version: now.Version}, now.Value)
					}
					if err != nil {
						t.Error(err)
					}
				}
				return tries == 1, nil
			}}
			if _, err := New[counter](b, "thing", "thing").Replace(t.Context(), held, counter{2}); !errors.Is(err, problem.StorageUnknown) {
				t.Errorf("first %t: %v", isFirst, err)
			}
		})
	}
}

// A write whose answer was lost and that was not made is reported as lost, even if
// it would have been the first.
func TestAWriteThatAnotherOneCameBefore(t *testing.T) {
	for _, isFirst := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			under := memory.New(time.Now)
			store := New[counter](under, "thing", "thing")
			held := before(t, store, isFirst)
			tries := 0
			b := &faulty{Bucket: under, put: func() (bool, error) {
				if tries++; tries == 1 {
					return false, bucket.ErrUnknown
				}
				for range 5 {
					if _, err := store.Change(t.Context(), add); err != nil {
						t.Error(err)
					}
				}
				return false, nil
			}}
			if _, err := New[counter](b, "thing", "thing").Replace(t.Context(), held, counter{9}); !errors.Is(err, ErrLost) {
				t.Errorf("first %t: %v", isFirst, err)
			}
		})
	}
}

// Many writers use a store that loses replies, cannot decide and refuses reads:
// writes reported as made are there, and writes reported as not made are not.
func TestCountsUnderFaults(t *testing.T) {
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			random := rand.New(rand.NewPCG(seed, 1))
			roll := func(n int) int { mu.Lock(); defer mu.Unlock(); return random.IntN(n) }
			b := memory.New(time.Now)
			f := &faulty{Bucket: b}
			f.put = func() (bool, error) {
				time.Sleep(time.Duration(roll(20)) * time.Millisecond)
				switch roll(8) {
				case 0:
					return true, nil
				case 1:
					return false, bucket.ErrUnknown
				case 2:
					return false, bucket.ErrUndecided
				}
				return false, nil
			}
			f.get = func() error {
				if roll(10) == 0 {
					return errors.New("read refused")
				}
				return nil
			}
			var made, unknown int
			var writers sync.WaitGroup
			for range 6 {
				writers.Go(func() {
					store := New[counter](f, "thing", "thing")
					for range 20 {
						_, err := store.Change(t.Context(), add)
						mu.Lock()
						switch {
						case err == nil:
							made++
						case errors.Is(err, problem.StorageUnknown):
							unknown++
						case !errors.Is(err, problem.StorageConflict) && !errors.Is(err, problem.StorageIoError):
							t.Errorf("seed %d: %v", seed, err)
						}
						mu.Unlock()
					}
				})
			}
			writers.Wait()
			now, err := New[counter](b, "thing", "thing").Read(t.Context())
			if err != nil || now.Value.Count < made || now.Value.Count > made+unknown {
				t.Errorf("seed %d: %d stored, %d made, %d unknown, %v", seed, now.Value.Count, made, unknown, err)
			}
			if now.Version != uint64(now.Value.Count) {
				t.Errorf("seed %d: version %d of %d changes", seed, now.Version, now.Value.Count)
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	seed, _ := encode(Object[counter]{}.successor(counter{3}))
	f.Add(seed)
	reserved, _ := encode(Object[counter]{writeID: newWriteID()})
	f.Add(reserved)
	f.Add([]byte(`{"format":1}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		o, err := decode[counter](content)
		if err == nil && (o.Version == 0 || o.writeID == "") {
			t.Fatalf("%s was read as %+v", content, o)
		}
	})
}

// refusing lets reads through and answers writes with an error.
type refusing struct {
	bucket.Bucket
	err error
}

func (r refusing) PutIf(context.Context, string, bucket.Body, bucket.Condition) (bucket.Written, error) {
	return bucket.Written{}, r.err
}

func TestStorageThatLetsNobodyInIsUnavailable(t *testing.T) {
	for cause, want := range map[error]*problem.Code{
		fs.ErrPermission:         problem.StorageUnavailable,
		syscall.EACCES:           problem.StorageUnavailable,
		syscall.EROFS:            problem.StorageUnavailable,
		syscall.ENOSPC:           problem.StorageIoError,
		errors.New("status 400"): problem.StorageIoError,
	} {
		s := New[int](refusing{memory.New(nil), fmt.Errorf("put: %w", cause)}, "k", "keys")
		_, err := s.Change(t.Context(), func(Object[int]) (int, error) { return 1, nil })
		if !errors.Is(err, want) || problem.All(err)[0].Arguments["resource"] != "keys" {
			t.Errorf("%v becomes %v", cause, err)
		}
	}
}

// I17: the outcome of a removal whose answer is lost is settled by removing again;
// a bucket that stays away is not reported to have changed nothing.
func TestRemovalsAreSettled(t *testing.T) {
	for _, test := range []struct {
		name  string
		fault faultbucket.Fault
		times int
		want  error
	}{
		{"lost answer", faultbucket.LoseReply, 1, nil},
		{"not delivered", faultbucket.Unavailable, 1, nil},
		{"away", faultbucket.Unavailable, 1000, problem.StorageUnknown},
		{"hanging", faultbucket.Stall, 1000, problem.StorageUnknown},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				under := memory.New(nil)
				if _, err := under.PutIf(t.Context(), "thing", bucket.Bytes([]byte("x")), bucket.Always); err != nil {
					t.Fatal(err)
				}
				b := faultbucket.New(under, func(call faultbucket.Call) faultbucket.Fault {
					if call.Number > test.times {
						return faultbucket.None
					}
					return test.fault
				})
				if err := Delete(t.Context(), b, "thing", "thing"); !errors.Is(err, test.want) {
					t.Errorf("got %v", err)
				}
				if _, err := under.Get(t.Context(), "thing", ""); test.want == nil && !errors.Is(err, bucket.ErrNotFound) {
					t.Errorf("it is still there: %v", err)
				}
			})
		})
	}
}
