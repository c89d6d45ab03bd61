package oracle

import (
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/score"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// Match asks a node of one document: whether it matches, and its score.
func (c *Collection) Match(n plan.Node, d *Document) (bool, float64) {
	switch n := n.(type) {
	case nil, *plan.Everything:
		return true, 0
	case *plan.Nothing:
		return false, 0
	case *plan.Term:
		return c.term(n, d)
	case *plan.Word:
		return c.word(n, d)
	case *plan.Pair:
		return c.pair(n, d)
	case *plan.Expand:
		return anyTerm(d.Terms[n.Structure], func(t string) bool { _, ok := reading(n, t); return ok }), 0
	case *plan.TermSet:
		return anyTerm(d.Terms[n.Structure], func(t string) bool { return slices.Contains(n.Terms, t) }), 0
	case *plan.TermRange:
		return anyTerm(d.Terms[n.Structure], func(t string) bool { return inIntervals(t, n.Intervals) }), 0
	case *plan.NumberRange:
		return slices.ContainsFunc(d.Numbers[n.Structure], func(v int64) bool {
			return slices.ContainsFunc(n.Intervals, func(i plan.Interval) bool { return i.Min <= v && v <= i.Max })
		}), 0
	case *plan.Distance:
		return slices.ContainsFunc(d.Points[n.Structure], func(p Point) bool {
			return greatCircle(n.Lat, n.Lon, p.Lat, p.Lon) <= n.Radius
		}), 0
	case *plan.Phrase:
		return c.phrase(n, d)
	case *plan.And:
		return c.and(n, d)
	case *plan.Or:
		matched, total := false, 0.0
		for _, clause := range n.Clauses {
			if ok, s := c.Match(clause, d); ok {
				matched, total = true, total+s
			}
		}
		return matched, total
	case *plan.Best:
		matched, best := false, 0.0
		for _, clause := range n.Clauses {
			if ok, s := c.Match(clause, d); ok {
				matched, best = true, max(best, s)
			}
		}
		return matched, best
	case *plan.Not:
		for _, clause := range n.Clauses {
			if ok, _ := c.Match(clause, d); ok {
				return false, 0
			}
		}
		return true, 0
	case *plan.Scale:
		ok, s := c.Match(n.Clause, d)
		return ok, s * n.Weight
	case *plan.Constant:
		ok, _ := c.Match(n.Clause, d)
		return ok, n.Score
	case *plan.Nested:
		return c.nested(n, d)
	case *plan.Knn:
		return c.nearest(n, d)
	case *plan.Fuse:
		return c.fuse(n, d)
	}
	panic("oracle: unknown node")
}

func (c *Collection) and(n *plan.And, d *Document) (bool, float64) {
	total := 0.0
	for _, clause := range n.Clauses {
		ok, s := c.Match(clause, d)
		if !ok {
			return false, 0
		}
		total += s
	}
	for _, clause := range n.Optional {
		if ok, s := c.Match(clause, d); ok {
			total += s
		}
	}
	return true, total
}

type termCount struct {
	documents, holders uint64
	average            float64
}

// holders returns how many documents have the structure, how many of them
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

// length is that of a value as segments keep it.
func length(words []Token) float64 {
	return float64(terms.DecodeLength(terms.EncodeLength(uint32(len(words)))))
}

// norm is 1 − b + b × min(len ÷ avg, 16).
func norm(by definition.LengthNormalization, words []Token, average float64) float64 {
	b := 0.75
	if by == definition.LengthStrong {
		b = 1
	}
	return 1 - b + b*min(length(words)/average, 16)
}

// occurrences is what a frequency counts in a value.
func occurrences(by definition.LengthNormalization, f float64, words []Token, average float64) float64 {
	if by == definition.LengthNone {
		return min(f, 1) + max(0, f-1)/norm(by, words, average)
	}
	return f / norm(by, words, average)
}

// quality is (sat + δ + µ × share) ÷ (1 + δ + µ).
func quality(weighted, mean, share float64, n int) float64 {
	delta, mu := min(0.5, 4/float64(n*n)), 0.5/float64(n*n)
	return (weighted/(weighted+score.K1*mean) + delta + mu*share) / (1 + delta + mu)
}

// alone is the quality of a frequency in one field.
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

// word scores a word by its nearest reading; where the word is also the start
// of longer ones, by the better of the two.
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
				q = 0.5 // too many to be rated one by one
			}
			best = max(best, mean*own*counts(holders > 0, b, q))
		}
	}
	return matched, best
}

