package document

import (
	"bytes"
	"slices"
	"strconv"
	"unsafe"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/internal/locale"
	"github.com/quiresearch/quire/problem"
)

// Reader reads documents of one schema. It belongs to one goroutine.
type Reader struct {
	schema     *definition.Schema
	isAccepted bool // the documents were accepted earlier

	doc       *Document
	into      *[]Value // root or list values
	path      []step
	at        problem.Path
	found     *problem.List
	isRefused bool                              // a problem was found, whether or not it was reported
	isCrowded bool                              // there are too many list values, which was reported
	lists     map[*definition.ResolvedField]int // counts of values so far, of nested lists below flattened ones
	names     map[string]struct{}               // concrete paths of wildcard fields so far
	usual     [16]*definition.ResolvedField     // by position among the members, from the previous document
}

// step is one step of the path from the document to the current value.
type step struct {
	name     []byte
	position int // in a list; negative for a name
}

// NewReader returns a reader of documents of a schema.
func NewReader(schema *definition.Schema) *Reader { return &Reader{schema: schema} }

// NewLogReader returns a reader of documents from the log. They were accepted once,
// so bounds on lengths, which a later version may have introduced, do not apply.
func NewLogReader(schema *definition.Schema) *Reader {
	return &Reader{schema: schema, isAccepted: true}
}

// Schema returns the schema of the reader.
func (r *Reader) Schema() *definition.Schema { return r.schema }

// Read reads one document: checked JSON without surrounding white space. If there
// are problems, it reports each to found, with a path that begins with at, and
// returns nil. The document does not retain raw.
func (r *Reader) Read(raw []byte, at problem.Path, found *problem.List) *Document {
	if jsonread.KindOf(raw) != jsonread.ObjectKind {
		found.Report(problem.DocumentNotAnObject.At(at))
		return nil
	}
	r.doc = newDocument(r.schema, raw)
	r.into, r.at, r.found, r.path, r.isRefused = &r.doc.Root, at, found, r.path[:0], false
	r.isCrowded = false
	clear(r.lists)
	clear(r.names)
	r.object(r.doc.json, r.schema.Root())
	d := r.doc
	r.doc, r.into, r.found = nil, nil, nil
	if r.isRefused {
		d.Release()
		return nil
	}
	d.shareChildValues()
	return d
}

// shareChildValues sets the values of the children, which stand one after another
// in a slice that has stopped growing.
func (d *Document) shareChildValues() {
	start := 0
	for i := range d.Children {
		end := start + len(d.Children[i].Values)
		d.Children[i].Values = d.childValues[start:end:end]
		start = end
	}
}

func (r *Reader) report(code *problem.Code, arguments ...any) {
	r.isRefused = true
	if r.found.Len() < problem.MaxReported {
		r.found.Report(code.At(r.currentPath(), arguments...))
	}
}

// currentPath returns the path of the current value. Only problems need it.
func (r *Reader) currentPath() problem.Path {
	at := r.at
	for _, s := range r.path {
		if s.position < 0 {
			at = at.Field(string(s.name))
		} else {
			at = at.Item(s.position)
		}
	}
	return at
}

func (r *Reader) enter(name []byte)      { r.path = append(r.path, step{name: name, position: -1}) }
func (r *Reader) enterItem(position int) { r.path = append(r.path, step{position: position}) }
func (r *Reader) leave()                 { r.path = r.path[:len(r.path)-1] }
func (r *Reader) view(b []byte) string   { return unsafe.String(unsafe.SliceData(b), len(b)) }
func isNull(raw []byte) bool             { return len(raw) > 0 && raw[0] == 'n' }
func isList(raw []byte) bool             { return len(raw) > 0 && raw[0] == '[' }
func isObject(raw []byte) bool           { return len(raw) > 0 && raw[0] == '{' }

// object reads the members of an object value.
func (r *Reader) object(raw []byte, of *definition.ResolvedField) {
	required := of.RequiredChildren()
	isRoot := of == r.schema.Root()
	held, place := 0, 0
	for it := jsonread.Members(raw); it.Next(); place++ {
		name := it.RawName()
		if bytes.IndexByte(name, '\\') >= 0 {
			name = jsonread.AppendText(nil, name)
		} else {
			name = name[1 : len(name)-1]
		}
		r.enter(name)
		child := r.child(of, name, place)
		switch {
		case child == nil:
			r.unknown(name, of)
		case isNull(it.Value()):
		case child.IsWildcard && !r.admit(child):
		default:
			r.doc.kept |= keptOf(child)
			if isRoot && !child.Signal {
				r.doc.members = append(r.doc.members, member{child, uint32(it.Start()), uint32(it.End())})
			}
			if child.PrimaryKey {
				r.doc.rawKey = it.Value()
			}
			if r.field(child, it.Value()) && child.Required {
				held++
			}
		}
		r.leave()
	}
	if held < len(required) {
		r.missing(raw, required)
	}
}

