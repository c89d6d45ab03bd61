package definition

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// Schema is a definition compiled for reading, indexing and searching: fields by
// concrete path, with defaults filled in. It may be used by any number of
// goroutines.
type Schema struct {
	definition *Definition
	root       *ResolvedField
	primaryKey *ResolvedField
	declared   []*ResolvedField
	signals    []*ResolvedField
	chains     map[*Analyzer]*Chain // resolved
	localized  bool
}

// ResolvedField is a field at a concrete path with every default filled in. The
// root of a Schema is one too, with type Object and an empty path. It is shared and
// must not be modified.
type ResolvedField struct {
	Path       string // concrete and dotted, such as "variants.sku"
	Name       string // the last component of Path
	Declared   string // as declared, such as "attributes.*"
	IsWildcard bool   // the name or an enclosing name is a pattern
	Type       Type
	Parent     *ResolvedField // the enclosing object, the root at the top; nil for the root

	PrimaryKey bool
	Required   bool
	Multiple   bool
	Stored     bool

	// List is the path of the enclosing nested list, "" outside of one.
	List string
	// BelowFlattened is true inside a flattened list, where a document or list value
	// holds several values of this field.
	BelowFlattened bool

	// Locales are the variants, default first; nil when the field is not localized.
	Locales       []string
	DefaultLocale string // DefaultLocale of the package when not localized
	// FallbackOrder lists the variants from which a missing variant is filled, in
	// order; nil when it is not filled.
	FallbackOrder []string

	Filter      bool
	Facet       bool
	Sort        bool // declared, or implied by Signal
	Collation   Collation
	Missing     Missing
	Signal      bool
	CaseFolding bool

	Matching     *ResolvedText // nil when off
	Autocomplete *ResolvedText // nil when off
	Hierarchy    bool
	Separator    string

	Min, Max *Bound
	Unit     string // "" when none

	Dimensions     int
	Similarity     Similarity
	Quantization   Quantization
	M              int
	EFConstruction int

	Mode     Mode           // of object lists
	Key      *ResolvedField // the child that identifies a list value; nil if none
	children *children      // of objects
	schema   *Schema
}

// ResolvedText is a text usage with every default filled in.
type ResolvedText struct {
	// Chain is the analysis chain with named resources replaced by their content;
	// nil when the engine builds the chain from usage and locale.
	Chain *Chain
	// Decompound is the option for an engine-built chain: "" for the locale's own
	// default, "none", or a locale tag.
	Decompound string
	Weight     float64
	Highlight  bool
	Typos      *Typos // nil when typos are not tolerated
	Exact      bool
	ExactBoost float64
	Length     LengthNormalization
}

// Typos sets how many typos a word may have. MinLengthTwo is 0 when two are never
// tolerated.
type Typos struct {
	MinLengthOne int
	MinLengthTwo int
	PrefixLength int
	Numbers      bool
}

// maxConcreteNames bounds the number of concrete names of patterns cached per
// object; others are resolved every time.
const maxConcreteNames = 4096

type children struct {
	exact    map[string]*ResolvedField
	sorted   []*ResolvedField // exact, by name
	required []*ResolvedField
	patterns []pattern

	mu       sync.RWMutex
	concrete map[string]*ResolvedField
}

type pattern struct {
	name  string
	field *Field
}

// NewSchema compiles a definition that Parse returned.
func NewSchema(d *Definition) *Schema {
	s := newSchema(d)
	s.root = &ResolvedField{Type: Object, schema: s}
	s.root.children = s.compileChildren(d.Fields, s.root)
	s.collect(s.root)
	s.localized = hasLocales(d.Fields)
	return s
}

func hasLocales(fields map[string]*Field) bool {
	for _, f := range fields {
		if f.Locales != nil || hasLocales(f.Fields) {
			return true
		}
	}
	return false
}

// newSchema returns a schema that can compile fields but has none yet.
func newSchema(d *Definition) *Schema {
	s := &Schema{definition: d, chains: make(map[*Analyzer]*Chain)}
	s.resolveAnalyzers(d.Fields)
	return s
}

func (s *Schema) collect(object *ResolvedField) {
	for _, f := range object.children.sorted {
		s.declared = append(s.declared, f)
		if f.PrimaryKey {
			s.primaryKey = f
		}
		if f.Signal {
			s.signals = append(s.signals, f)
		}
		if f.Type == Object {
			s.collect(f)
		}
	}
}

// Definition returns the definition from which the schema was compiled.
func (s *Schema) Definition() *Definition { return s.definition }

// KeepsSource reports whether whole documents are stored.
func (s *Schema) KeepsSource() bool { return s.definition.Source != SourceNone }

// Root returns the object that holds the top-level fields.
func (s *Schema) Root() *ResolvedField { return s.root }

// PrimaryKey returns the key field, or nil when the definition declares none.
func (s *Schema) PrimaryKey() *ResolvedField { return s.primaryKey }

// Signals returns the signal fields in order of name.
func (s *Schema) Signals() []*ResolvedField { return s.signals }

// IsLocalized reports whether any field has locales, at any depth and including
// patterns.
func (s *Schema) IsLocalized() bool { return s.localized }

// Fields returns every declared field without wildcards, parents before their
// children, each level in order of name.
func (s *Schema) Fields() []*ResolvedField { return s.declared }

