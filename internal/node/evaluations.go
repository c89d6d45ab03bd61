package node

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quiresearch/quire/internal/evaluate"
	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/internal/judgement"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/search"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
	"github.com/quiresearch/quire/settings"
)

// Search answers one search on a view.
type Search func(ctx context.Context, view search.View, request *query.Search) (*query.Answer, error)

// The states of an evaluation.
const (
	EvaluationRunning   = "running" // or waiting for its turn
	EvaluationDone      = "done"
	EvaluationFailed    = "failed"
	EvaluationCancelled = "cancelled"
)

const (
	// answeredAtOnce is the largest number of searches of an evaluation that the
	// request itself answers.
	answeredAtOnce = 1000
	// evaluationsKept is how many finished evaluations a node keeps.
	evaluationsKept = 32
)

// Evaluation is an evaluation as callers see it.
type Evaluation struct {
	ID           string
	Index        string
	Generation   string
	Judgements   string
	State        string
	Searches     int // in total
	SearchesDone int
	Error        string
	StartedBy    string
	StartedAt    time.Time
	FinishedAt   *time.Time
	Report       *evaluate.Report // set when done
}

// EvaluationSide is a generation with settings that need not be stored.
type EvaluationSide struct {
	Name     registry.Name
	Settings []byte       // nil: the stored ones
	At       problem.Path // path of the side in the request
}

// EvaluationRequest asks for an evaluation.
type EvaluationRequest struct {
	Side         EvaluationSide
	Against      *EvaluationSide
	Judgements   string
	K            int
	Hits         bool // list the keys of the hits
	InBackground bool // even if it is small
	StartedBy    string
}

// evaluations holds the evaluations that run here or ran recently. They are kept in
// memory only: a lost one can be requested again.
type evaluations struct {
	turn    chan struct{}  // held by the evaluation that searches
	running sync.WaitGroup // evaluations in the background

	mu       sync.Mutex
	all      []*evaluation // oldest first
	isClosed bool
}

type evaluation struct {
	Evaluation   // guarded by the mutex of evaluations
	inBackground bool
	cancel       context.CancelCauseFunc
}

func newEvaluations() *evaluations {
	return &evaluations{turn: make(chan struct{}, 1)}
}

// close cancels the evaluations in the background and waits for them to end.
func (e *evaluations) close() {
	e.mu.Lock()
	e.isClosed = true
	for _, one := range e.all {
		if one.inBackground {
			one.cancel(nil)
		}
	}
	e.mu.Unlock()
	e.running.Wait()
}

var errEvaluationCancelled = errors.New("the evaluation was cancelled")

// begin registers an evaluation. An index has one unfinished evaluation at a time.
func (e *evaluations) begin(one *evaluation) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, other := range e.all {
		if other.Index == one.Index && other.State == EvaluationRunning {
			return problem.EvaluationInProgress.New("name", one.Index)
		}
	}
	e.all = append(e.all, one)
	if e.isClosed && one.inBackground {
		one.cancel(nil)
	}
	for i := 0; len(e.all) > evaluationsKept && i < len(e.all); {
		if e.all[i].State == EvaluationRunning {
			i++
			continue
		}
		e.all = slices.Delete(e.all, i, i+1)
	}
	return nil
}

func (e *evaluations) update(one *evaluation, edit func(*Evaluation)) Evaluation {
	e.mu.Lock()
	defer e.mu.Unlock()
	edit(&one.Evaluation)
	return one.Evaluation
}

func (e *evaluations) end(one *evaluation, report *evaluate.Report, err error) Evaluation {
	return e.update(one, func(ev *Evaluation) {
		at := time.Now().UTC()
		ev.FinishedAt, ev.Report = &at, report
		switch {
		case err == nil:
			ev.State = EvaluationDone
		case errors.Is(err, errEvaluationCancelled) || errors.Is(err, context.Canceled):
			ev.State = EvaluationCancelled
		default:
			ev.State, ev.Error = EvaluationFailed, err.Error()
		}
	})
}

// side is an open side of an evaluation.
type side struct {
	evaluate.Side
	snapshot *IndexSnapshot
}

// openSide opens a side and checks settings that are not stored against its schema.
func (n *Node) openSide(ctx context.Context, s EvaluationSide) (*side, error) {
	index, err := n.Read(ctx, s.Name, freshness.Token{}, nil)
	if err != nil {
		return nil, err
	}
	view := index.View()
	if view.Schema.PrimaryKey() == nil {
		err = problem.IndexNoPrimaryKey.New("name", s.Name.String())
	} else if s.Settings != nil {
		var given *settings.Settings
		if given, err = settings.Decode(s.Settings); err == nil {
			err = given.Validate(view.Schema)
			view.Settings = given.InForce()
		}
		for _, p := range problem.All(err) {
			p.Path = strings.TrimSuffix(s.At.Field("settings").String()+"."+p.Path, ".")
		}
	}
	if err != nil {
		index.Close()
		return nil, err
	}
	answer := n.options.Search
	return &side{snapshot: index, Side: evaluate.Side{Index: index.Name.Index, Generation: index.Name.Generation,
		Search: func(ctx context.Context, request *query.Search) (*query.Answer, error) {
			return answer(ctx, view, request)
		}}}, nil
}

