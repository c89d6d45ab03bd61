package snapshot

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/segment/postings"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// keyOrder is the documents of a segment sorted by numeric key. It is built on
// first use and shared by all views of the segment.
type keyOrder struct {
	mu     sync.Mutex
	sorted *sortedKeys // nil until built
}

// sortedKeys are the entries of a keyOrder. They never change.
type sortedKeys struct {
	entries []numericKey
	others  []otherKey // not whole numbers, sorted by bytes
}

type numericKey struct {
	key int64
	doc uint32
}

// otherKey is a document whose key was written when keys had another type, or was
// generated when the index had none.
type otherKey struct {
	ord uint32 // of the term
	doc uint32
}

// numericKeys returns the order by numeric key. The caller must not change it. After
// damage or a fault of mapped memory, the next call builds it again.
func (s *Segment) numericKeys() (*sortedKeys, error) {
	s.keys.mu.Lock()
	defer s.keys.mu.Unlock()
	if s.keys.sorted != nil {
		return s.keys.sorted, nil
	}
	order := new(sortedKeys)
	if field := s.Reader.Terms(layout.Key); field != nil {
		var documents postings.Iterator
		for ord := range field.Stats().Terms {
			key, isNumber := wholeNumber(field.Term(ord))
			field.Iterator(&documents, field.At(ord))
			for documents.NextBlock() {
				for _, doc := range documents.Docs() {
					if isNumber {
						order.entries = append(order.entries, numericKey{key, doc})
					} else {
						order.others = append(order.others, otherKey{ord, doc})
					}
				}
			}
			if err := documents.Err(); err != nil {
				return nil, fmt.Errorf("read keys of %s: %w", s.Reader.Name(), err)
			}
		}
	}
	slices.SortFunc(order.entries, func(a, b numericKey) int { return cmp.Compare(a.key, b.key) })
	s.keys.sorted = order
	return order, nil
}

// wholeNumber returns the number whose canonical text is key, and false when there
// is none: 07 and 7 are different keys.
func wholeNumber(key []byte) (int64, bool) {
	number, err := strconv.ParseInt(string(key), 10, 64)
	if err != nil || key[0] == '+' {
		return 0, false
	}
	digits := bytes.TrimPrefix(key, []byte("-"))
	return number, digits[0] != '0' || len(key) == 1
}

// KeyIterator walks the live documents of a snapshot in the order of their keys:
// whole numbers by value, text by bytes. In a numeric walk, keys that are not whole
// numbers come last. The caller must hold the snapshot while it uses the iterator.
// It belongs to one goroutine.
type KeyIterator struct {
	numeric bool
	heads   []*keyHead // a heap, smallest key first
	err     error
}

// keyHead is the position of the walk in one segment.
type keyHead struct {
	segment *Segment
	key     string // empty for a whole number in a numeric walk
	number  int64
	doc     uint32

	ord     uint32 // text: next term
	entries []numericKey
	others  []otherKey
}

// Keys returns a walk that starts after a key in text form, or after its Cursor;
// the key need not exist. Without a key (hasAfter false) it starts at the first.
// numeric means that keys are whole numbers.
func (s *Snapshot) Keys(after string, hasAfter, numeric bool) (*KeyIterator, error) {
	it := &KeyIterator{numeric: numeric}
	after = keyOfCursor(after)
	for _, segment := range s.Segments {
		head := &keyHead{segment: segment}
		if numeric {
			order, err := segment.numericKeys()
			if err != nil {
				return nil, err
			}
			head.entries, head.others = order.entries, order.others
			if hasAfter {
				head.skipTo(after)
			}
		} else if field := segment.Reader.Terms(layout.Key); field != nil && hasAfter {
			head.ord = behind(field, after)
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

// skipTo skips keys that do not come after the given one in a numeric walk.
func (h *keyHead) skipTo(after string) {
	bound, isNumber := wholeNumber([]byte(after))
	if isNumber {
		at, _ := slices.BinarySearchFunc(h.entries, bound, func(e numericKey, bound int64) int {
			if e.key == bound {
				return -1
			}
			return cmp.Compare(e.key, bound)
		})
		h.entries = h.entries[at:]
		return
	}
	h.entries = nil
	if len(h.others) > 0 {
		ord := behind(h.segment.Reader.Terms(layout.Key), after)
		at, _ := slices.BinarySearchFunc(h.others, ord, func(o otherKey, ord uint32) int { return cmp.Compare(o.ord, ord) })
		h.others = h.others[at:]
	}
}

// behind returns the first term after a key.
func behind(field *terms.Field, after string) uint32 {
	ord, found := field.Search([]byte(after))
	if found {
		ord++
	}
	return ord
}

// Next returns the next key in text form and its document, and false at the end or
// after damage (Err).
func (it *KeyIterator) Next() (key string, segment *Segment, doc uint32, ok bool) {
	if len(it.heads) == 0 || it.err != nil {
		return "", nil, 0, false
	}
	head := it.heads[0]
	key, segment, doc = head.key, head.segment, head.doc
	if it.numeric && key == "" {
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

// Clone returns an independent walk at the same position.
func (it *KeyIterator) Clone() *KeyIterator {
	clone := *it
	clone.heads = make([]*keyHead, len(it.heads))
	for i, head := range it.heads {
		copied := *head
		clone.heads[i] = &copied
	}
	return &clone
}

// Err returns the damage that ended the walk, nil if there was none.
func (it *KeyIterator) Err() error { return it.err }

// advance moves a head to the next live document of its segment and reports whether
// there is one.
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
	}
	field := head.segment.Reader.Terms(layout.Key)
	if field == nil {
		return false
	}
	if it.numeric {
		for len(head.others) > 0 {
			other := head.others[0]
			head.others = head.others[1:]
			if head.segment.IsLive(other.doc) {
				head.key, head.doc = string(field.Term(other.ord)), other.doc
				return true
			}
		}
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
	if it.numeric && a.key == "" && b.key == "" {
		return a.number < b.number
	}
	return a.key < b.key // a whole number in a numeric walk has the empty key
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

// HasOtherKey reports whether a walk by numeric keys meets a key that isOwn
// rejects: one from before keys got their type. isOwn must accept only whole
// numbers, and all of those between any two that it accepts.
func (s *Snapshot) HasOtherKey(isOwn func(key string) bool) (bool, error) {
	for _, segment := range s.Segments {
		order, err := segment.numericKeys()
		if err != nil {
			return false, err
		}
		if len(order.others) > 0 {
			return true, nil
		}
		if last := len(order.entries) - 1; last >= 0 {
			for _, entry := range []numericKey{order.entries[0], order.entries[last]} {
				if !isOwn(strconv.FormatInt(entry.key, 10)) {
					return true, nil
				}
			}
		}
	}
	return false, nil
}

// EachKey visits the keys of the documents in a set, in no particular order, until
// visit fails or ctx ends. A key is valid until visit returns.
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
