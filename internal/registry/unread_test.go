package registry

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/versioned"
	"github.com/quiresearch/quire/problem"
)

// away is a bucket of which some objects cannot be read while it is away.
type away struct {
	bucket.Bucket
	keys    []string // keys that cannot be read
	failing bool     // nothing can be written
	puts    int
}

func (a *away) Get(ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error) {
	for _, one := range a.keys {
		if one == key {
			return bucket.Object{}, bucket.ErrUnknown
		}
	}
	return a.Bucket.Get(ctx, key, unless)
}

func (a *away) PutIf(ctx context.Context, key string, body bucket.Body, c bucket.Condition) (bucket.Written, error) {
	a.puts++
	if a.failing {
		return bucket.Written{}, errRefused
	}
	return a.Bucket.PutIf(ctx, key, body, c)
}

// isUnread checks that a registry that knows nothing does not answer.
func isUnread(t *testing.T, r *Registry) {
	t.Helper()
	fails := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, problem.StorageIoError) || problem.All(err)[0].Arguments["resource"] != "registry" {
			t.Errorf("%s: %v", what, err)
		}
	}
	if r.IsRead() {
		t.Error("it counts as read")
	}
	fails("check", r.Check())
	_, err := r.Resolve(Name{Index: "books"})
	fails("resolve", err)
	_, err = r.Find(Name{Index: "other"})
	fails("find", err)
	fails("create", r.CreateIndex(t.Context(), Name{"other", "1"}, NewID(), NewID(), time.Now()))
	_, err = r.RemoveIndex(t.Context(), Name{Index: "books"}, time.Now())
	fails("remove", err)
	if err := r.Refresh(t.Context()); err == nil {
		t.Error("it can be refreshed")
	}
}

// I14: a registry that cannot be read at the start answers no name, changes
// nothing, and learns what there is, and of which deployment, once it can.
func TestARegistryThatCannotBeReadAtTheStartKnowsNothing(t *testing.T) {
	for _, keys := range [][]string{{"registry"}, {"deployment"}, {"registry", "deployment"}} {
		b := &away{Bucket: memory.New(nil)}
		sound := open(t, b)
		create(t, sound, "books@1")
		b.keys, b.puts = keys, 0
		late := open(t, b)
		isUnread(t, late)
		if b.puts != 0 {
			t.Errorf("%v: %d writes", keys, b.puts)
		}
		b.keys = nil
		if err := late.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		resolve(t, late, "books")
		if late.Deployment() != sound.Deployment() || late.Deployment().IsZero() {
			t.Errorf("deployment %v, not %v", late.Deployment(), sound.Deployment())
		}
		create(t, late, "other@1")
	}
}

// unregister deletes the registry and the identity of a generation.
func unregister(t *testing.T, s storage, generation ID) {
	t.Helper()
	for _, key := range []string{objectKey, identityKey(generation)} {
		if _, err := s.Delete(t.Context(), key, bucket.Always); err != nil {
			t.Fatal(err)
		}
	}
}

