package plan

import (
	"slices"

	"github.com/quiresearch/quire/query"
)

// maxPhraseReadings bounds the number of ways synonyms may rewrite one phrase.
const maxPhraseReadings = 16

// maxHalfTyped is the largest number of readings of a half-typed last word for which
// each reading gets its own phrase. Grams have more readings, but all those that start
// the word continue the first one.
const maxHalfTyped = 4

// phraseOver compiles a phrase over its targets: each field separately, and the
// best one counts.
func (c *Compiler) phraseOver(targets []target, o options, origin Origin) (Node, error) {
	prefix := o.Prefix == query.PrefixLastToken && !o.plain
	var nodes []Node
	for _, t := range targets {
		if t.isAutocomplete() {
			if t.named && o.Match == query.MatchPhrase {
				return nil, usageUnsupported(t.at, t.field, "matching")
			}
			continue
		}
		words, err := c.analyse(t, o.Text.Text, false)
		if err != nil {
			return nil, err
		}
		if len(words) == 0 {
			continue
		}
		if err := c.addSynonyms(t, words); err != nil {
			return nil, err
		}
		nodes = append(nodes, c.phrase(words, t.lookup(false, &origin), &o, prefix))
	}
	if len(nodes) == 0 {
		return &Nothing{origin}, nil
	}
	return best(nodes, &origin), nil
}

func (c *Compiler) phrase(words []word, p lookup, o *options, prefix bool) Node {
	if len(words) == 1 && len(words[0].synonyms) == 0 {
		return p.single(words[0].terms, words[0].surfaces, prefix)
	}
	slots := make([]PhraseWord, len(words))
	for i, w := range words {
		slots[i] = PhraseWord{Offset: w.position - words[0].position, Terms: w.terms}
		if prefix && i == len(words)-1 {
			slots[i].Prefix, slots[i].Surface = true, w.surfaces[0]
		}
		for _, a := range w.synonyms {
			if isOneForOne(a) && !slots[i].Prefix {
				slots[i].Terms = append(slots[i].Terms, a.terms[0])
			}
		}
	}
	readings := []Node{p.phraseOf(slots, o.Slop)}
	if last := &words[len(words)-1]; prefix && len(words) > 1 && len(last.terms) <= maxHalfTyped {
		for i := 1; i < len(last.terms); i++ {
			other := slices.Clone(slots)
			at := &other[len(other)-1]
			at.Terms, at.Surface = last.terms[i:i+1], last.surfaces[i]
			readings = append(readings, p.phraseOf(other, o.Slop))
		}
	}
	for i, w := range words {
		for _, a := range w.synonyms {
			if a.silent || isOneForOne(a) && !slots[i].Prefix || len(readings) == maxPhraseReadings {
				continue
			}
			readings = append(readings, p.phraseOf(replaceStretch(slots, i, a), o.Slop))
		}
	}
	return best(readings, &p.origin)
}

// isOneForOne reports whether an alternative replaces one typed word by one word.
// Such words share a slot, except with a word that is a prefix.
func isOneForOne(a alternative) bool { return len(a.terms) == 1 && a.span == 1 }

// spellings returns the words of a slot as they were typed.
func (w *PhraseWord) spellings() []string {
	spellings := slices.Clone(w.Terms)
	if w.Surface != "" {
		spellings[0] = w.Surface
	}
	return spellings
}

func (p *lookup) phraseOf(slots []PhraseWord, slop int) Node {
	if len(slots) == 1 {
		return p.single(slots[0].Terms, slots[0].spellings(), slots[0].Prefix)
	}
	return &Phrase{Origin: p.origin, Structure: p.structure, Words: slots, Slop: slop, Scoring: p.scoring(1, len(slots))}
}

// replaceStretch returns the phrase in which the words that an alternative stands
// for are replaced by those of the alternative.
func replaceStretch(slots []PhraseWord, at int, a alternative) []PhraseWord {
	start := slots[at].Offset
	end := slots[at+a.span-1].Offset + 1
	out := append([]PhraseWord(nil), slots[:at]...)
	for i, term := range a.terms {
		out = append(out, PhraseWord{Offset: start + a.offsets[i], Terms: []string{term}})
	}
	shift := start + a.offsets[len(a.offsets)-1] + 1 - end
	for _, s := range slots[at+a.span:] {
		s.Offset += shift
		out = append(out, s)
	}
	first := out[0].Offset
	for i := range out {
		out[i].Offset -= first
	}
	return out
}
