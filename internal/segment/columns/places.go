package columns

import (
	"math"
	"weak"
)

// Absent is the place of a value in a column that does not have it.
const Absent = math.MaxUint32

// places are where the values of a column stand in another one.
type places struct {
	in weak.Pointer[Ordinals]
	at []uint32
}

// PlacesIn returns, by ordinal, the ordinal of the same value in another column,
// or Absent; not to be changed. The column keeps them for the one that was asked
// about last: values of small segments are looked up in the largest one again and
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
