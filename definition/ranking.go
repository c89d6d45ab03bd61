package definition

// Ranking says how documents are ranked beyond the text they match. The search
// settings use the same type.
type Ranking struct {
	TieBreakers []TieBreaker `json:"tieBreakers,omitzero"`
	Signals     []Signal     `json:"signals,omitzero"`
}

// TieBreaker orders documents that are otherwise equal.
type TieBreaker struct {
	Field     string `json:"field"`
	Direction string `json:"direction,omitzero"` // "ascending" or "descending", the default
}

// IsAscending reports whether lower values come first.
func (t TieBreaker) IsAscending() bool { return t.Direction == "ascending" }

// Signal multiplies relevance by a value of the document. Exactly one of
// Saturation, Decay and Linear is set.
type Signal struct {
	Field      string      `json:"field"`
	Saturation *Saturation `json:"saturation,omitzero"`
	Decay      *Decay      `json:"decay,omitzero"`
	Linear     *Linear     `json:"linear,omitzero"`
	Weight     *float64    `json:"weight,omitzero"` // default 1
}

// Saturation rises with the value and is one half at Pivot.
type Saturation struct {
	Pivot *float64 `json:"pivot,omitzero"`
}

// Decay falls with the age of a timestamp and is one half after HalfLife
// seconds.
type Decay struct {
	HalfLife *int64 `json:"halfLife,omitzero"`
}

// Linear is the value divided by Ceiling, clamped to the range from 0 to 1.
type Linear struct {
	Ceiling *float64 `json:"ceiling,omitzero"`
}

// WeightOrDefault returns the weight, 1 if none was given.
func (s *Signal) WeightOrDefault() float64 { return orDefault(s.Weight, 1) }
