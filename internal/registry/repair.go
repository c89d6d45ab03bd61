package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/versioned"
	"github.com/quiresearch/quire/problem"
)

// RepairRequest says what a repair may do beyond registering generations that no
// client removed.
type RepairRequest struct {
	PromoteNewest bool
	Restore       []Name // removed indexes and generations to bring back
	// FromNodes makes nodes store again objects that the bucket lost and they hold.
	FromNodes bool
}

// Repair is what a repair did.
type Repair struct {
	CreatedIndexes   []string `json:"createdIndexes"`
	AddedGenerations []string `json:"addedGenerations"`
	Promoted         []string `json:"promoted"`
	Restored         []string `json:"restored"`
	// Kept names the generations that stay listed because this node knows them,
	// although the bucket holds no commit of them.
	Kept []string `json:"kept,omitempty"`
	// Uploaded names the generations that nodes stored again, Lost those of which
	// the bucket holds no whole state and that no answering node could restore.
	Uploaded []string `json:"uploaded,omitempty"`
	Lost     []string `json:"lost,omitempty"`
}

// Repair registers every generation that the storage holds and the registry does
// not. It writes a registry that is gone, damaged or older than the one last read
// afresh. It only adds: existing entries stay as they are, including parts that
// this build does not understand, and so do those that this node knows and no
// client removed, even if the storage lost them (RG6). Every attempt reads
// registry, storage and marks again, so that a delete landing meanwhile is not
// undone.
func (r *Registry) Repair(ctx context.Context, request RepairRequest, synced Synced) (Repair, error) {
	if err := r.changing.LockUntil(ctx); err != nil {
		return Repair{}, unreadable(err)
	}
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
	// Take the place of a registry that is gone before reading anything that the
	// new one is made of. A repair that the store applies late then replaces
	// nothing else, not even a newer registry that was lost since.
	if err == nil && !held.Exists() {
		if held, err = r.store.Reserve(ctx); err != nil {
			return Repair{}, err
		}
	}
	found, _, err := r.survey(ctx, synced)
	if err != nil {
		return Repair{}, err
	}
	held.Value.settle()
	base := held.Value.clone()
	var undone []ID
	if isDamaged {
		base = r.salvage(held)
		undone = dropUndone(found, r.lastKnown().Value)
	}
	plan := planRepair(base, withRemoved(found, base.Removed), request)
	if isDamaged {
		plan.keep(r.lastKnown().Value, found)
	}
	plan.finish(request)
	plan.unmark = append(plan.unmark, undone...)
	if len(plan.did.AddedGenerations) == 0 && !isDamaged {
		return plan.did, nil
	}
	if plan.next.Deployment, err = r.deploymentOf(ctx, held.Value); err != nil {
		return Repair{}, err
	}
	if isDamaged {
		// A registry written afresh continues counting, beyond versions that this
		// node never read: the other nodes accept no lower version.
		held.Version = max(held.Version, r.lastKnown().Version, uint64(time.Now().UnixMilli()))
	}
	// No mark may outlive the restore of its generation, because a repair of a lost
	// registry would take the generation for removed. If writing the registry
	// fails, a sweep writes the mark again.
	if err := r.unmark(ctx, plan.unmark); err != nil {
		return Repair{}, storageFailed(err)
	}
	written, err := r.store.Replace(ctx, held, plan.next)
	if err != nil {
		return Repair{}, err
	}
	r.install(written)
	if err := r.unmark(ctx, plan.unmark); err != nil { // marks that a sweep wrote in between
		r.log.Error("cannot look for removal marks of restored generations", "error", err)
	}
	return plan.did, nil
}

func (r *Registry) unmark(ctx context.Context, generations []ID) error {
	for _, id := range generations {
		if _, err := r.bucket.Delete(ctx, markKey(id), bucket.Always); err != nil {
			return fmt.Errorf("delete the removal mark of generation %s: %w", id, err)
		}
	}
	return nil
}