// I16: a repair of a lost registry knows every registry of its deployment that this
// node read, even one that never came into force.
func TestARepairKnowsEveryRegistryThatWasRead(t *testing.T) {
	byAChange := func(t *testing.T, b *away, sound *Registry) *Registry {
		one, two := resolve(t, sound, "books@1"), resolve(t, sound, "books@2")
		if err := sound.Promote(t.Context(), two, one); err != nil {
			t.Fatal(err)
		}
		late := open(t, b)
		if err := sound.Promote(t.Context(), one, two); err != nil {
			t.Fatal(err)
		}
		b.failing = true
		if err := late.Hint(t.Context(), map[ID]uint64{one.Generation: 1000}, nil); err == nil {
			t.Error("changed")
		}
		return late
	}
	for what, read := range map[string]func(t *testing.T, b *away, sound *Registry) *Registry{
		"without the mark of its deployment": func(t *testing.T, b *away, _ *Registry) *Registry {
			b.keys = []string{deploymentKey}
			late := open(t, b)
			isUnread(t, late)
			return late
		},
		"by a repair that failed": func(t *testing.T, b *away, _ *Registry) *Registry {
			b.keys = []string{objectKey}
			late := open(t, b)
			b.keys = nil
			fails := func(context.Context, ID) (bool, error) { return false, bucket.ErrUnknown }
			if _, err := late.Repair(t.Context(), RepairRequest{}, fails); err == nil {
				t.Error("repaired")
			}
			return late
		},
		"by a change that failed": byAChange,
		"before that of another deployment, which took its place": func(t *testing.T, b *away, sound *Registry) *Registry {
			late, under := byAChange(t, b, sound), b.Bucket
			b.Bucket = memory.New(nil)
			b.failing = false
			foreign := open(t, b.Bucket)
			for foreign.Version() <= sound.Version() {
				create(t, foreign, NewID().String()+"@1")
			}
			if err := late.Refresh(t.Context()); !errors.Is(err, problem.StorageIoError) {
				t.Errorf("refreshed: %v", err)
			}
			b.Bucket = under
			return late
		},
	} {
		t.Run(what, func(t *testing.T) {
			s, sound := deployed(t)
			b := &away{Bucket: s.Bucket}
			late := read(t, b, sound)
			b.keys, b.failing = nil, false
			two := resolve(t, sound, "books")
			unregister(t, s, two.Generation)
			done := repair(t, late, s, RepairRequest{PromoteNewest: true})
			if live := resolve(t, late, "books"); live.Generation != two.Generation {
				t.Errorf("%s is live: %+v", live.Name, done)
			}
			if late.Deployment() != sound.Deployment() {
				t.Errorf("deployment %v, not %v", late.Deployment(), sound.Deployment())
			}
		})
	}
}

// I14: a repair disregards a registry that was read before the mark of the bucket,
// if the mark shows another deployment.
func TestARepairDisregardsTheRegistryOfAnotherDeployment(t *testing.T) {
	other := memory.New(nil)
	foreign := open(t, other)
	create(t, foreign, "foreign@1")
	b := &away{Bucket: other, keys: []string{deploymentKey}}
	late := open(t, b)
	s, _ := deployed(t)
	if _, err := s.Delete(t.Context(), objectKey, bucket.Always); err != nil {
		t.Fatal(err)
	}
	b.Bucket, b.keys = s.Bucket, nil
	done := repair(t, late, s, RepairRequest{PromoteNewest: true})
	if _, err := late.Resolve(name(t, "foreign")); !errors.Is(err, problem.IndexNotFound) || len(done.Kept) > 0 {
		t.Errorf("%+v, %v", done, err)
	}
	resolve(t, late, "books")
}

// I14: the same if the mark is written while the repair runs.
func TestARepairDisregardsItWhenTheMarkComesLate(t *testing.T) {
	other := memory.New(nil)
	create(t, open(t, other), "foreign@1")
	b := &away{Bucket: other, keys: []string{deploymentKey}}
	late := open(t, b)
	s, sound := deployed(t)
	for _, key := range []string{objectKey, deploymentKey} {
		if _, err := s.Delete(t.Context(), key, bucket.Always); err != nil {
			t.Fatal(err)
		}
	}
	b.Bucket, b.keys = s.Bucket, nil
	done, err := late.Repair(t.Context(), RepairRequest{PromoteNewest: true}, func(ctx context.Context, id ID) (bool, error) {
		sound.guard(ctx)
		return s.synced(ctx, id)
	})
	if err != nil || len(done.Kept) > 0 || late.Deployment() != sound.Deployment() {
		t.Errorf("%+v, %v", done, err)
	}
	if err := sound.Refresh(t.Context()); err != nil {
		t.Error(err)
	}
}

