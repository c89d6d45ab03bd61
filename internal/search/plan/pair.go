package plan

import (
	"slices"

	"github.com/quiresearch/quire/definition"
)

// maxPairedWords is how many distinct words a text has whose neighbours count
// more when they stand near each other: a longer one is a question, where that
// says little.
const maxPairedWords = 4

// pairsOf returns what the neighbouring words of a short text add where they
// stand near each other in short values: in the fields with strong length
// normalization, whose positions cost little to read.
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

// isPaired reports whether pairs are looked for in a field.
func (f *analysed) isPaired() bool {
	return f.home.usage.Length == definition.LengthStrong && f.weight > 0 && !f.isAutocomplete()
}

// wordIn returns the word of a compiled word, without the phrases beside it.
func wordIn(n Node) *Word {
	if or, ok := n.(*Or); ok {
		n = or.Clauses[0]
	}
	word, _ := WordOf(n)
	return word
}
