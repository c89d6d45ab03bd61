package rewrite

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/quiresearch/quire/internal/invariant"
	"github.com/quiresearch/quire/internal/search/interpret"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// typedText is the typed text of a search and its interpretations.
type typedText struct {
	clause          *query.TextClause // the first text; nil while there is none
	mixed           bool              // the search has texts that differ: none is interpreted
	parts           []query.TextPart
	interpretations []interpret.Interpretation // in the order of their words
	lists           []string                   // nested lists in which the text stands
}

// maxReadParts is the maximum number of words and phrases of a text that is
// interpreted; nobody types a longer one.
const maxReadParts = 256

// Read interprets quantities and values in the typed texts of clauses and returns
// the clauses to run. It must be called with the query first. Later clauses are
// interpreted only if their texts equal that of the query, and do not change its
// interpretation.
func (r *Request) Read(ctx context.Context, clauses []query.Clause) ([]query.Clause, error) {
	texts := typedTexts(clauses, nil)
	if len(texts) == 0 || r.typed.mixed {
		return clauses, nil
	}
	isFirst := r.typed.clause == nil
	if isFirst {
		r.typed.clause = texts[0]
	}
	for _, text := range texts {
		if !sameTyped(text, r.typed.clause) {
			r.typed.mixed = isFirst
			return clauses, nil
		}
	}
	if isFirst {
		if err := r.readTyped(ctx); err != nil {
			return nil, err
		}
	}
	typed := &r.typed
	if len(typed.interpretations) == 0 {
		return clauses, nil
	}
	var failure error
	r.rewritten = 0
	rewritten := rewriteTexts(clauses, "", func(clause *query.TextClause, list string) query.Clause {
		if failure != nil {
			return clause
		}
		typed.lists = append(typed.lists, list)
		read, err := r.rewrite(clause, list, typed.parts, interpret.At(typed.interpretations, list))
		if err != nil {
			failure = err
		}
		return read
	})
	if failure != nil {
		return nil, failure
	}
	kept := interpret.At(typed.interpretations, typed.lists...)
	if len(kept) == 0 {
		return clauses, nil
	}
	r.report(typed.clause.Text.Text, typed.parts, kept)
	return rewritten, nil
}

// readTyped interprets the typed text of the search.
func (r *Request) readTyped(ctx context.Context) error {
	typed := &r.typed
	if len(typed.clause.Text.Text) > plan.MaxTextBytes {
		return nil
	}
	typed.parts = query.UserParts(typed.clause.Text.Text)
	if len(typed.parts) > maxReadParts {
		return nil
	}
	units := r.Rewriter.units.of(r.Schema, r.Locale)
	fields, targeted := units.fields, len(typed.clause.Interpret.Targets) > 0
	if targeted {
		fields = r.targetFields(typed.clause)
	}
	numbers := interpret.NewReader(units.vocabulary, fields, targeted).Numbers(typed.parts)
	var values []interpret.Interpretation
	if dictionary := r.dictionary(); dictionary != nil {
		var err error
		if values, err = interpret.Values(ctx, typed.parts, interpret.Taken(numbers), dictionary); err != nil {
			return err
		}
	}
	typed.interpretations = slices.Concat(numbers, values)
	slices.SortFunc(typed.interpretations, func(a, b interpret.Interpretation) int { return cmp.Compare(a.First, b.First) })
	return nil
}

// rewrite returns the clause that replaces a text and its interpretations.
func (r *Request) rewrite(clause *query.TextClause, list string, parts []query.TextPart, interpretations []interpret.Interpretation) (query.Clause, error) {
	left, err := r.leftOf(clause, list, parts, interpretations)
	if err != nil {
		return nil, err
	}
	for _, interpretation := range interpretations {
		if r.rewritten += interpretation.Clauses(); r.rewritten > plan.MaxClauses {
			return nil, problem.SearchClausesTooMany.At(clause.At, "max", plan.MaxClauses)
		}
	}
	read := interpret.Rewrite(clause, parts, interpretations, list, left)
	invariant.Check(read.Path() == clause.At, "RW1: %s stands for the text at %s", read.Path(), clause.At)
	return read, nil
}

