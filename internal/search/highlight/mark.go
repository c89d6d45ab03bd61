package highlight

import (
	"cmp"
	"slices"

	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/search/plan"
)

// Mark is a range of text that matches a word of the search.
type Mark struct {
	Start, End int // bytes
	Word       int // number of the word, for counting distinct ones
}

// Mark appends the marks for the tokens of one text that begins at offset in the
// highlighted text. A token marks only its own range: other tokens at its position
// may be a longer compound, or a synonym written elsewhere. Readings of the same
// range mark it once.
func (t *Terms) Mark(marks []Mark, tokens []analysis.Token, offset int) []Mark {
	if t == nil {
		return marks
	}
	for i := 0; i < len(tokens); {
		position, first := tokens[i].Position, len(marks)
		for ; i < len(tokens) && tokens[i].Position == position; i++ {
			start, end := offset+int(tokens[i].Start), offset+int(tokens[i].End)
			if isMarked(marks[first:], start, end) {
				continue
			}
			if number := t.find(&tokens[i]); number >= 0 {
				marks = append(marks, Mark{Start: start, End: end, Word: number})
			}
		}
	}
	for _, p := range t.phrases {
		marks = markPhrase(marks, tokens, p.node, offset, p.number)
	}
	return marks
}

// isMarked reports whether marks contains the range.
func isMarked(marks []Mark, start, end int) bool {
	for i := range marks {
		if marks[i].Start == start && marks[i].End == end {
			return true
		}
	}
	return false
}

// markPhrase marks the words of a phrase where they stand in order with at most
// Slop other words between them.
func markPhrase(marks []Mark, tokens []analysis.Token, phrase *plan.Phrase, offset, number int) []Mark {
	// An occurrence of a word is a position and the first token there that matches
	// it.
	type occurrence struct{ position, token int }
	places := make([][]occurrence, len(phrase.Words))
	for i := range tokens {
		position := int(tokens[i].Position)
		for w := range phrase.Words {
			if n := len(places[w]); n > 0 && places[w][n-1].position == position {
				continue
			}
			if answers(&phrase.Words[w], tokens[i].Term) {
				places[w] = append(places[w], occurrence{position, i})
			}
		}
	}
	var place func(word, last, slop int, chosen []occurrence) []occurrence
	place = func(word, last, slop int, chosen []occurrence) []occurrence {
		if word == len(phrase.Words) {
			return chosen
		}
		gap := phrase.Words[word].Offset - phrase.Words[word-1].Offset
		for _, o := range places[word] {
			extra := o.position - last - gap
			if extra < 0 {
				continue
			}
			if extra > slop {
				break
			}
			if found := place(word+1, o.position, slop-extra, append(chosen, o)); found != nil {
				return found
			}
		}
		return nil
	}
	if len(places) == 0 {
		return marks
	}
	for _, first := range places[0] {
		for w, o := range place(1, first.position, phrase.Slop, []occurrence{first}) {
			marks = markWord(marks, tokens[o.token:], &phrase.Words[w], offset, number+w)
		}
	}
	return marks
}

// markWord marks the tokens that match a word, at the position of the first token.
func markWord(marks []Mark, tokens []analysis.Token, word *plan.PhraseWord, offset, number int) []Mark {
	before := len(marks)
	for i := 0; i < len(tokens) && tokens[i].Position == tokens[0].Position; i++ {
		start, end := offset+int(tokens[i].Start), offset+int(tokens[i].End)
		if !isMarked(marks[before:], start, end) && answers(word, tokens[i].Term) {
			marks = append(marks, Mark{Start: start, End: end, Word: number})
		}
	}
	return marks
}

func answers(word *plan.PhraseWord, term []byte) bool {
	for _, text := range word.Terms {
		if string(term) == text || word.Prefix && len(term) > len(text) && string(term[:len(text)]) == text {
			return true
		}
	}
	return false
}

// join sorts marks and merges those that touch or overlap. A merged mark keeps only
// the first word; Fragments counts distinct words from the original marks.
func join(marks []Mark) []Mark {
	slices.SortFunc(marks, func(a, b Mark) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) })
	var joined []Mark
	for _, m := range marks {
		if n := len(joined); n > 0 && m.Start <= joined[n-1].End {
			joined[n-1].End = max(joined[n-1].End, m.End)
			continue
		}
		joined = append(joined, m)
	}
	return joined
}
