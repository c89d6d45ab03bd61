package draft

import (
	"hash/maphash"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/internal/written"
)

// columns is what was seen of documents, or of the objects of one member.
type columns struct {
	drafter *Drafter
	depth   int
	seen    int // objects
	sampled int // of these, in the sample; 0 while it is taken
	named   map[string]*column
	ordered []*column
}

func (d *Drafter) newColumns(depth int) *columns {
	return &columns{drafter: d, depth: depth, named: make(map[string]*column)}
}

func (c *columns) add(object []byte) {
	c.seen++
	isLate := c.drafter.isLate
	for members := jsonread.Members(object); members.Next(); {
		name := text(members.RawName())
		one := c.named[name]
		if one == nil {
			if c.drafter.count >= maxColumns || c.depth >= maxDepth {
				c.drafter.dropped++
				continue
			}
			c.drafter.count++
			one = &column{name: name, columns: c, distinct: make(map[uint64]struct{}), isLate: isLate}
			c.named[name] = one
			c.ordered = append(c.ordered, one)
		}
		if isLate && !one.isLate {
			one.addLate(members.Value())
			continue
		}
		one.addMember(members.Value())
	}
}

// addLate looks for new members in the objects of a column that is known.
func (c *column) addLate(raw []byte) {
	if c.inside == nil {
		return
	}
	switch jsonread.KindOf(raw) {
	case jsonread.ObjectKind:
		c.inside.add(raw)
	case jsonread.ListKind:
		for items := jsonread.Items(raw); items.Next(); {
			if jsonread.KindOf(items.Value()) == jsonread.ObjectKind {
				c.inside.add(items.Value())
			}
		}
	}
}

// freeze remembers how many objects the sample had.
func (c *columns) freeze() {
	c.sampled = c.seen
	for _, one := range c.ordered {
		if one.inside != nil {
			one.inside.freeze()
		}
	}
}

// of returns how many objects a column was looked for in.
func (c *column) of() int {
	if c.columns.sampled > 0 && !c.isLate {
		return c.columns.sampled
	}
	return c.columns.seen
}

// column is what was seen of one member of objects.
type column struct {
	name    string
	columns *columns // that it is one of

	isLate  bool // first seen behind the sample
	held    int  // objects that have a value
	values  int  // with each of a list; what stands for nothing is not one
	missing int  // null, or a text for nothing

	texts, wholes, fractions, booleans, objects int

	lists, listed int // lists, and values in them
	width         int // of all lists so far; -1 when they differ
	broken        int // values that no field takes, such as lists of lists

	points      int // objects that are a latitude and a longitude
	strictPoint int // of these, as the interface writes them
	large       int // numbers beyond 64 bits
	epochs      int
	inside      *columns

	text     textCounts
	distinct map[uint64]struct{}
	isFull   bool // distinct holds not all
	sample   []string
	sampled  int // bytes
}

// textCounts is what the texts of a column are.
type textCounts struct {
	bytes, longest, words, spaced, capitals, digits int

	numbers, wholeNumbers, zeros     int // zeros: digits that begin with one, as codes do
	yes, no, bits                    int
	dates, offsets, places, urls     int
	unpacked                         int // texts that hold a JSON list or object
	epochs                           int
	units                            map[string]int
	marks                            written.Marks
	order                            written.DayFirst
	semicolons, bars, commas, levels separated
	arrows                           separated
}

// separated counts texts that a separator cuts.
type separated struct {
	texts, parts, short int
	distinct            map[uint64]struct{}
	first               map[uint64]struct{} // of the first parts
}

var seed = maphash.MakeSeed()

// addMember looks at the value of one document.
func (c *column) addMember(raw []byte) {
	before := c.values
	c.add(raw, false)
	if c.values > before {
		c.held++
	}
}

// add looks at one value, or at each of a list.
func (c *column) add(raw []byte, inList bool) {
	switch jsonread.KindOf(raw) {
	case jsonread.NullKind:
		c.missing++
	case jsonread.ListKind:
		if inList {
			c.broken++
			return
		}
		c.addList(raw)
	case jsonread.ObjectKind:
		c.values++
		c.addObject(raw)
	case jsonread.TextKind:
		c.addText(text(raw), inList)
	case jsonread.NumberKind:
		c.values++
		c.addNumber(string(raw))
	default:
		c.values++
		c.booleans++
	}
}

