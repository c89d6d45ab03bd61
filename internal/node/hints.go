package node

import (
	"context"
	"time"

	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/settingstore"
)

// shareHints folds what changed since the last time into the registry: the
// manifests of what is written here, and the settings. Hints are advisory: one
// that fails is sent again later.
func (s *shared) shareHints(ctx context.Context) {
	versions, revisions := s.node.generations.Versions(), s.node.settings.Revisions()
	s.mu.Lock()
	for generation, version := range versions {
		if s.hinted[generation] == version {
			delete(versions, generation)
		}
	}
	for index, revision := range revisions {
		if shared, _ := s.node.registry.HintedSettings(index); shared >= revision || !s.Member.Holds(index) {
			delete(revisions, index)
		}
	}
	s.mu.Unlock()
	if len(versions)+len(revisions) == 0 {
		return
	}
	if err := s.node.registry.Hint(ctx, versions, revisions); err != nil {
		s.node.log.Debug("hints were not shared", "error", err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for generation, version := range versions {
		s.hinted[generation] = version
	}
}

// refreshSettings reads the registry, whose hints say which settings are to be
// read again. When it cannot be read all of them are asked for at the latest
// after the verify interval.
func (s *shared) refreshSettings(ctx context.Context) {
	_ = s.node.registry.Refresh(ctx) // a failure is logged by the registry
	s.node.settings.Refresh(ctx, func(index registry.ID) settingstore.Hint {
		_, listed := s.node.registry.Lists(index)
		revision, _ := s.node.registry.HintedSettings(index)
		return settingstore.Hint{Listed: listed, Revision: revision}
	}, orDefault(s.VerifyInterval, 10*time.Minute))
}

// renew brings copies up to date and drops those that are no longer listed.
func (s *shared) renew(ctx context.Context) {
	if !s.node.registry.IsRead() {
		return // nothing is given up because it is not known
	}
	s.Member.Prune(func(index registry.ID) bool {
		_, listed := s.node.registry.Lists(index)
		return listed
	})
	s.dropUnlisted()
	s.node.generations.Renew(ctx, s.node.registry.Hinted, orDefault(s.VerifyInterval, 10*time.Minute), s.PullConcurrency)
}
