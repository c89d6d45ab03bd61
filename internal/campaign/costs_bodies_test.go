package campaign

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/api"
	"github.com/quiresearch/quire/internal/judgement"
	"github.com/quiresearch/quire/internal/mcp"
	"github.com/quiresearch/quire/internal/tabular"
)

const asCSV = "text/csv"

// growingBodies returns the requests other than searches, each with its longest
// list. They write to their own index, so that those of growingLists do not change.
func growingBodies() []growing {
	const (
		admin, data = "/admin/indexes/y", "/indexes/y"
		change      = `"list[n=%d].n":1`
		query       = `{"text":"word%d","grades":{"1":2,"2":1},"expect":{"mustHit":["1"],"above":[["1","2"]]}}`
		document    = `{"id":"%d","title":"word%d other","owner":"o%d","price":%d}`
	)
	put := func(g growing) growing { g.method = "PUT"; return g }
	patch := func(g growing) growing { g.method = "PATCH"; return g }
	in := func(contentType string, g growing) growing { g.contentType = contentType; return g }
	return []growing{
		put(growing{list: "Definition.fields", path: "/admin/indexes/z", most: 4999,
			body: around(`{"fields":{"id":{"type":"string","primaryKey":true},`, `"f%d":{"type":"string","filter":{},"facet":{}}`, `}}`)}),
		{list: "Definition.fields, preview", path: "/admin/indexes/z/actions/preview", most: 4999,
			body: around(`{"fields":{"id":{"type":"string","primaryKey":true},`, `"g%d":{"type":"string","filter":{},"facet":{}}`, `}}`)},
		{list: "ReindexRequest, unknown members", path: admin + "/actions/reindex", body: around(`{`, `"p%d":1`, `}`)},
		{list: "DraftRequest.documents", path: "/admin/actions/draft", body: around(`{"documents":[`, document, `]}`)},
		{list: "DraftRequest.documents, fields", path: "/admin/actions/draft", body: around(`{"documents":[{`, `"f%d":"word"`, `}]}`)},
		put(growing{list: "SearchSettings.synonyms", path: admin + "/settings",
			body: around(`{"synonyms":{"s":{"rules":[`, `{"equivalent":["a%d","b%d"]}`, `]}}}`)}),
		patch(growing{list: "SearchSettings, changes", path: admin + "/settings",
			body: around(`{`, `"typoExclusions.t%d":{"words":["w%d"]}`, `}`)}),
		{list: "PreviewRequest.settings", path: admin + "/settings/actions/preview",
			body: around(`{"search":{"query":[{"type":"text","text":"a1 a2 a3"}]},"settings":{"synonyms":{"s":{"rules":[`, `{"equivalent":["a%d","b%d"]}`, `]}}}}`)},
		put(growing{list: "Judgements.queries", path: admin + "/judgements/base", most: judgement.MaxQueries,
			body: around(`{"queries":[`, query, `]}`)}),
		put(in(asLines, growing{list: "Judgements.queries, lines", path: admin + "/judgements/base", most: judgement.MaxQueries,
			body: func(n int) string { return lines(n, query) }})),
		put(growing{list: "JudgedQuery.grades", path: admin + "/judgements/base", most: judgement.MaxKeys,
			body: around(`{"queries":[{"text":"word","grades":{`, `"k%d":1`, `}}]}`)}),
		patch(growing{list: "Judgements, changes", path: admin + "/judgements/base", body: around(`{`, `"queries[id=q%d].weight":2`, `}`)}),
		{list: "EvaluationRequest.settings", path: admin + "/actions/evaluate",
			body: around(`{"judgements":"base","settings":{"synonyms":{"s":{"rules":[`, `{"equivalent":["a%d","b%d"]}`, `]}}}}`)},
		{list: "RegistryRepairRequest.restore", path: "/admin/registry/actions/repair", body: around(`{"restore":[`, `"none%d"`, `]}`)},
		{list: "KeyRequest.grants", path: "/admin/keys", most: 100, body: around(`{"grants":[`, `{"role":"reader","indexes":["a%d"]}`, `]}`)},
		{list: "KeyRequest.grants.indexes", path: "/admin/keys", most: 1000, body: around(`{"grants":[{"role":"reader","indexes":[`, `"a%d"`, `]}]}`)},
		{list: "DocumentBatch.documents", path: data + "/documents", body: around(`{"documents":[`, document, `]}`)},
		{list: "DocumentBatch, a bare list", path: data + "/documents", body: around(`[`, document, `]`)},
		in(asLines, growing{list: "DocumentBatch, lines", path: data + "/documents", body: func(n int) string { return lines(n, document) }}),
		in(asCSV, growing{list: "DocumentBatch, rows", path: data + "/documents",
			body: func(n int) string { return "id,title,price\n" + lines(n, "%d,word%d other,%d") }}),
		in(asCSV, growing{list: "DocumentBatch, columns", path: data + "/documents", most: tabular.MaxColumns - 1, body: func(n int) string {
			return "id," + each("w%d")(n) + "\n1," + each("word")(n) + "\n"
		}}),
		in(asCSV, growing{list: "DocumentBatch, rows with unclosed quotes", path: data + "/documents",
			body: func(n int) string { return "id,title\n" + lines(n, `%d,"word`) }}),
		{list: "DocumentBatch, packed", path: data + "/documents", isPacked: true, body: around(`{"documents":[`, document, `]}`)},
		in(asCSV, growing{list: "DocumentBatch, packed spaces", path: data + "/documents", isPacked: true,
			body: func(n int) string { return "id,title\n1," + strings.Repeat(" ", 40*n) + "\n" }}),
		{list: "ChangeBatch.documents", path: data + "/documents/actions/update?missing=skip",
			body: around(`{"documents":[`, `{"id":"none%d","price":1}`, `]}`)},
		put(growing{list: "Document, a nested list", path: data + "/documents/1",
			body: around(`{"id":"1","list":[`, `{"n":%d}`, `]}`)}),
		patch(growing{list: "Changes", path: data + "/documents/1", body: around(`{`, change, `}`)}),
		{list: "Search.Query, explained", path: "/indexes/x/search/actions/explain?key=1",
			most: 1000, body: around(`{"query":[`, `{"type":"text","text":"word%d","match":"any"}`, `]}`)},
		{list: "MCP: values of a filter", path: mcp.Path, most: 50_000,
			body: around(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"index":"x","filters":{"owner":[`,
				`"o%d"`, `]}}}}`)},
		{list: "MCP: unknown members", path: mcp.Path, body: around(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{`,
			`"p%d":1`, `}}}`)},
	}
}

