package node

import (
	"context"
	"errors"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/problem"
)

// read waits for the state of a token while the bucket that holds it cannot be
// read, or while another node wrote it and this one is about to learn that.
func (s *shared) read(ctx context.Context, name registry.Name, atLeast freshness.Token, ask Ask) (*IndexSnapshot, error) {
	if atLeast.IsZero() {
		return s.node.readOpen(ctx, name, atLeast, nil)
	}
	waiting, cancel := ctx, func() {}
	if s.node.options.FreshnessWait > 0 {
		waiting, cancel = context.WithTimeout(ctx, s.node.options.FreshnessWait)
	}
	defer cancel()
	for pause := pullInterval; ; pause = min(2*pause, longestPause) {
		r, err := s.node.readOpen(waiting, name, atLeast, ask)
		isAway := errors.Is(err, problem.StorageIoError) || errors.Is(err, problem.SearchFreshnessUnavailable) &&
			(errors.Is(err, bucket.ErrUnknown) || errors.Is(err, problem.IndexReadonly))
		switch {
		case err == nil || ctx.Err() != nil:
			return r, err
		case waiting.Err() != nil || isAway && s.node.options.FreshnessWait <= 0:
			return nil, s.node.unavailable(err)
		case !isAway:
			return nil, err
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-waiting.Done():
			timer.Stop()
			return nil, s.node.unavailable(err)
		}
	}
}

// awaitCopy brings a copy to a commit: by pulls while another node writes the
// index, which is asked to commit, or by opening it to write when no node does. It
// returns the generation to continue with.
func (s *shared) awaitCopy(ctx context.Context, g *generations.Generation, sequence uint64, ask Ask) (*generations.Generation, error) {
	if !g.IsCopy() || sequence <= g.Sequence() {
		return g, nil
	}
	waiting, cancel := context.WithTimeout(ctx, max(s.node.options.FreshnessWait, time.Second))
	defer cancel()
	// Spread reads that share a pull, so that they do not ask again at the same
	// instant.
	interval := pullInterval + time.Duration(time.Now().UnixNano())%(pullInterval/8)
	for isAsked := ask == nil; ; {
		err := s.node.generations.Pull(waiting, g)
		if sequence <= g.Sequence() {
			return g, nil
		}
		m := s.Member
		holder, held, unknown := m.Holder(waiting, g.Entry.Index)
		isOurs := unknown == nil && m.IsCandidate() && (!held || m.Holds(g.Entry.Index))
		if isOurs {
			if writer, err := s.node.generations.AcquireFor(waiting, g.Entry, generations.ForRequest); err == nil {
				g.Release()
				return writer, nil
			}
		}
		if !isAsked && unknown == nil && held && holder.Address != "" && !isOurs {
			isAsked = true
			if failed := ask(waiting, holder.Address, token(g.Entry, sequence, 0)); failed == nil {
				continue // its commit is stored
			} else {
				s.node.log.Debug("the node that writes an index was not brought to a state", "index", g.Entry.Name.Index, "error", failed)
			}
		}
		if s.node.options.FreshnessWait <= 0 {
			return g, s.node.unavailable(err)
		}
		timer := time.NewTimer(interval)
		select {
		case <-waiting.Done():
			timer.Stop()
			return g, s.node.unavailable(errors.Join(err, waiting.Err()))
		case <-timer.C:
		}
	}
}
