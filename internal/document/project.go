package document

import (
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/locale"
)

// Projection selects the parts of documents to return. It is immutable.
type Projection struct {
	schema  *definition.Schema
	chosen  *choice // nil: everything
	signals []*definition.ResolvedField
	asSent  bool   // all variants, as sent; also when no field has locales to select from
	locale  string // the wanted locale if not asSent
}

// choice is a tree of selected names; a leaf selects everything below.
type choice struct {
	whole    bool
	children map[string]*choice
}

// SignalReader returns the current value of a signal field of one document, and
// false when it has none.
type SignalReader func(*definition.ResolvedField) (number int64, ok bool)

// AsSent selects whole documents as sent, with every variant.
func AsSent(schema *definition.Schema) *Projection {
	return &Projection{schema: schema, asSent: true, signals: schema.Signals()}
}

// Whole selects whole documents with one variant of each localized field: the one
// that covers the wanted locale, or else the field's default.
func Whole(schema *definition.Schema, wantedLocale string) *Projection {
	return &Projection{schema: schema, asSent: !schema.IsLocalized(), locale: wantedLocale, signals: schema.Signals()}
}

// Only selects the fields with the given concrete dotted paths and the primary key,
// with one variant of each localized field. Paths that are not fields select
// nothing.
func Only(schema *definition.Schema, paths []string, wantedLocale string) *Projection {
	p := &Projection{schema: schema, asSent: !schema.IsLocalized(), locale: wantedLocale, chosen: &choice{}}
	if key := schema.PrimaryKey(); key != nil {
		p.chosen.add([]string{key.Name})
	}
	for _, path := range paths {
		if f, ok := schema.Resolve(path); ok && f.Signal {
			p.signals = append(p.signals, f)
			continue
		}
		p.chosen.add(strings.Split(path, "."))
	}
	return p
}

func (c *choice) add(names []string) {
	for _, name := range names {
		if c.children == nil {
			c.children = make(map[string]*choice)
		}
		if c.children[name] == nil {
			c.children[name] = &choice{}
		}
		c = c.children[name]
	}
	c.whole = true
}

// step returns the selection below a member, and false when the member is not
// selected.
func (c *choice) step(name []byte) (next *choice, ok bool) {
	if c == nil || c.whole {
		return nil, true
	}
	next = c.children[string(name)]
	return next, next != nil
}

// Append appends a document as a JSON object, with the current signal values last.
func (p *Projection) Append(to []byte, r Record, signals SignalReader) []byte {
	to = append(to, '{')
	start := len(to)
	to = p.appendMembers(to, cursor{r.root, r.key}, p.schema.Root(), p.chosen)
	if signals != nil {
		for _, f := range p.signals {
			number, ok := signals(f)
			if !ok {
				continue
			}
			if len(to) > start {
				to = append(to, ',')
			}
			to = append(appendQuoted(to, []byte(f.Name)), ':')
			to = appendSignal(to, f, number)
		}
	}
	return append(to, '}')
}

// appendSignal appends the value of a signal field as a JSON number.
func appendSignal(to []byte, f *definition.ResolvedField, number int64) []byte {
	if f.Type.IsWhole() {
		return strconv.AppendInt(to, number, 10)
	}
	value := layout.FloatOf(number)
	bits := 64
	if f.Type == definition.Float {
		bits = 32
	}
	if math.IsNaN(value) || math.IsInf(value, 0) {
		value = 0 // never written, but a damaged column must not break the response
	}
	return jsontext.AppendFloat(to, value, bits)
}

func (p *Projection) appendMembers(to []byte, c cursor, of *definition.ResolvedField, chosen *choice) []byte {
	start := len(to)
	for {
		name, n, ok := c.member()
		if !ok {
			return to
		}
		next, ok := chosen.step(name)
		if !ok {
			continue
		}
		before := len(to)
		if before > start {
			to = append(to, ',')
		}
		to = append(appendQuoted(to, name), ':')
		var f *definition.ResolvedField
		if of != nil && !p.asSent {
			f = of.ChildOf(name)
		}
		if to, ok = p.appendNode(to, n, f, next); !ok {
			to = to[:before]
		}
	}
}

// appendNode appends a value and reports whether there was one to show.
func (p *Projection) appendNode(to []byte, n node, f *definition.ResolvedField, chosen *choice) ([]byte, bool) {
	if !p.asSent && f != nil && f.Locales != nil {
		variant, value, ok := chooseVariant(n, f, p.locale)
		if !ok {
			return to, false
		}
		to = append(appendQuoted(append(to, '{'), []byte(variant)), ':')
		return append(p.appendPlain(to, value, nil, nil), '}'), true
	}
	return p.appendPlain(to, n, f, chosen), true
}

func (p *Projection) appendPlain(to []byte, n node, f *definition.ResolvedField, chosen *choice) []byte {
	switch n.kind {
	case objectNode:
		return append(p.appendMembers(append(to, '{'), cursor{data: n.data}, f, chosen), '}')
	case variantsNode:
		return append(p.appendMembers(append(to, '{'), cursor{data: n.data}, nil, nil), '}')
	case listNode:
		to = append(to, '[')
		c := cursor{data: n.data}
		for i := 0; ; i++ {
			item, ok := c.node()
			if !ok {
				return append(to, ']')
			}
			if i > 0 {
				to = append(to, ',')
			}
			to = p.appendPlain(to, item, f, chosen)
		}
	}
	return append(to, n.data...)
}

// AppendListValue appends the value of a nested list at a position and reports
// whether there is one. A projection from Only selects by paths from the root.
func (p *Projection) AppendListValue(to []byte, r Record, list *definition.ResolvedField, position int) ([]byte, bool) {
	chosen := p.chosen
	for _, name := range strings.Split(list.Path, ".") {
		next, ok := chosen.step([]byte(name))
		if !ok {
			return to, false
		}
		chosen = next
	}
	w := walker{position: position, list: list, key: r.key}
	found := false
	w.walk(node{objectNode, r.root}, nil, strings.Split(list.Path, "."), func(n node) bool {
		to = p.appendPlain(to, n, list, chosen)
		found = true
		return false
	})
	return to, found
}

// chooseVariant returns the variant of a localized value that a search shows. If
// the wanted one is missing, it applies the locale fallback.
func chooseVariant(n node, f *definition.ResolvedField, wanted string) (string, node, bool) {
	variant, ok := "", false
	if wanted != "" {
		variant, ok = locale.Resolve(wanted, f.Locales)
	}
	if !ok {
		variant = f.DefaultLocale
	}
	if value, ok := variantOf(n, f, variant); ok {
		return variant, value, true
	}
	for _, other := range f.FallbackOrder {
		if value, ok := variantOf(n, f, other); ok {
			return variant, value, true
		}
	}
	return "", node{}, false
}

// variantOf returns the value of one variant. A value without a tag belongs to the
// default locale.
func variantOf(n node, f *definition.ResolvedField, variant string) (node, bool) {
	if n.kind == variantsNode {
		return find(cursor{data: n.data}, variant)
	}
	return n, variant == f.DefaultLocale
}

func resolveVariant(f *definition.ResolvedField, tag string) (string, bool) {
	return locale.Resolve(tag, f.Locales)
}

// appendQuoted appends a name as a JSON string.
func appendQuoted(to, name []byte) []byte {
	for _, c := range name {
		if c < ' ' || c == '"' || c == '\\' || c >= 0x80 {
			to, _ = jsontext.AppendQuote(to, name) // names are valid UTF-8
			return to
		}
	}
	to = append(to, '"')
	to = append(to, name...)
	return append(to, '"')
}