// child is of.ChildOf. Most documents name their fields in the same order, so it
// first tries the field found at the same position before.
func (r *Reader) child(of *definition.ResolvedField, name []byte, place int) *definition.ResolvedField {
	usual := &r.usual[place%len(r.usual)]
	if f := *usual; f != nil && f.Parent == of && f.Name == string(name) {
		return f
	}
	f := of.ChildOf(name)
	if f != nil && !f.IsWildcard {
		*usual = f
	}
	return f
}

// MaxListValues bounds the values of nested lists in one document: each is matched,
// scored and shown separately, and all of them with every hit.
const MaxListValues = 100_000

// maxWildcardNames bounds the concrete names of wildcard fields in one document:
// each creates its own structures in a segment.
const maxWildcardNames = 1000

// admit counts a name of a wildcard field and reports the first beyond the bound.
func (r *Reader) admit(f *definition.ResolvedField) bool {
	if _, known := r.names[f.Path]; known {
		return true
	}
	if len(r.names) > maxWildcardNames {
		return false // already reported
	}
	if r.names == nil {
		r.names = make(map[string]struct{})
	}
	r.names[f.Path] = struct{}{}
	if len(r.names) > maxWildcardNames {
		r.report(problem.RequestValueInvalid, "reason", "a document holds at most "+strconv.Itoa(maxWildcardNames)+" names of wildcard fields")
		return false
	}
	return true
}

// unknown reports a name that is not declared.
func (r *Reader) unknown(name []byte, of *definition.ResolvedField) {
	code := problem.DocumentFieldUnknown
	if bytes.IndexByte(name, '.') >= 0 {
		f := of
		for _, part := range bytes.Split(name, []byte{'.'}) {
			if f = f.ChildOf(part); f == nil {
				break
			}
		}
		if f != nil {
			code = problem.DocumentFieldInsideObject
		}
	}
	if code == problem.DocumentFieldInsideObject {
		r.report(code, "name", string(name))
		return
	}
	r.isRefused = true
	if r.found.Len() < problem.MaxReported {
		r.found.Report(code.At(r.currentPath(), "name", string(name)).Among(string(name), of.ChildNames))
	}
}

// missing reports the required fields of which an object has no value. A field
// whose value was rejected is not missing.
func (r *Reader) missing(raw []byte, required []*definition.ResolvedField) {
	for _, field := range required {
		given := false
		for it := jsonread.Members(raw); it.Next() && !given; {
			var scratch []byte
			given = string(it.Name(&scratch)) == field.Name && holdsValueOf(field, it.Value())
		}
		if !given {
			r.enter([]byte(field.Name))
			r.report(problem.DocumentFieldRequired, "name", field.Path)
			r.leave()
		}
	}
}

// holdsValue reports whether raw JSON is more than null or a list without values.
func holdsValue(raw []byte) bool {
	if !isList(raw) {
		return !isNull(raw)
	}
	for it := jsonread.Items(raw); it.Next(); {
		if !isNull(it.Value()) {
			return true
		}
	}
	return false
}

// field reads the values of one field and reports whether it has any.
func (r *Reader) field(f *definition.ResolvedField, raw []byte) bool {
	switch {
	case f.Type == definition.Object:
		return r.objects(f, raw)
	case f.Signal:
		return r.signal(f, raw)
	case f.Locales != nil:
		return r.localized(f, raw)
	}
	return r.values(f, "", raw, problem.DocumentMultipleUnsupported)
}

// values reads one value, or each value of a list.
func (r *Reader) values(f *definition.ResolvedField, variant string, raw []byte, severalRefused *problem.Code) bool {
	if !isList(raw) || f.Type == definition.Vector {
		return r.value(f, variant, raw)
	}
	if !f.Multiple {
		arguments := []any{"name", f.Path}
		if severalRefused == problem.DocumentMultiplePerLocaleUnsupported {
			arguments = append(arguments, "locale", variant)
		}
		r.report(severalRefused, arguments...)
		return true
	}
	any := false
	position := 0
	for it := jsonread.Items(raw); it.Next(); position++ {
		if isNull(it.Value()) {
			continue
		}
		r.enterItem(position)
		if isList(it.Value()) {
			r.report(problem.DocumentMultipleUnsupported, "name", f.Path)
		} else {
			r.value(f, variant, it.Value())
		}
		r.leave()
		any = true
	}
	return any
}

