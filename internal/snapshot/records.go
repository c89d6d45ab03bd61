package snapshot

import (
	"fmt"

	"github.com/quiresearch/quire/internal/cache"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/internal/segment"
)

// Records reads the stored records of documents and keeps those read lately.
// It is shared by all generations of a node and may be used by any number of
// goroutines. A nil Records reads and keeps nothing.
type Records struct {
	kept *cache.Cache[*segment.Reader, uint32, []byte]
}

// NewRecords returns records of which so many bytes are kept; nil when that is
// none. meters may be nil.
func NewRecords(maxBytes int64, meters *metrics.Set) *Records {
	if maxBytes <= 0 {
		return nil
	}
	return &Records{cache.New[*segment.Reader, uint32, []byte](cache.Options{MaxBytes: maxBytes}, meters.DocumentCache())}
}

// Get returns the record of a document, empty when it has none. The record may
// be in dst, must not be changed, and is valid until dst is used again.
func (r *Records) Get(dst []byte, s *Segment, doc uint32) ([]byte, error) {
	stored := s.Reader.Stored()
	if stored == nil {
		return nil, nil
	}
	if r != nil {
		if record, ok := r.kept.Get(s.Reader, doc); ok {
			return record, nil
		}
		dst = nil // what is read is kept
	}
	record, err := stored.Get(dst[:0], doc)
	if err != nil {
		return nil, fmt.Errorf("read document %d of %s: %w", doc, s.Reader.Name(), err)
	}
	if r != nil && r.kept.Put(s.Reader, doc, record, int64(cap(record))) {
		s.Reader.WhenClosed(r.kept, func() { r.kept.Drop(s.Reader) })
	}
	return record, nil
}
