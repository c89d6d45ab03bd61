package load

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/draft"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/internal/written"
)

// Converter converts rows to documents according to the columns of a draft.
type Converter struct {
	// LeavesOut drops members without a column instead of refusing them.
	LeavesOut bool

	root     *object
	key      string // name of the field added to rows without a key; empty if rows have one
	prefix   string // of generated keys
	isPlain  bool
	out      []byte
	scratch  []byte
	refusals []Refusal
}

// Refusal is the reason why a row was not added.
type Refusal struct {
	Row    int    `json:"row"`
	Column string `json:"column,omitempty"`
	Value  string `json:"value,omitempty"`
	Reason string `json:"reason"`
	Remedy string `json:"remedy,omitempty"`

	Document jsontext.Value `json:"document,omitempty"` // the row, if it could be read
}

// object holds the columns of one object and the geo points formed from two of
// them.
type object struct {
	named  map[string]*draft.Column
	inside map[*draft.Column]*object
	points map[string]*geoPoint
	order  []*geoPoint
}

// geoPoint is formed from the latitude and longitude in two members.
type geoPoint struct {
	field    string
	lat, lon string
}

// NewConverter returns a converter. If key is not empty, every row gets a field
// of that name: the prefix and the row number.
func NewConverter(columns []*draft.Column, isPlain bool, key, prefix string) *Converter {
	return &Converter{root: newObject(columns), isPlain: isPlain && key == "", key: key, prefix: prefix}
}

func newObject(columns []*draft.Column) *object {
	o := &object{named: make(map[string]*draft.Column), inside: make(map[*draft.Column]*object), points: make(map[string]*geoPoint)}
	for _, c := range columns {
		o.named[c.Name] = c
		switch c.Form {
		case draft.AsObject:
			o.inside[c] = newObject(c.Inside)
		case draft.AsLatitude, draft.AsLongitude:
			if o.points[c.Field] == nil {
				o.points[c.Field] = &geoPoint{field: c.Field}
				o.order = append(o.order, o.points[c.Field])
			}
		}
	}
	return o
}

// Convert returns the document of a row, or the reasons why there is none. The
// document is valid until the next call.
func (c *Converter) Convert(row Row) ([]byte, []Refusal) {
	if c.isPlain {
		return row.Document, nil
	}
	c.refusals = c.refusals[:0]
	c.out = append(c.out[:0], '{')
	if c.key != "" {
		c.out = append(appendText(c.out, c.key), ':', '"')
		c.out = append(strconv.AppendInt(append(c.out, c.prefix...), int64(row.Number), 10), '"')
	}
	c.members(row.Document, c.root, "")
	c.out = append(c.out, '}')
	for i := range c.refusals {
		c.refusals[i].Row = row.Number
	}
	return c.out, c.refusals
}

func (c *Converter) refuse(column, value, reason, remedy string) {
	c.refusals = append(c.refusals, Refusal{Column: column, Value: shorten(value), Reason: reason, Remedy: remedy})
}

// members appends the members of an object that become fields.
func (c *Converter) members(raw []byte, o *object, path string) {
	for _, p := range o.order {
		p.lat, p.lon = "", ""
	}
	for members := jsonread.Members(raw); members.Next(); {
		column := o.named[string(members.Name(&c.scratch))]
		value := members.Value()
		if column == nil && c.LeavesOut {
			continue
		}
		if column == nil {
			name := path + jsonread.String(members.RawName())
			c.refuse(name, string(value), "the index has no field for this column", "Declare the field, or leave the column out.")
			continue
		}
		if column.Form == draft.Drop || jsonread.KindOf(value) == jsonread.NullKind {
			continue
		}
		if p := o.points[column.Field]; p != nil && (column.Form == draft.AsLatitude || column.Form == draft.AsLongitude) {
			c.half(p, column, value, path)
			continue
		}
		before := len(c.out)
		c.begin(column.Field)
		start := len(c.out)
		c.value(value, column, o, path)
		if len(c.out) == start { // the value stands for nothing
			c.out = c.out[:before]
		}
	}
	for _, p := range o.order {
		c.endPoint(p, path)
	}
}

// begin appends the name of a member.
func (c *Converter) begin(field string) {
	if last := c.out[len(c.out)-1]; last != '{' {
		c.out = append(c.out, ',')
	}
	c.out = append(appendText(c.out, field), ':')
}

