package api

import (
	"maps"
	"slices"
	"strings"
)

// In a request, a null member counts as absent. In a response, members are
// omitted and never null unless their schema says so. schemas.yaml defines
// every schema once, in the form of responses; splitSchemas derives the request
// form from it:
//
//	schemas.yaml                    Facet: { field: string, limit: integer }, required: field
//	in requests, Facet              field: string, limit: integer or null
//	in answers, FacetOutput         field: string, limit: integer
//
// A schema that only requests or only responses refer to keeps its name. A
// schema that both refer to keeps its name in requests and is called …Output in
// responses.
const outputSuffix = "Output"

// splitSchemas returns the schemas that requests and responses refer to, in
// both forms where they differ, and renames the references of responses in
// paths.
func splitSchemas(s schemas, paths object) object {
	var bodies, answers []any
	for _, item := range paths {
		for _, operation := range item.(object) {
			bodies = append(bodies, operation.(object)["requestBody"])
			answers = append(answers, operation.(object)["responses"])
		}
	}
	requested, answered := object{}, object{}
	addReferenced(s, requested, bodies)
	addReferenced(s, answered, answers)
	renamed := make(map[string]string)
	for name := range answered {
		if requested[name] != nil && s.takesNull(reference(name), make(map[string]bool)) {
			renamed[name] = name + outputSuffix
		}
	}
	components := object{}
	for name, schema := range answered {
		if renamed[name] != "" {
			name = renamed[name]
		}
		components[name] = renameReferences(schema, renamed)
	}
	for name, schema := range requested {
		components[name] = requestForm(schema.(object))
	}
	for _, item := range paths {
		for _, operation := range item.(object) {
			described := operation.(object)
			described["responses"] = renameReferences(described["responses"], renamed)
		}
	}
	return components
}

// takesNull reports whether a schema, or one it refers to, has optional
// members, which may be null in requests but not in responses.
func (s *schemas) takesNull(value any, seen map[string]bool) bool {
	switch v := value.(type) {
	case object:
		if link, ok := v["$ref"].(string); ok {
			name := strings.TrimPrefix(link, schemaReference)
			if seen[name] {
				return false
			}
			seen[name] = true
			return s.takesNull(s.Schemas[name], seen)
		}
		for name := range objectOf(v["properties"]) {
			if isOptional(v, name) {
				return true
			}
		}
		for keyword, inner := range v {
			if keyword != "examples" && s.takesNull(inner, seen) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(inner any) bool { return s.takesNull(inner, seen) })
	}
	return false
}

// isOptional reports whether requests may omit a property of an object.
// Read-only properties do not occur in requests.
func isOptional(schema object, name string) bool {
	required, _ := schema["required"].([]any)
	return !slices.Contains(required, any(name)) && objectOf(objectOf(schema["properties"])[name])["readOnly"] != true
}

// requestForm returns a schema that allows null for every optional property. It
// drops the upper limit on the number of properties, because properties that
// are null do not count.
func requestForm(schema object) object {
	form := maps.Clone(schema)
	delete(form, "maxProperties")
	for keyword, value := range schema {
		switch inner := value.(type) {
		case object:
			if keyword != "properties" {
				form[keyword] = requestForm(inner)
				continue
			}
			properties := object{}
			for name, property := range inner {
				properties[name] = requestForm(property.(object))
				if isOptional(schema, name) {
					properties[name] = orNull(properties[name].(object))
				}
			}
			form[keyword] = properties
		case []any:
			if keyword == "oneOf" {
				choices := make([]any, len(inner))
				for i, choice := range inner {
					choices[i] = requestForm(choice.(object))
				}
				form[keyword] = choices
			}
		}
	}
	return form
}

// orNull returns a schema that additionally allows null.
func orNull(schema object) object {
	nothing := object{"type": "null"}
	form := maps.Clone(schema)
	if link := form["$ref"]; link != nil {
		delete(form, "$ref")
		form["oneOf"] = []any{object{"$ref": link}, nothing}
		return form
	}
	if choices, ok := form["oneOf"].([]any); ok {
		form["oneOf"] = append(slices.Clone(choices), nothing)
		return form
	}
	switch kind := form["type"].(type) {
	case string:
		form["type"] = []any{kind, "null"}
	case []any:
		if slices.Contains(kind, any("null")) {
			return form
		}
		form["type"] = append(slices.Clone(kind), "null")
	}
	if values, ok := form["enum"].([]any); ok {
		form["enum"] = append(slices.Clone(values), nil)
	}
	return form
}

// renameReferences returns value with all references to renamed schemas
// updated.
func renameReferences(value any, renamed map[string]string) any {
	switch v := value.(type) {
	case object:
		form := make(object, len(v))
		for key, inner := range v {
			form[key] = renameReferences(inner, renamed)
			if text, ok := inner.(string); ok && key == "$ref" {
				if name := renamed[strings.TrimPrefix(text, schemaReference)]; name != "" {
					form[key] = schemaReference + name
				}
			}
		}
		return form
	case []any:
		form := make([]any, len(v))
		for i, inner := range v {
			form[i] = renameReferences(inner, renamed)
		}
		return form
	}
	return value
}
