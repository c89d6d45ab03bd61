package generations

import (
	"context"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/registry"
)

// deployment is the part of a Set that depends on where generations are kept: local
// in the directory alone, shared in a bucket that other nodes use too, where
// directories are copies. New chooses, and nothing else asks which it is.
type deployment interface {
	// create makes an empty generation.
	create(ctx context.Context, storage engine.Storage, d *definition.Definition) error
	// open opens an engine as the instance asks.
	open(ctx context.Context, inst *instance, storage engine.Storage, options engine.Options) (*engine.Generation, error)
	// noteOpen runs when an instance is open, noteClosed when it is closed.
	noteOpen(inst *instance, purpose string)
	noteClosed(inst *instance, failure error)

	// holds reports whether this node writes an index, as far as it knows.
	holds(index registry.ID) bool
	// claim makes this node the owner of an index. Its errors are problems.
	claim(ctx context.Context, index registry.ID) error
	// confirm reads again which node writes an index.
	confirm(ctx context.Context, index registry.ID) error
	// readsWriter reports whether reads of an entry use its writer where possible,
	// and readsCopy whether a copy answers otherwise.
	readsWriter(entry registry.Entry) bool
	readsCopy() bool

	// backoffLimits bounds the pauses of a writer that fails.
	backoffLimits() backoffLimits
	// suspect starts a check of files that could not be read.
	suspect(inst *instance)
	// erase deletes what is kept of a generation outside its directory.
	erase(ctx context.Context, generation registry.ID) error
}

// backoffLimits bounds the pauses of a writer that fails.
type backoffLimits struct {
	open      time.Duration // for one that cannot be opened
	replace   time.Duration // for one that is open, fails and is opened again
	hasBucket bool          // it may fail because the bucket does not answer
}

// local keeps generations in directories alone. This node writes every index, and
// its files have no stored copy to compare with or be replaced from.
type local struct{}

func (local) create(ctx context.Context, storage engine.Storage, d *definition.Definition) error {
	return engine.Create(ctx, storage, d)
}

func (local) holds(registry.ID) bool                     { return true }
func (local) claim(context.Context, registry.ID) error   { return nil }
func (local) confirm(context.Context, registry.ID) error { return nil }
func (local) readsWriter(registry.Entry) bool            { return true }
func (local) readsCopy() bool                            { return false }
func (local) noteOpen(*instance, string)                 {}
func (local) noteClosed(*instance, error)                {}
func (local) suspect(*instance)                          {}
func (local) erase(context.Context, registry.ID) error   { return nil }

func (local) open(ctx context.Context, _ *instance, storage engine.Storage, options engine.Options) (*engine.Generation, error) {
	return engine.Open(ctx, storage, options)
}

// backoffLimits returns short limits: here opening a generation replaces nothing,
// and reads wait for it too (I18).
func (local) backoffLimits() backoffLimits {
	return backoffLimits{open: awayBackoff, replace: longestPause}
}

// shared keeps generations in a bucket.
type shared struct{ set *Set }

// create also publishes the first manifest, and waits for that even when the caller
// is gone: the outcome of a creation must not stay half known.
func (d shared) create(ctx context.Context, storage engine.Storage, given *definition.Definition) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleLimit)
	defer cancel()
	storage.Publisher = first{d.set.remote.ofID(storage.ID)}
	return engine.Create(ctx, storage, given)
}

func (d shared) open(ctx context.Context, inst *instance, storage engine.Storage, options engine.Options) (*engine.Generation, error) {
	options.Damaged = func() { d.set.suspect(inst) }
	options.LogWait = logWait
	switch {
	case inst.previous != nil:
		return d.set.openOver(ctx, inst, storage, options)
	case inst.isWriter:
		return d.set.openWriter(ctx, inst, storage, options)
	}
	return d.set.openCopy(ctx, inst, storage, options)
}

func (d shared) noteOpen(inst *instance, purpose string) {
	if purpose != ForPreload {
		d.set.noteUse(inst.entry.Generation, d.set.remote.HalfLife)
	}
}

func (d shared) noteClosed(inst *instance, failure error) {
	if inst.isWriter {
		d.set.notePublished(inst, failure)
	}
}

func (d shared) holds(index registry.ID) bool { return d.set.remote.Claims.Holds(index) }

func (d shared) claim(ctx context.Context, index registry.ID) error {
	return d.set.remote.Claims.Claim(ctx, index)
}

func (d shared) confirm(ctx context.Context, index registry.ID) error {
	_, err := d.set.remote.Claims.Confirm(ctx, index)
	return err
}

func (d shared) readsWriter(entry registry.Entry) bool {
	return d.holds(entry.Index) && !d.set.isAway(entry.Generation)
}

func (shared) readsCopy() bool { return true }

// backoffLimits returns long limits: opening a generation to write replaces its
// manifest and adds to its log.
func (shared) backoffLimits() backoffLimits {
	return backoffLimits{open: longestBackoff, replace: longestBackoff, hasBucket: true}
}

func (d shared) suspect(inst *instance) { d.set.suspect(inst) }

func (d shared) erase(ctx context.Context, generation registry.ID) error {
	return d.set.remote.of(generation).Erase(ctx, "identity", "removed")
}
