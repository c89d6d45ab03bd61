package main

import (
	"fmt"
	"strings"
)

// variant is one way to index and search a judged set with Quire.
type variant struct {
	name       string
	definition string
	clause     map[string]any // beside type and text
	isOneText  bool
}

const (
	idField = `"id":{"type":"string","role":"id"}`
	oneText = `{"fields":{` + idField + `,"body":{"type":"string","matching":{"analyzer":{"custom":{"filters":[{"normalize":{}},{"stopwords":{}},{"stemming":{}}]}}}}}}`
)

// settings are what roles turn on in a text field, so that one may be taken
// away.
type settings struct {
	exact, typos, stemming, lengths bool
}

var asRoles = settings{exact: true, typos: true, stemming: true, lengths: true}

// text writes a field as its role would expand, changed by the settings.
func (s settings) text(isTitle bool) string {
	parts := []string{`"highlight":{}`}
	if isTitle {
		parts = append(parts, `"weight":3`)
		if s.exact {
			parts = append(parts, `"exact":{}`)
		}
	}
	if s.typos {
		parts = append(parts, `"typoTolerance":{}`)
	}
	norm := "none"
	if isTitle && s.lengths {
		norm = "strong"
	}
	parts = append(parts, fmt.Sprintf(`"lengthNormalization":%q`, norm))
	if !s.stemming {
		parts = append(parts, `"analyzer":{"custom":{"filters":[{"normalize":{}},{"stopwords":{}}]}}`)
	}
	rest := ""
	if isTitle {
		rest = `,"sort":{},"autocomplete":{}`
	}
	return `{"type":"string","stored":true` + rest + `,"matching":{` + strings.Join(parts, ",") + `}}`
}

func define(s settings, title string, descriptions ...string) string {
	fields := []string{idField, fmt.Sprintf("%q:%s", title, s.text(true))}
	for _, d := range descriptions {
		fields = append(fields, fmt.Sprintf("%q:%s", d, s.text(false)))
	}
	return `{"fields":{` + strings.Join(fields, ",") + `}}`
}

func roles(title string, descriptions ...string) string {
	fields := []string{idField, fmt.Sprintf(`%q:{"type":"string","role":"title"}`, title)}
	for _, d := range descriptions {
		fields = append(fields, fmt.Sprintf(`%q:{"type":"string","role":"description"}`, d))
	}
	return `{"fields":{` + strings.Join(fields, ",") + `}}`
}

func with(base map[string]any, name string, value any) map[string]any {
	changed := map[string]any{name: value}
	for k, v := range base {
		if k != name {
			changed[k] = v
		}
	}
	return changed
}

// ablations are the roles with one thing taken away each.
func ablations(clause map[string]any, title string, descriptions ...string) []variant {
	without := func(change func(*settings)) string {
		s := asRoles
		change(&s)
		return define(s, title, descriptions...)
	}
	whole := roles(title, descriptions...)
	return []variant{
		{name: "roles, without exact", definition: without(func(s *settings) { s.exact = false }), clause: clause},
		{name: "roles, without length normalization", definition: without(func(s *settings) { s.lengths = false }), clause: clause},
		{name: "roles, combine = field", definition: whole, clause: with(clause, "combine", "field")},
		{name: "roles, without typo tolerance", definition: without(func(s *settings) { s.typos = false }), clause: clause},
		{name: "roles, without stemming", definition: without(func(s *settings) { s.stemming = false }), clause: clause},
	}
}

func judgedVariants() []variant {
	plain := map[string]any{"match": "any", "relax": "off", "typos": "off", "prefix": "off"}
	anyWord := map[string]any{"match": "any"}
	moderate := `{"fields":{` + idField + `,"title":{"type":"string","matching":{"weight":2}},"body":{"type":"string","matching":{}}}}`
	return append([]variant{
		{name: "Quire, one text", definition: oneText, clause: plain, isOneText: true},
		{name: "Quire, title ×2 and body, moderate lengths", definition: moderate, clause: plain},
		{name: "Quire, roles, match = any", definition: roles("title", "body"), clause: anyWord},
		{name: "Quire, roles, all defaults (match = all, relaxed)", definition: roles("title", "body")},
		{name: "Quire, roles, match = all, relax = words", definition: roles("title", "body"), clause: map[string]any{"relax": "words"}},
	}, ablations(anyWord, "title", "body")...)
}

func knownItemVariants() []variant {
	plain := map[string]any{"match": "any", "relax": "off", "typos": "off", "prefix": "off"}
	user := map[string]any{"match": "user"}
	return append([]variant{
		{name: "Quire, one text", definition: oneText, clause: plain, isOneText: true},
		{name: "Quire, roles, all defaults", definition: roles("name", "title", "body")},
		{name: "Quire, roles, match = user", definition: roles("name", "title", "body"), clause: user},
	}, ablations(user, "name", "title", "body")...)
}
