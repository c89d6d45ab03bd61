package segmenter

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/quiresearch/quire/internal/analysis/token"
	"github.com/quiresearch/quire/internal/analysis/tokenizer"
)

// unknownCost is the cost of a character that begins no word on the cheapest
// path, about that of a word seen once in half a billion.
const unknownCost = 200

type chinese struct {
	words      *trie
	characters map[rune]rune
	phrases    *trie
	simplified [][]rune // of the phrases, indexed by cost
	runs       sync.Pool
}

// chineseRun is the scratch memory for one run of characters.
type chineseRun struct {
	runes        []rune
	offsets      []int
	costs, steps []int
	spans        []span
}

func newChinese() (*chinese, error) {
	words, err := loadTrie("zh", packedChinese)
	if err != nil {
		return nil, err
	}
	text, err := unpack("hant", packedTraditional)
	if err != nil {
		return nil, err
	}
	c := &chinese{words: words, characters: make(map[rune]rune), phrases: newTrie(1 << 12)}
	c.runs.New = func() any { return new(chineseRun) }
	for line := range strings.SplitSeq(text, "\n") {
		from, to, ok := strings.Cut(line, "\t")
		if !ok {
			return nil, fmt.Errorf("word list hant: no tab in %q", line)
		}
		if utf8.RuneCountInString(from) == 1 {
			f, _ := utf8.DecodeRuneInString(from)
			s, _ := utf8.DecodeRuneInString(to)
			c.characters[f] = s
			continue
		}
		c.phrases.add(from, uint16(len(c.simplified)))
		c.simplified = append(c.simplified, []rune(to))
	}
	return c, nil
}

// Tokenize splits Han characters by the word list and everything else by the
// rules of Unicode.
func (c *chinese) Tokenize(s *token.Stream, text []byte) {
	var plain tokenizer.Unicode
	w := c.runs.Get().(*chineseRun)
	defer c.runs.Put(w)
	for at := 0; at < len(text); {
		end := at
		for end < len(text) {
			r, size := utf8.DecodeRune(text[end:])
			if unicode.Is(unicode.Han, r) {
				break
			}
			end += size
		}
		if end > at {
			tokenizePart(plain, s, text, at, end)
			at = end
			continue
		}
		for end < len(text) {
			r, size := utf8.DecodeRune(text[end:])
			if !unicode.Is(unicode.Han, r) {
				break
			}
			end += size
		}
		at = c.run(s, w, text, at, end)
	}
}

// tokenizePart runs a tokenizer over a range of text and adjusts the offsets.
func tokenizePart(t tokenizer.Tokenizer, s *token.Stream, text []byte, start, end int) {
	first := len(s.Tokens)
	t.Tokenize(s, text[start:end])
	for i := first; i < len(s.Tokens); i++ {
		s.Tokens[i].Start += int32(start)
		s.Tokens[i].End += int32(start)
	}
}

// maxRun bounds the characters segmented together; a longer run is cut.
const maxRun = 4096

// run adds the words of the characters from start, at most maxRun characters,
// and returns the end offset.
func (c *chinese) run(s *token.Stream, w *chineseRun, text []byte, start, end int) int {
	w.runes, w.offsets, w.spans = w.runes[:0], w.offsets[:0], w.spans[:0]
	at := start
	for at < end && len(w.runes) < maxRun {
		r, size := utf8.DecodeRune(text[at:end])
		w.runes = append(w.runes, r)
		w.offsets = append(w.offsets, at)
		at += size
	}
	w.offsets = append(w.offsets, at)
	c.simplify(w.runes)
	c.cheapest(w, 0, len(w.runes), len(w.runes))
	for i := range w.spans {
		c.emit(s, w, w.spans[i])
	}
	return at
}

// simplify converts Traditional characters in place, longest phrase first.
func (c *chinese) simplify(runes []rune) {
	for i := 0; i < len(runes); i++ {
		node, phrase, length := uint32(0), -1, 0
		for j := i; j < len(runes); j++ {
			if node = c.phrases.step(node, runes[j]); node == 0 {
				break
			}
			if which, ok := c.phrases.cost(node); ok {
				phrase, length = which, j-i+1
			}
		}
		if phrase >= 0 {
			copy(runes[i:], c.simplified[phrase])
			i += length - 1
			continue
		}
		if to, ok := c.characters[runes[i]]; ok {
			runes[i] = to
		}
	}
}

// span is a word, given by the indexes of its first character and the one after
// its last.
type span struct{ from, to int }

// cheapest appends the words of the cheapest path between two characters to the
// spans, none longer than longest.
func (c *chinese) cheapest(w *chineseRun, from, to, longest int) {
	const infinite = 1 << 30
	runes := w.runes[from:to]
	n := len(runes)
	w.costs, w.steps = append(w.costs[:0], 0), append(w.steps[:0], 0)
	for range n {
		w.costs, w.steps = append(w.costs, infinite), append(w.steps, 0)
	}
	costs, steps := w.costs, w.steps
	for i := range runes {
		if single := costs[i] + unknownCost; single < costs[i+1] {
			costs[i+1], steps[i+1] = single, i
		}
		node := uint32(0)
		for j := i; j < n && j-i < longest; j++ {
			if node = c.words.step(node, runes[j]); node == 0 {
				break
			}
			if cost, ok := c.words.cost(node); ok && costs[i]+cost < costs[j+1] {
				costs[j+1], steps[j+1] = costs[i]+cost, i
			}
		}
	}
	first := len(w.spans)
	for at := n; at > 0; at = steps[at] {
		w.spans = append(w.spans, span{from + steps[at], from + at})
	}
	slices.Reverse(w.spans[first:])
}

// emit adds a word. For a word of four or more characters it also adds the
// parts, if all of them are words of two or more.
func (c *chinese) emit(s *token.Stream, w *chineseRun, word span) {
	if word.to-word.from < 4 {
		addWord(s, w.runes, w.offsets, word, token.Ideograph)
		return
	}
	first := len(w.spans)
	defer func() { w.spans = w.spans[:first] }()
	c.cheapest(w, word.from, word.to, word.to-word.from-1)
	last := len(w.spans)
	for _, part := range w.spans[first:last] {
		if part.to-part.from < 2 {
			addWord(s, w.runes, w.offsets, word, token.Ideograph)
			return
		}
	}
	addWhole(s, w.runes, w.offsets, word, token.Ideograph)
	for i := first; i < last; i++ {
		c.emit(s, w, w.spans[i])
	}
}

// addWord adds a word at its own position.
func addWord(s *token.Stream, runes []rune, offsets []int, w span, kind token.Kind) {
	s.Add(runeTerm(s, runes[w.from:w.to]), offsets[w.from], offsets[w.to], kind, 0)
}

// addWhole adds a compound at the position that its first part will have.
func addWhole(s *token.Stream, runes []rune, offsets []int, w span, kind token.Kind) {
	s.Append(token.Token{Term: runeTerm(s, runes[w.from:w.to]), Start: int32(offsets[w.from]), End: int32(offsets[w.to]), Position: s.Positions, Kind: kind})
}

func runeTerm(s *token.Stream, runes []rune) []byte {
	space := s.Space(len(runes) * utf8.UTFMax)
	for _, r := range runes {
		space = utf8.AppendRune(space, r)
	}
	return s.Keep(space)
}
