package draft

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quiresearch/quire/definition"
)

// deciding is a draft under construction.
type deciding struct {
	*Drafter
	draft   *Draft
	tongues tongues
	key     *column
	title   *column
	price   *column // in a currency that no column names
}

// where is the position of a field. A field that is a list or inside one cannot
// be sorted by, and a nested list cannot contain another.
type where struct {
	path   string
	inList bool
	isRoot bool
}

// Finish returns the draft. It may be called again after Choose.
func (d *Drafter) Finish() *Draft {
	f := &deciding{Drafter: d, draft: &Draft{}}
	f.key = d.root.findKey()
	f.title = f.findTitle()
	f.price = f.findPrice()
	f.tongues = f.listen()
	f.draft.Fields, f.draft.Columns = f.declareAll(d.root, where{isRoot: true})
	if f.draft.Key == "" && d.root.seen > 0 {
		f.explainNoKey()
	}
	if f.draft.LeavesOut = d.dropped > 0; f.draft.LeavesOut {
		f.say("", "", fmt.Sprintf("more than %s fields or objects deeper than %d levels: the rest is left out", grouped(maxColumns), maxDepth))
	}
	return f.draft
}

func (f *deciding) say(field, name, reason string) {
	if field == name || name == field[strings.LastIndexByte(field, '.')+1:] {
		name = ""
	}
	f.draft.Reasons = append(f.draft.Reasons, Reason{Field: field, Name: name, Reason: reason})
}

// declareAll declares the members of objects in order.
func (f *deciding) declareAll(c *columns, at where) (Fields, []*Column) {
	fields, plan := Fields{}, []*Column{}
	names := &fieldNames{taken: make(map[string]bool)}
	for _, one := range c.ordered { // valid names are kept unchanged
		if isFieldName(one.name) {
			names.taken[one.name] = true
		}
	}
	lat, lon := f.findHalves(c)
	for position, one := range c.ordered {
		field := one.name
		if !isFieldName(field) {
			field = names.name(withoutUnit(one.name), position)
		}
		switch one {
		case lat:
			field = names.name(pointName(lat.name), position)
			fields = append(fields, Named{field, &Field{Type: definition.GeoPoint, Role: "geo"}})
			plan = append(plan, &Column{Name: lat.name, Field: field, Form: AsLatitude}, &Column{Name: lon.name, Field: field, Form: AsLongitude})
			f.say(at.path+field, lat.name, fmt.Sprintf("geo_point: latitude in %s, longitude in %s", lat.name, lon.name))
			continue
		case lon:
			continue
		}
		declared, column, reason := f.declare(one, field, at)
		column.Name, column.Field = one.name, field
		plan = append(plan, column)
		f.say(at.path+field, one.name, reason)
		if declared != nil {
			fields = append(fields, Named{field, declared})
		}
		if one == f.key {
			f.draft.Key = field
		}
		if one == f.title {
			f.draft.Title = field
		}
	}
	return fields, plan
}

