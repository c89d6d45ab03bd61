package search

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/interpret"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// typed is a text clause that may be read, and the nested list it stands in.
type typed struct {
	clause *query.TextClause
	list   string
}

// maxReadParts is how many words and phrases a text may have to be read; a
// longer one was not typed.
const maxReadParts = 256

// read reads quantities and values out of the typed texts of a query and
// returns the clauses that run.
func (s *session) read(ctx context.Context, clauses []query.Clause) ([]query.Clause, error) {
	for _, t := range typedTexts(clauses, "", hasTargets, nil) {
		if _, err := s.targetFields(t); err != nil {
			return nil, err
		}
	}
	texts := typedTexts(clauses, "", isRead, nil)
	if len(texts) == 0 {
		return clauses, nil
	}
	var fields []interpret.Field
	for _, t := range texts {
		var err error
		if fields, err = s.targetFields(t); err != nil {
			return nil, err
		}
	}
	first := texts[0].clause
	for _, t := range texts[1:] {
		if t.clause.Text.Text != first.Text.Text || !sameTargets(t.clause.Interpret.Targets, first.Interpret.Targets) {
			return clauses, nil
		}
	}
	parts := query.UserParts(first.Text.Text)
	if len(parts) > maxReadParts {
		return clauses, nil
	}
	units := s.searcher.memories.units.of(s.view.Schema, s.locale)
	targeted := len(first.Interpret.Targets) > 0
	if !targeted {
		fields = units.fields
	}
	numbers := interpret.NewReader(units.vocabulary, fields, targeted).Numbers(parts)
	var values []interpret.Reading
	if dictionary := s.dictionary(ctx); dictionary != nil {
		var err error
		if values, err = interpret.Values(parts, interpret.Taken(numbers), dictionary); err != nil {
			return nil, err
		}
	}
	if len(numbers)+len(values) == 0 {
		return clauses, nil
	}
	readings := slices.Concat(numbers, values)
	slices.SortFunc(readings, func(a, b interpret.Reading) int { return cmp.Compare(a.First, b.First) })
	var lists []string // of the texts that are read
	var failure error
	rewritten := rewriteTexts(clauses, "", func(clause *query.TextClause, list string) query.Clause {
		here := interpret.At(readings, list)
		lists = append(lists, list)
		left, err := s.leftOf(clause, list, parts, here)
		if err != nil {
			failure = err
		}
		return interpret.Rewrite(clause, parts, here, list, left)
	})
	if failure != nil {
		return nil, failure
	}
	kept := interpret.At(readings, lists...)
	if len(kept) == 0 {
		return clauses, nil
	}
	s.report(first.Text.Text, parts, kept)
	return rewritten, nil
}

// leftOf tells what the fields of a text find in the words that readings leave.
func (s *session) leftOf(clause *query.TextClause, list string, parts []query.TextPart, readings []interpret.Reading) (interpret.Rest, error) {
	left, took := interpret.Loose(parts, readings)
	if left == "" || len(readings) == 0 {
		return interpret.Rest{}, nil
	}
	inLeft, err := s.compiler.CountWords(clause, list, left)
	if err != nil {
		return interpret.Rest{}, err
	}
	inTook, err := s.compiler.CountWords(clause, list, took)
	if err != nil {
		return interpret.Rest{}, err
	}
	return interpret.Rest{
		Silent: slices.Min(inLeft) == 0,
		Uneven: slices.Min(inLeft) != slices.Max(inLeft) || slices.Min(inTook) != slices.Max(inTook),
	}, nil
}

// typedTexts appends the texts of clauses that are wanted.
func typedTexts(clauses []query.Clause, list string, wanted func(*query.TextClause) bool, texts []typed) []typed {
	for _, clause := range clauses {
		switch clause := clause.(type) {
		case *query.TextClause:
			if wanted(clause) {
				texts = append(texts, typed{clause, list})
			}
		case *query.NestedClause:
			texts = typedTexts(clause.Clauses, clause.List, wanted, texts)
		default:
			texts = typedTexts(query.Children(clause), list, wanted, texts)
		}
	}
	return texts
}

// hasTargets reports whether a text names what it is read on; targets are
// checked whether or not the text is read.
func hasTargets(clause *query.TextClause) bool { return len(clause.Interpret.Targets) > 0 }

func isRead(clause *query.TextClause) bool {
	return clause.Match == query.MatchUser && !clause.Interpret.Off
}

