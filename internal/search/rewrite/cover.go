package rewrite

import (
	"context"
	"math"
	"strings"

	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/interpret"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/score"
	"github.com/quiresearch/quire/query"
)

// Few documents hold every word of a long question. Dropping one frequent word
// after another would end with a few rare words and a handful of hits. Instead the
// documents that hold most of the question match: the weight of a word is its idf,
// and the documents with the highest total weight are kept and ranked by the
// ordinary score.
//
//	what is the boiling point of water on mars
//	  boiling 7.1  point 3.2  water 4.0  mars 8.3    (idf)
//	  document A: boiling, point, water      14.3
//	  document B: water, mars                12.3
//	  document C: point                       3.2
//
// With a cover of two, A and B match and C does not.

const (
	// coveredWords is the number of words from which a text is covered rather than
	// shortened (R24).
	coveredWords = 5
	// coverDocuments is the minimum number of best-covering documents that match.
	// Documents that tie with the last of them match too.
	coverDocuments = 300
	// coverScale turns an idf into a whole number.
	coverScale = 1000
)

// Relaxation is a query that requires less.
type Relaxation struct {
	Clauses []query.Clause
	Report  *query.Relaxed

	cover *plan.Cover   // documents that hold most of the words; nil: all that clauses match
	words []relaxedWord // with cover: words that a hit may lack
}

// Narrow returns the compiled clauses of a relaxation, restricted to the documents
// that hold most of the words if the relaxation uses a cover.
func (x *Relaxation) Narrow(compiled plan.Node) plan.Node {
	if x.cover == nil {
		return compiled
	}
	return &plan.And{Clauses: []plan.Node{compiled, x.cover}}
}

// IsCovered reports whether hits may lack words of the text.
func (x *Relaxation) IsCovered() bool { return x != nil && x.words != nil }

// cover finds the documents that hold most of the words of a candidate.
func (r *Request) cover(ctx context.Context, c *candidate) (*Relaxation, error) {
	clauses, err := r.coveredClauses(c)
	if err != nil {
		return nil, err
	}
	required, err := r.Compiler.Instead(clauses)
	if err != nil {
		return nil, err
	}
	cover := &plan.Cover{Origin: plan.Origin{Clause: c.clause.Path().String(), Type: c.clause.Type()}}
	best := &plan.Or{}
	documents := uint64(r.Snapshot.Documents)
	words := make([]relaxedWord, 0, len(c.words))
	for _, w := range c.words {
		if !w.known() {
			continue
		}
		words = append(words, w)
		weight := math.Round(coverScale * score.IDF(uint64(w.count), documents))
		cover.Clauses, cover.Weights = append(cover.Clauses, w.node), append(cover.Weights, weight)
		best.Clauses = append(best.Clauses, &plan.Constant{Score: weight, Clause: &plan.Scale{Weight: 0, Clause: w.node}})
	}
	result, err := r.Collect.Run(ctx, &collect.Request{
		Query: best, Filters: append([]plan.Node{required}, r.Filters...), Limit: coverDocuments, CountTo: 1,
	})
	if err != nil || len(result.Hits) == 0 {
		return nil, err
	}
	cover.Least = float64(result.Hits[len(result.Hits)-1].Score)
	x := &Relaxation{Clauses: clauses, cover: cover, words: words}
	if err := r.reportCover(ctx, c, x, result.Hits[0].Doc); err != nil {
		return nil, err
	}
	return x, nil
}

// coveredClauses returns the clauses of the search with the loose words of the
// candidate made optional: they only score. Quoted, excluded and interpreted parts
// stay.
func (r *Request) coveredClauses(c *candidate) ([]query.Clause, error) {
	text, parts, taken := c.text.Text, c.parts, func(int) bool { return false }
	if c.isRead() {
		text, parts, taken = r.typed.clause.Text.Text, r.typed.parts, interpret.Taken(r.typed.interpretations)
	}
	var loose, fixed strings.Builder
	var kept []int
	end := -1
	for i, part := range parts {
		if part.Kind == query.LooseWord && !taken(i) {
			if loose.Len() > 0 && part.Start != end {
				loose.WriteByte(' ')
			}
			loose.WriteString(text[part.Start:part.End])
			end = part.End
			continue
		}
		if kept = append(kept, i); fixed.Len() > 0 {
			fixed.WriteByte(' ')
		}
		fixed.WriteString(text[part.Start:part.End])
	}
	any := c.text
	any.Text, any.Match, any.Join, any.Relax = loose.String(), query.MatchAny, query.JoinAll, query.RelaxOff
	if last := parts[len(parts)-1]; last.Kind != query.LooseWord || taken(len(parts)-1) {
		any.Prefix = query.PrefixOff
	}
	by := []query.Clause{withText(c.clause, any)}
	if len(kept) > 0 {
		rest := c.text
		rest.Text, rest.Relax = fixed.String(), query.RelaxOff
		clause := withText(c.clause, rest)
		if c.isRead() {
			var err error
			if clause, err = r.rewriteKept(clause.(*query.TextClause), kept); err != nil {
				return nil, err
			}
		}
		by = append(by, clause)
	}
	return replaceClause(c.search, c.whole, by), nil
}

// reportCover reports the words that the best-covering document lacks.
func (r *Request) reportCover(ctx context.Context, c *candidate, x *Relaxation, best uint32) error {
	missing, err := x.Missing(ctx, r.Collect, []uint32{best})
	if err != nil {
		return err
	}
	lacks := make(map[string]bool, len(missing[0]))
	for _, word := range missing[0] {
		lacks[word] = true
	}
	for i := range c.words {
		switch w := &c.words[i]; {
		case !lacks[w.text]:
		case w.matches:
			w.dropped = reasonCommon
		default:
			w.dropped = reasonUnmatched
		}
	}
	x.Report = r.reportRelaxed(c)
	return nil
}

// Missing returns, for each document, the words of a covered text that it lacks, in
// typed order.
func (x *Relaxation) Missing(ctx context.Context, in *collect.Search, documents []uint32) ([][]string, error) {
	lists := make([][]string, len(documents))
	for i := range lists {
		lists[i] = []string{}
	}
	for _, w := range x.words {
		matches, err := in.Matches(ctx, w.node, documents)
		if err != nil {
			return nil, err
		}
		for i := range matches {
			if !matches[i].Matched {
				lists[i] = append(lists[i], w.text)
			}
		}
	}
	return lists, nil
}
