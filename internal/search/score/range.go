package score

// Range is the score of a word in a document that holds it in a reading other than
// the typed one, as a fraction of its idf: Least plus Span times its quality.
type Range struct{ Least, Span float64 }

// Of returns the value of a reading with a quality.
func (r Range) Of(quality float64) float64 { return r.Least + r.Span*quality }

// RangeOf returns the range of a reading within that many edits, of whole words or,
// with isStart, of words that continue after the reading. If the index knows the
// typed word, its other readings count almost nothing unless they complete it. If
// no document holds the typed word, its other readings carry the search: nearer
// ones count more, whatever their quality.
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
