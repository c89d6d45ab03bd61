package definition

import (
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
)

func (r *reader) readTextUsage(v jsonread.Value, where location, input *fieldInput, property string) *TextUsage {
	usage := &TextUsage{}
	v.Members(func(name string, member jsonread.Value) bool {
		if member.IsNull() {
			input.switchOff(property + "." + name)
		}
		switch name {
		case "analyzer":
			usage.Analyzer = r.readAnalyzer(member, where)
		case "weight":
			usage.Weight = readFloat(member)
		case "highlight":
			usage.Highlight = readEmpty(member)
		case "typoTolerance":
			usage.TypoTolerance = readTypoTolerance(member)
		case "decompound":
			usage.Decompound = readText(member)
		case "exact":
			if member.IsNull() {
				return true
			}
			usage.Exact = &Exact{}
			member.Members(func(name string, boost jsonread.Value) bool {
				if name == "boost" {
					usage.Exact.Boost = readFloat(boost)
				}
				return name == "boost"
			})
		case "lengthNormalization":
			word, _ := member.Word(string(LengthNone), string(LengthModerate), string(LengthStrong))
			usage.LengthNormalization = LengthNormalization(word)
		default:
			return false
		}
		return true
	})
	return usage
}

func readTypoTolerance(v jsonread.Value) *TypoTolerance {
	if v.IsNull() {
		return nil
	}
	typo := &TypoTolerance{}
	v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "minLengthOneTypo":
			typo.MinLengthOneTypo = readInt(member)
		case "minLengthTwoTypos":
			typo.MinLengthTwoTypos = readInt(member)
		case "prefixLength":
			typo.PrefixLength = readInt(member)
		case "numbers":
			typo.Numbers = readEmpty(member)
		default:
			return false
		}
		return true
	})
	return typo
}

func (r *reader) readAnalyzer(v jsonread.Value, where location) *Analyzer {
	if v.IsNull() {
		return nil
	}
	analyzer := &Analyzer{}
	input := &analyzerInput{}
	r.chosen[analyzer] = input
	v.Members(func(name string, member jsonread.Value) bool {
		given := !member.IsNull()
		switch name {
		case "preset":
			input.preset, _ = member.Text()
			input.givesPreset = given
		case "custom":
			if given {
				analyzer.Custom = r.readChain(member, where)
			}
			input.givesCustom = given
		case "named":
			analyzer.Named = readText(member)
			input.givesNamed = given
		default:
			return false
		}
		return true
	})
	return analyzer
}

func (r *reader) readChain(v jsonread.Value, where location) *Chain {
	chain := &Chain{}
	v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "charFilters":
			if !member.IsNull() {
				chain.CharFilters = []CharFilter{}
			}
			member.Items(func(_ int, item jsonread.Value) {
				if filter, ok := r.readCharFilter(item, where); ok {
					chain.CharFilters = append(chain.CharFilters, filter)
				}
			})
		case "tokenizer":
			chain.Tokenizer = r.readTokenizer(member, where)
		case "filters":
			if !member.IsNull() {
				chain.Filters = []TokenFilter{}
			}
			member.Items(func(_ int, item jsonread.Value) {
				if filter, ok := r.readTokenFilter(item, where); ok {
					chain.Filters = append(chain.Filters, filter)
				}
			})
		default:
			return false
		}
		return true
	})
	return chain
}

// component calls read with the single key of a chain component. It reports
// anything but exactly one known key.
func (r *reader) component(v jsonread.Value, where location, read func(kind string, options jsonread.Value) bool) bool {
	keys, known := 0, true
	isObject := v.Members(func(kind string, options jsonread.Value) bool {
		if options.IsNull() {
			return true
		}
		keys++
		known = known && read(kind, options)
		return true
	})
	if isObject && (keys != 1 || !known) {
		r.rule(where.at, problem.IndexFieldAnalyzerComponentInvalid, "name", where.name)
		return false
	}
	return isObject
}

