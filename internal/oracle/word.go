package oracle

import (
	"slices"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/locale/spelling"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/score"
)

// word scores a word by its nearest reading, or by the better of that and the
// longer words that the word starts.
func (c *Collection) word(n *plan.Word, d *Document) (bool, float64) {
	documents, holders, mean, idf := c.statistics(n)
	matched, best := c.asTyped(n, d, mean, idf)
	highest := idf
	for i := range n.Bands {
		b := &n.Bands[i]
		held, own := c.bandHolders(n, b), idf
		if holders == 0 || b.Edits == 0 {
			if held == 0 {
				continue
			}
			own = score.IDF(min(held, documents), documents)
			if highest == 0 {
				highest = own
			}
			own = min(highest, own)
		}
		isStart := holders > 0 && b.Start && b.Edits == 0
		if matched && !isStart {
			continue
		}
		in, q := c.inBand(n, b, d, mean)
		if !in {
			continue
		}
		matched = true
		if q > 0 {
			if held > 8192 && (holders == 0 || b.Edits == 0) {
				q = 0.5 // too many to rate one by one
			}
			best = max(best, mean*own*counts(holders > 0, b, q))
		}
	}
	return matched, best
}

// statistics returns the number of documents that have a field of the word, in the
// field where most do; the number that hold the word as typed, likewise; the mean
// weight; and the rarity (idf).
func (c *Collection) statistics(n *plan.Word) (documents, holders uint64, mean, idf float64) {
	weighted, lengths, weights := 0.0, 0.0, 0.0
	for _, f := range n.Fields {
		for _, t := range f.Terms {
			having, held, average := c.holders(f.Structure, t.Text)
			documents = max(documents, having)
			if t.Boost > 0 {
				holders = max(holders, held)
			}
			if t == f.Terms[0] {
				weighted, lengths, weights = weighted+f.Weight*average, lengths+average, weights+f.Weight
			}
		}
	}
	mean = weights / float64(len(n.Fields))
	if lengths > 0 && len(n.Fields) > 1 {
		mean = weighted / lengths
	}
	if holders > 0 {
		idf = score.IDF(holders, documents)
	}
	return documents, holders, mean, idf
}

// pair scores the frequency with which two words stand at most eight positions
// apart.
func (c *Collection) pair(n *plan.Pair, d *Document) (bool, float64) {
	_, _, mean, first := c.statistics(n.First)
	_, _, _, second := c.statistics(n.Second)
	weighted := 0.0
	for _, in := range n.Fields {
		f := &n.First.Fields[in.Field]
		words := d.Terms[f.Structure]
		near := 0
		for _, w := range words {
			if w.Text == in.Second && slices.ContainsFunc(words, func(other Token) bool {
				return other.Text == in.First && max(other.Position, w.Position)-min(other.Position, w.Position) <= 8
			}) {
				near++
			}
		}
		if near > 0 {
			_, _, average := c.holders(f.Structure, in.First)
			weighted += f.Weight * occurrences(f.Length, float64(near), words, average)
		}
	}
	if weighted == 0 || first == 0 || second == 0 {
		return false, 0
	}
	return true, 0.6 * mean * min(first, second) * weighted / (weighted + score.K1*mean)
}

// asTyped scores the word as typed.
func (c *Collection) asTyped(n *plan.Word, d *Document, mean, idf float64) (bool, float64) {
	matched, weighted, share := false, 0.0, 0.0
	for _, f := range n.Fields {
		words := d.Terms[f.Structure]
		for _, t := range f.Terms {
			here := frequency(words, t.Text)
			if here == 0 {
				continue
			}
			matched = true
			_, _, average := c.holders(f.Structure, t.Text)
			if f.Weight*t.Boost > 0 {
				weighted += f.Weight * t.Boost * occurrences(f.Length, float64(here), words, average)
				if f.Length == definition.LengthStrong {
					share = max(share, 1/length(words))
				}
			}
		}
	}
	if weighted == 0 {
		return matched, 0
	}
	return true, mean * idf * quality(weighted, mean, share, n.Words)
}

