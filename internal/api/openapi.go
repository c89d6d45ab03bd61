package api

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/problem"
)

// schemasYAML describes the bodies, query parameters and headers that the
// table of routes names.
//
//go:embed schemas.yaml
var schemasYAML []byte

// description holds the OpenAPI description in both formats and the
// documentation page, all built on first use.
type description struct {
	once sync.Once
	yaml []byte
	json []byte
	page []byte
	err  error

	schemasOnce sync.Once
	schemas     schemas // as far as it could be parsed
	schemasErr  error
}

// object is a JSON object of the description.
type object = map[string]any

// schemas is the parsed schemas.yaml.
type schemas struct {
	Query   map[string]object `yaml:"query"`
	Headers map[string]object `yaml:"headers"`
	Paths   map[string]object `yaml:"paths"`
	Schemas map[string]object `yaml:"schemas"`
}

func readSchemas() (schemas, error) {
	var s schemas
	if err := yaml.Unmarshal(schemasYAML, &s); err != nil {
		return s, fmt.Errorf("read schemas.yaml: %w", err)
	}
	return s, nil
}

// schemas returns schemas.yaml, parsed once.
func (a *API) schemas() (*schemas, error) {
	d := &a.description
	d.schemasOnce.Do(func() { d.schemas, d.schemasErr = readSchemas() })
	return &d.schemas, d.schemasErr
}

// OpenAPI returns the OpenAPI 3.1 description of the interface as YAML and
// JSON, derived from the table of routes.
func OpenAPI() (yamlText, jsonText []byte, err error) {
	s, err := readSchemas()
	if err != nil {
		return nil, nil, err
	}
	document := describeRoutes(s)
	if yamlText, err = yaml.Marshal(document); err != nil {
		return nil, nil, fmt.Errorf("render the description: %w", err)
	}
	if jsonText, err = json.Marshal(document); err != nil {
		return nil, nil, fmt.Errorf("render the description: %w", err)
	}
	return yamlText, jsonText, nil
}

// describeRoutes describes the versioned interface. Routes without a
// credential, such as health, are not part of the description.
func describeRoutes(s schemas) object {
	paths := object{}
	tags, named := []any{}, make(map[string]bool)
	for _, route := range routes {
		if !route.IsVersioned() {
			continue
		}
		if !named[route.Tag] {
			named[route.Tag] = true
			tags = append(tags, object{"name": route.Tag, "description": tagText[route.Tag]})
		}
		item, ok := paths[route.Path].(object)
		if !ok {
			item = object{}
			paths[route.Path] = item
		}
		item[strings.ToLower(route.Method)] = describeRoute(s, route)
	}
	return object{
		"openapi": "3.1.0",
		"info": object{"title": "Quire", "version": "v1alpha1",
			"description": "Search service: JSON documents in named indexes, and searches over them. In a request a member that is null counts as left out.",
			"license":     object{"name": "Apache-2.0", "identifier": "Apache-2.0"}},
		"servers": []any{object{"url": "{node}", "variables": object{"node": object{"default": "http://localhost:8080"}}}},
		"tags":    tags,
		"paths":   paths,
		"components": object{
			"schemas":         splitSchemas(s, paths),
			"securitySchemes": object{"apiKey": object{"type": "http", "scheme": "bearer"}},
		},
	}
}

// addReferenced adds the schemas that value refers to, directly or indirectly,
// to components.
func addReferenced(s schemas, components object, value any) {
	switch v := value.(type) {
	case object:
		for key, inner := range v {
			text, isText := inner.(string)
			if key != "$ref" || !isText {
				addReferenced(s, components, inner)
				continue
			}
			name := strings.TrimPrefix(text, schemaReference)
			if components[name] == nil {
				components[name] = s.Schemas[name]
				addReferenced(s, components, s.Schemas[name])
			}
		}
	case []any:
		for _, inner := range v {
			addReferenced(s, components, inner)
		}
	}
}

func describeRoute(s schemas, route Route) object {
	operation := object{
		"operationId": route.Operation,
		"tags":        []any{route.Tag},
		"summary":     route.Summary,
		"responses":   describeAnswers(route),
	}
	if found := describeParameters(s, route); len(found) > 0 {
		operation["parameters"] = found
	}
	if route.Body != "" {
		operation["requestBody"] = describeBody(route)
	}
	operation["security"] = []any{object{"apiKey": []any{}}}
	operation["x-required-permission"] = nil
	operation["x-permission-roles"] = auth.Roles()
	if route.Permission != "" {
		operation["x-required-permission"] = string(route.Permission)
		operation["x-permission-roles"] = route.Permission.Roles()
	}
	operation["x-permission-scope"] = string(route.Scope)
	operation["x-permission-anonymous"] = route.Anonymous
	operation["description"] = route.Summary + "\n\n" + requirement(route)
	return operation
}

// requirement returns a sentence stating what a caller needs.
func requirement(route Route) string {
	if route.Scope == auth.ScopeCredential {
		return "Requires the credential of any key, and no permission."
	}
	return fmt.Sprintf("Requires the permission `%s` (%s). Held by the roles %s.",
		route.Permission, scopeText[string(route.Scope)], strings.Join(route.Permission.Roles(), ", "))
}

var scopeText = map[string]string{
	"index":      "on the index named in the path",
	"any-index":  "on at least one index",
	"deployment": "on the deployment",
}

func describeParameters(s schemas, route Route) []any {
	var found []any
	add := func(name, in string, described object, required bool) {
		parameter := object{"name": name, "in": in, "required": required}
		for key, value := range described {
			parameter[key] = value
		}
		found = append(found, parameter)
	}
	for _, name := range parameters(route.Path) {
		add(name, "path", s.Paths[name], true)
	}
	for _, name := range route.Query {
		add(name, "query", s.Query[name], route.Operation == "explain" && name == "key")
	}
	for _, name := range route.Headers {
		add(name, "header", s.Headers[name], false)
	}
	return found
}

