package campaign

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/jsonread"
)

// repeat joins count copies of what make returns.
func repeat(count int, make func(i int) string) string {
	parts := []string{}
	for i := range count {
		parts = append(parts, make(i))
	}
	return strings.Join(parts, ",")
}

// answered fails on anything but a good answer, a refusal, or the documented
// timeouts.
func (c *caller) answered(t *testing.T, what, method, path, body string) {
	t.Helper()
	got, err := c.send(method, path, asJSON, body)
	switch {
	case err != nil:
		t.Fatalf("%s: %v", what, err)
	case got.status == 503 && got.code() == "search:timeout":
	case got.status >= 500:
		t.Errorf("%s: %.400s", what, got)
	}
}

// S17: requests made to be expensive end within their time and memory.
func TestSearchBombs(t *testing.T) {
	p := start(t, t.TempDir(), append(quick, "SERVICE_SEARCH_TIMEOUT=3s", "SERVICE_SUGGEST_TIMEOUT=3s")...)
	c := newCaller(p)
	c.must(t, "PUT", "/admin/indexes/x", definition)
	for batch := range 10 {
		c.must(t, "POST", "/indexes/x/documents", `{"documents":[`+repeat(500, func(i int) string {
			n := batch*500 + i
			return fmt.Sprintf(`{"id":"%d","owner":"o%d","group":%d,"version":%d,"title":"word%d other%d a%d b%d"}`, n, n, n%7, n, n, n*31, n%26, n%11)
		})+`]}`)
	}
	c.must(t, "POST", "/admin/indexes/x/actions/commit", "")
	words := func(count int, form string) string {
		return strings.ReplaceAll(repeat(count, func(i int) string { return fmt.Sprintf(form, i) }), ",", " ")
	}
	deep := func(kind string, depth int) string {
		return strings.Repeat(`{"type":"`+kind+`","clauses":[`, depth) + `{"field":"group","match":{"value":1}}` + strings.Repeat(`]}`, depth)
	}
	for what, body := range map[string]string{
		"12000 words with typos":  `{"query":[{"type":"text","text":"` + words(12000, "wrod%d") + `"}]}`,
		"12000 equal words":       `{"query":[{"type":"text","text":"` + strings.Repeat("word1 ", 12000) + `"}]}`,
		"one endless word":        `{"query":[{"type":"text","text":"` + strings.Repeat("w", 1<<20) + `"}]}`,
		"one-letter words":        `{"query":[{"type":"text","text":"` + words(500, "a b c d e f g h i j k l m n o%d") + `"}]}`,
		"deep or":                 `{"query":[` + deep("or", 60) + `]}`,
		"deep not":                `{"query":[` + deep("not", 19) + `]}`,
		"wide or":                 `{"query":[{"type":"or","clauses":[` + repeat(1020, func(i int) string { return fmt.Sprintf(`{"field":"owner","match":{"value":"o%d"}}`, i) }) + `]}]}`,
		"too wide or":             `{"query":[{"type":"or","clauses":[` + repeat(20000, func(i int) string { return `{"field":"group","match":{"value":1}}` }) + `]}]}`,
		"huge in":                 `{"filters":[{"field":"owner","match":{"type":"in","values":[` + repeat(100000, func(i int) string { return fmt.Sprintf(`"o%d"`, i) }) + `]}}]}`,
		"wide facets":             `{"facets":[` + repeat(500, func(i int) string { return `{"field":"owner","limit":1000}` }) + `]}`,
		"deep pages":              `{"offset":9000,"limit":1000,"sort":[{"field":"version"}]}`,
		"beyond the deepest page": `{"offset":999999999,"limit":1000}`,
		"negative":                `{"offset":-1,"limit":-1}`,
		"huge numbers":            `{"limit":1e308,"offset":9223372036854775807}`,
		"prefix of everything":    `{"query":[{"type":"text","text":"w","prefix":"last"}],"total":"exact","limit":1000}`,
	} {
		c.answered(t, what, "POST", "/indexes/x/search", body)
		c.answered(t, what+", explained", "POST", "/indexes/x/search/actions/explain?key=1", body)
	}
	c.answered(t, "a long suggestion", "POST", "/indexes/x/suggest", `{"text":"`+words(3000, "wrod%d")+`"}`)
	c.answered(t, "a delete of everything", "POST", "/indexes/x/documents/actions/delete", `{"query":[`+deep("or", 15)+`]}`)
	if used := resident(t, p); used > 1<<30 {
		t.Errorf("%d MB in use", used>>20)
	}
	began := time.Now()
	if answer, err := http.Get(p.base + "/q/health/live"); err != nil || answer.StatusCode != 200 {
		t.Errorf("health: %v", err)
	}
	t.Logf("health after it in %v", time.Since(began))
	p.noPanic(t)
}

