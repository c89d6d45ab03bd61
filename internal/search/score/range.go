package score

// Range is what a word counts for in a document that holds it in a reading
// other than the one typed: Least and Span times its quality, of its idf.
type Range struct{ Least, Span float64 }

// Of is what a reading makes of a quality.
func (r Range) Of(quality float64) float64 { return r.Least + r.Span*quality }

// RangeOf returns how much a reading within so many edits counts: one of
// whole words, or one of words that go on after the reading. A reading of a word
// that the index knows counts almost nothing unless it completes the word.
// Those of a word that no document holds carry the search: what is nearer
// counts more, whatever the quality.
func RangeOf(isKnown, isStart bool, edits int) Range {
	switch {
	case isStart && edits == 0 && isKnown:
		return Range{0, 0.9}
	case isStart && edits == 0:
		return Range{0.6, 0.2}
	case isStart && edits == 1 && isKnown:
		return Range{0, 0.01}
	case isStart && edits == 1:
		return Range{0.3, 0.1}
	case isStart && isKnown:
		return Range{0, 0.005}
	case isStart:
		return Range{0.1, 0.1}
	case isKnown && edits == 1:
		return Range{0, 0.02}
	case edits == 1:
		return Range{0.4, 0.2}
	case isKnown:
		return Range{0, 0.01}
	}
	return Range{0.2, 0.1}
}
