package highlight

import (
	"cmp"
	"slices"

	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/search/plan"
)

// Mark is a stretch of text that answers a word of the search.
type Mark struct {
	Start, End int // bytes
	Word       int // number of the word, to count distinct ones
}

// Mark appends the marks of the tokens of one text, which begins at offset in
// what is highlighted. Tokens at one position mark the whole stretch they
// share.
func (t *Terms) Mark(marks []Mark, tokens []analysis.Token, offset int) []Mark {
	if t == nil {
		return marks
	}
	for i := 0; i < len(tokens); {
		j, start, end := group(tokens, i)
		for k := i; k < j; k++ {
			if number := t.find(tokens[k].Term); number >= 0 {
				marks = append(marks, Mark{Start: offset + start, End: offset + end, Word: number})
				break
			}
		}
		i = j
	}
	number := len(t.words) + len(t.near)
	for _, phrase := range t.phrases {
		marks = markPhrase(marks, tokens, phrase, offset, number)
		number += len(phrase.Words)
	}
	return marks
}

// group returns where the tokens at the position of tokens[i] end and the
// stretch they cover.
func group(tokens []analysis.Token, i int) (next, start, end int) {
	start, end = int(tokens[i].Start), int(tokens[i].End)
	for next = i + 1; next < len(tokens) && tokens[next].Position == tokens[i].Position; next++ {
		start, end = min(start, int(tokens[next].Start)), max(end, int(tokens[next].End))
	}
	return next, start, end
}

// markPhrase marks the words of a phrase where they stand in order, with at
// most Slop other words between them.
func markPhrase(marks []Mark, tokens []analysis.Token, phrase *plan.Phrase, offset, number int) []Mark {
	type occurrence struct{ position, start, end int }
	places := make([][]occurrence, len(phrase.Words))
	for i := 0; i < len(tokens); {
		next, start, end := group(tokens, i)
		for w, word := range phrase.Words {
			if slices.ContainsFunc(tokens[i:next], func(token analysis.Token) bool { return answers(word, token.Term) }) {
				places[w] = append(places[w], occurrence{int(tokens[i].Position), start, end})
			}
		}
		i = next
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
			marks = append(marks, Mark{Start: offset + o.start, End: offset + o.end, Word: number + w})
		}
	}
	return marks
}

func answers(word plan.PhraseWord, term []byte) bool {
	for _, text := range word.Terms {
		if string(term) == text || word.Prefix && len(term) > len(text) && string(term[:len(text)]) == text {
			return true
		}
	}
	return false
}

// join orders marks and makes one of those that touch or overlap; the words
// of the joined ones are all counted by distinct.
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