// value appends a value of a field, or nothing if the value counts as missing.
func (c *Converter) value(raw []byte, column *draft.Column, o *object, path string) {
	kind := jsonread.KindOf(raw)
	unpacks := kind == jsonread.TextKind && column.Unpacks
	if column.Form == draft.Keep && column.Separator == "" && !unpacks && (kind == jsonread.ListKind || !column.IsList) {
		c.out = append(c.out, raw...)
		return
	}
	if kind == jsonread.TextKind && (unpacks || column.Separator != "" || column.IsList || column.Form == draft.AsObject) {
		text := jsonread.String(raw)
		if inner, ok := draft.Unpack(text); ok {
			c.value(inner, column, o, path)
			return
		}
		if column.Separator != "" {
			c.list(strings.Split(text, column.Separator), column, path)
			return
		}
	}
	if column.Form == draft.AsPoint && kind == jsonread.ListKind {
		if lon, lat, ok := draft.Pair(raw); ok { // the order of GeoJSON
			c.out = appendPoint(c.out, string(lat), string(lon))
			return
		}
	}
	switch {
	case kind == jsonread.ListKind:
		c.items(raw, column, o, path)
	case column.IsList:
		start := len(c.out)
		c.out = append(c.out, '[')
		c.single(raw, kind, column, o, path)
		if len(c.out) == start+1 {
			c.out = c.out[:start]
			return
		}
		c.out = append(c.out, ']')
	default:
		c.single(raw, kind, column, o, path)
	}
}

// list appends the values of a string split at a separator.
func (c *Converter) list(parts []string, column *draft.Column, path string) {
	c.out = append(c.out, '[')
	start := len(c.out)
	for _, part := range parts {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		before := len(c.out)
		if before > start {
			c.out = append(c.out, ',')
		}
		mark := len(c.out)
		if column.Form == draft.Keep || column.Form == draft.AsText {
			c.out = appendText(c.out, part)
		} else {
			c.text(part, column, path)
		}
		if len(c.out) == mark {
			c.out = c.out[:before]
		}
	}
	c.out = append(c.out, ']')
}

// items appends the converted values of a list.
func (c *Converter) items(raw []byte, column *draft.Column, o *object, path string) {
	c.out = append(c.out, '[')
	start := len(c.out)
	for items := jsonread.Items(raw); items.Next(); {
		value := items.Value()
		kind := jsonread.KindOf(value)
		if kind == jsonread.NullKind {
			continue
		}
		before := len(c.out)
		if before > start {
			c.out = append(c.out, ',')
		}
		mark := len(c.out)
		if column.Form == draft.Keep {
			c.out = append(c.out, value...)
		} else {
			c.single(value, kind, column, o, path)
		}
		if len(c.out) == mark {
			c.out = c.out[:before]
		}
	}
	c.out = append(c.out, ']')
}

// single appends one value in the form of its column.
func (c *Converter) single(raw []byte, kind jsonread.Kind, column *draft.Column, o *object, path string) {
	switch {
	case column.Form == draft.AsObject && kind == jsonread.ObjectKind:
		c.out = append(c.out, '{')
		c.members(raw, o.inside[column], path+column.Name+".")
		c.out = append(c.out, '}')
	case column.Form == draft.AsPoint && kind == jsonread.ObjectKind:
		lat, lon, ok := draft.Point(raw)
		if !ok {
			c.refuse(path+column.Name, string(raw), "it is not a latitude and a longitude", "Write {\"lat\": 52.5, \"lon\": 13.4}.")
			return
		}
		c.out = appendPoint(c.out, string(lat), string(lon))
	case kind == jsonread.TextKind && column.Form != draft.Keep && column.Form != draft.AsText:
		c.text(jsonread.String(raw), column, path)
	case column.Form == draft.AsText && (kind == jsonread.NumberKind || kind == jsonread.BoolKind):
		c.out = appendText(c.out, string(raw))
	case column.Form == draft.AsTimestamp && kind == jsonread.NumberKind:
		c.epoch(raw, column, path)
	case column.Form == draft.AsBoolean && kind == jsonread.NumberKind && written.IsDigit(string(raw)):
		c.out = strconv.AppendBool(c.out, raw[0] == '1')
	default:
		c.out = append(c.out, raw...)
	}
}

func (c *Converter) epoch(raw []byte, column *draft.Column, path string) {
	n, ok := jsonread.Int64(raw)
	moment, isMoment := digits(n, column.Digits)
	if !ok || !isMoment {
		c.refuse(path+column.Name, string(raw), "it is not a count of seconds or milliseconds since 1970", "Write a date such as 2024-12-31T10:00:00Z.")
		return
	}
	c.out = appendText(c.out, written.Timestamp(moment))
}

