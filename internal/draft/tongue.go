package draft

import (
	"strings"

	"github.com/quiresearch/quire/internal/locale"
)

// tongues are the detected languages of the text columns.
type tongues struct {
	of   map[*column]string // empty: not detected; mixedTongue: several
	main string             // of all text together
}

const mixedTongue = "mixed"

// Shares of the samples: above sameTongue of the detected ones, the text has
// one language; at least leastVoices of all samples must be detected.
const (
	sameTongue  = 0.7
	leastVoices = 0.25
)

// listen detects the language of every text column from its samples,
// individually and for all columns together.
func (f *deciding) listen() tongues {
	heard := tongues{of: make(map[*column]string)}
	var all []string
	var unsure []*column
	for _, one := range f.root.ordered {
		if one.kind(f.options.Convert) != kindText || one == f.key || one.isList() || one.averageWords() < 2 || one.text.urls*2 > one.texts {
			continue
		}
		tag, isSure := tongue(one.sample)
		heard.of[one] = tag
		if tag != "" && !isSure {
			unsure = append(unsure, one)
		}
		if one.averageWords() >= proseWords {
			all = append(all, one.sample...)
		}
	}
	if len(all) == 0 {
		for _, one := range f.root.ordered {
			if _, isText := heard.of[one]; isText {
				all = append(all, one.sample...)
			}
		}
	}
	heard.main, _ = tongue(all)
	if heard.main == mixedTongue { // headlines speak the languages of their texts, detected or not
		for _, one := range unsure {
			heard.of[one] = mixedTongue
		}
	}
	return heard
}

// tongue returns the language of texts by majority, one vote per text, and reports
// whether most of the texts voted for it; short texts are combined.
func tongue(texts []string) (tag string, isSure bool) {
	voices, spoken := make(map[string]int), 0
	for _, one := range texts {
		if tag := language(one).tag; tag != "" {
			voices[tag]++
			spoken++
		}
	}
	first := ""
	for tag, n := range voices {
		if first == "" || n > voices[first] || n == voices[first] && tag < first {
			first = tag
		}
	}
	isSure = float64(voices[first]) >= sameTongue*float64(len(texts))
	together := language(strings.Join(texts, "\n")).tag
	switch {
	case first == "":
		return together, false
	case float64(voices[first]) >= sameTongue*float64(spoken):
		if first == together || float64(spoken) >= leastVoices*float64(len(texts)) {
			return first, isSure
		}
		return together, false
	case float64(spoken) >= leastVoices*float64(len(texts)) && spoken >= 8:
		return mixedTongue, true
	}
	return together, false
}

// speak declares the language of a text field and returns the reasons.
func (f *deciding) speak(c *column, declared *Field) []string {
	tag := f.tongues.of[c]
	if tag == "" && f.tongues.main != mixedTongue {
		tag = f.tongues.main
	}
	switch {
	case tag == "":
		return []string{"language not recognized, read as English"}
	case tag == mixedTongue:
		setUsage(declared)
		declared.Matching.Analyzer = &Preset{"preserve_terms"}
		return []string{"several languages, words are kept whole"}
	case tag == "en":
		return []string{"English"}
	case declared.Multiple || c.isList():
		return nil
	}
	declared.Locales = &Locales{DefaultLocale: tag}
	if f.options.Lacks != nil && f.options.Lacks(tag) {
		if !locale.Compounding(tag) || tag == "is" {
			declared.Locales = nil
			return []string{"language " + tag + ", for which the node lacks data, read as English"}
		}
		setUsage(declared)
		declared.Matching.Decompound = "none"
		return []string{"language " + tag + ", compounds stay whole since the node lacks their dictionary"}
	}
	return []string{"language " + tag}
}

// setUsage gives a field an explicit matching usage, unless it has one; what
// its role implies stays.
func setUsage(declared *Field) {
	if declared.Matching == nil {
		declared.Matching = &Matching{}
	}
}
