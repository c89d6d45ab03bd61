package search

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"
	"sync"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/cache"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/search/interpret"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/segment/columns"
	"github.com/quiresearch/quire/internal/segment/postings"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/query"
	"github.com/quiresearch/quire/settings"
)

// maxValueIndex bounds the memory of the value index in bytes.
const maxValueIndex = 64 << 20

// valueIndex finds the values of facet columns by their normalized form. An
// entry belongs to one segment and is built when it is first asked for, by a
// search or by what prepares for searches.
type valueIndex struct {
	seed    maphash.Seed
	kept    *cache.Cache[*segment.Reader, valueKey, *made[columnValues]]
	changed func()

	mu sync.Mutex // of looking for an entry and keeping it
}

type valueKey struct {
	column string
	chain  *analysis.Chain
}

// columnValues are the hashes of the normalized values of one column, sorted.
type columnValues []hashedValue

type hashedValue struct {
	hash    uint64
	ordinal uint32
}

func newValueIndex(changed func()) *valueIndex {
	return &valueIndex{seed: maphash.MakeSeed(), changed: changed, kept: cache.New[*segment.Reader, valueKey, *made[columnValues]](
		cache.Options{MaxBytes: maxValueIndex, Whole: true}, nil)}
}

func (x *valueIndex) entry(of *segment.Reader, key valueKey, values uint32) *made[columnValues] {
	x.mu.Lock()
	defer x.mu.Unlock()
	entry, ok := x.kept.Get(of, key)
	if !ok {
		entry = newMade[columnValues]()
		if x.kept.Put(of, key, entry, int64(values)*16) {
			of.WhenClosed(x.kept, func() {
				x.kept.Drop(of)
				x.changed()
			})
		}
		x.changed()
	}
	return entry
}

// of returns the index of a column.
func (x *valueIndex) of(ctx context.Context, reader *segment.Reader, key valueKey, column *columns.Ordinals) (columnValues, error) {
	values, _, err := x.entry(reader, key, column.Len()).get(ctx, func(ctx context.Context) (*columnValues, error) {
		var buffer analysis.Buffer
		entries := make(columnValues, column.Len())
		for ordinal := range entries {
			if ordinal%1024 == 0 && ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			form := key.chain.Normalize(&buffer, string(column.Value(uint32(ordinal))))
			entries[ordinal] = hashedValue{maphash.Bytes(x.seed, form), uint32(ordinal)}
		}
		slices.SortFunc(entries, func(a, b hashedValue) int { return cmp.Compare(a.hash, b.hash) })
		return &entries, nil
	})
	if err != nil {
		return nil, err
	}
	return *values, nil
}

// find returns the ordinals of the values whose normalized form may be the
// text; the caller compares.
func (x *valueIndex) find(ctx context.Context, reader *segment.Reader, key valueKey, column *columns.Ordinals, normalized []byte) ([]uint32, error) {
	entries, err := x.of(ctx, reader, key, column)
	if err != nil {
		return nil, err
	}
	hash := maphash.Bytes(x.seed, normalized)
	at, _ := slices.BinarySearchFunc(entries, hash, func(e hashedValue, h uint64) int { return cmp.Compare(e.hash, h) })
	var found []uint32
	for ; at < len(entries) && entries[at].hash == hash; at++ {
		found = append(found, entries[at].ordinal)
	}
	return found, nil
}

// valueField is a field whose values are read out of text.
type valueField struct {
	field    *definition.ResolvedField
	variant  string
	chain    *analysis.Chain
	declared *settings.Field
}

// valueDictionary finds typed text among the values of opted-in fields.
type valueDictionary struct {
	session *session
	ctx     context.Context // of the search
	fields  []valueField
}

