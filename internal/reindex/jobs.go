// Package reindex fills a generation from another one of the same index while
// writes continue, and makes it live.
//
// A job copies the documents of the source in key order, then replays the keys that
// changed meanwhile, which the source records, until few are left. Promotion holds
// writes for the last of them, so that nothing is lost and nothing is refused. The
// record of a job is one conditionally replaced object per index; after a restart,
// or on another node, the job continues from it.
//
// Invariants:
//
//	J1  The cursor moves only over documents that the target holds durably.
//	J2  A key the source records is forgotten only after the target holds its
//	    state durably.
//	J3  The record is replaced only by the node that wrote it last.
//	J4  After the registry made the target live a job can only end as done.
//	J5  A job continues only while the source has recorded every change since it
//	    began.
//	J6  A step touches source and target only after both were opened here and the
//	    record was then still the one this node wrote last.
//
// Jobs may be used by any number of goroutines. Run runs the jobs; without it
// nothing moves.
package reindex

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/versioned"
	"github.com/quiresearch/quire/problem"
)

// Options configure jobs. The zero value works.
type Options struct {
	MaxConcurrent   int           // jobs that copy or replay at once; 0: 2
	CatchupInterval time.Duration // between rounds of a job that is ready; 0: 30 s
	SweepInterval   time.Duration // between searches for unfinished jobs that no node runs, and for tracking that no job needs; 0: 30 s
	// Holds reports whether this node writes an index; nil: it writes all.
	Holds func(registry.ID) bool
	// Claim makes this node the owner of an index that has none; nil if Holds is nil.
	Claim func(context.Context, registry.ID) error
	// Verify measures targets of jobs that ask for it; nil: none is measured.
	Verify Verify
}

const (
	defaultConcurrent = 2
	defaultCatchup    = 30 * time.Second
	defaultSweep      = 30 * time.Second
	cancelWait        = 15 * time.Second
	idleAge           = time.Second // how long an index seen without a job is assumed to have none
	stopWait          = 30 * time.Second
	takeOverWait      = 10 * time.Second // for the bucket, while writes wait
)

// Jobs are the reindex jobs of a node.
type Jobs struct {
	records     records
	registry    *registry.Registry
	generations *generations.Set
	node        string
	options     Options
	log         *slog.Logger
	slots       chan struct{}
	wake        chan struct{} // buffered by one: a job waits to be run
	running     sync.WaitGroup

	mu     sync.Mutex
	jobs   map[registry.ID]*job      // unfinished, by index
	phases map[registry.ID]Phase     // of every record seen, by index
	idle   map[registry.ID]time.Time // when an index was last seen to have no unfinished job
	losses int                       // of indexes to other nodes, which may begin jobs for them

	stopping map[registry.ID]chan struct{} // by generation: closed when stopUnused has ended
}

// New returns the jobs whose records are in a bucket.
func New(b bucket.Bucket, known *registry.Registry, open *generations.Set, node string, options Options, log *slog.Logger) *Jobs {
	if options.MaxConcurrent <= 0 {
		options.MaxConcurrent = defaultConcurrent
	}
	if options.CatchupInterval <= 0 {
		options.CatchupInterval = defaultCatchup
	}
	if options.SweepInterval <= 0 {
		options.SweepInterval = defaultSweep
	}
	return &Jobs{
		records: records{b}, registry: known, generations: open, node: node, options: options, log: log,
		slots: make(chan struct{}, options.MaxConcurrent), wake: make(chan struct{}, 1),
		jobs: make(map[registry.ID]*job), phases: make(map[registry.ID]Phase),
		idle: make(map[registry.ID]time.Time), stopping: make(map[registry.ID]chan struct{}),
	}
}

// Run runs jobs until ctx ends, then waits for the current step of each.
func (j *Jobs) Run(ctx context.Context) error {
	sweep := time.NewTicker(j.options.SweepInterval)
	defer sweep.Stop()
	for {
		for _, one := range j.waiting() {
			j.running.Go(func() { j.run(ctx, one) })
		}
		select {
		case <-ctx.Done():
			j.Stop(context.WithoutCancel(ctx))
			return nil
		case <-j.wake:
		case <-sweep.C:
			j.sweep(ctx)
			j.adopt(ctx)
			j.stopUnusedTracking(ctx)
		}
	}
}

// waiting returns the jobs that are not running yet and marks them as running.
func (j *Jobs) waiting() []*job {
	j.mu.Lock()
	defer j.mu.Unlock()
	var found []*job
	for _, one := range j.jobs {
		if !one.isCarried {
			one.isCarried = true
			found = append(found, one)
		}
	}
	return found
}

// Stop waits until no job is running, at most half a minute.
func (j *Jobs) Stop(ctx context.Context) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		j.running.Wait()
	}()
	ctx, cancel := context.WithTimeout(ctx, stopWait)
	defer cancel()
	select {
	case <-ended:
	case <-ctx.Done():
		j.log.Warn("reindex jobs did not stop in time")
	}
}

