package registry

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/versioned"
)

// stubborn is a bucket that deletes no removal mark while isStubborn.
type stubborn struct {
	bucket.Bucket
	isStubborn bool
}

func (s *stubborn) Delete(ctx context.Context, key string, condition bucket.Condition) (bucket.Written, error) {
	if s.isStubborn && strings.HasSuffix(key, "/removed") {
		return bucket.Written{}, errors.New("not now")
	}
	return s.Bucket.Delete(ctx, key, condition)
}

// I15, I22: no mark outlives a restore. A mark that stays would let a repair of a lost
// registry take the restored index for a removed one, and a later delete would begin with
// the old date.
func TestAMarkThatStaysKeepsAnIndexFromBeingRestored(t *testing.T) {
	s, _ := deployed(t)
	slow := &stubborn{Bucket: s.Bucket}
	s.Bucket = slow
	r := open(t, s)
	shop := resolve(t, r, "shop")
	removed, err := r.RemoveIndex(t.Context(), name(t, "shop"), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := MarkRemoved(t.Context(), s, removed[0]); err != nil {
		t.Fatal(err)
	}
	slow.isStubborn = true
	request := RepairRequest{PromoteNewest: true, Restore: []Name{name(t, "shop")}}
	if done, err := r.Repair(t.Context(), request, s.synced); err == nil {
		t.Errorf("restored although the mark stays: %+v", done)
	}
	if err := r.Refresh(t.Context()); err != nil || r.listsGeneration(shop.Generation) {
		t.Fatalf("listed although the restore was refused: %v", err)
	}
	slow.isStubborn = false
	repair(t, r, s, request)
	if e := resolve(t, r, "shop"); e.Generation != shop.Generation {
		t.Errorf("restored as %+v", e)
	}
	if mark, err := versioned.New[Mark](s, markKey(shop.Generation), "").Read(t.Context()); err != nil || mark.Exists() {
		t.Errorf("the mark stays: %v", err)
	}
}
