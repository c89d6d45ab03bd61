package plan

import (
	"math"
	"slices"
	"strings"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/analysis/token"
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

// usage is the usage a target is searched on: matching when the field has it.
func (t *target) usage() *definition.ResolvedText {
	if t.field.Matching != nil {
		return t.field.Matching
	}
	return t.field.Autocomplete
}

func (t *target) isAutocomplete() bool { return t.field.Matching == nil }

// options is how a text is compiled.
type options struct {
	query.Text
	combine query.Combine
	plain   bool // neither prefix nor typos, whatever the text says
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
	targets, err := c.targets(clause, in)
	if err != nil {
		return nil, err
	}
	return c.text(targets, options{Text: clause.Text, combine: clause.Combine}, origin)
}

// targets returns the fields that a text clause searches.
func (c *Compiler) targets(clause *query.TextClause, in scope) ([]target, error) {
	targets := make([]target, 0, len(clause.Fields))
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

// user compiles a typed text by the grammar of 7.8.
func (c *Compiler) user(targets []target, o options, origin Origin) (Node, error) {
	parts := query.UserParts(beginningOf(o.Text.Text))
	matching := make([]target, 0, len(targets))
	for _, t := range targets {
		if !t.isAutocomplete() {
			matching = append(matching, t)
		}
	}
	var loose []string
	var positive, excluded []Node
	wanted := 0
	for i, part := range parts {
		last := i == len(parts)-1
		each := o
		each.Text.Text = part.Text
		switch part.Kind {
		case query.LooseWord:
			loose = append(loose, part.Text)
			wanted++
		case query.QuotedPhrase:
			wanted++
			if len(matching) == 0 {
				loose = append(loose, part.Text)
				continue
			}
			each.plain = !(last && part.Unclosed)
			n, err := c.phraseOver(matching, each, origin)
			if err != nil {
				return nil, err
			}
			positive = append(positive, n)
		default:
			each.plain = true
			each.Match = query.MatchAll
			n, err := c.excludedPart(targets, matching, each, part.Kind, origin)
			if err != nil {
				return nil, err
			}
			excluded = append(excluded, n)
		}
	}
	if len(loose) > 0 {
		n, err := c.looseWords(targets, o, parts, loose, origin)
		if err != nil {
			return nil, err
		}
		positive = append([]Node{n}, positive...)
	}
	return joinParts(positive, excluded, wanted, o.Join, origin), nil
}

func (c *Compiler) looseWords(targets []target, o options, parts []query.TextPart, loose []string, origin Origin) (Node, error) {
	words := o
	words.Text.Text = strings.Join(loose, " ")
	words.Match = query.MatchAll
	if o.Join == query.JoinAny {
		words.Match = query.MatchAny
	}
	if last := parts[len(parts)-1]; last.Kind != query.LooseWord && !(last.Kind == query.QuotedPhrase && last.Unclosed) {
		words.Prefix = query.PrefixOff
	}
	if last := parts[len(parts)-1]; last.Kind == query.QuotedPhrase && last.Unclosed {
		// The half typed word is the quotation's, not the last loose one.
		if len(loose) > 0 && loose[len(loose)-1] != last.Text {
			words.Prefix = query.PrefixOff
		}
	}
	return c.words(targets, words, origin)
}

func (c *Compiler) excludedPart(targets, matching []target, o options, kind query.PartKind, origin Origin) (Node, error) {
	if kind == query.ExcludedPhrase && len(matching) > 0 {
		return c.phraseOver(matching, o, origin)
	}
	return c.words(targets, o, origin)
}

// joinParts joins what a typed text asks for. A part that analysis dropped
// asks for nothing as long as another part asks for something.
func joinParts(positive, excluded []Node, wanted int, join query.Join, origin Origin) Node {
	kept := positive[:0]
	for _, n := range positive {
		if _, dropped := n.(*Nothing); !dropped {
			kept = append(kept, n)
		}
	}
	if len(kept) == 0 && (wanted > 0 || len(excluded) == 0) {
		return &Nothing{origin}
	}
	var clauses []Node
	switch {
	case len(kept) == 0:
	case join == query.JoinAny && len(kept) > 1:
		clauses = append(clauses, &Or{Origin: origin, Clauses: kept})
	default:
		clauses = append(clauses, kept...)
	}
	if len(excluded) > 0 {
		clauses = append(clauses, &Not{Origin: origin, Clauses: excluded})
	}
	switch {
	case len(kept) == 0:
		return one(&And{Origin: origin, Clauses: clauses}) // a text always scores
	case len(clauses) == 1:
		return clauses[0]
	}
	return &And{Origin: origin, Clauses: clauses}
}

// analysed is the words of a text in one target, and where they are looked up.
type analysed struct {
	target
	words []word
	home  lookup
}

// word is one position of an analysed text.
type word struct {
	terms    []string // readings of the word; never empty
	surfaces []string // by reading: the word as typed, in the letters typos are counted in
	position int
	synonyms []alternative
	whole    whole
}

// whole is a reading of several words that stand side by side as one, such as
// katakana that a segmenter cuts: a typo inside may move the cuts.
type whole struct {
	term, surface string
	words         int // how many words it stands for; 0: there is none
}

// chainOf returns the chain that reads typed text in a target.
func (c *Compiler) chainOf(t target, autocomplete bool) (*analysis.Chain, error) {
	chain, err := c.chains.QueryChain(t.field, autocomplete, analysisLocale(t.field, t.variant))
	if err != nil {
		return nil, problem.SearchAnalysisFailed.At(t.at, "name", t.field.Path).Because(err)
	}
	return chain, nil
}

func (c *Compiler) analyse(t target, text string, autocomplete bool) ([]word, error) {
	chain, err := c.chainOf(t, autocomplete)
	if err != nil {
		return nil, err
	}
	text = beginningOf(text)
	c.lookups++
	// A long text costs its length in every field.
	if c.planned += len(text) / bytesPerLookup; c.planned > MaxPlanned {
		return nil, problem.SearchClausesTooMany.At(t.at, "max", MaxPlanned)
	}
	tokens := chain.Analyze(c.buffer, text)
	if len(tokens) == 0 {
		return nil, nil
	}
	words, terms := make([]word, 0, min(len(tokens), MaxWords)), make([]string, 0, 2*len(tokens))
	surfaces := terms[len(tokens):len(tokens):cap(terms)]
	texts := textsOf(tokens)
	for _, token := range tokens {
		// Every reading of a word is looked up: a chain may make very many.
		if c.lookups++; c.lookups > MaxLookups {
			return nil, problem.SearchClausesTooMany.At(t.at, "max", MaxLookups)
		}
		if c.planned++; c.planned > MaxPlanned {
			return nil, problem.SearchClausesTooMany.At(t.at, "max", MaxPlanned)
		}
		n, at := len(words), len(terms)
		again := n > 0 && words[n-1].position == int(token.Position)
		if !again && n == MaxWords {
			break
		}
		terms = append(terms, texts[:len(token.Term)])
		texts = texts[len(token.Term):]
		surface := terms[len(terms)-1]
		if form := token.Surface(); form != nil {
			surface, texts = texts[:len(form)], texts[len(form):]
		}
		surfaces = append(surfaces, surface)
		if again {
			at -= len(words[n-1].terms)
			words[n-1].terms, words[n-1].surfaces = terms[at:len(terms):len(terms)], surfaces[at:len(terms):len(terms)]
			continue
		}
		words = append(words, word{
			terms: terms[at:len(terms):len(terms)], surfaces: surfaces[at:len(terms):len(terms)], position: int(token.Position),
		})
	}
	findWholes(words, tokens)
	return words, nil
}

// findWholes notes the longest reading of each word that reaches over words
// behind it.
func findWholes(words []word, tokens []analysis.Token) {
	at, reading := -1, 0
	for i := range tokens {
		t := &tokens[i]
		if reading++; i == 0 || t.Position != tokens[i-1].Position {
			at, reading = at+1, 0
		}
		if at == len(words) {
			return
		}
		covered := 1
		for j := i + 1; j < len(tokens) && tokens[j].Start < t.End; j++ {
			if tokens[j].Position != tokens[j-1].Position {
				covered++
			}
		}
		if w := &words[at]; covered > 1 && covered > w.whole.words && at+covered <= len(words) {
			w.whole = whole{w.terms[reading], w.surfaces[reading], covered}
		}
	}
	joinHalfTyped(words, tokens)
}

// joinHalfTyped notes that the last two words of a script without spaces may be
// the start of one: half a word is often cut in two.
func joinHalfTyped(words []word, tokens []analysis.Token) {
	n := len(tokens)
	if n < 2 || len(words) < 2 {
		return
	}
	a, b := &tokens[n-2], &tokens[n-1]
	if a.Kind != token.Complex || b.Kind != token.Complex || a.End != b.Start || b.Position != a.Position+1 {
		return
	}
	first, last := &words[len(words)-2], &words[len(words)-1]
	if len(first.terms) == 1 && len(last.terms) == 1 && last.position == int(b.Position) {
		first.whole = whole{first.terms[0] + last.terms[0], first.surfaces[0] + last.surfaces[0], 2}
	}
}

// bytesPerLookup is how many bytes of text are analysed in about the time of a
// look-up.
const bytesPerLookup = 256

// beginningOf returns what is read of a text.
func beginningOf(text string) string {
	if len(text) > MaxTextBytes {
		return strings.ToValidUTF8(text[:MaxTextBytes], "")
	}
	return text
}

// textsOf returns the terms of tokens, each with its surface form, one behind
// the other: what is kept of a text takes one piece of memory.
func textsOf(tokens []analysis.Token) string {
	var room [128]byte
	texts := room[:0]
	for i := range tokens {
		texts = append(texts, tokens[i].Term...)
		texts = append(texts, tokens[i].Surface()...)
	}
	return string(texts)
}

// words compiles match all and match any.
func (c *Compiler) words(targets []target, o options, origin Origin) (Node, error) {
	prefix := o.Prefix == query.PrefixLastToken && !o.plain
	var room [2]analysed
	fields := room[:0]
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

// startingWith compiles a text of one stopword that may become another word:
// "the" is the start of "theory".
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

// groups compiles the words of fields: together where they are aligned.
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

// groupByLength puts fields whose chains yield the same number of words
// together, in order of appearance.
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

// group compiles words that are aligned over fields: each word over all of
// them.
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

// wholeWord compiles the words that begin with the i-th as the one word that
// they are together, nil where nothing is forgiven.
func (c *Compiler) wholeWord(group []analysed, i int, o *options, opens bool, distinct int, origin *Origin) Node {
	n := &Word{Origin: *origin, Words: distinct}
	for j := range group {
		f := &group[j]
		w := &f.words[i].whole
		if w.words == 0 || f.isAutocomplete() {
			continue
		}
		edits := 0
		if o.Typos == query.TyposAuto && !o.plain {
			edits = c.edits(f.target, &f.home, w.term, w.surface)
		}
		n.Origin.Word = w.term
		n.add(&f.home, &word{terms: []string{w.term}})
		n.addNear(&f.home, len(n.Fields)-1, w.term, w.surface, edits, opens)
	}
	if len(n.Bands) == 0 {
		return nil
	}
	return n
}

// distinctWords counts the words of a text, a repeated one once.
func distinctWords(words []word) int {
	n := 0
	for i := range words {
		if !slices.ContainsFunc(words[:i], func(w word) bool { return w.terms[0] == words[i].terms[0] }) {
			n++
		}
	}
	return n
}

// best returns the node that takes the best of several.
func best(nodes []Node, origin *Origin) Node {
	if len(nodes) == 1 {
		return nodes[0]
	}
	return &Best{Origin: *origin, Clauses: nodes}
}

// exact compiles what a value that equals the whole text adds, nil when no
// target ranks by it.
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
