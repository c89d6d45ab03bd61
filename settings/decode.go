package settings

import (
	"errors"
	"math"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/internal/locale"
	"github.com/quiresearch/quire/problem"
)

// Decode decodes the body of a replacement. If the shape is wrong, the error holds
// every problem of shape. Otherwise it holds every problem that can be found
// without a definition, and the settings are returned as well, so that Validate can
// find the rest.
func Decode(body []byte) (*Settings, error) { return decode(body, true) }

// decode is Decode with or without the bounds for new settings.
func decode(body []byte, bounded bool) (*Settings, error) {
	var found problem.List
	value, ok := jsonread.Parse(body, &found)
	if !ok {
		return nil, found.Err()
	}
	s := read(value)
	if bounded {
		for _, p := range s.excesses().Problems() {
			found.Report(p)
		}
	}
	var shape problem.List
	for _, p := range found.Problems() {
		if strings.HasPrefix(p.Code.Name(), "request:") {
			shape.Report(p)
		}
	}
	if err := shape.Err(); err != nil {
		return nil, err
	}
	s.document = jsonread.Canonical(value.Raw())
	return s, found.Err()
}

// Load reads stored settings, possibly written by a later version.
// UnsupportedFeatures lists members this node does not know, members with values it
// does not accept, and features it lacks; JSON and Version still describe what is
// stored. Bounds introduced after the settings were stored do not apply.
func Load(stored []byte, features []string) (*Settings, error) {
	var found problem.List
	value, ok := jsonread.Parse(stored, &found)
	if !ok {
		return nil, found.Err()
	}
	s := read(value)
	s.document = jsonread.Canonical(value.Raw())
	if found.Len() > 0 && value.Kind() != jsonread.ObjectKind {
		return nil, found.Err()
	}
	for _, p := range found.Problems() {
		name := p.Arguments["property"]
		if place := namesOf(p.Path); p.Code != problem.RequestPropertyUnknown && len(place) > 0 {
			name = place[0]
		}
		if !slices.Contains(s.UnsupportedFeatures, name) {
			s.UnsupportedFeatures = append(s.UnsupportedFeatures, name)
		}
	}
	for _, feature := range features {
		if !slices.Contains(capabilities, feature) && !slices.Contains(s.UnsupportedFeatures, feature) {
			s.UnsupportedFeatures = append(s.UnsupportedFeatures, feature)
		}
	}
	slices.Sort(s.UnsupportedFeatures)
	return s, nil
}

func read(body jsonread.Value) *Settings {
	s := &Settings{}
	body.Members(func(name string, v jsonread.Value) bool {
		switch name {
		case "ranking":
			s.Ranking = definition.ReadRanking(v)
		case "synonyms":
			v.Entries(func(name string, entry jsonread.Value) {
				s.Synonyms = append(s.Synonyms, readSynonyms(name, entry))
			})
		case "typoExclusions":
			v.Entries(func(name string, entry jsonread.Value) {
				s.TypoExclusions = append(s.TypoExclusions, readExclusions(name, entry))
			})
		case "fields":
			v.Entries(func(name string, entry jsonread.Value) {
				s.Fields = append(s.Fields, readField(name, entry))
			})
		case "countSearches":
			s.CountSearches, _ = v.Bool()
		default:
			return false
		}
		return true
	})
	s.byField = make(map[string]*Field, len(s.Fields))
	for i := range s.Fields {
		s.byField[s.Fields[i].Field] = &s.Fields[i]
	}
	return s
}

func readSynonyms(name string, v jsonread.Value) SynonymSet {
	set := SynonymSet{At: v.Path(), Name: name, Boost: DefaultBoost}
	hasRules := false
	isObject := v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "rules":
			hasRules = !member.IsNull()
			member.Items(func(_ int, item jsonread.Value) {
				set.Rules = append(set.Rules, readRule(item))
			})
		case "fields":
			set.Fields, set.HasFields = readFieldNames(member)
		case "boost":
			if member.Kind() != jsonread.NumberKind {
				member.Float()
				break
			}
			boost, ok := jsonread.Float64(member.Raw())
			if !ok || boost <= 0 || math.IsInf(boost, 0) {
				member.Report(problem.SettingsSynonymsBoostOutOfRange)
				break
			}
			set.Boost = boost
		default:
			return false
		}
		return true
	})
	if isObject && !hasRules {
		v.Found().Report(problem.RequestValueRequired.At(v.Path().Field("rules")))
	}
	return set
}

