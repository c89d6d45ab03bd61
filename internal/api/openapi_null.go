package api

import (
	"maps"
	"slices"
	"strings"
)

// In a request a member that is null counts as left out, in an answer members
// are left out and never null unless their schema says so. schemas.yaml writes
// every schema once, as answers hold it; splitSchemas derives what requests may
// hold from it:
//
//	schemas.yaml                    Facet: { field: string, limit: integer }, required: field
//	in requests, Facet              field: string, limit: integer or null
//	in answers, FacetOutput         field: string, limit: integer
//
// A schema that only requests or only answers refer to keeps its name. One that
// both refer to keeps its name in requests and is called …Output in answers.
const outputSuffix = "Output"

// splitSchemas returns the schemas that requests and answers refer to, in both
// forms where they differ, and renames the references of answers in paths.
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

// takesNull reports whether a schema has optional members, itself or in what it
// refers to: then requests may hold null where answers do not.
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

// isOptional reports whether requests may leave a property of an object out.
// What is read only does not stand in requests.
func isOptional(schema object, name string) bool {
	required, _ := schema["required"].([]any)
	return !slices.Contains(required, any(name)) && objectOf(objectOf(schema["properties"])[name])["readOnly"] != true
}

// requestForm returns a schema with null allowed for every optional property.
// An upper bound of the number of properties goes: those that are null do not
// count.
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

// orNull returns a schema that allows null beside what it allows already.
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

// renameReferences returns value with its references to renamed schemas changed.
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