// openSides opens one or two sides; both are nil after an error.
func (n *Node) openSides(ctx context.Context, first EvaluationSide, second *EvaluationSide) (side1, side2 *side, err error) {
	if side1, err = n.openSide(ctx, first); err != nil {
		return nil, nil, err
	}
	if second == nil {
		return side1, nil, nil
	}
	if side2, err = n.openSide(ctx, *second); err != nil {
		side1.snapshot.Close()
		return nil, nil, err
	}
	return side1, side2, nil
}

// runEvaluation evaluates when its turn comes, and closes the sides.
func (n *Node) runEvaluation(ctx context.Context, name string, set *judgement.Set, first, second *side, o evaluate.Options) (*evaluate.Report, error) {
	defer first.snapshot.Close()
	var against *evaluate.Side
	if second != nil {
		defer second.snapshot.Close()
		against = &second.Side
	}
	select {
	case n.evaluations.turn <- struct{}{}:
		defer func() { <-n.evaluations.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	o.Share, o.Limits = n.options.EvaluationShare, n.options.Limits
	var report *evaluate.Report
	err := vfs.Protect(func() (err error) {
		report, err = evaluate.Run(ctx, name, set, first.Side, against, o)
		return err
	})
	return report, err
}

// Evaluate evaluates a judgement set. A small evaluation is done when it returns; a
// larger one continues in the background.
func (n *Node) Evaluate(ctx context.Context, request EvaluationRequest) (Evaluation, error) {
	set, err := n.Judgements(ctx, request.Side.Name, request.Judgements)
	if err != nil {
		return Evaluation{}, err
	}
	first, second, err := n.openSides(ctx, request.Side, request.Against)
	if err != nil {
		return Evaluation{}, err
	}
	sides := 1
	if second != nil {
		sides = 2
	}
	one := &evaluation{Evaluation: Evaluation{
		ID: newEvaluationID(), Index: first.Index, Generation: first.Generation, Judgements: request.Judgements, State: EvaluationRunning,
		Searches: evaluate.Searches(set, sides), StartedBy: request.StartedBy, StartedAt: time.Now().UTC(),
	}}
	one.inBackground = request.InBackground || one.Searches > answeredAtOnce
	if one.inBackground {
		ctx = context.WithoutCancel(ctx)
	}
	ctx, one.cancel = context.WithCancelCause(ctx)
	if err := n.evaluations.begin(one); err != nil {
		first.snapshot.Close()
		if second != nil {
			second.snapshot.Close()
		}
		return Evaluation{}, err
	}
	run := func() (Evaluation, error) {
		report, err := n.runEvaluation(ctx, request.Judgements, set, first, second, evaluate.Options{K: request.K, Hits: request.Hits, Progress: func(done int) {
			n.evaluations.update(one, func(e *Evaluation) { e.SearchesDone = done })
		}})
		one.cancel(nil)
		return n.evaluations.end(one, report, err), err
	}
	if !one.inBackground {
		return run()
	}
	accepted := n.evaluations.update(one, func(*Evaluation) {})
	n.evaluations.running.Go(func() { _, _ = run() }) // its state says how it ended
	return accepted, nil
}

// Evaluation returns an evaluation of an index.
func (n *Node) Evaluation(ctx context.Context, name registry.Name, id string) (Evaluation, error) {
	found, err := n.findEvaluation(ctx, name, id)
	if err != nil {
		return Evaluation{}, err
	}
	return n.evaluations.update(found, func(*Evaluation) {}), nil
}

func (n *Node) findEvaluation(ctx context.Context, name registry.Name, id string) (*evaluation, error) {
	if _, err := n.locate(ctx, name); err != nil {
		return nil, err
	}
	n.evaluations.mu.Lock()
	defer n.evaluations.mu.Unlock()
	for _, one := range n.evaluations.all {
		if one.Index == name.Index && one.ID == id {
			return one, nil
		}
	}
	return nil, problem.EvaluationNotFound.New("name", name.Index, "id", id)
}

// Evaluations returns the evaluations of an index, newest first, without their
// reports.
func (n *Node) Evaluations(ctx context.Context, name registry.Name) ([]Evaluation, error) {
	if _, err := n.locate(ctx, name); err != nil {
		return nil, err
	}
	n.evaluations.mu.Lock()
	defer n.evaluations.mu.Unlock()
	var found []Evaluation
	for _, one := range slices.Backward(n.evaluations.all) {
		if one.Index == name.Index {
			shown := one.Evaluation
			shown.Report = nil
			found = append(found, shown)
		}
	}
	return found, nil
}

// CancelEvaluation cancels an evaluation. One that has ended stays as it is.
func (n *Node) CancelEvaluation(ctx context.Context, name registry.Name, id string) (Evaluation, error) {
	found, err := n.findEvaluation(ctx, name, id)
	if err != nil {
		return Evaluation{}, err
	}
	return n.evaluations.update(found, func(e *Evaluation) {
		if e.State == EvaluationRunning {
			found.cancel(errEvaluationCancelled)
			e.State = EvaluationCancelled
		}
	}), nil
}

func newEvaluationID() string {
	var id [8]byte
	rand.Read(id[:])
	return hex.EncodeToString(id[:])
}
