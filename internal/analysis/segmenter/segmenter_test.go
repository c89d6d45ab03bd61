package segmenter

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/quiresearch/quire/internal/analysis/token"
	"github.com/quiresearch/quire/internal/analysis/tokenizer"
)

func load(t testing.TB, tag string) tokenizer.Tokenizer {
	t.Helper()
	if tag == "th" {
		b, err := Breaker()
		if err != nil {
			t.Fatal(err)
		}
		return tokenizer.Unicode{Breaker: b}
	}
	tok, err := Tokenizers()[tag]()
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func TestWords(t *testing.T) {
	for tag, cases := range map[string][]struct{ text, want string }{
		"zh": {
			{"我来到北京清华大学", "我|来到|北京|清华大学|清华|大学"},
			{"他来到了网易杭研大厦", "他|来到|了|网易|杭|研|大厦"},
			{"iPhone 15 手机壳", "iPhone|15|手机|壳"},
		},
		"zh-Hant": {
			{"搜尋引擎", "搜寻|引擎"},
			{"北京大學圖書館", "北京大学图书馆|北京大学|北京|大学|图书馆"},
		},
		"ja": {
			{"東京都に住んでいます", "東京|都|住む|いる"},
			{"赤い自転車を買った", "赤い|自転車|買う"},
			{"関西国際空港", "関西|国際|空港"},
		},
		"ko": {
			{"학교에서 공부했습니다", "학교|공부"},
			{"서울은 대한민국의 수도이다", "서울|대한민국|대한|민국|수도"},
			{"검색 엔진", "검색|엔진"},
		},
		"th": {
			{"ฉันรักภาษาไทย", "ฉัน|รัก|ภาษา|ไทย"},
			{"รองเท้าวิ่งสีแดง", "รองเท้า|วิ่ง|สี|แดง"},
			{"hello สวัสดี", "hello|สวัสดี"},
		},
	} {
		tok := load(t, tag)
		for _, c := range cases {
			var s token.Stream
			tok.Tokenize(&s, []byte(c.text))
			var got []string
			for _, w := range s.Tokens {
				got = append(got, string(w.Term))
			}
			if strings.Join(got, "|") != c.want {
				t.Errorf("%s %q: %s, want %s", tag, c.text, strings.Join(got, "|"), c.want)
			}
		}
	}
}

func TestCompoundStandsWithItsFirstPart(t *testing.T) {
	var s token.Stream
	load(t, "zh").Tokenize(&s, []byte("清华大学很大"))
	var positions []int32
	for _, w := range s.Tokens {
		positions = append(positions, w.Position)
	}
	if !slices.Equal(positions[:3], []int32{0, 0, 1}) || positions[3] != 2 {
		t.Errorf("positions %v", positions)
	}
}

func FuzzTokenize(f *testing.F) {
	for _, text := range []string{"我来到北京", "東京都", "학교에서", "ภาษาไทย", "a\xffb", "𠮷野家", "กก็", "ํา", "１００円ﾊﾟｿｺﾝﾞ", "カ\u3099か\u309A"} {
		f.Add(text)
	}
	var all []tokenizer.Tokenizer
	for _, tag := range []string{"zh", "ja", "ko", "th"} {
		all = append(all, load(f, tag))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return
		}
		for _, tok := range all {
			var s token.Stream
			tok.Tokenize(&s, []byte(text))
			last := int32(0)
			for _, w := range s.Tokens {
				if w.Start < 0 || w.Start > w.End || int(w.End) > len(text) || w.Position < last || len(w.Term) == 0 {
					t.Fatalf("%T: %+v in %q", tok, w, text)
				}
				last = w.Position
			}
		}
	})
}
