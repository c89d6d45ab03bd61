package replication

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/faultbucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

const grace = time.Hour

// clock is the time of the store.
type clock struct{ now time.Time }

func (c *clock) time() time.Time { return c.now }

type deployment struct {
	t      *testing.T
	bucket bucket.Bucket
	id     string
}

// create stores an empty generation.
func create(t *testing.T, b bucket.Bucket) *deployment {
	t.Helper()
	d := &deployment{t: t, bucket: b, id: manifest.NewID()}
	builder := analysis.NewBuilder(analysis.Options{})
	def, err := definition.Parse([]byte(`{"fields":{"id":{"type":"string","primaryKey":true},"n":{"type":"int32","filter":{}}}}`), builder.Capabilities())
	if err != nil {
		t.Fatal(err)
	}
	storage := engine.Storage{FS: vfs.Memory(), Directory: "g", ID: d.id, Publisher: creator{New(b, d.id, grace)}}
	if err := engine.Create(t.Context(), storage, def); err != nil {
		t.Fatal(err)
	}
	return d
}

type creator struct{ *Remote }

func (c creator) Publish(ctx context.Context, m *manifest.Manifest) error { return c.Create(ctx, m) }

// node is a writer with its own disk.
type node struct {
	t      *testing.T
	fs     vfs.FS
	writer *Writer
	g      *engine.Generation
}

// open takes the generation over with an empty disk.
func (d *deployment) open() *node {
	d.t.Helper()
	n := &node{t: d.t, fs: vfs.Memory()}
	remote := New(d.bucket, d.id, grace)
	var err error
	if n.writer, err = remote.Take(d.t.Context(), n.fs, "g", manifest.NewID()); err != nil {
		d.t.Fatal(err)
	}
	if err := remote.Pull(d.t.Context(), n.fs, "g", n.writer.Manifest(), nil); err != nil {
		d.t.Fatal(err)
	}
	builder := analysis.NewBuilder(analysis.Options{})
	n.g, err = engine.Open(d.t.Context(), engine.Storage{FS: n.fs, Directory: "g", Log: n.writer, Publisher: n.writer},
		engine.Options{MaxChanges: -1, MaxInterval: -1, NoMerges: true, MinFree: -1, Analysis: builder, Capabilities: builder.Capabilities()})
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = n.g.Close(context.Background()) })
	return n
}

func (n *node) add(from, to int) error {
	s := n.g.WriteStream()
	r := document.NewReader(n.g.Schema())
	for i := from; i < to; i++ {
		var found problem.List
		doc := r.Read(fmt.Appendf(nil, `{"id":"%04d","n":%d}`, i, i), problem.Path{}, &found)
		if err := errors.Join(found.Err(), s.Add(context.Background(), doc)); err != nil {
			return err
		}
	}
	_, err := s.Wait(context.Background())
	return err
}

func (n *node) commit() error {
	_, err := n.g.Commit(n.t.Context(), engine.Explicit)
	return err
}