// Fills reports whether an unfinished job fills the generation, including a job
// that this node should run but could not take over yet, or that began while
// another node wrote the index.
func (j *Jobs) Fills(ctx context.Context, entry registry.Entry) (bool, error) {
	one, losses, isKnown := j.known(entry.Index)
	if isKnown {
		return one != nil && one.target().Generation == entry.Generation, nil
	}
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	began := time.Now()
	held, err := j.records.read(ctx, entry.Index)
	if err != nil && !errors.Is(err, versioned.ErrCorrupt) { // a damaged job does not run
		return false, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if held.Exists() && !held.Value.Record.Phase.IsFinished() {
		if one != nil && one.isCarriedAs(held.Value) {
			one.losses = losses
		}
		return held.Value.TargetID == entry.Generation, nil
	}
	if j.losses == losses {
		j.idle[entry.Index] = began
	}
	return false, nil
}

// known returns the job of an index that runs here, or nil, and whether nothing
// else needs to be known. losses shows later whether that still holds.
func (j *Jobs) known(index registry.ID) (one *job, losses int, isKnown bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	one = j.jobs[index]
	phase, isNoted := j.phases[index]
	switch {
	case one != nil:
		isKnown = one.losses == j.losses
	case j.options.Holds == nil:
		isKnown = !isNoted || phase.IsFinished() // otherwise it waits to be taken over
	default:
		isKnown = time.Since(j.idle[index]) < idleAge
	}
	return one, j.losses, isKnown
}

func (j *Jobs) lost() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.losses
}

// Lost forgets what is known of the job of an index: its present writer may end it
// and begin another before the index comes back.
func (j *Jobs) Lost(index registry.ID) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.idle, index)
	j.losses++
}

func (j *Jobs) find(index registry.ID) *job {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.jobs[index]
}

// drop forgets a job that ended here.
func (j *Jobs) drop(one *job) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.jobs[one.index()] == one {
		delete(j.jobs, one.index())
	}
}

func (j *Jobs) note(index registry.ID, phase Phase) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.phases[index] = phase
}

// doubt notes that an index may have an unfinished job, because the store did not
// report the outcome.
func (j *Jobs) doubt(index registry.ID) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.phases[index] = Pending
	delete(j.idle, index)
}

// forget drops what was noted of an index.
func (j *Jobs) forget(index registry.ID) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.phases, index)
	delete(j.idle, index)
}

// CountByPhase returns the number of records in each phase, in upper case.
func (j *Jobs) CountByPhase(context.Context) map[string]int {
	j.mu.Lock()
	defer j.mu.Unlock()
	counts := make(map[string]int)
	for _, phase := range j.phases {
		counts[strings.ToUpper(string(phase))]++
	}
	return counts
}

// Record returns the job of an index. A name with a generation asks for the job
// that fills it. It returns reindex:not_found when there is none.
func (j *Jobs) Record(ctx context.Context, name registry.Name) (Record, error) {
	index, err := j.registry.Find(name)
	if err != nil {
		return Record{}, err
	}
	if name.HasGeneration() {
		if _, err := j.registry.Resolve(name); err != nil {
			return Record{}, err
		}
	}
	held, err := j.records.read(ctx, index.ID)
	if err != nil {
		return Record{}, err
	}
	if !held.Exists() || name.HasGeneration() && held.Value.Record.Target != name.String() {
		return Record{}, problem.ReindexNotFound.New("name", name.String())
	}
	return held.Value.Record, nil
}

// List returns the jobs of every index, ordered by index.
func (j *Jobs) List(ctx context.Context) ([]Record, error) {
	recorded, err := j.records.indexes(ctx)
	if err != nil {
		return nil, err
	}
	var all []Record
	for _, index := range j.registry.List() {
		if !recorded[index.ID] {
			continue
		}
		held, err := j.records.read(ctx, index.ID)
		if err != nil {
			return nil, err
		}
		if held.Exists() {
			all = append(all, held.Value.Record)
		}
	}
	return all, nil
}

// Delete removes the record of an index that is gone and ends its job.
func (j *Jobs) Delete(ctx context.Context, index registry.ID) error {
	if one := j.find(index); one != nil {
		one.cancel()
		j.drop(one)
	}
	j.forget(index)
	return j.records.delete(ctx, index)
}

// Recheck is called after generations of an index were removed. It returns when the
// job they belonged to has failed, or after a while.
func (j *Jobs) Recheck(ctx context.Context, index registry.ID) {
	one := j.find(index)
	if one == nil || j.checkGenerations(one) == nil {
		return
	}
	one.wake()
	j.awaitEnd(ctx, one)
}

func textOrNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func describe(err error) string {
	found := problem.All(err)
	if len(found) > 0 && found[0].Code != problem.NodeError {
		return found[0].Code.Name() + ": " + found[0].Message()
	}
	return fmt.Sprint(err)
}
