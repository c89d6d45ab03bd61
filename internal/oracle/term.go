package oracle

import (
	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/score"
	"github.com/quiresearch/quire/internal/segment/terms"
)

type termCount struct {
	documents, holders uint64
	average            float64
}

// holders returns the number of documents that have the structure, the number that
// hold the term, and the average length.
func (c *Collection) holders(structure, text string) (documents, holders uint64, average float64) {
	key := [2]string{structure, text}
	if n, known := c.counts[key]; known {
		return n.documents, n.holders, n.average
	}
	defer func() { c.counts[key] = termCount{documents, holders, average} }()
	length := 0
	for _, d := range c.All {
		words := d.Terms[structure]
		if len(words) == 0 {
			continue
		}
		documents++
		length += len(words)
		if frequency(words, text) > 0 {
			holders++
		}
	}
	if documents > 0 {
		average = float64(length) / float64(documents)
	}
	return documents, holders, average
}

func frequency(words []Token, text string) int {
	n := 0
	for _, w := range words {
		if w.Text == text {
			n++
		}
	}
	return n
}

// length returns the length of a value as segments store it.
func length(words []Token) float64 {
	return float64(terms.DecodeLength(terms.EncodeLength(uint32(len(words)))))
}

// norm returns 1 − b + b × min(len ÷ avg, 16).
func norm(by definition.LengthNormalization, words []Token, average float64) float64 {
	b := 0.75
	if by == definition.LengthStrong {
		b = 1
	}
	return 1 - b + b*min(length(words)/average, 16)
}

// occurrences returns the normalized count of a frequency in a value.
func occurrences(by definition.LengthNormalization, f float64, words []Token, average float64) float64 {
	if by == definition.LengthNone {
		return min(f, 1) + max(0, f-1)/norm(by, words, average)
	}
	return f / norm(by, words, average)
}

// quality returns (sat + δ + µ × share) ÷ (1 + δ + µ).
func quality(weighted, mean, share float64, n int) float64 {
	delta, mu := min(0.5, 4/float64(n*n)), 0.5/float64(n*n)
	return (weighted/(weighted+score.K1*mean) + delta + mu*share) / (1 + delta + mu)
}

// alone returns the quality of a frequency in one field.
func alone(s *plan.Scoring, f float64, words []Token, average float64) float64 {
	share := 0.0
	if s.Length == definition.LengthStrong {
		share = 1 / length(words)
	}
	if s.Words == 0 {
		f = occurrences(s.Length, f, words, average)
		return f / (f + score.K1)
	}
	return quality(occurrences(s.Length, f, words, average), 1, share, s.Words)
}

func (c *Collection) term(n *plan.Term, d *Document) (bool, float64) {
	words := d.Terms[n.Structure]
	f := frequency(words, n.Text)
	if f == 0 {
		return false, 0
	}
	if n.Scoring == nil {
		return true, 0
	}
	documents, holders, average := c.holders(n.Structure, n.Text)
	if n.Scoring.Once {
		return true, n.Scoring.Weight * score.IDF(holders, documents) / (1 + score.K1)
	}
	return true, n.Scoring.Weight * score.IDF(holders, documents) * alone(n.Scoring, float64(f), words, average)
}
