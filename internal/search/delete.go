package search

import (
	"context"
	"fmt"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/query"
)

// Keys returns the keys of the documents that the query of a delete matches. Its
// text is taken as written: neither read nor relaxed, because a delete must not
// widen.
func (s *Searcher) Keys(ctx context.Context, view View, request *query.Delete) ([]document.Key, error) {
	compiler, err := plan.NewCompiler(plan.Options{
		Schema: view.Schema, Chains: view.Chains, Settings: view.Settings, Locale: request.Locale,
	})
	if err != nil {
		return nil, err
	}
	node, err := compiler.List(request.Query)
	if err != nil {
		return nil, err
	}
	sets, err := s.runner.Search(view.Snapshot).Sets(ctx, node)
	if err != nil {
		return nil, err
	}
	return keysOf(view, sets)
}

// keysOf walks the keys of the snapshot: only they name documents of an index
// without a primary key, too.
func keysOf(view View, sets []*bitset.Bitset) ([]document.Key, error) {
	matched := make(map[uint32]*bitset.Bitset, len(sets)) // by the base of the segment
	left := 0
	for i, segment := range view.Snapshot.Segments {
		if set := sets[i]; set != nil {
			matched[segment.Base] = set
			left += set.Count()
		}
	}
	if left == 0 {
		return nil, nil
	}
	field := view.Schema.PrimaryKey()
	walk, err := view.Snapshot.Keys("", false, field != nil && field.Type.IsWhole())
	if err != nil {
		return nil, fmt.Errorf("keys of matched documents: %w", err)
	}
	keys := make([]document.Key, 0, left)
	for len(keys) < left {
		key, segment, doc, ok := walk.Next()
		if !ok {
			break
		}
		if set := matched[segment.Base]; set != nil && set.Get(doc) {
			keys = append(keys, document.Key(key))
		}
	}
	return keys, walk.Err()
}
