package collect

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/segment/columns"
	"github.com/quiresearch/quire/internal/snapshot"
)

// rank is the value of one key, encoded so that smaller ranks come first: place separates
// values from missing ones, number orders values.
type rank struct {
	place  int8
	number int64
}

func (a rank) compare(b rank) int {
	if a.place != b.place {
		return int(a.place) - int(b.place)
	}
	return cmp.Compare(a.number, b.number)
}

// keyReader reads one key of an order in one segment.
type keyReader struct {
	Key
	flip     bool // descending or read backwards, but not both
	segment  *snapshot.Segment
	numbers  *columns.Numbers
	overlay  *snapshot.Overlay
	ordinals *columns.Ordinals
	geo      *columns.Geo
	parents  *bitset.Bitset
	chosen   *bitset.Bitset // list values that count; nil: all
	chain    []sourceReader
	buffer   []int64
}

// sourceReader reads one source of a value chain.
type sourceReader struct {
	Source
	numbers *columns.Numbers
	when    *bitset.Bitset // nil: everywhere
}

// init initializes a zero reader for a key in a segment.
func (r *keyReader) init(k *Key, s *snapshot.Segment, backwards bool) {
	r.Key, r.flip, r.segment, r.parents = *k, k.Descending != backwards, s, s.Reader.Parents()
	switch k.Kind {
	case ByNumber:
		r.numbers = s.Reader.Numbers(k.Structure)
		if k.Signal {
			r.overlay = s.Signal(k.Structure)
		}
	case ByText:
		r.ordinals = s.Reader.Ordinals(k.Structure)
	case ByDistance:
		r.geo = s.Reader.Geo(k.Structure)
	}
}

// rank returns the rank of a document.
func (k *keyReader) rank(doc uint32, score float32) rank {
	switch k.Kind {
	case ByScore:
		return k.turn(layout.Float(float64(score)), true)
	case ByNumber:
		return k.turn(k.number(doc))
	case ByText:
		return k.turn(k.ordinal(doc))
	}
	metres, ok := 0.0, false
	if k.geo != nil {
		metres, ok = k.geo.Distance(doc, k.Lat, k.Lon)
	}
	return k.turn(layout.Float(metres), ok)
}

// turn encodes a value so that smaller ranks come first.
func (k *keyReader) turn(number int64, has bool) rank {
	r := rank{number: number}
	if !has {
		r.number = 0
		r.place = 1
		if k.MissingFirst {
			r.place = -1
		}
	}
	if k.flip {
		r.place, r.number = -r.place, ^r.number
	}
	return r
}

func (k *keyReader) number(doc uint32) (int64, bool) {
	switch {
	case k.chain != nil:
		return k.chained(doc)
	case k.List != "":
		return k.among(k.numbers, doc, k.chosen)
	case k.overlay != nil:
		if v, has, refreshed := k.overlay.Get(doc); refreshed {
			return v, has
		}
	}
	if k.numbers == nil {
		return 0, false
	}
	return k.numbers.Get(doc)
}

// among returns the lowest or highest number of a document's list values.
func (k *keyReader) among(column *columns.Numbers, doc uint32, chosen *bitset.Bitset) (best int64, found bool) {
	if column == nil {
		return 0, false
	}
	first, last := k.segment.Block(doc)
	for value := first; value < last; value++ {
		if chosen != nil && !chosen.Get(value) {
			continue
		}
		k.buffer = column.AppendAll(k.buffer[:0], value)
		for _, v := range k.buffer {
			if !found || k.Descending == (v > best) && v != best {
				best, found = v, true
			}
		}
	}
	return best, found
}

// chained returns the value of the first source that has one.
func (k *keyReader) chained(doc uint32) (int64, bool) {
	for i := range k.chain {
		source := &k.chain[i]
		if source.List != "" {
			if v, ok := k.among(source.numbers, doc, source.when); ok {
				return v, true
			}
			continue
		}
		if source.numbers == nil || source.when != nil && !source.when.Get(doc) {
			continue
		}
		k.buffer = source.numbers.AppendAll(k.buffer[:0], doc)
		if len(k.buffer) > 0 {
			if k.Descending {
				return slices.Max(k.buffer), true
			}
			return slices.Min(k.buffer), true
		}
	}
	return 0, false
}

// ordinal returns twice the ordinal of a document, so that a text between two ordinals also has
// a number.
func (k *keyReader) ordinal(doc uint32) (int64, bool) {
	if k.ordinals == nil {
		return 0, false
	}
	if k.List == "" {
		ord, ok := k.ordinals.Get(doc)
		return int64(ord) * 2, ok
	}
	var best int64
	found := false
	first, last := k.segment.Block(doc)
	for value := first; value < last; value++ {
		if k.chosen != nil && !k.chosen.Get(value) {
			continue
		}
		ord, ok := k.ordinals.Get(value)
		if v := int64(ord) * 2; ok && (!found || k.Descending == (v > best) && v != best) {
			best, found = v, true
		}
	}
	return best, found
}

// rankOf returns the rank of a value of a position in this segment.
func (k *keyReader) rankOf(v Value) rank {
	if v.Missing {
		return k.turn(0, false)
	}
	switch k.Kind {
	case ByNumber:
		return k.turn(v.Number, true)
	case ByText:
		if k.ordinals == nil {
			return k.turn(0, true)
		}
		ord, found := k.ordinals.Lookup(v.Text)
		if !found {
			return k.turn(int64(ord)*2-1, true)
		}
		return k.turn(int64(ord)*2, true)
	case ByScore:
		return k.turn(layout.Float(float64(float32(v.Float))), true)
	}
	return k.turn(layout.Float(v.Float), true)
}

// value returns the value that a rank encodes.
func (k *keyReader) value(r rank) Value {
	if r.place != 0 {
		return Value{Missing: true}
	}
	number := r.number
	if k.flip {
		number = ^number
	}
	switch k.Kind {
	case ByNumber:
		return Value{Number: number}
	case ByText:
		return Value{Text: bytes.Clone(k.ordinals.Value(uint32(number / 2)))}
	}
	return Value{Float: layout.FloatOf(number)}
}

// compareValues orders two values of one key in the order of hits.
func compareValues(k *Key, a, b Value) int {
	var c int
	switch {
	case a.Missing && b.Missing:
	case a.Missing:
		c = 1
		if k.MissingFirst {
			c = -1
		}
	case b.Missing:
		c = -1
		if k.MissingFirst {
			c = 1
		}
	case k.Kind == ByNumber:
		c = cmp.Compare(a.Number, b.Number)
	case k.Kind == ByText:
		c = bytes.Compare(a.Text, b.Text)
	default:
		c = cmp.Compare(a.Float, b.Float)
	}
	if k.Descending {
		return -c
	}
	return c
}

// sortHits sorts hits of several segments, the last first when backwards.
func sortHits(hits []Hit, order []Key, backwards bool) {
	if len(order) == 1 && order[0].Kind == ByScore && order[0].Descending && !backwards {
		slices.SortFunc(hits, func(a, b Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Doc, b.Doc)) })
		return
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		c := 0
		for i := range order {
			if c = compareValues(&order[i], a.Values[i], b.Values[i]); c != 0 {
				break
			}
		}
		if c == 0 {
			c = cmp.Compare(a.Doc, b.Doc)
		}
		if backwards {
			return -c
		}
		return c
	})
}
