package search

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/quiresearch/quire/query"
)

// prunedDefinition has one to five text fields with random weights, length
// normalization and typo tolerance.
func (m maker) prunedDefinition() (definition string, fields []string) {
	var b strings.Builder
	b.WriteString(`{"fields":{"id":{"type":"string","primaryKey":true},"kind":{"type":"string","filter":{}}`)
	for _, name := range []string{"title", "body", "notes", "more", "tail"}[:1+m.IntN(5)] {
		typos := ""
		if m.IntN(2) == 0 {
			typos = `,"typoTolerance":{}`
		}
		fmt.Fprintf(&b, `,%q:{"type":"string","matching":{"weight":%d,"lengthNormalization":%q%s}}`, name, 1+m.IntN(3), m.of("strong", "moderate", "none"), typos)
		fields = append(fields, name)
	}
	b.WriteString("}}")
	return b.String(), fields
}

// prunedWords are the words searched for, from frequent to rare, together with
// words near them.
var prunedWords = []string{"water", "stones", "garden", "lantern", "winter", "gardens", "lanterns", "waters", "stonex", "wintry", "harbour"}

// rareWords are words that few documents hold.
var rareWords = []string{"comet", "zenith", "quartz"}

// TestPrunedHitsAreTheBest compares the best hits of texts with the first of a
// thousand hits, over enough documents that blocks and windows are skipped: if a
// bound were below a score that it must dominate, a hit would be missing.
func TestPrunedHitsAreTheBest(t *testing.T) {
	skipped := 0
	for seed := range uint64(8) {
		m := maker{rand.New(rand.NewPCG(seed, 21))}
		definition, fields := m.prunedDefinition()
		x := newIndex(t, definition)
		value := func(most int) string {
			words := make([]string, 1+m.IntN(most))
			for i := range words {
				words[i] = fmt.Sprintf("filler%d", m.IntN(300))
				if m.IntN(200) == 0 {
					words[i] = m.of("comet", "zenith", "quartz", "comet zenith", "comet zenith quartz")
				} else if m.IntN(12) == 0 {
					words[i] = prunedWords[min(m.IntN(len(prunedWords)), m.IntN(len(prunedWords)))]
				}
			}
			return strings.Join(words, " ")
		}
		least := 5000
		if seed%4 == 3 {
			least = 40_000 // so that texts process several windows as one
		}
		for segment := range 1 + m.IntN(2) {
			lines := make([]string, least+m.IntN(5000))
			for i := range lines {
				var b strings.Builder
				fmt.Fprintf(&b, `{"id":"%d-%d","kind":%q`, segment, i, m.of("a", "b"))
				for j, name := range fields {
					if m.IntN(5) > 0 {
						fmt.Fprintf(&b, `,%q:%q`, name, value(3+4*j))
					}
				}
				lines[i] = b.String() + "}"
			}
			deletes := m.IntN(2) == 0
			x.add(t, lines, func(int) bool { return deletes && m.IntN(9) == 0 })
		}
		for range 40 {
			asked := prunedWords
			if m.IntN(2) == 0 { // few documents have two of them near each other, and these come first
				asked = append(rareWords, asked[:2]...)
			}
			text := m.some(1+m.IntN(min(5, len(asked))), asked)
			if m.IntN(3) == 0 {
				at := 1 + m.IntN(len(text)-1)
				text = text[:at] + text[at+1:] // a typo, or two words joined
			}
			boost := ""
			for range max(0, m.IntN(5)-2) { // raise documents in addition to their words and pairs
				boost += fmt.Sprintf(`,{"type":"boost","weight":%d,"clauses":[{"type":"text","text":%q,"match":"any","relax":"off"}]}`, 1+m.IntN(3), m.of(asked...))
			}
			rest := fmt.Sprintf(`"query":[{"type":"text","text":%q,"match":%q,"typos":%q,"prefix":%q,"relax":"off"}%s]`,
				text, m.of("any", "all"), m.of("auto", "off"), m.of("last_token", "off"), boost)
			if m.IntN(4) == 0 {
				rest += `,"filters":[{"field":"kind","match":{"value":"a"}}]`
			}
			limit := 1 + m.IntN(15)
			many := x.mustSearch(t, `{"limit":1000,`+rest+`}`)
			for turn := range 2 { // the second time, the score of the last hit is the threshold
				few := x.mustSearch(t, fmt.Sprintf(`{"limit":%d,%s}`, limit, rest))
				if len(few.Hits) != min(limit, len(many.Hits)) {
					t.Fatalf("seed %d, %s, turn %d: %d of %d hits, limit %d", seed, rest, turn, len(few.Hits), len(many.Hits), limit)
				}
				if !few.Total.Exact {
					skipped++
				}
				for i, h := range few.Hits {
					if want := many.Hits[i]; h.ID != want.ID || h.Score != want.Score {
						t.Fatalf("seed %d, %s, turn %d, hit %d of %d: %s %v, among many %s %v\n%s", seed, rest, turn, i, limit, h.ID, h.Score, want.ID, want.Score, definition)
					}
				}
			}
			for _, i := range []int{0, len(many.Hits) / 2, len(many.Hits) - 1} {
				if i >= 0 && i < len(many.Hits) {
					x.checkScore(t, `{`+rest+`}`, &many.Hits[i])
				}
			}
		}
	}
	if skipped < 120 {
		t.Errorf("matches were left out in %d searches only", skipped)
	}
}

