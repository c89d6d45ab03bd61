package plan

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/query"
)

// lookup says where a word is looked up and how it scores there.
type lookup struct {
	structure string
	usage     *definition.ResolvedText
	weight    float64
	origin    Origin
}

func (t *target) lookup(autocomplete bool, origin *Origin) lookup {
	p := lookup{weight: t.weight, origin: *origin}
	p.origin.Field, p.origin.Locale = t.field.Path, t.variant
	if autocomplete {
		p.origin.Usage = "autocomplete"
		p.structure, p.usage = layout.Autocomplete(t.field.Path, t.variant), t.field.Autocomplete
		return p
	}
	p.origin.Usage = "matching"
	p.structure, p.usage = layout.Matching(t.field.Path, t.variant), t.field.Matching
	return p
}

// scoring returns how a word or phrase of a text with that many distinct words
// scores in this field alone.
func (p *lookup) scoring(factor float64, distinct int) Scoring {
	return Scoring{Weight: p.weight * factor, Length: p.usage.Length, Words: distinct}
}

// word compiles the i-th word of a group of fields, with its synonyms.
func (c *Compiler) word(group []analysed, i int, o *options, prefix bool, distinct int, origin *Origin) (Node, error) {
	if len(group) == 1 && group[0].isTerm(i, o, prefix) {
		p := &group[0].home
		return scored(&p.origin, p.structure, group[0].words[i].terms[0], p.scoring(1, distinct)), nil
	}
	n := newWord(origin, distinct, len(group))
	n.Origin.Word = group[0].words[i].terms[0]
	for j := range group {
		f := &group[j]
		n.add(&f.home, &f.words[i])
		if err := c.addReadings(n, f, i, o, prefix); err != nil {
			return nil, err
		}
	}
	if err := c.addSplit(n, group, i, o); err != nil {
		return nil, err
	}
	found := n.smallest()
	var phrases []Node
	for j := range group {
		if p := group[j].home.synonymPhrases(group[j].words[i].synonyms, distinct); p != nil {
			phrases = append(phrases, p)
		}
	}
	if len(phrases) == 0 {
		return found, nil
	}
	return &Or{Origin: *found.From(), Clauses: []Node{found, best(phrases, found.From())}}, nil
}

// isTerm reports whether the i-th word has a single reading in the field and is
// therefore a plain term. Most words are, and a term needs less memory than a Word.
func (f *analysed) isTerm(i int, o *options, prefix bool) bool {
	w := &f.words[i]
	forgives := o.Typos == query.TyposAuto && !o.plain && f.home.usage.Typos != nil
	return !forgives && !prefix && len(w.terms) == 1 && len(w.synonyms) == 0
}

// singleWord is a word of one field with the usual number of terms and readings, in
// one allocation.
type singleWord struct {
	Word
	field [1]WordField
	terms [1]WordTerm
	bands [1]Band
	in    [1]BandField
}

// newWord returns a word with capacity for that many fields.
func newWord(origin *Origin, distinct, fields int) *Word {
	if fields != 1 {
		return &Word{Origin: *origin, Words: distinct, Fields: make([]WordField, 0, fields)}
	}
	w := &singleWord{Word: Word{Origin: *origin, Words: distinct}}
	w.field[0].Terms, w.bands[0].In = w.terms[:0], w.in[:0]
	w.Fields, w.Bands = w.field[:0], w.bands[:0]
	return &w.Word
}

// add adds a field with the word as typed and its one-word synonyms.
func (n *Word) add(p *lookup, w *word) {
	f := n.nextField()
	f.Origin, f.Structure, f.Weight, f.Length = p.origin, p.structure, p.weight, p.usage.Length
	f.Origin.Word = w.terms[0]
	f.Terms = slices.Grow(f.Terms, len(w.terms)+len(w.synonyms))
	for _, term := range w.terms {
		f.Terms = append(f.Terms, WordTerm{Text: term, Boost: 1})
	}
	for _, a := range w.synonyms {
		if len(a.terms) != 1 {
			continue
		}
		boost := a.boost
		if a.silent {
			boost = 0
		}
		f.Terms = append(f.Terms, WordTerm{Text: a.terms[0], Boost: boost})
	}
}

