package segmenter

import (
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ikawaha/kagome-dict/ipa"
	kagome "github.com/ikawaha/kagome/v2/tokenizer"

	"github.com/quiresearch/quire/internal/analysis/token"
)

var japaneseTexts = []string{
	"", "東京都に住んでいます。", "関西国際空港限定トートバッグを買った", "すもももももももものうち", "Linux用のGNOMEデスクトップ環境、バージョン3.2です!", "ｶﾀｶﾅ　全角ＡＢＣ１２３", "食べられなかったので帰りました\nはい",
	"あああああああああああああああ", "ヴァイオリンコンチェルト第２番ニ短調", "\x00abc\x00", "𠮷野家で牛丼", "😀絵文字😀😀", "株式会社日本放送協会東京放送局", "…。、「」", "\xff\xfe壊れた",
}

// TestWaysAreCheapest: the words are those of another implementation of the
// same method with the same dictionary.
func TestWaysAreCheapest(t *testing.T) {
	j, err := newJapanese()
	if err != nil {
		t.Fatal(err)
	}
	other, err := kagome.New(ipa.Dict(), kagome.OmitBosEos())
	if err != nil {
		t.Fatal(err)
	}
	texts := japaneseTexts
	if name := os.Getenv("JAPANESE_TEXT"); name != "" {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts = strings.Split(string(content), "\n")
	}
	l := newLattice(j.words)
	for _, text := range texts {
		if !utf8.ValidString(text) {
			l.cheapest([]byte(text))
			continue
		}
		var ours, others []string
		path := l.cheapest([]byte(text))
		for i := len(path) - 1; i >= 0; i-- {
			w := l.words[path[i]]
			ours = append(ours, text[w.start:w.end]+"/"+j.baseForm(w.id))
		}
		for _, w := range other.Analyze(text, kagome.Search) {
			base, _ := w.BaseForm()
			others = append(others, w.Surface+"/"+strings.Trim(base, "*"))
		}
		if a, b := strings.Join(ours, " "), strings.Join(others, " "); a != b {
			t.Errorf("%q\n%s\n%s", text, a, b)
		}
	}
}

func TestJapaneseAllocatesNothing(t *testing.T) {
	if underRace {
		t.Skip("pools drop at random what is given back to them under the race detector")
	}
	j, err := newJapanese()
	if err != nil {
		t.Fatal(err)
	}
	text := []byte(strings.Repeat(japaneseTexts[1]+japaneseTexts[2], 20))
	var s token.Stream
	j.Tokenize(&s, text)
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection allocates and empties pools
	if n := testing.AllocsPerRun(5, func() { s.Reset(); j.Tokenize(&s, text) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzCheapestWay(f *testing.F) {
	j, err := newJapanese()
	if err != nil {
		f.Fatal(err)
	}
	l := newLattice(j.words)
	for _, text := range japaneseTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > maxStretch {
			return
		}
		path := l.cheapest([]byte(text))
		at := int32(0)
		for i := len(path) - 1; i >= 0; i-- {
			if w := l.words[path[i]]; w.start != at || w.end <= at {
				t.Fatalf("%q: a word from %d to %d behind %d", text, w.start, w.end, at)
			} else {
				at = w.end
			}
		}
		if int(at) != len(text) {
			t.Fatalf("%q: the way ends at %d", text, at)
		}
	})
}
