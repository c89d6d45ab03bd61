package match

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/segment/terms"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/internal/vfs"
)

func TestFrequentFirstPartsTerms(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	for range 200 {
		n := 1 + r.IntN(20)
		entries := make([]terms.Entry, n+r.IntN(60))
		for i := range entries {
			entries[i] = terms.Entry{Ord: uint32(i), DocFreq: uint32(1 + r.IntN(8))}
		}
		byOrd := func(a, b terms.Entry) int { return cmp.Compare(a.Ord, b.Ord) }
		before := slices.Clone(entries)
		frequentFirst(entries, n)
		least, most := entries[0].DocFreq, uint32(0)
		for i, e := range entries {
			if i < n {
				least = min(least, e.DocFreq)
			} else {
				most = max(most, e.DocFreq)
			}
		}
		if most > least {
			t.Fatalf("a term of %d documents stands behind one of %d", most, least)
		}
		if slices.SortFunc(entries, byOrd); !slices.Equal(entries, before) {
			t.Fatal("other terms")
		}
	}
}

// The terms of a half-typed word are looked up only as long as the search is wanted.
func TestHalfTypedWordsEndWithTheirContext(t *testing.T) {
	fs := vfs.Memory()
	b := segment.NewBuilder()
	text := b.Field(segment.FieldOptions{Name: "text", Kind: segment.Terms, Freqs: true, Positions: true, Lengths: true})
	for i := range 2_000 {
		b.StartDoc()
		b.Term(text, []byte("zoo"), 0)
		b.Term(text, fmt.Appendf(nil, "word%d", i), 1)
		b.Length(text, 2)
		b.EndDoc(true)
	}
	if _, err := b.Finish(fs, "s"); err != nil {
		t.Fatal(err)
	}
	reader, err := segment.Open(fs, "s", blockfile.Trusted)
	if err != nil {
		t.Fatal(err)
	}
	snap := snapshot.New(1, []*snapshot.Segment{snapshot.NewSegment(reader, nil, nil, nil)}, nil)
	defer snap.Release()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, n := range []plan.Node{
		&plan.Phrase{Structure: "text", Words: []plan.PhraseWord{{Terms: []string{"zoo"}}, {Offset: 1, Terms: []string{"wo"}, Prefix: true}}},
		&plan.Expand{Structure: "text", Text: "wo", Prefix: true},
	} {
		for _, ctx := range []context.Context{t.Context(), ended} {
			view := new(View)
			view.Reset(snap, nil, nil)
			view.Prepare(ctx, n)
			scanner, err := view.Scanner(ctx, 0, n, nil, false)
			if !errors.Is(err, ctx.Err()) {
				t.Errorf("%T: %v, want %v", n, err, ctx.Err())
			}
			if err == nil {
				scanner.Close()
			}
		}
	}
}

// phrase returns two or three words that often follow each other.
func (m *textMaker) phrase() plan.Node {
	n := &plan.Phrase{Structure: titleField, Scoring: plan.Scoring{Weight: float64(1 + m.IntN(3)), Length: m.length, Words: 2}}
	if m.IntN(5) == 0 {
		n.Slop = 1 + m.IntN(2)
	}
	at := m.IntN(len(windowWords))
	for offset := range 2 + m.IntN(2) {
		n.Words = append(n.Words, plan.PhraseWord{Offset: offset, Terms: []string{windowWords[at]}})
		at = min(at+m.IntN(3), len(windowWords)-1)
	}
	return n
}

// TestFilteredPhrases compares the hits of phrases behind filters with an exhaustive walk, in
// the same ways.
func TestFilteredPhrases(t *testing.T) {
	walked := map[string]int{}
	for seed := range uint64(8) {
		m := &textMaker{Rand: rand.New(rand.NewPCG(seed, 71)), length: definition.LengthModerate, values: []int{0, 2}[seed%2], documents: []int{0, 0, 300, 2500}[seed/2]}
		v := m.view(t)
		for request := range 60 {
			m.compare(t, v, fmt.Sprintf("seed %d, request %d", seed, request), m.phrase(), m.filters(), walked)
		}
	}
	for _, s := range []string{phrase.String(), phraseBehindFilters, phraseLedByFilter} {
		if walked[s] < 50 {
			t.Errorf("phrases were walked as %v", walked)
		}
	}
}