// declare decides how to declare one member. A member without any value is not
// declared.
func (f *deciding) declare(c *column, field string, at where) (*Field, *Column, string) {
	column := &Column{IsList: c.isList()}
	column.Decimal, _ = c.text.marks.Decimal()
	column.DayFirst, _ = c.text.order.Decide()
	column.MaySplit = c.maySplit()
	if c.broken > 0 {
		column.Form = Drop
		return nil, column, fmt.Sprintf("left out: %s values are lists of lists", grouped(c.broken))
	}
	if c.values == 0 && f.expectsMore {
		column.Form = AsText
		return &Field{Type: definition.String, Matching: prose(), Multiple: column.IsList}, column,
			fmt.Sprintf("string, text: no value in the first %s documents", grouped(f.Documents()))
	}
	if c.values == 0 {
		column.Form = Drop
		return nil, column, "left out: no document has a value"
	}
	var (
		declared *Field
		why      []string
	)
	kind := f.kind(c)
	// In a text field, texts that hold a JSON object stay text.
	column.Unpacks = c.text.unpacked > 0 && (c.isList() || kind == kindObject || kind == kindVector || kind == kindPoint)
	switch kind {
	case kindObject:
		declared, why = f.declareObject(c, column, field, at)
	case kindVector:
		declared, why = c.declareVector(column)
	case kindPoint:
		declared, why = &Field{Type: definition.GeoPoint, Role: "geo"}, []string{"geo_point"}
		if c.strictPoint < c.values {
			column.Form = AsPoint
			why = append(why, "latitude and longitude in other forms are rewritten")
		}
	case kindBoolean:
		declared, why = &Field{Type: definition.Boolean, Filter: used(), Facet: used()}, []string{"boolean"}
		column.Form = formFor(c.booleans < c.values, AsBoolean)
	case kindNumber:
		declared, why = f.declareNumber(c, column)
	case kindTimestamp:
		declared, why = f.declareTimestamp(c, column)
	default:
		declared, why = f.declareText(c, column, at)
	}
	if column.Form == Keep && c.text.missing > 0 {
		column.Form = kind.form() // which leaves out strings that stand for no value
	}
	switch {
	case declared.Type != definition.Object:
		declared.Multiple = column.IsList && declared.Type != definition.Vector
		if declared.Multiple || at.inList {
			unsort(declared)
		}
	case len(declared.Fields) == 0:
		column.Form = Drop
		return nil, column, "left out: the objects are empty"
	}
	return declared, column, strings.Join(append(why, c.shares(f.options.Convert)...), ", ")
}

// kind returns the kind of a column. A key is a name, even if its values read as dates
// or truth values.
func (f *deciding) kind(c *column) kind {
	switch {
	case c != f.key:
		return c.kind(f.options.Convert)
	case c.wholes == c.values:
		return kindNumber
	}
	return kindText
}

// form returns the form that converts strings to values of a kind.
func (k kind) form() Form {
	switch k {
	case kindNumber:
		return AsNumber
	case kindBoolean:
		return AsBoolean
	case kindTimestamp:
		return AsTimestamp
	case kindPoint:
		return AsPoint
	}
	return Keep
}

func formFor(changes bool, form Form) Form {
	if changes {
		return form
	}
	return Keep
}

// unsort removes sorting from a field in a list. Roles that include sorting are
// replaced by explicit usages.
func unsort(d *Field) {
	d.Sort = nil
	switch {
	case d.Role == "title":
		d.Role, d.Matching = "", prose()
	case d.Role == "timestamp":
		d.Role, d.Filter, d.Facet = "", used(), used()
	}
}

// isList reports whether the field has several values.
func (c *column) isList() bool { return c.lists > 0 }

// kind is the kind of a member's values.
type kind int

const (
	kindText kind = iota
	kindNumber
	kindBoolean
	kindTimestamp
	kindPoint
	kindVector
	kindObject
)

// mostOf reports whether enough values can be read as a kind: the few others
// are mistakes, which are refused one by one. If there are few values, all must
// be readable.
func mostOf(n, of int) bool { return of > 0 && (n == of || of >= 100 && n*100 >= of*98) }

const (
	leastDimensions = 16
	mostDimensions  = 4096
)

// kind returns the kind of the values, or the kind they can be read as if
// strings are converted.
func (c *column) kind(converts bool) kind {
	t := &c.text
	numbers, booleans, points, times := c.wholes+c.fractions, c.booleans, c.strictPoint, t.offsets
	if converts {
		numbers, points = numbers+t.numbers, c.points
		if !isNamed(c.name, codeNames) || hasWord(c.name, timeNames) { // version 10.4.12 is not a day in 2012
			times = t.dates
		}
		if t.yes > 0 && t.no > 0 && !isNamed(c.name, regionNames) || hasWord(c.name, flagNames) {
			booleans += t.yes + t.no
		}
		if hasWord(c.name, flagNames) {
			booleans += t.bits
		}
	}
	switch {
	case c.lists > 0 && c.width >= leastDimensions && c.width <= mostDimensions && c.wholes+c.fractions == c.values && c.lists+c.missing >= c.held && c.fractions > 0:
		return kindVector
	case mostOf(points, c.values), converts && mostOf(t.points, c.values):
		return kindPoint
	case c.objects > 0 && c.objects*2 >= c.values:
		return kindObject
	case mostOf(booleans, c.values):
		return kindBoolean
	case mostOf(times, c.values), converts && c.isEpoch():
		return kindTimestamp
	case mostOf(numbers, c.values) && c.large+c.text.large == 0 && !c.isCode() && c.hasOneUnit():
		return kindNumber
	}
	return kindText
}

