package docset

import (
	"cmp"
	"math"
	"slices"
)

// Leading holds the first documents of a set in the order of a number: ascending, and among
// equal numbers by document. It never changes and may be shared.
//
// Example: the set is year = 2019, the number the negated time. Leading holds its newest
// documents, and a search within that year for the newest matches checks them alone.
type Leading struct {
	all   []led
	total int // documents of the set, with a number or without
}

// led is a document with its number.
type led struct {
	number int64
	doc    uint32
}

func (a led) compare(b led) int {
	return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.doc, b.doc))
}

// Len returns the number of documents held.
func (l *Leading) Len() int { return len(l.all) }

// Total returns the number of documents of the set.
func (l *Leading) Total() int { return l.total }

// Bytes returns the approximate memory in use.
func (l *Leading) Bytes() int64 { return LeadingBytes(len(l.all)) }

// LeadingBytes returns the approximate memory of so many leading documents.
func LeadingBytes(documents int) int64 { return int64(documents)*16 + 64 }

// Search returns how many of the documents have a lower number.
func (l *Leading) Search(number int64) int {
	at, _ := slices.BinarySearchFunc(l.all, number, func(a led, number int64) int { return cmp.Compare(a.number, number) })
	return at
}

// Docs returns n documents from a position on, or as many as are left, in no particular order, in
// a slice of the caller. If runs is set, documents with the same number stay together: it adds
// those with the number of the last one, or leaves them out if it does not hold all of them.
func (l *Leading) Docs(from, n int, runs bool) []uint32 {
	end := min(from+n, len(l.all))
	if runs && from < end {
		last := l.all[end-1].number
		for end < len(l.all) && l.all[end].number == last {
			end++
		}
		if end == len(l.all) && end < l.total {
			for end > from && l.all[end-1].number == last {
				end--
			}
		}
	}
	docs := make([]uint32, end-from)
	for i := range docs {
		docs[i] = l.all[from+i].doc
	}
	return docs
}

// Selection finds the leading documents of a set. It gathers twice as many as are wanted, and
// drops the second half whenever it is full.
type Selection struct {
	wanted int
	all    []led
	bound  int64
	isFull bool // documents from bound on are dropped
}

// NewSelection returns a selection of the first documents.
func NewSelection(wanted int) *Selection {
	return &Selection{wanted: wanted, bound: math.MaxInt64}
}

// Bound returns a number that a document must be below, once isFull, to be among the first.
func (s *Selection) Bound() (bound int64, isFull bool) { return s.bound, s.isFull }

// Add adds a document; documents come in ascending order.
func (s *Selection) Add(doc uint32, number int64) {
	if s.isFull && number >= s.bound {
		return
	}
	if s.all = append(s.all, led{number, doc}); len(s.all) < 2*s.wanted {
		return
	}
	moveFirst(s.all, s.wanted)
	s.all = s.all[:s.wanted]
	s.bound, s.isFull = slices.MaxFunc(s.all, led.compare).number, true
}

// Leading returns what was selected among total documents of the set. The selection must not be
// used again.
func (s *Selection) Leading(total int) *Leading {
	slices.SortFunc(s.all, led.compare)
	return &Leading{slices.Clone(s.all[:min(s.wanted, len(s.all))]), total}
}

// moveFirst moves the first n to the front, in any order (quickselect).
func moveFirst(all []led, n int) {
	for len(all) > 1 {
		a, b, c := all[0], all[len(all)/2], all[len(all)-1]
		if a.compare(b) > 0 {
			a, b = b, a
		}
		if b.compare(c) > 0 {
			b = c
		}
		if a.compare(b) > 0 {
			b = a
		}
		i, j := 0, len(all)-1 // b is the median of the three
		for i <= j {
			for all[i].compare(b) < 0 {
				i++
			}
			for all[j].compare(b) > 0 {
				j--
			}
			if i <= j {
				all[i], all[j] = all[j], all[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case n <= j:
			all = all[:j+1]
		case n >= i:
			all, n = all[i:], n-i
		default:
			return
		}
	}
}
