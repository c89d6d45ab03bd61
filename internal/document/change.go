package document

import (
	"bytes"
	"strings"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/change"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/internal/locale"
	"github.com/quiresearch/quire/problem"
)

// Change is one checked change object. It refers to the JSON it was read from.
type Change struct {
	Key Key
	// SignalsOnly is true when the change names only signal fields: the document is
	// then refreshed in place without reading its source.
	SignalsOnly bool
	Signals     []Signal

	raw []byte
}

// ReadChange reads a change object: checked JSON without surrounding white space.
// If its key or its signals have problems, it reports them to found, with paths
// that begin with at, and returns nil.
func (r *Reader) ReadChange(raw []byte, at problem.Path, found *problem.List) *Change {
	if jsonread.KindOf(raw) != jsonread.ObjectKind {
		found.Report(problem.DocumentNotAnObject.At(at))
		return nil
	}
	r.doc = newDocument(r.schema, nil)
	r.into, r.at, r.found, r.path, r.isRefused = &r.doc.Root, at, found, r.path[:0], false
	c := &Change{raw: raw, SignalsOnly: true}
	key := r.schema.PrimaryKey()
	hasKey := false
	for it := jsonread.Members(raw); it.Next(); {
		name := jsonread.AppendText(nil, it.RawName())
		f := r.schema.Root().ChildOf(name)
		if bytes.IndexByte(name, '\\') >= 0 {
			f = r.schema.Root().Child(wholeField(string(name)))
		}
		switch {
		case f != nil && f == key:
			if isNull(it.Value()) {
				continue
			}
			hasKey = true
			r.enter(name)
			r.changeKey(key, it.Value())
			r.leave()
			c.Key = r.doc.Key
		case f != nil && f.Signal:
			r.enter(name)
			switch {
			case !isNull(it.Value()):
				r.signal(f, it.Value())
			case f.Required:
				r.report(problem.DocumentFieldRequired, "name", f.Path)
			default:
				c.Signals = append(c.Signals, Signal{Field: f, Clear: true})
			}
			r.leave()
		default:
			c.SignalsOnly = false
		}
	}
	if !hasKey && key != nil {
		r.isRefused = true
		found.Report(problem.DocumentKeyRequired.At(at.Field(key.Name), "name", key.Name))
	}
	c.Signals = append(c.Signals, r.doc.Signals...)
	r.doc.Release()
	r.doc, r.into, r.found = nil, nil, nil
	if r.isRefused {
		return nil
	}
	return c
}

// wholeField returns the unescaped name of the field if a change path names a whole
// field. It returns any other path unchanged.
func wholeField(path string) string {
	if strings.IndexByte(path, '\\') < 0 {
		return path
	}
	steps, err := change.ParsePath(path)
	if err != nil || len(steps) != 1 || steps[0].Selector.Kind != change.NoSelector {
		return path
	}
	return steps[0].Name
}

// changeKey reads the key of a change like any other value of its field.
func (r *Reader) changeKey(key *definition.ResolvedField, raw []byte) {
	switch {
	case isList(raw):
		r.report(problem.DocumentMultipleUnsupported, "name", key.Path)
	case isObject(raw):
		r.misplacedObject(key, raw)
	case key.Type.IsWhole():
		r.number(key, raw)
	default:
		v := Value{Field: key}
		r.text(&v, raw)
	}
}