// digits reads a date written as digits alone. It reports false if that is not possible.
func digits(n int64, as draft.Digits) (time.Time, bool) {
	if as.Years && n >= 1000 && n <= 9999 {
		return time.Date(int(n), 1, 1, 0, 0, 0, 0, time.UTC), true
	}
	if as.Days && n >= 1000_00_00 && n <= 9999_99_99 {
		moment, err := time.Parse("20060102", strconv.FormatInt(n, 10))
		return moment, err == nil
	}
	switch as.Unit {
	case time.Millisecond:
		return inCalendar(time.UnixMilli(n))
	case time.Second:
		return inCalendar(time.Unix(n, 0))
	}
	return written.Epoch(n)
}

// inCalendar returns a time in UTC and reports whether its year is from 0 to 9999.
func inCalendar(moment time.Time) (time.Time, bool) {
	moment = moment.UTC()
	return moment, moment.Year() >= 0 && moment.Year() <= 9999
}

func appendPoint(out []byte, lat, lon string) []byte {
	return fmt.Appendf(out, `{"lat":%s,"lon":%s}`, lat, lon)
}

// text appends the value that a string stands for.
func (c *Converter) text(value string, column *draft.Column, path string) {
	if written.IsMissing(value) {
		return
	}
	name := path + column.Name
	switch column.Form {
	case draft.AsNumber:
		decimal := column.Decimal
		if decimal == 0 {
			decimal = '.'
		}
		literal, unit, ok := written.Number(value, decimal)
		if !ok {
			c.refuse(name, value, "it is not a number", "Correct the value, or declare the field as a string.")
			return
		}
		if other := draft.OtherUnit(unit, column.Unit); other != "" {
			c.refuse(name, value, fmt.Sprintf("it is in %s, and the field in %s", other, column.Unit), "Convert the value.")
			return
		}
		c.out = append(c.out, literal...)
	case draft.AsBoolean:
		is, ok := written.Boolean(value)
		if !ok {
			c.refuse(name, value, "it is neither yes nor no", "Write true or false, or declare the field as a string.")
			return
		}
		c.out = strconv.AppendBool(c.out, is)
	case draft.AsTimestamp:
		c.date(name, value, column)
	case draft.AsPoint:
		lat, lon, ok := written.Point(value)
		if !ok {
			c.refuse(name, value, "it is not a latitude and a longitude", "Write 52.52, 13.405.")
			return
		}
		c.out = appendPoint(c.out, lat, lon)
	case draft.AsObject:
		c.refuse(name, value, "it is not an object", "Write a JSON object.")
	default:
		c.out = appendText(c.out, value)
	}
}

func (c *Converter) date(name, value string, column *draft.Column) {
	if moment, ok := written.Date(value, column.DayFirst); ok {
		c.out = appendText(c.out, written.Timestamp(moment.Time))
		return
	}
	if n, err := strconv.ParseInt(value, 10, 64); err == nil {
		if moment, ok := digits(n, column.Digits); ok {
			c.out = appendText(c.out, written.Timestamp(moment))
			return
		}
	}
	c.refuse(name, value, "it is not a date", "Write a date such as 2024-12-31 or 2024-12-31T10:00:00Z, or declare the field as a string.")
}

// half records the latitude or longitude of a point.
func (c *Converter) half(p *geoPoint, column *draft.Column, raw []byte, path string) {
	text, bound := string(raw), 90.0
	if jsonread.KindOf(raw) == jsonread.TextKind {
		text = jsonread.String(raw)
	}
	if column.Form == draft.AsLongitude {
		bound = 180
	}
	if written.IsMissing(text) {
		return
	}
	degrees, ok := written.Degrees(text, bound)
	if !ok {
		c.refuse(path+column.Name, text, fmt.Sprintf("it is not a number of degrees between -%.0f and %.0f", bound, bound), "Correct the value.")
		return
	}
	if column.Form == draft.AsLatitude {
		p.lat = degrees
	} else {
		p.lon = degrees
	}
}

func (c *Converter) endPoint(p *geoPoint, path string) {
	switch {
	case p.lat == "" && p.lon == "":
	case p.lat == "" || p.lon == "":
		c.refuse(path+p.field, "", "a place needs a latitude and a longitude", "Give both, or neither.")
	default:
		c.begin(p.field)
		c.out = appendPoint(c.out, p.lat, p.lon)
	}
}
