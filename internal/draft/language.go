package draft

// Language identification by function words and letters.
//
// Texts are full of a few dozen words that carry no meaning, and few of these
// words occur in several languages: "the" and "with" are English, "und" and
// "mit" are German. Every function word in a text adds to the score of each
// language that has it, the more the fewer there are (like an inverse document
// frequency over languages). A letter outside the basic alphabet adds to the
// languages that use it and subtracts from those that do not. A script used by
// a single language decides by itself.
//
//	"Der Hund und die Katze"   und: de; die: de, nl, af…; der: de, nl   -> de
//	"Größe"                    ö: de, sv, fi, hu…; ß: de alone          -> de

import (
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/quiresearch/quire/internal/locale"
)

// more lists function words missing from the lists of stopwords.
var more = map[string]string{
	"en": "from you your which can we our has have he she his her also when more all one been were would its than who what about " +
		"other over only some out up so them him my me do does did should could may must between after before during each most very",
	"da": "af fra efter kun nogle meget mellem gennem både bruges bliver hvilke ved også sådan mod uden mens idet kunne vores deres andet blandt " +
		"hvordan derfor mere flere under inden hjælp uden selv samt igen vil skal må hr",
	"no": "av etter noen mellom gjennom mye blir bruker hvilke slik mot uten mens kunne deres annet blant hvordan derfor mer flere selv",
	"is": "og að í á sem er við til um það ekki fyrir með var en af hann hún eru frá eða þetta þess hefur verið vegna", // its list is locale data
}

// letters lists the letters beyond a to z used in languages with Latin script,
// including those of common loanwords, and the distinctive letters of other
// scripts.
var letters = map[string]string{
	"bs": "čćđšž", "ca": "àçèéíïòóúü·", "cs": "áčďéěíňóřšťúůýž", "da": "æøåé", "de": "äöüß", "en": "", "es": "áéíñóúü¿¡", "et": "äõöüšž",
	"eu": "ñ", "fi": "äöå", "fr": "àâçéèêëîïôùûüœ", "ga": "áéíóú", "gl": "áéíñóú", "hr": "čćđšž", "hu": "áéíóöőúüű", "id": "", "is": "áæéðíóöþúý",
	"it": "àèéìòù", "lt": "ąčęėįšųūž", "lv": "āčēģīķļņšūž", "ms": "", "nb": "æøå", "nl": "ëïéè", "nn": "æøå", "no": "æøå", "pl": "ąćęłńóśźż",
	"pt": "áâãàçéêíóôõú", "ro": "ăâîșțşţ", "sk": "áäčďéíĺľňóôŕšťúýž", "sl": "čšž", "sr": "čćđšž", "sv": "åäöé", "tr": "çğıöşü",
	"vi": "ăâđêôơưàáảãạèéẻẽẹìíỉĩịòóỏõọùúủũụỳýỷỹỵấầẩẫậắằẳẵặếềểễệốồổỗộớờởỡợứừửữự",
	"bg": "ъ", "ru": "ыэё", "uk": "іїєґ", "sr-Cyrl": "ђјљњћџ",
	"fa": "پچژگیک", "ur": "ٹڈڑےںھ", "ckb": "ڕڵێۆە", "ar": "ةىي",
}

// scripts lists scripts that are used by only one supported language.
var scripts = []struct {
	table *unicode.RangeTable
	tag   string
}{
	{unicode.Hiragana, "ja"}, {unicode.Katakana, "ja"}, {unicode.Hangul, "ko"}, {unicode.Thai, "th"}, {unicode.Greek, "el"},
	{unicode.Armenian, "hy"}, {unicode.Gujarati, "gu"}, {unicode.Kannada, "kn"}, {unicode.Malayalam, "ml"}, {unicode.Oriya, "or"},
	{unicode.Gurmukhi, "pa"}, {unicode.Tamil, "ta"}, {unicode.Telugu, "te"}, {unicode.Bengali, "bn"},
}

// Corresponding characters in simplified and traditional Chinese.
const (
	simplified  = "这们国个来时为会对发说学后经过动现点无开关长问题软库图网络统数据应户类实际体给与处层东业从书车门见电话语认识让设计输出项级终结构样标准压缩编译选择"
	traditional = "這們國個來時為會對發說學後經過動現點無開關長問題軟庫圖網絡統數據應戶類實際體給與處層東業從書車門見電話語認識讓設計輸出項級終結構樣標準壓縮編譯選擇"
)

// families lists the tags of scripts that several languages use.
var families = map[*unicode.RangeTable][]string{
	unicode.Cyrillic:   {"bg", "ru", "sr", "uk"},
	unicode.Devanagari: {"hi", "mr", "ne"},
	unicode.Arabic:     {"ar", "ckb", "fa", "ur"},
}

// alike are tags that share their words with another tag, which is declared
// instead: a search in the narrower language finds the broader one.
var alike = []string{"nb", "bs", "ms", "zh-Hant"}

// functionWords maps every function word to the languages it belongs to.
var functionWords = sync.OnceValue(func() map[string][]string {
	words := make(map[string][]string)
	for _, tag := range locale.Tags() {
		if slices.Contains(alike, tag) {
			continue
		}
		list := append(slices.Clone(locale.Stopwords(tag)), strings.Fields(more[tag])...)
		for _, word := range list {
			if word = strings.ToLower(word); !slices.Contains(words[word], tag) {
				words[word] = append(words[word], tag)
			}
		}
	}
	return words
})

// guess is the language of a text with its confidence.
type guess struct {
	tag   string
	share float64 // of the letters or words in favour of the language
}

