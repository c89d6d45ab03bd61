package match

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment/postings"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// expandStep matches documents that hold a term near a word; a document
// scores the constant of the best band it is in.
type expandStep struct {
	bands []band
	count int
	of    *expansion
	field *terms.Field
}

// band is the documents with a term at one distance, the nearest first: a set
// worked out beforehand, or a few terms walked side by side.
type band struct {
	step  step
	score float64
	memo  memo
}

const (
	// maxWalked is how many terms are walked side by side; more become sets.
	maxWalked = 8
	// minWalked is how many documents several terms have to be walked: fewer
	// become sets too, which tell how many they are.
	minWalked = 8192
)

func (b *binder) expand(n *plan.Expand, factor float64) (step, error) {
	field := b.segment.Reader.Terms(n.Structure)
	if field == nil {
		return noStep{}, nil
	}
	e := b.view.caches.expansion(b.segment.Reader, n)
	if e == nil {
		var err error
		if e, err = b.look(field, n); err != nil {
			return nil, err
		}
		b.view.caches.keepExpansion(b.segment.Reader, n, e)
	}
	s := b.newExpand()
	s.of, s.field = e, field
	if e.lazy != nil {
		s.add(&lazyStep{e.lazy}, b.constant(n, 0, factor))
		return s, nil
	}
	if e.sets == nil {
		return b.walked(s, n, factor), nil
	}
	for distance, set := range e.sets {
		if set.count > 0 {
			s.add(&setStep{set}, b.constant(n, distance, factor))
		}
	}
	if len(s.bands) == 0 {
		return noStep{}, nil
	}
	return s, nil
}

// expansion is what a word stands for in a segment, by distance: the terms
// where they are few, else the documents that hold them. What it stands for
// never changes.
type expansion struct {
	terms [][]terms.Entry
	sets  []*Set
	lazy  *lazySet // of a word without typos

	whole   terms.Entry // the word itself, DocFreq 0 when it is none of the terms
	atLeast int         // documents that hold one of the terms
	isCount bool        // atLeast is how many there are
}

func (e *expansion) bytes() int64 {
	total := int64(0)
	for _, entries := range e.terms {
		total += int64(len(entries)) * entryBytes
	}
	for _, set := range e.sets {
		total += set.Bytes()
	}
	if e.lazy != nil {
		total += e.lazy.bytes()
	}
	return total
}

// look finds what a word stands for.
func (b *binder) look(field *terms.Field, n *plan.Expand) (*expansion, error) {
	byDistance, err := b.readings(field, n)
	if err != nil {
		return nil, err
	}
	if err := b.view.stopped(lastTurn); err != nil {
		return nil, err
	}
	e := &expansion{}
	total, documents := 0, 0
	for _, entries := range byDistance {
		total += len(entries)
		for _, entry := range entries {
			documents += int(entry.DocFreq)
			e.atLeast = max(e.atLeast, int(entry.DocFreq))
		}
	}
	if whole, ok := field.Lookup([]byte(n.Text)); ok && slices.Contains(byDistance[0], whole) {
		e.whole = whole
	}
	if total <= 1 || total <= maxWalked && documents >= minWalked {
		e.terms, e.isCount = byDistance, total <= 1
		return e, nil
	}
	if len(byDistance) == 1 {
		if e.lazy = newLazySet(field, byDistance[0], b.documents); e.lazy != nil {
			e.atLeast = max(e.atLeast, e.lazy.head.count)
			return e, nil
		}
	}
	e.sets = make([]*Set, len(byDistance))
	for i, entries := range byDistance {
		var err error
		if e.sets[i], err = b.unionOf(field, entries); err != nil {
			return nil, err
		}
	}
	e.atLeast, e.isCount = countUnion(e.sets, b.documents), true
	return e, nil
}

// walked returns the step of a word that stands for a few terms.
func (b *binder) walked(s *expandStep, n *plan.Expand, factor float64) step {
	for distance, entries := range s.of.terms {
		union := b.newOr()
		for _, e := range entries {
			union.steps = append(union.steps, b.newTerm(s.field, e))
		}
		switch len(entries) {
		case 0:
		case 1:
			s.add(union.steps[0], b.constant(n, distance, factor))
		default:
			s.add(union, b.constant(n, distance, factor))
		}
	}
	if len(s.bands) == 0 {
		return noStep{}
	}
	return s
}

// constant is what a reading at a distance scores.
func (b *binder) constant(n *plan.Expand, distance int, factor float64) float64 {
	if !b.scoring || distance >= len(n.Constants) {
		return 0
	}
	return factor * n.Constants[distance]
}

func (s *expandStep) add(c step, score float64) {
	if len(s.bands) == cap(s.bands) {
		s.bands = append(s.bands, band{})
	} else {
		s.bands = s.bands[:len(s.bands)+1] // with the room of an earlier search
	}
	b := &s.bands[len(s.bands)-1]
	b.step, b.score = c, score
	s.count += c.cost()
}

