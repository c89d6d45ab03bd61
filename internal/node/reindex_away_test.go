package node

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/faultbucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/reindex"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// A job waits for a bucket that is away, for as long as it takes and in whatever
// phase it is, and continues when the bucket is back.
func TestAJobGoesOnWhenTheBucketIsBack(t *testing.T) {
	for _, phase := range unfinished {
		t.Run(string(phase), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				away := faultbucket.New(memory.New(nil), nil)
				gate := &gatedBucket{Bucket: away}
				f := sharedNode(t, gate, vfs.Memory(), "a")
				f.mustPut("books", books)
				f.mustWrite("books", manyBooks(2500)...)
				f.mustPut("books@2", facets)
				var open func()
				if phase == reindex.Pending {
					away.SetPlan(func(c faultbucket.Call) faultbucket.Fault { // from its record on
						if !strings.HasPrefix(c.Key, "jobs/") && c.Key != "leadership" {
							return faultbucket.Unavailable
						}
						return faultbucket.None
					})
					f.startJob("books@2", reindex.Auto)
					open = func() {}
				} else {
					open = f.at(gate, phase)
				}
				away.SetPlan(func(faultbucket.Call) faultbucket.Fault { return faultbucket.Unavailable })
				open()
				time.Sleep(2 * time.Hour)
				away.SetPlan(nil)
				time.Sleep(2 * time.Minute) // the pauses have become long
				token := f.mustWrite("books", book(1, "afterwards"))
				if phase == reindex.Ready {
					f.reach("books", reindex.Ready)
					if _, err := f.Promote(t.Context(), parse(t, "books@2")); err != nil {
						t.Fatal(err)
					}
				}
				record := f.reach("books", reindex.Done)
				if got := f.documents("books", *record.Freshness); len(got) != 2500 {
					t.Errorf("%d documents", len(got))
				}
				if got := f.documents("books", token); got["1"] != book(1, "afterwards") {
					t.Errorf("what was written afterwards is %q", got["1"])
				}
			})
		})
	}
}

// A job that waits for the bucket can be cancelled; that is recorded when the
// bucket is back, and the job does not continue.
func TestAJobIsCancelledWhileTheBucketIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away := faultbucket.New(memory.New(nil), nil)
		gate := &gatedBucket{Bucket: away}
		f := sharedNode(t, gate, vfs.Memory(), "a")
		f.mustPut("books", books)
		f.mustWrite("books", manyBooks(2500)...)
		f.mustPut("books@2", facets)
		open := f.at(gate, reindex.Copying)
		away.SetPlan(func(c faultbucket.Call) faultbucket.Fault {
			if c.Op == "get" { // its record can be read
				return faultbucket.None
			}
			return faultbucket.Unavailable
		})
		open()
		time.Sleep(time.Minute)
		if record, err := f.CancelReindex(t.Context(), parse(t, "books")); err != nil || record.Phase.IsFinished() {
			t.Errorf("%s, %v", record.Phase, err)
		}
		time.Sleep(time.Hour)
		away.SetPlan(nil)
		time.Sleep(time.Minute)
		f.reach("books", reindex.Cancelled)
		f.mustWrite("books", book(1, "afterwards"))
		f.mustPut("books@3", facets)
		f.startJob("books@3", reindex.Auto)
		f.reach("books", reindex.Done)
	})
}

// A job that waits for the bucket ends when its target is deleted (seed 950180).
func TestAJobThatWaitsFailsWithoutItsTarget(t *testing.T) {
	for _, phase := range []reindex.Phase{reindex.Copying, reindex.Promoting} {
		t.Run(string(phase), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				away := faultbucket.New(memory.New(nil), nil)
				gate := &gatedBucket{Bucket: away}
				f := sharedNode(t, gate, vfs.Memory(), "a")
				f.mustPut("books", books)
				f.mustWrite("books", manyBooks(2500)...)
				f.mustPut("books@2", facets)
				open := f.at(gate, phase)
				away.SetPlan(func(faultbucket.Call) faultbucket.Fault { return faultbucket.Unavailable })
				open()
				time.Sleep(10 * time.Minute)
				away.SetPlan(func(c faultbucket.Call) faultbucket.Fault { // the job makes no progress
					if strings.HasPrefix(c.Key, "jobs/") && c.Op == "put" {
						return faultbucket.Unavailable
					}
					return faultbucket.None
				})
				time.Sleep(time.Minute)
				if err := f.Delete(t.Context(), parse(t, "books@2")); err != nil {
					t.Fatal(err)
				}
				away.SetPlan(nil)
				time.Sleep(time.Minute)
				if record := f.reach("books", reindex.Failed); record.Error == nil || !strings.Contains(*record.Error, "books@2") {
					t.Errorf("%+v", record)
				}
			})
		})
	}
}

