package match

import (
	"encoding/binary"
	"math"

	"github.com/quiresearch/quire/internal/cache"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/snapshot"
)

// CacheOptions bound the caches of a node; a bound that is not above zero turns
// its cache off.
type CacheOptions struct {
	Filters     int   // sets of filters
	FilterBytes int64 // of sets of filters, and again of words' sets
	TermBytes   int64 // of term statistics
	Typos       int   // words with typos
	Prefixes    int   // words typed in part
}

// segmentsOfWord is how many segments a word is kept for, on average: every
// segment has terms of its own.
const segmentsOfWord = 8

// Caches keep what searches work out and may need again. Segments and
// snapshots never change, so what is kept holds as long as they are open and
// goes when they close. Any number of goroutines may use them; nil keeps
// nothing.
type Caches struct {
	filters         *cache.Cache[*segment.Reader, string, *Set]
	typos, prefixes *cache.Cache[*segment.Reader, string, *expansion]
	terms           *cache.Cache[*snapshot.Snapshot, termKey, *termStats]
	meters          *metrics.Set
}

// NewCaches returns empty caches; meters may be nil.
func NewCaches(o CacheOptions, meters *metrics.Set) *Caches {
	c := &Caches{meters: meters}
	if o.Filters > 0 && o.FilterBytes > 0 {
		c.filters = cache.New[*segment.Reader, string, *Set](cache.Options{MaxEntries: o.Filters, MaxBytes: o.FilterBytes}, meters.QueryCache())
	}
	if o.Typos > 0 && o.FilterBytes > 0 {
		c.typos = cache.New[*segment.Reader, string, *expansion](cache.Options{MaxEntries: o.Typos * segmentsOfWord, MaxBytes: o.FilterBytes / 2}, meters.TypoCache())
	}
	if o.Prefixes > 0 && o.FilterBytes > 0 {
		c.prefixes = cache.New[*segment.Reader, string, *expansion](cache.Options{MaxEntries: o.Prefixes * segmentsOfWord, MaxBytes: o.FilterBytes / 2}, meters.PrefixCache())
	}
	if o.TermBytes > 0 {
		c.terms = cache.New[*snapshot.Snapshot, termKey, *termStats](cache.Options{MaxBytes: o.TermBytes}, meters.TermCache())
	}
	return c
}

// filter returns the kept set of a node that only narrows; nil when there is
// none.
func (c *Caches) filter(s *segment.Reader, n plan.Node) *Set {
	if c == nil || c.filters == nil {
		return nil
	}
	key, ok := filterKey(n)
	if !ok {
		return nil
	}
	set, _ := c.filters.Get(s, key)
	return set
}

func (c *Caches) keepFilter(s *segment.Reader, n plan.Node, set *Set) {
	if c == nil || c.filters == nil {
		return
	}
	key, ok := filterKey(n)
	if !ok {
		return
	}
	if c.filters.Put(s, key, set, int64(len(key))+set.Bytes()) {
		s.WhenClosed(c.filters, func() {
			c.filters.Drop(s)
			c.meters.QueryCacheBytes(c.filters.Bytes())
		})
	}
	c.meters.QueryCacheBytes(c.filters.Bytes())
}

// isKnown reports whether a node that only narrows was asked about before, and
// remembers that it was.
func (c *Caches) isKnown(s *segment.Reader, n plan.Node) bool {
	if c == nil || c.filters == nil {
		return false
	}
	key, ok := filterKey(n)
	if !ok {
		return false
	}
	key = "?" + key
	if _, known := c.filters.Get(s, key); known {
		return true
	}
	if c.filters.Put(s, key, &Set{}, int64(len(key))) {
		s.WhenClosed(c.filters, func() { c.filters.Drop(s) })
	}
	return false
}

// words returns the cache of a word that stands for several terms.
func (c *Caches) words(n *plan.Expand) *cache.Cache[*segment.Reader, string, *expansion] {
	switch {
	case c == nil:
		return nil
	case n.Edits > 0:
		return c.typos
	}
	return c.prefixes
}

func (c *Caches) expansion(s *segment.Reader, n *plan.Expand) *expansion {
	kept := c.words(n)
	if kept == nil {
		return nil
	}
	key, _ := filterKey(n)
	found, _ := kept.Get(s, key)
	return found
}

func (c *Caches) keepExpansion(s *segment.Reader, n *plan.Expand, e *expansion) {
	kept := c.words(n)
	if kept == nil {
		return
	}
	key, _ := filterKey(n)
	if kept.Put(s, key, e, int64(len(key))+e.bytes()) {
		s.WhenClosed(kept, func() { kept.Drop(s) })
	}
}

