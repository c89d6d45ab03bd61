// Package indexing adds documents to segments: each value of a field becomes the
// terms, numbers and ordinals that its usages need, with the names and encodings of
// package layout.
//
// An Indexer serves one segment.Builder at a time and caches what it needs per
// field: the builder's field numbers, analysis chains, collators. A document is one
// block: first the values of its nested lists, each a document of its own with the
// path of its list and its position, then the document itself with its key, its
// signals and its stored record.
//
// Invariants:
//
//	X1  Words of two values of a field are at least layout.PositionGap apart.
//	X2  A document is added to the builder as a whole, or the error makes it
//	    unusable and the caller starts another.
//
// An Indexer belongs to one goroutine.
package indexing

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/locale/collation"
	"github.com/quiresearch/quire/internal/segment"
)

// Indexer adds documents to one builder after another.
type Indexer struct {
	chains      *analysis.Chains
	builder     *segment.Builder
	mappings    map[mappingKey]*fieldMapping
	usual       [16]*fieldMapping // by the position of a value in its document
	shared      sharedFields
	signals     map[*definition.ResolvedField]segment.FieldID
	collators   map[string]*collation.Collator
	buffer      analysis.Buffer
	occurrences [segment.AheadTerms]segment.Occurrence
	scratch     []byte
	record      []byte
	document    uint64 // number of documents, including nested ones, for mappings
}

// sharedFields are the structures that do not belong to a single field.
type sharedFields struct {
	key, exists, lists, position segment.FieldID
}

// mappingKey is one variant of a field. A schema caches only a bounded number of
// concrete names of a pattern, so a wildcard field is identified by its path.
type mappingKey struct {
	field   *definition.ResolvedField // nil for a wildcard field
	path    string                    // of a wildcard field
	variant string
}

// NewIndexer returns an indexer that analyses with the given chains.
func NewIndexer(chains *analysis.Chains) *Indexer {
	return &Indexer{chains: chains, collators: make(map[string]*collation.Collator)}
}

// Add adds a document with its key, signals and record to the builder and returns
// its number. Use one Indexer per builder: switching to another builder, or one
// that was emptied, discards the caches.
func (x *Indexer) Add(b *segment.Builder, d *document.Document) (segment.DocID, error) {
	if x.builder != b || b.Docs() == 0 {
		x.attach(b)
	}
	x.buffer.Limit(StepsOf(d))
	for i := range d.Children {
		child := &d.Children[i]
		b.StartDoc()
		x.document++
		b.Term(x.shared.lists, bytesOf(child.List.Path), 0)
		b.Number(x.shared.position, int64(child.Position))
		if err := x.values(child.Values); err != nil {
			return 0, err
		}
		b.EndDoc(false)
	}
	b.StartDoc()
	x.document++
	b.Term(x.shared.key, bytesOf(string(d.Key)), 0)
	if err := x.values(d.Root); err != nil {
		return 0, err
	}
	for _, signal := range d.Signals {
		if !signal.Clear {
			b.Number(x.signal(signal.Field), signal.Number)
		}
	}
	x.record = d.AppendRecord(x.record[:0])
	b.Stored(x.record)
	return b.EndDoc(true), nil
}

// attach switches to another builder, or to one that was emptied, whose field
// numbers are new.
func (x *Indexer) attach(b *segment.Builder) {
	x.builder = b
	x.mappings = make(map[mappingKey]*fieldMapping)
	x.usual = [len(x.usual)]*fieldMapping{}
	x.signals = make(map[*definition.ResolvedField]segment.FieldID)
	x.shared = sharedFields{
		key:      b.Field(segment.FieldOptions{Name: layout.Key, Kind: segment.Terms, Key: true}),
		exists:   b.Field(segment.FieldOptions{Name: layout.Exists, Kind: segment.Terms}),
		lists:    b.Field(segment.FieldOptions{Name: layout.Lists, Kind: segment.Terms}),
		position: b.Field(segment.FieldOptions{Name: layout.ListPosition, Kind: segment.Numbers}),
	}
}

func (x *Indexer) signal(f *definition.ResolvedField) segment.FieldID {
	id, ok := x.signals[f]
	if !ok {
		id = x.builder.Field(segment.FieldOptions{Name: layout.Signal(f.Path), Kind: segment.Numbers})
		x.signals[f] = id
	}
	return id
}

func (x *Indexer) values(values []document.Value) error {
	var last *fieldMapping
	for i := range values {
		v := &values[i]
		s := last
		if s == nil || s.field != v.Field || s.variant != v.Variant {
			// Most documents have their fields in the same order.
			usual := &x.usual[i%len(x.usual)]
			if s = *usual; s == nil || s.field != v.Field || s.variant != v.Variant {
				var err error
				if s, err = x.mapping(v.Field, v.Variant); err != nil {
					return err
				}
				*usual = s
			}
			last = s
		}
		if s.isIdle {
			continue
		}
		if s.document != x.document {
			s.document, s.position = x.document, 0
			x.exists(s)
		}
		x.value(s, v)
	}
	return nil
}

