package snapshot

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/segment/postings"
)

// keyOrder is the documents of a segment by numeric key. It is made on first
// use and shared by every view of the segment.
type keyOrder struct {
	once    sync.Once
	entries []numericKey
	err     error
}

type numericKey struct {
	key int64
	doc uint32
}

func (s *Segment) numericKeys() ([]numericKey, error) {
	s.keys.once.Do(func() {
		field := s.Reader.Terms(layout.Key)
		if field == nil {
			return
		}
		var documents postings.Iterator
		for ord := range field.Stats().Terms {
			key, err := strconv.ParseInt(string(field.Term(ord)), 10, 64)
			if err != nil {
				s.keys.err = fmt.Errorf("key %q of %s is no whole number", field.Term(ord), s.Reader.Name())
				return
			}
			field.Iterator(&documents, field.At(ord))
			for documents.NextBlock() {
				for _, doc := range documents.Docs() {
					s.keys.entries = append(s.keys.entries, numericKey{key, doc})
				}
			}
			if err := documents.Err(); err != nil {
				s.keys.err = fmt.Errorf("read keys of %s: %w", s.Reader.Name(), err)
				return
			}
		}
		slices.SortFunc(s.keys.entries, func(a, b numericKey) int { return cmp.Compare(a.key, b.key) })
	})
	return s.keys.entries, s.keys.err
}

// KeyIterator walks the live documents of a snapshot in the order of their
// keys: whole numbers by value, text by bytes. The snapshot must be held as
// long as it is used. One goroutine uses it.
type KeyIterator struct {
	numeric bool
	heads   []*keyHead // a heap, smallest key first
	err     error
}

// keyHead is the place of the walk in one segment.
type keyHead struct {
	segment *Segment
	key     string
	number  int64
	doc     uint32

	ord     uint32 // text: term of the key
	entries []numericKey
}

// Keys starts a walk behind a key in text form, which need not exist; without
// one (hasAfter false) it starts at the first. numeric tells that keys are
// whole numbers. A numeric walk fails for an after that is no whole number.
func (s *Snapshot) Keys(after string, hasAfter, numeric bool) (*KeyIterator, error) {
	it := &KeyIterator{numeric: numeric}
	bound := int64(math.MinInt64)
	if numeric && hasAfter {
		var err error
		if bound, err = strconv.ParseInt(after, 10, 64); err != nil {
			return nil, fmt.Errorf("keys after %q: %w", after, err)
		}
	}
	for _, segment := range s.Segments {
		head := &keyHead{segment: segment}
		if numeric {
			entries, err := segment.numericKeys()
			if err != nil {
				return nil, err
			}
			at, _ := slices.BinarySearchFunc(entries, bound, func(e numericKey, bound int64) int {
				if hasAfter && e.key == bound {
					return -1
				}
				return cmp.Compare(e.key, bound)
			})
			head.entries = entries[at:]
		} else if field := segment.Reader.Terms(layout.Key); field != nil {
			ord, found := field.Search([]byte(after))
			if hasAfter && found {
				ord++
			}
			if !hasAfter {
				ord = 0
			}
			head.ord = ord
		}
		if it.advance(head) {
			it.heads = append(it.heads, head)
		}
	}
	if it.err != nil {
		return nil, it.err
	}
	for i := len(it.heads)/2 - 1; i >= 0; i-- {
		it.down(i)
	}
	return it, nil
}

// Next returns the next key in text form and its document, and false at the
// end or after damage (Err).
func (it *KeyIterator) Next() (key string, segment *Segment, doc uint32, ok bool) {
	if len(it.heads) == 0 || it.err != nil {
		return "", nil, 0, false
	}
	head := it.heads[0]
	key, segment, doc = head.key, head.segment, head.doc
	if it.numeric {
		key = strconv.FormatInt(head.number, 10)
	}
	if !it.advance(head) {
		last := len(it.heads) - 1
		it.heads[0] = it.heads[last]
		it.heads = it.heads[:last]
	}
	it.down(0)
	return key, segment, doc, true
}

// Clone returns a walk from the same place, independent of this one.
func (it *KeyIterator) Clone() *KeyIterator {
	clone := *it
	clone.heads = make([]*keyHead, len(it.heads))
	for i, head := range it.heads {
		copied := *head
		clone.heads[i] = &copied
	}
	return &clone
}

// Err returns the damage that ended the walk, nil when there was none.
func (it *KeyIterator) Err() error { return it.err }

// advance moves a head to the next live document of its segment.
func (it *KeyIterator) advance(head *keyHead) bool {
	if it.numeric {
		for len(head.entries) > 0 {
			entry := head.entries[0]
			head.entries = head.entries[1:]
			if head.segment.IsLive(entry.doc) {
				head.number, head.doc = entry.key, entry.doc
				return true
			}
		}
		return false
	}
	field := head.segment.Reader.Terms(layout.Key)
	if field == nil {
		return false
	}
	var documents postings.Iterator
	for head.ord < field.Stats().Terms {
		ord := head.ord
		head.ord++
		field.Iterator(&documents, field.At(ord))
		for documents.NextBlock() {
			for _, doc := range documents.Docs() {
				if head.segment.IsLive(doc) {
					head.key, head.doc = string(field.Term(ord)), doc
					return true
				}
			}
		}
		if err := documents.Err(); err != nil {
			it.err = fmt.Errorf("read keys of %s: %w", head.segment.Reader.Name(), err)
			return false
		}
	}
	return false
}

func (it *KeyIterator) less(a, b *keyHead) bool {
	if it.numeric {
		return a.number < b.number
	}
	return a.key < b.key
}

// down restores the heap below position i.
func (it *KeyIterator) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(it.heads) {
			return
		}
		if child+1 < len(it.heads) && it.less(it.heads[child+1], it.heads[child]) {
			child++
		}
		if !it.less(it.heads[child], it.heads[i]) {
			return
		}
		it.heads[i], it.heads[child] = it.heads[child], it.heads[i]
		i = child
	}
}

// EachKey visits the keys of the documents in a set, in no order that matters,
// until visit fails or ctx ends. A key is valid until visit returns.
func (s *Segment) EachKey(ctx context.Context, set *bitset.Bitset, visit func(key []byte) error) error {
	field := s.Reader.Terms(layout.Key)
	if field == nil {
		return nil
	}
	var documents postings.Iterator
	for ord := range field.Stats().Terms {
		if ord%4096 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		field.Iterator(&documents, field.At(ord))
		for documents.NextBlock() {
			for _, doc := range documents.Docs() {
				if !set.Get(doc) {
					continue
				}
				if err := visit(field.Term(ord)); err != nil {
					return err
				}
			}
		}
		if err := documents.Err(); err != nil {
			return fmt.Errorf("read keys of %s: %w", s.Reader.Name(), err)
		}
	}
	return nil
}
