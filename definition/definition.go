// Package definition holds index definitions: which fields the documents of a
// generation have and how each is read, indexed and returned.
//
// Parse reads a body, expands roles, presets and the index-wide locales, checks
// everything and reports every problem with its path. The result holds only what
// was given explicitly, so that Encode is stable: parsing its output gives the same
// bytes and the same Version. Compare reports where a changed definition does not
// fit older documents.
//
// A Definition holds what was declared. A Schema, compiled from it, holds what
// applies: defaults filled in, wildcard names resolved, named chains replaced by
// their content. Reading documents, indexing and searching use the Schema.
//
// Invariants:
//
//	D1  Parse(d.Encode()) equals d for every d that Parse returned.
//	D2  Locale tags in a Definition are canonical and supported by the node.
//	D3  A Definition and a Schema never change once returned; any
//	    number of goroutines may use them.
package definition

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/go-json-experiment/json"
)

// Definition is an index definition after expansion and checks.
type Definition struct {
	Source         Source            `json:"source,omitzero"`
	Metadata       map[string]string `json:"metadata,omitzero"`
	Fields         map[string]*Field `json:"fields,omitzero"`
	LocaleFallback *LocaleFallback   `json:"localeFallback,omitzero"`
	Ranking        *Ranking          `json:"ranking,omitzero"`
	Resources      *Resources        `json:"resources,omitzero"`
}

// Source says how much of each document is kept. The zero Source means Full.
type Source string

// The source modes.
const (
	SourceFull Source = "full"
	SourceNone Source = "none"
)

// LocaleFallback fills in locales without a value when a document is indexed.
type LocaleFallback struct {
	Chain []string `json:"chain,omitzero"` // nil: each field falls back to its own default locale
}

// Resources holds the analyzers, lists and sets that fields refer to by name.
type Resources struct {
	Analyzers map[string]*Analyzer   `json:"analyzers,omitempty"`
	Stopwords map[string][]string    `json:"stopwords,omitempty"`
	Synonyms  map[string]*SynonymSet `json:"synonyms,omitempty"`
}

// SynonymSet is a named set of index-time synonym rules.
type SynonymSet struct {
	Rules []SynonymRule `json:"rules,omitzero"`
}

// SynonymRule is either Equivalent or Mapping.
type SynonymRule struct {
	Equivalent []string        `json:"equivalent,omitzero"`
	Mapping    *SynonymMapping `json:"mapping,omitzero"`
}

// SynonymMapping adds every To term to a value that holds a From term.
type SynonymMapping struct {
	From []string `json:"from,omitzero"`
	To   []string `json:"to,omitzero"`
}

// Encode returns the canonical JSON form, which reads return and which is stored.
func (d *Definition) Encode() []byte {
	data, err := json.Marshal(d, json.Deterministic(true))
	if err != nil {
		// The types hold nothing but text, finite numbers, and structs of them.
		panic("definition: encode: " + err.Error())
	}
	return data
}

// Version returns 16 hexadecimal digits that identify the definition.
func (d *Definition) Version() string {
	sum := sha256.Sum256(d.Encode())
	return hex.EncodeToString(sum[:8])
}