// rewriteKept is rewrite for the typed text outside of lists when only some of its
// parts are kept. The kept parts include all interpreted ones, and clause holds the
// kept text.
func (r *Request) rewriteKept(clause *query.TextClause, kept []int) (query.Clause, error) {
	r.rewritten = 0
	parts := query.UserParts(clause.Text.Text)
	invariant.Check(len(parts) == len(kept), "%d parts of %q, not %d", len(parts), clause.Text.Text, len(kept))
	position := func(part int) int {
		at := slices.Index(kept, part)
		invariant.Check(at >= 0, "RW2: part %d of %q was read and is not kept", part, r.typed.clause.Text.Text)
		return max(at, 0)
	}
	interpretations := slices.Clone(r.typed.interpretations)
	for i := range interpretations {
		interpretations[i].First, interpretations[i].Last = position(interpretations[i].First), position(interpretations[i].Last)
	}
	return r.rewrite(clause, "", parts, interpretations)
}

// leftOf reports what the fields of a text find in the words left by
// interpretations.
func (r *Request) leftOf(clause *query.TextClause, list string, parts []query.TextPart, interpretations []interpret.Interpretation) (interpret.Remainder, error) {
	var remainder interpret.Remainder
	if len(interpretations) == 0 || interpretations[0].First == 0 && interpretations[0].Last == len(parts)-1 {
		return remainder, nil // none, or one that takes the whole text
	}
	left, took := interpret.Loose(parts, interpretations)
	if left != "" {
		inLeft, err := r.Compiler.CountWords(clause, list, left)
		if err != nil {
			return remainder, err
		}
		inTook, err := r.Compiler.CountWords(clause, list, took)
		if err != nil {
			return remainder, err
		}
		remainder.Silent = slices.Min(inLeft) == 0
		remainder.Uneven = slices.Min(inLeft) != slices.Max(inLeft) || slices.Min(inTook) != slices.Max(inTook)
	}
	for i := 0; i < len(interpretations) && !remainder.Uneven; i++ {
		words, err := r.Compiler.CountWords(clause, list, strings.Join(interpretations[i].Words, " "))
		if err != nil {
			return remainder, err
		}
		remainder.Uneven = slices.Min(words) == 0
	}
	return remainder, nil
}

// typedTexts appends the texts of clauses that may be interpreted.
func typedTexts(clauses []query.Clause, texts []*query.TextClause) []*query.TextClause {
	for _, clause := range clauses {
		if text, ok := clause.(*query.TextClause); ok {
			if isRead(text) {
				texts = append(texts, text)
			}
			continue
		}
		texts = typedTexts(query.Children(clause), texts)
	}
	return texts
}

func isRead(clause *query.TextClause) bool {
	return clause.Match == query.MatchUser && !clause.Interpret.Off
}

// rewriteTexts returns the clauses with every interpretable text replaced.
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

// sameTyped reports whether two texts have the same interpretation.
func sameTyped(a, b *query.TextClause) bool {
	return a.Text.Text == b.Text.Text && slices.EqualFunc(a.Interpret.Targets, b.Interpret.Targets, func(x, y query.Target) bool {
		return x.Field == y.Field && bytes.Equal(x.WhenText, y.WhenText) && bytes.Equal(x.FallbackText, y.FallbackText)
	})
}

// report records what was interpreted and replaces an earlier record. For a chain
// of targets it names the first one interpreted; the others stand in its fallback.
func (r *Request) report(text string, parts []query.TextPart, interpretations []interpret.Interpretation) {
	r.NumbersRead, r.ValuesRead = 0, 0
	i := &query.Interpreted{Text: interpret.Text(text, parts, interpret.Taken(interpretations))}
	for _, interpretation := range interpretations {
		reported := make(map[*query.Target]bool)
		for _, a := range interpretation.Alternatives {
			if slices.ContainsFunc(a.Field.Earlier, func(f interpret.Field) bool { return reported[f.Target] }) {
				continue
			}
			reported[a.Field.Target] = true
			entry := query.InterpretedFilter{Field: a.Field.Path, Match: a.Match, Words: interpretation.Words}
			if a.Field.Target != nil {
				entry.When, entry.Fallback = a.Field.Target.WhenText, a.Field.Target.FallbackText
			}
			i.Filters = append(i.Filters, entry)
			if interpretation.IsValue {
				r.ValuesRead++
			} else {
				r.NumbersRead++
			}
		}
	}
	r.Interpreted = i
}
