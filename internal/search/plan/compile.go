package plan

import (
	"sync"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/locale"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
	"github.com/quiresearch/quire/settings"
)

// Bounds of the words of one search. Exceeding them costs the sender tolerance of
// typos, or the search, rather than the node time.
const (
	// MaxWords is the number of words of one text that are looked up; later ones are
	// ignored.
	MaxWords = 1024
	// MaxForgivenWords is the number of words of a search that tolerate typos.
	MaxForgivenWords = 128
	// MaxTextBytes is how much of one text is read; the rest is ignored.
	MaxTextBytes = 64 << 10
	// MaxLookups is the number of words a search may look up over all its texts,
	// counted once per field; a search with more is rejected.
	MaxLookups = 64 << 10
	// MaxClauses is the number of clauses a search may compile, including those
	// repeated for interpretations; a search with more is rejected.
	MaxClauses = 8 << 10
	// MaxPlanned is the number of clauses and words a search may compile over all
	// its parts, including filters and conditions.
	MaxPlanned = 4 * MaxLookups
	// MaxForgivenLength is the maximum length in code points of a word that
	// tolerates typos.
	MaxForgivenLength = 64
	// MaxAlternatives is the maximum number of synonyms of one word of a search; the
	// rest are ignored. Settings written by hand stay below it.
	MaxAlternatives = 1024
	// MaxSearchAlternatives is the maximum number of synonyms for all words of a
	// search over all its fields; later words get none.
	MaxSearchAlternatives = 8 * MaxAlternatives
)

// Chains returns the chains that analyse typed words.
type Chains interface {
	// QueryChain returns the query-time chain of the field's matching usage, or of
	// its autocomplete usage, in a locale.
	QueryChain(field *definition.ResolvedField, autocomplete bool, locale string) (*analysis.Chain, error)
}

// Dictionary is what the index knows about words.
type Dictionary interface {
	// Variants returns the terms of a structure that people type as a word because
	// they leave out diacritics and signs, in the term itself or in one of its
	// surface forms.
	Variants(structure, term, surface string) []string
	// Holders returns the number of documents that hold a term, deleted ones
	// included.
	Holders(structure, term string) uint64
	// HoldersOf returns the number of documents that hold a word as typed, and of those
	// in its band with the most.
	HoldersOf(n *Word) (typed, others uint64, err error)
}

// Options is what clauses are compiled against.
type Options struct {
	Schema   *definition.Schema
	Chains   Chains
	Settings *settings.Settings // nil: none
	Locale   string             // as the request names it; "": the default locale of each field
	// Buffer is the scratch memory of analysis, used until the compiler is done. If
	// nil, the compiler allocates its own.
	Buffer *analysis.Buffer
	// Dictionary knows the words of the index. If nil, diacritics, signs and spaces
	// count as typed.
	Dictionary Dictionary
	// Cache, if not nil, caches the analysed words of the settings for other
	// searches with the same settings.
	Cache *SettingsCache
}

// SettingsCache caches the analysed words of search settings. It serves one version
// of the settings and one schema at a time and is cleared when either changes. It
// may be used by any number of goroutines.
type SettingsCache struct {
	mu       sync.Mutex
	settings *settings.Settings
	schema   *definition.Schema
	synonyms map[synonymKey]*synonymTable
	excluded map[synonymKey]map[string]bool
}

// get returns what is cached for a chain under the settings and schema. The
// returned values are never modified.
func (m *SettingsCache) get(s *settings.Settings, schema *definition.Schema, key synonymKey) (*synonymTable, map[string]bool) {
	if m == nil {
		return nil, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.settings != s || m.schema != schema {
		return nil, nil
	}
	return m.synonyms[key], m.excluded[key]
}

// maxCached bounds the number of cached chains.
const maxCached = 1024

func (m *SettingsCache) put(s *settings.Settings, schema *definition.Schema, key synonymKey, table *synonymTable, excluded map[string]bool) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.settings != s || m.schema != schema || len(m.synonyms)+len(m.excluded) >= maxCached {
		m.settings, m.schema = s, schema
		m.synonyms, m.excluded = map[synonymKey]*synonymTable{}, map[synonymKey]map[string]bool{}
	}
	if table != nil {
		m.synonyms[key] = table
	}
	if excluded != nil {
		m.excluded[key] = excluded
	}
}