// rewriteTexts returns the clauses with every text that is read replaced.
func rewriteTexts(clauses []query.Clause, list string, replace func(*query.TextClause, string) query.Clause) []query.Clause {
	changed := make([]query.Clause, len(clauses))
	for i, clause := range clauses {
		inner := func(list string) []query.Clause { return rewriteTexts(query.Children(clause), list, replace) }
		switch c := clause.(type) {
		case *query.TextClause:
			if isRead(c) {
				clause = replace(c, list)
			}
		case *query.NestedClause:
			clause = &query.NestedClause{At: c.At, List: c.List, Clauses: inner(c.List), Score: c.Score}
		case *query.AndClause:
			clause = &query.AndClause{At: c.At, Clauses: inner(list)}
		case *query.OrClause:
			clause = &query.OrClause{At: c.At, Clauses: inner(list)}
		case *query.NotClause:
			clause = &query.NotClause{At: c.At, Clauses: inner(list)}
		case *query.BoostClause:
			clause = &query.BoostClause{At: c.At, Weight: c.Weight, Clauses: inner(list)}
		case *query.FuseClause:
			fuse := *c
			fuse.Rankings = slices.Clone(c.Rankings)
			for j := range fuse.Rankings {
				fuse.Rankings[j].Clauses = rewriteTexts(fuse.Rankings[j].Clauses, list, replace)
			}
			clause = &fuse
		}
		changed[i] = clause
	}
	return changed
}

func sameTargets(a, b []query.Target) bool {
	return slices.EqualFunc(a, b, func(x, y query.Target) bool {
		return x.Field == y.Field && bytes.Equal(x.WhenText, y.WhenText) && bytes.Equal(x.FallbackText, y.FallbackText)
	})
}

// targetFields checks the targets of a text and returns their chains, a
// fallback's own fallbacks before its next sibling.
func (s *session) targetFields(t typed) ([]interpret.Field, error) {
	var all []interpret.Field
	for i := range t.clause.Interpret.Targets {
		top := &t.clause.Interpret.Targets[i]
		var chain []interpret.Field
		var walk func(target *query.Target) error
		walk = func(target *query.Target) error {
			field, err := s.targetField(target, t.list)
			if err != nil {
				return err
			}
			if len(chain) > 0 && field.Unit != chain[0].Unit {
				return problem.SearchInterpretFallbackUnitMismatch.At(target.At.Field("field"),
					"name", field.Path, "unit", field.Unit, "field", chain[0].Path, "expected", chain[0].Unit)
			}
			chain = append(chain, interpret.Field{
				ResolvedField: field, When: target.When, Earlier: slices.Clone(chain), Target: top,
			})
			for j := range target.Fallback {
				if err := walk(&target.Fallback[j]); err != nil {
					return err
				}
			}
			return nil
		}
		if err := walk(top); err != nil {
			return nil, err
		}
		all = append(all, chain...)
	}
	return all, nil
}

func (s *session) targetField(target *query.Target, list string) (*definition.ResolvedField, error) {
	at := target.At.Field("field")
	field, ok := s.view.Schema.Resolve(target.Field)
	switch {
	case !ok:
		return nil, problem.SearchFieldUnknown.At(at, "name", target.Field)
	case !field.Type.IsNumber() || field.Unit == "":
		return nil, problem.SearchInterpretUnitRequired.At(at, "name", target.Field)
	case list != "" && field.List != list:
		return nil, problem.SearchNestedFieldNotInside.At(at, "name", target.Field, "path", list)
	case !field.Filter:
		return nil, problem.SearchUsageUnsupported.At(at, "name", target.Field, "usage", "filter")
	}
	if len(target.When) > 0 {
		if _, err := s.compileIn(field.List, target.When); err != nil {
			return nil, err
		}
	}
	return field, nil
}

// report notes what was read.
func (s *session) report(text string, parts []query.TextPart, readings []interpret.Reading) {
	i := &query.Interpreted{Text: interpret.Text(text, parts, interpret.Taken(readings))}
	for _, reading := range readings {
		for _, a := range reading.Alternatives {
			if a.Field.IsFallback() {
				continue
			}
			entry := query.Reading{Field: a.Field.Path, Match: a.Match, Words: reading.Words}
			if a.Field.Target != nil {
				entry.When, entry.Fallback = a.Field.Target.WhenText, a.Field.Target.FallbackText
			}
			i.Filters = append(i.Filters, entry)
			if reading.IsValue {
				s.valuesRead++
			} else {
				s.numbersRead++
			}
		}
	}
	s.interpreted = i
}
