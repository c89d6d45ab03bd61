package definition

import (
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
)

// ReadRanking reads a ranking object and reports problems of its shape. It returns
// nil for null and for anything that is not an object.
func ReadRanking(v jsonread.Value) *Ranking {
	if v.IsNull() {
		return nil
	}
	ranking := &Ranking{}
	v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "tieBreakers":
			if !member.IsNull() {
				ranking.TieBreakers = []TieBreaker{}
			}
			member.Items(func(_ int, item jsonread.Value) {
				ranking.TieBreakers = append(ranking.TieBreakers, readTieBreaker(item))
			})
		case "signals":
			if !member.IsNull() {
				ranking.Signals = []Signal{}
			}
			member.Items(func(_ int, item jsonread.Value) {
				ranking.Signals = append(ranking.Signals, ReadSignal(item))
			})
		default:
			return false
		}
		return true
	})
	return ranking
}

func readTieBreaker(v jsonread.Value) TieBreaker {
	var tie TieBreaker
	named := false
	isObject := v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "field":
			tie.Field, named = member.Text()
			named = named || !member.IsNull()
		case "direction":
			tie.Direction, _ = member.Word("ascending", "descending")
		default:
			return false
		}
		return true
	})
	if isObject && !named {
		v.Found().Report(problem.RequestValueRequired.At(v.Path().Field("field")))
	}
	return tie
}

// ReadSignal reads one signal and reports problems of its shape.
func ReadSignal(v jsonread.Value) Signal {
	var signal Signal
	named := false
	isObject := v.Members(func(name string, member jsonread.Value) bool {
		given := !member.IsNull()
		option := func(wanted string, read func(jsonread.Value)) {
			member.Members(func(name string, value jsonread.Value) bool {
				if name == wanted {
					read(value)
				}
				return name == wanted
			})
		}
		switch name {
		case "field":
			signal.Field, named = member.Text()
			named = named || given
		case "saturation":
			if given {
				signal.Saturation = &Saturation{}
				option("pivot", func(v jsonread.Value) { signal.Saturation.Pivot = readNumber(v) })
			}
		case "decay":
			if given {
				signal.Decay = &Decay{}
				option("halfLife", func(v jsonread.Value) {
					if n, ok := v.Int64(); ok {
						signal.Decay.HalfLife = &n
					}
				})
			}
		case "linear":
			if given {
				signal.Linear = &Linear{}
				option("ceiling", func(v jsonread.Value) { signal.Linear.Ceiling = readNumber(v) })
			}
		case "weight":
			signal.Weight = readNumber(member)
		default:
			return false
		}
		return true
	})
	if isObject && !named {
		v.Found().Report(problem.RequestValueRequired.At(v.Path().Field("field")))
	}
	return signal
}

// readNumber reads a number, possibly infinite, which the checks reject.
func readNumber(v jsonread.Value) *float64 {
	if f, ok := v.Number(); ok {
		return &f
	}
	return nil
}
