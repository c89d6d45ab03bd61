package definition

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quiresearch/quire/problem"
)

// numbered returns n numbered words as JSON strings.
func numbered(prefix string, n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf(`"%s%d"`, prefix, i)
	}
	return strings.Join(words, ",")
}

// chained returns a definition with one text field with a custom chain.
func chained(chain, resources string) string {
	return `{"fields":{"t":{"type":"string","matching":{"analyzer":{"custom":{` + chain + `}}}}}` + resources + `}`
}

// TestBoundsOfAnalysis checks that whatever makes analysis costly is bounded in a
// new definition. A definition stored before a bound was introduced stays readable.
func TestBoundsOfAnalysis(t *testing.T) {
	synonyms := func(sets int) (filters, resources string) {
		var named, declared []string
		for i := range sets {
			named = append(named, fmt.Sprintf(`{"synonyms":{"named":"s%d"}}`, i))
			declared = append(declared, fmt.Sprintf(`"s%d":{"rules":[{"mapping":{"from":["a"],"to":[%s]}}]}`, i, numbered("w", 60)))
		}
		return `"filters":[` + strings.Join(named, ",") + `]`, `,"resources":{"synonyms":{` + strings.Join(declared, ",") + `}}`
	}
	fiveFilters, fiveSets := synonyms(5)
	pattern := func(text string) string { return `{"patternReplace":{"pattern":"` + text + `","replacement":""}}` }
	var patterns, mappings []string
	for i := range 150 {
		patterns = append(patterns, fmt.Sprintf(`"p%d":{"custom":{"charFilters":[%s]}}`, i, pattern(fmt.Sprintf("a%db{800}", i))))
	}
	for i := range 1001 {
		mappings = append(mappings, fmt.Sprintf(`"%0100d":"x"`, i))
	}
	plain := `"fields":{"t":{"type":"string","matching":{}}}`
	for _, c := range []struct {
		name, body   string
		code         *problem.Code
		path, reason string
	}{
		{"one pattern", chained(`"charFilters":[`+pattern(`(x{1,1000}y){1}`)+`]`, ""), problem.IndexFieldAnalyzerPatternInvalid,
			"fields.t", "it compiles to 2004 instructions, which is more than 1000"},
		{"all patterns", `{` + plain + `,"resources":{"analyzers":{` + strings.Join(patterns, ",") + `}}}`, problem.RequestValueInvalid,
			"", "the patterns compile to more than 100000 instructions together"},
		{"chained synonyms", chained(fiveFilters, fiveSets), problem.RequestValueInvalid,
			"fields.t", "the synonym filters of the chain make more than 10000 words of one"},
		{"filters", chained(`"filters":[`+strings.Repeat(`{"normalize":{}},`, 64)+`{"normalize":{}}]`, ""), problem.RequestValueInvalid,
			"fields.t", "more than 64 filters in one chain"},
		{"char filters", chained(`"charFilters":[`+strings.Repeat(`{"htmlStrip":{}},`, 64)+`{"htmlStrip":{}}]`, ""), problem.RequestValueInvalid,
			"fields.t", "more than 64 char filters in one chain"},
		{"mappings", chained(`"charFilters":[{"mapping":{"mappings":{`+strings.Join(mappings, ",")+`}}}]`, ""), problem.RequestValueInvalid,
			"", "the keys of mappings have more than 100000 bytes together"},
		{"stopwords", `{` + plain + `,"resources":{"stopwords":{"s":[` + numbered("w", maxStopwords+1) + `]}}}`, problem.RequestValueInvalid,
			"", "the lists of stopwords have more than 100000 words together"},
		{"synonym terms", `{` + plain + `,"resources":{"synonyms":{"s":{"rules":[{"equivalent":[` + numbered("w", maxSynonymTerms+1) + `]}]}}}}`,
			problem.RequestValueInvalid, "resources.synonyms", "more than 300000 terms in all sets together"},
		{"long term", `{` + plain + `,"resources":{"synonyms":{"s":{"rules":[{"equivalent":["a","` + strings.Repeat("b", 1001) + `"]}]}}}}`,
			problem.RequestValueInvalid, "resources.synonyms.s", "a term of more than 1000 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(c.body), Capabilities{})
			found := problem.All(err)
			if len(found) != 1 || found[0].Code != c.code || found[0].Path != c.path || found[0].Arguments["reason"] != c.reason {
				t.Fatalf("got %.300v, want %s at %q because %s", err, c.code.Name(), c.path, c.reason)
			}
			stored, err := ParseStored([]byte(c.body), Capabilities{})
			if err != nil {
				t.Fatalf("a stored definition cannot be read: %v", err)
			}
			if _, err := DecodeStored(stored.EncodeStored(), Capabilities{}); err != nil {
				t.Errorf("a stored definition cannot be opened: %v", err)
			}
		})
	}
	twoFilters, twoSets := synonyms(2)
	if _, err := Parse([]byte(chained(twoFilters, twoSets)), Capabilities{}); err != nil {
		t.Errorf("two sets of synonyms in one chain: %v", err)
	}
}

// TestFieldsShareANamedChain checks that fields that name one analyzer share its
// chain, and so do the names of a pattern.
func TestFieldsShareANamedChain(t *testing.T) {
	d, err := Parse([]byte(`{"fields":{
		"a":{"type":"string","matching":{"analyzer":{"named":"words"}}},
		"b":{"type":"string","matching":{"analyzer":{"named":"words"}}},
		"x_*":{"type":"string","matching":{"analyzer":{"custom":{"filters":[{"normalize":{}}]}}}}},
		"resources":{"analyzers":{"words":{"custom":{"filters":[{"normalize":{}}]}}}}}`), Capabilities{})
	if err != nil {
		t.Fatal(err)
	}
	schema := NewSchema(d)
	for _, pair := range [][2]string{{"a", "b"}, {"x_1", "x_2"}} {
		first, _ := schema.Resolve(pair[0])
		second, _ := schema.Resolve(pair[1])
		if first.Matching.Chain == nil || first.Matching.Chain != second.Matching.Chain {
			t.Errorf("%v have chains of their own", pair)
		}
	}
}
