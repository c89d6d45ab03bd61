package node

import (
	"context"
	"errors"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/reindex"
	"github.com/quiresearch/quire/problem"
)

// firstGeneration is the name of the first generation of an index.
const firstGeneration = "1"

const (
	// commitWait bounds how long a request waits for a commit whose outcome storage
	// does not report.
	commitWait = time.Minute
	// proveLimit bounds how long it waits for a bucket that does not answer, as for
	// a write of documents.
	proveLimit = 10 * time.Second
)

// Put is a request to give an index or a generation a definition.
type Put struct {
	Name       registry.Name
	Body       []byte
	Matches    func(version string) bool // the If-Match header; nil: none was sent
	AllowStale bool
	Reindex    string       // auto, manual or empty
	HasReindex bool         // the parameter was given
	MayPromote func() error // asked when reindex is auto
	StartedBy  string
	Verify     string // judgement set that verifies the reindex job; empty: none
}

// Put creates an index or a generation, or replaces its definition. It reports
// whether it created something.
func (n *Node) Put(ctx context.Context, put Put) (*Description, bool, error) {
	d, err := n.readPut(ctx, put)
	if err != nil {
		return nil, false, err
	}
	var (
		described *Description
		created   bool
	)
	err = n.whichever(put.Name, func(entry registry.Entry) (err error) {
		described, err = n.replace(ctx, entry, d, put)
		return err
	}, func() (err error) {
		described, err = n.create(ctx, d, put)
		created = err == nil
		return err
	})
	return described, created, err
}

// readPut reads the definition of a request and checks everything that does not
// depend on its generation.
func (n *Node) readPut(ctx context.Context, put Put) (*definition.Definition, error) {
	if err := n.ready(ctx); err != nil {
		return nil, err
	}
	if put.Name.HasGeneration() {
		if _, err := n.registry.Find(put.Name); err != nil {
			return nil, err
		}
	}
	d, err := definition.Parse(put.Body, n.options.Capabilities)
	if err != nil {
		return nil, err
	}
	if err := put.checkReindex(); err != nil {
		return nil, err
	}
	return d, n.checkVerify(ctx, put)
}

// whichever calls replace with the generation that a name answers from, and again
// when that changed, or create when there is none.
func (n *Node) whichever(name registry.Name, replace func(registry.Entry) error, create func() error) error {
	for range resolutions {
		entry, err := n.registry.Resolve(name)
		switch {
		case err == nil:
			if err := replace(entry); !errors.Is(err, errMoved) {
				return err
			}
			continue
		case errors.Is(err, problem.IndexNotFound):
			if registry.IsReserved(name.Index) {
				return problem.IndexNameInvalid.New("name", name.Index).Advise("Paths use this word; choose another name.")
			}
			return create()
		}
		return err
	}
	return problem.IndexGenerationUnsettled.New("name", name.String())
}

// errMoved reports that a name now answers from another generation.
var errMoved = errors.New("the name answers from another generation")

func (put *Put) checkReindex() error {
	if !put.HasReindex {
		return nil
	}
	if !reindex.IsPromote(put.Reindex) {
		return problem.ReindexPromoteInvalid.At(problem.At("reindex"), "value", put.Reindex)
	}
	if put.Reindex == reindex.Auto && put.MayPromote != nil {
		return put.MayPromote()
	}
	return nil
}

func (put *Put) job() reindex.Request {
	return reindex.Request{Target: put.Name, Promote: put.Reindex, StartedBy: put.StartedBy, Verify: put.Verify}
}

