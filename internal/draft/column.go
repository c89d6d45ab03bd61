package draft

import (
	"hash/maphash"
	"strings"

	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/internal/written"
)

// columns collects the members of documents, or of the objects in one member.
type columns struct {
	drafter *Drafter
	depth   int
	seen    int // objects seen
	sampled int // of these, the ones in the sample; 0 while sampling
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
			c.drafter.unfilled++
			if isLate {
				c.drafter.late++
			}
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

// addLate looks for new members in the objects of a known column.
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

// freeze records how many objects were in the sample. A column without a value so far
// counts as late.
func (c *columns) freeze() {
	c.sampled = c.seen
	for _, one := range c.ordered {
		if one.values == 0 {
			one.isLate = true
			c.drafter.late++
		}
		if one.inside != nil {
			one.inside.freeze()
		}
	}
}

// of returns the number of objects that were searched for the column.
func (c *column) of() int {
	if c.columns.sampled > 0 && !c.isLate {
		return c.columns.sampled
	}
	return c.columns.seen
}

// column collects the values of one member of objects.
type column struct {
	name    string
	columns *columns // the group it belongs to

	isLate  bool // the sample has no value
	held    int  // objects with a value
	values  int  // including each element of a list; missing values do not count
	missing int  // null, or a string that means nothing

	texts, wholes, fractions, booleans, objects int

	lists, listed int // lists, and values in them
	width         int // of all lists so far; -1 if they differ
	broken        int // values that no field accepts, such as lists of lists

	points      int // objects with a latitude and a longitude
	strictPoint int // of these, the ones in the format of the API
	large       int // numbers beyond 64 bits
	epochs      int
	inside      *columns

	text     textCounts
	distinct map[uint64]struct{}
	isFull   bool // distinct is incomplete
	sample   []string
	sampled  int // bytes
}

var seed = maphash.MakeSeed()

// addMember examines the value of one document.
func (c *column) addMember(raw []byte) {
	before := c.values
	c.add(raw, false)
	if c.values == before {
		return
	}
	c.held++
	if before == 0 {
		c.columns.drafter.unfilled--
	}
}

// add examines one value, or each value of a list.
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
	} else if written.LooksEpoch(n) {
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

// addText examines a string. If strings are converted, one that contains a JSON
// list or object is examined as such.
func (c *column) addText(value string, inList bool) {
	converts := c.columns.drafter.options.Convert
	if converts && written.IsMissing(value) || value == "" {
		c.missing++
		c.text.missing++
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

// Unpack returns the JSON list or object in a string and reports whether there
// is one.
func Unpack(value string) ([]byte, bool) {
	value = strings.TrimSpace(value)
	if len(value) < 2 || !(value[0] == '[' && value[len(value)-1] == ']' || value[0] == '{' && value[len(value)-1] == '}') {
		return nil, false
	}
	checked, err := jsonread.Check([]byte(value))
	return checked, err == nil
}
