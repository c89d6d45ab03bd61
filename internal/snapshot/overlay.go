package snapshot

import (
	"math/bits"

	"github.com/quiresearch/quire/internal/segment"
)

// PageSize is the number of documents in a page of an overlay, the same as in a
// block of a column.
const PageSize = 1024

// Page holds the refreshed values of PageSize documents.
type Page struct {
	Refreshed [PageSize / 64]uint64 // documents with a value other than the column's
	Present   [PageSize / 64]uint64 // those of them that have a value
	Values    [PageSize]int64
}

// Overlay holds the values of a signal column that were refreshed since the
// segment was written. Pages are shared between overlays and never change.
// The nil Overlay is empty.
type Overlay struct {
	pages []*Page // nil where nothing was refreshed
	count int     // refreshed documents
}

// Len returns the number of refreshed documents.
func (o *Overlay) Len() int {
	if o == nil {
		return 0
	}
	return o.count
}

// Get returns the value of a document. refreshed is false when the value of the
// column applies, has is false when the value was cleared.
func (o *Overlay) Get(doc uint32) (value int64, has, refreshed bool) {
	if o == nil || int(doc/PageSize) >= len(o.pages) {
		return 0, false, false
	}
	page := o.pages[doc/PageSize]
	if page == nil {
		return 0, false, false
	}
	word, bit := doc%PageSize/64, doc%64
	if page.Refreshed[word]>>bit&1 == 0 {
		return 0, false, false
	}
	return page.Values[doc%PageSize], page.Present[word]>>bit&1 == 1, true
}

// Each calls visit for every refreshed document in order.
func (o *Overlay) Each(visit func(doc uint32, value int64, has bool)) {
	if o == nil {
		return
	}
	for number, page := range o.pages {
		if page == nil {
			continue
		}
		for word, rest := range page.Refreshed {
			for ; rest != 0; rest &= rest - 1 {
				bit := bits.TrailingZeros64(rest)
				i := 64*word + bit
				visit(uint32(number*PageSize+i), page.Values[i], page.Present[word]>>bit&1 == 1)
			}
		}
	}
}

// Values returns the refreshed values in the form that a merge takes.
func (o *Overlay) Values() map[segment.DocID]segment.OverlayValue {
	values := make(map[segment.DocID]segment.OverlayValue, o.Len())
	o.Each(func(doc uint32, value int64, has bool) {
		values[doc] = segment.OverlayValue{Value: value, Missing: !has}
	})
	return values
}

// OverlayBuilder builds the next overlay of a column from an earlier one, sharing
// unchanged pages.
type OverlayBuilder struct {
	pages []*Page
	own   []bool // pages made here
	count int
}

// NewOverlayBuilder starts from an overlay, which may be nil, of a segment with the
// given number of documents.
func NewOverlayBuilder(earlier *Overlay, documents uint32) *OverlayBuilder {
	pages := (documents + PageSize - 1) / PageSize
	b := &OverlayBuilder{pages: make([]*Page, pages), own: make([]bool, pages)}
	if earlier != nil {
		copy(b.pages, earlier.pages)
		b.count = earlier.count
	}
	return b
}

// Set gives a document a value, or none when has is false.
func (b *OverlayBuilder) Set(doc uint32, value int64, has bool) {
	number := int(doc / PageSize)
	page := b.pages[number]
	if !b.own[number] {
		fresh := new(Page)
		if page != nil {
			*fresh = *page
		}
		page, b.pages[number], b.own[number] = fresh, fresh, true
	}
	word, bit := doc%PageSize/64, uint64(1)<<(doc%64)
	if page.Refreshed[word]&bit == 0 {
		page.Refreshed[word] |= bit
		b.count++
	}
	if has {
		page.Present[word] |= bit
		page.Values[doc%PageSize] = value
	} else {
		page.Present[word] &^= bit
		page.Values[doc%PageSize] = 0
	}
}

// Finish returns the overlay, nil when it is empty. The builder must not be
// used afterwards.
func (b *OverlayBuilder) Finish() *Overlay {
	if b.count == 0 {
		return nil
	}
	return &Overlay{pages: b.pages, count: b.count}
}