// salvage returns the base of a registry that is written afresh: the newer one that
// this node read, if an older one is stored, otherwise what was removed.
func (r *Registry) salvage(damaged versioned.Object[state]) state {
	if damaged.Value.Deployment == r.Deployment() && r.IsRead() && damaged.Exists() && damaged.Version < r.Version() {
		return r.state().clone()
	}
	base := damaged.Value.clone()
	if base.Deployment.IsZero() {
		known := r.lastKnown().Value.clone()
		base.Removed, base.Forgotten = known.Removed, known.Forgotten
	}
	return base
}

// deploymentOf returns the deployment that a repaired registry belongs to: that of
// the mark, which it writes again if it is lost.
func (r *Registry) deploymentOf(ctx context.Context, found state) (ID, error) {
	id := found.Deployment
	if id.IsZero() {
		r.mu.RLock()
		id = r.own()
		r.mu.RUnlock()
	}
	if id.IsZero() {
		id = NewID()
	}
	mark, err := r.writeMark(ctx, id)
	if err == nil && mark.Value.ID != id {
		err = versioned.ErrLost // another node marked the bucket: the known registry may be of another deployment
	}
	return id, err
}

// stored reads the registry for audit and repair. A registry of another deployment
// is returned with errForeign and without its entries, to be replaced. A bucket
// that is marked as that of another deployment, because it was emptied and begun
// anew while this node ran, is left alone (I14).
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
	if err == nil && known.IsZero() {
		err = r.checkDeployment(id)
	}
	if err == nil && held.Exists() && (id.IsZero() || !known.IsZero() && id != known) {
		held.Value = state{}
		err = unreadable(errForeign)
	}
	return held, err
}

type repairPlan struct {
	next    state
	did     Repair
	unmark  []ID
	created map[string][]storedGeneration // by index name
	named   map[Name]bool                 // names of the request that are restored
	known   map[string]*Index             // what this node knew before the registry was lost
}

func planRepair(next state, found []storedGeneration, request RepairRequest) repairPlan {
	p := repairPlan{next: next, did: Repair{
		CreatedIndexes: []string{}, AddedGenerations: []string{}, Promoted: []string{}, Restored: []string{},
	}}
	if p.next.Indexes == nil {
		p.next.Indexes = map[string]*Index{}
	}
	p.named = make(map[Name]bool)
	p.created = make(map[string][]storedGeneration)
	// Of several indexes with one name the one created last is registered.
	slices.SortFunc(found, func(a, b storedGeneration) int { return b.CreatedAt.Compare(a.CreatedAt) })
	for _, g := range found {
		asked, wanted := g.isWanted(request.Restore)
		if !g.synced || !wanted || p.isKnown(g) {
			continue
		}
		index, ok := p.next.Indexes[g.Index]
		if !ok {
			index = &Index{ID: g.IndexID, Generations: map[string]Generation{}, CreatedAt: g.CreatedAt}
			p.next.Indexes[g.Index] = index
			p.created[g.Index] = nil
		}
		if _, taken := index.Generations[g.Generation]; taken || index.ID != g.IndexID {
			continue
		}
		added := Generation{ID: g.GenerationID, CreatedAt: g.CreatedAt}
		if g.mark != nil {
			added.Undone = g.mark.RemovedAt
		}
		index.Generations[g.Generation] = added
		p.did.AddedGenerations = append(p.did.AddedGenerations, Name{g.Index, g.Generation}.String())
		if _, isNew := p.created[g.Index]; isNew {
			p.created[g.Index] = append(p.created[g.Index], g)
			if g.CreatedAt.Before(index.CreatedAt) {
				index.CreatedAt = g.CreatedAt
			}
		}
		if g.mark != nil {
			p.named[asked] = true
			p.unmark = append(p.unmark, g.GenerationID)
			p.next.Removed = slices.DeleteFunc(p.next.Removed, func(have Removed) bool { return have.GenerationID == g.GenerationID })
		}
	}
	return p
}

