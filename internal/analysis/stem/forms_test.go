package stem

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestFormsMeet: the forms of one word have the same, non-empty stem. Words are
// in the form that the locale's normalizer produces.
func TestFormsMeet(t *testing.T) {
	for tag, groups := range map[string]string{
		"ar": "كتاب الكتاب والكتاب كتابها", "bg": "град градът градове; книга книгата книги", "bn": "বই বইগুলো",
		"bs": "knjiga knjige knjigu; dete dijete", "ca": "cantava cantaven; cançó", "ckb": "کتێب کتێبەکە کتێبەکان", "cs": "hrad hradu hradem; kniha knihy knihu",
		"da": "bil bilen biler bilerne", "de": "haus häuser; schön schöne schönen schöner; strasse straße", "el": "γυναικα γυναικεσ; δρομοσ δρομου δρομοι",
		"en": "run running runs; city cities; carson carson's carson’s", "es": "casa casas; niño niños; feliz felices", "et": "raamat raamatu raamatud",
		"eu": "etxe etxeak etxeetako", "fa": "كتاب كتابها", "fi": "talo talossa talot", "fr": "cheval chevaux; national nationale nationales; maison maisons",
		"ga": "bád mbád", "gl": "casa casas; neno nenos", "gu": "છોકરો છોકરા છોકરી; પુસ્તક પુસ્તકો પુસ્તકને", "hi": "किताब किताबें; लडका लडके", "hr": "grad grada gradom",
		"hu": "ház házak házban", "hy": "դպրոց դպրոցում", "id": "buku bukunya; baca membaca bacakan", "it": "amico amica amici; canzone canzoni", "ja": "サーバー サーバ",
		"kn": "ಪುಸ್ತಕ ಪುಸ್ತಕಗಳು ಪುಸ್ತಕಗಳನ್ನು; ಮನೆ ಮನೆಗಳು", "lt": "knyga knygos knygų", "lv": "grāmata grāmatas grāmatu", "ml": "പുസ്തകം പുസ്തകങ്ങൾ", "mr": "पुस्तक पुस्तके; घर घरात घरे",
		"ms": "buku bukunya", "nb": "bil bilen biler bilene", "ne": "घर घरको घरमा", "nl": "boek boeken; groot", "nn": "gut guten gutar gutane", "no": "hus huset husene",
		"or": "ବହି ବହିର; ଘର ଘରକୁ ଘରେ ଘରରେ", "pa": "ਕਿਤਾਬ ਕਿਤਾਬਾਂ; ਕੁੜੀ ਕੁੜੀਆਂ; ਘਰ ਘਰਾਂ", "pl": "programy programu", "pt": "casa casas; nação nações; amigo amigos", "ro": "oraș orașului",
		"ru": "книга книги книгу; чёрный черного", "sk": "hrad hradu hradom; kniha knihy knihu; mesto mestá mesta; žena ženy ženám", "sl": "knjiga knjige knjigo; mesto mesta; hiša hiše hiši", "sr": "књига књиге knjiga knjigu; lijepa lepa",
		"sv": "bil bilen bilar bilarna; hus huset husen", "ta": "பள்ளி பள்ளிகள்", "te": "పుస్తకం పుస్తకాలు పుస్తకాలను; ఇల్లు", "tr": "ev evler evlerde; kitap kitapları",
		"uk": "книжка книжки книжку; великий велика великі; місто міста місті; книга книги книгою; український українська", "ur": "کتاب کتابیں کتابوں; لڑکا لڑکے لڑکی", "zh": "run running runs", "zh-Hant": "run runs",
	} {
		stemmer, ok := For(tag)
		if !ok {
			t.Errorf("%s has no stemmer", tag)
			continue
		}
		var scratch Scratch
		for _, group := range strings.Split(groups, ";") {
			stems := map[string][]string{}
			for _, word := range strings.Fields(group) {
				s := string(stemmer.AppendStem(&scratch, nil, []byte(word)))
				stems[s] = append(stems[s], word)
				if s == "" {
					t.Errorf("%s: %s has an empty stem", tag, word)
				}
			}
			if len(stems) > 1 {
				t.Errorf("%s: %v", tag, stems)
			}
		}
	}
}

func TestEveryTagOfTheInterfaceHasAStemmerOrNone(t *testing.T) {
	for _, tag := range []string{"ko", "th", "vi", "is", "xx", ""} {
		if _, ok := For(tag); ok {
			t.Errorf("%q has a stemmer", tag)
		}
	}
	if len(builtIn) != 59-4 {
		t.Errorf("%d stemmers", len(builtIn))
	}
}

func TestCacheAnswersLikeTheStemmer(t *testing.T) {
	var cache Cache
	var scratch Scratch
	words := strings.Fields("running runs run shoes a an thelongestwordthatdoesnotfitintothecacheatall über running runs häuser")
	for round := range 3 {
		for owner, tag := range []string{"en", "de", "fr"} {
			stemmer, _ := For(tag)
			for _, w := range words {
				want := stemmer.AppendStem(&scratch, []byte("x"), []byte(w))
				got := cache.AppendStem(uint8(owner+1), stemmer, []byte("x"), []byte(w))
				if !bytes.Equal(got, want) {
					t.Errorf("round %d, %s: %s gives %s, want %s", round, tag, w, got, want)
				}
			}
		}
	}
}

func FuzzStemmers(f *testing.F) {
	for _, word := range strings.Fields("running häuser книги γυναικεσ 本 \xff\xfe yyy 'y' ''s a's ing eed sses") {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word string) {
		var scratch Scratch
		for tag, s := range builtIn {
			in := []byte(word)
			out := s.AppendStem(&scratch, []byte("keep "), in)
			if !bytes.HasPrefix(out, []byte("keep ")) || string(in) != word {
				t.Fatalf("%s %q: %q", tag, word, out)
			}
			if len(out) > 3*len(word)+32 { // a broken byte becomes U+FFFD
				t.Fatalf("%s %q: a stem of %d bytes", tag, word, len(out))
			}
			if utf8.ValidString(word) && !utf8.Valid(out) {
				t.Fatalf("%s %q: %q is not UTF-8", tag, word, out)
			}
		}
	})
}

func FuzzPatchTable(f *testing.F) {
	f.Add([]byte("\x00\x05-0ME2\x00\x00\x00\x00\x01\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := readPatchTable(data)
		if err != nil {
			return
		}
		applyPatch([]rune("słowo"), table.patch([]rune("słowo")))
	})
}

func BenchmarkEnglish(b *testing.B) {
	list := pairs(b, "testdata/snowball/en.txt")
	words := make([][]byte, len(list))
	for i, p := range list {
		words[i] = []byte(p[0])
	}
	var scratch Scratch
	dst := make([]byte, 0, 64)
	b.ReportAllocs()
	for i := range b.N {
		dst = English{}.AppendStem(&scratch, dst[:0], words[i%len(words)])
	}
}
