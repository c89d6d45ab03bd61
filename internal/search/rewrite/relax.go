package rewrite

import (
	"context"
	"strings"
	"unicode"

	"github.com/quiresearch/quire/internal/invariant"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/interpret"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/query"
)

// maxRelaxedWords is the maximum number of distinct words for which words are
// dropped one by one.
const maxRelaxedWords = 32

// Reasons for dropping a word.
const (
	reasonUnmatched = "unmatched"
	reasonCommon    = "common"
)

// candidate is the one text of a search whose words may be dropped. If parts of the
// typed text were interpreted, it is the text that the interpretations left: the
// interpreted parts stay required and are never dropped.
type candidate struct {
	search []query.Clause // all clauses of the query
	clause query.Clause
	whole  query.Clause // replaces the typed text: the clause itself, or it with its interpretations
	text   query.Text
	parts  []query.TextPart
	words  []relaxedWord // distinct loose words in typed order
}

type relaxedWord struct {
	text    string
	node    plan.Node // the documents that hold it; nil: analysis finds no word in it
	count   int       // number of documents that hold it as typed
	matches bool      // a document holds it, possibly misspelled
	dropped string
}

// known reports whether analysis finds a word in w.
func (w *relaxedWord) known() bool { return w.node != nil }

// Relax looks for a query that requires fewer words and has hits. It returns nil
// when there is none.
func (r *Request) Relax(ctx context.Context, clauses []query.Clause) (*Relaxation, error) {
	relaxed, err := r.relax(ctx, clauses)
	if invariant.Enabled && err == nil && relaxed != nil {
		err = r.checkRelaxed(ctx, relaxed)
	}
	return relaxed, err
}

// checkRelaxed checks RW3.
func (r *Request) checkRelaxed(ctx context.Context, relaxed *Relaxation) error {
	compiled, err := r.Compiler.Instead(relaxed.Clauses)
	if err != nil {
		return err
	}
	result, err := r.Collect.Run(ctx, &collect.Request{Query: relaxed.Narrow(compiled), Filters: r.Filters, CountTo: 1})
	if err != nil {
		return err
	}
	invariant.Check(result.Total > 0, "RW3: no document under the filters matches what is left: %q", relaxed.Report.Text)
	return nil
}

func (r *Request) relax(ctx context.Context, clauses []query.Clause) (*Relaxation, error) {
	c := findCandidate(clauses)
	if c == nil {
		return nil, nil
	}
	if err := r.splitWords(c); err != nil || len(c.words) == 0 {
		return nil, err
	}
	if hits, err := r.HasHits(ctx, replaceClause(clauses, c.whole, nil)); err != nil || !hits {
		return nil, err // the filters alone exclude everything
	}
	if len(c.words) > plan.MaxWords || len(c.words) > maxRelaxedWords && c.text.Relax != query.RelaxWords {
		return nil, nil
	}
	if err := r.countWords(ctx, c); err != nil {
		return nil, err
	}
	if c.text.Relax == query.RelaxWords && c.knownWords() >= coveredWords {
		if covered, err := r.cover(ctx, c); err != nil || covered != nil {
			return covered, err
		}
	}
	return r.dropWords(ctx, c)
}

// dropWords drops words that no document holds and then, if the text allows, the
// most frequent words one at a time.
func (r *Request) dropWords(ctx context.Context, c *candidate) (*Relaxation, error) {
	if len(c.words) > maxRelaxedWords {
		return nil, nil
	}
	dropped := false
	for i := range c.words {
		if w := &c.words[i]; w.known() && !w.matches {
			w.dropped, dropped = reasonUnmatched, true
		}
	}
	for {
		if dropped {
			if !c.wanted() {
				return nil, nil
			}
			rest, err := r.remainder(c)
			if err != nil {
				return nil, err
			}
			clauses := replaceClause(c.search, c.whole, []query.Clause{rest, c.raise()})
			if hits, err := r.HasHits(ctx, clauses); err != nil {
				return nil, err
			} else if hits {
				return &Relaxation{Clauses: clauses, Report: r.reportRelaxed(c)}, nil
			}
		}
		if c.text.Relax != query.RelaxWords || !c.dropCommon() {
			return nil, nil
		}
		dropped = true
	}
}

// findCandidate returns the only text that may be relaxed. It returns nil when
// there are none or several, or when the text stands below anything but and.
func findCandidate(clauses []query.Clause) *candidate {
	var found candidate
	candidates := 0
	var walk func(clauses []query.Clause, in query.Clause, direct bool)
	walk = func(clauses []query.Clause, in query.Clause, direct bool) {
		for _, clause := range clauses {
			whole := clause
			if in != nil && in.Path() == clause.Path() {
				whole = in // a rewritten text stands where the original stood
			}
			if text := textOf(clause); text != nil {
				if relaxable(text) {
					candidates++
					if direct {
						found = candidate{clause: clause, whole: whole, text: *text}
					}
				}
				continue
			}
			_, isAnd := clause.(*query.AndClause)
			walk(query.Children(clause), whole, direct && (isAnd || isRewritten(clause)))
		}
	}
	walk(clauses, nil, true)
	c := &found
	c.search = clauses
	if candidates != 1 || c.clause == nil || len(c.text.Text) > plan.MaxTextBytes {
		return nil
	}
	if c.text.Match == query.MatchUser {
		c.parts = query.UserParts(c.text.Text)
	} else {
		c.parts = query.Words(c.text.Text)
	}
	return c
}

