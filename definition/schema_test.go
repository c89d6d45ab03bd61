package definition

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

func TestExplicitNamesWinThenPatternsInOrder(t *testing.T) {
	s := NewSchema(mustParse(t, `{"fields":{"*":{"type":"string"},"b*":{"type":"int32"},"b*c":{"type":"int64"},"bc":{"type":"double"},
		"spec":{"type":"object","fields":{"*":{"type":"object","multiple":true,"mode":"nested","fields":{"value":{"type":"float"}}}}}}}`))
	for path, want := range map[string]string{
		"bc": "double", "bd": "int32", "bxc": "int32", "x": "string", "b": "string",
		"spec.weight.value": "float", "spec.weight": "object", "spec.weight.other": "", "x.y": "", "": "", "a\x00b": "",
	} {
		f, ok := s.Resolve(path)
		if got := ""; ok {
			got = string(f.Type)
			if got != want || f.Path != path {
				t.Errorf("%s: %s at %s, want %s", path, got, f.Path, want)
			}
		} else if want != "" {
			t.Errorf("%s is not found", path)
		}
	}
	f, _ := s.Resolve("spec.weight.value")
	if f.List != "spec.weight" || !f.IsWildcard || f.Declared != "spec.*.value" {
		t.Errorf("%+v", f)
	}
	again, _ := s.Resolve("spec.weight.value")
	if again != f {
		t.Error("a concrete name is compiled twice")
	}
}

// TestPatternsAreTriedInOrder checks that the longest literal prefix wins, then the
// shorter pattern; a pattern itself is not the name of a field.
func TestPatternsAreTriedInOrder(t *testing.T) {
	s := NewSchema(mustParse(t, `{"fields":{"id":{"type":"string","primaryKey":true},"ab":{"type":"boolean"},"a*":{"type":"string"},"ab*":{"type":"int32"},
		"x*_x":{"type":"float"},"x*_a_x":{"type":"double"},"o":{"type":"object","fields":{"*":{"type":"int64"},"*_x":{"type":"string"}}}}}`))
	for path, want := range map[string]string{
		"ab": "boolean", "abc": "int32", "ac": "string", "xq_a_x": "float", "o.q_x": "int64",
		"a*": "", "ab*": "", "o.*": "", "aq*": "",
	} {
		got := ""
		if f, ok := s.Resolve(path); ok {
			got = string(f.Type)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

func TestPatternsMatchAsTheirExpression(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	letters := func(set string, n int) string {
		var b strings.Builder
		for range r.IntN(n + 1) {
			b.WriteByte(set[r.IntN(len(set))])
		}
		return b.String()
	}
	for range 20_000 {
		pattern, name := letters("ab*", 6), letters("ab", 9)
		want := regexp.MustCompile("^" + strings.ReplaceAll(pattern, "*", ".+") + "$").MatchString(name)
		if matchesPattern(pattern, name) != want {
			t.Fatalf("%q on %q: want %v", pattern, name, want)
		}
	}
}

func TestDefaultsAreFilledIn(t *testing.T) {
	s := NewSchema(mustParse(t, rich))
	name, _ := s.Resolve("name")
	if name.Matching.Typos.MinLengthTwo != 9 || name.Matching.ExactBoost != 2 || strings.Join(name.Locales, " ") != "en sv zh-Hant" ||
		strings.Join(name.FallbackOrder, " ") != "sv en" || name.Autocomplete.Typos != nil {
		t.Errorf("%+v", name)
	}
	body, _ := s.Resolve("body")
	if body.FallbackOrder != nil || body.Matching.Chain == nil || body.CaseFolding != true {
		t.Errorf("%+v", body)
	}
	if s.PrimaryKey().Name != "id" || !s.PrimaryKey().Required || len(s.Signals()) != 1 || !s.KeepsSource() {
		t.Error("key, signals or source")
	}
	if list := s.TextFields(""); len(list) != 3 || list[0].Name != "body" {
		t.Errorf("text fields %v", list)
	}
}
