package segmenter

import (
	"fmt"

	"github.com/ikawaha/kagome-dict/ipa"
	kagome "github.com/ikawaha/kagome/v2/tokenizer"

	"github.com/quiresearch/quire/internal/analysis/token"
)

type japanese struct{ analyzer *kagome.Tokenizer }

func newJapanese() (*japanese, error) {
	analyzer, err := kagome.New(ipa.Dict(), kagome.OmitBosEos())
	if err != nil {
		return nil, fmt.Errorf("load Japanese dictionary: %w", err)
	}
	return &japanese{analyzer}, nil
}

// maxStretch bounds what is analysed at once, in bytes: the analysis keeps a
// lattice of it.
const maxStretch = 8 << 10

// Tokenize adds the base forms of words. Particles, auxiliary verbs,
// conjunctions, symbols and fillers leave a gap.
func (j *japanese) Tokenize(s *token.Stream, text []byte) {
	for start := 0; start < len(text); {
		end := stretch(text, start)
		for _, w := range j.analyzer.Analyze(string(text[start:end]), kagome.Search) {
			if w.Class == kagome.DUMMY {
				continue
			}
			kept, isWord := japaneseKind(w)
			if !isWord {
				continue
			}
			if !kept {
				s.Positions++
				continue
			}
			term := w.Surface
			if base, ok := w.BaseForm(); ok && base != "" && base != "*" {
				term = base
			}
			from := start + w.Position
			s.Add(s.Keep(append(s.Space(len(term)), term...)), from, from+len(w.Surface), token.Kana, 0)
		}
		start = end
	}
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

// japaneseKind reports whether a word is kept, and whether it is a word at
// all rather than a sign.
func japaneseKind(w kagome.Token) (kept, isWord bool) {
	pos := w.POS()
	if len(pos) == 0 {
		return true, true
	}
	switch pos[0] {
	case "記号":
		return len(pos) > 1 && pos[1] == "アルファベット", len(pos) > 1 && pos[1] == "アルファベット"
	case "助詞", "助動詞", "接続詞", "フィラー", "非言語音":
		return false, true
	case "その他":
		return len(pos) < 2 || pos[1] != "間投", true
	}
	return hasWordCharacter(w.Surface), hasWordCharacter(w.Surface)
}