// splitWords finds the distinct words of a candidate. A loose word counts as one,
// or as many as analysis finds side by side in it: a text without spaces has the
// words that its segmenter finds.
func (r *Request) splitWords(c *candidate) error {
	parts := make([]query.TextPart, 0, len(c.parts))
	for _, part := range c.parts {
		if part.Kind != query.LooseWord {
			parts = append(parts, part)
			continue
		}
		spans, err := r.Compiler.Spans(c.clause, part.Text)
		if err != nil {
			return err
		}
		if !isSideBySide(part.Text, spans) {
			parts = append(parts, part)
			continue
		}
		parts = appendPieces(parts, part, spans)
	}
	if !c.isRead() {
		c.parts = parts
	}
	seen := make(map[string]bool)
	for _, part := range c.parts {
		if part.Kind == query.LooseWord && !seen[part.Text] {
			seen[part.Text] = true
			c.words = append(c.words, relaxedWord{text: part.Text})
		}
	}
	return nil
}

// isSideBySide reports whether a text holds several words with nothing but letters,
// which belong to stopwords, between them.
func isSideBySide(text string, spans [][2]int) bool {
	for i := 1; i < len(spans); i++ {
		from, to := spans[i-1][1], spans[i][0]
		if from > to || strings.ContainsFunc(text[from:to], func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
			return false
		}
	}
	return len(spans) > 1
}

// appendPieces appends the words of a part, and the text before, between and after
// them, as separate parts.
func appendPieces(parts []query.TextPart, part query.TextPart, spans [][2]int) []query.TextPart {
	piece := func(from, to int) {
		if from < to {
			parts = append(parts, query.TextPart{
				Kind: query.LooseWord, Text: part.Text[from:to], Start: part.Start + from, End: part.Start + to,
			})
		}
	}
	end := 0
	for _, span := range spans {
		piece(end, span[0])
		piece(span[0], span[1])
		end = span[1]
	}
	piece(end, len(part.Text))
	return parts
}

// knownWords returns the number of words that analysis finds in the text.
func (c *candidate) knownWords() int {
	n := 0
	for i := range c.words {
		if c.words[i].known() {
			n++
		}
	}
	return n
}

// isRewritten reports whether a clause replaces an interpreted text: its
// alternatives have the same path.
func isRewritten(clause query.Clause) bool {
	or, ok := clause.(*query.OrClause)
	return ok && len(or.Clauses) > 0 && or.Clauses[0].Path() == or.At
}

// textOf returns the text of a text clause or matcher, or nil.
func textOf(clause query.Clause) *query.Text {
	switch clause := clause.(type) {
	case *query.TextClause:
		return &clause.Text
	case *query.FieldClause:
		if m, ok := clause.Match.(*query.TextMatcher); ok {
			return &m.Text
		}
	}
	return nil
}

func relaxable(t *query.Text) bool {
	return t.Relax != query.RelaxOff &&
		(t.Match == query.MatchAll || t.Match == query.MatchUser && t.Join == query.JoinAll)
}

// withText returns a copy of the clause with another text.
func withText(clause query.Clause, text query.Text) query.Clause {
	switch clause := clause.(type) {
	case *query.TextClause:
		changed := *clause
		changed.Text = text
		return &changed
	case *query.FieldClause:
		changed := *clause
		changed.Match = &query.TextMatcher{At: clause.Match.Path(), Text: text}
		return &changed
	}
	return clause
}

// replaceClause returns the clauses with one of them, at the top or below and,
// replaced by others.
func replaceClause(clauses []query.Clause, old query.Clause, by []query.Clause) []query.Clause {
	var changed []query.Clause
	for _, clause := range clauses {
		if clause == old {
			changed = append(changed, by...)
			continue
		}
		if and, ok := clause.(*query.AndClause); ok {
			clause = &query.AndClause{At: and.At, Clauses: replaceClause(and.Clauses, old, by)}
		}
		changed = append(changed, clause)
	}
	return changed
}

// countWords determines for each word, without filters, whether any document holds
// it under the typo tolerance of the text, and how many documents hold it as typed.
func (r *Request) countWords(ctx context.Context, c *candidate) error {
	last := c.parts[len(c.parts)-1]
	for i := range c.words {
		w := &c.words[i]
		text := c.text
		text.Text, text.Match = w.text, query.MatchAll
		if last.Kind != query.LooseWord || last.Text != w.text {
			text.Prefix = query.PrefixOff
		}
		forgiven, err := r.Compiler.Instead([]query.Clause{withText(c.clause, text)})
		if err != nil {
			return err
		}
		if _, nothing := forgiven.(*plan.Nothing); nothing {
			continue
		}
		w.node = forgiven
		text.Prefix, text.Typos = query.PrefixOff, query.TyposOff
		exact, err := r.Compiler.Instead([]query.Clause{withText(c.clause, text)})
		if err != nil {
			return err
		}
		if w.count, err = r.count(ctx, exact, collect.Everything); err != nil {
			return err
		}
		if w.matches = w.count > 0; w.matches {
			if _, nothing := exact.(*plan.Nothing); !nothing {
				w.node = exact
			}
			continue
		}
		found, err := r.count(ctx, forgiven, 1)
		if err != nil {
			return err
		}
		w.matches = found > 0
	}
	return nil
}

