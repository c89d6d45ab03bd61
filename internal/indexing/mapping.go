package indexing

import (
	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/locale/collation"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/segment/vectors"
)

// fieldMapping says what one variant of a field becomes in the current builder.
type fieldMapping struct {
	field   *definition.ResolvedField
	variant string
	exists  segment.TermID
	isSeen  bool // exists is set
	isIdle  bool // no usage needs the values

	hasFilter, hasFacet, hasSort, hasHierarchy bool

	filter, facet, sort, hierarchy, levels, geo, vector segment.FieldID
	matching, autocomplete, exact                       segment.FieldID

	matchingChain, autocompleteChain, exactChain *analysis.Chain

	collator *collation.Collator // nil: byte order

	document uint64 // the document that the next two fields belong to
	position uint32 // of the next word
}

// mapping returns the mapping of a variant of a field. It declares the structures
// to the builder on first use.
func (x *Indexer) mapping(f *definition.ResolvedField, variant string) (*fieldMapping, error) {
	key := mappingKey{field: f, variant: variant}
	if f.IsWildcard {
		key = mappingKey{path: f.Path, variant: variant}
	}
	if s := x.mappings[key]; s != nil {
		return s, nil
	}
	s := &fieldMapping{field: f, variant: variant}
	several := f.HoldsSeveral()
	switch f.Type {
	case definition.String:
		if err := x.mapText(s, several); err != nil {
			return nil, err
		}
	case definition.GeoPoint:
		if f.Filter || f.Sort {
			s.geo = x.builder.Field(segment.FieldOptions{
				Name: layout.Geo(f.Path, variant), Kind: segment.Geo, Multi: several, Points: f.Filter,
			})
		}
	case definition.Vector:
		s.vector = x.builder.Field(segment.FieldOptions{
			Name: layout.Vector(f.Path), Kind: segment.Vector, Vectors: vectorOptions(f),
		})
	default:
		x.mapNumber(s, several)
	}
	isGeo := f.Type == definition.GeoPoint && (f.Filter || f.Sort)
	s.isIdle = !isGeo && f.Type != definition.Vector && !s.hasFilter && !s.hasFacet && !s.hasSort && !s.hasHierarchy &&
		s.matchingChain == nil && s.autocompleteChain == nil
	x.mappings[key] = s
	return s, nil
}

func (x *Indexer) mapNumber(s *fieldMapping, several bool) {
	f := s.field
	if s.hasFilter = f.Filter; f.Filter {
		options := segment.FieldOptions{Name: layout.Filter(f.Path, s.variant), Kind: segment.Numbers, Multi: several, Points: true}
		if f.Type == definition.Boolean {
			options = segment.FieldOptions{Name: options.Name, Kind: segment.Terms}
		}
		s.filter = x.builder.Field(options)
	}
	if s.hasFacet = f.Facet; f.Facet {
		s.facet = x.builder.Field(segment.FieldOptions{Name: layout.Facet(f.Path, s.variant), Kind: segment.Ordinals, Multi: several})
	}
	// One column may serve filter and sort; it is written once.
	order := layout.Order(f, s.variant)
	if s.hasSort = f.Sort && !(f.Filter && order == layout.Filter(f.Path, s.variant)); s.hasSort {
		s.sort = x.builder.Field(segment.FieldOptions{Name: order, Kind: segment.Numbers})
	}
}

func (x *Indexer) mapText(s *fieldMapping, several bool) (err error) {
	f := s.field
	locale := s.variant
	if locale == "" {
		locale = f.DefaultLocale
	}
	terms := func(name string) segment.FieldID {
		return x.builder.Field(segment.FieldOptions{Name: name, Kind: segment.Terms})
	}
	if s.hasFilter = f.Filter; f.Filter {
		s.filter = terms(layout.Filter(f.Path, s.variant))
	}
	if s.hasHierarchy = f.Hierarchy; f.Hierarchy {
		s.hierarchy = terms(layout.Hierarchy(f.Path, s.variant))
		if f.Facet {
			s.levels = x.builder.Field(segment.FieldOptions{Name: layout.Levels(f.Path, s.variant), Kind: segment.Ordinals, Multi: true})
		}
	}
	if s.hasFacet = f.Facet && !f.Hierarchy; s.hasFacet { // a hierarchy counts levels only
		s.facet = x.builder.Field(segment.FieldOptions{Name: layout.Facet(f.Path, s.variant), Kind: segment.Ordinals, Multi: several})
	}
	order := layout.Order(f, s.variant)
	if s.hasSort = f.Sort && !(s.hasFacet && order == layout.Facet(f.Path, s.variant)); s.hasSort {
		s.sort = x.builder.Field(segment.FieldOptions{Name: order, Kind: segment.Ordinals})
		if f.Collation == definition.CollationLocale {
			s.collator = x.collator(locale)
		}
	}
	if f.Matching != nil {
		if s.matchingChain, err = x.chain(f, false, locale); err != nil {
			return err
		}
		s.matching = x.builder.Field(segment.FieldOptions{
			Name: layout.Matching(f.Path, s.variant), Kind: segment.Terms, Freqs: true, Positions: true, Lengths: true,
		})
	}
	if f.Autocomplete != nil {
		if s.autocompleteChain, err = x.chain(f, true, locale); err != nil {
			return err
		}
		s.autocomplete = x.builder.Field(segment.FieldOptions{
			Name: layout.Autocomplete(f.Path, s.variant), Kind: segment.Terms, Freqs: true, Lengths: true,
		})
	}
	switch {
	case f.Matching != nil && f.Matching.Exact:
		s.exactChain = s.matchingChain
	case f.Matching == nil && f.Autocomplete != nil && f.Autocomplete.Exact:
		s.exactChain = s.autocompleteChain
	}
	if s.exactChain != nil {
		s.exact = terms(layout.Exact(f.Path, s.variant))
	}
	return nil
}

func (x *Indexer) collator(locale string) *collation.Collator {
	c := x.collators[locale]
	if c == nil {
		c = collation.New(locale)
		x.collators[locale] = c
	}
	return c
}

// vectorOptions returns the vector index options of a field.
func vectorOptions(f *definition.ResolvedField) vectors.Options {
	o := vectors.Options{Dimensions: f.Dimensions, M: f.M, EfConstruction: f.EFConstruction}
	switch f.Similarity {
	case definition.DotProduct:
		o.Similarity = vectors.DotProduct
	case definition.Euclidean:
		o.Similarity = vectors.Euclidean
	}
	switch f.Quantization {
	case definition.QuantizationInt8:
		o.Quantization = vectors.Int8
	case definition.QuantizationInt4:
		o.Quantization = vectors.Int4
	}
	return o
}
