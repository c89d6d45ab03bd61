package search

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"weak"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis"
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
// entry belongs to one segment and is built when it is first asked for.
type valueIndex struct {
	seed maphash.Seed

	mu    sync.Mutex // guards what follows
	built map[valueKey]*columnValues
	bytes int
}

type valueKey struct {
	reader weak.Pointer[segment.Reader]
	column string
	chain  *analysis.Chain
}

// columnValues are the hashes of the normalized values of one column, sorted.
type columnValues struct {
	once    sync.Once
	entries []hashedValue
}

type hashedValue struct {
	hash    uint64
	ordinal uint32
}

func newValueIndex() *valueIndex {
	return &valueIndex{seed: maphash.MakeSeed(), built: make(map[valueKey]*columnValues)}
}

// find returns the ordinals of the values whose normalized form may be the
// text; the caller compares.
func (x *valueIndex) find(view *snapshot.Snapshot, key valueKey, column *columns.Ordinals, normalized []byte) []uint32 {
	x.mu.Lock()
	values := x.built[key]
	if values == nil {
		x.dropOthers(view, int(column.Len())*16)
		values = &columnValues{}
		x.built[key] = values
		x.bytes += int(column.Len()) * 16
	}
	x.mu.Unlock()
	values.once.Do(func() {
		var buffer analysis.Buffer
		entries := make([]hashedValue, column.Len())
		for ordinal := range entries {
			form := key.chain.Normalize(&buffer, string(column.Value(uint32(ordinal))))
			entries[ordinal] = hashedValue{maphash.Bytes(x.seed, form), uint32(ordinal)}
		}
		slices.SortFunc(entries, func(a, b hashedValue) int { return cmp.Compare(a.hash, b.hash) })
		values.entries = entries
	})
	hash := maphash.Bytes(x.seed, normalized)
	at, _ := slices.BinarySearchFunc(values.entries, hash, func(e hashedValue, h uint64) int { return cmp.Compare(e.hash, h) })
	var found []uint32
	for ; at < len(values.entries) && values.entries[at].hash == hash; at++ {
		found = append(found, values.entries[at].ordinal)
	}
	return found
}

// dropOthers makes room by forgetting columns of segments that the snapshot
// does not hold, then everything.
func (x *valueIndex) dropOthers(view *snapshot.Snapshot, needed int) {
	if x.bytes+needed <= maxValueIndex {
		return
	}
	held := make(map[weak.Pointer[segment.Reader]]bool, len(view.Segments))
	for _, s := range view.Segments {
		held[weak.Make(s.Reader)] = true
	}
	for key, values := range x.built {
		if !held[key.reader] {
			x.bytes -= len(values.entries) * 16
			delete(x.built, key)
		}
	}
	if x.bytes+needed > maxValueIndex {
		clear(x.built)
		x.bytes = 0
	}
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
	fields  []valueField
	buffer  analysis.Buffer
}

// dictionary returns the values that are read out of text, nil when no field
// is opted in.
func (s *session) dictionary() interpret.Dictionary {
	if s.view.Settings == nil {
		return nil
	}
	d := &valueDictionary{session: s}
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
		wanted := strings.Clone(string(f.chain.Normalize(&d.buffer, text)))
		if wanted == "" {
			continue
		}
		for _, value := range d.values(f, wanted) {
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
func (d *valueDictionary) values(f *valueField, wanted string) []string {
	s := d.session
	distinct := make(map[string]bool)
	name := layout.Facet(f.field.Path, f.variant)
	for _, segment := range s.view.Snapshot.Segments {
		column := segment.Reader.Ordinals(name)
		if column == nil {
			continue
		}
		key := valueKey{weak.Make(segment.Reader), name, f.chain}
		for _, ordinal := range s.searcher.values.find(s.view.Snapshot, key, column, []byte(wanted)) {
			value := string(column.Value(ordinal))
			if !distinct[value] && string(f.chain.Normalize(&d.buffer, value)) == wanted && f.isLive(segment, column, ordinal) {
				distinct[value] = true
			}
		}
		for i := range f.declared.Values {
			value := f.declared.Values[i].Value
			label := f.declared.Label(value, s.locale, f.field.DefaultLocale)
			if label == "" || distinct[value] || string(f.chain.Normalize(&d.buffer, label)) != wanted {
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
	return values
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
