package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/quiresearch/quire/internal/draft"
	"github.com/quiresearch/quire/internal/elasticsearch"
	"github.com/quiresearch/quire/internal/load"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/remote"
)

type importCommand struct {
	Elasticsearch importElasticsearchCommand `cmd:"" help:"Import an index from Elasticsearch 7 to 9, or OpenSearch 2 or 3."`
}

type importElasticsearchCommand struct {
	nodeFlags
	Source    string `arg:"" placeholder:"URL/INDEX" help:"URL of the index, such as https://user:password@host:9200/books."`
	SourceKey string `placeholder:"KEY" help:"API key for Elasticsearch."`
	Index     string `placeholder:"NAME" help:"Name of the new index, which must not exist. Default: the name in the URL."`
	Draft     string `placeholder:"FILE" help:"Write the translated definition to a file (- for standard output) and import nothing."`
}

// Run translates the mapping, creates the index and copies the documents as of
// one point in time.
func (c *importElasticsearchCommand) Run(ctx context.Context, s *surroundings) (err error) {
	cluster, err := elasticsearch.New(c.Source)
	if err != nil {
		return refusedError{err}
	}
	cluster.APIKey = c.SourceKey
	if c.Index == "" {
		c.Index = indexName(cluster.Index)
	}
	if !registry.IsIndexName(c.Index) {
		return refusedError{fmt.Errorf("%q is not a valid index name: choose a name with --index", c.Index)}
	}
	node, err := c.nodeFlags.node(s)
	if err != nil {
		return err
	}
	mapping, err := cluster.Mapping(ctx)
	if err != nil {
		return err
	}
	documents, err := cluster.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, documents.Close(ctx)) }()
	fmt.Fprintf(s.err, "%s holds %s, read through a %s.\n", cluster.Index, plural(documents.Total, "document", "documents"), documents.Way)
	source := load.NewSource(cluster.Index, documents)
	drafter := draft.New(draft.Options{Convert: true})
	if err := load.Draft(ctx, source, drafter, true); err != nil {
		return err
	}
	translated := elasticsearch.Translate(mapping, drafter.Finish())
	for _, note := range translated.Notes {
		fmt.Fprintln(s.err, " ", printable(note))
	}
	body, err := indented(&draft.Draft{Fields: translated.Fields})
	if err != nil {
		return err
	}
	switch c.Draft {
	case "":
		return c.copy(ctx, s, node, source, translated)
	case "-":
		_, err = s.out.Write(body)
		return err
	}
	return os.WriteFile(c.Draft, body, 0o644)
}

func (c *importElasticsearchCommand) copy(ctx context.Context, s *surroundings, node *remote.Node, source *load.Source, translated *elasticsearch.Translation) error {
	if err := reach(ctx, node); err != nil {
		return err
	}
	admin := remote.IndexPath("admin", c.Index)
	switch err := node.Do(ctx, remote.Request{Method: "GET", Path: admin}, nil); {
	case err == nil:
		return refusedError{fmt.Errorf("the index %s already exists: delete it, or choose another name with --index", c.Index)}
	case !remote.IsCode(err, "index:not_found"):
		return err
	}
	put := func() error {
		body, err := indented(&draft.Draft{Fields: translated.Fields})
		if err != nil {
			return err
		}
		return node.Do(ctx, remote.Request{Method: "PUT", Path: admin, Body: body}, nil)
	}
	err := put()
	if remote.IsCode(err, "index:field:analyzer:decompound_locale_unsupported") {
		translated.KeepCompounds()
		fmt.Fprintln(s.err, " ", translated.Notes[len(translated.Notes)-1])
		err = put()
	}
	if err != nil {
		return fmt.Errorf("create the index %s: %w", c.Index, err)
	}
	fmt.Fprintf(s.err, "Created the index %s.\n", c.Index)
	filling := restoreCommand{nodeFlags: c.nodeFlags, File: "-"}
	return filling.fill(ctx, s, node, source, load.NewConverter(translated.Columns, false, "", ""), c.Index)
}
