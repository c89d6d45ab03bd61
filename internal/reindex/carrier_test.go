package reindex

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/versioned"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// always are the claims of a node that believes it writes every index.
type always struct{}

func (always) Holds(registry.ID) bool                             { return true }
func (always) Claim(context.Context, registry.ID) error           { return nil }
func (always) Confirm(context.Context, registry.ID) (bool, error) { return true, nil }
func (always) Doubt() bool                                        { return false }

// unrecorded is a connection that does not write job records in some phase. The
// zero value writes all.
type unrecorded struct {
	bucket.Bucket
	phase atomic.Value // a Phase
}

func (u *unrecorded) PutIf(ctx context.Context, key string, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	if phase, _ := u.phase.Load().(Phase); phase != "" && strings.HasPrefix(key, recordPrefix) {
		content, err := body.Read()
		if err != nil || strings.Contains(string(content), `"phase":"`+string(phase)+`"`) {
			return bucket.Written{}, bucket.ErrUnknown
		}
	}
	return u.Bucket.PutIf(ctx, key, body, condition)
}

// carrier is a node whose jobs advance one step at a time.
type carrier struct {
	*testing.T
	*Jobs
}

func newCarrier(t *testing.T, b bucket.Bucket, name string) *carrier {
	t.Helper()
	log, builder := slog.New(slog.DiscardHandler), analysis.NewBuilder(analysis.Options{})
	known, err := registry.Open(t.Context(), b, log)
	if err != nil {
		t.Fatal(err)
	}
	open := generations.New(vfs.Memory(), "generations", generations.Options{Log: log,
		Engine: engine.Options{MinFree: -1, Workers: 1, MaxInterval: -1, MaxChanges: -1, Analysis: builder, Capabilities: builder.Capabilities()},
		Remote: &generations.Remote{Bucket: b, Grace: time.Hour, Claims: always{},
			Taken: func(ctx context.Context, _ registry.Entry) error { return known.Refresh(ctx) }}})
	t.Cleanup(func() { _ = open.Close(context.Background()) })
	return &carrier{t, New(b, known, open, name, Options{Holds: always{}.Holds}, log)}
}

func (c *carrier) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

func (c *carrier) entry(text string) registry.Entry {
	c.Helper()
	name, err := registry.ParseName(text)
	c.must(err)
	found, err := c.registry.Resolve(name)
	c.must(err)
	return found
}

// create makes books with two generations, the first of which is live.
func (c *carrier) create() {
	c.Helper()
	d := c.definition()
	index, first, second := registry.NewID(), registry.NewID(), registry.NewID()
	c.must(c.generations.Create(c.Context(), first, d))
	c.must(c.generations.Create(c.Context(), second, d))
	c.must(c.registry.CreateIndex(c.Context(), registry.Name{Index: "books", Generation: "1"}, index, first, time.Now()))
	c.must(c.registry.CreateGeneration(c.Context(), registry.Name{Index: "books", Generation: "2"}, index, second, time.Now()))
}

func (c *carrier) definition() *definition.Definition {
	c.Helper()
	d, err := definition.Parse([]byte(`{"fields":{"id":{"type":"string","primaryKey":true},"v":{"type":"int64"}}}`), definition.Capabilities{})
	c.must(err)
	return d
}

func (c *carrier) use(name string, work func(*generations.Generation)) {
	c.Helper()
	g, err := c.generations.Acquire(c.Context(), c.entry(name))
	c.must(err)
	defer g.Release()
	work(g)
}

func (c *carrier) write(name, raw string) {
	c.Helper()
	c.use(name, func(g *generations.Generation) {
		var found problem.List
		d := document.NewReader(g.Schema()).Read([]byte(raw), problem.Path{}, &found)
		s := g.WriteStream()
		c.must(errors.Join(found.Err(), s.Add(context.Background(), d)))
		_, err := s.Wait(context.Background())
		c.must(err)
		_, err = g.Commit(c.Context(), engine.Explicit)
		c.must(err)
	})
}

// read returns the document of a key.
func (c *carrier) read(name, key string) (text string) {
	c.Helper()
	c.use(name, func(g *generations.Generation) {
		_, err := g.Commit(c.Context(), engine.Explicit)
		c.must(err)
		view := g.Snapshot()
		defer view.Release()
		segment, doc, ok, err := view.LookupKey(key)
		c.must(err)
		if !ok {
			return
		}
		stored, err := segment.Reader.Stored().Get(nil, doc)
		c.must(err)
		record, err := document.OpenRecord(stored)
		c.must(err)
		text = string(document.AsSent(g.Schema()).Append(nil, record, func(*definition.ResolvedField) (int64, bool) { return 0, false }))
	})
	return text
}