// S18: definitions, settings and keys made to be expensive are refused or bounded.
func TestDefinitionBombs(t *testing.T) {
	p := start(t, t.TempDir(), quick...)
	c := newCaller(p)
	c.must(t, "PUT", "/admin/indexes/x", definition)
	key := `"id":{"type":"string","primaryKey":true}`
	nested := func(depth int) string {
		return strings.Repeat(`{"type":"object","mode":"nested","multiple":true,"fields":{"a":`, depth) + `{"type":"string"}` + strings.Repeat(`}}`, depth)
	}
	analyzer := func(parts string) string {
		return `{"fields":{` + key + `,"t":{"type":"string","matching":{"analyzer":{"custom":{` + parts + `}}}}}}`
	}
	replacing := func(pattern, by string) string {
		return `"charFilters":[{"patternReplace":{"pattern":"` + pattern + `","replacement":"` + by + `"}}]`
	}
	for what, body := range map[string]string{
		"100000 fields": `{"fields":{` + key + `,` + repeat(100000, func(i int) string { return fmt.Sprintf(`"f%d":{"type":"string","matching":{}}`, i) }) + `}}`,
		"5000 fields": `{"fields":{` + key + `,` + repeat(4990, func(i int) string {
			return fmt.Sprintf(`"f%d":{"type":"string","matching":{},"filter":{},"facet":{}}`, i)
		}) + `}}`,
		"nesting":            `{"fields":{` + key + `,"a":` + nested(30) + `}}`,
		"deeper nesting":     `{"fields":{` + key + `,"a":` + nested(5000) + `}}`,
		"a long name":        `{"fields":{` + key + `,"` + strings.Repeat("n", 1<<20) + `":{"type":"string"}}}`,
		"a pattern":          analyzer(replacing(strings.Repeat("(a*)*", 150), "b")),
		"a repeated pattern": analyzer(replacing("((a{1000}){1000}){1000}", "b")),
		"a huge pattern":     analyzer(replacing(strings.Repeat("x|", 1<<20), "b")),
		"n-grams":            analyzer(`"filters":[{"ngram":{"minGram":1,"maxGram":1000000}}]`),
		"many synonyms":      `{"fields":{` + key + `},"resources":{"synonyms":{"s":{"rules":[` + repeat(150000, func(i int) string { return fmt.Sprintf(`{"equivalent":["a%d","b%d"]}`, i, i) }) + `]}}}}`,
		"one wide synonym":   `{"fields":{` + key + `},"resources":{"synonyms":{"s":{"rules":[{"equivalent":[` + repeat(100000, func(i int) string { return fmt.Sprintf(`"a%d"`, i) }) + `]}]}}}}`,
		"dimensions":         `{"fields":{` + key + `,"v":{"type":"vector","dimensions":1000000000}}}`,
		"many locales":       `{"fields":{` + key + `,"t":{"type":"string","matching":{},"locales":{"locales":[` + repeat(20000, func(i int) string { return `"sv"` }) + `]}}}}`,
		"wildcards":          `{"fields":{` + key + `,` + repeat(2000, func(i int) string { return fmt.Sprintf(`"a*%d*":{"type":"string"}`, i) }) + `}}`,
	} {
		c.answered(t, what, "PUT", "/admin/indexes/bomb", body)
		_, _ = c.send("DELETE", "/admin/indexes/bomb", "", "")
	}
	for what, body := range map[string]string{
		"settings with synonyms": `{"synonyms":{"s":{"rules":[` + repeat(100000, func(i int) string { return fmt.Sprintf(`{"equivalent":["a%d","b%d"]}`, i, i) }) + `]}}}`,
		"settings with one set":  `{"synonyms":{"s":{"rules":[{"equivalent":[` + repeat(50000, func(i int) string { return fmt.Sprintf(`"a%d"`, i) }) + `]}]}}}`,
		"settings with sets":     `{"synonyms":{` + repeat(20000, func(i int) string { return fmt.Sprintf(`"s%d":{"rules":[{"equivalent":["a","b"]}]}`, i) }) + `}}`,
		"settings with signals":  `{"ranking":{"signals":[` + repeat(20000, func(i int) string { return `{"field":"pop"}` }) + `]}}`,
	} {
		c.answered(t, what, "PUT", "/admin/indexes/x/settings", body)
		c.answered(t, what+", patched", "PATCH", "/admin/indexes/x/settings", body)
		c.answered(t, what+", searched", "POST", "/indexes/x/search", `{"query":[{"type":"text","text":"a1 b2"}]}`)
	}
	c.answered(t, "grants", "POST", "/admin/keys", `{"grants":[`+repeat(50000, func(i int) string { return `{"permissions":["search"],"indexes":["a*"]}` })+`]}`)
	c.answered(t, "patterns", "POST", "/admin/keys", `{"grants":[{"permissions":["search"],"indexes":[`+repeat(50000, func(i int) string { return fmt.Sprintf(`"%s%d"`, strings.Repeat("*a", 50), i) })+`]}]}`)
	// Values that a definition expands.
	grows := `{"patternReplace":{"pattern":"a","replacement":"` + strings.Repeat("a", 100) + `"}}`
	for what, chain := range map[string]string{
		"n-grams":              `"filters":[{"ngram":{"minGram":1,"maxGram":20}}]`,
		"edge n-grams":         `"filters":[{"edgeNgram":{"minGram":1,"maxGram":255}}]`,
		"replacements":         `"charFilters":[` + grows + `,` + grows + `,` + grows + `]`,
		"a mapping":            `"charFilters":[{"mapping":{"mappings":{"a":"` + strings.Repeat("b ", 10000) + `"}}}]`,
		"a pattern that hangs": replacing("(a|aa)+$", "b"),
	} {
		if got, err := c.send("PUT", "/admin/indexes/grows", asJSON, analyzer(chain)); err != nil || got.status >= 500 {
			t.Errorf("%s: %v %s", what, err, got)
		}
		for _, value := range []string{strings.Repeat("a", 30000), strings.Repeat("ab cdefghij", 3000)} {
			c.answered(t, what, "PUT", "/indexes/grows/documents/1", `{"t":"`+value+`"}`)
			c.answered(t, what+", committed", "POST", "/admin/indexes/grows/actions/commit", "")
			c.answered(t, what+", searched", "POST", "/indexes/grows/search", `{"query":[{"type":"text","text":"`+value+`"}]}`)
		}
		_, _ = c.send("DELETE", "/admin/indexes/grows", "", "")
	}
	if used := resident(t, p); used > 3<<30 {
		t.Errorf("%d MB in use", used>>20)
	}
	p.noPanic(t)
}

