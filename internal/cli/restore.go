package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/quiresearch/quire/internal/load"
	"github.com/quiresearch/quire/internal/remote"
)

type restoreCommand struct {
	nodeFlags
	File  string `arg:"" help:"Dump written by quire dump, or - for standard input."`
	Index string `placeholder:"NAME" help:"Name of the new index, which must not exist. Default: the name of the dumped index."`
}

// Run creates an index from a dump and fills it.
func (c *restoreCommand) Run(ctx context.Context, s *surroundings) (err error) {
	node, err := c.nodeFlags.node(s)
	if err != nil {
		return err
	}
	source, header, err := load.OpenDump(c.File, s.in)
	if err != nil {
		return refusedError{err}
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	if err := reach(ctx, node); err != nil {
		return err
	}
	index := firstOf(c.Index, header.Index)
	admin := remote.IndexPath("admin", index)
	switch err := node.Do(ctx, remote.Request{Method: "GET", Path: admin}, nil); {
	case err == nil:
		return refusedError{fmt.Errorf("the index %s already exists: delete it, or choose another name with --index", index)}
	case !remote.IsCode(err, "index:not_found"):
		return err
	}
	if err := node.Do(ctx, remote.Request{Method: "PUT", Path: admin, Body: header.Definition}, nil); err != nil {
		return fmt.Errorf("create the index %s: %w", index, err)
	}
	if len(header.Settings) > 0 {
		if err := node.Do(ctx, remote.Request{Method: "PUT", Path: admin + "/settings", Body: header.Settings}, nil); err != nil {
			return fmt.Errorf("store the settings of %s: %w", index, err)
		}
	}
	return c.fill(ctx, s, node, source, load.NewConverter(nil, true, "", ""), index)
}

// fill adds the documents. Every document of a dump has a key, so a lost batch
// can be sent again.
func (c *restoreCommand) fill(ctx context.Context, s *surroundings, node *remote.Node, source *load.Source, converter *load.Converter, index string) error {
	var done load.Done
	shown := newProgress(s.err, s.isTerminal, []string{c.File})
	node.Waits = shown.waits
	job := &load.Job{Node: node, Index: index, HasKey: true, Moved: shown.moved, Refused: func(_ string, r load.Refusal) {
		shown.say(refusalText(fmt.Sprintf("document %d", r.Row), r))
	}}
	err := job.Run(ctx, source, converter, &done)
	shown.end()
	if err != nil {
		return fmt.Errorf("%w; added before that: %s", err, plural(done.Added, "document", "documents"))
	}
	if err := node.Do(ctx, remote.Request{Method: "POST", Path: remote.IndexPath("admin", index) + "/actions/commit"}, nil); err != nil {
		return err
	}
	fmt.Fprintf(s.err, "%s added to %s%s.\n", plural(done.Added, "document", "documents"), index, refusedText(done.Refused))
	if done.Refused > 0 {
		return errSomeRefused
	}
	return nil
}
