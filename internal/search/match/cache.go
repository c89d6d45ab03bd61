package match

import (
	"sync/atomic"

	"github.com/quiresearch/quire/internal/cache"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/internal/search/match/docset"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/segment/terms"
	"github.com/quiresearch/quire/internal/snapshot"
)

// CacheOptions bounds the caches of a node. A bound that is not positive turns its cache off.
type CacheOptions struct {
	Filters     int   // number of sets of filters
	FilterBytes int64 // of sets of filters, as much again of the expansions of words, and a sixteenth of leading documents
	TermBytes   int64 // of term statistics
	Typos       int   // number of words with typos
	Prefixes    int   // number of words typed in part
}

// segmentsOfWord is for how many segments a word is cached, on average: every segment has its
// own terms. In each, a word takes two entries: the matches by surface forms, and all that the
// word stands for.
const segmentsOfWord = 8

// Caches holds results that later searches may need. Segments and snapshots never change, so
// entries stay valid while these are open and are dropped when they close. It is safe for
// concurrent use; a nil Caches stores nothing.
type Caches struct {
	filters         *docset.Cache
	typos, prefixes *cache.Cache[*segment.Reader, string, *expansion]
	terms           *cache.Cache[*snapshot.Snapshot, termKey, *termStats]
	foreign         *cache.Cache[*snapshot.Snapshot, expandKey, [][]terms.Match]
	scores          *cache.Cache[*snapshot.Snapshot, string, float32] // see ThresholdKey
	leading         *cache.Cache[*segment.Reader, string, *leading]   // see LeadingKey
	merged          *segment.Budget                                   // of dictionaries; nil: none are merged
	searches        atomic.Uint64                                     // number of searches so far
}

// NewCaches returns empty caches; meters may be nil.
func NewCaches(o CacheOptions, meters *metrics.Set) *Caches {
	c := &Caches{}
	if o.Filters > 0 && o.FilterBytes > 0 {
		c.filters = docset.NewCache(o.Filters, o.FilterBytes, meters)
		options := cache.Options{MaxEntries: o.Filters, MaxBytes: o.FilterBytes / leadingBytesShare, Whole: true}
		c.leading = cache.New[*segment.Reader, string, *leading](options, nil)
	}
	if o.Typos > 0 && o.FilterBytes > 0 {
		c.typos = cache.New[*segment.Reader, string, *expansion](cache.Options{MaxEntries: 2 * o.Typos * segmentsOfWord, MaxBytes: o.FilterBytes / 2}, meters.TypoCache())
	}
	if o.Prefixes > 0 && o.FilterBytes > 0 {
		c.prefixes = cache.New[*segment.Reader, string, *expansion](cache.Options{MaxEntries: 2 * o.Prefixes * segmentsOfWord, MaxBytes: o.FilterBytes / 2}, meters.PrefixCache())
	}
	if o.TermBytes > 0 {
		c.terms = cache.New[*snapshot.Snapshot, termKey, *termStats](cache.Options{MaxBytes: o.TermBytes}, meters.TermCache())
		c.foreign = cache.New[*snapshot.Snapshot, expandKey, [][]terms.Match](cache.Options{MaxBytes: o.TermBytes / foreignShare}, nil)
		c.scores = cache.New[*snapshot.Snapshot, string, float32](cache.Options{MaxBytes: o.TermBytes / foreignShare}, nil)
		c.merged = segment.NewBudget(o.TermBytes / 2)
	}
	return c
}

// filter returns the cached set of a node that only narrows, nil when there is none.
func (c *Caches) filter(b *binder, n plan.Node) *docset.Set {
	if c == nil || c.filters == nil {
		return nil
	}
	key, ok := b.filterKey(n)
	if !ok {
		return nil
	}
	return c.filters.Get(b.segment.Reader, key)
}

func (c *Caches) keepFilter(b *binder, n plan.Node, set *docset.Set) {
	if c == nil || c.filters == nil {
		return
	}
	if key, ok := b.filterKey(n); ok {
		c.filters.Put(b.segment.Reader, key, set)
	}
}

