package registry

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/quiresearch/quire/internal/versioned"
)

// ErrListed reports that a generation is listed again and stays.
var ErrListed = errors.New("the generation is listed")

// Expired returns the removed generations whose mark is older than the grace, by
// the clock of the store. It writes a mark for a removal that has none. It never
// returns a generation that the registry lists.
func (r *Registry) Expired(ctx context.Context, grace time.Duration) ([]Removed, error) {
	if err := r.Refresh(ctx); err != nil {
		return nil, err
	}
	removed := r.Removed()
	listing, err := r.bucket.List(ctx, storagePrefix, "/")
	if err != nil {
		return nil, storageFailed(err)
	}
	for _, prefix := range listing.Prefixes {
		id, err := ParseID(strings.TrimSuffix(strings.TrimPrefix(prefix, storagePrefix), "/"))
		known := slices.ContainsFunc(removed, func(one Removed) bool { return one.GenerationID == id })
		if err != nil || known || r.listsGeneration(id) {
			continue
		}
		if one, isRemoved := r.readRemoved(ctx, id); isRemoved {
			removed = append(removed, one)
		}
	}
	expired := removed[:0:0]
	for _, one := range removed {
		if r.listsGeneration(one.GenerationID) {
			continue
		}
		marked, err := r.bucket.List(ctx, markKey(one.GenerationID), "")
		if err != nil {
			r.log.Error("cannot look for a removal mark", "generation", one.GenerationID, "error", err)
			continue // continue with the others
		}
		switch {
		case len(marked.Entries) == 0 && !one.Erased:
			r.markRemoved(ctx, one)
		case len(marked.Entries) == 0:
			expired = append(expired, one)
		case !marked.Date.IsZero() && marked.Date.Sub(marked.Entries[0].Modified) >= grace:
			mark, err := versioned.New[Mark](r.bucket, markKey(one.GenerationID), resource).Read(ctx)
			switch {
			case err != nil && !errors.Is(err, versioned.ErrCorrupt):
				r.log.Error("cannot read a removal mark", "generation", one.GenerationID, "error", err)
			case err == nil && !one.Erased && mark.Value.RemovedAt.Before(one.RemovedAt):
				r.markRemoved(ctx, one) // the mark is of a removal that was undone
			default:
				expired = append(expired, one)
			}
		}
	}
	return expired, nil
}

// markRemoved writes a removal mark. If that fails, the next sweep writes it.
func (r *Registry) markRemoved(ctx context.Context, one Removed) {
	if err := MarkRemoved(ctx, r.bucket, one); err != nil {
		r.log.Error("cannot write a removal mark", "generation", one.GenerationID, "error", err)
	}
}

// readRemoved returns what the removal mark of a generation says. It returns false
// unless the mark can be read: without a mark nothing is deleted. If the identity
// is lost, the mark is enough, since only a client's delete writes one; the
// registry may have been lost after that, and with it the list of removals.
func (r *Registry) readRemoved(ctx context.Context, id ID) (Removed, bool) {
	mark, err := versioned.New[Mark](r.bucket, markKey(id), resource).Read(ctx)
	if err != nil || !mark.Exists() {
		return Removed{}, false
	}
	removed := Removed{Index: mark.Value.Index, IndexID: mark.Value.IndexID, Generation: mark.Value.Generation,
		GenerationID: id, RemovedAt: mark.Value.RemovedAt, Whole: mark.Value.Whole}
	identity, err := versioned.New[Identity](r.bucket, identityKey(id), resource).Read(ctx)
	switch {
	case errors.Is(err, versioned.ErrCorrupt), err == nil && !identity.Exists():
		return removed, true
	case err != nil, identity.Value.GenerationID != id:
		return Removed{}, false
	}
	removed.Index, removed.IndexID, removed.Generation = identity.Value.Index, identity.Value.IndexID, identity.Value.Generation
	return removed, true
}

// BeginErase records that the objects of a removed generation are being deleted.
// From then on no repair brings it back. It returns ErrListed when a repair already
// did.
func (r *Registry) BeginErase(ctx context.Context, removed Removed) error {
	return r.change(ctx, func(next *state) error {
		for _, index := range next.Indexes {
			for _, g := range index.Generations {
				if g.ID == removed.GenerationID {
					return ErrListed
				}
			}
		}
		for i := range next.Removed {
			if next.Removed[i].GenerationID == removed.GenerationID {
				if next.Removed[i].Erased {
					return versioned.ErrUnchanged
				}
				next.Removed[i].Erased = true
				return nil
			}
		}
		removed.Erased = true
		next.Removed = append(next.Removed, removed)
		return nil
	})
}