func (c *column) addList(raw []byte) {
	c.lists++
	width := 0
	for items := jsonread.Items(raw); items.Next(); {
		width++
		c.listed++
		c.add(items.Value(), true)
	}
	switch {
	case c.lists == 1:
		c.width = width
	case c.width != width:
		c.width = -1
	}
}

func (c *column) addObject(raw []byte) {
	if kind := pointKind(raw); kind != notPoint {
		c.points++
		if kind == strictPoint {
			c.strictPoint++
		}
	}
	c.objects++
	if c.inside == nil {
		c.inside = c.columns.drafter.newColumns(c.columns.depth + 1)
	}
	c.inside.add(raw)
}

func (c *column) addNumber(literal string) {
	c.remember(literal)
	if strings.ContainsAny(literal, ".eE") {
		c.fractions++
		return
	}
	c.wholes++
	n, ok := jsonread.Int64([]byte(literal))
	if !ok {
		c.large++
	} else if _, ok := written.Epoch(n); ok {
		c.epochs++
	}
}

func (c *column) remember(value string) {
	if len(c.distinct) >= maxDistinct {
		c.isFull = true
		return
	}
	c.distinct[maphash.String(seed, value)] = struct{}{}
}

// addText looks at a text. Where texts are converted, one that holds a JSON list
// or object is looked at as that.
func (c *column) addText(value string, inList bool) {
	converts := c.columns.drafter.options.Convert
	if converts && written.IsMissing(value) || value == "" {
		c.missing++
		return
	}
	if converts && !inList {
		if inner, ok := Unpack(value); ok {
			c.text.unpacked++
			c.add(inner, false)
			return
		}
	}
	c.values++
	c.texts++
	c.remember(value)
	if len(c.sample) < 400 && c.sampled < maxSample {
		c.sample = append(c.sample, strings.Clone(value[:min(len(value), 300)]))
		c.sampled += min(len(value), 300)
	}
	c.text.add(value)
}

// Unpack returns the JSON list or object that a text holds.
func Unpack(value string) ([]byte, bool) {
	value = strings.TrimSpace(value)
	if len(value) < 2 || !(value[0] == '[' && value[len(value)-1] == ']' || value[0] == '{' && value[len(value)-1] == '}') {
		return nil, false
	}
	checked, err := jsonread.Check([]byte(value))
	return checked, err == nil
}

func (t *textCounts) add(value string) {
	t.bytes += len(value)
	t.longest = max(t.longest, len(value))
	fields := len(strings.Fields(value))
	t.words += fields
	if fields > 1 {
		t.spaced++
	}
	first, _ := utf8.DecodeRuneInString(value)
	if unicode.IsUpper(first) {
		t.capitals++
	}
	if strings.ContainsAny(value, "0123456789") {
		t.digits++
	}
	if len(value) <= 80 {
		t.addShort(value)
	}
	if isAddress(value) {
		t.urls++
	}
	if len(value) <= 400 {
		t.semicolons.add(value, ";")
		t.bars.add(value, "|")
		t.commas.add(value, ",")
		t.levels.add(value, "/")
		t.arrows.add(value, ">")
	}
}

// addShort counts what a short text reads as.
func (t *textCounts) addShort(value string) {
	if yes, ok := written.Boolean(value); ok {
		if written.IsDigit(value) {
			t.bits++
		} else if yes {
			t.yes++
		} else {
			t.no++
		}
	}
	pointed, unit, ok := written.Number(value, '.')
	if !ok {
		pointed, unit, ok = written.Number(value, ',')
	}
	if ok {
		t.addNumber(value, pointed, unit)
	}
	if moment, ok := written.Date(value, true); ok {
		t.dates++
		if moment.HasOffset && strings.ContainsAny(value, "Tt") && value[4] == '-' {
			t.offsets++
		}
		t.order.Add(value)
	} else if moment, ok := written.Date(value, false); ok && !moment.HasOffset {
		t.dates++
		t.order.Add(value)
	}
	if _, _, ok := written.Place(value); ok {
		t.places++
	}
}

