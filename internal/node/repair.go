package node

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/replication"
	"github.com/quiresearch/quire/problem"
)

// StorageMode returns where the data of the deployment is kept, as
// SERVICE_STORAGE_MODE spells it: local or object.
func (n *Node) StorageMode() string { return n.deployment.storageMode() }

// AuditRegistry compares the registry with the storage. A node that keeps its data
// locally has nothing to compare and returns a problem.
func (n *Node) AuditRegistry(ctx context.Context) (registry.Audit, error) {
	return n.deployment.audit(ctx)
}

// RepairRegistry registers the generations that the storage holds.
func (n *Node) RepairRegistry(ctx context.Context, request registry.RepairRequest) (registry.Repair, error) {
	return n.deployment.repair(ctx, request)
}

// Restored is what a node did for a bucket that lost objects.
type Restored struct {
	Uploaded []string `json:"uploaded"` // generations that the bucket holds in full again
	Lost     []string `json:"lost"`     // generations that it still does not
}

// Round is one of the rounds in which nodes are asked for the objects the bucket
// lost, so that the newest copy comes first.
type Round int

// The rounds, in order.
const (
	OwnedCopies  Round = iota // of the indexes that a node writes
	NewestCopies              // at least as new as the newest state that other nodes were told of
	AllCopies
)

// Restore stores again the objects that the bucket lost of listed generations and
// that this node holds, as far as the round goes. For named indexes it also
// restores local copies that the registry ceased to list and those that are older
// than what the bucket lost. It returns storage:io_error when the bucket cannot be
// read.
func (n *Node) Restore(ctx context.Context, round Round, named []registry.Name) (Restored, error) {
	return n.deployment.restore(ctx, round, named)
}

func (*shared) storageMode() string { return "object" }

func (s *shared) audit(ctx context.Context) (registry.Audit, error) {
	audit, err := s.node.registry.Audit(ctx, s.holdsDocuments, s.lacking)
	if err != nil {
		return audit, err
	}
	for _, kept := range s.keptCopies() {
		audit.KeptCopies = append(audit.KeptCopies, registry.Name{Index: kept.Index, Generation: kept.Generation}.String())
	}
	slices.Sort(audit.KeptCopies)
	return audit, nil
}

// holdsDocuments reports whether the bucket holds a commit of a generation.
func (s *shared) holdsDocuments(ctx context.Context, generation registry.ID) (bool, error) {
	return replication.New(s.node.bucket, generation.String(), objectGrace).HoldsDocuments(ctx)
}

// lacking returns how many objects of a generation the bucket lacks.
func (s *shared) lacking(ctx context.Context, generation registry.ID) (int, error) {
	lack, err := s.node.generations.Check(ctx, generation)
	if lack.Manifest {
		return 1, err
	}
	return len(lack.Files), err
}

// keptCopies returns the local copies that the registry ceased to list although no
// request removed them.
func (s *shared) keptCopies() []registry.Identity {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen == nil {
		return nil
	}
	return s.seen.Kept
}

func (s *shared) repair(ctx context.Context, request registry.RepairRequest) (registry.Repair, error) {
	s.remember()
	done, err := s.node.registry.Repair(ctx, request, s.holdsDocuments)
	if err != nil {
		return done, err
	}
	if err := s.node.begin(ctx); err != nil {
		s.node.log.Error("cannot finish what a crash interrupted yet", "error", err)
	}
	return done, nil
}

func (s *shared) restore(ctx context.Context, round Round, named []registry.Name) (Restored, error) {
	done := Restored{Uploaded: []string{}, Lost: []string{}}
	if err := s.node.registry.Refresh(ctx); err != nil {
		return done, err
	}
	isNamed := func(identity registry.Identity) bool {
		return slices.ContainsFunc(named, func(name registry.Name) bool {
			return name.Index == identity.Index && (name.Generation == "" || name.Generation == identity.Generation)
		})
	}
	for _, index := range s.node.registry.List() {
		if round == OwnedCopies && !s.Member.Holds(index.ID) {
			continue
		}
		for _, name := range index.GenerationNames() {
			g := index.Generations[name]
			identity := registry.Identity{Index: index.Name, IndexID: index.ID, Generation: name, GenerationID: g.ID, CreatedAt: g.CreatedAt}
			if err := s.restoreOne(ctx, round, identity, isNamed(identity), &done); err != nil {
				return done, err
			}
		}
	}
	for _, kept := range s.keptCopies() {
		if isNamed(kept) && round != OwnedCopies && !s.isKnown(kept) {
			if err := s.restoreOne(ctx, round, kept, true, &done); err != nil {
				return done, err
			}
		}
	}
	return done, nil
}

// isKnown reports whether the registry lists the data of an identity, or something
// else under its name.
func (s *shared) isKnown(identity registry.Identity) bool {
	index, err := s.node.registry.Find(registry.Name{Index: identity.Index})
	if err != nil {
		return false
	}
	_, isTaken := index.Generations[identity.Generation]
	return isTaken || index.ID != identity.IndexID
}

func (s *shared) restoreOne(ctx context.Context, round Round, identity registry.Identity, isNamed bool, done *Restored) error {
	name := registry.Name{Index: identity.Index, Generation: identity.Generation}
	before, err := s.node.generations.Check(ctx, identity.GenerationID)
	if err != nil {
		return fmt.Errorf("%s: %w", name, problem.StorageIoError.New("resource", "index").Because(err))
	}
	if before.IsNothing() {
		s.node.generations.TryAgain(identity.GenerationID) // another node may have restored it
	} else {
		entry := registry.Entry{Name: name, Index: identity.IndexID, Generation: identity.GenerationID}
		newest := s.newestManifest(identity.GenerationID)
		least := newest
		if round == AllCopies {
			least = 0
			if isNamed {
				newest = 0
			}
		}
		after, err := s.node.generations.Restore(ctx, entry, least, newest)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", name, problem.StorageIoError.New("resource", "index").Because(err))
		case after.IsNothing():
			done.Uploaded = append(done.Uploaded, name.String())
			s.node.log.Warn("restored what the bucket had lost", "index", name.Index, "generation", name.Generation)
		default:
			done.Lost = append(done.Lost, name.String())
		}
	}
	// Without an identity a repair could not name the stored data.
	if err := registry.Identify(ctx, s.node.bucket, identity); err != nil && !errors.Is(err, problem.IndexGenerationStorageHeld) {
		return err
	}
	return nil
}

// exists reads the registry again and fails unless it lists entry.
func (s *shared) exists(ctx context.Context, entry registry.Entry) error {
	if err := s.node.registry.Refresh(ctx); err != nil {
		return err
	}
	if !s.node.isListed(entry) {
		return problem.IndexNotFound.New("name", entry.Name.String())
	}
	return nil
}

// AtRisk returns how many generations written here failed their last commit, or
// lack objects in the bucket that this node cannot restore.
func (n *Node) AtRisk() int { return n.generations.AtRisk() }
