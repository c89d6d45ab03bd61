package match

import (
	"slices"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/plan"
)

// A document with a synonym that only matches does not score by a typo of the word, although
// the walk finds all words of a window before it scores them.
func TestSynonymsThatOnlyMatchKeepTyposOut(t *testing.T) {
	x := &scriptIndex{documents: 100, holds: []scriptWord{
		{field: "title", word: "stones", every: 2, times: 1}, {field: "title", word: "moon", every: 3, times: 1},
	}}
	v := x.build(t)
	word := func(terms ...plan.WordTerm) *plan.Word {
		return &plan.Word{Words: 2, Fields: []plan.WordField{{Structure: titleField, Weight: 1, Length: definition.LengthNone, Terms: terms}}}
	}
	typed := word(plan.WordTerm{Text: "stoes", Boost: 1}, plan.WordTerm{Text: "moon"})
	typed.Read(0, &plan.Expand{Structure: titleField, Text: "stoes", Edits: 1})
	n := &plan.And{Clauses: []plan.Node{word(plan.WordTerm{Text: "stones", Boost: 1}), typed}}
	if err := v.Prepare(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	run := func(walk func(s *Scanner, sink Sink) error) []scriptHit {
		s, err := v.Scanner(t.Context(), 0, n, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		sink := &windowSink{}
		if err := walk(s, sink); err != nil {
			t.Fatal(err)
		}
		return sink.hits
	}
	all := run(func(s *Scanner, sink Sink) error {
		_, err := s.walkWindows(t.Context(), 0, Span, sink, untilEnd)
		return err
	})
	if len(all) != 50 || all[0].doc != 0 || all[1].doc != 2 || all[0].score >= all[1].score {
		t.Errorf("%d hits, %v", len(all), all[:min(2, len(all))])
	}
	if found := run(func(s *Scanner, sink Sink) error { return s.Run(t.Context(), 0, Span, sink) }); !slices.Equal(found, all) {
		t.Errorf("hits %v of a walk of the text, %v of all windows", found, all)
	}
}
