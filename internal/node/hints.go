package node

import (
	"context"
	"time"

	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/settingstore"
)

// shareHints adds to the registry what it does not hint at yet: the manifests of
// the generations written here, and the settings. Hints are advisory: one that
// fails, or that the registry lost, is sent again later.
func (s *shared) shareHints(ctx context.Context) {
	versions, revisions := s.node.registry.Unhinted(s.node.generations.Versions()), s.node.settings.Revisions()
	for index, revision := range revisions {
		if shared, _ := s.node.registry.HintedSettings(index); shared >= revision || !s.Member.Holds(index) {
			delete(revisions, index)
		}
	}
	if len(versions)+len(revisions) == 0 {
		return
	}
	if err := s.node.registry.Hint(ctx, versions, revisions); err != nil {
		s.node.log.Debug("hints were not shared", "error", err)
	}
}

// refreshSettings reads the registry, whose hints say which settings to read again.
// When it cannot be read, every settings object is read again after the verify
// interval at the latest.
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
		return // drop nothing merely because it is not known
	}
	s.Member.Prune(func(index registry.ID) bool {
		_, listed := s.node.registry.Lists(index)
		return listed
	})
	s.dropUnlisted()
	s.node.generations.Renew(ctx, s.node.registry.Hinted, orDefault(s.VerifyInterval, 10*time.Minute), s.PullConcurrency)
}
