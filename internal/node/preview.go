package node

import (
	"context"
	"errors"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/problem"
)

// What storing a definition does.
const (
	PutCreates      = "create"    // nothing has that name yet
	PutKeeps        = "unchanged" // the definition is already stored
	PutReplaces     = "replace"   // the documents fit it
	PutNeedsReindex = "reindex"   // the documents do not fit: it needs a generation of its own
)

// Preview is what a Put would do.
type Preview struct {
	Name        registry.Name // with the generation
	Outcome     string
	Version     string // of the stored definition; empty when there is none
	Definition  *definition.Definition
	Differences problem.Problems // why the documents do not fit
}

// PreviewPut returns what a Put of a definition would do, without doing it.
func (n *Node) PreviewPut(ctx context.Context, name registry.Name, body []byte) (*Preview, error) {
	d, err := n.readPut(ctx, Put{Name: name, Body: body})
	if err != nil {
		return nil, err
	}
	preview := &Preview{Name: name, Definition: d, Outcome: PutCreates}
	err = n.whichever(name, func(entry registry.Entry) error {
		return n.holding(ctx, entry, name, func(g *generations.Generation) error {
			preview.Name, preview.Version, preview.Outcome = entry.Name, g.Definition().Version(), PutReplaces
			if preview.Version == d.Version() {
				preview.Outcome = PutKeeps
				return nil
			}
			err := n.checkCompatible(ctx, g, d, false)
			var refused *problem.Problem
			if errors.As(err, &refused) && refused.Code == problem.IndexDefinitionIncompatible {
				preview.Outcome, preview.Differences = PutNeedsReindex, refused.Details
				return nil
			}
			return err
		})
	}, func() error {
		if !name.HasGeneration() {
			preview.Name = name.At(firstGeneration)
		}
		return nil
	})
	return preview, err
}