// start accepts a job and performs its steps up to a phase.
func (c *carrier) start(until Phase) *job {
	c.Helper()
	_, err := c.Start(c.Context(), Request{Target: c.entry("books@2").Name, Promote: Manual})
	c.must(err)
	return c.advanceTo(until)
}

// advanceTo performs the steps of the job that this node runs up to a phase.
func (c *carrier) advanceTo(until Phase) *job {
	c.Helper()
	one := c.find(c.entry("books").Index)
	for one.record().Record.Phase != until {
		c.must(c.step(c.Context(), one, one.record().Record.Phase))
	}
	return one
}

// takeAll takes the index over with its job.
func (c *carrier) takeAll() {
	c.Helper()
	c.must(c.registry.Refresh(c.Context()))
	index := c.entry("books").Index
	c.generations.Demote(index)
	c.must(c.TakeOver(c.Context(), index))
}

// I16 (seed 21821): a job waited on a node that lost its index, another node
// continued the job, and the index came back. Whatever step the first node does
// next reports that the job is lost, and the source keeps the recorded changes.
func TestAJobThatWasTakenOverForgetsNothing(t *testing.T) {
	for _, phase := range []Phase{Pending, Copying, Replaying} {
		t.Run(string(phase), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := memory.New(nil)
				first := newCarrier(t, b, "a")
				first.create()
				first.write("books", `{"id":"1","v":1}`)
				stale := first.start(phase)
				second := newCarrier(t, b, "b")
				second.takeAll()
				second.advanceTo(Ready)
				second.write("books", `{"id":"1","v":2}`)
				first.takeAll() // as far as it knows, it already runs the job
				if err := first.step(t.Context(), stale, phase); !errors.Is(err, versioned.ErrLost) {
					t.Errorf("the step: %v", err)
				}
				first.use("books", func(g *generations.Generation) {
					if g.Backlog() != 1 {
						t.Errorf("%d keys are recorded", g.Backlog())
					}
				})
			})
		})
	}
}

// I16: a job that cannot record that it began leaves what the source recorded: the
// next attempt, or another node, may find that it began before.
func TestAJobThatCannotRecordItsBeginForgetsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &unrecorded{Bucket: memory.New(nil)}
		c := newCarrier(t, b, "a")
		c.create()
		one := c.start(Pending)
		c.use("books", func(g *generations.Generation) { c.must(g.StartTracking(t.Context())) })
		c.write("books", `{"id":"1","v":1}`)
		b.phase.Store(Copying)
		if err := c.step(t.Context(), one, Pending); err == nil {
			t.Error("the begin was recorded")
		}
		c.use("books", func(g *generations.Generation) {
			if g.Backlog() != 1 {
				t.Errorf("%d keys are recorded", g.Backlog())
			}
		})
	})
}

// I16: the node that took a job over has promoted but could not record it. The node
// that ran the job before copies nothing of the source into the live generation.
func TestAJobThatWasTakenOverBringsNothingIntoWhatIsLive(t *testing.T) {
	for _, phase := range []Phase{Copying, Replaying, Ready} {
		t.Run(string(phase), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := memory.New(nil)
				first := newCarrier(t, b, "a")
				first.create()
				first.write("books", `{"id":"1","v":1}`)
				stale := first.start(phase)
				first.write("books", `{"id":"1","v":2}`)
				second := newCarrier(t, b, "b")
				second.takeAll()
				second.must(second.move(t.Context(), second.advanceTo(Ready)))
				second.write("books", `{"id":"1","v":3}`)
				first.takeAll()
				step := func() error { return first.step(t.Context(), stale, phase) }
				if phase == Ready {
					step = func() error { return first.catchUp(t.Context(), stale) }
				}
				if err := step(); err == nil {
					t.Error("the step was done")
				}
				if got := first.read("books@2", "1"); got != `{"id":"1","v":3}` {
					t.Errorf("%s is live", got)
				}
			})
		})
	}
}

// I16: a node that lost an index and got it back a moment later does not trust what
// it knew of its jobs before.
func TestAnIndexThatWasLostMayHaveAJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		first := newCarrier(t, b, "a")
		first.create()
		fills := func() bool {
			fills, err := first.Fills(t.Context(), first.entry("books@2"))
			first.must(err)
			return fills
		}
		if fills() {
			t.Error("a job was found before there was one")
		}
		second := newCarrier(t, b, "b")
		second.start(Pending)
		first.Lost(first.entry("books").Index)
		if !fills() {
			t.Error("the job that another node began was not found")
		}
	})
}