func (r *reader) readCharFilter(v jsonread.Value, where location) (CharFilter, bool) {
	var filter CharFilter
	ok := r.component(v, where, func(kind string, options jsonread.Value) bool {
		switch kind {
		case "htmlStrip":
			filter.HTMLStrip = readEmpty(options)
		case "mapping":
			filter.Mapping = &Mapping{}
			options.Members(func(name string, member jsonread.Value) bool {
				if name == "mappings" && !member.IsNull() {
					filter.Mapping.Mappings = readTexts(member)
				}
				return name == "mappings"
			})
			return filter.Mapping.Mappings != nil && !hasKey(filter.Mapping.Mappings, "")
		case "patternReplace":
			filter.PatternReplace = &PatternReplace{}
			given := false
			options.Members(func(name string, member jsonread.Value) bool {
				switch name {
				case "pattern":
					filter.PatternReplace.Pattern, given = member.Text()
				case "replacement":
					filter.PatternReplace.Replacement, _ = member.Text()
				default:
					return false
				}
				return true
			})
			return given
		default:
			return false
		}
		return true
	})
	return filter, ok
}

func (r *reader) readTokenizer(v jsonread.Value, where location) *Tokenizer {
	if v.IsNull() {
		return nil
	}
	tokenizer := &Tokenizer{}
	r.component(v, where, func(kind string, options jsonread.Value) bool {
		switch kind {
		case "icu":
			tokenizer.ICU = readEmpty(options)
		case "whitespace":
			tokenizer.Whitespace = readEmpty(options)
		case "keyword":
			tokenizer.Keyword = readEmpty(options)
		case "letter":
			tokenizer.Letter = readEmpty(options)
		default:
			return false
		}
		return true
	})
	return tokenizer
}

func (r *reader) readTokenFilter(v jsonread.Value, where location) (TokenFilter, bool) {
	var filter TokenFilter
	ok := r.component(v, where, func(kind string, options jsonread.Value) bool {
		switch kind {
		case "normalize":
			filter.Normalize = &Normalize{}
			options.Members(func(name string, member jsonread.Value) bool {
				if name == "caseFolding" {
					filter.Normalize.CaseFolding = readBool(member)
				}
				return name == "caseFolding"
			})
		case "stopwords":
			filter.Stopwords = &Stopwords{}
			return r.readStopwords(options, filter.Stopwords)
		case "stemming":
			filter.Stemming = &Stemming{Locale: r.readLocale(options)}
		case "decompound":
			filter.Decompound = &Decompound{Locale: r.readLocale(options)}
		case "asciiFolding":
			filter.ASCIIFolding = &ASCIIFolding{}
			options.Members(func(name string, member jsonread.Value) bool {
				if name == "preserveOriginal" {
					filter.ASCIIFolding.PreserveOriginal = readBool(member)
				}
				return name == "preserveOriginal"
			})
		case "edgeNgram":
			filter.EdgeNgram = readNgram(options)
		case "ngram":
			filter.Ngram = readNgram(options)
		case "synonyms":
			filter.Synonyms = &Synonyms{}
			given := false
			options.Members(func(name string, member jsonread.Value) bool {
				if name == "named" {
					filter.Synonyms.Named, given = member.Text()
				}
				return name == "named"
			})
			return given
		default:
			return false
		}
		return true
	})
	return filter, ok
}

func (r *reader) readStopwords(v jsonread.Value, stopwords *Stopwords) bool {
	given := 0
	v.Members(func(name string, member jsonread.Value) bool {
		if !member.IsNull() {
			given++
		}
		switch name {
		case "locale":
			if tag, ok := member.Text(); ok {
				stopwords.Locale, _ = r.capabilities.locale(tag)
			}
		case "words":
			if words, ok := member.Texts(); ok {
				stopwords.Words = words
			}
		case "named":
			stopwords.Named = readText(member)
		default:
			return false
		}
		return true
	})
	return given <= 1
}

// readLocale reads options with a locale as their only member.
func (r *reader) readLocale(v jsonread.Value) string {
	var locale string
	v.Members(func(name string, member jsonread.Value) bool {
		if name != "locale" {
			return false
		}
		if tag, ok := member.Text(); ok {
			locale, _ = r.capabilities.locale(tag)
		}
		return true
	})
	return locale
}

func readNgram(v jsonread.Value) *Ngram {
	grams := &Ngram{}
	v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "minGram":
			grams.MinGram = readInt(member)
		case "maxGram":
			grams.MaxGram = readInt(member)
		default:
			return false
		}
		return true
	})
	return grams
}

func hasKey(m map[string]string, key string) bool {
	_, ok := m[key]
	return ok
}
