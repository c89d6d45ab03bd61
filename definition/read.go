package definition

import (
	"slices"
	"strconv"

	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
)

// Bounds of a definition that limit the work it can cause.
const (
	maxFields       = 5000
	maxObjects      = 100 // nesting depth; stored values nest little deeper than bodies may
	maxSynonymRules = 100_000
	maxPatternSize  = 1000
	maxGram         = 255
	maxNgramSpan    = 32
	maxProblems     = 1000 // reported for one definition
)

// reader turns a body into a Definition. Problems of shape are found while reading
// and reported alone. Then shorthands are translated; if one cannot be, there is no
// definition to check, so the first such problem is reported alone as well.
// Problems of the finished definition are collected in rules.
type reader struct {
	shape        problem.List
	translation  problem.List // at most one
	rules        problem.List
	capabilities Capabilities
	isStored     bool // read by ParseStored
	declaration  *declaration
	inputs       map[*Field]*fieldInput
	chosen       map[*Analyzer]*analyzerInput
	fields       int
	instructions int // of the patterns checked so far

	// localizesText is set when no field declares locales: the declaration then
	// applies to every field whose text is analysed.
	localizesText bool
}

// declaration holds the index-wide locales, which are expanded onto the fields.
type declaration struct {
	defaultLocale string
	tags          []string // default first
}

// saysMoreThanDefault reports whether the declaration changes the meaning of a
// field without locales, which is otherwise in DefaultLocale.
func (d *declaration) saysMoreThanDefault() bool {
	return len(d.tags) > 1 || d.defaultLocale != DefaultLocale
}

// fieldInput holds input of a field that is expanded before it is stored.
type fieldInput struct {
	role      string
	only      []string
	givesOnly bool
	givesList bool
	off       map[string]bool // given as null: "matching", "matching.exact"
}

// switchOff records that a property or a member of a usage was given as null, so
// that a role does not turn it on.
func (i *fieldInput) switchOff(name string) {
	if i.off == nil {
		i.off = make(map[string]bool)
	}
	i.off[name] = true
}

// analyzerInput records which of the three kinds an analyzer gave.
type analyzerInput struct {
	preset      string
	givesPreset bool
	givesCustom bool
	givesNamed  bool
}

// location is the path of a problem of meaning, and the name for its message.
type location struct {
	at   problem.Path
	name string
}

func (r *reader) rule(at problem.Path, code *problem.Code, arguments ...any) {
	if r.rules.Len() < maxProblems {
		r.rules.Report(code.At(at, arguments...))
	}
}

// unknown is rule for a name that is not among the known ones, which it suggests.
func (r *reader) unknown(at problem.Path, code *problem.Code, given string, known []string, arguments ...any) {
	if r.rules.Len() < maxProblems {
		r.rules.Report(code.At(at, arguments...).AmongNames(given, known...))
	}
}

// untranslatable reports a shorthand that has no meaning: a role, an analyzer
// choice, a locale.
func (r *reader) untranslatable(at problem.Path, code *problem.Code, arguments ...any) {
	if r.translation.Len() == 0 {
		r.translation.Report(code.At(at, arguments...))
	}
}

func (r *reader) read(body []byte) *Definition {
	r.inputs = make(map[*Field]*fieldInput)
	r.chosen = make(map[*Analyzer]*analyzerInput)
	root, ok := jsonread.Parse(body, &r.shape)
	if !ok {
		return nil
	}
	d := &Definition{}
	root.Members(func(name string, v jsonread.Value) bool {
		switch name {
		case "source":
			if word, ok := v.Word("full", "none"); ok {
				d.Source = Source(word)
			}
		case "metadata":
			if !v.IsNull() {
				d.Metadata = readTexts(v)
			}
		case "fields":
			if !v.IsNull() {
				d.Fields = r.readFields(v, "")
			}
		case "locales":
			r.readDeclaration(v)
		case "localeFallback":
			d.LocaleFallback = r.readFallback(v)
		case "ranking":
			d.Ranking = ReadRanking(v)
		case "resources":
			d.Resources = r.readResources(v)
		default:
			return false
		}
		return true
	})
	if r.fields > maxFields {
		r.shape.Report(problem.RequestValueInvalid.At(problem.At("fields"), "reason", "more than 5000 fields"))
	}
	return d
}

