package definition

import (
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/jsonread"
)

// Bound is a number given as a bound. It keeps 64-bit whole numbers exactly.
type Bound struct {
	text    string // canonical JSON
	whole   int64
	isWhole bool
	float   float64
	isFloat bool
}

func boundOf(raw []byte) *Bound {
	b := &Bound{}
	b.whole, b.isWhole = jsonread.Int64(raw)
	b.float, b.isFloat = jsonread.Float64(raw)
	switch {
	case b.isWhole:
		b.text = strconv.FormatInt(b.whole, 10)
	case b.isFloat:
		b.text = string(jsontext.AppendFloat(nil, b.float, 64))
	default:
		b.text = string(raw)
	}
	return b
}

// Int64 returns the bound as a value of a whole-number field.
func (b *Bound) Int64() int64 { return b.whole }

// Float64 returns the bound as a value of any number field.
func (b *Bound) Float64() float64 { return b.float }

// fits reports whether the bound is a value of the type.
func (b *Bound) fits(t Type) bool {
	switch t {
	case Int32:
		return b.isWhole && int64(int32(b.whole)) == b.whole
	case Int64:
		return b.isWhole
	case Float:
		return b.isFloat && float64(float32(b.float)) <= math.MaxFloat32 && float64(float32(b.float)) >= -math.MaxFloat32
	}
	return b.isFloat
}

// MarshalJSON returns the canonical JSON of the number.
func (b *Bound) MarshalJSON() ([]byte, error) { return []byte(b.text), nil }
