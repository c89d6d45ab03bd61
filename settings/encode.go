package settings

import (
	"crypto/sha256"
	"encoding/hex"
)

// Names of features that settings may use, as recorded in stored settings.
const (
	FeatureSynonyms   = "query_synonyms"
	FeatureExclusions = "typo_exclusions"
	FeatureInterpret  = "interpret_values"
	FeatureSuggest    = "suggest_values"
	FeatureValues     = "declared_values"
	FeatureCounts     = "search_counts"
)

// capabilities are the features this node knows.
var capabilities = []string{FeatureSynonyms, FeatureExclusions, FeatureInterpret, FeatureSuggest, FeatureValues, FeatureCounts}

// Features returns the features that the settings use, for nodes of other versions.
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
	add(s.CountSearches, FeatureCounts)
	return features
}

// JSON returns the settings as an object in canonical form: only what was given,
// without nulls, members sorted. The caller must not modify it.
func (s *Settings) JSON() []byte { return s.document }

// Version returns 16 hexadecimal digits that change with the content.
func (s *Settings) Version() string {
	sum := sha256.Sum256(s.document)
	return hex.EncodeToString(sum[:8])
}
