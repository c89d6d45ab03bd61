package tokenfilter

import (
	"slices"
	"strings"

	"github.com/quiresearch/quire/internal/analysis/token"
)

// Synonyms adds terms wherever the words of a rule occur in sequence. If
// several rules match at a position, the longest wins, and the search for the
// next match continues after it. The original words stay. The words of an added
// term take consecutive positions starting with the first matched one and have
// the offsets of the whole match.
type Synonyms struct {
	root    *synonymNode
	largest int // number of words that one match adds
}

// synonymNode is the node of a trie over the words of one side of a rule.
type synonymNode struct {
	next  map[string]*synonymNode
	term  synonymTerm     // the words on the path to this node
	adds  [][]synonymTerm // one list per rule; rules share their lists
	words int             // number of words in adds
}

type synonymTerm [][]byte

// MaxSynonymWords bounds the words of one term; a longer term is ignored.
const MaxSynonymWords = 16

// NewSynonyms returns an empty filter; Equivalent and Mapping add rules before
// it is used.
func NewSynonyms() *Synonyms { return &Synonyms{root: &synonymNode{}} }

// Equivalent adds a rule: each of terms adds all others.
func (f *Synonyms) Equivalent(terms []string) { f.Mapping(terms, terms) }

// Mapping adds a rule: each of from adds all of to.
func (f *Synonyms) Mapping(from, to []string) {
	var added []synonymTerm
	for _, text := range to {
		if term := splitTerm(text); term != nil {
			added = append(added, term)
		}
	}
	words := 0
	for _, term := range added {
		words += len(term)
	}
	for _, text := range from {
		if term := splitTerm(text); term != nil && len(added) > 0 {
			node := f.reach(term)
			node.adds = append(node.adds, added)
			node.words += words
			f.largest = max(f.largest, node.words)
		}
	}
}

// Largest returns the maximum number of words that one match adds.
func (f *Synonyms) Largest() int { return f.largest }

func splitTerm(text string) synonymTerm {
	words := strings.Fields(text)
	if len(words) > MaxSynonymWords {
		return nil
	}
	var term synonymTerm
	for _, w := range words {
		term = append(term, []byte(w))
	}
	return term
}

func (f *Synonyms) reach(term synonymTerm) *synonymNode {
	node := f.root
	for _, w := range term {
		if node.next == nil {
			node.next = map[string]*synonymNode{}
		}
		if node.next[string(w)] == nil {
			node.next[string(w)] = &synonymNode{}
		}
		node = node.next[string(w)]
	}
	node.term = term
	return node
}

// Apply adds the terms of all matching rules. Comparing every reading of a word
// with every active rule consumes s.Steps; when they are used up, nothing more
// is added.
func (f *Synonyms) Apply(s *token.Stream) {
	if f.root.next == nil {
		return
	}
	tokens := s.Rewrite()
	sorted := true
	behind := int32(-1) // positions up to here belong to a match
	for first := 0; first < len(tokens); {
		end := positionEnd(tokens, first)
		for _, t := range tokens[first:end] {
			if !s.Append(t) {
				return
			}
		}
		if position := tokens[first].Position; position > behind && s.Steps >= 0 {
			if node, last := longest(f.root, tokens, first, end, &s.Steps); node != nil {
				behind = tokens[last].Position
				sorted = node.addTo(s, position, tokens[first].Start, tokens[last].End) && sorted
			}
		}
		first = end
	}
	if !sorted {
		slices.SortStableFunc(s.Tokens, func(a, b token.Token) int { return int(a.Position - b.Position) })
	}
}

// addTo adds the terms of a node starting at a position. It reports whether all
// of them are at that position.
func (n *synonymNode) addTo(s *token.Stream, position, start, end int32) bool {
	single := true
	for _, terms := range n.adds {
		for _, term := range terms {
			if equalTerms(term, n.term) {
				continue
			}
			for i, word := range term {
				t := token.Token{Term: word, Start: start, End: end, Position: position + int32(i), Kind: token.Word}
				if !s.Append(t) {
					return false
				}
				s.Positions = max(s.Positions, t.Position+1)
			}
			single = single && len(term) == 1
		}
	}
	return single
}

func equalTerms(a, b synonymTerm) bool {
	return slices.EqualFunc(a, b, func(x, y []byte) bool { return string(x) == string(y) })
}

// longest follows the rules along the tokens from first, all readings of a
// position at once, and returns the deepest node that adds something and a
// token of the position where it ends. The readings of the first position end
// at end. It stops when no steps are left.
func longest(root *synonymNode, tokens []token.Token, first, end int, left *int64) (*synonymNode, int) {
	var best *synonymNode
	bestLast := 0
	if !startsRule(root, tokens[first:end]) {
		return nil, 0 // nearly always, without allocating
	}
	active := []*synonymNode{root}
	for len(active) > 0 && *left >= 0 {
		var reached []*synonymNode
		seen := map[*synonymNode]bool{}
		for i := first; i < end; i++ {
			*left -= int64(len(active))
			for _, node := range active {
				child := node.next[string(tokens[i].Term)]
				if child == nil || seen[child] {
					continue
				}
				seen[child] = true
				reached = append(reached, child)
				if child.adds != nil && (best == nil || tokens[i].Position > tokens[bestLast].Position) {
					best, bestLast = child, i
				}
			}
		}
		if end == len(tokens) || tokens[end].Position != tokens[first].Position+1 {
			break // the end, or a gap
		}
		active, first, end = reached, end, positionEnd(tokens, end)
	}
	return best, bestLast
}

func startsRule(root *synonymNode, readings []token.Token) bool {
	for i := range readings {
		if root.next[string(readings[i].Term)] != nil {
			return true
		}
	}
	return false
}

// positionEnd returns the index after the tokens at the position of
// tokens[first].
func positionEnd(tokens []token.Token, first int) int {
	end := first + 1
	for end < len(tokens) && tokens[end].Position == tokens[first].Position {
		end++
	}
	return end
}
