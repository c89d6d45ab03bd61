package score

import "math"

// Shape is a function from the value of a signal field to a number from 0 to 1.
type Shape int

// The shapes of ranking signals (section 10).
const (
	Saturation Shape = iota
	Decay
	Linear
)

// Signal is one ranking signal. Parameter is the pivot, the half-life in seconds or
// the ceiling.
type Signal struct {
	Shape     Shape
	Parameter float64
	Weight    float64
}

// Factor returns the factor by which a value multiplies a document's score. Decay
// takes the value, like nowMillis, as milliseconds since 1970.
func (s Signal) Factor(value float64, nowMillis float64) float64 {
	return 1 + s.Weight*s.shape(value, nowMillis)
}

// MaxFactor returns the highest factor any value can give.
func (s Signal) MaxFactor() float64 { return 1 + s.Weight }

func (s Signal) shape(v, nowMillis float64) float64 {
	switch s.Shape {
	case Saturation:
		if v <= 0 {
			return 0
		}
		return v / (v + s.Parameter)
	case Decay:
		if v >= nowMillis {
			return 1
		}
		return math.Exp2(-(nowMillis - v) / 1000 / s.Parameter)
	case Linear:
		return min(max(v/s.Parameter, 0), 1)
	}
	return 0
}
