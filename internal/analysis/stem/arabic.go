package stem

import (
	"strings"
	"unicode/utf8"
)

// arabic is the light stemmer of Larkey, Ballesteros and Connell ("Light
// stemming for Arabic information retrieval", 2007), light10: it removes one
// prefix and the common suffixes from words normalized by the Arabic
// normalizer.
func arabic(w *letters) {
	for _, p := range arabicPrefixes {
		least := utf8.RuneCountInString(p) + 2
		if p == "و" {
			least = 4
		}
		if w.n >= least && hasPrefix(w.b, p) {
			w.b = w.b[len(p):]
			w.n = utf8.RuneCount(w.b)
			break
		}
	}
	for _, s := range arabicSuffixes {
		w.replace(utf8.RuneCountInString(s)+1, s, "")
	}
}

var (
	arabicPrefixes = strings.Fields("ال وال بال كال فال لل و")
	arabicSuffixes = strings.Fields("ها ان ات ون ين يه ية ه ة ي")
)

// persian removes plural, comparative and attributive endings from words
// normalized by the Persian normalizer.
func persian(w *letters) {
	for _, s := range persianSuffixes {
		w.replace(utf8.RuneCountInString(s)+1, s, "")
	}
}

var persianSuffixes = strings.Fields("ات ان ترين تر يي ي ها")

// sorani removes the endings of Central Kurdish nouns: postpositions,
// possessives, then one marker of definiteness, number or ezafe.
func sorani(w *letters) {
	w.first(soraniPostpositions)
	w.first(soraniPossessives)
	w.first(soraniMarkers)
}

var (
	soraniPostpositions = []ending{{5, "دا", ""}, {4, "نا", "ن"}, {6, "ەوە", ""}}
	soraniPossessives   = endings(6, "مان یان تان")
	soraniMarkers       = []ending{
		{6, "ێکی", ""}, {7, "یەکی", ""}, // indefinite singular with ezafe
		{5, "ێک", ""}, {6, "یەک", ""}, // indefinite singular
		{6, "ەکە", ""}, {5, "کە", ""}, // definite singular
		{7, "ەکان", ""}, {6, "کان", ""}, // definite plural
		{7, "یانی", ""}, {6, "انی", ""}, // indefinite plural with ezafe
		{6, "یان", ""}, {5, "ان", ""}, // indefinite plural
		{7, "یانە", ""}, {6, "انە", ""}, // demonstrative plural
		{5, "ایە", "ا"}, {5, "ەیە", "ە"}, {4, "ە", ""}, // demonstrative singular
		{4, "ی", ""}, // ezafe
	}
)

// urdu removes case and number endings, and the tense endings of verbs.
func urdu(w *letters) { w.first(urduEndings) }

var urduEndings = join(
	endings(6, "یاں یوں ئیں ئوں اؤں"),
	endings(5, "یںگے یںگی ئےگا ئےگی گیں"),
	endings(4, "وں یں اں ات ین تا تی تے نا نی نے گا گی گے"),
	endings(3, "ے ی ا ہ و"))