// Paths returns the paths of the declared fields, in the order of Fields.
func (s *Schema) Paths() []string {
	paths := make([]string, len(s.declared))
	for i, f := range s.declared {
		paths[i] = f.Path
	}
	return paths
}

// TextFields returns the string fields with the matching usage in a nested list, or
// outside of lists for "". It omits wildcard fields.
func (s *Schema) TextFields(list string) []*ResolvedField {
	var found []*ResolvedField
	for _, f := range s.declared {
		if f.Matching != nil && f.List == list {
			found = append(found, f)
		}
	}
	return found
}

// Resolve returns the field at a concrete dotted path, and false when there is
// none.
func (s *Schema) Resolve(path string) (*ResolvedField, bool) {
	f := s.root
	for rest := path; ; {
		name, after, more := strings.Cut(rest, ".")
		child := f.Child(name)
		if child == nil {
			return nil, false
		}
		if !more {
			return child, true
		}
		f, rest = child, after
	}
}

// Child returns the field with a concrete name inside an object. It returns nil
// when no name or pattern declares it or f is not an object.
func (f *ResolvedField) Child(name string) *ResolvedField {
	c := f.children
	if c == nil {
		return nil
	}
	if child := c.exact[name]; child != nil {
		return child
	}
	if len(c.patterns) == 0 {
		return nil
	}
	c.mu.RLock()
	child := c.concrete[name]
	c.mu.RUnlock()
	if child != nil {
		return child
	}
	return f.resolvePattern(strings.Clone(name))
}

// ChildOf is Child for a name given as bytes, which it does not retain.
func (f *ResolvedField) ChildOf(name []byte) *ResolvedField {
	c := f.children
	if c == nil {
		return nil
	}
	if child := c.exact[string(name)]; child != nil {
		return child
	}
	if len(c.patterns) == 0 {
		return nil
	}
	c.mu.RLock()
	child := c.concrete[string(name)]
	c.mu.RUnlock()
	if child != nil {
		return child
	}
	return f.resolvePattern(string(name))
}

// ChildNames returns the names declared inside an object, without patterns.
func (f *ResolvedField) ChildNames() []string {
	if f.children == nil {
		return nil
	}
	names := make([]string, len(f.children.sorted))
	for i, child := range f.children.sorted {
		names[i] = child.Name
	}
	return names
}

// RequiredChildren returns the fields that every value of an object must have.
func (f *ResolvedField) RequiredChildren() []*ResolvedField {
	if f.children == nil {
		return nil
	}
	return f.children.required
}

// IsLocalized reports whether the field has variants.
func (f *ResolvedField) IsLocalized() bool { return f.Locales != nil }

// IsNestedList reports whether each value is indexed as its own document.
func (f *ResolvedField) IsNestedList() bool { return f.Mode == Nested }

// HoldsSeveral reports whether a document, or a value of the nested list the field
// is in, may hold more than one value of the field.
func (f *ResolvedField) HoldsSeveral() bool { return f.Multiple || f.BelowFlattened }

func (f *ResolvedField) resolvePattern(name string) *ResolvedField {
	if !isConcrete(name) {
		return nil
	}
	c := f.children
	for _, p := range c.patterns {
		if !matchesPattern(p.name, name) {
			continue
		}
		child := f.schema.compileField(p.field, name, p.name, f)
		c.mu.Lock()
		defer c.mu.Unlock()
		if known := c.concrete[name]; known != nil {
			return known
		}
		if len(c.concrete) < maxConcreteNames {
			if c.concrete == nil {
				c.concrete = make(map[string]*ResolvedField)
			}
			c.concrete[name] = child
		}
		return child
	}
	return nil
}

// isConcrete reports whether a name of a document may match a pattern. It may have
// no dots, which separate names, no control characters, and no *, since fields are
// never addressed by pattern.
func isConcrete(name string) bool {
	for i := 0; i < len(name); i++ {
		if name[i] == '.' || name[i] == '*' || name[i] < ' ' {
			return false
		}
	}
	return name != ""
}

// comparePatterns orders patterns as they are tried: longest literal prefix first,
// then shortest pattern, then byte order.
func comparePatterns(a, b pattern) int {
	return cmp.Or(
		cmp.Compare(strings.IndexByte(b.name, '*'), strings.IndexByte(a.name, '*')),
		cmp.Compare(len(a.name), len(b.name)),
		strings.Compare(a.name, b.name),
	)
}

func sortPatterns(patterns []pattern) {
	slices.SortFunc(patterns, comparePatterns)
}

// matchesPattern reports whether name matches a pattern in which each * stands for
// one or more bytes. It backtracks to the last * only, which is enough because a
// later * can take whatever an earlier one left.
func matchesPattern(pattern, name string) bool {
	p, n := 0, 0
	star, taken := -1, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, taken = p, n+1 // at least one byte
			p, n = p+1, n+1
		case p < len(pattern) && pattern[p] == name[n]:
			p, n = p+1, n+1
		case star >= 0 && taken < len(name):
			taken++
			p, n = star+1, taken
		default:
			return false
		}
	}
	return p == len(pattern)
}

// isPattern reports whether a declared name is a pattern.
func isPattern(name string) bool { return strings.IndexByte(name, '*') >= 0 }
