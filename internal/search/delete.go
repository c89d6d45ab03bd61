package search

import (
	"context"
	"fmt"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/rewrite"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/query"
)

// Keys returns the keys of the documents that the query of a delete matches. The
// text of the query is taken literally, neither interpreted nor relaxed, because a
// delete must not widen. The fields named to interpret it are validated all the
// same.
func (s *Searcher) Keys(ctx context.Context, view View, request *query.Delete) ([]document.Key, error) {
	buffer := s.buffers.Get().(*analysis.Buffer)
	defer s.buffers.Put(buffer)
	compiler, err := plan.NewCompiler(plan.Options{
		Schema: view.Schema, Chains: view.Chains, Settings: view.Settings, Locale: request.Locale, Buffer: buffer,
	})
	if err != nil {
		return nil, err
	}
	if err := rewrite.CheckClauses(view.Schema, compiler, request.Query); err != nil {
		return nil, err
	}
	node, err := compiler.Instead(request.Query)
	if err != nil {
		return nil, err
	}
	sets, err := s.runner.Search(view.Snapshot).Sets(ctx, node)
	if err != nil {
		return nil, err
	}
	var keys []document.Key
	for i, segment := range view.Snapshot.Segments {
		if keys, err = appendKeys(ctx, keys, view.Schema, segment, sets[i]); err != nil {
			return nil, fmt.Errorf("keys of matched documents: %w", err)
		}
	}
	return keys, nil
}

// recordCost is the number of keys that can be walked in the time it takes to read
// one stored record.
const recordCost = 50

// appendKeys appends the keys of the documents in set. It reads their records when
// they are few, and otherwise walks the keys of the segment. Only the walk finds
// keys of an index without a primary key.
func appendKeys(ctx context.Context, keys []document.Key, schema *definition.Schema, of *snapshot.Segment, set *bitset.Bitset) ([]document.Key, error) {
	if set == nil {
		return keys, nil
	}
	count := set.Count()
	field := schema.PrimaryKey()
	switch {
	case count == 0:
		return keys, nil
	case field == nil || count*recordCost > int(of.Reader.NumRoots()):
		err := of.EachKey(ctx, set, func(key []byte) error {
			keys = append(keys, document.Key(key))
			return nil
		})
		return keys, err
	}
	var records *snapshot.Records // nil keeps none: deleted documents are not read again
	var scratch []byte
	for doc := set.Next(0); doc < set.Len(); doc = set.Next(doc + 1) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		data, err := records.Get(&scratch, of, doc)
		if err != nil {
			return nil, err
		}
		record, err := document.OpenRecord(data)
		if err != nil {
			return nil, fmt.Errorf("document %d of %s: %w", doc, of.Reader.Name(), err)
		}
		key, ok := appendKeyText(nil, record, field)
		if !ok {
			return nil, fmt.Errorf("document %d of %s has no key in its record", doc, of.Reader.Name())
		}
		keys = append(keys, document.Key(key))
	}
	return keys, nil
}