// create makes the index or generation that a name does not answer from yet.
func (n *Node) create(ctx context.Context, d *definition.Definition, put Put) (*Description, error) {
	switch {
	case put.Matches != nil:
		return nil, problem.IndexNotFound.New("name", put.Name.String())
	case put.HasReindex && !put.Name.HasGeneration():
		return nil, problem.IndexGenerationReindexWithoutCreation.New()
	case put.HasReindex:
		if err := n.jobs.Check(ctx, put.job(), definition.NewSchema(d)); err != nil {
			return nil, err
		}
	}
	entry, err := n.register(ctx, put.Name, d)
	if err != nil {
		return nil, err
	}
	if put.HasReindex {
		if _, err := n.jobs.Start(ctx, put.job()); err != nil {
			if undo := n.Delete(context.WithoutCancel(ctx), entry.Name); undo != nil {
				n.log.Error("cannot remove a generation whose job did not start", "generation", entry.Name, "error", undo)
				return nil, problem.StorageUnknown.New("resource", "index").Because(errors.Join(err, undo))
			}
			return nil, err
		}
	}
	n.log.Info("generation created", "index", entry.Name.Index, "generation", entry.Name.Generation)
	described, err := n.Describe(ctx, entry.Name)
	if err != nil {
		// It exists, whatever keeps it from being opened now.
		n.log.Warn("cannot open a new generation yet", "generation", entry.Name, "error", err)
		described = n.describeCreated(entry, d)
	}
	return described, nil
}

// register makes an empty generation and then names it in the registry; from that
// moment it exists. It removes the remains of a refused registration, and keeps
// everything when the outcome is unknown.
func (n *Node) register(ctx context.Context, name registry.Name, d *definition.Definition) (registry.Entry, error) {
	at := time.Now().UTC().Truncate(time.Microsecond)
	entry := registry.Entry{Name: name, Index: registry.NewID(), Generation: registry.NewID()}
	named := n.registry.CreateIndex
	if name.HasGeneration() {
		index, err := n.registry.Find(name)
		if err != nil {
			return entry, err
		}
		entry.Index, named = index.ID, n.registry.CreateGeneration
	} else {
		entry.Name = name.At(firstGeneration)
	}
	err := registry.Identify(ctx, n.bucket, registry.Identity{
		Index: entry.Name.Index, IndexID: entry.Index, Generation: entry.Name.Generation,
		GenerationID: entry.Generation, CreatedAt: at,
	})
	if err == nil {
		err = n.generations.Create(ctx, entry.Generation, d)
	}
	if err == nil {
		// The node that creates an index writes it. A claim that turns out not to
		// be needed is given up later.
		err = n.deployment.claim(ctx, entry.Index)
	}
	if err == nil {
		err = named(ctx, entry.Name, entry.Index, entry.Generation, at)
	}
	if err != nil && !errors.Is(err, problem.StorageUnknown) && !errors.Is(err, problem.IndexGenerationStorageHeld) {
		n.discard(ctx, entry)
	}
	return entry, err
}

// discard removes a generation that never came to exist.
func (n *Node) discard(ctx context.Context, entry registry.Entry) {
	ctx = context.WithoutCancel(ctx)
	err := errors.Join(n.generations.Remove(ctx, entry.Generation), n.generations.EraseRemote(ctx, entry.Generation),
		registry.Erase(ctx, n.bucket, entry.Generation))
	if err != nil {
		n.log.Error("cannot remove what is left of a refused creation", "generation", entry.Name, "error", err)
	}
}

// replace gives a generation another definition. Writes wait meanwhile, so that a
// generation found empty stays empty.
func (n *Node) replace(ctx context.Context, entry registry.Entry, d *definition.Definition, put Put) (*Description, error) {
	if put.HasReindex {
		return nil, problem.IndexGenerationReindexWithoutCreation.New()
	}
	var described *Description
	err := n.holding(ctx, entry, put.Name, func(g *generations.Generation) (err error) {
		before := g.Definition()
		if put.Matches != nil && !put.Matches(before.Version()) {
			return problem.IndexVersionMismatch.New("version", before.Version())
		}
		if before.Version() != d.Version() {
			if err := n.checkCompatible(ctx, g, d, put.AllowStale); err != nil {
				return err
			}
			setting, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitWait)
			defer cancel()
			if err := g.SetDefinition(setting, d); err != nil {
				return commitProblem(err)
			}
			n.log.Info("definition replaced", "index", entry.Name.Index, "generation", entry.Name.Generation)
		}
		described, err = n.describe(ctx, g)
		return err
	})
	return described, err
}