// exists records that the document has a value of a field.
func (x *Indexer) exists(s *fieldMapping) {
	if s.isSeen {
		x.builder.Again(x.shared.exists, s.exists, 0)
		return
	}
	s.isSeen = true
	s.exists = x.builder.Term(x.shared.exists, bytesOf(layout.ExistsTerm(s.field.Path, s.variant)), 0)
}

func (x *Indexer) value(s *fieldMapping, v *document.Value) {
	switch s.field.Type {
	case definition.String:
		x.text(s, v.Text)
	case definition.Boolean:
		if s.hasFilter {
			x.builder.Term(s.filter, bytesOf(layout.BoolTerm(v.Number != 0)), 0)
		}
		x.order(s, v.Number)
	case definition.Int32, definition.Int64, definition.Timestamp:
		x.number(s, v.Number)
	case definition.Float, definition.Double:
		x.number(s, layout.Float(v.Float))
	case definition.GeoPoint:
		x.builder.Geo(s.geo, v.Lat, v.Lon)
	case definition.Vector:
		x.builder.Vector(s.vector, v.Vector)
	}
}

func (x *Indexer) number(s *fieldMapping, n int64) {
	if s.hasFilter {
		x.builder.Number(s.filter, n)
	}
	x.order(s, n)
}

// order writes the facet and the sort column of a number.
func (x *Indexer) order(s *fieldMapping, n int64) {
	if s.hasFacet {
		x.scratch = layout.AppendNumberKey(x.scratch[:0], n)
		x.builder.Ordinal(s.facet, x.scratch)
	}
	if s.hasSort {
		x.builder.Number(s.sort, n)
	}
}

func (x *Indexer) text(s *fieldMapping, text string) {
	f := s.field
	if s.hasFilter {
		x.builder.Term(s.filter, bytesOf(layout.Cut(layout.Fold(s.variant, text, f.CaseFolding))), 0)
	}
	if s.hasFacet {
		x.builder.Ordinal(s.facet, bytesOf(layout.Cut(text)))
	}
	if s.hasHierarchy {
		x.levels(s, text)
	}
	if s.hasSort {
		if s.collator != nil {
			x.scratch = s.collator.AppendKey(x.scratch[:0], layout.Cut(text))
			x.builder.Ordinal(s.sort, x.scratch)
		} else {
			x.builder.Ordinal(s.sort, bytesOf(layout.Cut(text)))
		}
	}
	if s.matchingChain != nil {
		x.words(s, text)
	}
	if s.autocompleteChain != nil {
		tokens := s.autocompleteChain.Analyze(&x.buffer, text)
		for some := range slices.Chunk(tokens, len(x.occurrences)) {
			for i := range some {
				x.occurrences[i] = segment.Occurrence{Term: some[i].Term}
			}
			x.builder.Terms(s.autocomplete, x.occurrences[:len(some)])
		}
		x.builder.Length(s.autocomplete, uint32(analysis.CountWords(tokens)))
	}
	if s.exactChain != nil {
		if whole := s.exactChain.Normalize(&x.buffer, strings.TrimSpace(text)); len(whole) > 0 {
			x.builder.Term(s.exact, bytesOf(layout.Cut(viewOf(whole))), 0)
		}
	}
}

// words adds the words of a value after those of earlier values.
func (x *Indexer) words(s *fieldMapping, text string) {
	tokens := s.matchingChain.Analyze(&x.buffer, text)
	for some := range slices.Chunk(tokens, len(x.occurrences)) {
		for i := range some {
			x.occurrences[i] = segment.Occurrence{Term: some[i].Term, Position: s.position + uint32(some[i].Position)}
			if form := some[i].Surface(); form != nil && !bytes.Equal(form, some[i].Term) {
				x.occurrences[i].Form = form
			}
		}
		x.builder.Terms(s.matching, x.occurrences[:len(some)])
	}
	x.builder.Length(s.matching, uint32(analysis.CountWords(tokens)))
	s.position += uint32(x.buffer.Positions()) + layout.PositionGap
}

func (x *Indexer) levels(s *fieldMapping, text string) {
	for _, path := range layout.LevelPaths(text, s.field.Separator) {
		x.builder.Term(s.hierarchy, bytesOf(layout.Cut(layout.Fold(s.variant, path, s.field.CaseFolding))), 0)
		if s.field.Facet {
			x.builder.Ordinal(s.levels, bytesOf(layout.Cut(path)))
		}
	}
}

func (x *Indexer) chain(f *definition.ResolvedField, autocomplete bool, locale string) (*analysis.Chain, error) {
	chain, err := x.chains.IndexChain(f, autocomplete, locale)
	if err != nil {
		return nil, fmt.Errorf("analysis of %s in %s: %w", f.Path, locale, err)
	}
	return chain, nil
}

// bytesOf returns a string as bytes without copying; builders copy what they keep.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// viewOf returns bytes as a string without copying, valid during a call.
func viewOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
