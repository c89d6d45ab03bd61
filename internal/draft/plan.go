package draft

import "time"

// Form says how the values of a member become values of its field.
type Form int

// Values of Form.
const (
	Keep        Form = iota // unchanged
	AsText                  // numbers and truth values become strings
	AsNumber                // strings become numbers
	AsBoolean               // strings become true or false
	AsTimestamp             // dates and epoch times become timestamps
	AsPoint                 // strings and objects become latitude and longitude
	AsLatitude              // half of a point whose longitude is another member
	AsLongitude
	AsObject // converted by the columns inside
	Drop     // left out
)

// Column says how one member of a document becomes a field. It is only data;
// package load does the conversion.
type Column struct {
	Name      string
	Field     string
	Form      Form
	Decimal   byte   // of strings that are numbers
	Unit      string // of strings that are numbers; empty if any is taken
	DayFirst  bool   // of strings that are dates
	Digits    Digits // of dates written as digits alone
	Separator string // splits a string into values; empty if a string is a single value
	MaySplit  string // the separator if the field has several values although too few strings show it
	IsList    bool
	Unpacks   bool // parse texts that hold a JSON list or object
	Inside    []*Column
}

// Digits says how dates written as digits alone are read. The zero value reads a count
// since 1970 and tells seconds from milliseconds by the size of the number.
type Digits struct {
	Unit  time.Duration // of a count since 1970; zero decides by size
	Years bool          // four digits are a year
	Days  bool          // eight digits are a year, a month and a day
}

// isPlain reports whether documents need no conversion for the column.
func (c *Column) isPlain() bool {
	if c.Form != Keep && c.Form != AsObject || c.Name != c.Field || c.Separator != "" || c.Unpacks {
		return false
	}
	for _, inner := range c.Inside {
		if !inner.isPlain() {
			return false
		}
	}
	return true
}

// IsPlain reports whether documents fit the definition without conversion.
func (d *Draft) IsPlain() bool {
	if d.LeavesOut {
		return false
	}
	for _, c := range d.Columns {
		if !c.isPlain() {
			return false
		}
	}
	return true
}