// count counts the documents that a plan matches, without filters.
func (r *Request) count(ctx context.Context, node plan.Node, to int) (int, error) {
	result, err := r.Collect.Run(ctx, &collect.Request{Query: node, CountTo: to})
	if err != nil {
		return 0, err
	}
	return result.Total, nil
}

// isRead reports whether parts of the typed text were interpreted.
func (c *candidate) isRead() bool { return c.whole != c.clause }

// wanted reports whether any remaining part is required to match.
func (c *candidate) wanted() bool {
	if c.isRead() {
		return true
	}
	for _, part := range c.parts {
		if part.Kind == query.QuotedPhrase {
			return true
		}
	}
	for _, w := range c.words {
		if w.dropped == "" && w.known() {
			return true
		}
	}
	return false
}

// dropCommon drops the most frequent remaining word, the one typed first on a tie.
// It returns false when none remains.
func (c *candidate) dropCommon() bool {
	best := -1
	for i, w := range c.words {
		if w.dropped == "" && w.known() && (best < 0 || w.count > c.words[best].count) {
			best = i
		}
	}
	if best < 0 {
		return false
	}
	c.words[best].dropped = reasonCommon
	return true
}

func (c *candidate) isDropped(part query.TextPart) bool {
	if part.Kind != query.LooseWord {
		return false
	}
	for _, w := range c.words {
		if w.text == part.Text {
			return w.dropped != ""
		}
	}
	return false
}

// remaining returns the typed text without the dropped words, and the indexes of
// the parts kept. Interpreted parts stay.
func (r *Request) remaining(c *candidate) (string, []int) {
	text, parts, taken := c.text.Text, c.parts, func(int) bool { return false }
	if c.isRead() {
		text, parts, taken = r.typed.clause.Text.Text, r.typed.parts, interpret.Taken(r.typed.interpretations)
	}
	var left strings.Builder
	var kept []int
	end := -1
	for i, part := range parts {
		if !taken(i) && c.isDropped(part) {
			continue
		}
		if left.Len() > 0 && part.Start != end {
			left.WriteByte(' ')
		}
		left.WriteString(text[part.Start:part.End])
		kept, end = append(kept, i), part.End
	}
	return left.String(), kept
}

// remainder returns the clause that requires the remaining text, including its
// interpretations.
func (r *Request) remainder(c *candidate) (query.Clause, error) {
	text, kept := r.remaining(c)
	rest := c.text
	rest.Text, rest.Relax = text, query.RelaxOff
	if last := c.parts[len(c.parts)-1]; c.isDropped(last) {
		rest.Prefix = query.PrefixOff
	}
	clause := withText(c.clause, rest)
	if !c.isRead() {
		return clause, nil
	}
	return r.rewriteKept(clause.(*query.TextClause), kept)
}

// raise returns a boost by the dropped words, which no longer have to match.
func (c *candidate) raise() query.Clause {
	raise := c.text
	raise.Text, raise.Match, raise.Join = strings.Join(c.droppedWords(), " "), query.MatchAny, query.JoinAll
	raise.Prefix, raise.Relax, raise.Slop = query.PrefixOff, query.RelaxOff, 0
	return &query.BoostClause{At: c.clause.Path(), Weight: 1, Clauses: []query.Clause{withText(c.clause, raise)}}
}

func (c *candidate) droppedWords() []string {
	var words []string
	for _, w := range c.words {
		if w.dropped != "" {
			words = append(words, w.text)
		}
	}
	return words
}

// reportRelaxed reports the dropped words and the remaining text.
func (r *Request) reportRelaxed(c *candidate) *query.Relaxed {
	report := new(query.Relaxed)
	report.Text, _ = r.remaining(c)
	for _, w := range c.words {
		if w.dropped != "" {
			report.Dropped = append(report.Dropped, query.DroppedWord{Word: w.text, Reason: w.dropped})
		}
	}
	return report
}

// HasHits reports whether a query has a hit under the filters of the request.
func (r *Request) HasHits(ctx context.Context, clauses []query.Clause) (bool, error) {
	node, err := r.Compiler.Instead(clauses)
	if err != nil {
		return false, err
	}
	request := &collect.Request{Query: node, Filters: r.Filters, CountTo: 1}
	if r.Values != nil {
		request.Values = &collect.Values{Path: r.Values.Path, Required: plan.RequiredNested(r.Values.Path, append([]plan.Node{node}, r.Filters...)...), When: r.Values.When}
	}
	result, err := r.Collect.Run(ctx, request)
	if err != nil {
		return false, err
	}
	return result.Total > 0, nil
}