// nextField appends a field, reusing the memory allocated for its terms.
func (n *Word) nextField() *WordField {
	if at := len(n.Fields); at < cap(n.Fields) {
		n.Fields = n.Fields[:at+1]
	} else {
		n.Fields = append(n.Fields, WordField{})
	}
	return &n.Fields[len(n.Fields)-1]
}

// addReadings adds the other readings of the i-th word in the field added last:
// words that are typed so without their diacritics and signs, words with typos, and
// longer words that start with it.
func (c *Compiler) addReadings(n *Word, f *analysed, i int, o *options, prefix bool) error {
	field := len(n.Fields) - 1
	forgive := o.Typos == query.TyposAuto && !o.plain
	opens := prefix && !f.isAutocomplete() // stored prefixes are looked up whole
	w := &f.words[i]
	for j, term := range w.terms {
		var t tolerance
		if forgive {
			t = c.tolerance(f.target, &f.home, term, w.surfaces[j])
		}
		if t.spellings {
			n.addVariants(c.dictionary, term, w.surfaces[j])
		}
		n.addNear(&f.home, field, term, w.surfaces[j], t, opens)
	}
	if !opens || f.field.Autocomplete == nil {
		return nil
	}
	typed, err := c.analyse(f.target, o.Text.Text, true)
	if err != nil || len(typed) != len(f.words) {
		return err // the chains disagree on the words
	}
	stored := f.lookup(true, &f.home.origin)
	for _, term := range typed[i].terms {
		prefix := &Term{Origin: stored.origin, Structure: stored.structure, Text: term}
		prefix.Origin.Word = term
		n.read(true, 0, BandField{Field: field, Prefix: prefix})
	}
	return nil
}

// addNear adds the readings of one term that are tolerated.
func (n *Word) addNear(p *lookup, field int, term, surface string, t tolerance, opens bool) {
	for _, start := range []bool{false, true} {
		if start && !opens || !start && t.edits == 0 {
			continue
		}
		n.Read(field, p.near(term, surface, t, start))
	}
}

// variantBoost is what a variant of a word counts beside the word as typed: little
// less, since most people who leave out one diacritic leave out all.
const variantBoost = 0.9

// addVariants adds the variants of a term to the field added last.
func (n *Word) addVariants(d Dictionary, term, surface string) {
	for _, variant := range d.Variants(n.Fields[len(n.Fields)-1].Structure, term, surface) {
		n.addVariant(variant)
	}
}

// addVariant adds a term to the last field, unless it has it.
func (n *Word) addVariant(term string) {
	f := &n.Fields[len(n.Fields)-1]
	if !slices.ContainsFunc(f.Terms, func(t WordTerm) bool { return t.Text == term }) {
		f.Terms = append(f.Terms, WordTerm{Text: term, Boost: variantBoost, IsVariant: true})
	}
}

// addStart adds a field that is searched for longer words only.
func (n *Word) addStart(p lookup, start string) {
	n.add(&p, &word{terms: []string{start}})
	n.addNear(&p, len(n.Fields)-1, start, start, tolerance{}, true)
}

// near returns the words near a term, and those with surface forms near the word as
// typed.
func (p *lookup) near(term, surface string, t tolerance, prefix bool) *Expand {
	n := &Expand{Origin: p.origin, Structure: p.structure, Text: term, Prefix: prefix, Edits: t.edits, Spellings: t.spellings}
	n.Origin.Word = term
	if surface != term {
		n.Surface = surface
	}
	if t.edits > 0 {
		n.Fixed = p.usage.Typos.PrefixLength
	}
	return n
}

// read adds the part of a band in one field. Bands are ordered by edits, whole
// words before prefixes.
func (n *Word) read(start bool, edits int, in BandField) {
	if len(n.Bands) == 0 && cap(n.Bands) > 0 { // see singleWord
		n.Bands = n.Bands[:1]
		n.Bands[0] = Band{Start: start, Edits: edits, In: append(n.Bands[0].In, in)}
		return
	}
	at := 0
	for ; at < len(n.Bands); at++ {
		b := &n.Bands[at]
		if b.Start == start && b.Edits == edits {
			b.In = append(b.In, in)
			return
		}
		if b.Edits > edits || b.Edits == edits && b.Start && !start {
			break
		}
	}
	n.Bands = slices.Insert(n.Bands, at, Band{Start: start, Edits: edits, In: []BandField{in}})
}

