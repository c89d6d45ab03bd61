package registry

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/problem"
)

// stalling is a bucket that, while it stalls, does not show its registry and keeps writes of
// it back without an answer.
type stalling struct {
	bucket.Bucket
	stalls bool
	late   []func() // writes that were kept back
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

// I16, F27: a repair that the store applies late, in the place of a newer registry that was
// lost since, does not bring back what that node knew when it was sent (seed 1026420).
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

// A repair whose second write is not answered is made by the next one, or by that write.
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
