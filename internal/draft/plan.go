package draft

// Form is how the values of a member become values of its field.
type Form int

// The forms.
const (
	Keep        Form = iota // as they are
	AsText                  // numbers and truth values become text
	AsNumber                // texts become numbers
	AsBoolean               // texts become true or false
	AsTimestamp             // dates, and counts since 1970, become timestamps
	AsPoint                 // texts and objects become latitude and longitude
	AsLatitude              // half of a point, whose longitude is another member
	AsLongitude
	AsObject // by the columns inside
	Drop     // nothing
)

// Column is how one member of a document becomes a field. It is data; package
// load does the work.
type Column struct {
	Name      string
	Field     string
	Form      Form
	Decimal   byte   // of texts that are numbers
	DayFirst  bool   // of texts that are dates
	Separator string // cuts a text into values; empty when a text is one
	IsList    bool
	Inside    []*Column
}

// isPlain reports whether a document needs no change for the column.
func (c *Column) isPlain() bool {
	if c.Form != Keep && c.Form != AsObject || c.Name != c.Field || c.Separator != "" {
		return false
	}
	for _, inner := range c.Inside {
		if !inner.isPlain() {
			return false
		}
	}
	return true
}

// IsPlain reports whether documents fit the definition as they are.
func (d *Draft) IsPlain() bool {
	for _, c := range d.Columns {
		if !c.isPlain() {
			return false
		}
	}
	return true
}
