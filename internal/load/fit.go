package load

import (
	"fmt"
	"strings"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/draft"
)

// Fit adapts columns to the fields of an existing index: names that differ are
// compared without case, and values take the declared type. It returns a note
// for every column without a field of its own; such columns are dropped.
func Fit(columns []*draft.Column, fields map[string]*definition.Field) []string {
	return fit(columns, fields, "")
}

func fit(columns []*draft.Column, fields map[string]*definition.Field, path string) []string {
	var notes []string
	filledBy := fillers(columns, fields)
	for _, c := range columns {
		name, field := findField(c, fields)
		if field == nil {
			c.Form = draft.Drop
			notes = append(notes, fmt.Sprintf("%s%s is left out: the index has no such field", path, c.Name))
			continue
		}
		if filler := filledBy[name]; filler != c && !(isHalf(filler) && isHalf(c)) {
			c.Form = draft.Drop
			notes = append(notes, fmt.Sprintf("%s%s is left out: the field %s is filled by %s", path, c.Name, name, filler.Name))
			continue
		}
		c.Field = name
		if isHalf(c) && field.Type == definition.GeoPoint {
			continue
		}
		wasList := c.IsList
		c.IsList = field.Multiple != nil && *field.Multiple
		if !c.IsList || wasList && c.Form != draft.Keep && c.Form != draft.AsText {
			c.Separator = ""
		}
		if c.IsList && !wasList {
			c.Separator = c.MaySplit
		}
		c.Form, c.Unit = formOf(field), ""
		if field.Unit != nil {
			c.Unit = *field.Unit
		}
		c.Unpacks = c.Unpacks || field.Type == definition.Vector || field.Type == definition.GeoPoint
		if c.Form == draft.AsObject {
			notes = append(notes, fit(c.Inside, field.Fields, path+c.Name+".")...)
		}
	}
	return notes
}

// fillers returns the column for each field: of several, the one with the same name.
func fillers(columns []*draft.Column, fields map[string]*definition.Field) map[string]*draft.Column {
	filledBy := make(map[string]*draft.Column)
	for _, c := range columns {
		name, _ := findField(c, fields)
		if filledBy[name] == nil || c.Name == name {
			filledBy[name] = c
		}
	}
	return filledBy
}

// isHalf reports whether a column is one of the two that form a point.
func isHalf(c *draft.Column) bool {
	return c.Form == draft.AsLatitude || c.Form == draft.AsLongitude
}

// findField returns the field of a column, nil if there is none.
func findField(c *draft.Column, fields map[string]*definition.Field) (string, *definition.Field) {
	for _, name := range []string{c.Name, c.Field} {
		if field := fields[name]; field != nil {
			return name, field
		}
	}
	for _, name := range sortedKeys(fields) {
		if strings.EqualFold(name, c.Name) || strings.EqualFold(name, c.Field) || strings.Contains(name, "*") && fits(name, c.Name) {
			if strings.Contains(name, "*") {
				return c.Name, fields[name]
			}
			return name, fields[name]
		}
	}
	return "", nil
}

// fits reports whether a pattern with one * matches a name.
func fits(pattern, name string) bool {
	before, after, _ := strings.Cut(pattern, "*")
	return len(name) >= len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after)
}

func formOf(field *definition.Field) draft.Form {
	switch {
	case field.Type == definition.String:
		return draft.AsText
	case field.Type.IsNumber():
		return draft.AsNumber
	case field.Type == definition.Boolean:
		return draft.AsBoolean
	case field.Type == definition.Timestamp:
		return draft.AsTimestamp
	case field.Type == definition.GeoPoint:
		return draft.AsPoint
	case field.Type == definition.Object:
		return draft.AsObject
	}
	return draft.Keep
}