// readRule reads one rule: at least two equivalent terms, or a mapping with terms
// on both sides.
func readRule(v jsonread.Value) SynonymRule {
	var rule SynonymRule
	kinds := 0
	isObject := v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "equivalent":
			if !member.IsNull() {
				kinds++
				rule.Equivalent, _ = member.Texts()
			}
		case "mapping":
			if member.IsNull() {
				break
			}
			kinds++
			member.Members(func(name string, side jsonread.Value) bool {
				switch name {
				case "from":
					rule.From, _ = side.Texts()
				case "to":
					rule.To, _ = side.Texts()
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
	if !isObject {
		return rule
	}
	complete := len(rule.Equivalent) >= 2 || len(rule.From) > 0 && len(rule.To) > 0
	if kinds != 1 || !complete || anyBlank(rule.Equivalent) || anyBlank(rule.From) || anyBlank(rule.To) {
		v.Report(problem.SettingsSynonymsRuleInvalid)
	}
	return rule
}

func readExclusions(name string, v jsonread.Value) ExclusionList {
	list := ExclusionList{At: v.Path(), Name: name}
	hasWords := false
	isObject := v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "words":
			hasWords = !member.IsNull()
			list.Words, _ = member.Texts()
		case "fields":
			list.Fields, list.HasFields = readFieldNames(member)
		default:
			return false
		}
		return true
	})
	if isObject && !hasWords {
		v.Found().Report(problem.RequestValueRequired.At(v.Path().Field("words")))
	}
	return list
}

func readFieldNames(v jsonread.Value) ([]string, bool) {
	if v.IsNull() {
		return nil, false
	}
	return v.Texts()
}

func readField(name string, v jsonread.Value) Field {
	field := Field{At: v.Path(), Field: name}
	v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "interpret":
			field.Interpret = readEmpty(member)
		case "suggest":
			field.Suggest = readEmpty(member)
		case "values":
			field.HasValues = !member.IsNull()
			field.Values = readValues(member)
		default:
			return false
		}
		return true
	})
	field.byValue = make(map[string]int, len(field.Values))
	for i := range field.Values {
		field.byValue[field.Values[i].Value] = i
	}
	return field
}

// readEmpty reads an object without members and reports whether it is present.
func readEmpty(v jsonread.Value) bool {
	if v.IsNull() {
		return false
	}
	return v.Members(func(string, jsonread.Value) bool { return false })
}

func readValues(v jsonread.Value) []DeclaredValue {
	var values []DeclaredValue
	seen := make(map[string]bool)
	count := 0
	v.Items(func(_ int, item jsonread.Value) {
		if count++; count > MaxDeclaredValues {
			return
		}
		value := readValue(item)
		if value.Value != "" && seen[value.Value] {
			item.Found().Report(problem.SettingsFieldsValuesInvalid.At(item.Path().Field("value"), "reason", "declared twice"))
		}
		seen[value.Value] = true
		values = append(values, value)
	})
	if count > MaxDeclaredValues {
		v.Report(problem.SettingsFieldsValuesInvalid, "reason", "too many values", "max", MaxDeclaredValues)
	}
	return values
}

func readValue(v jsonread.Value) DeclaredValue {
	var value DeclaredValue
	hasValue := false
	isObject := v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "value":
			hasValue = !member.IsNull()
			value.Value, _ = member.Text()
		case "order":
			value.Order, value.HasOrder = member.Int32()
		case "labels":
			member.Entries(func(tag string, entry jsonread.Value) {
				text, ok := entry.Text()
				if !ok {
					return
				}
				if !isTag(tag) {
					entry.Report(problem.SettingsFieldsValuesInvalid, "reason", "not a canonical locale tag")
				}
				if strings.TrimSpace(text) == "" {
					entry.Report(problem.SettingsFieldsValuesInvalid, "reason", "blank label")
				}
				value.Labels = append(value.Labels, Label{Locale: tag, Text: text})
			})
		default:
			return false
		}
		return true
	})
	if isObject && !hasValue {
		v.Found().Report(problem.SettingsFieldsValuesInvalid.At(v.Path().Field("value"), "reason", "value missing"))
	}
	return value
}

// isTag reports whether a tag is well formed and canonical.
func isTag(tag string) bool {
	if tag == "" || locale.Canonical(tag) != tag {
		return false
	}
	_, err := language.Raw.Parse(tag)
	var unknown language.ValueError
	return err == nil || errors.As(err, &unknown)
}

func anyBlank(texts []string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.TrimSpace(text) == "" })
}
