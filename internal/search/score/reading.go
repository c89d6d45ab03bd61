package score

// Reading is what a word counts for in a document that holds it in a reading
// other than the one typed: Least and Span times its quality, of its idf.
type Reading struct{ Least, Span float64 }

// Of is what a reading makes of a quality.
func (r Reading) Of(quality float64) float64 { return r.Least + r.Span*quality }

// ReadingOf returns how much a reading within so many edits counts: one of
// whole words, or one of words that go on after the reading. A reading of a word
// that the index knows counts almost nothing unless it completes the word.
// Those of a word that no document holds carry the search: what is nearer
// counts more, whatever the quality.
func ReadingOf(isKnown, isStart bool, edits int) Reading {
	switch {
	case isStart && edits == 0 && isKnown:
		return Reading{0, 0.9}
	case isStart && edits == 0:
		return Reading{0.6, 0.2}
	case isStart && edits == 1 && isKnown:
		return Reading{0, 0.01}
	case isStart && edits == 1:
		return Reading{0.3, 0.1}
	case isStart && isKnown:
		return Reading{0, 0.005}
	case isStart:
		return Reading{0.1, 0.1}
	case isKnown && edits == 1:
		return Reading{0, 0.02}
	case edits == 1:
		return Reading{0.4, 0.2}
	case isKnown:
		return Reading{0, 0.01}
	}
	return Reading{0.2, 0.1}
}
