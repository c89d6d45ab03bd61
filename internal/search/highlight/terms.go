// Package highlight marks, in the text of a field, the words a search matched,
// and cuts the text into fragments.
//
// Collect groups the words of a plan's scoring nodes by segment structure. Mark
// finds them in the tokens of a text, and Fragments cuts out the best fragments and
// writes the marks:
//
//	terms := highlight.Collect(query)
//	marks := terms[structure].Mark(nil, tokens, 0)
//	fragments := highlight.Fragments(text, marks, options)
//
// All functions are pure. Any number of goroutines may use Terms once Collect has
// returned.
package highlight

import (
	"slices"
	"unicode/utf8"

	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/locale/spelling"
	"github.com/quiresearch/quire/internal/search/plan"
)

// Terms are the words a search looks for in one structure.
type Terms struct {
	words   map[string]int // exact word → number
	near    []near
	phrases []phrase
	count   int // numbers assigned so far
}

// near is a word that may be misspelled or be the start of a longer one.
type near struct {
	number  int
	word    []rune
	surface []rune // as typed
	node    *plan.Expand
}

// phrase is a phrase; its first word has the given number.
type phrase struct {
	number int
	node   *plan.Phrase
}

// Collect returns the words of the scoring nodes of a plan by structure.
func Collect(n plan.Node) map[string]*Terms {
	all := make(map[string]*Terms)
	collect(n, all)
	return all
}

func collect(n plan.Node, all map[string]*Terms) {
	of := func(structure string) *Terms {
		t := all[structure]
		if t == nil {
			t = &Terms{words: make(map[string]int)}
			all[structure] = t
		}
		return t
	}
	switch n := n.(type) {
	case *plan.Not, *plan.Knn, nil:
		return // the filter of a knn clause does not score
	case *plan.Fuse:
		for _, r := range n.Rankings {
			collect(r.Clause, all)
		}
	case *plan.Term:
		if n.Scoring != nil {
			of(n.Structure).word(n.Text)
		}
	case *plan.Word:
		for i := range n.Fields {
			t := of(n.Fields[i].Structure)
			for _, term := range n.Fields[i].Terms {
				t.word(term.Text)
			}
		}
		for i := range n.Bands {
			for _, in := range n.Bands[i].In {
				if in.Prefix != nil {
					of(in.Prefix.Structure).word(in.Prefix.Text)
				} else {
					of(in.Near.Structure).nearTo(in.Near)
				}
			}
		}
	case *plan.Phrase:
		t := of(n.Structure)
		t.phrases = append(t.phrases, phrase{t.count, n})
		t.count += len(n.Words)
	default:
		for _, child := range plan.Children(n) {
			collect(child, all)
		}
	}
}

func (t *Terms) word(text string) {
	if _, ok := t.words[text]; !ok {
		t.words[text] = t.count
		t.count++
	}
}

// nearTo adds the words near a word. Bands share an Expand, which is added once.
func (t *Terms) nearTo(n *plan.Expand) {
	if slices.ContainsFunc(t.near, func(have near) bool { return have.node == n }) {
		return
	}
	word := near{number: t.count, word: []rune(n.Text), node: n}
	if word.surface = word.word; n.Surface != "" {
		word.surface = []rune(n.Surface)
	}
	t.near = append(t.near, word)
	t.count++
}

// find returns the number of the word that a token of the text matches, or -1.
func (t *Terms) find(token *analysis.Token) int {
	if number, ok := t.words[string(token.Term)]; ok {
		return number
	}
	if len(t.near) == 0 {
		return -1
	}
	var scratch [2][64]rune
	term := appendLetters(scratch[0][:0], token.Term)
	surface := term
	if form := token.Surface(); form != nil {
		surface = appendLetters(scratch[1][:0], form)
	}
	if number := t.reached(term, surface, false); number >= 0 {
		return number
	}
	return t.findSpelled(token)
}

// findSpelled is find for a token as people type it without its diacritics and signs.
func (t *Terms) findSpelled(token *analysis.Token) int {
	form := token.Surface()
	if form == nil {
		form = token.Term
	}
	for _, wide := range []bool{false, true} {
		var bytes [2][64]byte
		term, differs := spelling.Append(bytes[0][:0], token.Term, wide)
		surface, formDiffers := spelling.Append(bytes[1][:0], form, wide)
		if !differs && !formDiffers {
			continue
		}
		var letters [2][64]rune
		if number := t.reached(appendLetters(letters[0][:0], term), appendLetters(letters[1][:0], surface), true); number >= 0 {
			return number
		}
	}
	return -1
}

// reached returns the number of a word near a term or its surface form, or -1. With
// isSpelled, both lack their diacritics and signs.
func (t *Terms) reached(term, surface []rune, isSpelled bool) int {
	for i := range t.near {
		n := &t.near[i]
		if isSpelled && !n.node.Spellings {
			continue
		}
		if n.reaches(n.word, term) || n.reaches(n.surface, surface) || n.node.Edits > 0 && n.reaches(n.surface, term) {
			return n.number
		}
	}
	return -1
}

func appendLetters(dst []rune, text []byte) []rune {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		dst, text = append(dst, r), text[size:]
	}
	return dst
}

// reaches reports whether a term lies within the allowed edits of a spelling of the
// word, or starts with such a reading when the word is a prefix.
func (n *near) reaches(word, term []rune) bool {
	fixed := min(n.node.Fixed, len(word))
	if len(term) < fixed || len(term)+n.node.Edits < len(word) {
		return false
	}
	if !slices.Equal(word[:fixed], term[:fixed]) {
		return false
	}
	if n.node.Edits == 0 {
		if len(term) < len(word) || !n.node.Prefix && len(term) != len(word) {
			return false
		}
		return slices.Equal(word, term[:len(word)])
	}
	if len(term) > len(word)+n.node.Edits {
		if !n.node.Prefix {
			return false
		}
		term = term[:len(word)+n.node.Edits]
	}
	return distance(word, term, n.node.Prefix) <= n.node.Edits
}

// distance returns the number of edits between a word and a term: insert, delete,
// replace, transpose neighbours. With open, the rest of the term after the word is
// free.
func distance(word, term []rune, open bool) int {
	rows := [3][]int{make([]int, len(term)+1), make([]int, len(term)+1), make([]int, len(term)+1)}
	current, previous, before := rows[0], rows[1], rows[2]
	for j := range current {
		previous[j] = j
	}
	for i := 1; i <= len(word); i++ {
		current[0] = i
		for j := 1; j <= len(term); j++ {
			cost := 1
			if word[i-1] == term[j-1] {
				cost = 0
			}
			best := min(previous[j-1]+cost, previous[j]+1, current[j-1]+1)
			if i > 1 && j > 1 && word[i-1] == term[j-2] && word[i-2] == term[j-1] {
				best = min(best, before[j-2]+1)
			}
			current[j] = best
		}
		before, previous, current = previous, current, before
	}
	if !open {
		return previous[len(term)]
	}
	best := previous[0]
	for _, d := range previous {
		best = min(best, d)
	}
	return best
}