// isEpoch reports whether whole numbers are times since 1970, which their name
// must confirm.
func (c *column) isEpoch() bool {
	return c.values > 0 && c.epochs+c.text.epochs == c.values && hasWord(c.name, timeNames)
}

// isCode reports whether digits are a code: they have a leading zero, or the
// name says so. A JSON number is a number whatever its name.
func (c *column) isCode() bool {
	return c.text.zeros > 0 || c.text.numbers > 0 && isNamed(c.name, codeNames)
}

// hasOneUnit reports whether the numbers in the strings have a single known
// unit, or none: 12 Monkeys is not a number of monkeys.
func (c *column) hasOneUnit() bool {
	count := 0
	for unit := range c.text.units {
		if unit == "" {
			continue
		}
		count++
		if unitBeside(unit) == "" {
			return false
		}
	}
	return count <= 1
}

// shares describes how many documents have no value.
func (c *column) shares(converts bool) []string {
	var all []string
	if lacking := c.of() - c.held; lacking > 0 {
		all = append(all, fmt.Sprintf("%s of %s empty", grouped(lacking), grouped(c.of())))
	}
	if c.texts > 0 && c.wholes+c.fractions+c.booleans > 0 && !converts {
		all = append(all, fmt.Sprintf("%s values are text and %s are not: make them one, or the rest is refused",
			grouped(c.texts), grouped(c.wholes+c.fractions+c.booleans)))
	}
	return all
}

// grouped formats a count with thousands separators.
func grouped(n int) string {
	digits := fmt.Sprint(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

func (f *deciding) declareObject(c *column, column *Column, field string, at where) (*Field, []string) {
	declared := &Field{Type: definition.Object}
	column.Form = AsObject
	why := []string{"object"}
	if c.isList() {
		declared.Multiple, declared.Mode = true, definition.Nested
		why = []string{"nested list of objects"}
		if at.inList { // a nested list cannot contain another
			declared.Mode = definition.Flattened
			why = []string{"list of objects, flattened since it is inside another list"}
		}
	}
	declared.Fields, column.Inside = f.declareAll(c.inside, where{path: at.path + field + ".", inList: at.inList || c.isList()})
	return declared, why
}

func (c *column) declareVector(column *Column) (*Field, []string) {
	column.IsList = false
	return &Field{Type: definition.Vector, Dimensions: c.width}, []string{fmt.Sprintf("vector: lists of %d numbers each", c.width)}
}

// findHalves returns the columns with the latitude and the longitude of one
// point.
func (f *deciding) findHalves(c *columns) (lat, lon *column) {
	if !f.options.Convert {
		return nil, nil
	}
	for _, one := range c.ordered {
		all := words(one.name)
		if len(all) == 0 || one.isList() {
			continue
		}
		isNumber := one.values > 0 && mostOf(one.wholes+one.fractions+one.text.numbers, one.values) && one.fractions+one.text.numbers-one.text.wholeNumbers > 0
		switch last := all[len(all)-1]; {
		case !isNumber:
		case lat == nil && slices.Contains([]string{"lat", "latitude", "breitengrad"}, last):
			lat = one
		case lon == nil && slices.Contains([]string{"lon", "lng", "long", "longitude", "längengrad"}, last):
			lon = one
		}
	}
	if lat == nil || lon == nil || !slices.Equal(words(lat.name)[:len(words(lat.name))-1], words(lon.name)[:len(words(lon.name))-1]) {
		return nil, nil
	}
	return lat, lon
}

// pointName returns the name of the point for a latitude: "store_lat" gives
// "store_location".
func pointName(lat string) string {
	all := words(lat)
	if len(all) > 1 {
		return strings.Join(all[:len(all)-1], "_") + "_location"
	}
	return "location"
}