func (c *Caches) term(s *snapshot.Snapshot, key termKey) *termStats {
	if c == nil || c.terms == nil {
		return nil
	}
	stats, _ := c.terms.Get(s, key)
	return stats
}

func (c *Caches) keepTerm(s *snapshot.Snapshot, key termKey, stats *termStats) {
	if c == nil || c.terms == nil {
		return
	}
	if c.terms.Put(s, key, stats, int64(len(key.structure)+len(key.term)+entryBytes*len(stats.entries))) {
		s.WhenReleased(c.terms, func() { c.terms.Drop(s) })
	}
}

// entryBytes is the memory of a dictionary entry.
const entryBytes = 16

// filterKey writes a node that only narrows as text that two nodes share
// exactly when they match the same documents of every segment. Others have
// no key.
func filterKey(n plan.Node) (string, bool) {
	key, ok := appendKey(nil, n)
	return string(key), ok
}

func appendKey(key []byte, n plan.Node) ([]byte, bool) {
	text := func(s string) {
		key = binary.AppendUvarint(key, uint64(len(s)))
		key = append(key, s...)
	}
	switch n := n.(type) {
	case *plan.Everything:
		key = append(key, '*')
	case *plan.Nothing:
		key = append(key, '-')
	case *plan.Term:
		key = append(key, 't')
		text(n.Structure)
		text(n.Text)
	case *plan.TermSet:
		key = append(key, 's')
		text(n.Structure)
		key = binary.AppendUvarint(key, uint64(len(n.Terms)))
		for _, t := range n.Terms {
			text(t)
		}
	case *plan.TermRange:
		key = append(key, 'r')
		text(n.Structure)
		key = binary.AppendUvarint(key, uint64(len(n.Intervals)))
		for _, i := range n.Intervals {
			key = append(key, flags(i.From != nil, i.To != nil, i.FromExclusive, i.ToExclusive))
			if i.From != nil {
				text(*i.From)
			}
			if i.To != nil {
				text(*i.To)
			}
		}
	case *plan.NumberRange:
		key = append(key, 'n')
		text(n.Structure)
		key = binary.AppendUvarint(key, uint64(len(n.Intervals)))
		for _, i := range n.Intervals {
			key = binary.BigEndian.AppendUint64(key, uint64(i.Min))
			key = binary.BigEndian.AppendUint64(key, uint64(i.Max))
		}
	case *plan.Distance:
		key = append(key, 'd')
		text(n.Structure)
		for _, v := range []float64{n.Lat, n.Lon, n.Radius} {
			key = binary.BigEndian.AppendUint64(key, math.Float64bits(v))
		}
	case *plan.Expand:
		key = append(key, 'e', flags(n.Prefix, false, false, false), byte(n.Edits), byte(n.Fixed))
		text(n.Structure)
		text(n.Text)
		text(n.Surface)
	case *plan.Word:
		key = append(key, 'w')
		for i := range n.Fields {
			text(n.Fields[i].Structure)
			key = binary.AppendUvarint(key, uint64(len(n.Fields[i].Terms)))
			for _, t := range n.Fields[i].Terms {
				text(t.Text)
			}
		}
		for i := range n.Bands {
			for _, in := range n.Bands[i].In {
				of := plan.Node(in.Near)
				if in.Prefix != nil {
					of = in.Prefix
				}
				key, _ = appendKey(append(key, byte(n.Bands[i].Edits)), of)
			}
		}
	case *plan.And:
		if len(n.Optional) > 0 {
			return nil, false
		}
		return appendKeys(append(key, '&'), n.Clauses)
	case *plan.Or:
		return appendKeys(append(key, '|'), n.Clauses)
	case *plan.Not:
		return appendKeys(append(key, '!'), n.Clauses)
	case *plan.Nested:
		key = append(key, '(')
		text(n.Path)
		return appendKey(key, n.Clause)
	default:
		return nil, false
	}
	return key, true
}

func appendKeys(key []byte, nodes []plan.Node) ([]byte, bool) {
	key = binary.AppendUvarint(key, uint64(len(nodes)))
	for _, n := range nodes {
		var ok bool
		if key, ok = appendKey(key, n); !ok {
			return nil, false
		}
	}
	return key, true
}

func flags(all ...bool) byte {
	var f byte
	for i, set := range all {
		if set {
			f |= 1 << i
		}
	}
	return f
}
