package match

import "github.com/quiresearch/quire/internal/segment/terms"

// Steps with large buffers come from pools, so that later searches reuse them.

// newTerm returns the step of a term. It lives as long as the binder.
func (b *binder) newTerm(field *terms.Field, entry terms.Entry) *termStep {
	s := b.view.tables.steps.Get().(*termStep)
	b.owned = append(b.owned, s)
	s.field, s.entry = field, entry
	s.density = int(uint64(entry.DocFreq)*Span/uint64(max(b.documents, 1))) + 1
	return s
}

// newBest returns an empty bestStep. It lives as long as the binder.
func (b *binder) newBest() *bestStep {
	s := b.view.tables.bests.Get().(*bestStep)
	b.bests = append(b.bests, s)
	return s
}

// newSum returns an empty sumStep. It lives as long as the binder.
func (b *binder) newSum() *sumStep {
	s := b.view.tables.sums.Get().(*sumStep)
	b.sums = append(b.sums, s)
	return s
}

// newWord returns an empty wordStep. It lives as long as the binder.
func (b *binder) newWord() *wordStep {
	s := b.view.tables.words.Get().(*wordStep)
	b.words = append(b.words, s)
	return s
}

// stepPool holds steps that combine others; each has buffers for windows and for the steps
// below it.
type stepPool struct {
	ands                           []*andStep
	ors                            []*orStep
	phrases                        []*phraseStep
	usedAnds, usedOrs, usedPhrases int
}

// steps returns the pool, which lives as long as the binder.
func (b *binder) steps() *stepPool {
	if b.pool == nil {
		b.pool = b.view.tables.pools.Get().(*stepPool)
	}
	return b.pool
}

// newAnd returns an empty step that lives as long as the binder. So do newOr and newPhrase.
func (b *binder) newAnd() *andStep { return next(&b.steps().ands, &b.pool.usedAnds) }

func (b *binder) newOr() *orStep { return next(&b.steps().ors, &b.pool.usedOrs) }

func (b *binder) newPhrase() *phraseStep { return next(&b.steps().phrases, &b.pool.usedPhrases) }

// next returns the first unused item, appending one when all are in use.
func next[T any](all *[]*T, used *int) *T {
	if *used == len(*all) {
		*all = append(*all, new(T))
	}
	*used++
	return (*all)[*used-1]
}

// empty resets the steps in use, keeping their memory, and marks them unused.
func (s *stepPool) empty() {
	for _, a := range s.ands[:s.usedAnds] {
		a.steps, a.scoring, a.optional = emptied(a.steps), emptied(a.scoring), emptied(a.optional)
		clear(a.others)
		a.others, a.memo.valid = a.others[:0], false
	}
	for _, o := range s.ors[:s.usedOrs] {
		clear(o.terms)
		o.steps, o.terms, o.found = emptied(o.steps), o.terms[:0], lastWindow{}
	}
	for _, p := range s.phrases[:s.usedPhrases] {
		p.empty()
	}
	s.usedAnds, s.usedOrs, s.usedPhrases = 0, 0, 0
	s.ands, s.ors, s.phrases = trimmed(s.ands), trimmed(s.ors), trimmed(s.phrases)
}

// maxPooled bounds the steps of one kind that a pool keeps. Each has buffers for windows, and
// few searches use more.
const maxPooled = 64

func trimmed[T any](all []*T) []*T {
	if len(all) > maxPooled {
		clear(all[maxPooled:])
		return all[:maxPooled]
	}
	return all
}

func emptied(steps []step) []step {
	clear(steps)
	return steps[:0]
}

// release returns the steps to their pools; the binder's steps must not be used again. Steps
// that a panic left in the middle of a window are dropped.
func (b *binder) release() {
	for _, s := range b.owned {
		s.field, s.lengths, s.table = nil, nil, nil
		s.opened, s.started, s.once, s.weight, s.maxScore = [2]bool{}, false, false, 0, 0
		b.view.tables.steps.Put(s)
	}
	for _, s := range b.bests {
		if !s.busy {
			s.steps, s.found = emptied(s.steps), lastWindow{}
			b.view.tables.bests.Put(s)
		}
	}
	for _, s := range b.sums {
		if !s.busy {
			clear(s.parts)
			s.parts, s.curve, s.weight = s.parts[:0], curve{}, 0
			s.silent.steps, s.silent.found, s.found.valid = emptied(s.silent.steps), lastWindow{}, false
			b.view.tables.sums.Put(s)
		}
	}
	for _, s := range b.words {
		if !s.busy {
			for _, b := range s.memory[:s.used] {
				b.empty()
			}
			clear(s.bands)
			s.used = 0
			s.whole, s.start, s.bands, s.expansion, s.expanded = nil, nil, s.bands[:0], nil, nil
			b.view.tables.words.Put(s)
		}
	}
	for _, r := range b.scratches {
		r.clean()
		b.view.tables.scratches.Put(r)
	}
	if b.pool != nil {
		b.pool.empty()
		b.view.tables.pools.Put(b.pool)
	}
	b.owned, b.bests, b.sums, b.words, b.scratches, b.pool = nil, nil, nil, nil, nil, nil
}