func (n *node) count() int {
	n.t.Helper()
	count, err := n.g.Count()
	if err != nil {
		n.t.Fatal(err)
	}
	return count
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestANewWriterHasEverythingAcknowledged(t *testing.T) {
	c := &clock{time.Unix(1_700_000_000, 0)}
	d := create(t, memory.New(c.time))
	a := d.open()
	must(t, a.add(0, 10))
	must(t, a.commit())
	must(t, a.add(10, 25))
	b := d.open() // its disk is empty, and a is still running
	if got := b.count(); got != 25 {
		t.Fatalf("the new writer has %d of 25 documents", got)
	}
	must(t, b.add(25, 30))
	must(t, b.commit())
	if got := d.open().count(); got != 30 {
		t.Fatalf("the third writer has %d of 30 documents", got)
	}
}

func TestAFencedWriterNeitherAcknowledgesNorPublishes(t *testing.T) {
	c := &clock{time.Unix(1_700_000_000, 0)}
	d := create(t, memory.New(c.time))
	a := d.open()
	must(t, a.add(0, 5))
	b := d.open()
	if err := a.add(5, 6); err == nil {
		t.Error("a stale writer acknowledged a write")
	}
	if err := a.commit(); err == nil {
		t.Error("a stale writer published a commit")
	}
	must(t, b.add(5, 8))
	must(t, b.commit())
	if got := d.open().count(); got != 8 {
		t.Errorf("%d of 8 documents", got)
	}
}

// I23: a bucket that lost its manifest continues from an earlier one. A writer that
// then takes the generation over has the epoch of the previous writer, which knows
// that the manifest is not its own.
func TestAnEpochThatIsTakenAgainIsNotOurs(t *testing.T) {
	d := create(t, memory.New(nil))
	key := path.Join("g", d.id, "manifest")
	first := d.open()
	earlier, _, err := bucket.ReadAll(t.Context(), d.bucket, key, "", 1<<20)
	must(t, err)
	a := d.open()
	must(t, a.add(0, 5))
	_, err = d.bucket.PutIf(t.Context(), key, bucket.Bytes(earlier), bucket.Always)
	must(t, err)
	b := d.open()
	if a.writer.epoch != b.writer.epoch {
		t.Fatalf("epochs %d and %d", a.writer.epoch, b.writer.epoch)
	}
	for what, w := range map[string]*Writer{"first": first.writer, "second": a.writer} {
		if err := w.Prove(t.Context()); !errors.Is(err, engine.ErrFenced) {
			t.Errorf("the %s writer takes the manifest of another one for its own: %v", what, err)
		}
	}
	must(t, b.writer.Prove(t.Context()))
	if got := b.count(); got != 5 {
		t.Errorf("%d of 5 documents", got)
	}
}

func TestAWriterThatSleptBeyondTheGraceIsFenced(t *testing.T) {
	c := &clock{time.Unix(1_700_000_000, 0)}
	d := create(t, memory.New(c.time))
	a := d.open()
	must(t, a.add(0, 3))
	b := d.open()
	must(t, b.add(3, 6))
	must(t, b.commit())
	c.now = c.now.Add(3 * grace)
	must(t, b.add(6, 7))
	must(t, b.commit())
	c.now = c.now.Add(3 * grace)
	if _, err := b.writer.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The log number that a needs next is free again: only the proof of its epoch
	// keeps it from acknowledging.
	if err := a.add(9, 10); err == nil {
		t.Error("a writer that slept acknowledged a write")
	}
	if got := d.open().count(); got < 7 {
		t.Errorf("%d of 7 documents", got)
	}
}

func TestLostRepliesAreSettled(t *testing.T) {
	for _, fault := range []faultbucket.Fault{faultbucket.LoseReply, faultbucket.Undecided, faultbucket.Unavailable} {
		c := &clock{time.Unix(1_700_000_000, 0)}
		faulty := faultbucket.New(memory.New(c.time), nil)
		d := create(t, faulty)
		a := d.open()
		calls := 0
		faulty.SetPlan(func(call faultbucket.Call) faultbucket.Fault {
			if call.Op != "put" {
				return faultbucket.None
			}
			if calls++; calls%2 == 1 {
				return fault
			}
			return faultbucket.None
		})
		must(t, a.add(0, 4))
		must(t, a.commit())
		must(t, a.add(4, 6))
		faulty.SetPlan(nil)
		if got := d.open().count(); got != 6 {
			t.Errorf("fault %d: %d of 6 documents", fault, got)
		}
	}
}

func TestSweepKeepsWhatAGraceNames(t *testing.T) {
	c := &clock{time.Unix(1_700_000_000, 0)}
	store := memory.New(c.time)
	d := create(t, store)
	a := d.open()
	for i := range 4 {
		must(t, a.add(i*3, i*3+3))
		must(t, a.commit())
		c.now = c.now.Add(time.Minute)
	}
	if swept, err := a.writer.Sweep(t.Context()); err != nil || swept != (Swept{}) {
		t.Fatalf("swept %+v within the grace, %v", swept, err)
	}
	must(t, a.g.MergeAll(t.Context()))
	c.now = c.now.Add(2 * grace)
	must(t, a.add(12, 13))
	must(t, a.commit())
	swept, err := a.writer.Sweep(t.Context())
	if err != nil || swept.Files == 0 || swept.Records == 0 {
		t.Fatalf("swept %+v, %v", swept, err)
	}
	if got := d.open().count(); got != 13 {
		t.Errorf("%d of 13 documents after the sweep", got)
	}
}

// slow is a bucket that takes a minute to replace a manifest.
type slow struct {
	bucket.Bucket
	clock *clock
	isOn  bool
}

func (s *slow) PutIf(ctx context.Context, key string, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	if s.isOn && path.Base(key) == "manifest" {
		s.clock.now = s.clock.now.Add(time.Minute)
	}
	return s.Bucket.PutIf(ctx, key, body, condition)
}

// The grace of a file begins when the manifest without it is stored, not when it is
// written: until then readers use the previous manifest.
func TestAGraceBeginsWhenAManifestIsReplaced(t *testing.T) {
	c := &clock{time.Unix(1_700_000_000, 0)}
	store := &slow{Bucket: memory.New(c.time), clock: c}
	a := create(t, store).open()
	for i := range 4 {
		must(t, a.add(i*3, i*3+3))
		must(t, a.commit())
	}
	store.isOn = true
	must(t, a.g.MergeAll(t.Context()))
	c.now = c.now.Add(grace - time.Second)
	if swept, err := a.writer.Sweep(t.Context()); err != nil || swept != (Swept{}) {
		t.Fatalf("swept %+v within the grace, %v", swept, err)
	}
	c.now = c.now.Add(publishLimit + time.Second)
	if swept, err := a.writer.Sweep(t.Context()); err != nil || swept.Files == 0 || swept.Records == 0 {
		t.Fatalf("swept %+v, %v", swept, err)
	}
}

// The same holds for a manifest that names no new file: no upload tells the writer the
// time of the store before the manifest is stored (I13).
func TestAGraceBeginsAfterALongRest(t *testing.T) {
	c := &clock{time.Unix(1_700_000_000, 0)}
	a := create(t, memory.New(c.time)).open()
	must(t, a.g.StartTracking(t.Context()))
	must(t, a.add(0, 3))
	must(t, a.commit())
	c.now = c.now.Add(2 * grace)
	must(t, a.g.StopTracking(t.Context()))
	if swept, err := a.writer.Sweep(t.Context()); err != nil || swept.Files != 0 {
		t.Fatalf("swept %+v that the manifest named a moment ago, %v", swept, err)
	}
	c.now = c.now.Add(grace + publishLimit + time.Second)
	if swept, err := a.writer.Sweep(t.Context()); err != nil || swept.Files == 0 {
		t.Fatalf("swept %+v, %v", swept, err)
	}
}

// fickle is a bucket that answers only every other read of a log record.
type fickle struct {
	bucket.Bucket
	mu    sync.Mutex
	asked map[string]int
}

func (f *fickle) Get(ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error) {
	f.mu.Lock()
	f.asked[key]++
	isLost := strings.Contains(key, "/wal/") && f.asked[key]%2 == 1
	f.mu.Unlock()
	if isLost {
		return bucket.Object{}, bucket.ErrUnknown
	}
	return f.Bucket.Get(ctx, key, unless)
}

// A takeover reads many records and adds one when it fails, so a read that fails
// now and then must not end it.
func TestATakeoverAsksAgain(t *testing.T) {
	d := create(t, memory.New(time.Now))
	a := d.open()
	for i := range 20 {
		must(t, a.add(i, i+1))
	}
	d.bucket = &fickle{Bucket: d.bucket, asked: make(map[string]int)}
	if got := d.open().count(); got != 20 {
		t.Errorf("%d of 20 documents", got)
	}
}

func TestPullVerifiesEveryFile(t *testing.T) {
	c := &clock{time.Unix(1_700_000_000, 0)}
	store := memory.New(c.time)
	d := create(t, store)
	a := d.open()
	must(t, a.add(0, 10))
	must(t, a.commit())
	m := a.writer.Manifest()
	remote := New(store, d.id, grace)
	key := remote.key(m.Files[0].Key)
	content, _, err := bucket.ReadAll(t.Context(), store, key, "", 1<<20)
	must(t, err)
	content[len(content)/2] ^= 1
	_, err = store.PutIf(t.Context(), key, bucket.Bytes(content), bucket.Always)
	must(t, err)
	fs := vfs.Memory()
	if err := remote.Pull(t.Context(), fs, "g", m, nil); !errors.Is(err, ErrMismatch) {
		t.Errorf("a damaged object was taken: %v", err)
	}
	if _, err := manifest.Read(fs, "g"); err == nil {
		t.Error("a failed pull left a manifest")
	}
	names, err := fs.List("g")
	must(t, err)
	if slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(name, partSuffix) }) {
		t.Errorf("a failed pull left %q", names)
	}
}

