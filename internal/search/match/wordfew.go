package match

// A few documents of a window are looked up in the readings of a word one by one, because
// filling and clearing the bits of a window costs more. When hits are pruned, few documents are
// left by the time typos are looked up.

// fewRead is the largest number of documents that are looked up one by one.
const fewRead = 32

// addFew adds the scores of the given documents, in ascending order, for all readings of the
// word or for its bands only. It sets held for the documents that match. It returns false and
// adds nothing if some reading cannot be looked up by document.
func (s *wordStep) addFew(of side, docs []uint32, sums []float64, held *[fewRead]bool) bool {
	if len(docs) > fewRead || of == asTyped || !s.isFew() {
		return false
	}
	var typed [fewRead]bool
	if of == wholeWord {
		s.addTyped(docs, sums, &typed)
	}
	for i, doc := range docs {
		if held[i] = typed[i]; typed[i] {
			continue
		}
		for _, b := range s.bands {
			score, ok := b.read(doc)
			if !ok {
				continue
			}
			// Few documents are in a band, so the word as typed is looked up last.
			if of == wholeWord || !s.holdsTyped(doc) {
				held[i] = true
				sums[i] += score
			}
			break // only the nearest band counts
		}
	}
	return true
}

// isFew reports whether all readings can be looked up by document.
func (s *wordStep) isFew() bool {
	if s.start != nil {
		return false
	}
	switch whole := s.whole.(type) {
	case noStep:
	case *termStep:
		if whole.table == nil || !whole.opened[1] {
			return false
		}
	case *sumStep:
		if !whole.isPlain() {
			return false
		}
	default:
		return false
	}
	for _, b := range s.bands {
		for i := range b.fields {
			for _, find := range b.fields[i].find {
				switch find.(type) {
				case setStep, lazyStep, *termStep:
				default:
					return false
				}
			}
		}
	}
	return true
}

// addTyped adds the scores of the documents that hold the word as typed.
func (s *wordStep) addTyped(docs []uint32, sums []float64, typed *[fewRead]bool) {
	switch whole := s.whole.(type) {
	case *termStep:
		for i, doc := range docs {
			if at, index := whole.scorer.Seek(doc); at == doc {
				typed[i] = true
				sums[i] += float64(whole.scoreAt(doc, whole.scorer.FreqAt(index)))
			}
		}
	case *sumStep:
		readings := whole.lookUp(docs)
		for i := range readings {
			typed[i] = readings[i].parts > 0
			sums[i] += readings[i].score
		}
	}
}

// holdsTyped reports whether a document holds the word as typed. Documents must ascend from
// call to call.
func (s *wordStep) holdsTyped(doc uint32) bool {
	switch whole := s.whole.(type) {
	case *termStep:
		return holds(whole, doc)
	case *sumStep:
		for _, p := range whole.parts {
			if holds(p.termStep, doc) {
				return true
			}
		}
	}
	return false
}

// read returns the score of a document in the band; ok is false if it is not in the band.
// Documents must ascend from call to call.
func (b *band) read(doc uint32) (score float64, ok bool) {
	occurrences, share := 0.0, float32(0)
	for i := range b.fields {
		f := &b.fields[i]
		if !f.holds(doc) {
			continue
		}
		if ok = true; f.occurrences == nil {
			continue
		}
		length := lengthOf(f.lengths, doc)
		occurrences += float64(f.occurrences.Part(1, length))
		if f.shares != nil {
			share = max(share, f.shares[length])
		}
	}
	if occurrences > 0 && b.top > 0 {
		score = b.at(occurrences, float64(share))
	}
	return score, ok
}

func (f *bandField) holds(doc uint32) bool {
	for _, find := range f.find {
		if holds(find, doc) {
			return true
		}
	}
	return false
}

// holds reports whether a document is in the set of a step or holds its term. Documents must
// ascend from call to call.
func holds(s step, doc uint32) bool {
	switch s := s.(type) {
	case setStep:
		return s.set.Has(doc)
	case lazyStep:
		return s.set.Has(doc)
	case *termStep:
		at, _ := s.finder().Seek(doc)
		return at == doc
	}
	return false
}
