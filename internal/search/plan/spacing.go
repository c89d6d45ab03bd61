package plan

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/query"
)

// Words written together or apart. Where typos are tolerated, two neighbouring words
// of a text are also the word that they form together, if the index holds it, and a
// word that the index does not hold is also two neighbouring words of a document:
//
//	typed    play station   node js   tshirt
//	found    PlayStation    Node.js   T-shirt, as the phrase "t shirt"
//
// A word that the index holds stays one word: it is spelled as meant. So does a word
// whose typos and completions are held by many documents, or by more than its rarer part.

const (
	// maxSpacedWords is the number of words of a text up to which they are split and
	// joined.
	maxSpacedWords = 8
	// spacedBoost is what a word counts that is written otherwise, beside one that
	// is written as typed.
	spacedBoost = 0.9
	// fewOthers is in how many documents a word may have typos and completions to be
	// split: a word with more of them was most likely meant as one of these.
	fewOthers = 32
)

// respaces reports whether words of a text are split and joined.
func (c *Compiler) respaces(group []analysed, o *options) bool {
	return c.dictionary != nil && o.Typos == query.TyposAuto && !o.plain && len(group[0].words) <= maxSpacedWords && c.respaced < MaxForgivenWords
}

// isSpaced reports whether a word may be split or joined in a field.
func (c *Compiler) isSpaced(f *analysed, w *word) bool {
	if f.home.usage.Typos == nil || f.isAutocomplete() || len(w.terms) != 1 || len(w.surfaces[0]) > MaxForgivenLength || !utf8.ValidString(w.surfaces[0]) {
		return false
	}
	return isSpelledWithSpaces(w.surfaces[0]) && !c.isExcluded(f.target, false, w.terms[0])
}

// isSpelledWithSpaces reports whether all letters of a word are of scripts that put
// spaces between words.
func isSpelledWithSpaces(word string) bool {
	for _, r := range word {
		if !unicode.IsDigit(r) && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Mn) {
			return false
		}
	}
	return true
}

// joinedWord compiles the i-th word and the one after it as the word that they form
// together, nil if no field holds it. With opens, it is also the start of longer words
// unless a field holds the i-th word.
func (c *Compiler) joinedWord(group []analysed, i int, o *options, opens bool, distinct int, origin *Origin) Node {
	if !c.respaces(group, o) || i+1 == len(group[0].words) {
		return nil
	}
	opens = opens && !slices.ContainsFunc(group, func(f analysed) bool { return c.dictionary.Holders(f.home.structure, f.words[i].terms[0]) > 0 })
	n := newWord(origin, distinct, len(group))
	for j := range group {
		f := &group[j]
		first, second := &f.words[i], &f.words[i+1]
		if second.position != first.position+1 || !c.isSpaced(f, first) || !c.isSpaced(f, second) ||
			isNumber(first.surfaces[0]) && isNumber(second.surfaces[0]) {
			continue
		}
		c.respaced++
		surface := first.surfaces[0] + second.surfaces[0]
		chain, err := c.chainOf(f.target, false)
		if err != nil {
			continue // the words of the query already went through the same chain
		}
		terms := c.termsOf(chain, surface, 1)
		if terms == nil {
			continue
		}
		n.Origin.Word = terms[0]
		n.add(&f.home, &word{terms: terms})
		n.Fields[len(n.Fields)-1].Terms[0].Boost = spacedBoost
		n.addVariants(c.dictionary, terms[0], surface)
		dotted := c.termsOf(chain, first.surfaces[0]+"."+second.surfaces[0], 1)
		if dotted != nil && c.dictionary.Holders(f.home.structure, dotted[0]) > 0 {
			n.addVariant(dotted[0])
		}
		n.addNear(&f.home, len(n.Fields)-1, terms[0], surface, tolerance{}, opens)
	}
	if len(n.Bands) == 0 && !c.isKnown(n) {
		return nil
	}
	return n.smallest()
}

func isNumber(word string) bool {
	return strings.IndexFunc(word, func(r rune) bool { return !unicode.IsDigit(r) }) < 0
}

// addSplit adds the phrase of two words as a synonym of the i-th word, which n
// compiles, if the index does not hold it.
func (c *Compiler) addSplit(n *Word, group []analysed, i int, o *options) error {
	if !c.respaces(group, o) || !slices.ContainsFunc(group, func(f analysed) bool { return c.isSpaced(&f, &f.words[i]) }) {
		return nil
	}
	typed, others, err := c.dictionary.HoldersOf(n)
	if err != nil || typed > 0 || others > fewOthers {
		return err
	}
	for j := range group {
		f := &group[j]
		w := &f.words[i]
		if !c.isSpaced(f, w) || isNumber(w.surfaces[0]) {
			continue
		}
		c.respaced++
		if terms := c.split(f, w.surfaces[0], max(1, others)); terms != nil {
			w.synonyms = append(slices.Clip(w.synonyms), alternative{terms: terms, offsets: []int{0, 1}, span: 1, boost: spacedBoost})
		}
	}
	return nil
}

// isKnown reports whether a field holds a word or a variant of it.
func (c *Compiler) isKnown(n *Word) bool {
	return slices.ContainsFunc(n.Fields, func(f WordField) bool {
		return slices.ContainsFunc(f.Terms, func(t WordTerm) bool { return c.dictionary.Holders(f.Structure, t.Text) > 0 })
	})
}

// split returns the two words that a word most likely consists of: those of which the
// rarer one is the most frequent. It returns nil if there are none that each at least
// so many documents hold.
func (c *Compiler) split(f *analysed, surface string, least uint64) (words []string) {
	chain, err := c.chainOf(f.target, false)
	if err != nil {
		return nil // the words of the query already went through the same chain
	}
	for at := range surface {
		if at == 0 {
			continue
		}
		terms := c.termsOf(chain, surface[:at]+" "+surface[at:], 2)
		if terms == nil {
			continue
		}
		holders := c.dictionary.Holders(f.home.structure, terms[0])
		if holders < least {
			continue
		}
		if holders = min(holders, c.dictionary.Holders(f.home.structure, terms[1])); holders >= least {
			words, least = terms, holders+1
		}
	}
	return words
}

// termsOf analyses a text of that many words. It returns nil if the chain finds another
// number of words, or several readings of one.
func (c *Compiler) termsOf(chain *analysis.Chain, text string, words int) []string {
	tokens := chain.Analyze(c.buffer, text)
	if len(tokens) != words || words == 2 && tokens[1].Position != tokens[0].Position+1 {
		return nil
	}
	terms := make([]string, words)
	for i := range tokens {
		terms[i] = string(tokens[i].Term)
	}
	return terms
}
