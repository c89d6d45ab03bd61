package generations

import (
	"context"
	"errors"
	"fmt"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/replication"
)

// The bucket may lose single objects, or all of them, by a mistake of an operator
// or of the store. The node that writes a generation regularly compares the stored
// objects with its manifest, and stores missing ones again from files that it
// verifies first. What it cannot restore is counted in its health.

// risk is why a generation that is written here is not safe in the bucket.
type risk struct {
	commit  error // the last commit failed
	objects error // the bucket lacks objects
}

// AtRisk returns how many generations written here failed their last commit, or
// lack objects in the bucket that this node cannot restore.
func (s *Set) AtRisk() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	count := 0
	for _, h := range s.holdings {
		if h.risk != (risk{}) {
			count++
		}
	}
	return count
}

// noteRisk changes what is known of the safety of a generation.
func (s *Set) noteRisk(generation registry.ID, change func(*risk)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.at(generation).risk)
}

// Heal restores the missing objects of every generation that is written here.
func (s *Set) Heal(ctx context.Context) {
	for _, g := range s.Open() {
		s.mu.Lock()
		writer := g.instance.writer
		s.mu.Unlock()
		if writer != nil && g.Err() == nil && ctx.Err() == nil {
			if err := s.heal(ctx, g.Entry, writer); err == nil && s.hasHole(g.Entry.Generation) {
				s.fillHole(ctx, g)
			}
		}
		g.Release()
	}
}

// errHole marks a log that lost a record which is in no commit.
var errHole = errors.New("a record of the log is missing")

func (s *Set) hasHole(generation registry.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Is(s.at(generation).risk.objects, errHole)
}

// fillHole commits, so that no reader needs the missing record.
func (s *Set) fillHole(ctx context.Context, g *Generation) {
	committing, cancel := context.WithTimeout(ctx, finishLimit)
	defer cancel()
	if _, err := g.Commit(committing, engine.Explicit); err == nil {
		s.noteRisk(g.Entry.Generation, func(r *risk) { r.objects = nil })
	}
}

// heal stores again what the bucket lost of a generation that is written here,
// provided the registry lists it and this node claims its index.
func (s *Set) heal(ctx context.Context, entry registry.Entry, writer *replication.Writer) error {
	r := s.remote
	if r.Exists != nil {
		if err := r.Exists(ctx, entry); err != nil {
			return err
		}
	}
	if holds, err := r.Claims.Confirm(ctx, entry.Index); err != nil || !holds {
		return errors.Join(err, engine.ErrFenced)
	}
	done, err := writer.Heal(ctx)
	switch {
	case err == nil && len(done.Lacking) > 0:
		err = fmt.Errorf("%d files are whole neither in the bucket nor here: %w", len(done.Lacking), replication.ErrMismatch)
	case err == nil && done.Hole:
		s.noteRisk(entry.Generation, func(r *risk) { r.objects = errHole })
		return nil
	}
	if len(done.Files) > 0 || done.Manifest && err == nil {
		s.options.Log.Warn("restored objects of a generation that the bucket had lost", "index", entry.Name.Index,
			"generation", entry.Name.Generation, "files", len(done.Files), "manifest", done.Manifest)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, engine.ErrFenced) {
		s.options.Log.Error("the bucket lacks objects of a generation", "index", entry.Name.Index,
			"generation", entry.Name.Generation, "error", err)
	}
	if !errors.Is(err, engine.ErrFenced) {
		s.noteRisk(entry.Generation, func(r *risk) { r.objects = err })
	}
	return err
}

// Check returns what the bucket lacks of a generation.
func (s *Set) Check(ctx context.Context, generation registry.ID) (replication.Lack, error) {
	// Read the copy first: a commit in between makes the stored manifest the newer
	// one.
	local := s.localManifest(s.storage(generation).Directory)
	return s.remote.of(generation).Check(ctx, local)
}

// Restore stores again the objects of a generation that the bucket lost and this
// node holds: by its writer if it is written here, otherwise from the local copy,
// unless the manifest is lost and the copy is of a version below least. newest is
// the highest version known to have been stored. It returns what the bucket still
// lacks.
func (s *Set) Restore(ctx context.Context, entry registry.Entry, least, newest uint64) (replication.Lack, error) {
	lack, err := s.Check(ctx, entry.Generation)
	if err != nil || lack.IsNothing() {
		return lack, err
	}
	if g := s.Peek(entry.Generation); g != nil {
		defer g.Release()
		s.mu.Lock()
		writer := g.instance.writer
		s.mu.Unlock()
		if writer != nil && g.Err() == nil {
			if err := s.heal(ctx, entry, writer); err == nil {
				return s.Check(ctx, entry.Generation)
			}
		}
	}
	local, err := manifest.Read(s.fs, s.storage(entry.Generation).Directory)
	if err != nil || lack.Manifest && local.Version < least {
		return lack, nil // there is no copy here, or another node may hold a newer one
	}
	left, err := s.remote.of(entry.Generation).Restore(ctx, s.fs, s.storage(entry.Generation).Directory, newest)
	if err != nil {
		s.options.Log.Error("cannot restore objects of the bucket from a local copy", "index", entry.Name.Index,
			"generation", entry.Name.Generation, "error", err)
		return lack, nil
	}
	s.TryAgain(entry.Generation)
	return left, nil
}
