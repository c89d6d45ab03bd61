package rewrite

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"
	"sync"

	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/cache"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/segment/columns"
)

// maxValueIndex bounds the memory of the value index in bytes.
const maxValueIndex = 64 << 20

// valueIndex finds the values of facet columns by their normalized form. An entry
// belongs to one segment and is built on first use, by a search or by warming.
type valueIndex struct {
	seed    maphash.Seed
	kept    *cache.Cache[*segment.Reader, valueKey, *cache.Lazy[columnValues]]
	changed func()

	mu sync.Mutex // guards finding and adding an entry
}

type valueKey struct {
	column string
	chain  *analysis.Chain
}

// columnValues are the hashes of the normalized values of one column, sorted.
type columnValues []hashedValue

type hashedValue struct {
	hash    uint64
	ordinal uint32
}

func newValueIndex(changed func()) *valueIndex {
	return &valueIndex{seed: maphash.MakeSeed(), changed: changed, kept: cache.New[*segment.Reader, valueKey, *cache.Lazy[columnValues]](
		cache.Options{MaxBytes: maxValueIndex, Whole: true}, nil)}
}

func (x *valueIndex) entry(of *segment.Reader, key valueKey, values uint32) *cache.Lazy[columnValues] {
	x.mu.Lock()
	defer x.mu.Unlock()
	entry, ok := x.kept.Get(of, key)
	if !ok {
		entry = cache.NewLazy[columnValues]()
		if x.kept.Put(of, key, entry, int64(values)*16) {
			of.WhenClosed(x.kept, func() {
				x.kept.Drop(of)
				x.changed()
			})
		}
		x.changed()
	}
	return entry
}

// of returns the index of a column.
func (x *valueIndex) of(ctx context.Context, reader *segment.Reader, key valueKey, column *columns.Ordinals) (columnValues, error) {
	values, _, err := x.entry(reader, key, column.Len()).Get(ctx, func(ctx context.Context) (*columnValues, error) {
		var buffer analysis.Buffer
		entries := make(columnValues, column.Len())
		for ordinal := range entries {
			if ordinal%1024 == 0 && ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			form := key.chain.Normalize(&buffer, string(column.Value(uint32(ordinal))))
			entries[ordinal] = hashedValue{maphash.Bytes(x.seed, form), uint32(ordinal)}
		}
		slices.SortFunc(entries, func(a, b hashedValue) int { return cmp.Compare(a.hash, b.hash) })
		return &entries, nil
	})
	if err != nil {
		return nil, err
	}
	return *values, nil
}

// find returns the ordinals of the values whose normalized form may equal
// normalized. The caller must compare, because only hashes are compared here.
func (x *valueIndex) find(ctx context.Context, reader *segment.Reader, key valueKey, column *columns.Ordinals, normalized []byte) ([]uint32, error) {
	entries, err := x.of(ctx, reader, key, column)
	if err != nil {
		return nil, err
	}
	hash := maphash.Bytes(x.seed, normalized)
	at, _ := slices.BinarySearchFunc(entries, hash, func(e hashedValue, h uint64) int { return cmp.Compare(e.hash, h) })
	var found []uint32
	for ; at < len(entries) && entries[at].hash == hash; at++ {
		found = append(found, entries[at].ordinal)
	}
	return found, nil
}
