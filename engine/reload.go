package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/problem"
)

// Reload shows the commit that the manifest in the directory names now. It is for
// generations that another process writes (Options.ReadOnly); that process must
// write the manifest last when it puts files here. Segments that are open already
// are kept. The view never goes back: an older manifest is an error, and on any
// error the view does not change.
func (g *Generation) Reload(ctx context.Context) error {
	if !g.options.ReadOnly {
		return errors.New("reload: the generation is written here")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	g.publishing.Lock()
	defer g.publishing.Unlock()
	m, err := manifest.Read(g.fs, g.storage.Directory)
	if err != nil {
		return fmt.Errorf("reload: %w", err)
	}
	view := g.Snapshot()
	if view == nil {
		return problem.IndexClosed.New()
	}
	defer view.Release()
	g.mu.Lock()
	before := g.manifest
	g.mu.Unlock()
	switch {
	case m.WriteID == before.WriteID:
		return nil
	case m.Generation != before.Generation:
		return fmt.Errorf("reload: the manifest is of generation %s", m.Generation)
	case m.Precedes(before):
		return fmt.Errorf("reload: manifest %d of commit %d is older than %d of commit %d",
			m.Version, m.Sequence, before.Version, before.Sequence)
	}
	how := g.pipeline.Load()
	if string(m.Definition) != string(before.Definition) {
		d, err := definition.DecodeStored(m.Definition, g.options.Capabilities)
		if err != nil {
			return fmt.Errorf("reload: read stored definition: %w", err)
		}
		how = newPipeline(d, g.options.Analysis)
	}
	segments, _, err := openManifest(g.fs, g.storage.Directory, m, &opened{view, before}, g.options.Damaged)
	if err != nil {
		return fmt.Errorf("reload: %w", err)
	}
	g.pipeline.Store(how)
	g.install(m.Sequence, segments, m)
	g.verifying.wake()
	return nil
}

// Manifest returns the manifest of the current snapshot. It must not be changed.
func (g *Generation) Manifest() *manifest.Manifest {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.manifest
}
