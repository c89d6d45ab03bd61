package segmenter

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ikawaha/kagome-dict/dict"
	"github.com/ikawaha/kagome-dict/ipa"

	"github.com/quiresearch/quire/internal/analysis/token"
)

// japanese cuts by the morphological dictionary IPADIC.
type japanese struct {
	words    *morphemes
	kinds    []wordKind // per word of the dictionary
	unknown  []wordKind
	base     int // place of the base form among the features of a word
	lattices sync.Pool
}

// wordKind says what becomes of a word.
type wordKind uint8

const (
	keptWord    wordKind = iota
	droppedWord          // a particle or the like, which leaves a gap
	sign                 // no word at all
	letters              // a word where it holds letters or digits, else a sign
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

// maxStretch bounds what is analysed at once, in bytes: the analysis keeps a
// lattice of it.
const maxStretch = 8 << 10

// Tokenize adds the base forms of words. Particles, auxiliary verbs,
// conjunctions, symbols and fillers leave a gap.
func (j *japanese) Tokenize(s *token.Stream, text []byte) {
	l := j.lattices.Get().(*lattice)
	defer j.lattices.Put(l)
	for start := 0; start < len(text); {
		end := stretch(text, start)
		path := l.cheapest(text[start:end])
		run := start // where the katakana that were added as one word end
		for i := len(path) - 1; i >= 0; i-- {
			w := l.words[path[i]]
			from, to := start+int(w.start), start+int(w.end)
			surface := text[from:to]
			if from >= run {
				if run = from + katakana(text[from:end]); run > to {
					s.Append(token.Token{Term: text[from:run], Start: int32(from), End: int32(run), Position: s.Positions, Kind: token.Kana})
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
				if !s.Add(surface, from, to, token.Kana, 0) {
					return
				}
			}
		}
		start = end
	}
}

// katakana returns how many bytes of katakana a text begins with. Words from
// other languages are written in them without spaces; together they are a word
// too, so that a typo that moves the cuts, or a half-typed word, still finds it.
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

// baseForm is the base form of a known word, empty when it is not listed.
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

// stretch returns where a stretch that begins at start ends: behind a sentence
// or a line where there is one, at a character border always.
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