// A cancelled repair reads no file.
func TestMendEndsWithItsContext(t *testing.T) {
	d := create(t, memory.New(time.Now))
	a := d.open()
	must(t, a.add(0, 10))
	must(t, a.commit())
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(d.bucket, d.id, grace).Mend(over, a.fs, "g", a.writer.Manifest(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestAMissingManifestIsAFault(t *testing.T) {
	remote := New(memory.New(time.Now), manifest.NewID(), grace)
	if _, err := remote.Take(t.Context(), vfs.Memory(), "g", manifest.NewID()); !errors.Is(err, ErrNoManifest) {
		t.Errorf("took a generation without a manifest: %v", err)
	}
}

// Later writers forget what a writer swept that ended before its next manifest: the
// list of retired files does not grow without bound.
func TestWhatWasSweptIsForgottenByTheNextWriter(t *testing.T) {
	c := &clock{time.Unix(1_700_000_000, 0)}
	d := create(t, memory.New(c.time))
	a := d.open()
	for i := range 4 {
		must(t, a.add(i*3, i*3+3))
		must(t, a.commit())
	}
	must(t, a.g.MergeAll(t.Context()))
	c.now = c.now.Add(2 * grace)
	if swept, err := a.writer.Sweep(t.Context()); err != nil || swept.Files == 0 {
		t.Fatalf("swept %+v, %v", swept, err)
	}
	b := d.open()
	c.now = c.now.Add(2 * grace)
	must(t, b.add(20, 21))
	must(t, b.commit())
	_, err := b.writer.Sweep(t.Context())
	must(t, err)
	must(t, b.add(21, 22))
	must(t, b.commit())
	for _, r := range b.writer.Manifest().Retired {
		if time.UnixMilli(r.Time).Before(c.now.Add(-grace)) {
			t.Errorf("the manifest still lists %s", r.Key)
		}
	}
	if got := d.open().count(); got != 14 {
		t.Errorf("%d of 14 documents", got)
	}
}
