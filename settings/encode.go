package settings

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/jsonread"
)

// Names of what settings may use, as stored settings record them.
const (
	FeatureSynonyms   = "query_synonyms"
	FeatureExclusions = "typo_exclusions"
	FeatureInterpret  = "interpret_values"
	FeatureSuggest    = "suggest_values"
	FeatureValues     = "declared_values"
)

// capabilities are the features this node knows.
var capabilities = []string{FeatureSynonyms, FeatureExclusions, FeatureInterpret, FeatureSuggest, FeatureValues}

// Features names what the settings use, for nodes of other versions.
func (s *Settings) Features() []string {
	var features []string
	add := func(used bool, name string) {
		if used {
			features = append(features, name)
		}
	}
	var interpret, suggest, values bool
	for i := range s.Fields {
		interpret = interpret || s.Fields[i].Interpret
		suggest = suggest || s.Fields[i].Suggest
		values = values || s.Fields[i].HasValues
	}
	add(len(s.Synonyms) > 0, FeatureSynonyms)
	add(len(s.TypoExclusions) > 0, FeatureExclusions)
	add(interpret, FeatureInterpret)
	add(suggest, FeatureSuggest)
	add(values, FeatureValues)
	return features
}

// JSON returns the settings as an object in canonical form: what was given,
// without nulls, members sorted. It is never to be changed.
func (s *Settings) JSON() []byte { return s.document }

// Version returns 16 hexadecimal digits that change with the content.
func (s *Settings) Version() string {
	sum := sha256.Sum256(s.document)
	return hex.EncodeToString(sum[:8])
}

// canonical returns valid JSON without null members, compact, members sorted.
// Numbers have one spelling and keep their value, whole ones to the last digit.
func canonical(raw []byte) []byte {
	value := jsontext.Value(withoutNulls(nil, raw))
	// The text was checked when it was read; canonicalizing it can not fail.
	_ = value.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false))
	return value
}

func appendNumber(dst, raw []byte) []byte {
	if n, ok := jsonread.Int64(raw); ok {
		return strconv.AppendInt(dst, n, 10)
	}
	if f, ok := jsonread.Float64(raw); ok {
		return jsontext.AppendFloat(dst, f, 64)
	}
	return append(dst, raw...) // which is refused
}

func withoutNulls(dst, raw []byte) []byte {
	switch jsonread.KindOf(raw) {
	case jsonread.ObjectKind:
		dst = append(dst, '{')
		first := true
		for members := jsonread.Members(raw); members.Next(); {
			if jsonread.KindOf(members.Value()) == jsonread.NullKind {
				continue
			}
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = append(append(dst, members.RawName()...), ':')
			dst = withoutNulls(dst, members.Value())
		}
		return append(dst, '}')
	case jsonread.ListKind:
		dst = append(dst, '[')
		first := true
		for items := jsonread.Items(raw); items.Next(); {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = withoutNulls(dst, items.Value())
		}
		return append(dst, ']')
	case jsonread.NumberKind:
		return appendNumber(dst, raw)
	}
	return append(dst, raw...)
}