// holding calls do with the generation that a name answers from, once this node is
// proven to write it. Writes wait meanwhile. It returns errMoved when the name
// answers from another generation.
func (n *Node) holding(ctx context.Context, entry registry.Entry, name registry.Name, do func(*generations.Generation) error) error {
	if err := n.generations.Settle(ctx, entry.Index); err != nil {
		return err
	}
	moves := n.generations.Moves(entry.Index)
	if err := moves.LockUntil(ctx); err != nil {
		return err
	}
	defer moves.Unlock()
	if now, err := n.registry.Resolve(name); err != nil || now.Generation != entry.Generation || n.generations.IsUnsettled(entry.Index) {
		return errMoved
	}
	g, err := n.generations.Acquire(ctx, entry)
	if errors.Is(err, problem.IndexFieldTypeUnrepresentable) {
		return problem.IndexDefinitionUnrepresentable.New().Because(err)
	}
	if err != nil {
		return err
	}
	defer g.Release()
	if n.deployment.hasMoved(name, entry) {
		return errMoved
	}
	// Writes wait for this, so it is bounded while the bucket is away. Whatever the
	// answer is, it is true of the definition that the writer has (I23).
	if err := prove(ctx, g); err != nil {
		return err
	}
	return do(g)
}

// checkCompatible refuses a definition that does not fit the documents of a
// generation, or those that a job is bringing.
func (n *Node) checkCompatible(ctx context.Context, g *generations.Generation, after *definition.Definition, allowStale bool) error {
	differences := definition.Compare(g.Definition(), after)
	if len(differences) == 0 {
		return nil
	}
	if !g.Entry.Live {
		if err := n.checkIdle(ctx, g.Entry); err != nil {
			return err
		}
	}
	if allowStale {
		return nil
	}
	count, err := g.Count()
	if err != nil {
		return err
	}
	if count == 0 {
		return nil
	}
	return problem.IndexDefinitionIncompatible.New().Detailed(differences)
}

// Delete removes an index with all its generations, or one generation that is not
// live. Files that the local disk fails to remove are removed later: a change that
// was made is not reported as failed (I17).
func (n *Node) Delete(ctx context.Context, name registry.Name) error {
	if err := n.ready(ctx); err != nil {
		return err
	}
	index, err := n.registry.Find(name)
	if err != nil {
		return err
	}
	removed, err := n.unregister(ctx, index.ID, name)
	if err != nil {
		return err
	}
	n.log.Info("removed", "name", name.String())
	n.jobs.Recheck(ctx, index.ID)
	if err := n.deployment.retire(context.WithoutCancel(ctx), removed); err != nil {
		n.log.Error("what is left of a removed generation cannot be removed yet", "name", name.String(), "error", err)
	}
	return nil
}

func (n *Node) unregister(ctx context.Context, index registry.ID, name registry.Name) ([]registry.Removed, error) {
	moves := n.generations.Moves(index)
	if err := moves.LockUntil(ctx); err != nil {
		return nil, err
	}
	defer moves.Unlock()
	at := time.Now().UTC().Truncate(time.Microsecond)
	if name.HasGeneration() {
		return n.registry.RemoveGeneration(ctx, name, at)
	}
	return n.registry.RemoveIndex(ctx, name, at)
}

// Promote makes a generation live, finishing the job that fills it.
func (n *Node) Promote(ctx context.Context, name registry.Name) (*Description, error) {
	return n.PromoteAs(ctx, name, Promotion{})
}

// PromoteAs is Promote with a verification, or without the one of its job.
func (n *Node) PromoteAs(ctx context.Context, name registry.Name, how Promotion) (*Description, error) {
	if !name.HasGeneration() {
		return nil, problem.IndexGenerationNameRequired.New("name", name.String())
	}
	// Open it first: after the promotion nothing can be refused any more.
	g, err := n.acquire(ctx, name)
	if err != nil {
		return nil, err
	}
	defer g.Release()
	if err := n.verifyPromotion(ctx, g, how); err != nil {
		return nil, err
	}
	byJob, err := n.jobs.Promote(ctx, g.Entry)
	if err != nil {
		return nil, err
	}
	if !byJob {
		if err := n.move(ctx, g.Entry); err != nil {
			return nil, err
		}
	}
	return n.describeState(ctx, g)
}