// statistics returns how many documents have the field that most have, how many
// hold the word as typed in the field where most do, the mean weight and the
// rarity.
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

// pair scores how often two words stand at most eight positions apart.
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

// inBand reports whether a document holds a word of a band, and its quality.
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

// bandHolders is how many documents hold a word of a band, those of several
// terms as often, in the field where most do.
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

// counts is the table of readings.
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

// reading returns the smallest distance at which a term is a reading of the
// word, and whether it is one at all.
func reading(n *plan.Expand, term string) (int, bool) {
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

// Distance is the number of insertions, deletions, replacements and swaps of
// neighbours between two words; a swapped pair is not edited again.
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

func (c *Collection) phrase(n *plan.Phrase, d *Document) (bool, float64) {
	words := d.Terms[n.Structure]
	places := make([][]int, len(n.Words))
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
				places[i] = append(places[i], word.Position)
			}
		}
		sort.Ints(places[i])
		places[i] = slices.Compact(places[i])
	}
	f := 0.0
	for _, start := range places[0] {
		if between, ok := nearestPhrase(n, places, start); ok && between <= n.Slop {
			f += 1 / float64(1+between)
		}
	}
	if f == 0 {
		return false, 0
	}
	return true, n.Scoring.Weight * idf * alone(&n.Scoring, f, words, average)
}

// nearestPhrase returns how many other words stand between the words of the
// nearest reading that starts at a place.
func nearestPhrase(n *plan.Phrase, places [][]int, start int) (int, bool) {
	at := start
	for i := 1; i < len(n.Words); i++ {
		wanted := at + n.Words[i].Offset - n.Words[i-1].Offset
		next := slices.IndexFunc(places[i], func(p int) bool { return p >= wanted })
		if next < 0 {
			return 0, false
		}
		at = places[i][next]
	}
	return at - start - n.Words[len(n.Words)-1].Offset + n.Words[0].Offset, true
}

func (c *Collection) nested(n *plan.Nested, d *Document) (bool, float64) {
	var scores []float64
	for _, child := range d.Children {
		if child.List != n.Path {
			continue
		}
		if ok, s := c.Match(n.Clause, child); ok {
			scores = append(scores, s)
		}
	}
	if len(scores) == 0 {
		return false, 0
	}
	total := 0.0
	for _, s := range scores {
		total += s
	}
	switch n.Fold {
	case plan.FoldMax:
		return true, slices.Max(scores)
	case plan.FoldMin:
		return true, slices.Min(scores)
	case plan.FoldAvg:
		return true, total / float64(len(scores))
	}
	return true, total
}

func (c *Collection) nearest(n *plan.Knn, d *Document) (bool, float64) {
	if c.lists[n] == nil {
		c.lists[n] = c.neighbours(n)
	}
	s, ok := c.lists[n][d]
	return ok, s
}

func (c *Collection) neighbours(n *plan.Knn) map[*Document]float64 {
	type neighbour struct {
		d *Document
		s float64
	}
	var all []neighbour
	for _, other := range c.All {
		v := other.Vectors[n.Structure]
		if v == nil || other.Deleted {
			continue
		}
		if n.Filter != nil {
			if ok, _ := c.Match(n.Filter, other); !ok {
				continue
			}
		}
		all = append(all, neighbour{other, similarity(n.Similarity, n.Vector, v)})
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].s > all[j].s })
	found := map[*Document]float64{}
	for _, hit := range all[:min(n.K, len(all))] {
		found[hit.d] = hit.s
	}
	return found
}

func similarity(s plan.Similarity, a, b []float32) float64 {
	dot, la, lb, square := 0.0, 0.0, 0.0, 0.0
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot, la, lb, square = dot+x*y, la+x*x, lb+y*y, square+(x-y)*(x-y)
	}
	switch s {
	case plan.Euclidean:
		return 1 / (1 + square)
	case plan.DotProduct:
		return (1 + dot) / 2
	}
	return (1 + dot/math.Sqrt(la*lb)) / 2
}

func (c *Collection) fuse(n *plan.Fuse, d *Document) (bool, float64) {
	if c.lists[n] == nil {
		found := map[*Document]float64{}
		for _, ranking := range n.Rankings {
			filters := []plan.Node{}
			if n.Filter != nil {
				filters = append(filters, n.Filter)
			}
			for i, hit := range c.Ranked(ranking.Clause, filters) {
				if i < n.Depth {
					found[hit.Document] += ranking.Weight / (n.RankConstant + float64(i+1))
				}
			}
		}
		c.lists[n] = found
	}
	s, ok := c.lists[n][d]
	return ok, s
}
