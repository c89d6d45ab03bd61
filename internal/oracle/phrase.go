package oracle

import (
	"slices"
	"sort"
	"strings"

	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/score"
)

func (c *Collection) phrase(n *plan.Phrase, d *Document) (bool, float64) {
	words := d.Terms[n.Structure]
	positions := make([][]int, len(n.Words))
	idf := 0.0
	var average float64
	for i, w := range n.Words {
		var most uint64
		var documents uint64
		for _, t := range w.Terms {
			var holders uint64
			documents, holders, average = c.holders(n.Structure, t)
			most = max(most, holders)
		}
		if w.Prefix {
			idf++
		} else {
			idf += score.IDF(most, documents)
		}
		for _, word := range words {
			if slices.Contains(w.Terms, word.Text) || w.Prefix && strings.HasPrefix(word.Text, w.Terms[0]) {
				positions[i] = append(positions[i], word.Position)
			}
		}
		sort.Ints(positions[i])
		positions[i] = slices.Compact(positions[i])
	}
	f := 0.0
	for _, start := range positions[0] {
		if between, ok := nearestPhrase(n, positions, start); ok && between <= n.Slop {
			f += 1 / float64(1+between)
		}
	}
	if f == 0 {
		return false, 0
	}
	return true, n.Scoring.Weight * idf * alone(&n.Scoring, f, words, average)
}

// nearestPhrase returns the number of other words between the words of the nearest
// reading that starts at a position.
func nearestPhrase(n *plan.Phrase, positions [][]int, start int) (int, bool) {
	at := start
	for i := 1; i < len(n.Words); i++ {
		wanted := at + n.Words[i].Offset - n.Words[i-1].Offset
		next := slices.IndexFunc(positions[i], func(p int) bool { return p >= wanted })
		if next < 0 {
			return 0, false
		}
		at = positions[i][next]
	}
	return at - start - n.Words[len(n.Words)-1].Offset + n.Words[0].Offset, true
}
