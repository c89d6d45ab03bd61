package match

import "github.com/quiresearch/quire/internal/segment/terms"

// Steps with much memory are lent to a binder and used again by later
// searches.

// newTerm returns the step of a term. It lives as long as the binder.
func (b *binder) newTerm(field *terms.Field, entry terms.Entry) *termStep {
	s := b.view.tables.steps.Get().(*termStep)
	b.owned = append(b.owned, s)
	s.field, s.entry = field, entry
	s.density = int(uint64(entry.DocFreq)*Span/uint64(max(b.documents, 1))) + 1
	return s
}

// newBest returns a step that takes the best score. It lives as long as the
// binder.
func (b *binder) newBest() *bestStep {
	s := b.view.tables.bests.Get().(*bestStep)
	b.bests = append(b.bests, s)
	return s
}

// newBlend returns a step that scores terms as one. It lives as long as the
// binder.
func (b *binder) newBlend() *blendStep {
	s := b.view.tables.blends.Get().(*blendStep)
	b.blends = append(b.blends, s)
	return s
}

// release gives the steps back; the binder's steps must not be used again.
// Those that a panic left in the middle of a window are let go.
func (b *binder) release() {
	for _, s := range b.owned {
		s.field, s.lengths, s.table = nil, nil, nil
		s.opened, s.started, s.once, s.weight, s.ceiling = [2]bool{}, false, false, 0, 0
		b.view.tables.steps.Put(s)
	}
	for _, s := range b.bests {
		if !s.busy {
			s.steps, s.found = nil, window{}
			b.view.tables.bests.Put(s)
		}
	}
	for _, s := range b.blends {
		if !s.busy {
			clear(s.parts)
			clear(s.find.steps)
			s.parts, s.find.steps, s.find.found = s.parts[:0], s.find.steps[:0], window{}
			s.lengths, s.table, s.weight, s.wholeTop = nil, nil, 0, 0
			b.view.tables.blends.Put(s)
		}
	}
	for _, r := range b.rooms {
		r.clean()
		b.view.tables.rooms.Put(r)
	}
	b.owned, b.bests, b.blends, b.rooms = nil, nil, nil, nil
}
