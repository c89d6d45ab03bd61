package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// wordsAsked is how many words of the right document a question holds;
// charactersAsked stands for them where words have no spaces between them.
const (
	wordsAsked      = 9
	charactersAsked = 24
)

// makeQuestions makes questions that no document holds whole: words that stand
// side by side in one document, behind the beginning of another. In a script
// without spaces nothing stands between the words of a question, nor between
// its two parts.
func makeQuestions(l language, documents []textDocument) []judgedQuery {
	if l.packed == "" {
		return nil // names of cities are not sentences
	}
	random := rand.New(rand.NewPCG(23, uint64(l.tag[0])<<8|uint64(l.tag[1])))
	texts := make([]string, len(documents))
	for i, d := range documents {
		texts[i] = plainText(l, d.Title) + "\n" + plainText(l, d.Body)
	}
	var made []judgedQuery
	for _, i := range random.Perm(len(documents)) {
		if len(made) == queriesPerClass {
			break
		}
		other := random.IntN(len(documents))
		asked, strange := stretch(l, random, texts[i], 1), stretch(l, random, texts[other], 3)
		if asked == "" || strange == "" || other == i || holding(texts, asked) != 1 || holding(texts, strange) != 1 {
			continue
		}
		gap := " "
		if l.isSpaceless() {
			gap = ""
		}
		id := documents[i].ID
		made = append(made, judgedQuery{
			ID: fmt.Sprintf("%s-question-%d", l.tag, len(made)), Class: "question", Text: strange + gap + asked, Target: id, grades: map[string]float64{id: 1},
		})
	}
	return made
}

// plainText is a text in lower case whose words are separated by one space, or
// by none, and whose sentences and lines end with a line break.
func plainText(l language, text string) string {
	gap := " "
	if l.isSpaceless() {
		gap = ""
	}
	lines := strings.FieldsFunc(strings.ToLower(norm.NFC.String(text)), func(r rune) bool {
		return !isInside(r) && (unicode.IsPunct(r) || unicode.IsSymbol(r) || unicode.IsDigit(r)) || r == '\n' && l.isSpaceless()
	})
	for i, line := range lines {
		words := strings.Fields(line)
		for j, w := range words {
			words[j] = strings.TrimFunc(w, isInside) // a hyphen in front would exclude the word
		}
		lines[i] = strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), gap)
	}
	return strings.Join(lines, "\n")
}

// isInside reports whether a character may stand inside a word.
func isInside(r rune) bool { return r == '-' || r == '\'' || r == '’' }

// stretch is words of one line of a text, as many as a question asks for, or the
// part-th of that; "" when no line is long enough.
func stretch(l language, random *rand.Rand, text string, part int) string {
	var long [][]string
	need, gap := wordsAsked/part, " "
	if l.isSpaceless() {
		need, gap = charactersAsked/part, ""
	}
	for line := range strings.SplitSeq(text, "\n") {
		words := strings.Fields(line)
		if l.isSpaceless() {
			if strings.ContainsFunc(line, func(r rune) bool { return r < 0x3000 }) {
				continue // a stretch of Latin letters is not cut into characters
			}
			words = strings.Split(line, "")
		}
		if len(words) >= need {
			long = append(long, words)
		}
	}
	if len(long) == 0 {
		return ""
	}
	words := long[random.IntN(len(long))]
	if !l.isSpaceless() { // where words end is not known otherwise
		words = words[random.IntN(len(words)-need+1):]
	}
	return strings.Join(words[:need], gap)
}

// holding counts the texts that hold a part of a line.
func holding(texts []string, part string) int {
	n := 0
	for _, text := range texts {
		if strings.Contains(text, part) {
			n++
		}
	}
	return n
}

// readInflected reads the words of a language that one document holds in
// another form; bench/relevance/inflected.py made them.
func readInflected(l language) ([]judgedQuery, error) {
	var found []judgedQuery
	err := readPacked("bench/relevance/inflected.ndjson", func(line []byte) error {
		var q struct{ Lang, Text, Target string }
		if err := json.Unmarshal(line, &q); err != nil || q.Lang != l.tag {
			return err
		}
		found = append(found, judgedQuery{
			ID: fmt.Sprintf("%s-inflected-%d", l.tag, len(found)), Class: "inflected", Text: q.Text, Target: q.Target, grades: map[string]float64{q.Target: 1},
		})
		return nil
	})
	return slices.Clip(found), err
}