// dictionary returns the values that are read out of text, nil when no field
// is opted in.
func (s *session) dictionary(ctx context.Context) interpret.Dictionary {
	if s.view.Settings == nil {
		return nil
	}
	d := &valueDictionary{session: s, ctx: ctx}
	for i := range s.view.Settings.Fields {
		declared := &s.view.Settings.Fields[i]
		field, ok := s.view.Schema.Resolve(declared.Field)
		if !declared.Interpret || !ok || field.Type != definition.String || !field.Facet || !field.Filter || field.Hierarchy {
			continue
		}
		variant := plan.Variant(field, s.locale)
		chain, err := s.view.Chains.QueryChain(field, true, chainLocale(field, variant))
		if err != nil {
			continue
		}
		s.searcher.asked.note(s.view.Schema, askedFor{askedValues, field.Path, s.locale})
		d.fields = append(d.fields, valueField{field: field, variant: variant, chain: chain, declared: declared})
	}
	if len(d.fields) == 0 {
		return nil
	}
	return d
}

// chainLocale is the locale whose rules read a variant.
func chainLocale(field *definition.ResolvedField, variant string) string {
	if variant == "" {
		return field.DefaultLocale
	}
	return variant
}

// Find returns the fields and spellings whose value or label is the text.
func (d *valueDictionary) Find(text string) ([]interpret.Alternative, error) {
	var found []interpret.Alternative
	for i := range d.fields {
		f := &d.fields[i]
		wanted := string(f.chain.Normalize(d.session.buffer, text))
		if wanted == "" {
			continue
		}
		values, err := d.values(f, wanted)
		if err != nil {
			return nil, err
		}
		for _, value := range values {
			found = append(found, interpret.Alternative{
				Field: interpret.Field{ResolvedField: f.field},
				Match: &query.EqualsMatcher{Value: query.TextOf(value)},
			})
		}
	}
	return found, nil
}

// values returns the distinct values of a field, held by a live document,
// that read as the text, by bytes.
func (d *valueDictionary) values(f *valueField, wanted string) ([]string, error) {
	s := d.session
	distinct := make(map[string]bool)
	name := layout.Facet(f.field.Path, f.variant)
	for _, segment := range s.view.Snapshot.Segments {
		column := segment.Reader.Ordinals(name)
		if column == nil {
			continue
		}
		ordinals, err := s.searcher.values.find(d.ctx, segment.Reader, valueKey{name, f.chain}, column, []byte(wanted))
		if err != nil {
			return nil, err
		}
		for _, ordinal := range ordinals {
			value := string(column.Value(ordinal))
			if !distinct[value] && string(f.chain.Normalize(d.session.buffer, value)) == wanted && f.isLive(segment, column, ordinal) {
				distinct[value] = true
			}
		}
		for i := range f.declared.Values {
			value := f.declared.Values[i].Value
			label := f.declared.Label(value, s.locale, f.field.DefaultLocale)
			if label == "" || distinct[value] || string(f.chain.Normalize(d.session.buffer, label)) != wanted {
				continue
			}
			if ordinal, ok := column.Lookup([]byte(value)); ok && f.isLive(segment, column, ordinal) {
				distinct[value] = true
			}
		}
	}
	values := make([]string, 0, len(distinct))
	for value := range distinct {
		values = append(values, value)
	}
	slices.Sort(values)
	return values, nil
}

// isLive reports whether a live document of the segment holds a value.
func (f *valueField) isLive(segment *snapshot.Segment, column *columns.Ordinals, ordinal uint32) bool {
	if segment.Live == nil {
		return true
	}
	terms := segment.Reader.Terms(layout.Filter(f.field.Path, f.variant))
	if terms == nil {
		return false
	}
	folded := layout.Cut(layout.Fold(f.variant, string(column.Value(ordinal)), f.field.CaseFolding))
	entry, ok := terms.Lookup([]byte(folded))
	if !ok {
		return false
	}
	var documents postings.Iterator
	terms.Iterator(&documents, entry)
	var ordinals []uint32
	for documents.NextBlock() {
		for _, doc := range documents.Docs() {
			if !segment.IsLive(doc) {
				continue
			}
			ordinals = column.Append(ordinals[:0], doc)
			if slices.Contains(ordinals, ordinal) {
				return true
			}
		}
	}
	return false
}