// Jobs that cannot continue do not keep others from copying, however many there
// are.
func TestJobsThatWaitMakeRoomForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := faultbucket.New(memory.New(nil), nil)
		f := sharedNode(t, b, vfs.Memory(), "a")
		var broken []string
		for _, index := range []string{"one", "two", "books"} {
			f.mustPut(index, books)
			f.mustWrite(index, manyBooks(2500)...)
			f.mustPut(index+"@2", facets)
			if index != "books" {
				entry, err := f.registry.Resolve(parse(t, index+"@2"))
				if err != nil {
					t.Fatal(err)
				}
				broken = append(broken, entry.Generation.String())
			}
		}
		b.SetPlan(func(c faultbucket.Call) faultbucket.Fault {
			if c.Op == "put" && slices.ContainsFunc(broken, func(id string) bool { return strings.Contains(c.Key, id) }) {
				return faultbucket.Unavailable
			}
			return faultbucket.None
		})
		f.startJob("one@2", reindex.Auto)
		f.startJob("two@2", reindex.Auto)
		time.Sleep(time.Minute) // they hold all slots
		f.startJob("books@2", reindex.Auto)
		time.Sleep(10 * time.Minute)
		f.reach("books", reindex.Done)
		f.reach("one", reindex.Copying)
		f.reach("two", reindex.Copying)
		b.SetPlan(nil)
		time.Sleep(time.Minute)
		f.reach("one", reindex.Done)
		f.reach("two", reindex.Done)
	})
}

// I20: a promotion that would make writes wait for too long is not made, and its
// caller gets a problem; it can be requested again.
func TestAPromotionThatTakesTooLongIsNotMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := faultbucket.New(memory.New(nil), nil)
		f := sharedNode(t, b, vfs.Memory(), "a")
		f.mustPut("books", books)
		f.mustWrite("books", book(1, "one"))
		f.mustPut("books@2", facets)
		f.startJob("books@2", reindex.Manual)
		f.reach("books", reindex.Ready)
		f.mustWrite("books", book(2, "two"))
		b.SetPlan(func(c faultbucket.Call) faultbucket.Fault {
			if c.Op == "put" && strings.Contains(c.Key, "/seg/") {
				return faultbucket.Unavailable
			}
			return faultbucket.None
		})
		if _, err := f.Promote(t.Context(), parse(t, "books@2")); !errors.Is(err, problem.StorageIoError) {
			t.Errorf("the promotion: %v", err)
		}
		token := f.mustWrite("books", book(3, "three"))
		b.SetPlan(nil)
		time.Sleep(time.Minute)
		if _, err := f.Promote(t.Context(), parse(t, "books@2")); err != nil {
			t.Fatal(err)
		}
		if got := f.documents("books", token); len(got) != 3 {
			t.Errorf("%v", got)
		}
	})
}

// vague is a bucket that does not report the outcome of the promotion of generation
// 2, and is away afterwards.
type vague struct {
	bucket.Bucket
	how string // made, late or lost

	mu     sync.Mutex
	isAway bool
	late   func()
}

func (v *vague) PutIf(ctx context.Context, key string, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.isAway {
		return bucket.Written{}, bucket.ErrUnknown
	}
	if key == "registry" && v.how != "" {
		from, err := body.Open()
		if err != nil {
			return bucket.Written{}, err
		}
		var content bytes.Buffer
		if _, err := content.ReadFrom(from); err != nil {
			return bucket.Written{}, err
		}
		if bytes.Contains(content.Bytes(), []byte(`"live":"2"`)) {
			apply := func() { _, _ = v.Bucket.PutIf(context.Background(), key, body, condition) }
			switch v.how {
			case "made":
				apply()
			case "late":
				v.late = apply
			}
			v.isAway, v.how = true, ""
			return bucket.Written{}, bucket.ErrUnknown
		}
	}
	return v.Bucket.PutIf(ctx, key, body, condition)
}

func (v *vague) Get(ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.isAway {
		return bucket.Object{}, bucket.ErrUnknown
	}
	return v.Bucket.Get(ctx, key, unless)
}

