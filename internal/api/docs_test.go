package api

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// schemaKeywords are the keywords that schemas.yaml uses. A comma in an
// unquoted text turns the rest of it into a keyword.
var schemaKeywords = []string{"type", "properties", "items", "$ref", "default", "required", "enum", "additionalProperties", "format", "minimum",
	"maximum", "exclusiveMinimum", "description", "minItems", "maxItems", "minProperties", "maxProperties", "readOnly", "examples", "oneOf", "pattern"}

func TestSchemasUseKnownKeywords(t *testing.T) {
	s, err := readSchemas()
	if err != nil {
		t.Fatal(err)
	}
	for name, schema := range s.Schemas {
		checkKeywords(t, name, schema)
	}
	for _, described := range []map[string]object{s.Query, s.Headers, s.Paths} {
		for name, parameter := range described {
			if text, ok := parameter["description"].(string); !ok || text == "" || len(parameter) != 2 {
				t.Errorf("%s: %v", name, parameter)
			}
			checkKeywords(t, name, parameter["schema"].(object))
		}
	}
}

func checkKeywords(t *testing.T, place string, schema object) {
	t.Helper()
	for keyword, value := range schema {
		if !slices.Contains(schemaKeywords, keyword) {
			t.Errorf("%s: %q is not a keyword", place, keyword)
		}
		switch inner := value.(type) {
		case object:
			if keyword == "properties" {
				for name, property := range inner {
					checkKeywords(t, place+"."+name, property.(object))
				}
			} else {
				checkKeywords(t, place+"."+keyword, inner)
			}
		case []any:
			if keyword == "oneOf" {
				for _, choice := range inner {
					checkKeywords(t, place, choice.(object))
				}
			}
		}
	}
}

// Decoders read exactly the properties that the description lists. A decoder
// distinguishes members by name == "…", or by a switch over name or kind.
func TestEveryPropertyThatIsReadIsDescribed(t *testing.T) {
	s, err := readSchemas()
	if err != nil {
		t.Fatal(err)
	}
	described := make(map[string]bool)
	for _, schema := range s.Schemas {
		collectProperties(schema, described)
	}
	read := 0
	for _, directory := range []string{"../../query", "../../definition", "../../settings"} {
		files, err := filepath.Glob(directory + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", directory, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range memberNames(parsed) {
				if read++; !described[name] {
					t.Errorf("%s reads %s, which is not described", file, name)
				}
			}
		}
	}
	if read < 100 {
		t.Errorf("only %d names are read", read)
	}
}

func collectProperties(value any, into map[string]bool) {
	switch v := value.(type) {
	case object:
		for keyword, inner := range v {
			if properties, ok := inner.(object); ok && keyword == "properties" {
				for name := range properties {
					into[name] = true
				}
			}
			collectProperties(inner, into)
		}
	case []any:
		for _, inner := range v {
			collectProperties(inner, into)
		}
	}
}

// memberNames returns the strings that the variables name and kind are compared
// with inside functions that receive a member of an object.
func memberNames(file *ast.File) []string {
	var names []string
	isName := func(e ast.Expr) bool {
		identifier, ok := e.(*ast.Ident)
		return ok && (identifier.Name == "name" || identifier.Name == "kind")
	}
	add := func(e ast.Expr) {
		if literal, ok := e.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			name, _ := strconv.Unquote(literal.Value)
			names = append(names, name)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		function, ok := n.(*ast.FuncLit)
		if !ok || len(function.Type.Params.List) != 2 {
			return true
		}
		ast.Inspect(function.Body, func(n ast.Node) bool {
			switch node := n.(type) {
			case *ast.BinaryExpr:
				if isName(node.X) {
					add(node.Y)
				}
			case *ast.SwitchStmt:
				if node.Tag == nil || !isName(node.Tag) {
					return true
				}
				for _, clause := range node.Body.List {
					for _, e := range clause.(*ast.CaseClause).List {
						add(e)
					}
				}
			}
			return true
		})
		return true
	})
	return names
}

