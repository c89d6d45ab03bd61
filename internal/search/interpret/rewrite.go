package interpret

import (
	"slices"
	"strings"

	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// wordsWeight is the weight of the words of an interpretation; its filter has
// weight 1, so that documents that match the filter rank first.
const wordsWeight = 0.01

// At keeps the alternatives that clauses inside the given nested lists can express;
// "" stands for outside of any list. It omits interpretations without alternatives.
func At(interpretations []Interpretation, lists ...string) []Interpretation {
	if slices.Contains(lists, "") {
		return interpretations
	}
	var kept []Interpretation
	for _, r := range interpretations {
		var inside []Alternative
		for _, a := range r.Alternatives {
			if slices.Contains(lists, a.Field.List) {
				inside = append(inside, a)
			}
		}
		if len(inside) > 0 {
			r.Alternatives = inside
			kept = append(kept, r)
		}
	}
	return kept
}

// Taken returns a function that reports whether part i belongs to an
// interpretation.
func Taken(interpretations []Interpretation) func(i int) bool {
	return func(i int) bool {
		for _, r := range interpretations {
			if i >= r.First && i <= r.Last {
				return true
			}
		}
		return false
	}
}

// Remainder describes how fields analyse the loose words that interpretations
// leave.
type Remainder struct {
	Silent bool // a field finds no word in them, so they require nothing
	Uneven bool // fields find different numbers of words, or one finds none in an interpretation
}

// Loose returns the loose words that interpretations leave, and those that they
// take.
func Loose(parts []query.TextPart, interpretations []Interpretation) (left, took string) {
	taken := Taken(interpretations)
	var kept, gone []string
	for i, part := range parts {
		switch {
		case part.Kind != query.LooseWord:
		case taken(i):
			gone = append(gone, part.Text)
		default:
			kept = append(kept, part.Text)
		}
	}
	return strings.Join(kept, " "), strings.Join(gone, " ")
}

// Rewrite returns the clause that replaces a text clause with interpretations, or
// the clause itself when there are none. list is the nested list in which the
// clause stands, "" outside of any.
//
// A silent remainder requires nothing. An uneven remainder may require words that a
// field ignores although the field holds every word it finds in the text: "make it
// work" where "it" is a country and a stopword. The literal text is then an
// alternative to the whole.
func Rewrite(clause *query.TextClause, parts []query.TextPart, interpretations []Interpretation, list string, left Remainder) query.Clause {
	if len(interpretations) == 0 {
		return clause
	}
	read := rewrite(clause, parts, interpretations, list, left)
	if !left.Uneven || clause.Join == query.JoinAny {
		return read
	}
	literal := *clause
	literal.Text.Interpret, literal.Text.Prefix = query.Interpret{Off: true}, query.PrefixOff
	literal.Text.Typos, literal.Text.Relax = query.TyposOff, query.RelaxOff
	return &query.OrClause{At: clause.At, Clauses: []query.Clause{
		read, &query.BoostClause{At: clause.At, Weight: wordsWeight, Clauses: []query.Clause{&literal}},
	}}
}

func rewrite(clause *query.TextClause, parts []query.TextPart, interpretations []Interpretation, list string, left Remainder) query.Clause {
	taken := Taken(interpretations)
	var wanted, excluded []string
	for i, part := range parts {
		switch {
		case taken(i) || left.Silent && part.Kind == query.LooseWord:
		case clause.Join == query.JoinAny && (part.Kind == query.ExcludedWord || part.Kind == query.ExcludedPhrase):
			excluded = append(excluded, clause.Text.Text[part.Start:part.End])
		default:
			wanted = append(wanted, clause.Text.Text[part.Start:part.End])
		}
	}
	var all []query.Clause
	rest := func(words []string) query.Clause {
		text := clause.Text
		text.Text, text.Interpret = strings.Join(words, " "), query.Interpret{Off: true}
		if taken(len(parts) - 1) {
			text.Prefix = query.PrefixOff
		}
		changed := *clause
		changed.Text = text
		return &changed
	}
	if len(wanted) > 0 {
		all = append(all, rest(wanted))
	}
	for _, r := range interpretations {
		all = append(all, r.clause(clause, list))
	}
	if clause.Join != query.JoinAny {
		return &query.AndClause{At: clause.At, Clauses: all}
	}
	any := &query.OrClause{At: clause.At, Clauses: all}
	if len(excluded) == 0 {
		return any
	}
	return &query.AndClause{At: clause.At, Clauses: []query.Clause{any, rest(excluded)}}
}

// clause returns the interpretation as a clause: a filter on one of its fields, or
// its words.
func (r Interpretation) clause(of *query.TextClause, list string) query.Clause {
	var all []query.Clause
	for _, a := range r.Alternatives {
		all = append(all, &query.BoostClause{At: of.At, Weight: 1, Clauses: []query.Clause{a.clause(of.At, list)}})
	}
	words := &query.TextClause{At: of.At, Fields: of.Fields, Combine: of.Combine, Text: query.Text{
		Text: strings.Join(r.Words, " "), Match: query.MatchAll, Join: query.JoinAll, Prefix: query.PrefixOff,
		Typos: query.TyposOff, Relax: query.RelaxOff, Interpret: query.Interpret{Off: true},
	}}
	all = append(all, &query.BoostClause{At: of.At, Weight: wordsWeight, Clauses: []query.Clause{words}})
	return &query.OrClause{At: of.At, Clauses: all}
}

// Clauses returns the number of clauses an interpretation becomes, including
// conditions. A fallback repeats the conditions of all fields before it.
func (r Interpretation) Clauses() int {
	count := 2
	for _, a := range r.Alternatives {
		count += 4 + countAll(a.Field.When)
		for i := range a.Field.Earlier {
			count += 2 + countAll(a.Field.Earlier[i].When)
		}
	}
	return count
}

// countAll counts clauses and their descendants.
func countAll(clauses []query.Clause) int {
	count := len(clauses)
	for _, c := range clauses {
		count += countAll(query.Children(c))
	}
	return count
}

func (a Alternative) clause(at problem.Path, list string) query.Clause {
	filter := a.Field.holds(at, a.Match, list)
	if !a.Field.IsFallback() {
		return filter
	}
	var earlier []query.Clause
	for _, e := range a.Field.Earlier {
		earlier = append(earlier, e.holds(at, &query.AnyMatcher{At: at}, list))
	}
	return &query.AndClause{At: at, Clauses: []query.Clause{filter, &query.NotClause{At: at, Clauses: earlier}}}
}

// holds returns the clause that requires a match on a field where its When holds.
// In a list, both must hold for the same list value.
func (f *Field) holds(at problem.Path, match query.Matcher, list string) query.Clause {
	clauses := append([]query.Clause{&query.FieldClause{At: at, Field: f.Path, Match: match}}, f.When...)
	switch {
	case f.List != list:
		return &query.NestedClause{At: at, List: f.List, Clauses: clauses, Score: query.ScoreMax}
	case len(clauses) == 1:
		return clauses[0]
	}
	return &query.AndClause{At: at, Clauses: clauses}
}
