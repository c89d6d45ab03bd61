package match

import "context"

// strategy is a way to walk the matches of a plan. Each has a file that opens with its idea and
// an example.
type strategy uint8

const (
	exhaustive       strategy = iota // windows of any plan, see exhaustive.go
	singleTerm                       // block-max over one scored term, see singleterm.go
	unscoredTerm                     // blocks of one rare term that does not score, see singleterm.go
	maxscoreUnion                    // MAXSCORE over scored terms, see maxscore.go
	filteredWord                     // one word behind filters, see filteredword.go
	filteredUnion                    // scored terms behind narrow filters, see filteredunion.go
	conjunctive                      // block-max conjunction led by its rarest term, see conjunction.go
	denseConjunction                 // windows of frequent terms as bits, see dense.go
	filtered                         // conjunction led by a sparse set, see filtered.go
	phrase                           // positions of documents that hold all words, see phrasewalk.go
	listValues                       // nested clause that leads, see listvalues.go
	candidateList                    // champions of a word's readings, see candidates.go
	ratedReadings                    // readings that score by length, see ratedsets.go
	textConjunction                  // all words of a text over several fields, see textconjunction.go
	maxscoreText                     // MAXSCORE over the words of a text, see textmaxscore.go
)

var strategyNames = [...]string{
	exhaustive: "exhaustive", singleTerm: "single term", unscoredTerm: "unscored term", maxscoreUnion: "MAXSCORE union", filteredWord: "filtered word", filteredUnion: "filtered union",
	conjunctive: "conjunction", denseConjunction: "dense conjunction", filtered: "filtered", phrase: "phrase",
	listValues: "list values", candidateList: "candidates", ratedReadings: "rated readings",
	textConjunction: "text conjunction", maxscoreText: "MAXSCORE text",
}

func (s strategy) String() string { return strategyNames[s] }

// choice is a strategy and the parts of the root that it walks.
type choice struct {
	strategy    strategy
	term        *termStep    // singleTerm, unscoredTerm
	terms       []*termStep  // maxscoreUnion, filteredUnion
	narrow      *conjunction // filters of maxscoreUnion, filteredUnion, filteredWord, phrase; nil: none
	word        *wordStep    // filteredWord
	conjunction conjunction  // conjunctive, denseConjunction, filtered, listValues
	phrase      *phraseStep
	text        *text // ratedReadings, textConjunction, maxscoreText
	parts       []textPart
	sets        []ratedSet
}

// choose picks the strategy of a scan for a sink. Scans of list values are always exhaustive:
// their mask is itself a step.
func (s *Scanner) choose(sink Sink) choice {
	if s.isFoundFor(sink) {
		return choice{strategy: candidateList}
	}
	if s.mask.domain != nil {
		return choice{}
	}
	if c, ok := conjunctionOf(s.root); ok {
		return choice{strategy: c.strategy(), conjunction: c}
	}
	if p, narrow := phraseOf(s.root); p != nil {
		return choice{strategy: phrase, phrase: p, narrow: narrow}
	}
	switch root := s.root.(type) {
	case *termStep:
		if root.table != nil {
			return choice{strategy: singleTerm, term: root}
		}
		if root.density <= sparseLead {
			return choice{strategy: unscoredTerm, term: root}
		}
	case *orStep, *andStep:
		if c := s.unionOf(root); c.terms != nil {
			return c
		}
	}
	if s.sums != nil {
		if w, narrow := filteredWordOf(s.root); narrow != nil {
			return choice{strategy: filteredWord, word: w, narrow: narrow}
		}
		if t := textOf(s.root); t != nil {
			return s.chooseText(t)
		}
	}
	return choice{}
}

// strategy picks the strategy of a conjunction by the part that leads it.
func (c *conjunction) strategy() strategy {
	switch {
	case c.fold != nil:
		return listValues
	case c.lead == nil:
		return filtered
	case c.isSparse():
		return conjunctive
	}
	return denseConjunction
}

// chooseText picks the strategy of a text in which some word has several fields or readings.
func (s *Scanner) chooseText(t *text) choice {
	if parts := t.byBlocks(); parts != nil {
		return choice{strategy: textConjunction, text: t, parts: parts}
	}
	if sets := s.ratedSets(); sets != nil {
		return choice{strategy: ratedReadings, text: t, sets: sets}
	}
	return choice{strategy: maxscoreText, text: t}
}

// Run hands the matches in [from, to) to sink; to is a multiple of Span or the end of the
// segment. It stops early with the context's error.
func (s *Scanner) Run(ctx context.Context, from, to uint32, sink Sink) error {
	to = min(to, s.mask.documents)
	if from < min(to, s.scratch.counted.to) {
		var err error
		if from, err = s.runCounted(ctx, from, to, sink); err != nil || from >= to {
			return err
		}
	}
	c := s.choose(sink)
	switch c.strategy {
	case candidateList:
		return s.walkCandidates(ctx, &s.scratch.found, from, to, sink)
	case listValues:
		return s.walkListValues(ctx, c.conjunction, from, to, sink)
	case filtered:
		return s.walkFiltered(ctx, c.conjunction, from, to, sink)
	case conjunctive:
		return s.walkConjunction(ctx, c.conjunction, from, to, sink)
	case denseConjunction:
		return s.walkDense(ctx, c.conjunction, from, to, sink)
	case filteredUnion:
		return s.walkFilteredUnion(ctx, c.terms, c.narrow, from, to, sink)
	case filteredWord:
		return s.walkFilteredWord(ctx, c.word, c.narrow, from, to, sink)
	case phrase:
		return s.walkPhrase(ctx, c.phrase, c.narrow, from, to, sink)
	case unscoredTerm:
		return s.walkUnscored(ctx, c.term, from, to, sink)
	case textConjunction:
		return s.walkTextConjunction(ctx, c.text, c.parts, from, to, sink)
	case maxscoreText:
		return s.walkText(ctx, c.text, from, to, sink)
	}
	// There is nothing to skip while the sink wants every match.
	stop := untilPruning
	switch {
	case c.strategy == exhaustive:
		stop = untilEnd
	case c.narrow != nil:
		stop = untilThreshold // hits may not be ordered by score
	}
	base, err := s.walkWindows(ctx, from, to, sink, stop)
	if err != nil || base >= to {
		return err
	}
	switch {
	case c.strategy == singleTerm:
		return s.walkTerm(ctx, c.term, nil, base, to, sink)
	case c.strategy == maxscoreUnion:
		return s.walkUnion(ctx, c.terms, c.narrow, base, to, sink)
	case s.isFoundFor(sink):
		return s.walkCandidates(ctx, &s.scratch.found, base, to, sink)
	case s.root.bound(base, to) <= sink.Threshold():
		return s.walkText(ctx, c.text, base, to, sink)
	}
	return s.walkRatedSets(ctx, c.sets, base, to, sink)
}