// Apply applies a change to a document, given as sent together with its current
// signal values, and reads the result as a whole. If there are problems, it reports
// them to found, with paths that begin with at, and returns nil. A problem with a
// value that a change placed has the path of the change.
func (r *Reader) Apply(c *Change, source []byte, signals SignalReader, at problem.Path, found *problem.List) *Document {
	before := found.Len()
	tree := change.ParseTree(source)
	r.prune(tree, r.schema.Root())
	target := change.Target{
		Tree: tree, Shape: objectShape{r.schema.Root()}, Codes: change.DocumentCodes(), At: at, Found: found,
	}
	var cleared []string
	for it := jsonread.Members(c.raw); it.Next() && found.Len()-before < problem.MaxReported; {
		path := jsonread.String(it.RawName())
		if f := r.schema.Root().Child(wholeField(path)); f != nil && (f.PrimaryKey || f.Signal) {
			continue
		}
		if target.Apply(path, it.Value()) && isNull(it.Value()) {
			cleared = append(cleared, path)
		}
	}
	if found.Len() > before {
		return nil
	}
	for _, f := range r.schema.Signals() {
		if number, ok := c.signal(f, signals); f.Required && ok {
			tree.Set(f.Name, change.ParseTree(appendSignal(nil, f, number)))
		}
	}
	d := r.Read(tree.Append(nil), at, found)
	if d != nil {
		d.Signals = append(d.Signals[:0], c.Signals...) // other signals keep their values
	}
	if problems := found.Problems()[before:]; len(problems) > 0 {
		nameByClearing(problems, cleared, nameByChange(problems, tree, at), at)
	}
	return d
}

// signal returns the value of a signal field after the change.
func (c *Change) signal(f *definition.ResolvedField, current SignalReader) (number int64, ok bool) {
	for _, s := range c.Signals {
		if s.Field == f {
			return s.Number, !s.Clear
		}
	}
	return current(f)
}

// nameByChange gives the problems with values that a change placed the path of that
// change, and returns those paths.
func nameByChange(problems problem.Problems, tree *change.Tree, at problem.Path) map[*problem.Problem]string {
	named := make(map[*problem.Problem]string)
	tree.Written(at, func(stands problem.Path, written string) {
		place := stands.String()
		for _, p := range problems {
			if rest, ok := below(p.Path, place); ok {
				named[p] = at.Append(written).String() + rest
			}
		}
	})
	for p, path := range named {
		p.Path = path
	}
	return named
}

// nameByClearing gives the problem of a required field that exactly one change
// cleared the path of that change, unless another change placed the value that lacks
// the field.
func nameByClearing(problems problem.Problems, cleared []string, placed map[*problem.Problem]string, at problem.Path) {
	by := make(map[string][]string) // from fields to the paths that cleared them
	for _, text := range cleared {
		if path, err := change.ParsePath(text); err == nil {
			by[path.Field()] = append(by[path.Field()], text)
		}
	}
	for _, p := range problems {
		if _, ok := placed[p]; ok || p.Code != problem.DocumentFieldRequired {
			continue
		}
		if paths := by[p.Arguments["name"]]; len(paths) == 1 {
			p.Path = at.Append(paths[0]).String()
		}
	}
}

// below returns the rest of a path that leads to or into a value.
func below(path, value string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, value)
	return rest, ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// prune removes what the definition no longer declares, and signal values, which
// are stored separately from the source.
func (r *Reader) prune(tree *change.Tree, of *definition.ResolvedField) {
	tree.Prune(func(name string) (func(*change.Tree), bool) {
		f := of.Child(name)
		if f == nil || f.Signal {
			return nil, false
		}
		if f.Type != definition.Object {
			return nil, true
		}
		return func(inner *change.Tree) { r.prune(inner, f) }, true
	})
}

// objectShape presents a field to change paths.
type objectShape struct {
	field *definition.ResolvedField
}

func (s objectShape) Member(name string) (change.Shape, bool) {
	child := s.field.Child(name)
	if child == nil {
		return nil, false
	}
	return objectShape{child}, true
}

func (s objectShape) Names() []string   { return s.field.ChildNames() }
func (s objectShape) IsObject() bool    { return s.field.Type == definition.Object }
func (s objectShape) IsMultiple() bool  { return s.field.Multiple }
func (s objectShape) IsLocalized() bool { return s.field.Locales != nil }

func (s objectShape) Key() string {
	if s.field.Key == nil {
		return ""
	}
	return s.field.Key.Name
}

func (s objectShape) Variant(tag string) (string, bool) {
	if tag == "" {
		return s.field.DefaultLocale, true
	}
	return locale.Resolve(tag, s.field.Locales)
}