func reference(schema string) object { return object{"$ref": schemaReference + schema} }

func describeBody(route Route) object {
	content := object{mediaJSON: object{"schema": reference(route.Body)}}
	if route.Streams {
		entry := "Document"
		switch route.Operation {
		case "updateDocuments":
			entry = "Changes"
		case "putJudgements":
			entry = "JudgedQuery"
		}
		content[mediaJSON] = object{"schema": object{"oneOf": []any{reference(route.Body), object{"type": "array", "items": reference(entry)}}}}
		content[mediaNDJSON] = object{"schema": reference(entry)}
		if route.Rows {
			rows := object{"type": "string", "description": "A header line with the names of fields, then a row per document; values are converted to the types of the fields."}
			content[mediaCSV], content[mediaTSV] = object{"schema": rows}, object{"schema": rows}
		}
	}
	if route.OptionalBody {
		content[mediaJSON] = object{"schema": orNull(reference(route.Body))}
	}
	return object{"required": !route.OptionalBody, "content": content}
}

func describeAnswers(route Route) object {
	answers := object{}
	for _, answer := range route.Answers {
		described := object{"description": answer.Means}
		switch {
		case route.Lines && answer.Schema != "":
			entry := "Document"
			if answer.Schema == "Judgements" {
				entry = "JudgedQuery"
			}
			described["content"] = object{mediaJSON: object{"schema": reference(answer.Schema)}, mediaNDJSON: object{"schema": reference(entry)}}
		case answer.Schema != "":
			described["content"] = object{mediaJSON: object{"schema": reference(answer.Schema)}}
		}
		if headers := describeHeaders(answer.headers()); headers != nil {
			described["headers"] = headers
		}
		answers[strconv.Itoa(answer.Status)] = described
	}
	byStatus := make(map[int][]*problem.Code)
	for _, code := range route.Documented() {
		status := code.Status()
		if code == problem.DocumentNotFound && route.Streams {
			status = http.StatusBadRequest // a refused entry of a batch
		}
		if !slices.Contains(byStatus[status], code) {
			byStatus[status] = append(byStatus[status], code)
		}
	}
	for status, codes := range byStatus {
		slices.SortFunc(codes, func(a, b *problem.Code) int { return strings.Compare(a.Name(), b.Name()) })
		listed := make([]any, len(codes))
		for i, code := range codes {
			listed[i] = object{"code": code.Name(), "when": code.Message()}
		}
		described := object{
			"description":   http.StatusText(status),
			"content":       object{mediaJSON: object{"schema": reference("Error")}},
			"x-error-codes": listed,
		}
		if headers := describeHeaders(errorHeaders[status]); headers != nil {
			described["headers"] = headers
		}
		answers[strconv.Itoa(status)] = described
	}
	return answers
}

// headers returns the names of the headers that belong to a response.
func (a Answer) headers() []string {
	var names []string
	if a.Schema == "Index" || a.Schema == "SearchSettings" || a.Schema == "Judgements" || a.Status == http.StatusNotModified {
		names = append(names, "ETag")
	}
	if a.Status == http.StatusAccepted || a.Status == http.StatusCreated && a.Schema == "Index" {
		names = append(names, "Location")
	}
	if strings.Contains(a.Means, freshness.Header) {
		names = append(names, freshness.Header)
	}
	return names
}

var errorHeaders = map[int][]string{
	http.StatusUnauthorized:       {"WWW-Authenticate"},
	http.StatusMethodNotAllowed:   {"Allow"},
	http.StatusConflict:           {"Retry-After"},
	http.StatusBadGateway:         {"Retry-After"},
	http.StatusServiceUnavailable: {"Retry-After"},
}

// answerHeaders describes the headers of responses.
var answerHeaders = map[string]string{
	"ETag":             "The version of the resource.",
	"Location":         "Where the created resource or the job is read.",
	freshness.Header:   "A token of the state the change led to.",
	"WWW-Authenticate": "Bearer.",
	"Allow":            "The methods that the path is answered for.",
	"Retry-After":      "Seconds after which a repetition is worthwhile; absent when it is at once.",
}

func describeHeaders(names []string) object {
	if len(names) == 0 {
		return nil
	}
	described := object{}
	for _, name := range names {
		described[name] = object{"description": answerHeaders[name], "schema": object{"type": "string"}}
	}
	return described
}

func (a *API) descriptions() (*description, error) {
	d := &a.description
	d.once.Do(func() {
		if d.yaml, d.json, d.err = OpenAPI(); d.err == nil {
			d.page, d.err = renderDocs()
		}
	})
	return d, d.err
}

// describe responds with the description as YAML, or as JSON if requested.
func (a *API) describe(_ context.Context, r *Request) (*Response, error) {
	d, err := a.descriptions()
	if err != nil {
		return nil, err
	}
	if r.Query("format") == "yaml" {
		return &Response{Status: http.StatusOK, JSON: d.yaml, ContentType: "application/yaml"}, nil
	}
	wanted, ok := negotiate(r.HTTP.Header.Values("Accept"), []offered{{"application/yaml", 1}, {mediaJSON, 0.9}})
	if r.Query("format") == "json" || ok && wanted == mediaJSON {
		return OKJSON(d.json), nil
	}
	return &Response{Status: http.StatusOK, JSON: d.yaml, ContentType: "application/yaml"}, nil
}

// describeJSON responds with the description as JSON.
func (a *API) describeJSON(context.Context, *Request) (*Response, error) {
	d, err := a.descriptions()
	if err != nil {
		return nil, err
	}
	return OKJSON(d.json), nil
}