// I16: while it is unknown whether an index was moved, writes are refused. The
// first write that is taken afterwards is found, whatever became of the promotion
// (seed 940000).
func TestAWriteAfterAPromotionThatIsNotKnownIsKept(t *testing.T) {
	for _, how := range []string{"made", "late", "lost"} {
		for _, byJob := range []bool{false, true} {
			name := how
			if byJob {
				name += "_by_a_job"
			}
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := &vague{Bucket: memory.New(nil)}
					f := sharedNode(t, b, vfs.Memory(), "a")
					f.mustPut("books", books)
					f.mustWrite("books", book(1, "one"))
					f.mustPut("books@2", books)
					if byJob {
						f.startJob("books@2", reindex.Manual)
						f.reach("books", reindex.Ready)
					}
					b.mu.Lock()
					b.how = how
					b.mu.Unlock()
					if _, err := f.Promote(t.Context(), parse(t, "books@2")); !errors.Is(err, problem.StorageUnknown) {
						t.Fatalf("the promotion: %v", err)
					}
					if _, err := f.write("books", book(2, "while it is away")); err == nil {
						t.Error("a write was taken without a bucket")
					}
					time.Sleep(time.Second)
					b.mu.Lock()
					b.isAway = false
					b.mu.Unlock()
					if _, err := f.write("books", book(3, "the first one")); err != nil {
						t.Fatal(err)
					}
					b.mu.Lock()
					if b.late != nil {
						b.late()
					}
					b.mu.Unlock()
					time.Sleep(time.Minute) // the registry is read again
					if _, err := f.Commit(t.Context(), parse(t, "books")); err != nil {
						t.Fatal(err)
					}
					if got := f.documents("books", ""); got["3"] == "" {
						t.Errorf("the write is lost: %v", got)
					}
				})
			})
		}
	}
}

// I17: a change requested while it is unknown whether an index was moved is made
// where the index answers from.
func TestAChangeAfterAPromotionThatIsNotKnownIsMadeWhereItAnswers(t *testing.T) {
	for how, want := range map[string]string{"made": "2", "late": "1", "lost": "1"} {
		t.Run(how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &vague{Bucket: memory.New(nil)}
				f := sharedNode(t, b, vfs.Memory(), "a")
				f.mustPut("books", books)
				f.mustPut("books@2", books)
				b.mu.Lock()
				b.how = how
				b.mu.Unlock()
				if _, err := f.Promote(t.Context(), parse(t, "books@2")); !errors.Is(err, problem.StorageUnknown) {
					t.Fatalf("the promotion: %v", err)
				}
				b.mu.Lock()
				b.isAway = false
				b.mu.Unlock()
				if d := f.mustPut("books", facets); d.Name.Generation != want {
					t.Errorf("the definition of %s was changed", d.Name)
				}
				if _, err := f.Promote(t.Context(), parse(t, "books@1")); err != nil {
					t.Fatal(err)
				}
				b.mu.Lock()
				if b.late != nil {
					b.late()
				}
				b.mu.Unlock()
				time.Sleep(time.Minute) // the registry is read again
				if entry, err := f.registry.Resolve(parse(t, "books")); err != nil || entry.Name.Generation != "1" {
					t.Errorf("it answers from %s: %v", entry.Name, err)
				}
			})
		})
	}
}

// A job finds out by itself whether it promoted, before it copies anything more: an
// earlier request must not take effect later.
func TestAJobFindsOutWhetherItPromoted(t *testing.T) {
	for how, want := range map[string]string{"made": "2", "late": "1", "lost": "1"} {
		t.Run(how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &vague{Bucket: memory.New(nil)}
				f := sharedNode(t, b, vfs.Memory(), "a")
				f.mustPut("books", books)
				f.mustWrite("books", book(1, "one"))
				f.mustPut("books@2", books)
				f.startJob("books@2", reindex.Manual)
				f.reach("books", reindex.Ready)
				b.mu.Lock()
				b.how = how
				b.mu.Unlock()
				if _, err := f.Promote(t.Context(), parse(t, "books@2")); !errors.Is(err, problem.StorageUnknown) {
					t.Fatalf("the promotion: %v", err)
				}
				time.Sleep(time.Minute)
				b.mu.Lock()
				b.isAway = false
				b.mu.Unlock()
				time.Sleep(2 * time.Minute)
				if index, err := f.registry.Find(parse(t, "books")); err != nil || f.generations.IsUnsettled(index.ID) {
					t.Errorf("whether it was moved is still not known: %v", err)
				}
				b.mu.Lock()
				if b.late != nil {
					b.late()
				}
				b.mu.Unlock()
				time.Sleep(time.Minute) // the registry is read again
				if entry, err := f.registry.Resolve(parse(t, "books")); err != nil || entry.Name.Generation != want {
					t.Fatalf("it answers from %s: %v", entry.Name, err)
				}
				if want == "2" {
					f.reach("books", reindex.Done)
					return
				}
				f.reach("books", reindex.Ready)
				if _, err := f.Promote(t.Context(), parse(t, "books@2")); err != nil {
					t.Fatal(err)
				}
				f.reach("books", reindex.Done)
			})
		})
	}
}
