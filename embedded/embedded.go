// Package embedded is the search engine as a library: one index in one
// directory of this process, without HTTP, nodes or keys. Programs of other
// modules can use it, unlike package engine, which exposes internal types.
//
//	d, err := embedded.ParseDefinition(body)
//	index, err := embedded.Open(ctx, "books", d, embedded.Options{})
//	defer index.Close(ctx)
//	err = index.Add(ctx, map[string]any{"id": "1", "title": "Kindred"})
//	err = index.Commit(ctx)
//	answer, err := index.Search(ctx, &query.Search{
//		Query: []query.Clause{&query.TextClause{Text: query.Text{Text: "kindred"}}}})
//
// Guarantees: requests, answers and problems are those of the HTTP API
// (packages query, definition, settings, problem); Add returns when the
// documents are durable; Commit makes them visible to searches; a search reads
// one commit; a directory written by one version can be read by later ones.
//
// Not included: generations, reindexing, freshness tokens, buckets and
// compounds of languages that need locale data are parts of the service.
// Answers of an embedded index have no generation and no token. Scores and
// their order may change between versions, as over HTTP.
//
// Only one process may open a directory at a time. An Index may be used by any
// number of goroutines.
package embedded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/search"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
	"github.com/quiresearch/quire/settings"
)

// Options tune an index. The zero value is usable.
type Options struct {
	// Settings are the search settings: synonyms, suggestions and more; nil means
	// none. They are not stored in the directory.
	Settings *settings.Settings
	// CommitInterval is the age at which changes are committed automatically; 0
	// means 5 seconds, negative never.
	CommitInterval time.Duration
	// Memory bounds the memory of uncommitted documents; 0 means 256 MiB.
	Memory int64
	// Logger receives errors of background work; nil discards them.
	Logger *slog.Logger
}

// Index is an open index.
type Index struct {
	generation *engine.Generation
	searcher   *search.Searcher
	settings   *settings.Settings
	limits     query.Limits
}

// ParseDefinition parses a definition in the format of the HTTP API, with roles
// and presets. The error contains every problem found.
func ParseDefinition(body []byte) (*definition.Definition, error) {
	return definition.Parse(body, newBuilder().Capabilities())
}

func newBuilder() *analysis.Builder { return analysis.NewBuilder(analysis.Options{}) }

// Open opens the index in a directory, or creates it with the definition if
// there is none. The definition of an existing index is replaced if its
// documents fit the new one; otherwise the error is
// problem.IndexDefinitionIncompatible. A nil definition leaves it unchanged.
// The context bounds only the opening.
func Open(ctx context.Context, directory string, d *definition.Definition, options Options) (*Index, error) {
	whole, err := filepath.Abs(directory)
	if err != nil {
		return nil, err
	}
	storage := engine.Storage{FS: vfs.OS(filepath.Dir(whole)), Directory: filepath.Base(whole)}
	if _, err := storage.FS.Size(storage.Directory + "/" + manifest.Name); errors.Is(err, vfs.ErrNotExist) {
		if d == nil {
			return nil, fmt.Errorf("%s holds no index, and there is no definition to create one", directory)
		}
		if err := engine.Create(ctx, storage, d); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, err
	}
	builder := newBuilder()
	generation, err := engine.Open(ctx, storage, engine.Options{
		MaxInterval: options.CommitInterval, Memory: options.Memory, Logger: options.Logger,
		Analysis: builder, Capabilities: builder.Capabilities(),
	})
	if err != nil {
		return nil, err
	}
	x := &Index{generation: generation, settings: options.Settings, limits: query.DefaultLimits(),
		searcher: search.New(collect.NewRunner(collect.Options{}, nil), nil, search.Options{Limits: query.DefaultLimits(), Log: options.Logger})}
	if err := x.prepare(ctx, d); err != nil {
		return nil, errors.Join(err, generation.Close(ctx))
	}
	return x, nil
}

// prepare sets the definition and validates the settings against it.
func (x *Index) prepare(ctx context.Context, d *definition.Definition) error {
	if d != nil && d.Version() != x.generation.Definition().Version() {
		if differences := definition.Compare(x.generation.Definition(), d); len(differences) > 0 {
			return problem.IndexDefinitionIncompatible.New().Detailed(differences)
		}
		if err := x.generation.SetDefinition(ctx, d); err != nil {
			return err
		}
	}
	if x.settings == nil {
		return nil
	}
	return x.settings.Validate(x.generation.Schema())
}

// Definition returns the definition that documents are written with.
func (x *Index) Definition() *definition.Definition { return x.generation.Definition() }

// Add adds documents, which may be anything that encodes to a JSON object,
// replacing those with the same keys. They are durable when Add returns nil. If
// any document is invalid, Add adds none and reports every problem found.
func (x *Index) Add(ctx context.Context, documents ...any) error {
	var found problem.List
	reader := document.NewReader(x.generation.Schema())
	read := make([]*document.Document, 0, len(documents))
	for i, given := range documents {
		raw, err := json.Marshal(given)
		if err != nil {
			return fmt.Errorf("encode document %d: %w", i, err)
		}
		read = append(read, reader.Read(raw, problem.At("documents").Item(i), &found))
	}
	if err := found.Err(); err != nil {
		return err
	}
	stream := x.generation.WriteStream()
	for _, d := range read {
		if err := stream.Add(ctx, d); err != nil {
			return err
		}
	}
	_, err := stream.Wait(ctx)
	return err
}

// Delete deletes the documents with the given keys, if there are any. The
// deletion is durable when Delete returns nil.
func (x *Index) Delete(ctx context.Context, keys ...string) error {
	field := x.generation.Schema().PrimaryKey()
	if field == nil {
		return problem.IndexNoPrimaryKey.New()
	}
	stream := x.generation.WriteStream()
	for i, text := range keys {
		key, err := document.ParseKey(field, text, problem.At("keys").Item(i))
		if err != nil {
			return err
		}
		if err := stream.Delete(ctx, key); err != nil {
			return err
		}
	}
	_, err := stream.Wait(ctx)
	return err
}

// Commit makes everything added and deleted so far visible to searches.
func (x *Index) Commit(ctx context.Context) error {
	_, err := x.generation.Commit(ctx, engine.Explicit)
	return err
}

// Close rejects further writes, commits and ends the background work. Added
// documents stay, even if the commit fails.
func (x *Index) Close(ctx context.Context) error { return x.generation.Close(ctx) }
