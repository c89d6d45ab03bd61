package segmenter

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ikawaha/kagome-dict/dict"
	"github.com/ikawaha/kagome-dict/ipa"

	"github.com/quiresearch/quire/internal/analysis/token"
)

// japanese segments with the morphological dictionary IPADIC.
type japanese struct {
	words    *morphemes
	kinds    []wordKind // per word in the dictionary
	unknown  []wordKind
	base     int // index of the base form in the features of a word
	lattices sync.Pool
}

// wordKind says how the tokenizer treats a word.
type wordKind uint8

const (
	keptWord    wordKind = iota
	droppedWord          // a particle or similar word, which leaves a gap
	sign                 // not a word
	letters              // a word if it contains letters or digits, otherwise a sign
)

func newJapanese() (*japanese, error) {
	d := ipa.Dict()
	j := &japanese{words: newMorphemes(d), base: -1}
	if base, ok := d.ContentsMeta[dict.BaseFormIndex]; ok {
		j.base = int(base)
	}
	var names []string
	for _, classes := range d.POSTable.POSs {
		names = names[:0]
		for _, id := range classes {
			names = append(names, d.POSTable.NameList[id])
		}
		j.kinds = append(j.kinds, japaneseKind(names))
	}
	from := int(d.UnkDict.ContentsMeta[dict.POSStartIndex])
	to := from + max(1, int(d.UnkDict.ContentsMeta[dict.POSHierarchy]))
	for _, features := range d.UnkDict.Contents {
		j.unknown = append(j.unknown, japaneseKind(features[min(from, len(features)):min(to, len(features))]))
	}
	j.lattices.New = func() any { return newLattice(j.words) }
	return j, nil
}

// japaneseKind returns the kind of a word by its part of speech.
func japaneseKind(partOfSpeech []string) wordKind {
	if len(partOfSpeech) == 0 {
		return keptWord
	}
	second := ""
	if len(partOfSpeech) > 1 {
		second = partOfSpeech[1]
	}
	switch partOfSpeech[0] {
	case "記号":
		if second == "アルファベット" {
			return keptWord
		}
		return sign
	case "助詞", "助動詞", "接続詞", "フィラー", "非言語音":
		return droppedWord
	case "その他":
		if second == "間投" {
			return droppedWord
		}
		return keptWord
	}
	return letters
}

// maxStretch bounds how much text is analysed at once, in bytes, because the
// analysis keeps a lattice of it.
const maxStretch = 8 << 10

// Tokenize adds the base forms of words. Particles, auxiliary verbs,
// conjunctions, symbols and fillers leave a gap.
func (j *japanese) Tokenize(s *token.Stream, text []byte) {
	l := j.lattices.Get().(*lattice)
	defer j.lattices.Put(l)
	for start := 0; start < len(text); {
		end := stretch(text, start)
		part, origins := spelled(s, text[start:end], l.origins)
		place := func(at int) int { return start + at }
		if origins != nil {
			l.origins = origins
			place = func(at int) int { return start + int(origins[at]) }
		}
		path := l.cheapest(part)
		run := 0 // end of the katakana that were added as one word
		for i := len(path) - 1; i >= 0; i-- {
			w := l.words[path[i]]
			from, to := int(w.start), int(w.end)
			surface := part[from:to]
			if from >= run {
				if run = from + katakana(part[from:]); run > to {
					s.Append(token.Token{Term: part[from:run], Start: int32(place(from)), End: int32(place(run)), Position: s.Positions, Kind: token.Kana})
				}
			}
			kind := j.kind(w.id)
			if kind == letters && !holdsWordCharacter(surface) {
				kind = sign
			}
			switch kind {
			case sign:
			case droppedWord:
				s.Positions++
			default:
				if base := j.baseForm(w.id); base != "" {
					surface = s.Keep(append(s.Space(len(base)), base...))
				}
				if !s.Add(surface, place(from), place(to), token.Kana, 0) {
					return
				}
			}
		}
		start = end
	}
}

// katakana returns the number of bytes of katakana that a text begins with.
// Loanwords are written in katakana without spaces. The whole run is added as a
// word too, so that it is still found when a typo changes the segmentation or
// the word is typed only halfway.
func katakana(text []byte) int {
	at := 0
	for at < len(text) {
		r, size := utf8.DecodeRune(text[at:])
		if !unicode.Is(unicode.Katakana, r) && r != 'ー' {
			break
		}
		at += size
	}
	return at
}

func (j *japanese) kind(id int32) wordKind {
	if id < 0 {
		return j.unknown[^id]
	}
	return j.kinds[id]
}

// baseForm returns the base form of a known word, empty if none is listed.
func (j *japanese) baseForm(id int32) string {
	if id < 0 || int(id) >= len(j.words.Contents) {
		return ""
	}
	at := j.base - len(j.words.POSTable.POSs[id])
	if features := j.words.Contents[id]; at >= 0 && at < len(features) && features[at] != "*" {
		return features[at]
	}
	return ""
}

func holdsWordCharacter(text []byte) bool {
	for _, r := range string(text) {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return true
		}
	}
	return false
}

// stretch returns the end of the stretch that begins at start: after a sentence
// or line if possible, and always at a character boundary.
func stretch(text []byte, start int) int {
	if len(text)-start <= maxStretch {
		return len(text)
	}
	limit := start + maxStretch
	for at := limit; at > start+maxStretch/2; at-- {
		if text[at-1] == '\n' || at >= 3 && string(text[at-3:at]) == "。" {
			return at
		}
	}
	for limit > start && text[limit]&0xC0 == 0x80 {
		limit--
	}
	return limit
}
