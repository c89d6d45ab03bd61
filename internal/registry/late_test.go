package registry

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/problem"
)

// stalling is a bucket that, while it stalls, does not show its registry and holds
// writes of it back without an answer.
type stalling struct {
	bucket.Bucket
	stalls bool
	late   []func() // writes that were held back
}

func (b *stalling) Get(ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error) {
	if b.stalls && key == objectKey {
		return bucket.Object{}, bucket.ErrNotFound
	}
	return b.Bucket.Get(ctx, key, unless)
}

func (b *stalling) PutIf(ctx context.Context, key string, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	if !b.stalls || key != objectKey {
		return b.Bucket.PutIf(ctx, key, body, condition)
	}
	b.late = append(b.late, func() { _, _ = b.Bucket.PutIf(context.Background(), key, body, condition) })
	return bucket.Written{}, bucket.ErrUnknown
}

// I16, F27: a repair that the store applies late, in place of a newer registry that
// was lost since, does not bring back what that node knew when it sent the repair
// (seed 1026420).
func TestARepairThatIsAppliedLateUndoesNothing(t *testing.T) {
	for _, promotes := range []bool{false, true} {
		t.Run(fmt.Sprint(promotes), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, sound := deployed(t)
				b := &stalling{Bucket: s.Bucket}
				other := open(t, b)
				b.stalls = true
				if _, err := other.Repair(t.Context(), RepairRequest{PromoteNewest: promotes}, s.synced); !errors.Is(err, problem.StorageUnknown) {
					t.Errorf("a repair without an answer: %v", err)
				}
				b.stalls = false
				if err := sound.Promote(t.Context(), resolve(t, sound, "books@2"), resolve(t, sound, "books@1")); err != nil {
					t.Fatal(err)
				}
				if _, err := s.Delete(t.Context(), objectKey, bucket.Always); err != nil {
					t.Fatal(err)
				}
				for _, apply := range b.late {
					apply()
				}
				if err := sound.Refresh(t.Context()); err == nil {
					t.Error("the registry of an earlier repair is read")
				}
				if live := resolve(t, sound, "books").Name.Generation; live != "1" {
					t.Errorf("live is %s", live)
				}
				isUnread(t, open(t, s))
				repair(t, sound, s, RepairRequest{PromoteNewest: true})
				if live := resolve(t, open(t, s), "books").Name.Generation; live != "1" {
					t.Errorf("after a repair live is %s", live)
				}
			})
		})
	}
}

// A repair whose second write is not answered is completed by the next repair, or
// by that write.
func TestARepairThatIsInterruptedIsMadeByTheNext(t *testing.T) {
	for _, isApplied := range []bool{false, true} {
		t.Run(fmt.Sprint(isApplied), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, _ := deployed(t)
				b := &stalling{Bucket: s.Bucket}
				r := open(t, b)
				if _, err := s.Delete(t.Context(), objectKey, bucket.Always); err != nil {
					t.Fatal(err)
				}
				begun := false
				synced := func(ctx context.Context, id ID) (bool, error) {
					begun, b.stalls = true, true
					return s.synced(ctx, id)
				}
				if _, err := r.Repair(t.Context(), RepairRequest{PromoteNewest: true}, synced); !begun || !errors.Is(err, problem.StorageUnknown) {
					t.Errorf("a repair without an answer: %v", err)
				}
				b.stalls = false
				if err := r.Refresh(t.Context()); err == nil {
					t.Error("there is a registry to read")
				}
				isUnread(t, open(t, s))
				if isApplied {
					for _, apply := range b.late {
						apply()
					}
				} else {
					repair(t, r, s, RepairRequest{PromoteNewest: true})
					for _, apply := range b.late {
						apply()
					}
					create(t, r, "more@1")
				}
				for _, one := range []*Registry{r, open(t, s)} {
					if err := one.Refresh(t.Context()); err != nil {
						t.Fatal(err)
					}
					if live := resolve(t, one, "books").Name.Generation; live != "2" {
						t.Errorf("live is %s", live)
					}
				}
			})
		})
	}
}

