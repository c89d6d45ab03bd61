// Package scope describes what one request runs on, for the packages that do parts
// of its work: the snapshot, the schema and the settings in force, the analysis
// chains, the locale, and the compiler and collector of the request.
//
//	faceting   counts facets and completes values in a scope
//	rewrite    interprets and relaxes the typed text in a scope
//	search     fills the scope, sorts, pages and answers
//
// A Scope belongs to one request and one goroutine. Its fields do not change
// while the request runs; the compiler and the buffer hold scratch memory of
// their own.
package scope

import (
	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
	"github.com/quiresearch/quire/settings"
)

// Scope is what one request runs on.
type Scope struct {
	Snapshot *snapshot.Snapshot
	Schema   *definition.Schema
	Settings *settings.Settings // in force; nil: none
	Chains   *analysis.Chains
	Locale   string
	Buffer   *analysis.Buffer
	Compiler *plan.Compiler
	Collect  *collect.Search
}

// CompileIn compiles clauses over documents, or over the values of a list.
func CompileIn(compiler *plan.Compiler, list string, clauses []query.Clause) (plan.Node, error) {
	if list == "" {
		return compiler.List(clauses)
	}
	return compiler.ListInside(list, clauses)
}

// NormalizingChain returns the chain that normalizes the values of a field and the
// text compared with them, in the locale of the request.
func (s *Scope) NormalizingChain(field *definition.ResolvedField) (*analysis.Chain, error) {
	chain, err := s.Chains.QueryChain(field, true, ChainLocale(field, plan.Variant(field, s.Locale)))
	if err != nil {
		return nil, AnalysisFailed(field, err)
	}
	return chain, nil
}

// ChainLocale returns the locale whose rules apply to a variant of a field.
func ChainLocale(field *definition.ResolvedField, variant string) string {
	if variant == "" {
		return field.DefaultLocale
	}
	return variant
}

// AnalysisFailed returns the problem for a field whose text this node cannot
// analyse.
func AnalysisFailed(field *definition.ResolvedField, cause error) error {
	return problem.SearchAnalysisFailed.New("name", field.Path).Because(cause)
}

// IsEverything reports whether a query matches every document.
func IsEverything(query plan.Node) bool {
	switch n := query.(type) {
	case nil, *plan.Everything:
		return true
	case *plan.And:
		return len(n.Clauses) == 0
	}
	return false
}