// S16, S6, S10, S11, S22: bodies are read strictly, and headers are always those of
// a JSON answer.
func TestStrictReading(t *testing.T) {
	p := start(t, t.TempDir(), quick...)
	c := newCaller(p)
	c.must(t, "PUT", "/admin/indexes/x", definition)
	depth := strings.Repeat("[", jsonread.MaxDepth+1) + strings.Repeat("]", jsonread.MaxDepth+1)
	for _, to := range []struct{ method, path, member, value string }{
		{"PUT", "/indexes/x/documents/1", "version", "1"}, {"PATCH", "/indexes/x/documents/1", "version", "1"},
		{"POST", "/indexes/x/documents", "documents", "[]"}, {"POST", "/indexes/x/documents/actions/update", "documents", "[]"},
		{"POST", "/indexes/x/documents/actions/delete", "keys", "[]"}, {"POST", "/indexes/x/search", "limit", "1"},
		{"POST", "/indexes/x/suggest", "limit", "1"}, {"POST", "/indexes/x/search/actions/explain?key=1", "query", "[]"},
		{"POST", "/indexes/x/facets/owner/values", "limit", "1"}, {"PUT", "/admin/indexes/x", "fields", "{}"},
		{"PUT", "/admin/indexes/x/settings", "fields", "{}"}, {"PATCH", "/admin/indexes/x/settings", "ranking", "null"},
		{"POST", "/admin/keys", "grants", "[]"}, {"POST", "/admin/indexes/x@1/actions/reindex", "promote", `"auto"`},
	} {
		m := to.member
		for _, body := range []string{
			`{"` + m + `":` + to.value + `,"` + m + `":` + to.value + `}`, `{"` + strings.ToUpper(m) + `":` + to.value + `}`,
			`{"` + m + `":NaN}`, `{"` + m + `":1e999}`, `{"` + m + `":` + depth + `}`, "{\"" + m + "\":\"\xff\"}", `{"` + m + `":"\ud800"}`,
			`{"` + m + `":` + to.value + `}x`, `{"` + m + `":` + to.value + `,}`, `{'` + m + `':1}`, "\xef\xbb\xbf{}", `[1]`, `1`, `{`,
		} {
			if body == "[]" && m == "documents" {
				continue // an empty list of documents
			}
			got, err := c.send(to.method, to.path, asJSON, body)
			if err != nil || got.status != 400 && got.status != 404 && got.status != 409 {
				t.Errorf("%s %s %.60q: %v %s", to.method, to.path, body, err, got)
			}
			if got.header.Get("Content-Type") != asJSON || got.header.Get("X-Content-Type-Options") != "nosniff" || got.header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s %s: %v", to.method, to.path, got.header)
			}
		}
	}
	for _, name := range []string{"..", "%2e%2e", "..%2f..%2fx", "a%00b", "a%2fb", "a%5cb", "x%40", "%40", "x@..", "x@%2e%2e%2f1", strings.Repeat("a", 5000), "%ff", "a%20b", "A", "-a", "."} {
		got, err := c.send("PUT", "/admin/indexes/"+name, asJSON, definition)
		if err != nil || got.status != 400 && got.status != 404 && got.status != 405 {
			t.Errorf("index %.40q: %v %.200s", name, err, got)
		}
	}
	for _, path := range []string{"/v1alpha1//admin/indexes", "/v1alpha1/./admin/indexes", "/v1alpha1/admin/../admin/indexes", "/v1alpha1/admin/indexes/", "//v1alpha1/admin/indexes"} {
		status, header, body := raw(t, p, "GET "+path+" HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer "+rootKey+"\r\n\r\n")
		if status != 404 || header.Get("Location") != "" || !strings.Contains(body, "request:not_found") && !strings.Contains(body, "index:") {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if status, _, body := raw(t, p, "GET /v1alpha1/admin/indexes HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer "+rootKey+"\r\nAuthorization: Bearer "+rootKey+"\r\n\r\n"); status != 401 {
		t.Errorf("two credentials: %d %s", status, body)
	}
	p.noPanic(t)
}

// S25: a node without credentials that others can reach warns loudly.
func TestOpenNodesWarn(t *testing.T) {
	for host, warns := range map[string]bool{"127.0.0.1": false, "0.0.0.0": true} {
		p := start(t, t.TempDir(), "SERVICE_AUTH_MODE=none", "SERVICE_HTTP_HOST="+host)
		if got := strings.Contains(p.output.String(), "AUTHENTICATION IS TURNED OFF"); got != warns {
			t.Errorf("%s: %s", host, p.output)
		}
		p.kill()
	}
}