// localized reads a map from tag to value, or a value of the default locale, and
// fills variants without a value.
func (r *Reader) localized(f *definition.ResolvedField, raw []byte) bool {
	start := len(*r.into)
	any := false
	if isVariants(f, raw) {
		given := make([]string, 0, 8)
		for it := jsonread.Members(raw); it.Next(); {
			tag := jsonread.AppendText(nil, it.RawName())
			r.enter(tag)
			variant, ok := locale.Resolve(string(tag), f.Locales)
			switch {
			case !ok:
				r.report(problem.DocumentLocaleUnknown, "name", f.Path, "locale", string(tag))
			case isNull(it.Value()):
			case slices.Contains(given, variant) && !f.Multiple:
				r.report(problem.DocumentMultiplePerLocaleUnsupported, "name", f.Path, "locale", variant)
			default:
				given = append(given, variant)
				any = r.values(f, variant, it.Value(), problem.DocumentMultiplePerLocaleUnsupported) || any
			}
			r.leave()
		}
	} else {
		any = r.values(f, f.DefaultLocale, raw, problem.DocumentMultipleUnsupported)
	}
	if f.FallbackOrder != nil && len(*r.into) > start {
		r.fill(f, start)
	}
	return any
}

// fill copies, for every variant without a value, the values of the first variant
// in the field's fallback order that has some.
func (r *Reader) fill(f *definition.ResolvedField, start int) {
	given := (*r.into)[start:]
	has := func(variant string) bool {
		for i := range given {
			if given[i].Variant == variant {
				return true
			}
		}
		return false
	}
	source := ""
	for _, variant := range f.FallbackOrder {
		if has(variant) {
			source = variant
			break
		}
	}
	if source == "" {
		return
	}
	for _, variant := range f.Locales {
		if has(variant) {
			continue
		}
		for i := range given {
			if given[i].Variant == source {
				filled := given[i]
				filled.Variant, filled.Filled = variant, true
				*r.into = append(*r.into, filled)
			}
		}
	}
}

// objects reads one object value, or each of a list.
func (r *Reader) objects(f *definition.ResolvedField, raw []byte) bool {
	if !isList(raw) {
		r.objectValue(f, raw, r.listBase(f))
		return true
	}
	if !f.Multiple {
		r.report(problem.DocumentMultipleUnsupported, "name", f.Path)
		return true
	}
	var keys map[Key]bool
	if f.Key != nil {
		keys = make(map[Key]bool)
	}
	base := r.listBase(f)
	position, place := 0, 0
	for it := jsonread.Items(raw); it.Next(); place++ {
		if isNull(it.Value()) {
			continue
		}
		r.enterItem(place)
		r.objectValue(f, it.Value(), base+position)
		if keys != nil && isObject(it.Value()) {
			r.uniqueKey(f, it.Value(), keys)
		}
		r.leave()
		position++
	}
	return position > 0
}

// listBase returns the position of the first value of a nested list. Below
// flattened lists, several lists share a path, and their positions continue.
func (r *Reader) listBase(f *definition.ResolvedField) int {
	if f.Mode != definition.Nested || !f.BelowFlattened {
		return 0
	}
	return r.lists[f]
}

func (r *Reader) objectValue(f *definition.ResolvedField, raw []byte, position int) {
	if !isObject(raw) {
		r.report(problem.DocumentObjectRequired, "name", f.Path)
		return
	}
	if f.Mode != definition.Nested {
		r.object(raw, f)
		return
	}
	if len(r.doc.Children) >= MaxListValues && !r.isAccepted {
		if len(r.doc.Children) == MaxListValues && !r.isCrowded {
			r.isCrowded = true
			r.report(problem.DocumentValuesTooMany, "limit", MaxListValues)
		}
		return
	}
	outer := r.into
	r.into = &r.doc.childValues
	start := len(r.doc.childValues)
	r.object(raw, f)
	r.into = outer
	if f.BelowFlattened {
		if r.lists == nil {
			r.lists = make(map[*definition.ResolvedField]int)
		}
		r.lists[f]++
	}
	r.doc.Children = append(r.doc.Children, Child{List: f, Position: position, Values: r.doc.childValues[start:]})
}

// uniqueKey reports a list value with the same declared key as an earlier one.
func (r *Reader) uniqueKey(f *definition.ResolvedField, raw []byte, keys map[Key]bool) {
	for it := jsonread.Members(raw); it.Next(); {
		var scratch []byte
		if string(it.Name(&scratch)) != f.Key.Name {
			continue
		}
		key, ok := KeyOf(f.Key, it.Value())
		if !ok {
			return // rejected or missing, which is reported elsewhere
		}
		if keys[key] {
			r.enter([]byte(f.Key.Name))
			r.report(problem.DocumentObjectKeyDuplicate, "name", f.Path, "key", string(key))
			r.leave()
		}
		keys[key] = true
		return
	}
}
