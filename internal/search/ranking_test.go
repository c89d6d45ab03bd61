package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

const rankingDefinition = `{"fields":{"id":{"type":"string","role":"id"},"title":{"type":"string","role":"title"},"body":{"type":"string","role":"description"},
	"prose":{"type":"string","matching":{"typoTolerance":{},"lengthNormalization":"moderate"}}}}`

// rankingIndex holds documents of titles and bodies, in segments of perSegment
// documents.
func rankingIndex(t *testing.T, lines []string, perSegment int) *index {
	x := newIndex(t, rankingDefinition)
	for part := range slices.Chunk(lines, perSegment) {
		x.add(t, part, func(int) bool { return false })
	}
	return x
}

// ranked returns the keys of the hits of a text in order.
func ranked(t *testing.T, x *index, clause string) []string {
	t.Helper()
	var keys []string
	for _, h := range x.mustSearch(t, `{"limit":1000,"query":[{"type":"text",`+clause+`}]}`).Hits {
		keys = append(keys, h.ID)
	}
	return keys
}

// TestStatedOrders checks the ranking against the orders that the interface
// promises.
func TestStatedOrders(t *testing.T) {
	filler := func(lines []string) []string {
		for i := range 40 {
			lines = append(lines, fmt.Sprintf(`{"id":"f%02d","title":"other thing %d","body":"some more words here"}`, i, i))
		}
		return lines
	}
	for _, c := range []struct {
		name, clause string
		lines        []string
		want         string
	}{
		{"the word before one edit before two", `"text":"keyboards","match":"any"`, []string{
			`{"id":"two","title":"kexboart"}`, `{"id":"one","title":"keyboart"}`,
			`{"id":"exact","body":"a very long text about many things that says keyboard once and much else besides that nobody asked for"}`,
		}, "exact one two"},
		{"of a word that is not in the index, one edit before two", `"text":"keyboxrds","match":"any"`, []string{
			`{"id":"two","title":"kexboards"}`, `{"id":"one","body":"long words before it and behind it keyboards and on and on"}`,
		}, "one two"},
		{"a rarer word counts more", `"text":"thing zebra","match":"any"`, []string{
			`{"id":"common","title":"thing","body":"thing thing"}`, `{"id":"rare","title":"zebra"}`,
		}, "rare common"},
		{"a shorter value counts more with strong", `"text":"zebra","match":"any"`, []string{
			`{"id":"long","title":"zebra crossing in town"}`, `{"id":"short","title":"zebra crossing"}`, `{"id":"only","title":"zebra"}`,
		}, "only short long"},
		{"a shorter value counts more with moderate", `"text":"zebra","match":"any"`, []string{
			`{"id":"long","prose":"zebra crossing in town"}`, `{"id":"short","prose":"zebra crossing"}`,
		}, "short long"},
		{"a title counts more than a body", `"text":"zebra","match":"any"`, []string{
			`{"id":"body","body":"zebra crossing"}`, `{"id":"title","title":"zebra crossing"}`,
		}, "title body"},
		{"two fields count more than one", `"text":"zebra","match":"any"`, []string{
			`{"id":"one","title":"zebra crossing"}`, `{"id":"both","title":"zebra crossing","body":"of a zebra"}`,
		}, "both one"},
		{"all words before one of them", `"text":"zebra lion","match":"any"`, []string{
			`{"id":"one","title":"zebra","body":"zebra zebra zebra"}`, `{"id":"all","title":"some animals","body":"zebra and lion and others"}`,
		}, "all one"},
		{"neighbours that stand together in a title", `"text":"red zebra","match":"all"`, []string{
			`{"id":"apart","title":"red coats for those who have seen the last big zebra"}`, `{"id":"near","title":"coats for those who have seen the last big red zebra"}`,
		}, "near apart"},
		{"the last of several words with a typo", `"text":"canon powersht","match":"all"`, []string{`{"id":"1","title":"Canon PowerShot"}`}, "1"},
		{"the last word as a start", `"text":"canon pow","match":"all"`, []string{`{"id":"1","title":"Canon PowerShot"}`, `{"id":"2","title":"canon pow"}`}, "2 1"},
		{"the value that is the whole text", `"text":"zebra crossing","match":"all"`, []string{
			`{"id":"more","title":"zebra crossing zebra crossing"}`, `{"id":"whole","title":"zebra crossing"}`,
		}, "whole more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ranked(t, rankingIndex(t, filler(c.lines), 1000), c.clause)
			got = slices.DeleteFunc(got, func(key string) bool { return key[0] == 'f' })
			if want := strings.Fields(c.want); len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

// TestNoneIgnoresTheLengthOfAValueThatHoldsAWordOnce checks ruling R22.
func TestNoneIgnoresTheLengthOfAValueThatHoldsAWordOnce(t *testing.T) {
	x := rankingIndex(t, []string{`{"id":"1","body":"zebra"}`, `{"id":"2","body":"the zebra stood there for a long time and looked"}`, `{"id":"3","body":"lion"}`}, 10)
	hits := x.mustSearch(t, `{"query":[{"type":"text","text":"zebra","fields":{"body":null}}]}`).Hits
	if len(hits) != 2 || hits[0].Score != hits[1].Score {
		t.Errorf("got %v", hits)
	}
}

// inflected returns words whose stems are far from their surface forms, so that a
// segment that lacks one form does not interpret its misspelling on its own.
func (m maker) inflected(most int) string {
	all := make([]string, 1+m.IntN(most))
	for i := range all {
		all[i] = m.of("documentation", "documented", "documents", "happy", "happiness", "organization", "organizations", "organized",
			"stories", "story", "studying", "studies", "synchronization", "synchronized", "synchronous", "relational", "relations")
	}
	return strings.Join(all, " ")
}

// misspelt changes, drops or swaps letters of a text, or truncates it.
func (m maker) misspelt(text string) string {
	for range 1 + m.IntN(2) {
		switch at := 1 + m.IntN(len(text)-2); m.IntN(4) {
		case 0:
			text = text[:at] + "x" + text[at+1:]
		case 1:
			text = text[:at] + text[at+1:]
		case 2:
			text = text[:at] + text[at+1:at+2] + text[at:at+1] + text[at+2:]
		case 3:
			text = text[:len(text)-m.IntN(min(4, len(text)-2))]
		}
	}
	return text
}

// TestScoresDependNeitherOnSegmentsNorOnTheScaleOfWeights compares orders and
// scores over random documents.
func TestScoresDependNeitherOnSegmentsNorOnTheScaleOfWeights(t *testing.T) {
	for seed := range uint64(20) {
		m := maker{rand.New(rand.NewPCG(seed, 11))}
		lines := make([]string, 60)
		for i := range lines {
			lines[i] = fmt.Sprintf(`{"id":"%d","title":%q,"body":%q}`, i, m.words(2)+" "+m.inflected(2), m.words(8)+" "+m.inflected(7))
		}
		whole, parts := rankingIndex(t, lines, 100), rankingIndex(t, lines, 1+m.IntN(30))
		for range 10 {
			text := m.typed(false)
			if m.IntN(2) == 0 {
				text = m.misspelt(m.inflected(3))
			}
			match, typos := m.of("any", "all", "phrase"), m.of("auto", "off")
			body := func(title, body float64) string {
				return fmt.Sprintf(`{"limit":100,"query":[{"type":"text","text":%q,"match":%q,"relax":"off","typos":%q,"fields":{"title":%g,"body":%g}}]}`, text, match, typos, title, body)
			}
			one, several, scaled := whole.mustSearch(t, body(3, 1)), parts.mustSearch(t, body(3, 1)), whole.mustSearch(t, body(12, 4))
			if len(one.Hits) != len(several.Hits) || len(one.Hits) != len(scaled.Hits) {
				t.Fatalf("seed %d, %q: %d, %d and %d hits", seed, text, len(one.Hits), len(several.Hits), len(scaled.Hits))
			}
			for i, h := range one.Hits {
				if several.Hits[i].ID != h.ID || several.Hits[i].Score != h.Score {
					t.Fatalf("seed %d, %q, hit %d: %s %v in one segment, %s %v in several", seed, text, i, h.ID, h.Score, several.Hits[i].ID, several.Hits[i].Score)
				}
				if scaled.Hits[i].ID != h.ID {
					t.Fatalf("seed %d, %q, hit %d: %s, with four times the weights %s", seed, text, i, h.ID, scaled.Hits[i].ID)
				}
			}
		}
	}
}

// TestSurfaceFormsOfALaterSegmentCountInEarlierOnes runs the same search before and
// after a commit, when what was cached for the first is no longer valid.
func TestSurfaceFormsOfALaterSegmentCountInEarlierOnes(t *testing.T) {
	x := newIndex(t, `{"fields":{"id":{"type":"string","role":"id"},"title":{"type":"string","role":"title"},"kind":{"type":"string","facet":{}},
		"parts":{"type":"object","multiple":true,"mode":"nested","fields":{"name":{"type":"string","matching":{"typoTolerance":{}}}}}}}`)
	const text, part = `{"type":"text","text":"documentaton","relax":"off","fields":{"title":null}}`, `{"type":"text","text":"documentaton"}`
	for _, step := range []struct{ word, with, without string }{{"documented", "", "1"}, {"documentation", "1 2", ""}, {"documents", "1 2 3", ""}} {
		x.add(t, []string{fmt.Sprintf(`{"id":"%d","kind":"a","title":%q,"parts":[{"name":%q}]}`, len(x.segments)+1, step.word, step.word)}, nil)
		for body, want := range map[string]string{
			`{"query":[` + text + `]}`: step.with,
			`{"query":[{"type":"nested","path":"parts","clauses":[` + part + `]}]}`:                                                          step.with,
			`{"facets":[{"field":"kind"}],"filters":[{"type":"nested","path":"parts","clauses":[{"type":"not","clauses":[` + part + `]}]}]}`: step.without,
		} {
			for range 2 {
				answer := x.mustSearch(t, body)
				var got []string
				for _, h := range answer.Hits {
					got = append(got, h.ID)
				}
				slices.Sort(got)
				if strings.Join(got, " ") != want {
					t.Errorf("after %s: %s: got %v, want %s", step.word, body, got, want)
				}
				for _, f := range answer.Facets {
					counted := 0
					for _, v := range f.Values {
						counted += int(v.Count)
					}
					if counted != len(got) {
						t.Errorf("after %s: %s: %d counted, %d hits", step.word, body, counted, len(got))
					}
				}
			}
		}
	}
}

// TestWordsWithoutTheirDiacritics counts a form of one segment in all of them.
func TestWordsWithoutTheirDiacritics(t *testing.T) {
	x := newIndex(t, `{"fields":{"id":{"type":"string","role":"id"},"title":{"type":"string","locales":{"defaultLocale":"cs"},"matching":{"typoTolerance":{}}}}}`)
	for _, line := range []string{`{"id":"1","title":"růže"}`, `{"id":"2","title":"růžemi"}`, `{"id":"3","title":"růženka"}`, `{"id":"4","title":"ruze"}`, `{"id":"5","title":"kůže"}`} {
		x.add(t, []string{line}, nil)
	}
	for _, c := range []struct{ clause, want string }{
		{`"text":"ruze","prefix":"off"`, "4 1 2"},
		{`"text":"ruzemi","prefix":"off"`, "4 1 2"},
		{`"text":"růže","prefix":"off"`, "1 2"},
		{`"text":"ruze","prefix":"off","typos":"off"`, "4"},
		{`"text":"ruz"`, "4 1 2 3"},
		{`"text":"ruzen"`, "3 1 2 4"},
		{`"text":"\"ruze\"","match":"user"`, "4"},
	} {
		if got := strings.Join(ranked(t, x, c.clause), " "); got != c.want {
			t.Errorf("%s: got %s, want %s", c.clause, got, c.want)
		}
	}
	const body = `{"query":[{"type":"text","text":"ruze"}]}`
	for _, h := range x.mustSearch(t, body).Hits {
		x.checkScore(t, body, &h)
	}
}

// TestWordsWrittenTogetherOrApart finds the words of any segment.
func TestWordsWrittenTogetherOrApart(t *testing.T) {
	x := newIndex(t, `{"fields":{"id":{"type":"string","role":"id"},"title":{"type":"string","matching":{"typoTolerance":{}}},"body":{"type":"string","matching":{"typoTolerance":{}}}}}`)
	for _, line := range []string{
		`{"id":"1","title":"a notebook"}`,
		`{"id":"2","title":"a note in a book"}`,
		`{"id":"3","body":"rain coat"}`,
		`{"id":"4","title":"coat","body":"rain"}`,
		`{"id":"5","title":"sunscreens"}`,
	} {
		x.add(t, []string{line}, nil)
	}
	const six = "one two three four five six "
	for _, c := range []struct{ clause, want string }{
		{`"text":"note book"`, "2 1"},
		{`"text":"notebook"`, "1"},
		{`"text":"raincoat"`, "3"},
		{`"text":"sun screen"`, "5"},
		{`"text":"sun scr"`, "5"},
		{`"text":"sun s"`, "5"},
		{`"text":"sun scr","prefix":"off","relax":"off"`, ""},
		{`"text":"note boo"`, "2"},
		{`"text":"` + six + `note book","match":"any"`, "2 1"},
		{`"text":"` + six + `seven note book","match":"any"`, "2"},
		{`"text":"\"note book\"","match":"user"`, ""},
		{`"text":"raincoat","match":"phrase"`, ""},
	} {
		if got := strings.Join(ranked(t, x, c.clause), " "); got != c.want {
			t.Errorf("%s: got %s, want %s", c.clause, got, c.want)
		}
	}
	for _, text := range []string{"note book", "raincoat", "a new raincoat", "note book raincoat", "sun scr"} {
		body := `{"query":[{"type":"text","text":"` + text + `","match":"any"}]}`
		for _, h := range x.mustSearch(t, body).Hits {
			x.checkScore(t, body, &h)
		}
	}
}

// TestAWordTypedLikeTheStemOfAnother finds the other with one typo.
func TestAWordTypedLikeTheStemOfAnother(t *testing.T) {
	x := newIndex(t, `{"fields":{"id":{"type":"string","role":"id"},"title":{"type":"string","locales":{"defaultLocale":"en"},"matching":{"typoTolerance":{}}}}}`)
	for _, line := range []string{`{"id":"1","title":"coffee maker"}`, `{"id":"2","title":"committees"}`, `{"id":"3","title":"employees"}`, `{"id":"4","title":"maker"}`} {
		x.add(t, []string{line}, nil)
	}
	for _, c := range []struct{ clause, want string }{
		{`"text":"coffe","prefix":"off"`, "1"},
		{`"text":"coffe maker","relax":"off"`, "1"},
		{`"text":"committe","prefix":"off"`, "2"},
		{`"text":"employe","prefix":"off"`, "3"},
		{`"text":"coffe","prefix":"off","typos":"off"`, ""},
	} {
		if got := strings.Join(ranked(t, x, c.clause), " "); got != c.want {
			t.Errorf("%s: got %s, want %s", c.clause, got, c.want)
		}
	}
	const body = `{"query":[{"type":"text","text":"coffe maker"}]}`
	for _, h := range x.mustSearch(t, body).Hits {
		x.checkScore(t, body, &h)
	}
}
