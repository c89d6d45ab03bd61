package reindex

import (
	"context"
	"errors"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/versioned"
	"github.com/quiresearch/quire/problem"
)

// Request asks for a job.
type Request struct {
	Target    registry.Name
	From      string // index or index@generation; empty: the live generation
	Promote   string // auto or manual; empty: auto
	StartedBy string
	Verify    string // judgement set whose bounds the target must keep; empty: none
}

// IsPromote reports whether text is a way to promote.
func IsPromote(text string) bool { return text == Auto || text == Manual }

// Check checks every condition of a start for a target that does not exist yet and
// will have the given definition.
func (j *Jobs) Check(ctx context.Context, request Request, target *definition.Schema) error {
	source, err := j.source(request)
	if err != nil {
		return err
	}
	if err := j.checkSchemas(ctx, source, target); err != nil {
		return err
	}
	return j.checkIdle(ctx, source.Index)
}

// Start accepts a job and returns its record, which is then durable.
func (j *Jobs) Start(ctx context.Context, request Request) (Record, error) {
	if request.Promote == "" {
		request.Promote = Auto
	}
	switch {
	case !request.Target.HasGeneration():
		return Record{}, problem.ReindexTargetGenerationRequired.New("name", request.Target.String())
	case !IsPromote(request.Promote):
		return Record{}, problem.ReindexPromoteInvalid.At(problem.At("promote"), "value", request.Promote)
	}
	source, target, err := j.resolve(request)
	if err != nil {
		return Record{}, err
	}
	// No write is under way while the target is found empty and becomes busy.
	moves := j.generations.Moves(target.Index)
	if err := moves.LockUntil(ctx); err != nil {
		return Record{}, err
	}
	defer moves.Unlock()
	return j.accept(ctx, request, source, target)
}

// resolve finds source and target of a request.
func (j *Jobs) resolve(request Request) (source, target registry.Entry, err error) {
	if target, err = j.registry.Resolve(request.Target); err != nil {
		return source, target, err
	}
	if target.Live {
		return source, target, problem.ReindexTargetIsLive.New("name", target.Name.String())
	}
	source, err = j.source(request)
	return source, target, err
}

func (j *Jobs) accept(ctx context.Context, request Request, source, target registry.Entry) (Record, error) {
	filled, err := j.generations.Acquire(ctx, target)
	if err != nil {
		return Record{}, err
	}
	defer filled.Release()
	if err := j.checkSchemas(ctx, source, filled.Schema()); err != nil {
		return Record{}, err
	}
	count, err := filled.Count()
	if err != nil {
		return Record{}, err
	}
	if count > 0 {
		return Record{}, problem.ReindexTargetNotEmpty.New("name", target.Name.String())
	}
	documents, err := j.count(ctx, source)
	if err != nil {
		return Record{}, err
	}
	// Another caller may have held the lock before, and opening brings news of what
	// another node did to the index: a job never fills a live generation (I16).
	switch from, to, err := j.resolve(request); {
	case err != nil:
		return Record{}, err
	case from.Generation != source.Generation || to.Generation != target.Generation:
		return Record{}, problem.IndexGenerationUnsettled.New("name", target.Name.String())
	}
	losses := j.lost()
	before, err := j.records.read(ctx, target.Index)
	if err != nil {
		return Record{}, err
	}
	if before.Exists() && !before.Value.Record.Phase.IsFinished() {
		return Record{}, problem.ReindexInProgress.New("name", target.Name.Index)
	}
	at := now()
	held, err := j.records.replace(ctx, before, stored{
		Record: Record{
			ID: newJobID(), Index: target.Name.Index, Target: target.Name.String(), Source: source.Name.String(),
			Phase: Pending, Promote: request.Promote, SourceDocuments: int64(documents),
			Verify: textOrNil(request.Verify), StartedBy: textOrNil(request.StartedBy), Node: textOrNil(j.node), StartedAt: at,
		},
		IndexID: target.Index, SourceID: source.Generation, TargetID: target.Generation, Epoch: 1,
		Unknown: before.Value.Unknown,
	})
	if errors.Is(err, problem.StorageUnknown) {
		j.doubt(target.Index)
	}
	if errors.Is(err, versioned.ErrLost) {
		return Record{}, problem.ReindexInProgress.New("name", target.Name.Index)
	}
	if err != nil {
		return Record{}, err
	}
	one := newJob(held)
	j.note(target.Index, Pending)
	j.carry(one, losses)
	j.log.Info("reindex started", "index", target.Name.Index, "source", source.Name.Generation, "target", target.Name.Generation)
	return held.Value.Record, nil
}

// source resolves the generation that documents come from.
func (j *Jobs) source(request Request) (registry.Entry, error) {
	from := registry.Name{Index: request.Target.Index}
	if request.From != "" {
		var err error
		if from, err = registry.ParseName(request.From); err != nil {
			for _, p := range problem.All(err) {
				p.Path = problem.At("from").String()
			}
			return registry.Entry{}, err
		}
	}
	if from.Index != request.Target.Index {
		return registry.Entry{}, problem.ReindexSourceOtherIndex.At(problem.At("from"), "name", request.From)
	}
	if from == request.Target {
		return registry.Entry{}, problem.ReindexSourceIsTarget.At(problem.At("from"), "name", from.String())
	}
	source, err := j.registry.Resolve(from)
	if err == nil && source.Name == request.Target {
		return registry.Entry{}, problem.ReindexSourceIsTarget.At(problem.At("from"), "name", from.String())
	}
	return source, err
}

// checkSchemas requires the source to have a key and kept sources, and the target
// to have the same key.
func (j *Jobs) checkSchemas(ctx context.Context, entry registry.Entry, target *definition.Schema) error {
	g, err := j.generations.Acquire(ctx, entry)
	if err != nil {
		return err
	}
	defer g.Release()
	source := g.Schema()
	from, to := source.PrimaryKey(), target.PrimaryKey()
	switch {
	case from == nil:
		return problem.IndexNoPrimaryKey.New("name", entry.Name.String())
	case !source.KeepsSource():
		return problem.DocumentSourceNotKept.New("name", entry.Name.String())
	case to == nil || to.Path != from.Path || to.Type != from.Type:
		return problem.ReindexPrimaryKeyMismatch.New("source", from.Path)
	}
	return nil
}

func (j *Jobs) checkIdle(ctx context.Context, index registry.ID) error {
	held, err := j.records.read(ctx, index)
	if err != nil {
		return err
	}
	if held.Exists() && !held.Value.Record.Phase.IsFinished() {
		return problem.ReindexInProgress.New("name", held.Value.Record.Index)
	}
	return nil
}

func (j *Jobs) count(ctx context.Context, entry registry.Entry) (int, error) {
	g, err := j.generations.Acquire(ctx, entry)
	if err != nil {
		return 0, err
	}
	defer g.Release()
	return g.Count()
}