func (t *textCounts) addNumber(value, literal, unit string) {
	t.numbers++
	t.marks.Add(value)
	if !strings.ContainsAny(literal, ".eE") {
		t.wholeNumbers++
		if n, ok := jsonread.Int64([]byte(literal)); ok && literal == value {
			if _, ok := written.Epoch(n); ok {
				t.epochs++
			}
		}
	}
	if digits := strings.TrimLeft(value, "+- "); len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' || value[0] == '+' {
		t.zeros++
	}
	if t.units == nil {
		t.units = make(map[string]int)
	}
	if _, known := t.units[unit]; known || len(t.units) < 16 {
		t.units[unit]++
	}
}

func isAddress(value string) bool {
	return strings.HasPrefix(value, "http://") || strings.HasPrefix(value, "https://") || strings.HasPrefix(value, "data:image/")
}

// shortPart is how many bytes a value of a written list has at most. Past
// maxParts different ones no more texts are cut.
const (
	shortPart = 40
	maxParts  = 2000
)

func (s *separated) add(value, separator string) {
	if !strings.Contains(value, separator) {
		return
	}
	if len(s.distinct) >= maxParts {
		return
	}
	if s.distinct == nil {
		s.distinct, s.first = make(map[uint64]struct{}), make(map[uint64]struct{})
	}
	s.texts++
	for i, part := range strings.Split(value, separator) {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		s.parts++
		if len(part) <= shortPart && len(strings.Fields(part)) <= 4 {
			s.short++
		}
		hash := maphash.String(seed, part)
		s.distinct[hash] = struct{}{}
		if i == 0 {
			s.first[hash] = struct{}{}
		}
	}
}

type pointForm int

const (
	notPoint pointForm = iota
	loosePoint
	strictPoint
)

// pointKind reports whether an object is a place: {lat,lon} as the interface
// writes it, or with other names, or a point of GeoJSON.
func pointKind(raw []byte) pointForm {
	_, _, form := readPoint(raw)
	return form
}

// Point returns latitude and longitude of an object that is a place.
func Point(raw []byte) (lat, lon []byte, ok bool) {
	lat, lon, form := readPoint(raw)
	return lat, lon, form != notPoint
}

func readPoint(raw []byte) (lat, lon []byte, form pointForm) {
	count, isGeoJSON, hasCoordinates, isStrict := 0, false, false, true
	for members := jsonread.Members(raw); members.Next(); {
		count++
		name, value := text(members.RawName()), members.Value()
		isNumber := jsonread.KindOf(value) == jsonread.NumberKind
		switch strings.ToLower(name) {
		case "lat", "latitude":
			if isNumber {
				lat, isStrict = value, isStrict && name == "lat"
			}
		case "lon", "lng", "long", "longitude":
			if isNumber {
				lon, isStrict = value, isStrict && name == "lon"
			}
		case "type":
			isGeoJSON = jsonread.KindOf(value) == jsonread.TextKind && text(value) == "Point"
		case "coordinates":
			lon, lat = pair(value)
			hasCoordinates, isStrict = true, false
		}
	}
	switch {
	case count != 2 || lat == nil || lon == nil || hasCoordinates != isGeoJSON:
		return nil, nil, notPoint
	case isStrict:
		return lat, lon, strictPoint
	}
	return lat, lon, loosePoint
}

// pair returns the two numbers of a list.
func pair(raw []byte) (first, second []byte) {
	if jsonread.KindOf(raw) != jsonread.ListKind {
		return nil, nil
	}
	position := 0
	for items := jsonread.Items(raw); items.Next(); position++ {
		if jsonread.KindOf(items.Value()) != jsonread.NumberKind {
			return nil, nil
		}
		switch position {
		case 0:
			first = items.Value()
		case 1:
			second = items.Value()
		}
	}
	return first, second
}

// Pair returns the two numbers of a list that holds nothing else.
func Pair(raw []byte) (first, second []byte, ok bool) {
	first, second = pair(raw)
	return first, second, first != nil && second != nil
}