// TestPairsAreFoundAmongSingleWords has many documents with one word of a text, and
// few with both near each other, which alone become hits: in most windows only
// these can.
func TestPairsAreFoundAmongSingleWords(t *testing.T) {
	x := newIndex(t, `{"fields":{"id":{"type":"string","primaryKey":true},"title":{"type":"string","role":"title"},"body":{"type":"string","role":"description"}}}`)
	var lines, pairs []string
	for i := range 20000 {
		title := []string{"comet passing over hills", "zenith above the hills", "nothing but a filler"}[i%3]
		if i%997 == 5 {
			title = "comet zenith over hills"
			pairs = append(pairs, fmt.Sprint(i))
		}
		lines = append(lines, fmt.Sprintf(`{"id":"%d","title":%q,"body":"filler"}`, i, title))
	}
	x.add(t, lines, func(int) bool { return false })
	for range 2 {
		found := x.mustSearch(t, `{"limit":12,"query":[{"type":"text","text":"comet zenith","match":"any","relax":"off","prefix":"off"}]}`)
		if len(found.Hits) != 12 {
			t.Fatalf("%d hits, not 12", len(found.Hits))
		}
		for i, h := range found.Hits {
			if h.ID != pairs[i] || h.Score != found.Hits[0].Score {
				t.Errorf("hit %d is %s with %v, not %s with %v", i, h.ID, h.Score, pairs[i], found.Hits[0].Score)
			}
		}
	}
}

