package plan

import (
	"unicode/utf8"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/query"
)

// place is where a word is looked up and how it scores there.
type place struct {
	structure string
	usage     *definition.ResolvedText
	weight    float64
	origin    Origin
}

func (t *target) place(autocomplete bool, origin *Origin) place {
	p := place{weight: t.weight, origin: *origin}
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

func (p *place) scoring(factor float64) Scoring {
	s := Scoring{Weight: p.weight * factor}
	switch p.usage.Length {
	case definition.LengthModerate:
		s.B = 0.75
	case definition.LengthStrong:
		s.B = 1
	}
	return s
}

// word compiles the i-th word of a target, with its synonyms.
func (c *Compiler) word(f *analysed, i int, o *options, prefix bool, origin *Origin) (Node, error) {
	w := f.words[i]
	// Synonyms are looked up where the rules were analysed for.
	home, p, synonyms := &f.home, &f.home, w.synonyms
	if prefix && !f.isAutocomplete() && f.field.Autocomplete != nil && len(f.words) > 1 {
		// The last of several words is looked up among the stored prefixes
		// when both chains agree on the words (7.5).
		typed, err := c.analyse(f.target, o.Text.Text, true)
		if err != nil {
			return nil, err
		}
		if len(typed) == len(f.words) {
			prefixes := f.place(true, origin)
			w, p, prefix = typed[i], &prefixes, false
		}
	}
	if f.isAutocomplete() {
		prefix = false
	}
	forgive := o.Typos == query.TyposAuto && !o.plain
	var found Node
	var readings []Node // of a word that has several
	forgiven := false
	for i, term := range w.terms {
		edits, surface := 0, w.surfaces[i]
		if forgive {
			edits = c.edits(f.target, p, term, surface)
		}
		if edits > 0 || prefix {
			forgiven = true
		}
		if found = p.reading(term, surface, edits, prefix, len(f.words) >= wholeWords); len(w.terms) > 1 {
			readings = append(readings, found)
		}
	}
	if !forgiven && (len(w.terms) > 1 || hasSingle(w.synonyms)) {
		node := p.blend(w)
		if p != home {
			return home.withSynonyms(node, synonyms, false), nil
		}
		return p.withPhrases(node, w.synonyms, false), nil
	}
	if readings != nil {
		found = best(readings, &p.origin)
	}
	return home.withSynonyms(found, synonyms, prefix), nil
}

// withSynonyms adds the synonyms of a word as further readings.
func (p *place) withSynonyms(node Node, synonyms []alternative, constant bool) Node {
	if len(synonyms) == 0 {
		return node
	}
	sum := &Or{Origin: p.origin, Clauses: []Node{node}}
	for _, a := range synonyms {
		if len(a.terms) == 1 {
			sum.Clauses = append(sum.Clauses, p.held(p.term(a.terms[0], a.boost, a.silent), a, constant))
		}
	}
	if len(sum.Clauses) == 1 {
		return p.withPhrases(node, synonyms, constant)
	}
	return p.withPhrases(sum, synonyms, constant)
}

// held gives a synonym beside a word that scores a constant a share of that
// constant, so that what was typed stands before what was not.
func (p *place) held(node Node, a alternative, constant bool) Node {
	if !constant || a.silent {
		return node
	}
	return &Constant{Origin: *node.From(), Score: p.weight * a.boost, Clause: node}
}

// wholeWords is how many words a text has when its last one was most likely
// typed whole: it counts as the word it is too, not only as the start of
// others. Of shorter texts, where people wait for completions, it does not,
// so that a short word stands not before those that it may become.
const wholeWords = 3

// reading compiles one term with the forgiveness it has. whole lets the start
// of a word score as a whole word too.
func (p *place) reading(term, surface string, edits int, prefix, whole bool) Node {
	if edits == 0 && !prefix {
		return p.term(term, 1, false)
	}
	origin := p.origin
	origin.Word = term
	var ladder []float64
	switch edits {
	case 0:
		ladder = []float64{0}
	case 1:
		ladder = []float64{1, 1}
	default:
		ladder = []float64{2, 2, 1}
	}
	for i := range ladder {
		ladder[i] *= p.weight
	}
	expand := &Expand{Origin: origin, Structure: p.structure, Text: term, Prefix: prefix, Edits: edits, Constants: ladder}
	if surface != term {
		expand.Surface = surface
	}
	if edits > 0 {
		expand.Fixed = p.usage.Typos.PrefixLength
	}
	if prefix {
		ladder[0] += p.weight
		if !whole {
			return expand
		}
	}
	return &Or{Origin: origin, Clauses: []Node{p.term(term, 1, false), expand}}
}

// scoredTerm is a term and how it scores, in one piece of memory.
type scoredTerm struct {
	Term
	score Scoring
}

// term compiles one whole term. A silent one only matches.
func (p *place) term(term string, factor float64, silent bool) Node {
	node := &scoredTerm{
		Term:  Term{Origin: p.origin, Structure: p.structure, Text: term},
		score: p.scoring(factor),
	}
	node.Origin.Word, node.Scoring = term, &node.score
	if silent {
		node.score.Weight = 0
	}
	return &node.Term
}

// blend compiles the readings and single-word synonyms of a word as one
// term.
func (p *place) blend(w word) Node {
	origin := p.origin
	origin.Word = w.terms[0]
	b := &Blend{Origin: origin, Structure: p.structure, Scoring: p.scoring(1)}
	for _, term := range w.terms {
		b.Terms = append(b.Terms, BlendTerm{term, 1})
	}
	for _, a := range w.synonyms {
		if len(a.terms) != 1 {
			continue
		}
		boost := a.boost
		if a.silent {
			boost = 0
		}
		b.Terms = append(b.Terms, BlendTerm{a.terms[0], boost})
	}
	return b
}

// withPhrases adds the synonyms of several words as further readings.
func (p *place) withPhrases(node Node, synonyms []alternative, constant bool) Node {
	if len(synonyms) == 0 {
		return node
	}
	sum := &Or{Origin: p.origin, Clauses: []Node{node}}
	for _, a := range synonyms {
		if len(a.terms) < 2 {
			continue
		}
		// Several words for one add up to no more than the one: what was typed
		// stands before what was not.
		factor := a.boost * min(1, float64(a.span)/float64(len(a.terms)))
		if a.silent {
			factor = 0
		}
		if p.origin.Usage == "autocomplete" {
			all := &And{Origin: p.origin}
			for _, term := range a.terms {
				all.Clauses = append(all.Clauses, p.term(term, factor, a.silent))
			}
			sum.Clauses = append(sum.Clauses, p.held(all, a, constant))
			continue
		}
		phrase := &Phrase{Origin: p.origin, Structure: p.structure, Scoring: p.scoring(factor)}
		for i, term := range a.terms {
			phrase.Words = append(phrase.Words, PhraseWord{Offset: a.offsets[i], Terms: []string{term}})
		}
		sum.Clauses = append(sum.Clauses, p.held(phrase, a, constant))
	}
	if len(sum.Clauses) == 1 {
		return node
	}
	return sum
}

// edits returns how many typos a word is forgiven, by its length as typed
// (7.6).
func (c *Compiler) edits(t target, p *place, term, surface string) int {
	typos := p.usage.Typos
	if typos == nil || c.forgiven >= MaxForgivenWords {
		return 0
	}
	length, digits := 0, true
	for _, r := range surface {
		length++
		digits = digits && r >= '0' && r <= '9'
	}
	if !utf8.ValidString(surface) || length > MaxForgivenLength || digits && !typos.Numbers {
		return 0
	}
	edits := 0
	switch {
	case typos.MinLengthTwo > 0 && length >= typos.MinLengthTwo:
		edits = 2
	case length >= typos.MinLengthOne:
		edits = 1
	}
	if edits == 0 || c.isExcluded(t, p.origin.Usage == "autocomplete", term) {
		return 0
	}
	c.forgiven++
	return edits
}