// A repair of a bucket that also lost the mark of its deployment does not begin
// another deployment: the node knows it from the registry that it read, or from its
// directory.
func TestARepairKeepsTheDeployment(t *testing.T) {
	for _, isNoted := range []bool{false, true} {
		s, sound := deployed(t)
		b := &away{Bucket: s.Bucket, keys: []string{deploymentKey}}
		expected, live := ID{}, resolve(t, sound, "books")
		if isNoted {
			b.keys, expected = []string{objectKey, deploymentKey}, sound.Deployment()
		}
		late, err := OpenOf(t.Context(), b, expected, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		b.keys = nil
		unregister(t, s, live.Generation)
		if _, err := s.Delete(t.Context(), deploymentKey, bucket.Always); err != nil {
			t.Fatal(err)
		}
		if isNoted {
			late.Remember(sound.Deployment(), sound.Version(), sound.state().Indexes, nil)
		}
		repair(t, late, s, RepairRequest{PromoteNewest: true})
		if late.Deployment() != sound.Deployment() || late.state().Deployment != sound.Deployment() {
			t.Errorf("noted %t: deployment %v, not %v", isNoted, late.Deployment(), sound.Deployment())
		}
		if e := resolve(t, late, "books"); e.Generation != live.Generation {
			t.Errorf("noted %t: %s is live", isNoted, e.Name)
		}
	}
}

// I14: a node that belongs to a deployment does not repair the registry of another one.
func TestARepairLeavesTheRegistryOfAnotherDeploymentAlone(t *testing.T) {
	s, _ := deployed(t)
	b := &away{Bucket: s.Bucket, keys: []string{objectKey, deploymentKey}}
	late, err := OpenOf(t.Context(), b, NewID(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	b.keys = nil
	if _, err := s.Delete(t.Context(), deploymentKey, bucket.Always); err != nil {
		t.Fatal(err)
	}
	var other *DeploymentError
	if _, err := late.Repair(t.Context(), RepairRequest{}, s.synced); !errors.As(err, &other) {
		t.Errorf("repaired: %v", err)
	}
	if late.IsRead() || b.puts > 0 {
		t.Errorf("read %t, %d writes", late.IsRead(), b.puts)
	}
}

// A repair uses the note of an earlier run of the node if that is newer than what
// the node read since.
func TestARepairKnowsTheNewerOfNoteAndRegistry(t *testing.T) {
	s, sound := deployed(t)
	one, two := resolve(t, sound, "books@1"), resolve(t, sound, "books@2")
	noted, version := sound.state().Indexes, sound.Version()
	if err := sound.Promote(t.Context(), two, one); err != nil {
		t.Fatal(err)
	}
	for _, isNewer := range []bool{false, true} {
		late := open(t, s)
		want := one
		if isNewer {
			version, want = late.Version()+1, two
		}
		late.Remember(sound.Deployment(), version, noted, nil)
		if _, err := s.Delete(t.Context(), objectKey, bucket.Always); err != nil {
			t.Fatal(err)
		}
		repair(t, late, s, RepairRequest{PromoteNewest: true})
		if live := resolve(t, late, "books"); live.Generation != want.Generation {
			t.Errorf("newer %t: %s is live", isNewer, live.Name)
		}
	}
}

// A bucket that is away when the first node starts holds a registry once it is
// back.
func TestARegistryIsBegunLate(t *testing.T) {
	b := &away{Bucket: memory.New(nil), keys: []string{"registry"}}
	r := open(t, b)
	isUnread(t, r)
	b.keys = nil
	if err := r.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	create(t, r, "books@1")
}

// I14: the registry of another deployment, or another object in its place, is
// neither read nor changed, and a repair puts the node's own registry there again.
func TestAForeignRegistryIsNotTakenOver(t *testing.T) {
	other := memory.New(nil)
	foreign := open(t, other)
	for _, name := range []string{"a@1", "b@1", "c@1", "d@1"} {
		create(t, foreign, name)
	}
	content, _, err := bucket.ReadAll(t.Context(), other, objectKey, "", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	mark, _, err := bucket.ReadAll(t.Context(), other, deploymentKey, "", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for what, content := range map[string][]byte{"of another deployment": content, "another object": mark} {
		b := memory.New(nil)
		r := open(t, b)
		books := create(t, r, "books@1")
		identify(t, b, books)
		if _, err := b.PutIf(t.Context(), objectKey, bucket.Bytes(content), bucket.Always); err != nil {
			t.Fatal(err)
		}
		if err := r.Refresh(t.Context()); !errors.Is(err, problem.StorageIoError) {
			t.Errorf("%s: refreshed: %v", what, err)
		}
		if err := r.CreateIndex(t.Context(), Name{"other", "1"}, NewID(), NewID(), time.Now()); !errors.Is(err, problem.StorageIoError) {
			t.Errorf("%s: changed: %v", what, err)
		}
		resolve(t, r, "books")
		if _, err := r.Resolve(Name{Index: "a"}); !errors.Is(err, problem.IndexNotFound) {
			t.Errorf("%s: %v", what, err)
		}
		late := open(t, b)
		isUnread(t, late)
		all := func(context.Context, ID) (bool, error) { return true, nil }
		if audit, err := late.Audit(t.Context(), all, nil); err != nil || audit.Registry != "corrupt" || len(audit.Indexes) != 1 {
			t.Errorf("%s: audit %+v %v", what, audit, err)
		}
		if done, err := late.Repair(t.Context(), RepairRequest{PromoteNewest: true}, all); err != nil || len(done.Promoted) != 1 {
			t.Errorf("%s: repair %+v %v", what, done, err)
		}
		for _, one := range []*Registry{late, r, open(t, b)} {
			if err := one.Refresh(t.Context()); err != nil {
				t.Errorf("%s: after the repair: %v", what, err)
			}
			if e := resolve(t, one, "books"); e.Generation != books.Generation {
				t.Errorf("%s: after the repair books is %v", what, e)
			}
			create(t, one, NewID().String()+"@1")
		}
	}
}

// A damaged registry of a deployment without indexes is written afresh, and a node
// that read it before takes it over although the repairing node never read it.
func TestARepairOfADamagedRegistryWithNothingToAdd(t *testing.T) {
	none := func(context.Context, ID) (bool, error) { return false, nil }
	for _, garbage := range []string{"", "garbage"} {
		b := memory.New(nil)
		knows := open(t, b)
		for range 3 {
			create(t, knows, "books@1")
			if _, err := knows.RemoveIndex(t.Context(), Name{Index: "books"}, time.Now()); err != nil {
				t.Fatal(err)
			}
		}
		var err error
		if garbage == "" {
			_, err = b.Delete(t.Context(), objectKey, bucket.Always)
		} else {
			_, err = b.PutIf(t.Context(), objectKey, bucket.Bytes([]byte(garbage)), bucket.Always)
		}
		if err != nil {
			t.Fatal(err)
		}
		late := open(t, b)
		if _, err := late.Repair(t.Context(), RepairRequest{}, none); err != nil {
			t.Fatal(err)
		}
		create(t, late, "books@1")
		if err := knows.Refresh(t.Context()); err != nil {
			t.Errorf("%q: the repaired registry is not taken over: %v", garbage, err)
		}
		resolve(t, knows, "books")
	}
}

// A registry whose mark was never written belongs to the deployment it names.
func TestAMarkIsWrittenForTheRegistryThatIsThere(t *testing.T) {
	b := memory.New(nil)
	first := open(t, b)
	create(t, first, "books@1")
	if _, err := b.Delete(t.Context(), deploymentKey, bucket.Always); err != nil {
		t.Fatal(err)
	}
	second := open(t, b)
	resolve(t, second, "books")
	if second.Deployment() != first.Deployment() {
		t.Errorf("%v, not %v", second.Deployment(), first.Deployment())
	}
	// A newer format of the bucket refuses the start.
	if _, err := second.marks.Change(t.Context(), func(now versioned.Object[deployment]) (deployment, error) {
		now.Value.Format = 1 << 20
		return now.Value, nil
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), b, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("a newer form is read")
	}
}

func identify(t *testing.T, b bucket.Bucket, e Entry) {
	t.Helper()
	if err := Identify(t.Context(), b, Identity{Index: e.Name.Index, IndexID: e.Index, Generation: e.Name.Generation,
		GenerationID: e.Generation, CreatedAt: time.Now()}); err != nil {
		t.Fatal(err)
	}
}
