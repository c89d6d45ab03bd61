package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// field is what was seen of one field.
type field struct {
	strings, times, addresses, whole, fractions, booleans, points, objects int

	isList bool
	words  int             // of all strings
	values map[string]bool // that differ
	inside *fields         // of objects
}

// fields is what was seen of documents, or of the objects of a field.
type fields struct {
	documents int
	named     map[string]*field
}

func newFields() *fields { return &fields{named: make(map[string]*field)} }

func (f *fields) add(document map[string]any) {
	f.documents++
	for name, value := range document {
		if f.named[name] == nil {
			f.named[name] = &field{values: make(map[string]bool), inside: newFields()}
		}
		f.named[name].add(value)
	}
}

func (f *field) add(value any) {
	switch value := value.(type) {
	case []any:
		f.isList = true
		for _, each := range value {
			f.add(each)
		}
	case map[string]any:
		if isPoint(value) {
			f.points++
			return
		}
		f.objects++
		f.inside.add(value)
	case json.Number:
		if strings.ContainsAny(value.String(), ".eE") {
			f.fractions++
		} else {
			f.whole++
		}
		f.values[value.String()] = true
	case string:
		f.strings++
		if _, err := time.Parse(time.RFC3339, value); err == nil {
			f.times++
		}
		if strings.HasPrefix(value, "http://") || strings.HasPrefix(value, "https://") {
			f.addresses++
		}
		f.words += len(strings.Fields(value))
		f.values[value] = true
	case bool:
		f.booleans++
	}
}

func isPoint(value map[string]any) bool {
	lat, hasLat := value["lat"].(json.Number)
	lon, hasLon := value["lon"].(json.Number)
	return hasLat && hasLon && len(value) == 2 && lat != "" && lon != ""
}

// keyNames are fields that may be the key, best first.
var keyNames = []string{"id", "key", "uuid", "guid", "sku", "isbn", "code"}

// key returns the field that names every document, nil when none does.
func (f *fields) key() (string, *field) {
	for _, name := range keyNames {
		one := f.named[name]
		if one != nil && !one.isList && len(one.values) == f.documents && (one.strings == f.documents || one.whole == f.documents) {
			return name, one
		}
	}
	return "", nil
}

// used stands for a use of a field without options.
type used struct{}

// declared is a field of a definition.
type declared struct {
	Type       string               `json:"type,omitempty"`
	Role       string               `json:"role,omitempty"`
	PrimaryKey bool                 `json:"primaryKey,omitempty"`
	Multiple   bool                 `json:"multiple,omitempty"`
	Mode       string               `json:"mode,omitempty"`
	Filter     *used                `json:"filter,omitempty"`
	Sort       *used                `json:"sort,omitempty"`
	Facet      *used                `json:"facet,omitempty"`
	Fields     map[string]*declared `json:"fields,omitempty"`
}

// definition declares the fields. The error names every field that cannot be
// declared.
func (f *fields) definition() (*declared, error) {
	var problems []error
	all := f.declare("", false, &problems)
	switch name, key := f.key(); {
	case key == nil:
	case key.whole > 0:
		all[name] = &declared{Type: "int64", PrimaryKey: true}
	default:
		all[name] = &declared{Type: "string", Role: "id"}
	}
	return &declared{Fields: all}, errors.Join(problems...)
}

func (f *fields) declare(prefix string, inList bool, problems *[]error) map[string]*declared {
	all := make(map[string]*declared)
	names := make([]string, 0, len(f.named))
	for name := range f.named {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		one := f.named[name]
		if kinds := one.kinds(); len(kinds) > 1 {
			*problems = append(*problems, fmt.Errorf("%s%s is now %s: make them one", prefix, name, strings.Join(kinds, ", now ")))
		} else if len(kinds) == 1 {
			all[name] = one.declare(prefix, name, inList, problems)
		}
	}
	return all
}

// kinds names what values of the field are; more than one cannot be declared.
func (f *field) kinds() []string {
	var kinds []string
	for _, kind := range []struct {
		name string
		seen int
	}{{"text", f.strings}, {"a number", f.whole + f.fractions}, {"true or false", f.booleans}, {"a place", f.points}, {"an object", f.objects}} {
		if kind.seen > 0 {
			kinds = append(kinds, kind.name)
		}
	}
	return kinds
}

// declare says how the field is most likely used. Lists have no order to sort
// by, nor has what stands in one.
func (f *field) declare(prefix, name string, inList bool, problems *[]error) *declared {
	d := &declared{Multiple: f.isList}
	isInner := inList // a nested list cannot hold another
	inList = inList || f.isList
	sort := &used{}
	if inList {
		sort = nil
	}
	switch {
	case f.objects > 0:
		d.Type = "object"
		switch {
		case f.isList && isInner:
			d.Mode = "flattened"
		case f.isList:
			d.Mode = "nested"
		}
		d.Fields = f.inside.declare(prefix+name+".", inList, problems)
	case f.points > 0:
		d.Type, d.Filter, d.Sort = "geo_point", &used{}, sort
	case f.booleans > 0:
		d.Type, d.Filter, d.Facet = "boolean", &used{}, &used{}
	case f.fractions > 0:
		d.Type, d.Filter, d.Sort = "double", &used{}, sort
	case f.whole > 0:
		d.Type, d.Filter, d.Sort = "int64", &used{}, sort
	case f.times == f.strings:
		d.Type, d.Filter, d.Sort, d.Facet = "timestamp", &used{}, sort, &used{}
	case f.addresses == f.strings:
		d.Type = "string"
	default:
		d.Type, d.Role = "string", f.textRole(name)
	}
	return d
}

const (
	longText  = 12 // words on average, from which text is no title
	fewWords  = 2  // below which values are words for themselves
	mostAlike = 2  // times a value occurs on average, from which it is one of a list
)

// titleNames are fields that people search for even where they hold one word.
var titleNames = []string{"name", "title", "headline", "label", "subject"}

func (f *field) textRole(name string) string {
	switch {
	case f.words >= longText*f.strings:
		return "description"
	case f.isList, f.strings >= mostAlike*len(f.values):
		return "tag"
	case slices.Contains(titleNames, name), f.words >= fewWords*f.strings:
		return "title"
	}
	return "tag"
}