// Compiler compiles the clauses of one search. It belongs to one goroutine.
type Compiler struct {
	schema     *definition.Schema
	chains     Chains
	settings   *settings.Settings
	locale     string // supported tag, or ""
	buffer     *analysis.Buffer
	forgiven   int // words compared with typos
	spelled    int // words whose variants are looked up
	respaced   int // words that are split or joined
	lookups    int
	planned    int
	hung       int // alternatives
	cache      *SettingsCache
	dictionary Dictionary
	synonyms   map[fieldKey]*synonymTable
	excluded   map[fieldKey]map[string]bool
}

// NewCompiler returns a compiler. The error is search:locale_unsupported.
func NewCompiler(o Options) (*Compiler, error) {
	c := new(Compiler)
	if err := c.Reset(o); err != nil {
		return nil, err
	}
	return c, nil
}

// Reset prepares the compiler for another search, as NewCompiler does for a new
// one.
func (c *Compiler) Reset(o Options) error {
	if o.Locale != "" {
		if _, ok := locale.ResolveSupported(o.Locale); !ok {
			return problem.SearchLocaleUnsupported.At(problem.At("locale"), "locale", o.Locale)
		}
	}
	if o.Buffer == nil {
		o.Buffer = new(analysis.Buffer)
	}
	o.Buffer.Limit(analysis.SearchSteps)
	*c = Compiler{schema: o.Schema, chains: o.Chains, settings: o.Settings, locale: o.Locale, buffer: o.Buffer, cache: o.Cache, dictionary: o.Dictionary}
	return nil
}

// List compiles clauses joined by an implicit AND. An empty list matches
// everything.
func (c *Compiler) List(clauses []query.Clause) (Node, error) {
	c.lookups = 0
	return c.list(clauses, scope{}, Origin{})
}

// Instead is List for clauses tried in place of those of the search. It resets the
// bounds, so that the result does not depend on how many others were tried before.
func (c *Compiler) Instead(clauses []query.Clause) (Node, error) {
	c.forgiven, c.spelled, c.respaced, c.planned, c.hung = 0, 0, 0, 0, 0
	return c.List(clauses)
}

// ListInside compiles clauses over the values of a nested list.
func (c *Compiler) ListInside(list string, clauses []query.Clause) (Node, error) {
	return c.list(clauses, scope{list: list}, Origin{})
}

// Each compiles every clause separately, such as the entries of filters. A boost
// among them matches where its clauses match.
func (c *Compiler) Each(clauses []query.Clause) ([]Node, error) {
	c.lookups = 0
	return c.each(clauses, scope{})
}

// scope describes where a clause stands.
type scope struct {
	list string // path of the nested list whose values are matched, "" at the root
	push Node   // filter of an enclosing fuse, for the knn clauses below it
}