// inBand reports whether a document holds a word of a band, and returns its
// quality.
func (c *Collection) inBand(n *plan.Word, b *plan.Band, d *Document, mean float64) (bool, float64) {
	matched, weighted, share := false, 0.0, 0.0
	for i, f := range n.Fields {
		if !slices.ContainsFunc(b.In, func(in plan.BandField) bool {
			return in.Field == i && anyTerm(d.Terms[structureOf(in)], func(t string) bool { return isIn(in, b.Edits, t) })
		}) {
			continue
		}
		matched = true
		if words := d.Terms[f.Structure]; f.Weight > 0 {
			_, _, average := c.holders(f.Structure, "")
			weighted += f.Weight * occurrences(f.Length, 1, words, average)
			if f.Length == definition.LengthStrong {
				share = max(share, 1/length(words))
			}
		}
	}
	if weighted == 0 {
		return matched, 0
	}
	return true, quality(weighted, mean, share, n.Words)
}

func structureOf(in plan.BandField) string {
	if in.Prefix != nil {
		return in.Prefix.Structure
	}
	return in.Near.Structure
}

func isIn(in plan.BandField, edits int, term string) bool {
	if in.Prefix != nil {
		return term == in.Prefix.Text
	}
	distance, ok := reading(in.Near, term)
	return ok && distance == edits
}

// bandHolders returns the number of documents that hold a word of a band, in the
// field where most do. A document with several of the terms counts once per term.
func (c *Collection) bandHolders(n *plan.Word, b *plan.Band) uint64 {
	if held, known := c.bands[b]; known {
		return held
	}
	var most uint64
	for i := range n.Fields {
		var sum uint64
		for _, in := range b.In {
			if in.Field != i {
				continue
			}
			held := map[string]uint64{}
			for _, d := range c.All {
				seen := map[string]bool{}
				for _, w := range d.Terms[structureOf(in)] {
					if !seen[w.Text] && isIn(in, b.Edits, w.Text) {
						seen[w.Text] = true
						held[w.Text]++
					}
				}
			}
			total := uint64(0)
			for _, h := range held {
				total += h
			}
			if in.Prefix != nil {
				sum = max(sum, total)
			} else {
				sum += total
			}
		}
		most = max(most, sum)
	}
	c.bands[b] = most
	return most
}

// counts returns the score of a reading as a fraction, by the table of readings.
func counts(isKnown bool, b *plan.Band, q float64) float64 {
	if isKnown {
		switch {
		case b.Edits == 0:
			return 0.9 * q
		case b.Start:
			return 0.01 / float64(b.Edits) * q
		}
		return 0.02 / float64(b.Edits) * q
	}
	switch {
	case b.Edits == 0:
		return 0.6 + 0.2*q
	case b.Edits == 1 && !b.Start:
		return 0.4 + 0.2*q
	case b.Edits == 1:
		return 0.3 + 0.1*q
	case !b.Start:
		return 0.2 + 0.1*q
	}
	return 0.1 + 0.1*q
}

func anyTerm(words []Token, wanted func(string) bool) bool {
	return slices.ContainsFunc(words, func(t Token) bool { return wanted(t.Text) })
}

func inIntervals(t string, intervals []plan.TermInterval) bool {
	for _, i := range intervals {
		if i.From != nil && (t < *i.From || t == *i.From && i.FromExclusive) {
			continue
		}
		if i.To != nil && (t > *i.To || t == *i.To && i.ToExclusive) {
			continue
		}
		return true
	}
	return false
}

// reading returns the smallest distance at which a term, or what is typed for it, is
// a reading of the word, and false if it is not one.
func reading(n *plan.Expand, term string) (smallest int, found bool) {
	spellings := []string{term}
	if n.Spellings {
		spellings = append(spellings, spelling.Of(term)...)
	}
	for _, s := range spellings {
		if distance, ok := distanceOf(n, s); ok && (!found || distance < smallest) {
			smallest, found = distance, true
		}
	}
	return smallest, found
}

func distanceOf(n *plan.Expand, term string) (int, bool) {
	word, runes := []rune(n.Text), []rune(term)
	fixed := min(n.Fixed, len(word))
	if n.Edits > 0 && (len(runes) < fixed || string(runes[:fixed]) != string(word[:fixed])) {
		return 0, false
	}
	smallest := n.Edits + 1
	if !n.Prefix {
		smallest = min(smallest, Distance(word, runes))
	} else {
		for end := 0; end <= len(runes); end++ {
			if n.Edits > 0 && end < fixed {
				continue
			}
			smallest = min(smallest, Distance(word, runes[:end]))
		}
	}
	return smallest, smallest <= n.Edits
}

// Distance returns the number of insertions, deletions, replacements and swaps of
// neighbours between two words. A swapped pair is not edited again.
func Distance(a, b []rune) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replace := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			rows[i][j] = min(replace, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