// move makes a generation that no job fills live. Writes wait meanwhile. In object
// mode this node first opens the generation that it replaces to write, and
// announces the promotion, so that a node that lost the index acknowledges nothing
// there, and a node that takes it over meanwhile calls the promotion off.
func (n *Node) move(ctx context.Context, entry registry.Entry) error {
	// An earlier promotion must not take effect later.
	if err := n.generations.Settle(ctx, entry.Index); err != nil {
		return err
	}
	moves := n.generations.Moves(entry.Index)
	if err := moves.LockUntil(ctx); err != nil {
		return err
	}
	defer moves.Unlock()
	if err := n.checkIdle(ctx, entry); err != nil {
		return err // a job began meanwhile
	}
	live, err := n.registry.Resolve(entry.Name.Bare())
	switch {
	case errors.Is(err, problem.IndexNoLiveGeneration) || err == nil && live.Generation == entry.Generation:
		err = n.promoteNow(ctx, live, entry)
	case err == nil:
		err = n.deployment.promote(ctx, live, entry)
	}
	if err != nil {
		return err
	}
	n.log.Info("promoted", "index", entry.Name.Index, "generation", entry.Name.Generation)
	return nil
}

// promoteNow makes a generation live in one step.
func (n *Node) promoteNow(ctx context.Context, live, entry registry.Entry) error {
	err := n.registry.Promote(ctx, live, entry)
	if errors.Is(err, problem.StorageUnknown) {
		n.generations.Unsettle(entry.Index, n.registry.Refresh)
	}
	return err
}

// Commit makes pending changes of a generation visible now.
func (n *Node) Commit(ctx context.Context, name registry.Name) (*Description, error) {
	g, err := n.acquire(ctx, name)
	if err != nil {
		return nil, err
	}
	defer g.Release()
	if err := n.deployment.commit(ctx, g); err != nil {
		return nil, err
	}
	return n.describeState(ctx, g)
}

// commitNow commits the pending changes.
func commitNow(ctx context.Context, g *generations.Generation) error {
	if _, err := g.Generation.Commit(ctx, engine.Explicit); err != nil {
		return commitProblem(err)
	}
	return nil
}

// prove checks that the bucket answers and that this node still writes the
// generation, before work begins that would be retried until it succeeds. It
// retries a bucket that fails now and then.
func prove(ctx context.Context, g *generations.Generation) error {
	return proveSince(ctx, g, time.Now())
}

// proveSince is prove, and returns at once when a proof is known from after since.
func proveSince(ctx context.Context, g *generations.Generation, since time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, proveLimit)
	defer cancel()
	return bucket.Again(ctx, func() error { return g.ProveSince(ctx, since) })
}

// commitProblem returns what a caller gets for a failed commit.
func commitProblem(err error) error {
	var known *problem.Problem
	if errors.As(err, &known) {
		return err
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return problem.StorageUnknown.New("resource", "index").Because(err)
	}
	return problem.StorageIoError.New("resource", "index").Because(err)
}

// Pull brings this node to the stored state. A node that writes the generation
// already holds it.
func (n *Node) Pull(ctx context.Context, name registry.Name) (*Description, error) {
	if err := n.ready(ctx); err != nil {
		return nil, err
	}
	if err := n.registry.Refresh(ctx); err != nil {
		return nil, err
	}
	entry, err := n.registry.Resolve(name)
	if err != nil {
		return nil, err
	}
	n.generations.TryAgain(entry.Generation)
	g, err := n.generations.AcquireToRead(ctx, entry)
	if err != nil {
		return nil, err
	}
	defer g.Release()
	if err := n.generations.Pull(ctx, g); err != nil {
		return nil, err
	}
	return n.describe(ctx, g)
}

// describeState describes a generation with the token of its visible state.
func (n *Node) describeState(ctx context.Context, g *generations.Generation) (*Description, error) {
	described, err := n.describe(ctx, g)
	if err != nil {
		return nil, err
	}
	described.Freshness = token(g.Entry, g.Sequence(), 0)
	return described, nil
}

// LacksData reports whether this node lacks language data that a field of the
// locale needs, so that its definition would be refused.
func (n *Node) LacksData(tag string) bool { return n.options.Capabilities.LacksData(tag) }
