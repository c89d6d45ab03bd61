package faceting

import (
	"context"
	"sync"
	"weak"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/cache"
	"github.com/quiresearch/quire/internal/search/facet"
	"github.com/quiresearch/quire/internal/search/suggest"
	"github.com/quiresearch/quire/internal/segment/columns"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/settings"
)

// Bounds, in bytes, of the caches of normalized values and of how often they occur under
// filters and queries.
const (
	formCacheSize    = 128 << 20
	rankingCacheSize = 32 << 20
)

// forms holds the values of one field, searchable by the start of their normalized form, and
// how often each occurs in all documents.
type forms struct {
	union *facet.Union
	index *suggest.Index
	all   *suggest.Ranking
}

func (f *forms) bytes() int { return f.union.Bytes() + f.index.Bytes() + f.all.Bytes() }

// formCache caches the normalized forms of the values of fields, and rankings of them, per
// snapshot.
type formCache struct {
	kept     *cache.Cache[*snapshot.Snapshot, formKey, *cache.Lazy[forms]]
	rankings *cache.Cache[*snapshot.Snapshot, rankingKey, *suggest.Ranking]
	changed  func()

	mu sync.Mutex // held while looking for an entry and adding it
}

type formKey struct {
	settings weak.Pointer[settings.Settings] // of labels, if there are any
	locale   string                          // of labels
	column   string
	chain    *analysis.Chain
}

// rankingKey is everything a ranking depends on: its forms, and everything that its counts
// depend on.
type rankingKey struct {
	forms  *forms
	counts countKey
}

func newFormCache(changed func()) *formCache {
	return &formCache{
		changed:  changed,
		kept:     cache.New[*snapshot.Snapshot, formKey, *cache.Lazy[forms]](cache.Options{MaxBytes: formCacheSize, Whole: true}, nil),
		rankings: cache.New[*snapshot.Snapshot, rankingKey, *suggest.Ranking](cache.Options{MaxBytes: rankingCacheSize, Whole: true}, nil),
	}
}

func (c *formCache) entry(of *snapshot.Snapshot, key formKey) *cache.Lazy[forms] {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry, ok := c.kept.Get(of, key)
	if !ok {
		entry = cache.NewLazy[forms]()
		c.keep(of, key, entry, 0)
	}
	return entry
}

func (c *formCache) keep(of *snapshot.Snapshot, key formKey, entry *cache.Lazy[forms], bytes int) {
	if c.kept.Put(of, key, entry, int64(bytes)) {
		of.WhenReleased(c.kept, func() {
			c.kept.Drop(of)
			c.changed()
		})
	}
	c.changed()
}

// completion is one field whose values are completed, and how often each occurs among the
// documents in question.
type completion struct {
	field   *definition.ResolvedField
	labels  *settings.Field // nil when there are none
	chain   *analysis.Chain
	forms   *forms
	ranking *suggest.Ranking
}

// complete prepares to complete values of a field under the query and the filters other than
// those on the field itself.
func (r *Request) complete(ctx context.Context, field *definition.ResolvedField) (*completion, error) {
	chain, err := r.NormalizingChain(field)
	if err != nil {
		return nil, err
	}
	c := &completion{field: field, chain: chain, labels: r.Settings.FieldNamed(field.Path)}
	p := Facet{field: field, column: r.column(field), kept: r.keptFilters([]string{field.Path})}
	r.Counter.usage.Note(r.Schema, use{usedForms, field.Path, r.Locale})
	if c.forms, err = r.formsOf(ctx, c, &p); err != nil {
		return nil, err
	}
	pop := r.populate(p.kept, nil)
	if pop.all {
		c.ranking = c.forms.all
		return c, nil
	}
	c.ranking, err = r.rank(ctx, c, &p, pop)
	return c, err
}

// rank counts the values of a field over a population.
func (r *Request) rank(ctx context.Context, c *completion, p *Facet, pop *population) (*suggest.Ranking, error) {
	kept, of := r.Counter.forms.rankings, r.Snapshot
	key := rankingKey{c.forms, r.cacheKey(p, pop, nil)}
	if found, ok := kept.Get(of, key); ok {
		return found, nil
	}
	counted, err := r.prepareParts(ctx, p, pop, nil)
	if err == nil {
		err = r.countTogether(ctx, counted)
	}
	if err != nil {
		return nil, err
	}
	ranking := c.forms.index.Count(c.forms.union.Sum(counted.parts))
	if kept.Put(of, key, ranking, int64(ranking.Bytes()+len(key.counts.query)+len(key.counts.filters))) {
		of.WhenReleased(kept, func() { kept.Drop(of) })
	}
	return ranking, nil
}

// formsOf returns the forms of all values that the segments of the snapshot hold.
func (r *Request) formsOf(ctx context.Context, c *completion, p *Facet) (*forms, error) {
	cached := r.Counter.forms
	of := r.Snapshot
	key := formKey{column: p.column, chain: c.chain}
	if c.labels != nil && len(c.labels.Values) > 0 {
		key.settings, key.locale = weak.Make(r.Settings), r.Locale
	}
	entry := cached.entry(of, key)
	found, isNew, err := entry.Get(ctx, func(ctx context.Context) (*forms, error) { return r.makeForms(ctx, c, p) })
	if isNew {
		cached.keep(of, key, entry, found.bytes())
	}
	return found, err
}

func (r *Request) makeForms(ctx context.Context, c *completion, p *Facet) (*forms, error) {
	segments := r.Snapshot.Segments
	all := make([]*columns.Ordinals, len(segments))
	for i, segment := range segments {
		all[i] = segment.Reader.Ordinals(p.column)
	}
	f := &forms{union: facet.NewUnion(all)}
	parts, err := r.countAll(ctx, p)
	if err != nil {
		return nil, err
	}
	f.index, err = suggest.Build(ctx, f.union.Len(), func(i int) (string, string) {
		value := string(f.union.Value(i))
		return value, c.label(value, r.Locale)
	}, func(text string) []byte { return c.chain.Normalize(r.Buffer, text) })
	if err != nil {
		return nil, err
	}
	f.all = f.index.Order(f.union.Sum(parts))
	return f, nil
}

// countAll counts the values of a field over all documents, regardless of the query.
func (r *Request) countAll(ctx context.Context, p *Facet) ([]facet.Part, error) {
	c := r.countEach(p.column, func(i int, segment *snapshot.Segment, column *columns.Ordinals) *facet.Counting {
		if p.field.List != "" {
			return facet.CountValues(column, r.liveParents(segment), nil, parentsOf(segment))
		}
		if segment.Live == nil {
			return nil
		}
		return facet.CountDocuments(column, segment.Live, segment.Live.Count())
	})
	for i, part := range c.parts {
		if part.Column != nil && c.segments[i] == nil {
			c.parts[i].Counts = part.Column.Counts()
		}
	}
	return c.parts, r.countTogether(ctx, c)
}

func (c *completion) label(value, locale string) string {
	return c.labels.Label(value, locale, c.field.DefaultLocale)
}

// normalized returns the form in which typed text is compared.
func (r *Request) normalized(c *completion, text string) string {
	return string(c.chain.Normalize(r.Buffer, text))
}
