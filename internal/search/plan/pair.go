package plan

import (
	"slices"

	"github.com/quiresearch/quire/definition"
)

// maxPairedWords is the maximum number of distinct words of a text for which pairs
// are scored. A longer text is a question, where the nearness of words says little.
const maxPairedWords = 4

// pairsOf returns the nodes that score neighbouring words of a short text where
// they stand near each other. It searches short values only: fields with strong
// length normalization, whose positions are cheap to read.
func pairsOf(group []analysed, words []Node, o *options, distinct int, origin *Origin) []Node {
	if distinct > maxPairedWords || o.plain || !slices.ContainsFunc(group, func(f analysed) bool { return f.isPaired() }) {
		return nil
	}
	var pairs []Node
	for i := 1; i < len(words); i++ {
		first, second := wordIn(words[i-1]), wordIn(words[i])
		if first.Origin.Word == second.Origin.Word {
			continue
		}
		p := &Pair{Origin: *origin, First: first, Second: second}
		p.Origin.Word = first.Origin.Word + " " + second.Origin.Word
		for j := range group {
			if f := &first.Fields[j]; group[j].isPaired() {
				p.Fields = append(p.Fields, PairField{Field: j, First: f.Terms[0].Text, Second: second.Fields[j].Terms[0].Text})
			}
		}
		if len(p.Fields) > 0 {
			pairs = append(pairs, p)
		}
	}
	return pairs
}

// isPaired reports whether a field is searched for pairs.
func (f *analysed) isPaired() bool {
	return f.home.usage.Length == definition.LengthStrong && f.weight > 0 && !f.isAutocomplete()
}

// wordIn returns the word of a compiled word, without the phrases of its synonyms.
func wordIn(n Node) *Word {
	if or, ok := n.(*Or); ok {
		n = or.Clauses[0]
	}
	word, _ := WordOf(n)
	return word
}
