package registry

import (
	"slices"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/versioned"
)

// F41: what a client removed is erased according to its removal mark, even if the
// bucket lost the identity of the generation, and then the registry with the list
// of removals. I14: without a mark nothing is erased.
func TestARemovalMarkIsEnoughToErase(t *testing.T) {
	s, r := deployed(t)
	books := r.state().Indexes["books"].clone()
	if _, err := r.RemoveIndex(t.Context(), name(t, "books"), time.Now()); err != nil {
		t.Fatal(err)
	}
	lose := func(key string) {
		t.Helper()
		if _, err := s.Delete(t.Context(), key, bucket.Always); err != nil {
			t.Fatal(err)
		}
	}
	for _, one := range r.Removed() {
		switch one.Generation {
		case "1", "2":
			if err := MarkRemoved(t.Context(), s, one); err != nil {
				t.Fatal(err)
			}
		case "9": // by a build whose marks do not name the index
			type mark struct {
				RemovedAt time.Time `json:"removedAt"`
			}
			if _, err := versioned.New[mark](s, markKey(one.GenerationID), "").Replace(t.Context(), versioned.Object[mark]{}, mark{one.RemovedAt}); err != nil {
				t.Fatal(err)
			}
		}
		if one.Generation != "2" {
			lose(identityKey(one.GenerationID))
		}
	}
	damaged := bucket.Bytes([]byte("damaged"))
	if _, err := s.PutIf(t.Context(), identityKey(books.Generations["2"].ID), damaged, bucket.Always); err != nil {
		t.Fatal(err)
	}
	lose(objectKey)
	r = open(t, s) // this node never read the list of removals
	repair(t, r, s, RepairRequest{})

	expired, err := r.Expired(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	byID := func(id ID) Removed {
		at := slices.IndexFunc(expired, func(one Removed) bool { return one.GenerationID == id })
		if at < 0 {
			return Removed{}
		}
		return expired[at]
	}
	for _, generation := range []string{"1", "2"} {
		if one := byID(books.Generations[generation].ID); one.Index != "books" || one.IndexID != books.ID || one.Generation != generation || !one.Whole {
			t.Errorf("generation %s: %+v", generation, one)
		}
	}
	if one := byID(books.Generations["9"].ID); one.GenerationID.IsZero() || !one.IndexID.IsZero() {
		t.Errorf("a mark that does not name its index: %+v", one)
	}
	if len(expired) != 3 {
		t.Errorf("%d generations are to be erased, 3 have a mark: %+v", len(expired), expired)
	}
	for _, one := range expired {
		if err := r.BeginErase(t.Context(), one); err != nil {
			t.Error(err)
		}
	}
	if got := len(open(t, s).Removed()); got != 3 {
		t.Errorf("%d of 3 generations are listed as being erased", got)
	}
}

// A failure to look for one mark does not keep other removals from getting theirs:
// until a removal has a mark, a lost registry would undo it.
func TestEveryRemovalGetsAMark(t *testing.T) {
	s, refuses, r := deployedOver(t)
	removed, err := r.RemoveIndex(t.Context(), name(t, "books"), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	refuses.key = markKey(removed[0].GenerationID)
	if _, err := r.Expired(t.Context(), time.Hour); err != nil {
		t.Error(err)
	}
	for i, one := range removed {
		mark, err := versioned.New[Mark](s, markKey(one.GenerationID), "").Read(t.Context())
		if err != nil || mark.Exists() != (i > 0) {
			t.Errorf("%s: marked %v, %v", one.Generation, mark.Exists(), err)
		}
	}
}
