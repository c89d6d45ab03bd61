package api

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// docsBody is the body of a request or response as the documentation page shows
// it: one row per property, with the properties of inner objects under their
// path.
type docsBody struct {
	Name        string
	Description string
	Properties  []docsProperty
	Examples    []string // JSON
}

// docsProperty is one row of a body.
type docsProperty struct {
	Path     string // inner.name, list[].name, map.*.name
	Kind     []docsWord
	Required bool
	Notes    string // default and bounds
	Means    string
}

// docsWord is a piece of text, linked to a body if Link is set.
type docsWord struct{ Text, Link string }

const schemaReference = "#/components/schemas/"

// docsBodies returns the bodies of schemas.yaml in file order.
func docsBodies(text []byte) ([]docsBody, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, fmt.Errorf("read schemas.yaml: %w", err)
	}
	var bodies []docsBody
	for name, schema := range entries(entry(root.Content[0], "schemas")) {
		body := docsBody{Name: name, Description: word(schema, "description")}
		body.addProperties("", schema)
		if examples := entry(schema, "examples"); examples != nil {
			for _, example := range examples.Content {
				shown, err := exampleJSON(example, "")
				if err != nil {
					return nil, fmt.Errorf("example of %s: %w", name, err)
				}
				body.Examples = append(body.Examples, shown)
			}
		}
		bodies = append(bodies, body)
	}
	return bodies, nil
}

// addProperties adds a row for every property of an object and of the unnamed
// objects inside it.
func (b *docsBody) addProperties(prefix string, schema *yaml.Node) {
	required := make(map[string]bool)
	if names := entry(schema, "required"); names != nil {
		for _, name := range names.Content {
			required[name.Value] = true
		}
	}
	for name, property := range entries(entry(schema, "properties")) {
		path := prefix + name
		b.Properties = append(b.Properties, docsProperty{Path: path, Kind: kind(property), Required: required[name],
			Notes: notes(property), Means: word(property, "description")})
		for {
			if values := entry(property, "items"); values != nil {
				property, path = values, path+"[]"
			} else if values := entry(property, "additionalProperties"); values != nil && values.Kind == yaml.MappingNode {
				property, path = values, path+".*"
			} else {
				break
			}
		}
		b.addProperties(path+".", property)
	}
}

// kind describes the values that a schema accepts.
func kind(schema *yaml.Node) []docsWord {
	if link := word(schema, "$ref"); link != "" {
		name := strings.TrimPrefix(link, schemaReference)
		return []docsWord{{Text: name, Link: name}}
	}
	if choices := entry(schema, "oneOf"); choices != nil {
		var all []docsWord
		for i, choice := range choices.Content {
			if i > 0 {
				all = append(all, docsWord{Text: " or "})
			}
			all = append(all, kind(choice)...)
		}
		return all
	}
	if values := entry(schema, "enum"); values != nil {
		return []docsWord{{Text: strings.Join(words(values), " | ")}}
	}
	if values := entry(schema, "items"); values != nil {
		return append([]docsWord{{Text: "list of "}}, kind(values)...)
	}
	if values := entry(schema, "additionalProperties"); values != nil && values.Kind == yaml.MappingNode {
		return append([]docsWord{{Text: "map of "}}, kind(values)...)
	}
	named := entry(schema, "type")
	if named == nil {
		return []docsWord{{Text: "any value"}}
	}
	text := strings.Join(words(named), " or ")
	if format := word(schema, "format"); format == "date-time" {
		text = "timestamp"
	} else if format != "" {
		text = format
	}
	return []docsWord{{Text: text}}
}

// docsBounds lists the keywords that constrain a value and how each is worded.
var docsBounds = []struct{ keyword, says string }{
	{"default", "default "}, {"minimum", "at least "}, {"exclusiveMinimum", "above "}, {"maximum", "at most "},
	{"minItems", "at least this many: "}, {"maxItems", "at most this many: "}, {"pattern", "matches "},
}

func notes(schema *yaml.Node) string {
	var all []string
	for _, bound := range docsBounds {
		if value := word(schema, bound.keyword); value != "" {
			all = append(all, bound.says+value)
		}
	}
	if word(schema, "readOnly") == "true" {
		all = append(all, "only in answers")
	}
	return strings.Join(all, ", ")
}

// entry returns the value of a key in a mapping, nil if absent.
func entry(mapping *yaml.Node, key string) *yaml.Node {
	for name, value := range entries(mapping) {
		if name == key {
			return value
		}
	}
	return nil
}

// entries yields the entries of a mapping in order.
func entries(mapping *yaml.Node) func(yield func(string, *yaml.Node) bool) {
	return func(yield func(string, *yaml.Node) bool) {
		if mapping == nil || mapping.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(mapping.Content); i += 2 {
			if !yield(mapping.Content[i].Value, mapping.Content[i+1]) {
				return
			}
		}
	}
}

// word returns the scalar value of a key, empty if absent.
func word(mapping *yaml.Node, key string) string {
	if value := entry(mapping, key); value != nil {
		return value.Value
	}
	return ""
}

// words returns the values of a list; a scalar counts as a list of one.
func words(list *yaml.Node) []string {
	if list.Kind != yaml.SequenceNode {
		return []string{list.Value}
	}
	all := make([]string, len(list.Content))
	for i, value := range list.Content {
		all[i] = value.Value
	}
	return all
}

// exampleWidth is the maximum line length of an example.
const exampleWidth = 96

// exampleJSON returns a value as JSON with its properties in order, on one line
// if it fits and otherwise with one line per entry.
func exampleJSON(value *yaml.Node, indent string) (string, error) {
	var parts []string
	brackets := "[]"
	switch value.Kind {
	case yaml.MappingNode:
		brackets = "{}"
		for name, inner := range entries(value) {
			text, err := exampleJSON(inner, indent+"  ")
			if err != nil {
				return "", err
			}
			parts = append(parts, strconv.Quote(name)+": "+text)
		}
	case yaml.SequenceNode:
		for _, inner := range value.Content {
			text, err := exampleJSON(inner, indent+"  ")
			if err != nil {
				return "", err
			}
			parts = append(parts, text)
		}
	default:
		var single any
		if err := value.Decode(&single); err != nil {
			return "", err
		}
		text, err := json.Marshal(single)
		return string(text), err
	}
	line := brackets[:1] + strings.Join(parts, ", ") + brackets[1:]
	if len(indent)+len(line) <= exampleWidth && !strings.Contains(line, "\n") {
		return line, nil
	}
	inner := "\n" + indent + "  "
	return brackets[:1] + inner + strings.Join(parts, ","+inner) + "\n" + indent + brackets[1:], nil
}
