package registry

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/faultbucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/versioned"
	"github.com/quiresearch/quire/problem"
)

// storage is a bucket whose generations hold a commit if they have a manifest.
type storage struct{ bucket.Bucket }

func (s storage) synced(ctx context.Context, id ID) (bool, error) {
	_, err := s.Get(ctx, Prefix(id)+"manifest", "")
	if errors.Is(err, bucket.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

func (s storage) store(t *testing.T, e Entry, synced bool) {
	t.Helper()
	err := Identify(t.Context(), s, Identity{Index: e.Name.Index, IndexID: e.Index, Generation: e.Name.Generation,
		GenerationID: e.Generation, CreatedAt: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	if synced {
		if _, err := s.PutIf(t.Context(), Prefix(e.Generation)+"manifest", bucket.Bytes([]byte("m")), bucket.Absent()); err != nil {
			t.Fatal(err)
		}
	}
}

// deployed returns a deployment with books, generations 1, 2 and blue, live 2, and
// shop, generation 1.
func deployed(t *testing.T) (storage, *Registry) {
	s := storage{memory.New(nil)}
	r := open(t, s)
	one := create(t, r, "books@1")
	s.store(t, one, true)
	two := add(t, r, one.Index, "books@2")
	s.store(t, two, true)
	s.store(t, add(t, r, one.Index, "books@blue"), true)
	s.store(t, add(t, r, one.Index, "books@9"), false)
	if err := r.Promote(t.Context(), one, two); err != nil {
		t.Fatal(err)
	}
	s.store(t, create(t, r, "shop@1"), true)
	return s, r
}

// refusing is a bucket that neither lists nor deletes one key; an empty key means
// none.
type refusing struct {
	bucket.Bucket
	key string
}

var errRefused = errors.New("not now")

func (b *refusing) List(ctx context.Context, prefix, delimiter string) (bucket.Listing, error) {
	if b.key != "" && prefix == b.key {
		return bucket.Listing{}, errRefused
	}
	return b.Bucket.List(ctx, prefix, delimiter)
}

func (b *refusing) Delete(ctx context.Context, key string, condition bucket.Condition) (bucket.Written, error) {
	if b.key != "" && key == b.key {
		return bucket.Written{}, errRefused
	}
	return b.Bucket.Delete(ctx, key, condition)
}

// deployedOver is deployed over a bucket that does not refuse anything yet.
func deployedOver(t *testing.T) (storage, *refusing, *Registry) {
	s, _ := deployed(t)
	b := &refusing{Bucket: s.Bucket}
	s.Bucket = b
	return s, b, open(t, s)
}

func repair(t *testing.T, r *Registry, s storage, request RepairRequest) Repair {
	t.Helper()
	done, err := r.Repair(t.Context(), request, s.synced)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func TestAuditOfAWholeDeployment(t *testing.T) {
	s, r := deployed(t)
	if _, err := s.PutIf(t.Context(), "g/nonsense/x", bucket.Bytes(nil), bucket.Absent()); err != nil {
		t.Fatal(err)
	}
	audit, err := r.Audit(t.Context(), s.synced, nil)
	if err != nil {
		t.Fatal(err)
	}
	if audit.Registry != "present" || len(audit.Indexes) != 2 || !slices.Equal(audit.Unusable, []string{"nonsense"}) {
		t.Fatalf("%+v", audit)
	}
	want := []AuditedGeneration{
		{Name: "1", Registered: true, Stored: "synced"}, {Name: "2", Registered: true, Stored: "synced"},
		{Name: "9", Registered: true, Stored: "incomplete"}, {Name: "blue", Registered: true, Stored: "synced"},
	}
	if books := audit.Indexes[0]; books.Name != "books" || books.Live != "2" || !reflect.DeepEqual(books.Generations, want) {
		t.Errorf("%+v", books)
	}
	if done := repair(t, r, s, RepairRequest{PromoteNewest: true}); len(done.AddedGenerations) != 0 {
		t.Errorf("nothing to repair, but %+v", done)
	}
}

// Whatever part of the storage fails, callers get an error of the registry.
func TestAnAuditWithoutStorageNamesTheRegistry(t *testing.T) {
	s, _ := deployed(t)
	fickle := faultbucket.New(s, nil)
	r := open(t, fickle)
	for _, gone := range []string{objectKey, deploymentKey} {
		fickle.SetPlan(func(c faultbucket.Call) faultbucket.Fault {
			if c.Key == gone {
				return faultbucket.Unavailable
			}
			return faultbucket.None
		})
		_, err := r.Audit(t.Context(), s.synced, nil)
		if !errors.Is(err, problem.StorageIoError) || problem.All(err)[0].Arguments["resource"] != resource {
			t.Errorf("without %s: %v", gone, err)
		}
	}
}

func TestLostRegistryIsRebuilt(t *testing.T) {
	for _, damage := range []string{"absent", "corrupt"} {
		s, r := deployed(t)
		version := r.Version()
		if damage == "absent" {
			s.Delete(t.Context(), "registry", bucket.Always)
		} else {
			s.PutIf(t.Context(), "registry", bucket.Bytes([]byte("{]")), bucket.Always)
		}
		audit, err := r.Audit(t.Context(), s.synced, nil)
		if err != nil || audit.Registry != damage || audit.Indexes[0].ProposedLive != "2" || audit.Indexes[0].Registered {
			t.Fatalf("%s: %+v, %v", damage, audit, err)
		}
		done := repair(t, r, s, RepairRequest{PromoteNewest: true})
		want := Repair{
			CreatedIndexes:   []string{"books", "shop"},
			AddedGenerations: []string{"books@1", "books@2", "books@blue", "shop@1"},
			Promoted:         []string{"books@2", "shop@1"}, Restored: []string{}, Kept: []string{"books@9"},
		}
		if !reflect.DeepEqual(done, want) {
			t.Errorf("%s: %+v", damage, done)
		}
		if resolve(t, r, "books").Name.Generation != "2" || r.Version() <= version {
			t.Errorf("%s: version %d after %d", damage, r.Version(), version)
		}
		resolve(t, open(t, s), "shop")
	}
}

// I16: a node that knows which generation was live does not make a newer one live,
// which may be the target of a reindex.
func TestARepairPromotesWhatWasLive(t *testing.T) {
	s, r := deployed(t)
	s.store(t, add(t, r, resolve(t, r, "books").Index, "books@3"), true)
	s.Delete(t.Context(), "registry", bucket.Always)
	if done := repair(t, r, s, RepairRequest{PromoteNewest: true}); !reflect.DeepEqual(done.Promoted, []string{"books@2", "shop@1"}) {
		t.Errorf("%+v", done)
	}
	if live := resolve(t, r, "books").Name.Generation; live != "2" {
		t.Errorf("generation %s is live", live)
	}
}

// What the storage does not say of an index stays known: the hints, by which nodes
// with earlier copies wait for newer ones, and the features that a build must
// support to open it.
func TestARepairKeepsWhatTheStorageDoesNotSay(t *testing.T) {
	s, r := deployed(t)
	two := resolve(t, r, "books@2")
	if err := r.Hint(t.Context(), map[ID]uint64{two.Generation: 7}, map[ID]uint64{two.Index: 3}); err != nil {
		t.Fatal(err)
	}
	err := r.change(t.Context(), func(next *state) error {
		next.Indexes["shop"].RequiredFeatures = []string{"later"}
		next.Indexes["shop"].Unknown = []byte(`{"new":1}`)
		next.Indexes["books"].Intent = &Intent{Job: "j", Target: "blue"}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := r.state().clone()
	want.Indexes["books"].Intent = nil // its job announces it again
	s.Delete(t.Context(), "registry", bucket.Always)
	repair(t, r, s, RepairRequest{PromoteNewest: true})
	if got := r.state(); !reflect.DeepEqual(got.Indexes, want.Indexes) {
		t.Errorf("books %+v, not %+v; shop %+v, not %+v", got.Indexes["books"], want.Indexes["books"], got.Indexes["shop"], want.Indexes["shop"])
	}
}

func TestRebuiltIndexHasNoLiveGenerationUnlessAsked(t *testing.T) {
	s, _ := deployed(t)
	s.Delete(t.Context(), "registry", bucket.Always)
	r := open(t, s)
	repair(t, r, s, RepairRequest{})
	if _, err := r.Resolve(name(t, "books")); !errors.Is(err, problem.IndexNoLiveGeneration) {
		t.Errorf("books: %v", err)
	}
	if err := r.Promote(t.Context(), Entry{}, resolve(t, r, "books@1")); err != nil {
		t.Error(err)
	}
}

func TestRemovedComesBackOnlyWhenNamed(t *testing.T) {
	s, r := deployed(t)
	shop := resolve(t, r, "shop")
	removed, err := r.RemoveIndex(t.Context(), name(t, "shop"), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	gone, err := r.RemoveGeneration(t.Context(), name(t, "books@1"), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range append(removed, gone...) {
		if err := MarkRemoved(t.Context(), s, one); err != nil {
			t.Fatal(err)
		}
	}
	audit, err := r.Audit(t.Context(), s.synced, nil)
	if err != nil || audit.Indexes[1].RemovedAt == nil || audit.Indexes[0].Generations[0].RemovedAt == nil {
		t.Fatalf("%+v, %v", audit, err)
	}
	if done := repair(t, r, s, RepairRequest{PromoteNewest: true}); len(done.AddedGenerations) != 0 {
		t.Fatalf("removed data came back: %+v", done)
	}
	done := repair(t, r, s, RepairRequest{PromoteNewest: true, Restore: []Name{name(t, "shop"), name(t, "absent"), name(t, "books@1")}})
	want := Repair{CreatedIndexes: []string{"shop"}, AddedGenerations: []string{"books@1", "shop@1"},
		Promoted: []string{"shop@1"}, Restored: []string{"shop", "books@1"}}
	if !reflect.DeepEqual(done, want) {
		t.Errorf("%+v", done)
	}
	if e := resolve(t, r, "shop"); e.Index != shop.Index || e.Generation != shop.Generation {
		t.Errorf("restored as %+v", e)
	}
	if len(r.Removed()) != 0 {
		t.Errorf("still removed: %v", r.Removed())
	}
	if mark, err := versioned.New[Mark](s, markKey(shop.Generation), "").Read(t.Context()); err != nil || mark.Exists() {
		t.Errorf("the mark stays: %v", err)
	}
}

// An index comes back as it was when it was removed: without the generations that
// were removed earlier, each by its own name.
func TestRestoredIndexLacksGenerationsRemovedBefore(t *testing.T) {
	s, r := deployed(t)
	if _, err := r.RemoveGeneration(t.Context(), name(t, "books@1"), time.Now()); err != nil {
		t.Fatal(err)
	}
	if done := repair(t, r, s, RepairRequest{Restore: []Name{name(t, "books")}}); len(done.Restored)+len(done.AddedGenerations) != 0 {
		t.Errorf("an index that was not removed is restored: %+v", done)
	}
	if _, err := r.RemoveIndex(t.Context(), name(t, "books"), time.Now()); err != nil {
		t.Fatal(err)
	}
	audit, err := r.Audit(t.Context(), s.synced, nil)
	if err != nil || audit.Indexes[0].RemovedAt == nil || audit.Indexes[0].Generations[0].RemovedAt == nil || audit.Indexes[0].Generations[1].RemovedAt != nil {
		t.Errorf("%+v, %v", audit, err)
	}
	done := repair(t, r, s, RepairRequest{PromoteNewest: true, Restore: []Name{name(t, "books")}})
	want := Repair{CreatedIndexes: []string{"books"}, AddedGenerations: []string{"books@2", "books@blue"},
		Promoted: []string{"books@2"}, Restored: []string{"books"}}
	if !reflect.DeepEqual(done, want) {
		t.Errorf("%+v", done)
	}
	// The stored data shows when it was created.
	restored := r.state().Indexes["books"]
	if restored.CreatedAt.IsZero() || restored.Generations["2"].CreatedAt.IsZero() || restored.CreatedAt.After(restored.Generations["2"].CreatedAt) {
		t.Errorf("created at %v and %v", restored.CreatedAt, restored.Generations["2"].CreatedAt)
	}
	done = repair(t, r, s, RepairRequest{Restore: []Name{name(t, "books@1")}})
	if want := (Repair{CreatedIndexes: []string{}, AddedGenerations: []string{"books@1"}, Promoted: []string{}, Restored: []string{"books@1"}}); !reflect.DeepEqual(done, want) {
		t.Errorf("%+v", done)
	}
}

// A removed index whose name was reused cannot come back, and the audit lists every
// name once.
func TestAuditNamesNothingThatWasReplaced(t *testing.T) {
	s, r := deployed(t)
	if _, err := r.RemoveIndex(t.Context(), name(t, "shop"), time.Now()); err != nil {
		t.Fatal(err)
	}
	s.store(t, create(t, r, "shop@1"), true)
	if _, err := r.RemoveGeneration(t.Context(), name(t, "books@1"), time.Now()); err != nil {
		t.Fatal(err)
	}
	s.store(t, add(t, r, resolve(t, r, "books").Index, "books@1"), true)
	check := func(want ...string) {
		t.Helper()
		audit, err := r.Audit(t.Context(), s.synced, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, index := range audit.Indexes {
			for _, g := range index.Generations {
				if index.RemovedAt == nil && g.RemovedAt == nil {
					got = append(got, index.Name+"@"+g.Name)
				} else {
					got = append(got, "-"+index.Name+"@"+g.Name)
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	check("books@1", "books@2", "books@9", "books@blue", "shop@1")
	if _, err := r.RemoveIndex(t.Context(), name(t, "shop"), time.Now()); err != nil {
		t.Fatal(err)
	}
	check("books@1", "books@2", "books@9", "books@blue", "-shop@1")
}

// A delete that lands while the repair reads the storage is not undone.
func TestDeleteDuringRepairStays(t *testing.T) {
	s, r := deployed(t)
	other := open(t, s)
	s.Delete(t.Context(), "registry", bucket.Always)
	repair(t, r, s, RepairRequest{PromoteNewest: true})
	extra := Entry{Name: Name{"shop", "2"}, Index: resolve(t, r, "shop").Index, Generation: NewID()}
	s.store(t, extra, true)
	deleted := false
	synced := func(ctx context.Context, id ID) (bool, error) {
		if !deleted {
			deleted = true
			if err := other.Refresh(ctx); err != nil {
				return false, err
			}
			if _, err := other.RemoveIndex(ctx, Name{Index: "books"}, time.Now()); err != nil {
				t.Error(err)
			}
		}
		return s.synced(ctx, id)
	}
	done, err := r.Repair(t.Context(), RepairRequest{PromoteNewest: true}, synced)
	if err != nil || !slices.Equal(done.AddedGenerations, []string{"shop@2"}) {
		t.Errorf("%+v, %v", done, err)
	}
	if _, err := r.Resolve(name(t, "books")); !errors.Is(err, problem.IndexNotFound) {
		t.Errorf("the deleted index is back: %v", err)
	}
}

// A registry that was replaced by an older one is in force again after a repair, on
// the node that repairs and on those that read the newer one.
func TestAnOlderRegistryIsRepaired(t *testing.T) {
	for _, more := range []bool{true, false} {
		s, r := deployed(t)
		old, _, err := bucket.ReadAll(t.Context(), s, "registry", "", 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if more {
			s.store(t, create(t, r, "more@1"), true)
		} else {
			shop := resolve(t, r, "shop")
			if err := r.Hint(t.Context(), map[ID]uint64{shop.Generation: 7}, nil); err != nil {
				t.Fatal(err)
			}
		}
		other := open(t, s)
		if _, err := s.PutIf(t.Context(), "registry", bucket.Bytes(old), bucket.Always); err != nil {
			t.Fatal(err)
		}
		repair(t, r, s, RepairRequest{PromoteNewest: true})
		for _, node := range []*Registry{r, other} {
			if err := node.Refresh(t.Context()); err != nil {
				t.Errorf("more %t: after the repair: %v", more, err)
			}
		}
		resolve(t, other, "books")
		if more {
			resolve(t, other, "more")
		}
		create(t, other, "later@1")
	}
}

// A node that ran while its bucket was emptied and begun anew does not replace the
// new deployment by its own (I14).
func TestRepairLeavesABucketBegunAnewAlone(t *testing.T) {
	s, _ := deployed(t)
	fickle := faultbucket.New(s, nil)
	old := open(t, fickle)
	listing, err := s.List(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range listing.Entries {
		if _, err := s.Delete(t.Context(), entry.Key, bucket.Always); err != nil {
			t.Fatal(err)
		}
	}
	anew := open(t, s)
	create(t, anew, "fresh@1") // without a commit: a repair would not find it
	before := anew.Version()
	if _, err := old.Repair(t.Context(), RepairRequest{PromoteNewest: true}, s.synced); !errors.Is(err, problem.StorageIoError) {
		t.Errorf("a repair by the old node: %v", err)
	}
	if _, err := old.Audit(t.Context(), s.synced, nil); !errors.Is(err, problem.StorageIoError) {
		t.Errorf("an audit by the old node: %v", err)
	}
	isRead := false
	fickle.SetPlan(func(c faultbucket.Call) faultbucket.Fault {
		if c.Key != deploymentKey || isRead {
			return faultbucket.None
		}
		isRead = true
		return faultbucket.Unavailable // the first time
	})
	if _, err := old.Repair(t.Context(), RepairRequest{PromoteNewest: true}, s.synced); !errors.Is(err, problem.StorageIoError) {
		t.Errorf("a repair by the old node that cannot read the mark: %v", err)
	}
	if err := anew.Refresh(t.Context()); err != nil || anew.Version() != before {
		t.Errorf("version %d, before %d: %v", anew.Version(), before, err)
	}
	resolve(t, anew, "fresh")
}

// I15, I22: no mark outlives a restore. A mark that stays would let a repair of a
// lost registry take the restored index for a removed one, and a later delete would
// begin with the old date.
func TestAMarkThatStaysKeepsAnIndexFromBeingRestored(t *testing.T) {
	s, refuses, r := deployedOver(t)
	shop := resolve(t, r, "shop")
	removed, err := r.RemoveIndex(t.Context(), name(t, "shop"), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := MarkRemoved(t.Context(), s, removed[0]); err != nil {
		t.Fatal(err)
	}
	refuses.key = markKey(shop.Generation)
	request := RepairRequest{PromoteNewest: true, Restore: []Name{name(t, "shop")}}
	if done, err := r.Repair(t.Context(), request, s.synced); err == nil {
		t.Errorf("restored although the mark stays: %+v", done)
	}
	if err := r.Refresh(t.Context()); err != nil || r.listsGeneration(shop.Generation) {
		t.Fatalf("listed although the restore was refused: %v", err)
	}
	refuses.key = ""
	repair(t, r, s, request)
	if e := resolve(t, r, "shop"); e.Generation != shop.Generation {
		t.Errorf("restored as %+v", e)
	}
	if mark, err := versioned.New[Mark](s, markKey(shop.Generation), "").Read(t.Context()); err != nil || mark.Exists() {
		t.Errorf("the mark stays: %v", err)
	}
}
