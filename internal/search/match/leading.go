package match

import (
	"context"
	"sync/atomic"

	"github.com/quiresearch/quire/internal/search/match/docset"
	"github.com/quiresearch/quire/internal/search/plan"
)

// The leading documents of an order behind filters are cached. A segment never changes, and
// deleted documents are among them, so they hold for every snapshot.

// leading is what is known about an order behind filters in one segment.
type leading struct {
	spent atomic.Int64 // documents that scans have read, see SpendOnLeading
	found atomic.Pointer[docset.Leading]
}

// LeadingKey returns a key that identifies an order behind filters in a segment, or "" when the
// filters have no short key or the cache cannot hold that many leading documents.
func (v *View) LeadingKey(segment int, order string, filters []plan.Node, documents int) string {
	if v.caches == nil || !v.caches.leading.Fits(docset.LeadingBytes(documents)+maxThresholdKey) {
		return ""
	}
	b, ok := binder{view: v, number: segment}, true
	var buffer [256]byte
	key := appendText(buffer[:0], order)
	for _, f := range filters {
		if isLong(f) {
			return ""
		}
		if key, ok = b.appendKey(key, f); !ok || len(key) > maxThresholdKey {
			return ""
		}
	}
	return string(key)
}

// Leading returns the leading documents with a key, nil when they are not known.
func (v *View) Leading(segment int, key string) *docset.Leading {
	known, _ := v.caches.leading.Get(v.Snapshot.Segments[segment].Reader, key)
	if known == nil {
		return nil
	}
	return known.found.Load()
}

// SpendOnLeading records that a scan read documents for want of the leading ones with a key.
func (v *View) SpendOnLeading(segment int, key string, documents int) {
	r, c := v.Snapshot.Segments[segment].Reader, v.caches.leading
	known, ok := c.Get(r, key)
	if !ok {
		known = new(leading)
		v.caches.putLeading(r, key, known, 0)
	}
	known.spent.Add(int64(documents))
}

// IsLeadingDue reports whether earlier searches have read at least limit documents for want of
// the leading ones with a key. It returns true to one search, until others have read as many again.
func (v *View) IsLeadingDue(segment int, key string, limit int) bool {
	known, ok := v.caches.leading.Get(v.Snapshot.Segments[segment].Reader, key)
	if !ok {
		return false
	}
	spent := known.spent.Load()
	return spent >= int64(limit) && known.spent.CompareAndSwap(spent, 0)
}

// KeepLeading stores the leading documents with a key.
func (v *View) KeepLeading(segment int, key string, found *docset.Leading) {
	known := new(leading)
	known.found.Store(found)
	v.caches.putLeading(v.Snapshot.Segments[segment].Reader, key, known, found.Bytes())
}

// FilterScanner returns a scanner of the documents that match all filters, deleted ones
// included.
func (v *View) FilterScanner(ctx context.Context, segment int, filters []plan.Node) (*Scanner, error) {
	s, err := v.Scanner(ctx, segment, nil, filters, false)
	if err == nil {
		s.mask.live = nil
	}
	return s, err
}
