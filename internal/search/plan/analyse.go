package plan

import (
	"slices"
	"strings"

	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/analysis/token"
	"github.com/quiresearch/quire/problem"
)

// analysed holds the words of a text in one target and where to look them up.
type analysed struct {
	target
	words []word
	home  lookup
}

// word is one position of an analysed text.
type word struct {
	terms    []string // readings of the word; never empty
	surfaces []string // per reading: the word as typed, in the letters in which typos are counted
	position int
	synonyms []alternative
	whole    whole
}

// whole is a reading of several adjacent words as one, such as katakana that a
// segmenter splits: a typo inside may move the boundaries.
type whole struct {
	term, surface string
	words         int // number of words it stands for; 0: there is none
}

// chainOf returns the chain that analyses typed text for a target.
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
	// A long text costs time in proportion to its length, in every field.
	if c.planned += len(text) / bytesPerLookup; c.planned > MaxPlanned {
		return nil, problem.SearchClausesTooMany.At(t.at, "max", MaxPlanned)
	}
	tokens := chain.Analyze(c.buffer, text)
	if len(tokens) == 0 {
		return nil, nil
	}
	words, terms := memoryOfWords(len(tokens))
	surfaces := terms[len(tokens):len(tokens):cap(terms)]
	texts := textsOf(tokens)
	for _, token := range tokens {
		// Every reading of a word is looked up, and a chain may produce very many.
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

// memoryOfWords returns empty slices with capacity for the words of tokens. For a
// single token both come from one allocation.
func memoryOfWords(tokens int) (words []word, terms []string) {
	if tokens > 1 {
		return make([]word, 0, min(tokens, MaxWords)), make([]string, 0, 2*tokens)
	}
	one := new(struct {
		words [1]word
		terms [2]string
	})
	return one.words[:0], one.terms[:0]
}

// findWholes records, for each word, its longest reading that also covers the words
// after it.
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

// joinHalfTyped records that the last two words of a script without spaces may be
// the start of one word: segmenters often split a half-typed word in two.
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

// bytesPerLookup is the number of bytes analysed in about the time of one lookup.
const bytesPerLookup = 256

// beginningOf returns the part of a text that is analysed.
func beginningOf(text string) string {
	if len(text) > MaxTextBytes {
		return strings.ToValidUTF8(text[:MaxTextBytes], "")
	}
	return text
}

// textsOf returns the terms of tokens, each followed by its surface form,
// concatenated: all strings kept of a text then share one allocation.
func textsOf(tokens []analysis.Token) string {
	var scratch [128]byte
	texts := scratch[:0]
	for i := range tokens {
		texts = append(texts, tokens[i].Term...)
		texts = append(texts, tokens[i].Surface()...)
	}
	return string(texts)
}

// distinctWords counts the distinct words of a text.
func distinctWords(words []word) int {
	n := 0
	for i := range words {
		if !slices.ContainsFunc(words[:i], func(w word) bool { return w.terms[0] == words[i].terms[0] }) {
			n++
		}
	}
	return n
}