// language returns the language of a text, with an empty tag if it cannot be
// determined.
func language(text string) guess {
	counts := countScripts(text)
	switch {
	case counts.total == 0:
		return guess{}
	case counts.han+counts.single["ja"] > counts.total/2:
		return eastAsian(text, counts)
	}
	for tag, n := range counts.single {
		if n > counts.total/2 {
			return guess{tag, float64(n) / float64(counts.total)}
		}
	}
	for table, tags := range families {
		if counts.shared[table] > counts.total/2 {
			return byWords(text, tags)
		}
	}
	if counts.latin <= counts.total/2 {
		return guess{}
	}
	return byWords(text, nil)
}

type scriptCounts struct {
	total, han, latin int
	single            map[string]int
	shared            map[*unicode.RangeTable]int
}

func countScripts(text string) scriptCounts {
	counts := scriptCounts{single: make(map[string]int), shared: make(map[*unicode.RangeTable]int)}
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		counts.total++
		switch {
		case r < 0x250:
			counts.latin++
		case unicode.Is(unicode.Latin, r):
			counts.latin++
		case unicode.Is(unicode.Han, r):
			counts.han++
		default:
			counts.other(r)
		}
	}
	return counts
}

func (c *scriptCounts) other(r rune) {
	for table := range families {
		if unicode.Is(table, r) {
			c.shared[table]++
			return
		}
	}
	for _, script := range scripts {
		if unicode.Is(script.table, r) {
			c.single[script.tag]++
			return
		}
	}
}

// eastAsian decides between Japanese, which mixes in kana, and the two forms of
// Chinese.
func eastAsian(text string, counts scriptCounts) guess {
	if counts.single["ja"]*10 > counts.han {
		return guess{"ja", 1}
	}
	simple, full := 0, 0
	for _, r := range text {
		isSimple, isFull := strings.ContainsRune(simplified, r), strings.ContainsRune(traditional, r)
		switch {
		case isSimple && !isFull:
			simple++
		case isFull && !isSimple:
			full++
		}
	}
	if full > simple {
		return guess{"zh-Hant", 1}
	}
	return guess{"zh", 1}
}

// Weights and thresholds. A distinctive letter is worth about as much as a
// function word. If less than leastScore of the words are evidence, the
// language is unknown. The best language must lead the next one in evidence for
// only one of the two, because related languages share most of their words.
const (
	letterWorth  = 1.5
	letterCost   = 2.5
	leastScore   = 0.12
	leastTotal   = 8 // of all evidence: two or three words of one language
	leadOverNext = 1.5
)

// evidence is the amount that one word or letter adds to the languages that
// have it, and subtracts from the others.
type evidence struct {
	tags  []string
	worth float64
	cost  float64
}

// byWords scores the languages of one script by function words and letters.
func byWords(text string, among []string) guess {
	text = strings.ToLower(text)
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '\u200c' })
	if len(words) == 0 {
		return guess{}
	}
	var found []evidence
	known := functionWords()
	for _, word := range words {
		tags := known[word]
		if len(tags) == 0 {
			continue
		}
		worth := math.Log2(1 + 16/float64(len(tags)))
		if len(word) == 1 {
			worth /= 4
		}
		found = append(found, evidence{tags: tags, worth: worth})
	}
	found = append(found, letterEvidence(text)...)
	scores := make(map[string]float64)
	for _, one := range found {
		for _, tag := range one.tags {
			scores[tag] += one.worth
		}
	}
	for tag := range scores {
		if among != nil && !slices.Contains(among, tag) || among == nil && !isLatin(tag) {
			delete(scores, tag)
			continue
		}
		for _, one := range found {
			if one.cost > 0 && !slices.Contains(one.tags, tag) {
				scores[tag] -= one.cost
			}
		}
	}
	return best(scores, found, len(words))
}

// letterEvidence returns the evidence of letters beyond the basic alphabet.
func letterEvidence(text string) []evidence {
	seen := make(map[rune]int)
	for _, r := range text {
		if r >= 0x80 && (unicode.IsLetter(r) || r == '¿' || r == '¡') {
			seen[r]++
		}
	}
	var found []evidence
	for r, n := range seen {
		var tags []string
		for tag, list := range letters {
			if strings.ContainsRune(list, r) {
				tags = append(tags, strings.TrimSuffix(tag, "-Cyrl"))
			}
		}
		if len(tags) > 0 {
			found = append(found, evidence{tags: tags, worth: letterWorth * float64(n), cost: letterCost * float64(n)})
		}
	}
	return found
}

func best(scores map[string]float64, found []evidence, words int) guess {
	var first, second guess
	for tag, score := range scores {
		one := guess{tag, score / float64(words)}
		switch {
		case one.share > first.share || one.share == first.share && tag < first.tag:
			first, second = one, first
		case one.share > second.share:
			second = one
		}
	}
	if first.share < leastScore || first.share*float64(words) < leastTotal {
		return guess{}
	}
	forFirst, forSecond := 0.0, 0.0
	for _, one := range found {
		hasFirst, hasSecond := slices.Contains(one.tags, first.tag), slices.Contains(one.tags, second.tag)
		switch {
		case hasFirst && !hasSecond:
			forFirst += one.worth
		case hasSecond && !hasFirst:
			forSecond += one.worth
		}
	}
	if forFirst < forSecond*leadOverNext || forFirst == forSecond {
		return guess{}
	}
	return first
}

func isLatin(tag string) bool {
	list, ok := letters[tag]
	return ok && (list == "" || unicode.Is(unicode.Latin, []rune(list)[0]))
}
