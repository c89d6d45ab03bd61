package plan

import (
	"math"
	"slices"
	"strings"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// target is a field that a text is searched in.
type target struct {
	field   *definition.ResolvedField
	variant string
	weight  float64
	named   bool
	at      problem.Path // where the clause names the field
}

// usage returns the usage to search: matching if the field has it, else
// autocomplete.
func (t *target) usage() *definition.ResolvedText {
	if t.field.Matching != nil {
		return t.field.Matching
	}
	return t.field.Autocomplete
}

func (t *target) isAutocomplete() bool { return t.field.Matching == nil }

// options says how to compile a text.
type options struct {
	query.Text
	combine query.Combine
	plain   bool // neither prefix nor typos, whatever the text asks for
}

func (c *Compiler) textMatcher(f *definition.ResolvedField, m *query.TextMatcher, at problem.Path, origin Origin) (Node, error) {
	t, err := c.target(f, nil, at)
	if err != nil {
		return nil, err
	}
	t.named = true
	return c.text([]target{t}, options{Text: m.Text, combine: query.CombineTerm}, origin)
}

func (c *Compiler) textClause(clause *query.TextClause, in scope, origin Origin) (Node, error) {
	var few [4]target
	targets, err := c.targets(few[:0], clause, in)
	if err != nil {
		return nil, err
	}
	return c.text(targets, options{Text: clause.Text, combine: clause.Combine}, origin)
}

// targets appends the fields that a text clause searches.
func (c *Compiler) targets(targets []target, clause *query.TextClause, in scope) ([]target, error) {
	for _, named := range clause.Fields {
		f, err := c.resolve(named.Field, in, named.At)
		if err != nil {
			return nil, err
		}
		t, err := c.target(f, named.Weight, named.At)
		if err != nil {
			return nil, err
		}
		t.named = true
		targets = append(targets, t)
	}
	if len(clause.Fields) == 0 {
		for _, f := range c.schema.TextFields(in.list) {
			t, err := c.target(f, nil, clause.At)
			if err != nil {
				return nil, err
			}
			targets = append(targets, t)
		}
	}
	if len(targets) == 0 {
		return nil, problem.SearchNoSearchableFields.At(clause.At)
	}
	return targets, nil
}

func (c *Compiler) target(f *definition.ResolvedField, weight *float64, at problem.Path) (target, error) {
	t := target{field: f, variant: c.variant(f), at: at}
	if f.Matching == nil && f.Autocomplete == nil {
		return t, usageUnsupported(at, f, "matching")
	}
	t.weight = t.usage().Weight
	if weight != nil {
		t.weight = *weight
		if !(t.weight >= 0) || math.IsInf(t.weight, 1) {
			return t, problem.SearchClauseWeightOutOfRange.At(at)
		}
	}
	return t, nil
}

// text compiles a text over its targets.
func (c *Compiler) text(targets []target, o options, origin Origin) (Node, error) {
	switch o.Match {
	case query.MatchPhrase:
		return c.phraseOver(targets, o, origin)
	case query.MatchUser:
		return c.user(targets, o, origin)
	}
	return c.words(targets, o, origin)
}

// words compiles match all and match any.
func (c *Compiler) words(targets []target, o options, origin Origin) (Node, error) {
	prefix := o.Prefix == query.PrefixLastToken && !o.plain
	var scratch [2]analysed
	fields := scratch[:0]
	for _, t := range targets {
		words, err := c.analyse(t, o.Text.Text, t.isAutocomplete())
		if err != nil {
			return nil, err
		}
		if len(words) == 0 {
			continue
		}
		if err := c.addSynonyms(t, words); err != nil {
			return nil, err
		}
		fields = append(fields, analysed{t, words, t.lookup(t.isAutocomplete(), &origin)})
	}
	if len(fields) == 0 {
		if prefix {
			return c.startingWith(targets, &o, &origin)
		}
		return &Nothing{origin}, nil
	}
	found, err := c.groups(fields, &o, prefix, &origin)
	if err != nil {
		return nil, err
	}
	exact, err := c.exact(targets, &o, &origin)
	if err != nil || exact == nil {
		return found, err
	}
	return &And{Origin: origin, Clauses: []Node{found}, Optional: []Node{exact}}, nil
}

// startingWith compiles a text of a single stopword that may be the start of
// another word: "the" is the start of "theory".
func (c *Compiler) startingWith(targets []target, o *options, origin *Origin) (Node, error) {
	n := &Word{Origin: *origin, Words: 1}
	for _, t := range targets {
		if t.isAutocomplete() {
			continue
		}
		if _, err := c.analyse(t, o.Text.Text, false); err != nil {
			return nil, err
		}
		if word := c.buffer.Removed(); word != "" && c.buffer.Positions() == 1 {
			n.Origin.Word = word
			n.addStart(t.lookup(false, origin), word)
		}
	}
	if len(n.Fields) == 0 {
		return &Nothing{*origin}, nil
	}
	return n, nil
}

// groups compiles the words of fields, together where they are aligned.
func (c *Compiler) groups(fields []analysed, o *options, prefix bool, origin *Origin) (Node, error) {
	if len(fields) == 1 {
		return c.group(fields, o, prefix, origin)
	}
	var nodes []Node
	add := func(group []analysed) error {
		n, err := c.group(group, o, prefix, origin)
		nodes = append(nodes, n)
		return err
	}
	if o.combine == query.CombineField {
		for i := range fields {
			if err := add(fields[i : i+1]); err != nil {
				return nil, err
			}
		}
		return best(nodes, origin), nil
	}
	for _, group := range groupByLength(fields) {
		if err := add(group); err != nil {
			return nil, err
		}
	}
	return best(nodes, origin), nil
}

// groupByLength groups fields whose chains produce the same number of words, in
// order of appearance.
func groupByLength(fields []analysed) [][]analysed {
	var groups [][]analysed
next:
	for _, f := range fields {
		for i, group := range groups {
			if len(group[0].words) == len(f.words) {
				groups[i] = append(group, f)
				continue next
			}
		}
		groups = append(groups, []analysed{f})
	}
	return groups
}

// group compiles words that are aligned across fields: each word over all of them.
func (c *Compiler) group(group []analysed, o *options, prefix bool, origin *Origin) (Node, error) {
	count := len(group[0].words)
	if count == 1 {
		return c.word(group, 0, o, prefix, 1, origin)
	}
	distinct := distinctWords(group[0].words)
	perWord := make([]Node, count)
	for i := range count {
		n, err := c.word(group, i, o, prefix && i == count-1, distinct, origin)
		if err != nil {
			return n, err
		}
		perWord[i] = n
	}
	join := func(nodes []Node) Node {
		switch {
		case len(nodes) == 1:
			return nodes[0]
		case o.Match == query.MatchAny:
			return &Or{Origin: *origin, Clauses: nodes}
		}
		return &And{Origin: *origin, Clauses: nodes}
	}
	pairs := pairsOf(group, perWord, o, distinct, origin)
	nodes := perWord[:0]
	for i := 0; i < count; {
		covered := group[0].words[i].whole.words
		var n Node
		if covered > 0 {
			n = c.wholeWord(group, i, o, prefix && i+covered == count, distinct, origin)
		} else if n = c.joinedWord(group, i, o, prefix && i+2 == count, distinct, origin); n != nil {
			covered = 2
		}
		if n == nil {
			nodes, i = append(nodes, perWord[i]), i+1
			continue
		}
		parts := join(slices.Clone(perWord[i : i+covered]))
		nodes, i = append(nodes, &Best{Origin: *origin, Clauses: []Node{parts, n}}), i+covered
	}
	found := join(nodes)
	if len(pairs) == 0 {
		return found, nil
	}
	if and, ok := found.(*And); ok {
		and.Optional = pairs
		return and, nil
	}
	return &And{Origin: *origin, Clauses: []Node{found}, Optional: pairs}, nil
}

// wholeWord compiles the run of words that starts at the i-th as the single word
// that they form together. It returns nil when there is none, or when neither typos
// nor a prefix are allowed.
func (c *Compiler) wholeWord(group []analysed, i int, o *options, opens bool, distinct int, origin *Origin) Node {
	n := &Word{Origin: *origin, Words: distinct}
	for j := range group {
		f := &group[j]
		w := &f.words[i].whole
		if w.words == 0 || f.isAutocomplete() {
			continue
		}
		var t tolerance
		if o.Typos == query.TyposAuto && !o.plain {
			t = c.tolerance(f.target, &f.home, w.term, w.surface)
		}
		n.Origin.Word = w.term
		n.add(&f.home, &word{terms: []string{w.term}})
		n.addNear(&f.home, len(n.Fields)-1, w.term, w.surface, t, opens)
	}
	if len(n.Bands) == 0 {
		return nil
	}
	return n
}

// best returns a node with the best score of nodes.
func best(nodes []Node, origin *Origin) Node {
	if len(nodes) == 1 {
		return nodes[0]
	}
	return &Best{Origin: *origin, Clauses: nodes}
}

// exact compiles the boost for values that equal the whole text. It returns nil
// when no target ranks by it.
func (c *Compiler) exact(targets []target, o *options, origin *Origin) (Node, error) {
	if o.plain {
		return nil, nil
	}
	var nodes []Node
	for _, t := range targets {
		usage := t.usage()
		if !usage.Exact {
			continue
		}
		chain, err := c.chainOf(t, t.isAutocomplete())
		if err != nil {
			return nil, err
		}
		value := layout.Cut(string(chain.Normalize(c.buffer, strings.TrimSpace(beginningOf(o.Text.Text)))))
		if value == "" {
			continue
		}
		from := *origin
		from.Field, from.Usage, from.Locale, from.Word = t.field.Path, "matching_exact", t.variant, value
		nodes = append(nodes, &Term{
			Origin:    from,
			Structure: layout.Exact(t.field.Path, t.variant),
			Text:      value,
			Scoring:   &Scoring{Weight: usage.ExactBoost * t.weight, Length: definition.LengthNone, Once: true},
		})
	}
	if len(nodes) == 0 {
		return nil, nil
	}
	return best(nodes, origin), nil
}