func (c *Caches) putLeading(r *segment.Reader, key string, known *leading, bytes int64) {
	if c.leading.Put(r, key, known, int64(len(key))+bytes) {
		r.WhenClosed(c.leading, func() { c.leading.Drop(r) })
	}
}

// isKnown reports whether an earlier search asked about a node that only narrows, and records
// that this one did.
func (c *Caches) isKnown(b *binder, n plan.Node) bool {
	if c == nil || c.filters == nil {
		return false
	}
	key, ok := b.filterKey(n)
	return ok && c.filters.Seen(b.segment.Reader, key, b.view.search)
}

// keepsBits reports whether the cache can hold a bitset of all documents of a segment.
func (c *Caches) keepsBits(b *binder) bool {
	return c != nil && c.filters != nil && c.filters.Fits(b.documents)
}

// words returns the cache for a word that stands for several terms.
func (c *Caches) words(n *plan.Expand) *cache.Cache[*segment.Reader, string, *expansion] {
	switch {
	case c == nil:
		return nil
	case n.Edits > 0:
		return c.typos
	}
	return c.prefixes
}

func (c *Caches) expansion(b *binder, n *plan.Expand) *expansion {
	return c.ofWord(b, n, allReadings, b.foreign(n))
}

func (c *Caches) keepExpansion(b *binder, n *plan.Expand, e *expansion) {
	c.keepOfWord(b, n, allReadings, b.foreign(n), e)
}

// forms returns the cached terms that forms of the segment bring nearer to a word, nil when
// they are not cached.
func (c *Caches) forms(b *binder, n *plan.Expand) *expansion {
	return c.ofWord(b, n, formReadings, nil)
}

func (c *Caches) keepForms(b *binder, n *plan.Expand, e *expansion) {
	c.keepOfWord(b, n, formReadings, nil, e)
}

// The kind of an entry about a word is the first byte of its key.
const (
	allReadings  = 'a'
	formReadings = 'f'
)

func (c *Caches) ofWord(b *binder, n *plan.Expand, kind byte, foreign []terms.Match) *expansion {
	kept := c.words(n)
	if kept == nil {
		return nil
	}
	found, _ := kept.Get(b.segment.Reader, wordKey(kind, n, foreign))
	return found
}

func (c *Caches) keepOfWord(b *binder, n *plan.Expand, kind byte, foreign []terms.Match, e *expansion) {
	kept := c.words(n)
	if kept == nil {
		return
	}
	s, key := b.segment.Reader, wordKey(kind, n, foreign)
	if kept.Put(s, key, e, int64(len(key))+e.bytes()) {
		s.WhenClosed(kept, func() { kept.Drop(s) })
	}
}

func wordKey(kind byte, n *plan.Expand, foreign []terms.Match) string {
	var buffer [128]byte
	return string(appendExpand(append(buffer[:0], kind), n, foreign))
}

// foreignTerms returns what exchangeForms found earlier in a snapshot.
func (c *Caches) foreignTerms(s *snapshot.Snapshot, key expandKey) ([][]terms.Match, bool) {
	if c == nil || c.foreign == nil {
		return nil, false
	}
	return c.foreign.Get(s, key)
}

func (c *Caches) keepForeignTerms(s *snapshot.Snapshot, key expandKey, foreign [][]terms.Match) {
	if c == nil || c.foreign == nil {
		return
	}
	bytes := int64(len(key.structure) + len(key.text) + len(key.surface))
	for _, matches := range foreign {
		bytes += sliceBytes + matchBytes*int64(len(matches))
	}
	if c.foreign.Put(s, key, foreign, bytes) {
		s.WhenReleased(c.foreign, func() { c.foreign.Drop(s) })
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

// leadingBytesShare: the leading documents of orders may take 1/leadingBytesShare of the memory
// of filters, in addition to that.
const leadingBytesShare = 16

// foreignShare: the foreign terms of words and the scores of last hits may each take
// 1/foreignShare of the memory of term statistics, in addition to that.
const foreignShare = 8

const (
	entryBytes     = 16 // memory of a dictionary entry
	matchBytes     = entryBytes + 4
	formMatchBytes = 24
	sliceBytes     = 24
)
