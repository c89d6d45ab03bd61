package registry

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/versioned"
	"github.com/quiresearch/quire/problem"
)

// RepairRequest says what a repair may do beyond registering what nobody
// removed.
type RepairRequest struct {
	PromoteNewest bool
	Restore       []Name // removed indexes and generations to bring back
}

// Repair is what a repair did.
type Repair struct {
	CreatedIndexes   []string `json:"createdIndexes"`
	AddedGenerations []string `json:"addedGenerations"`
	Promoted         []string `json:"promoted"`
	Restored         []string `json:"restored"`
}

// Repair registers every generation that the storage holds and the registry
// does not; a registry that is gone, damaged or older than the one last read is
// written anew. It only adds:
// entries that exist stay as they are, also parts of them this build does not
// understand. Registry, storage and marks are read again on every attempt, so
// that a delete landing meanwhile is not undone.
func (r *Registry) Repair(ctx context.Context, request RepairRequest, synced Synced) (Repair, error) {
	r.changing.Lock()
	defer r.changing.Unlock()
	for range versioned.Attempts {
		done, err := r.repairOnce(ctx, request, synced)
		if !errors.Is(err, versioned.ErrLost) {
			return done, err
		}
	}
	return Repair{}, problem.StorageConflict.New("resource", resource)
}

func (r *Registry) repairOnce(ctx context.Context, request RepairRequest, synced Synced) (Repair, error) {
	known := r.Version()
	held, err := r.stored(ctx)
	isDamaged := errors.Is(err, versioned.ErrCorrupt) || errors.Is(err, errForeign) || err == nil && (!held.Exists() || held.Version < known)
	if err != nil && !isDamaged {
		return Repair{}, err
	}
	found, _, err := r.survey(ctx, synced)
	if err != nil {
		return Repair{}, err
	}
	held.Value.settle()
	plan := planRepair(held.Value.clone(), withRemoved(found, held.Value.Removed), request)
	if len(plan.did.AddedGenerations) == 0 && !isDamaged {
		return plan.did, nil
	}
	if plan.next.Deployment, err = r.deploymentOf(ctx, held.Value); err != nil {
		return Repair{}, err
	}
	if isDamaged {
		// A registry written afresh goes on counting, also beyond what this node
		// never read: nodes that did take over no lower version.
		held.Version = max(held.Version, r.Version(), uint64(time.Now().UnixMilli()))
	}
	written, err := r.store.Replace(ctx, held, plan.next)
	if err != nil {
		return Repair{}, err
	}
	r.install(written)
	for _, id := range plan.unmark {
		if _, err := r.bucket.Delete(ctx, markKey(id), bucket.Always); err != nil {
			r.log.Error("the removal mark of a restored generation cannot be deleted", "generation", id, "error", err)
		}
	}
	return plan.did, nil
}

// deploymentOf returns the deployment that a repaired registry belongs to: that of
// the mark, which is written anew where it is lost.
func (r *Registry) deploymentOf(ctx context.Context, found state) (ID, error) {
	id := found.Deployment
	if id.IsZero() {
		id = r.Deployment()
	}
	if id.IsZero() {
		id = NewID()
	}
	mark, err := r.writeMark(ctx, id)
	return mark.Value.ID, err
}

// stored reads the registry for audit and repair. One of another deployment is
// given with errForeign and without its entries, to be replaced. A bucket that is
// marked as that of another deployment, emptied and begun anew while this node
// ran, is left alone (I14).
func (r *Registry) stored(ctx context.Context) (versioned.Object[state], error) {
	known := r.Deployment()
	if known.IsZero() {
		if _, err := r.readMark(ctx); err != nil {
			return versioned.Object[state]{}, err
		}
		known = r.Deployment()
	} else if mark, err := r.marks.Read(ctx); err != nil && !errors.Is(err, versioned.ErrCorrupt) {
		return versioned.Object[state]{}, err
	} else if err == nil && mark.Exists() && mark.Value.ID != known {
		return versioned.Object[state]{}, unreadable(errBegunAnew)
	}
	held, err := r.store.Read(ctx)
	id := held.Value.Deployment
	if err == nil && held.Exists() && (id.IsZero() || !known.IsZero() && id != known) {
		held.Value = state{}
		err = unreadable(errForeign)
	}
	return held, err
}

type repairPlan struct {
	next   state
	did    Repair
	unmark []ID
}

func planRepair(next state, found []storedGeneration, request RepairRequest) repairPlan {
	p := repairPlan{next: next, did: Repair{
		CreatedIndexes: []string{}, AddedGenerations: []string{}, Promoted: []string{}, Restored: []string{},
	}}
	if p.next.Indexes == nil {
		p.next.Indexes = map[string]*Index{}
	}
	restored := make(map[Name]bool)
	// Of several indexes of one name the one created last is registered.
	slices.SortFunc(found, func(a, b storedGeneration) int { return b.CreatedAt.Compare(a.CreatedAt) })
	created := make(map[string][]storedGeneration)
	for _, g := range found {
		asked, wanted := g.isWanted(request.Restore)
		if !g.synced || !wanted || p.isKnown(g) {
			continue
		}
		index, ok := p.next.Indexes[g.Index]
		if !ok {
			index = &Index{ID: g.IndexID, Generations: map[string]Generation{}}
			p.next.Indexes[g.Index] = index
			created[g.Index] = nil
		}
		if _, taken := index.Generations[g.Generation]; taken || index.ID != g.IndexID {
			continue
		}
		index.Generations[g.Generation] = Generation{ID: g.GenerationID}
		p.did.AddedGenerations = append(p.did.AddedGenerations, Name{g.Index, g.Generation}.String())
		if _, isNew := created[g.Index]; isNew {
			created[g.Index] = append(created[g.Index], g)
		}
		if g.mark != nil {
			restored[asked] = true
			p.unmark = append(p.unmark, g.GenerationID)
			p.next.Removed = slices.DeleteFunc(p.next.Removed, func(have Removed) bool { return have.GenerationID == g.GenerationID })
		}
	}
	for _, name := range sortedKeys(created) {
		p.did.CreatedIndexes = append(p.did.CreatedIndexes, name)
		if request.PromoteNewest {
			p.promote(name, created[name])
		}
	}
	slices.Sort(p.did.AddedGenerations)
	for _, name := range request.Restore {
		if restored[name] {
			p.did.Restored = append(p.did.Restored, name.String())
			restored[name] = false
		}
	}
	return p
}

// isWanted reports whether a generation is to be registered: it is not marked,
// or the request names what was removed, which the first result tells. A
// generation that was removed by its own name comes back by that name alone.
func (g storedGeneration) isWanted(restore []Name) (Name, bool) {
	if g.mark == nil {
		return Name{}, true
	}
	if g.erased {
		return Name{}, false
	}
	for _, name := range restore {
		if name.Index == g.Index && (name.Generation == g.Generation || name.Generation == "" && g.mark.Whole) {
			return name, true
		}
	}
	return Name{}, false
}

func (p *repairPlan) isKnown(g storedGeneration) bool {
	index, ok := p.next.Indexes[g.Index]
	return ok && index.Generations[g.Generation].ID == g.GenerationID
}

func (p *repairPlan) promote(name string, stored []storedGeneration) {
	registered := slices.Clone(stored)
	for i := range registered {
		registered[i].mark = nil
	}
	if live := newest(registered); live != "" {
		p.next.Indexes[name].Live = live
		p.did.Promoted = append(p.did.Promoted, Name{name, live}.String())
	}
}