// I22: in a bucket where only a reserved place is left, a node whose copy is in
// force writes the mark of its deployment, so that a node that knows nothing does
// not repair another one into it.
func TestAReservedPlaceIsOfTheDeployment(t *testing.T) {
	s, sound := deployed(t)
	for _, key := range []string{objectKey, deploymentKey} {
		if _, err := s.Delete(t.Context(), key, bucket.Always); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := sound.store.Reserve(t.Context()); err != nil { // by a repair that ended there
		t.Fatal(err)
	}
	if err := sound.Refresh(t.Context()); err == nil {
		t.Error("there is a registry to read")
	}
	fresh := open(t, s)
	isUnread(t, fresh)
	repair(t, fresh, s, RepairRequest{})
	if fresh.Deployment() != sound.Deployment() {
		t.Error("another deployment was begun")
	}
	if err := sound.Refresh(t.Context()); err != nil {
		t.Error(err)
	}
}

// removedAndRestored returns a deployment whose index shop was removed and
// restored. The store applies the mark of that removal again, late.
func removedAndRestored(t *testing.T) (storage, *Registry, Removed) {
	s, r := deployed(t)
	removed, err := r.RemoveIndex(t.Context(), name(t, "shop"), time.Now().Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	mark := func() {
		t.Helper()
		if err := MarkRemoved(t.Context(), s, removed[0]); err != nil {
			t.Fatal(err)
		}
	}
	mark()
	if done := repair(t, r, s, RepairRequest{Restore: []Name{name(t, "shop")}}); len(done.Restored) != 1 {
		t.Fatalf("%+v", done)
	}
	mark()
	return s, r, removed[0]
}

// I22, F27: a removal mark that arrives after the index was restored removes
// nothing, even if the registry is lost then (seed 1050483).
func TestARemovalMarkThatArrivesLateRemovesNothing(t *testing.T) {
	for _, isNoted := range []bool{false, true} {
		s, r, removed := removedAndRestored(t)
		if _, err := s.Delete(t.Context(), objectKey, bucket.Always); err != nil {
			t.Fatal(err)
		}
		if isNoted {
			late := open(t, s)
			late.Remember(r.Deployment(), r.Version(), r.state().Indexes, nil)
			r = late
		}
		for range 2 {
			if audit, err := r.Audit(t.Context(), s.synced, nil); err != nil || len(audit.Indexes) != 2 || audit.Indexes[1].RemovedAt != nil {
				t.Errorf("%+v, %v", audit, err)
			}
			repair(t, r, s, RepairRequest{PromoteNewest: true})
			if e := resolve(t, r, "shop"); e.Generation != removed.GenerationID {
				t.Errorf("noted %t: %v", isNoted, e)
			}
			if _, isRemoved := r.readRemoved(t.Context(), removed.GenerationID); isRemoved {
				t.Errorf("noted %t: the mark stays", isNoted)
			}
			if err := MarkRemoved(t.Context(), s, removed); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Delete(t.Context(), objectKey, bucket.Always); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// I15: the grace of an index that is removed again does not count from a mark of
// the earlier removal, and a repair of a lost registry leaves the index out.
func TestAnIndexIsRemovedAgainBesideAnEarlierMark(t *testing.T) {
	s, r, before := removedAndRestored(t)
	removed, err := r.RemoveIndex(t.Context(), name(t, "shop"), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range []Removed{removed[0], before} {
		if err := MarkRemoved(t.Context(), s, one); err != nil {
			t.Fatal(err)
		}
		if marked, _ := r.readRemoved(t.Context(), one.GenerationID); !marked.RemovedAt.Equal(removed[0].RemovedAt) {
			t.Errorf("the mark says %v", marked.RemovedAt)
		}
	}
	if _, err := s.Delete(t.Context(), objectKey, bucket.Always); err != nil {
		t.Fatal(err)
	}
	repair(t, r, s, RepairRequest{PromoteNewest: true})
	if _, err := r.Resolve(name(t, "shop")); !errors.Is(err, problem.IndexNotFound) {
		t.Errorf("%v", err)
	}
}

// I15: if the mark of the new removal could not be written, the sweep first
// replaces the earlier mark, and erases when the new one is a grace old.
func TestASweepReplacesAnEarlierMark(t *testing.T) {
	_, r, before := removedAndRestored(t)
	removed, err := r.RemoveIndex(t.Context(), name(t, "shop"), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{0, 1} {
		expired, err := r.Expired(t.Context(), 0)
		if err != nil || len(expired) != want {
			t.Errorf("%+v are to be erased, not %d: %v", expired, want, err)
		}
		if marked, _ := r.readRemoved(t.Context(), before.GenerationID); !marked.RemovedAt.Equal(removed[0].RemovedAt) {
			t.Errorf("the mark says %v", marked.RemovedAt)
		}
	}
}