// The page shows everything about a body, and every link has a target.
func TestThePageForPeopleShowsEveryBody(t *testing.T) {
	page, err := renderDocs()
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for _, want := range []string{
		`id="body-Definition"`, `<code>locales.defaultLocale</code>*`, `<code>sort[].order</code>`, `<code>resources.synonyms.*.rules</code>`,
		`list of <a href="#body-Clause">Clause</a>`, `map of <a href="#body-Field">Field</a>`, "asc | desc", "at least 1, at most 4096",
		`<code>document:timestamp:value_invalid</code>`, "Name or key to continue after", "only in answers",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	for _, link := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(text, -1) {
		if strings.Count(text, `id="`+link[1]+`"`) != 1 {
			t.Errorf("#%s leads nowhere", link[1])
		}
	}
	s, err := readSchemas()
	if err != nil {
		t.Fatal(err)
	}
	for name := range s.Schemas {
		if !strings.Contains(text, `id="body-`+name+`"`) {
			t.Errorf("%s is not shown", name)
		}
	}
	bodies, err := docsBodies(schemasYAML)
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range bodies {
		for i, shown := range body.Examples {
			var read any
			if err := json.Unmarshal([]byte(shown), &read); err != nil {
				t.Errorf("%s: %v in %s", body.Name, err, shown)
			}
			want, err := json.Marshal(s.Schemas[body.Name]["examples"].([]any)[i])
			if got, _ := json.Marshal(read); err != nil || string(got) != string(want) {
				t.Errorf("%s: %s is shown as %s", body.Name, want, got)
			}
		}
	}
}

func TestADescriptionOfBodiesThatIsNoneIsRefused(t *testing.T) {
	for _, text := range []string{"schemas: [", "schemas: { A: { examples: [ !!binary x ] } }"} {
		if bodies, err := docsBodies([]byte(text)); err == nil {
			t.Errorf("%s: %v", text, bodies)
		}
	}
}

// The examples of the description are requests that a node accepts.
func TestExamplesAreAccepted(t *testing.T) {
	base := strings.TrimSuffix(serveDocuments(t, catalogue, Options{}).admin, "/v1alpha1/admin/indexes/shop")
	examples := func(schema string) []any {
		s, err := readSchemas()
		if err != nil {
			t.Fatal(err)
		}
		found, _ := s.Schemas[schema]["examples"].([]any)
		if len(found) == 0 {
			t.Errorf("%s has no example", schema)
		}
		return found
	}
	var answer string
	send := func(method, path string, body any) {
		t.Helper()
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		var status int
		if status, _, answer = ask(t, method, base+path, string(text)); status >= http.StatusMultipleChoices {
			t.Errorf("%s %s %s: %d %s", method, path, text, status, answer)
		}
	}
	send("PUT", "/v1alpha1/admin/indexes/books", examples("Definition")[0])
	send("PUT", "/v1alpha1/admin/indexes/books/settings", examples("SearchSettings")[0])
	send("POST", "/v1alpha1/indexes/books/documents", examples("DocumentBatch")[0])
	send("POST", "/v1alpha1/admin/indexes/books/actions/commit", object{})
	send("POST", "/v1alpha1/indexes/books/search", examples("SearchRequest")[0])
	if !strings.Contains(answer, `"id":"1"`) {
		t.Errorf("the example finds nothing: %s", answer)
	}
	for _, clause := range examples("Clause") {
		send("POST", "/v1alpha1/indexes/books/search", object{"query": []any{clause}})
	}
	send("POST", "/v1alpha1/indexes/books/suggest", examples("SuggestRequest")[0])
	if !strings.Contains(answer, "Ursula") {
		t.Errorf("nothing is suggested: %s", answer)
	}
	send("PATCH", "/v1alpha1/indexes/books/documents/1", examples("Changes")[0])
	send("POST", "/v1alpha1/indexes/books/documents/actions/delete", examples("DeleteRequest")[0])
	send("POST", "/v1alpha1/admin/keys", examples("KeyRequest")[0])
}