// smallest returns a Term in place of a word that is equivalent to one.
func (n *Word) smallest() Node {
	if len(n.Fields) != 1 || len(n.Bands) > 0 || len(n.Fields[0].Terms) != 1 {
		return n
	}
	f := &n.Fields[0]
	return scored(&f.Origin, f.Structure, f.Terms[0].Text, Scoring{Weight: f.Weight * f.Terms[0].Boost, Length: f.Length, Words: n.Words})
}

// scoredTerm is a term and its scoring in one allocation.
type scoredTerm struct {
	Term
	score Scoring
}

func scored(origin *Origin, structure, text string, scoring Scoring) Node {
	n := &scoredTerm{Term: Term{Origin: *origin, Structure: structure, Text: text}, score: scoring}
	n.Origin.Word, n.Scoring = text, &n.score
	return &n.Term
}

// single compiles a word that is looked up in one field only.
func (p *lookup) single(terms, surfaces []string, prefix bool) Node {
	n := &Word{Origin: p.origin, Words: 1}
	n.Origin.Word = terms[0]
	n.add(p, &word{terms: terms})
	for i, term := range terms {
		n.addNear(p, 0, term, surfaces[i], tolerance{}, prefix)
	}
	return n.smallest()
}

// synonymPhrases compiles the synonyms of several words. It returns nil when there
// are none.
func (p *lookup) synonymPhrases(synonyms []alternative, distinct int) Node {
	var nodes []Node
	for _, a := range synonyms {
		if len(a.terms) < 2 {
			continue
		}
		// Several words in place of one add up to no more than the one: typed words
		// rank above alternatives.
		factor := a.boost * min(1, float64(a.span)/float64(len(a.terms)))
		if a.silent {
			factor = 0
		}
		if p.origin.Usage == "autocomplete" {
			all := &And{Origin: p.origin}
			for _, term := range a.terms {
				all.Clauses = append(all.Clauses, scored(&p.origin, p.structure, term, p.scoring(factor, distinct)))
			}
			nodes = append(nodes, all)
			continue
		}
		phrase := &Phrase{Origin: p.origin, Structure: p.structure, Scoring: p.scoring(factor, distinct)}
		for i, term := range a.terms {
			phrase.Words = append(phrase.Words, PhraseWord{Offset: a.offsets[i], Terms: []string{term}})
		}
		nodes = append(nodes, phrase)
	}
	switch len(nodes) {
	case 0:
		return nil
	case 1:
		return nodes[0]
	}
	return &Or{Origin: p.origin, Clauses: nodes}
}

// tolerance says which terms pass for a word beside those that start with it.
type tolerance struct {
	edits     int
	spellings bool // those that are typed so without their diacritics and signs
}

// tolerance returns what is tolerated of a word. The number of edits depends on its
// length as typed; diacritics and signs may be missing in words of any length.
func (c *Compiler) tolerance(t target, p *lookup, term, surface string) tolerance {
	typos := p.usage.Typos
	if typos == nil || c.forgiven >= MaxForgivenWords {
		return tolerance{}
	}
	length, digits := 0, true
	for _, r := range surface {
		length++
		digits = digits && unicode.IsDigit(r)
	}
	if !utf8.ValidString(surface) || length > MaxForgivenLength || digits && !typos.Numbers {
		return tolerance{}
	}
	allowed := tolerance{spellings: c.dictionary != nil && c.spelled < MaxForgivenWords}
	switch {
	case typos.MinLengthTwo > 0 && length >= typos.MinLengthTwo:
		allowed.edits = 2
	case length >= typos.MinLengthOne:
		allowed.edits = 1
	}
	if allowed == (tolerance{}) || c.isExcluded(t, p.origin.Usage == "autocomplete", term) {
		return tolerance{}
	}
	if allowed.edits > 0 {
		c.forgiven++
	}
	if allowed.spellings {
		c.spelled++
	}
	return allowed
}