// starting returns the terms that start with a word, and those whose surface
// forms start with it as typed.
func (b *binder) starting(field *terms.Field, n *plan.Expand) ([]terms.Entry, error) {
	from, to := field.Prefix([]byte(n.Text))
	surface := n.Surface
	if surface == "" {
		surface = n.Text
	}
	firstForm, lastForm := field.FormPrefix([]byte(surface))
	entries := make([]terms.Entry, 0, int(to-from)+lastForm-firstForm)
	for ord := from; ord < to; ord++ {
		if err := b.view.stopped(int(ord)); err != nil {
			return nil, err
		}
		entries = append(entries, field.At(ord))
	}
	if firstForm == lastForm {
		return entries, nil
	}
	for i := firstForm; i < lastForm; i++ {
		if err := b.view.stopped(i); err != nil {
			return nil, err
		}
		if _, ord := field.Form(i); ord < from || ord >= to {
			entries = append(entries, field.At(ord))
		}
	}
	return byOrd(entries), nil
}

// byOrd sorts entries and keeps each once.
func byOrd(entries []terms.Entry) []terms.Entry {
	slices.SortFunc(entries, func(a, b terms.Entry) int { return cmp.Compare(a.Ord, b.Ord) })
	return slices.CompactFunc(entries, func(a, b terms.Entry) bool { return a.Ord == b.Ord })
}

// readings returns the terms a word may stand for, by distance, each once at
// its smallest: its own distance from the stem of the word or from the word as
// typed, or that of one of its surface forms from the word as typed.
func (b *binder) readings(field *terms.Field, n *plan.Expand) (found [][]terms.Entry, err error) {
	found = make([][]terms.Entry, n.Edits+1)
	if n.Edits == 0 {
		found[0], err = b.starting(field, n)
		return found, err
	}
	options := terms.FuzzyOptions{Distance: uint8(n.Edits), PrefixLength: n.Fixed, Open: n.Prefix}
	matches, _ := field.Fuzzy(nil, []byte(n.Text), options)
	surface := []byte(n.Text)
	if n.Surface != "" {
		surface = []byte(n.Surface)
		matches, _ = field.Fuzzy(matches, surface, options)
	}
	matches, _ = field.FuzzyForms(matches, surface, options)
	slices.SortFunc(matches, func(a, b terms.Match) int {
		return cmp.Or(cmp.Compare(a.Ord, b.Ord), cmp.Compare(a.Distance, b.Distance))
	})
	for i, m := range matches {
		if i == 0 || matches[i-1].Ord != m.Ord {
			found[m.Distance] = append(found[m.Distance], m.Entry)
		}
	}
	return found, nil
}

// unionOf returns the documents that hold any of the terms.
func (b *binder) unionOf(field *terms.Field, entries []terms.Entry) (*Set, error) {
	total := 0
	for _, e := range entries {
		total += int(e.DocFreq)
	}
	var it postings.Iterator
	if total <= sortLimit(b.documents) {
		docs := make([]uint32, 0, total)
		for i, e := range entries {
			if err := b.view.stopped(i); err != nil {
				return nil, err
			}
			field.Iterator(&it, e)
			for it.NextBlock() {
				docs = append(docs, it.Docs()...)
			}
		}
		return newSparseSet(docs, b.documents), nil
	}
	all := bitset.New(b.documents)
	for i, e := range entries {
		if err := b.view.stopped(i); err != nil {
			return nil, err
		}
		field.Iterator(&it, e)
		if it.NextBlock() {
			it.IntoBitset(all.Words(), 0)
		}
	}
	return newSet(all), nil
}

func (s *expandStep) cost() int { return s.count }

func (s *expandStep) next(from uint32) uint32 {
	at := NoMore
	for i := range s.bands {
		at = min(at, s.bands[i].step.next(from))
	}
	return at
}

func (s *expandStep) bound(_, _ uint32) float64 {
	top := 0.0
	for i := range s.bands {
		top = max(top, s.bands[i].score)
	}
	return top
}

func (s *expandStep) run(base uint32, in, out *Bits, sums *Sums) {
	*out = Bits{}
	var window Bits
	for j := range s.bands {
		b := &s.bands[j]
		if sums == nil || !b.memo.recall(base, in, &window) {
			b.step.run(base, in, &window, nil)
			if sums == nil {
				b.memo.keep(base, &window)
			}
		}
		for i := range window {
			w := window[i] &^ out[i]
			out[i] |= w
			if sums == nil || b.score == 0 {
				continue
			}
			for w != 0 {
				sums[i<<6+bits.TrailingZeros64(w)] += b.score
				w &= w - 1
			}
		}
	}
}
