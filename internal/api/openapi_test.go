package api

import (
	"strings"
	"testing"
)

func TestTheTableOfRoutesNamesOnlyWhatIsDescribed(t *testing.T) {
	s, err := readSchemas()
	if err != nil {
		t.Fatal(err)
	}
	for _, route := range Routes() {
		for _, name := range parameters(route.Path) {
			if s.Paths[name] == nil {
				t.Errorf("%s: the path parameter %s is not described", route.Operation, name)
			}
		}
		for _, name := range route.Query {
			if s.Query[name] == nil {
				t.Errorf("%s: the query parameter %s is not described", route.Operation, name)
			}
		}
		for _, name := range route.Headers {
			if s.Headers[name] == nil {
				t.Errorf("%s: the header %s is not described", route.Operation, name)
			}
		}
		if route.Body != "" && s.Schemas[route.Body] == nil {
			t.Errorf("%s: the body %s is not described", route.Operation, route.Body)
		}
		for _, answer := range route.Answers {
			if answer.Schema != "" && s.Schemas[answer.Schema] == nil {
				t.Errorf("%s: the answer %s is not described", route.Operation, answer.Schema)
			}
		}
	}
	for name, schema := range s.Schemas {
		checkReferences(t, s, name, schema)
	}
}

func checkReferences(t *testing.T, s schemas, place string, value any) {
	t.Helper()
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if text, ok := inner.(string); ok && key == "$ref" {
				if name := strings.TrimPrefix(text, "#/components/schemas/"); s.Schemas[name] == nil {
					t.Errorf("%s refers to %s, which is not described", place, text)
				}
				continue
			}
			checkReferences(t, s, place+"."+key, inner)
		}
	case []any:
		for _, inner := range v {
			checkReferences(t, s, place, inner)
		}
	}
}

func TestEveryOperationStatesItsPermission(t *testing.T) {
	s, err := readSchemas()
	if err != nil {
		t.Fatal(err)
	}
	document := describeRoutes(s)
	operations := 0
	for path, item := range document["paths"].(object) {
		if !strings.HasPrefix(path, "/v1alpha1/") {
			t.Errorf("%s is described", path)
			continue
		}
		for method, described := range item.(object) {
			operations++
			operation := described.(object)
			for _, field := range []string{"x-required-permission", "x-permission-scope", "x-permission-roles", "x-permission-anonymous"} {
				if _, ok := operation[field]; !ok {
					t.Errorf("%s %s lacks %s", method, path, field)
				}
			}
			if !strings.Contains(operation["description"].(string), "\n\nRequires the ") {
				t.Errorf("%s %s does not state the permission", method, path)
			}
			answers := operation["responses"].(object)
			for _, status := range []string{"401", "403"} {
				if answers[status] == nil {
					t.Errorf("%s %s lacks %s", method, path, status)
				}
			}
			for status, answer := range answers {
				if status >= "400" && answer.(object)["x-error-codes"] == nil {
					t.Errorf("%s %s: %s lacks its codes", method, path, status)
				}
			}
		}
	}
	if len(document["tags"].([]any)) < 8 {
		t.Errorf("tags: %v", document["tags"])
	}
	for _, tag := range document["tags"].([]any) {
		if tag.(object)["description"] == "" {
			t.Errorf("%v is not described", tag)
		}
	}
	if operations < 34 {
		t.Errorf("%d operations", operations)
	}
}

// The description is usable by tools: every path parameter is declared once and
// required, every response is described, and every header and body has a
// schema.
func TestDescriptionIsSound(t *testing.T) {
	s, err := readSchemas()
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for path, item := range describeRoutes(s)["paths"].(object) {
		for method, described := range item.(object) {
			operation := described.(object)
			place := method + " " + path
			if id := operation["operationId"].(string); seen[id] {
				t.Errorf("%s: %s is taken", place, id)
			} else {
				seen[id] = true
			}
			declared := make(map[string]bool)
			list, _ := operation["parameters"].([]any)
			for _, entry := range list {
				parameter := entry.(object)
				key := parameter["in"].(string) + " " + parameter["name"].(string)
				if declared[key] || parameter["schema"] == nil {
					t.Errorf("%s: the parameter %s is declared twice or without a schema", place, key)
				}
				declared[key] = true
				if parameter["in"] == "path" && parameter["required"] != true {
					t.Errorf("%s: %s is optional", place, key)
				}
			}
			for _, name := range parameters(path) {
				if !declared["path "+name] {
					t.Errorf("%s does not declare %s", place, name)
				}
			}
			for status, answer := range operation["responses"].(object) {
				checkAnswer(t, place+" "+status, answer.(object))
			}
		}
	}
}

func checkAnswer(t *testing.T, place string, answer object) {
	t.Helper()
	if answer["description"] == "" {
		t.Errorf("%s is not described", place)
	}
	headers, _ := answer["headers"].(object)
	for name, header := range headers {
		if header.(object)["description"] == "" || header.(object)["schema"] == nil {
			t.Errorf("%s: the header %s is not described", place, name)
		}
	}
	content, _ := answer["content"].(object)
	for media, body := range content {
		if body.(object)["schema"] == nil {
			t.Errorf("%s: %s has no schema", place, media)
		}
	}
	switch {
	case strings.HasSuffix(place, " 401") && headers["WWW-Authenticate"] == nil,
		strings.HasSuffix(place, " 304") && headers["ETag"] == nil,
		strings.HasSuffix(place, " 202") && headers["Location"] == nil:
		t.Errorf("%s lacks its header", place)
	}
}

// Client generators name the whole response of an operation after the operation
// plus Response; a schema of that name would be declared twice.
func TestNoSchemaIsCalledLikeAGeneratedResponse(t *testing.T) {
	s, err := readSchemas()
	if err != nil {
		t.Fatal(err)
	}
	for _, route := range Routes() {
		name := strings.ToUpper(route.Operation[:1]) + route.Operation[1:] + "Response"
		if s.Schemas[name] != nil {
			t.Errorf("the schema %s collides with the response of %s", name, route.Operation)
		}
	}
}