// checkScore compares the score of a hit with that of its explanation, which skips
// nothing.
func (x *index) checkScore(t *testing.T, body string, h *query.Hit) {
	t.Helper()
	request, err := query.DecodeExplain([]byte(body), query.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	e, err := x.searcher.Explain(context.Background(), x.snapshot(), request, h.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := float64(h.Score); math.Abs(e.Detail.Score-got) > 1e-6*(1+got) {
		t.Fatalf("%s: %s scores %v, explained %v", body, h.ID, got, e.Detail.Score)
	}
}

// readingWords have common prefixes and are near each other, from frequent to rare.
var readingWords = []string{"window", "winter", "wind", "windows", "winner", "wine", "windy", "win", "wintry", "lantern", "wìne", "wîndow"}

// TestReadingsOfAWordAreTheBest compares the best hits of one word, which come from
// champion lists, with the same hits among more than those lists hold.
func TestReadingsOfAWordAreTheBest(t *testing.T) {
	for seed := range uint64(12) {
		m := maker{rand.New(rand.NewPCG(seed, 22))}
		x := newIndex(t, fmt.Sprintf(`{"fields":{"id":{"type":"string","primaryKey":true},"body":{"type":"string",
			"matching":{"analyzer":{"custom":{"tokenizer":{"whitespace":{}},"filters":[{"normalize":{}}]}},"lengthNormalization":%q,"typoTolerance":{}}}}}`,
			m.of("strong", "moderate", "none")))
		rare, longest := 4+m.IntN(60), 1+m.IntN(30)
		for segment := range 1 + m.IntN(2) {
			lines := make([]string, 3000+m.IntN(3000))
			for i := range lines {
				words := make([]string, 1+m.IntN(longest))
				for j := range words {
					words[j] = fmt.Sprintf("filler%d", m.IntN(300))
					if m.IntN(rare) == 0 {
						words[j] = readingWords[min(m.IntN(len(readingWords)), m.IntN(len(readingWords)))]
					}
				}
				lines[i] = fmt.Sprintf(`{"id":"%d-%d","body":%q}`, segment, i, strings.Join(words, " "))
			}
			deletes := m.IntN(2) == 0
			x.add(t, lines, func(int) bool { return deletes && m.IntN(3) == 0 })
		}
		for range 30 {
			text := m.of(readingWords...)
			if at := 2 + m.IntN(len(text)-1); m.IntN(2) == 0 && at < len(text) {
				text = text[:at]
			}
			if at := 1 + m.IntN(len(text)-1); m.IntN(3) == 0 {
				text = text[:at] + m.of("", "x", "i") + text[at+1:]
			}
			rest := fmt.Sprintf(`"query":[{"type":"text","text":%q,"typos":%q,"prefix":%q,"relax":"off"}]`, strings.ToValidUTF8(text, "�"), m.of("auto", "off"), m.of("last_token", "off"))
			limit := 1 + m.IntN(15)
			few := x.mustSearch(t, fmt.Sprintf(`{"limit":%d,%s}`, limit, rest))
			many := x.mustSearch(t, `{"limit":1000,`+rest+`}`)
			if len(few.Hits) != min(limit, len(many.Hits)) {
				t.Fatalf("seed %d, %s: %d of %d hits, limit %d", seed, rest, len(few.Hits), len(many.Hits), limit)
			}
			for i, h := range few.Hits {
				if want := many.Hits[i]; h.ID != want.ID || h.Score != want.Score {
					t.Fatalf("seed %d, %s, hit %d of %d: %s %v, among many %s %v", seed, rest, i, limit, h.ID, h.Score, want.ID, want.Score)
				}
			}
			if len(many.Hits) > 0 {
				x.checkScore(t, `{`+rest+`}`, &many.Hits[m.IntN(len(many.Hits))])
			}
		}
	}
}

// TestPrunedUnionsOfALargeSegment is TestPrunedHitsAreTheBest for unions of terms,
// over so many documents that several windows are processed as one.
func TestPrunedUnionsOfALargeSegment(t *testing.T) {
	m := maker{rand.New(rand.NewPCG(1, 23))}
	x := newIndex(t, `{"fields":{"id":{"type":"string","primaryKey":true},"body":{"type":"string",
		"matching":{"analyzer":{"custom":{"tokenizer":{"whitespace":{}},"filters":[{"normalize":{}}]}}}}}}`)
	words := []string{"water", "stones", "garden", "lantern", "winter", "harbour", "comet"}
	lines := make([]string, 140_000)
	for i := range lines {
		value := make([]string, 1+m.IntN(4))
		for j := range value {
			value[j] = "filler"
			if n := m.IntN(40); n < len(words) {
				value[j] = words[min(n, m.IntN(len(words)))]
			}
		}
		if m.IntN(1500) == 0 { // one that alone determines the bound of its window
			value = append(value[:0], m.some(6, words), m.some(6, words), m.some(9, []string{"filler"}))
		}
		lines[i] = fmt.Sprintf(`{"id":"%d","body":%q}`, i, strings.Join(value, " "))
	}
	x.add(t, lines, func(int) bool { return m.IntN(9) == 0 })
	skipped := 0
	for range 40 {
		m.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		text := strings.Join(words[:3+m.IntN(4)], " ")
		rest := fmt.Sprintf(`"query":[{"type":"text","text":%q,"match":"any","typos":"off","prefix":"off","relax":"off"}]`, text)
		limit := 1 + m.IntN(15)
		few, all := x.mustSearch(t, fmt.Sprintf(`{"limit":%d,%s}`, limit, rest)), x.mustSearch(t, fmt.Sprintf(`{"limit":%d,"total":"exact",%s}`, limit, rest))
		if !few.Total.Exact {
			skipped++
		}
		if len(few.Hits) != len(all.Hits) {
			t.Fatalf("%s: %d hits, want %d", rest, len(few.Hits), len(all.Hits))
		}
		for i, h := range few.Hits {
			if want := all.Hits[i]; h.ID != want.ID || h.Score != want.Score {
				t.Fatalf("%s, hit %d of %d: %s %v, among all %s %v", rest, i, limit, h.ID, h.Score, want.ID, want.Score)
			}
		}
	}
	if skipped < 30 {
		t.Errorf("matches were left out in %d searches only", skipped)
	}
}