// readTexts reads a map of strings.
func readTexts(v jsonread.Value) map[string]string {
	texts := make(map[string]string)
	v.Members(func(name string, entry jsonread.Value) bool {
		// Names are free text, so the path quotes them.
		entry = entry.At(v.Path().Append("[" + strconv.Quote(name) + "]"))
		if text, ok := entry.Text(); ok {
			texts[name] = text
		} else if entry.IsNull() {
			entry.Report(problem.RequestValueRequired)
		}
		return true
	})
	return texts
}

func (r *reader) readDeclaration(v jsonread.Value) {
	if v.IsNull() {
		return
	}
	var defaultLocale string
	var supported []string
	v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "defaultLocale":
			if tag, ok := member.Text(); ok {
				defaultLocale = r.declaredTag(tag, member.Path())
			}
		case "supported":
			member.Items(func(_ int, item jsonread.Value) {
				if tag, ok := item.Text(); ok {
					supported = append(supported, r.declaredTag(tag, item.Path()))
				}
			})
		default:
			return false
		}
		return true
	})
	if defaultLocale == "" {
		r.untranslatable(v.Path().Field("defaultLocale"), problem.IndexLocalesDefaultLocaleRequired)
	}
	r.declaration = &declaration{defaultLocale: defaultLocale}
	for _, tag := range append([]string{defaultLocale}, supported...) {
		if tag != "" && !slices.Contains(r.declaration.tags, tag) {
			r.declaration.tags = append(r.declaration.tags, tag)
		}
	}
}

// declaredTag returns the canonical form of a tag of the index-wide list. It
// reports an unsupported tag.
func (r *reader) declaredTag(tag string, at problem.Path) string {
	canonical, ok := r.capabilities.locale(tag)
	if !ok {
		r.untranslatable(at, problem.IndexFieldLocalesLocaleUnsupported, "name", at.String(), "locale", tag)
	}
	return canonical
}

func (r *reader) readFallback(v jsonread.Value) *LocaleFallback {
	if v.IsNull() {
		return nil
	}
	fallback := &LocaleFallback{}
	v.Members(func(name string, member jsonread.Value) bool {
		if name != "chain" {
			return false
		}
		if tags, ok := member.Texts(); ok {
			fallback.Chain = tags
		}
		return true
	})
	return fallback
}

func (r *reader) readResources(v jsonread.Value) *Resources {
	resources := &Resources{}
	v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "analyzers":
			resources.Analyzers = make(map[string]*Analyzer)
			member.Entries(func(name string, entry jsonread.Value) {
				resources.Analyzers[name] = r.readAnalyzer(entry, location{entry.Path(), name})
			})
		case "stopwords":
			resources.Stopwords = make(map[string][]string)
			member.Entries(func(name string, entry jsonread.Value) {
				if words, ok := entry.Texts(); ok {
					resources.Stopwords[name] = words
				}
			})
		case "synonyms":
			resources.Synonyms = make(map[string]*SynonymSet)
			member.Entries(func(name string, entry jsonread.Value) {
				resources.Synonyms[name] = r.readSynonymSet(entry, name)
			})
		default:
			return false
		}
		return true
	})
	if len(resources.Analyzers)+len(resources.Stopwords)+len(resources.Synonyms) == 0 {
		return nil
	}
	return resources
}

func (r *reader) readSynonymSet(v jsonread.Value, set string) *SynonymSet {
	synonyms := &SynonymSet{}
	v.Members(func(name string, member jsonread.Value) bool {
		if name != "rules" {
			return false
		}
		if member.IsNull() {
			return true
		}
		synonyms.Rules = []SynonymRule{}
		member.Items(func(position int, item jsonread.Value) {
			if position == maxSynonymRules {
				member.Invalid("more than 100000 rules")
			}
			if position < maxSynonymRules {
				synonyms.Rules = append(synonyms.Rules, r.readSynonymRule(item, set))
			}
		})
		return true
	})
	return synonyms
}

func (r *reader) readSynonymRule(v jsonread.Value, set string) SynonymRule {
	var rule SynonymRule
	v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "equivalent":
			if words, ok := member.Texts(); ok {
				rule.Equivalent = words
			}
		case "mapping":
			if member.IsNull() {
				return true
			}
			rule.Mapping = &SynonymMapping{}
			member.Members(func(name string, side jsonread.Value) bool {
				switch name {
				case "from":
					rule.Mapping.From, _ = side.Texts()
				case "to":
					rule.Mapping.To, _ = side.Texts()
				default:
					return false
				}
				return true
			})
		default:
			return false
		}
		return true
	})
	r.checkSynonymRule(rule, location{v.Path(), set})
	return rule
}
