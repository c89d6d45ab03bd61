// Package highlight marks, in the text of a field, the words a search matched,
// and cuts the text into fragments.
//
// Collect takes the words of a plan's scoring nodes apart by segment
// structure. Mark finds them in the tokens of a text, Fragments cuts the best
// stretches and writes the marks:
//
//	terms := highlight.Collect(query)
//	marks := terms[structure].Mark(nil, tokens)
//	fragments := highlight.Fragments(text, marks, options)
//
// Everything here is a pure function over its arguments.
package highlight

import (
	"unicode/utf8"

	"github.com/quiresearch/quire/internal/search/plan"
)

// Terms are the words a search looks for in one structure.
type Terms struct {
	words   map[string]int // exact word → number
	near    []near
	phrases []*plan.Phrase
	count   int // numbers given out
}

// near is a word that may go on or be misspelled.
type near struct {
	number int
	word   []rune
	node   *plan.Expand
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
		return // a filter of vectors does not score
	case *plan.Fuse:
		for _, r := range n.Rankings {
			collect(r.Clause, all)
		}
	case *plan.Term:
		if n.Scoring != nil {
			of(n.Structure).word(n.Text)
		}
	case *plan.Blend:
		t := of(n.Structure)
		for _, term := range n.Terms {
			t.word(term.Text)
		}
	case *plan.Expand:
		if n.Constants != nil {
			t := of(n.Structure)
			t.near = append(t.near, near{number: t.count, word: []rune(n.Text), node: n})
			t.count++
		}
	case *plan.Phrase:
		t := of(n.Structure)
		t.phrases = append(t.phrases, n)
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

// find returns the number of the word that a term of the text answers, or -1.
func (t *Terms) find(term []byte) int {
	if number, ok := t.words[string(term)]; ok {
		return number
	}
	if len(t.near) == 0 {
		return -1
	}
	var scratch [64]rune
	letters := scratch[:0]
	for rest := term; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		letters, rest = append(letters, r), rest[size:]
	}
	for i := range t.near {
		if t.near[i].matches(letters) {
			return t.near[i].number
		}
	}
	return -1
}

// matches reports whether a term lies within the edits of the word, its end
// open when the word is a prefix.
func (n *near) matches(term []rune) bool {
	fixed := min(n.node.Fixed, len(n.word))
	if len(term) < fixed || len(term)+n.node.Edits < len(n.word) {
		return false
	}
	for i := range fixed {
		if term[i] != n.word[i] {
			return false
		}
	}
	if n.node.Edits == 0 {
		if len(term) < len(n.word) || !n.node.Prefix && len(term) != len(n.word) {
			return false
		}
		for i, r := range n.word {
			if term[i] != r {
				return false
			}
		}
		return true
	}
	if !n.node.Prefix && len(term) > len(n.word)+n.node.Edits {
		return false
	}
	if n.node.Prefix && len(term) > len(n.word)+n.node.Edits {
		term = term[:len(n.word)+n.node.Edits]
	}
	return distance(n.word, term, n.node.Prefix) <= n.node.Edits
}

// distance counts the edits between a word and a term: insert, delete,
// replace, swap of neighbours. With open, what follows in the term is free.
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