// lines repeats an entry on separate lines; %d in it is its number.
func lines(n int, entry string) string {
	var text strings.Builder
	for i := range n {
		text.WriteString(strings.ReplaceAll(entry, "%d", fmt.Sprint(i)))
		text.WriteByte('\n')
	}
	return text.String()
}

// packed returns a body compressed with gzip.
func packed(t *testing.T, body string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(body)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Every operation that takes a body is sent one of the largest size.
func TestEveryBodyIsGrown(t *testing.T) {
	all := append(growingLists(), growingBodies()...)
	for _, route := range api.Routes() {
		if route.Body == "" {
			continue
		}
		isGrown := false
		for _, g := range all {
			isGrown = isGrown || g.how() == route.Method && isAt(route.Path, "/v1alpha1"+g.path)
		}
		if !isGrown {
			t.Errorf("no request grows the %s of %s", route.Body, route.Operation)
		}
	}
}

// isAt reports whether a route serves a path.
func isAt(route, path string) bool {
	path, _, _ = strings.Cut(path, "?")
	wanted, given := strings.Split(route, "/"), strings.Split(path, "/")
	if len(wanted) != len(given) {
		return false
	}
	for i, part := range wanted {
		if part != given[i] && !strings.HasPrefix(part, "{") {
			return false
		}
	}
	return true
}