func (c *Compiler) each(clauses []query.Clause, in scope) ([]Node, error) {
	nodes := make([]Node, 0, len(clauses))
	for _, clause := range clauses {
		n, err := c.clause(clause, in)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}

func (c *Compiler) list(clauses []query.Clause, in scope, origin Origin) (Node, error) {
	if origin.Clause == "" && len(clauses) == 1 {
		if _, isBoost := clauses[0].(*query.BoostClause); !isBoost {
			return c.clause(clauses[0], in)
		}
	}
	and := &And{Origin: origin}
	for _, clause := range clauses {
		n, err := c.clause(clause, in)
		if err != nil {
			return nil, err
		}
		if _, isBoost := clause.(*query.BoostClause); isBoost {
			and.Optional = append(and.Optional, n)
		} else {
			and.Clauses = append(and.Clauses, n)
		}
	}
	return and, nil
}

func (c *Compiler) clause(clause query.Clause, in scope) (Node, error) {
	if c.planned++; c.planned > MaxPlanned {
		return nil, problem.SearchClausesTooMany.At(clause.Path(), "max", MaxPlanned)
	}
	origin := Origin{Clause: clause.Path().String(), Type: clause.Type()}
	switch clause := clause.(type) {
	case *query.FieldClause:
		return c.field(clause, in, origin)
	case *query.TextClause:
		return c.textClause(clause, in, origin)
	case *query.AndClause:
		return c.list(clause.Clauses, in, origin)
	case *query.OrClause:
		return c.or(clause, in, origin)
	case *query.NotClause:
		in.push = nil
		nodes, err := c.each(clause.Clauses, in)
		if err != nil {
			return nil, err
		}
		return &Not{Origin: origin, Clauses: nodes}, nil
	case *query.BoostClause:
		return c.boost(clause, in, origin)
	case *query.NestedClause:
		return c.nested(clause, in, origin)
	case *query.KnnClause:
		return c.knn(clause, in, origin)
	case *query.FuseClause:
		return c.fuse(clause, in, origin)
	}
	return nil, problem.NodeError.At(clause.Path())
}

func (c *Compiler) or(clause *query.OrClause, in scope, origin Origin) (Node, error) {
	nodes, err := c.each(clause.Clauses, in)
	if err != nil {
		return nil, err
	}
	if len(nodes) == 0 {
		return &Nothing{origin}, nil
	}
	if anyScores(nodes) {
		countOnes(nodes)
	}
	return &Or{Origin: origin, Clauses: nodes}, nil
}

func (c *Compiler) boost(clause *query.BoostClause, in scope, origin Origin) (Node, error) {
	inner, err := c.list(clause.Clauses, in, Origin{})
	if err != nil {
		return nil, err
	}
	if and, ok := inner.(*And); ok && and.Origin.Clause == "" {
		countOnes(and.Clauses)
	} else if !Scores(inner) {
		inner = one(inner)
	}
	return &Scale{Origin: origin, Weight: clause.Weight, Clause: inner}, nil
}

// countOnes gives every node that does not score a score of 1.
func countOnes(nodes []Node) {
	for i, n := range nodes {
		if !Scores(n) {
			nodes[i] = one(n)
		}
	}
}

func one(n Node) Node { return &Constant{Origin: *n.From(), Score: 1, Clause: n} }

// resolve returns a field that may be used in the scope.
func (c *Compiler) resolve(name string, in scope, at problem.Path) (*definition.ResolvedField, error) {
	f, ok := c.schema.Resolve(name)
	if !ok {
		return nil, problem.SearchFieldUnknown.At(at, "name", name)
	}
	if f.List != in.list {
		if in.list == "" {
			return nil, problem.SearchNestedFieldOutside.At(at, "name", name, "path", f.List)
		}
		return nil, problem.SearchNestedFieldNotInside.At(at, "name", name, "path", in.list)
	}
	return f, nil
}

// Variant returns the variant of a field that a search in a locale reads: the tag
// of the variant, or "" for a field that is not localized.
func Variant(f *definition.ResolvedField, wanted string) string {
	if !f.IsLocalized() {
		return ""
	}
	if wanted != "" {
		if tag, ok := locale.Resolve(wanted, f.Locales); ok {
			return tag
		}
	}
	return f.DefaultLocale
}

func (c *Compiler) variant(f *definition.ResolvedField) string { return Variant(f, c.locale) }

// analysisLocale returns the locale whose rules apply to a variant.
func analysisLocale(f *definition.ResolvedField, variant string) string {
	if variant == "" {
		return f.DefaultLocale
	}
	return variant
}

func usageUnsupported(at problem.Path, f *definition.ResolvedField, usage string) error {
	return problem.SearchUsageUnsupported.At(at, "name", f.Path, "usage", usage)
}
