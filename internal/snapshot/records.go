package snapshot

import (
	"bytes"
	"fmt"

	"github.com/quiresearch/quire/internal/cache"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/internal/segment"
)

// Records reads the stored records of documents and caches those read recently. It
// is shared by all generations of a node and safe for concurrent use. A nil Records
// reads without caching.
type Records struct {
	kept    *cache.Cache[*segment.Reader, uint32, []byte]
	largest int // largest record that is cached
}

// keptShare is the inverse of the share of the cache that one record may take, so
// that a large document does not evict hundreds of small ones.
const keptShare = 256

// NewRecords returns a Records that caches up to maxBytes; nil when that is zero or
// less. meters may be nil.
func NewRecords(maxBytes int64, meters *metrics.Set) *Records {
	if maxBytes <= 0 {
		return nil
	}
	return &Records{
		kept:    cache.New[*segment.Reader, uint32, []byte](cache.Options{MaxBytes: maxBytes}, meters.DocumentCache()),
		largest: int(maxBytes / keptShare),
	}
}

// Get returns the record of a document, empty when it has none. It must not be
// changed, and is valid until the next call with the same scratch.
func (r *Records) Get(scratch *[]byte, s *Segment, doc uint32) ([]byte, error) {
	stored := s.Reader.Stored()
	if stored == nil {
		return nil, nil
	}
	keeps := r != nil && stored.IsPacked()
	if keeps {
		if record, ok := r.kept.Get(s.Reader, doc); ok {
			return record, nil
		}
	}
	record, err := stored.Get((*scratch)[:0], doc)
	if err != nil {
		return nil, fmt.Errorf("read document %d of %s: %w", doc, s.Reader.Name(), err)
	}
	*scratch = record
	if keeps && len(record) <= r.largest && r.kept.Put(s.Reader, doc, bytes.Clone(record), int64(len(record))) {
		s.Reader.WhenClosed(r.kept, func() { r.kept.Drop(s.Reader) })
	}
	return record, nil
}
