package interpret

import (
	"strings"

	"github.com/quiresearch/quire/internal/locale"
)

// comparison is what a comparative says about the number after it.
type comparison uint8

const (
	equal comparison = iota
	below
	atMost
	above
	atLeast
)

// phrase is a comparative as folded words.
type phrase struct {
	words []string
	kind  comparison
}

// span introduces a range: opener N joiner M. A bare range has no opener.
type span struct {
	opener, joiner []string // folded
}

// language holds the comparatives of one locale, by the first word of each phrase
// and opener.
type language struct {
	phrases map[string][]phrase
	opened  map[string][]span
	bare    []span
}

func phrases(lt, lte, gt, gte string, spans ...string) *language {
	l := &language{phrases: make(map[string][]phrase), opened: make(map[string][]span)}
	for kind, list := range map[comparison]string{below: lt, atMost: lte, above: gt, atLeast: gte} {
		for text := range strings.SplitSeq(list, ",") {
			words := strings.Fields(fold(text))
			l.phrases[words[0]] = append(l.phrases[words[0]], phrase{words, kind})
		}
	}
	for _, text := range spans {
		opener, joiner, _ := strings.Cut(text, "…")
		s := span{opener: strings.Fields(fold(opener)), joiner: strings.Fields(fold(joiner))}
		if len(s.opener) == 0 {
			l.bare = append(l.bare, s)
		} else {
			l.opened[s.opener[0]] = append(l.opened[s.opener[0]], s)
		}
	}
	return l
}

// languages are the comparatives by locale; nb and nn use those of no.
var languages = map[string]*language{
	"da": phrases("under, mindre end, billigere end", "max, maks, højst, op til, ikke mere end",
		"over, mere end, dyrere end", "min, mindst, fra, ikke mindre end",
		"mellem … og", "fra … til"),
	"de": phrases("unter, weniger als, billiger als", "max, maximal, höchstens, bis, bis zu, nicht mehr als",
		"über, mehr als, teurer als", "min, mindestens, ab, nicht weniger als",
		"zwischen … und", "von … bis"),
	"en": phrases("under, below, less than, cheaper than", "max, maximum, at most, up to, no more than, not more than, not over",
		"over, above, more than", "min, minimum, at least, from, no less than, not less than, not under",
		"between … and", "from … to", "… to"),
	"es": phrases("menos de, por debajo de", "max, máximo, hasta, como máximo, no más de",
		"más de, por encima de", "min, mínimo, al menos, desde, a partir de, no menos de",
		"entre … y", "de … a", "desde … a"),
	"fi": phrases("alle, vähemmän kuin", "max, enintään, korkeintaan, ei enempää kuin",
		"yli, enemmän kuin", "min, vähintään, ei vähempää kuin"),
	"fr": phrases("moins de, sous", "max, maximum, au plus, jusqu'à, pas plus de",
		"plus de, au-dessus de", "min, minimum, au moins, à partir de, pas moins de",
		"entre … et", "de … à"),
	"it": phrases("meno di, sotto", "max, massimo, al massimo, fino a, non più di",
		"più di, oltre, sopra", "min, minimo, almeno, da, non meno di",
		"tra … e", "fra … e", "da … a"),
	"nl": phrases("onder, minder dan, goedkoper dan", "max, maximaal, hoogstens, tot, niet meer dan",
		"boven, meer dan, duurder dan", "min, minimaal, minstens, vanaf, niet minder dan",
		"tussen … en", "van … tot"),
	"no": phrases("under, mindre enn, billigere enn", "max, maks, høyst, opp til, ikke mer enn",
		"over, mer enn, dyrere enn", "min, minst, fra, ikke mindre enn",
		"mellom … og", "fra … til"),
	"pt": phrases("menos de, abaixo de", "max, máximo, no máximo, até, não mais de",
		"mais de, acima de", "min, mínimo, pelo menos, desde, a partir de, não menos de",
		"entre … e", "de … a", "desde … a"),
	"sv": phrases("under, mindre än, billigare än", "max, högst, upp till, inte mer än",
		"över, mer än, dyrare än", "min, minst, från, inte mindre än",
		"mellan … och", "från … till"),
}

var languageTags = []string{"da", "de", "en", "es", "fi", "fr", "it", "nl", "no", "pt", "sv"}

// languageOf returns the comparatives of a locale, or an empty language if it has
// none.
func languageOf(tag string) *language {
	if found, ok := locale.Resolve(tag, languageTags); ok {
		return languages[found]
	}
	return &language{}
}