// dropUndone drops the marks of removals that, as this node knows, were undone
// before, and returns their generations.
func dropUndone(found []storedGeneration, known state) []ID {
	undone := make(map[ID]time.Time)
	for _, index := range known.Indexes {
		for _, g := range index.Generations {
			undone[g.ID] = g.Undone
		}
	}
	var dropped []ID
	for i := range found {
		at := undone[found[i].GenerationID]
		if found[i].mark != nil && !at.IsZero() && found[i].mark.RemovedAt.Equal(at) {
			found[i].mark = nil
			dropped = append(dropped, found[i].GenerationID)
		}
	}
	return dropped
}

// keep continues to list what this node knows and the storage lost. What is marked
// or listed as removed was removed by a client.
func (p *repairPlan) keep(known state, found []storedGeneration) {
	p.known = known.Indexes
	gone := make(map[ID]bool)
	for _, g := range found {
		gone[g.GenerationID] = g.mark != nil
	}
	for _, removed := range p.next.Removed {
		gone[removed.GenerationID] = true
	}
	for _, id := range p.next.Forgotten {
		gone[id] = true
	}
	for _, name := range sortedKeys(known.Indexes) {
		before := known.Indexes[name]
		index, ok := p.next.Indexes[name]
		if ok && index.ID != before.ID {
			continue // the name was reused
		}
		if _, isNew := p.created[name]; isNew {
			index.recall(before)
		}
		for _, generation := range before.GenerationNames() {
			g := before.Generations[generation]
			if ok {
				if _, isListed := index.Generations[generation]; isListed {
					continue
				}
			}
			if gone[g.ID] {
				continue
			}
			if !ok {
				index, ok = before.clone(), true
				index.Live, index.Intent, index.Generations = "", nil, make(map[string]Generation)
				p.next.Indexes[name] = index
			}
			index.Generations[generation] = g
			p.did.Kept = append(p.did.Kept, Name{name, generation}.String())
			if generation == before.Live {
				index.Live = generation
			}
		}
	}
}

// recall takes over what was known of an index that a repair rebuilt from storage,
// and of the generations that it found. It does not decide which one is live and
// what a job intends.
func (i *Index) recall(before *Index) {
	found := *i
	*i = *before.clone()
	i.Live, i.Intent, i.Generations = "", nil, found.Generations
	if i.CreatedAt.IsZero() {
		i.CreatedAt = found.CreatedAt
	}
	for name, g := range i.Generations {
		known, ok := before.Generations[name]
		if !ok || known.ID != g.ID {
			continue
		}
		if known.CreatedAt.IsZero() {
			known.CreatedAt = g.CreatedAt
		}
		if !g.Undone.IsZero() {
			known.Undone = g.Undone
		}
		i.Generations[name] = known
	}
}

// finish promotes if the request asks for it, and sorts the answer.
func (p *repairPlan) finish(request RepairRequest) {
	for _, name := range sortedKeys(p.created) {
		p.did.CreatedIndexes = append(p.did.CreatedIndexes, name)
		if request.PromoteNewest && p.next.Indexes[name].Live == "" {
			p.promote(name, p.created[name])
		}
	}
	slices.Sort(p.did.AddedGenerations)
	for _, name := range request.Restore {
		if p.named[name] {
			p.did.Restored = append(p.did.Restored, name.String())
			p.named[name] = false
		}
	}
}

// isWanted reports whether a generation is to be registered: it is not marked, or
// the request names the removal, which the first result returns. A generation that
// was removed by its own name comes back by that name alone.
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

// promote makes the newest generation of an index live, or the one that this node
// knows was live: a newer one may be the target of a reindex, which lacks
// documents.
func (p *repairPlan) promote(name string, stored []storedGeneration) {
	index := p.next.Indexes[name]
	if before, ok := p.known[name]; ok && before.ID == index.ID && before.Live != "" && index.Generations[before.Live].ID == before.Generations[before.Live].ID {
		index.Live = before.Live
		p.did.Promoted = append(p.did.Promoted, Name{name, before.Live}.String())
		return
	}
	registered := slices.Clone(stored)
	for i := range registered {
		registered[i].mark = nil
	}
	if live := newest(registered); live != "" {
		p.next.Indexes[name].Live = live
		p.did.Promoted = append(p.did.Promoted, Name{name, live}.String())
	}
}
