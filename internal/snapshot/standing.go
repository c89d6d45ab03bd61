package snapshot

import "sort"

// Standing returns the position of a document in the order of the index, by its
// global number. It is the same in every later snapshot with the document, whatever
// is merged, deleted or written.
func (s *Snapshot) Standing(global uint32) uint64 {
	segment, doc, ok := s.Find(global)
	if !ok {
		return s.end()
	}
	return segment.First + segment.Reader.Standing(doc)
}

// FromStanding returns the global number of the first document with at least the
// given standing, MaxDoc when there is none.
func (s *Snapshot) FromStanding(standing uint64) uint32 {
	i := sort.Search(len(s.Segments), func(i int) bool {
		return s.Segments[i].First+s.Segments[i].Reader.EndStanding() > standing
	})
	if i == len(s.Segments) {
		return s.MaxDoc
	}
	segment := s.Segments[i]
	if standing <= segment.First {
		return segment.Base
	}
	return segment.Base + segment.Reader.FromStanding(standing-segment.First)
}

func (s *Snapshot) end() uint64 {
	if len(s.Segments) == 0 {
		return 0
	}
	last := s.Segments[len(s.Segments)-1]
	return last.First + last.Reader.EndStanding()
}
