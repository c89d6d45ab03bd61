package columns

import (
	"math"
	"weak"
)

// Absent is the result of PlacesIn for a value that the other column does not have.
const Absent = math.MaxUint32

// places maps the ordinals of a column to those of another one.
type places struct {
	in weak.Pointer[Ordinals]
	at []uint32
}

// PlacesIn returns, by ordinal, the ordinal of the same value in another column, or
// Absent. The result must not be changed. The column caches it for the other column
// used last: values of small segments are looked up in the largest one again and
// again.
func (c *Ordinals) PlacesIn(other *Ordinals) []uint32 {
	in := weak.Make(other)
	if kept := c.places.Load(); kept != nil && kept.in == in {
		return kept.at
	}
	at := make([]uint32, c.Len())
	from := 0 // values before it are below all that follow
	for i := range at {
		value := c.list.At(i)
		place, found := other.list.SearchFrom(value, from)
		if at[i] = Absent; found {
			at[i] = uint32(place)
		}
		from = place
	}
	c.places.Store(&places{in, at})
	return at
}
