package definition

import (
	"math"
	"strings"

	"github.com/quiresearch/quire/problem"
)

// rankable holds the properties of a field that matter for ranking.
type rankable struct {
	known      bool
	isWildcard bool
	sortable   bool
	kind       Type
}

// CheckRanking checks a ranking, found at a path of a body, against the fields. The
// ranking of the search settings may use dotted paths outside of nested lists.
func (s *Schema) CheckRanking(ranking *Ranking, at problem.Path, found *problem.List) {
	checkRanking(ranking, at, s.Paths, func(path string) rankable {
		f, ok := s.Resolve(path)
		if !ok {
			return rankable{known: declaresPattern(s.definition.Fields, path), isWildcard: true}
		}
		return rankable{true, f.IsWildcard, f.Sort && f.List == "", f.Type}
	}, found)
}

// declaresPattern reports whether a dotted path is spelled exactly as declared,
// including patterns.
func declaresPattern(fields map[string]*Field, path string) bool {
	name, inside, more := strings.Cut(path, ".")
	f := fields[name]
	if f == nil {
		return false
	}
	return !more || declaresPattern(f.Fields, inside)
}

// topLevel returns a function that looks up fields by declared top-level name.
func topLevel(fields map[string]*Field) func(string) rankable {
	return func(name string) rankable {
		if f := fields[name]; f != nil {
			return rankable{true, isPattern(name), f.Sort != nil || f.Signal != nil, f.Type}
		}
		for declared := range fields {
			if isPattern(declared) && isConcrete(name) && matchesPattern(declared, name) {
				return rankable{known: true, isWildcard: true}
			}
		}
		return rankable{}
	}
}

func checkRanking(ranking *Ranking, at problem.Path, names func() []string, look func(string) rankable, found *problem.List) {
	seen := make(map[string]bool)
	for i, tie := range ranking.TieBreakers {
		place, f := at.Field("tieBreakers").Item(i), look(tie.Field)
		var code *problem.Code
		switch {
		case !f.known:
			code = problem.IndexRankingFieldUnknown
		case f.isWildcard:
			code = problem.IndexRankingWildcardUnsupported
		case !f.sortable || f.kind == GeoPoint:
			code = problem.IndexRankingFieldNotSortable
		case seen[tie.Field]:
			code = problem.IndexRankingFieldDuplicate
		}
		if code != nil {
			found.Report(nearName(code.At(place, "name", tie.Field), tie.Field, names))
		}
		seen[tie.Field] = true
	}
	for i := range ranking.Signals {
		checkSignalEntry(&ranking.Signals[i], at.Field("signals").Item(i), names, look, found)
	}
}

// nearName suggests the nearest field names for an unknown one.
func nearName(p *problem.Problem, name string, names func() []string) *problem.Problem {
	if p.Code == problem.IndexRankingFieldUnknown || p.Code == problem.IndexRankingSignalFieldUnknown {
		p.Among(name, names)
	}
	return p
}

func checkSignalEntry(signal *Signal, at problem.Path, names func() []string, look func(string) rankable, found *problem.List) {
	report := func(code *problem.Code, arguments ...any) {
		found.Report(nearName(code.At(at, append([]any{"name", signal.Field}, arguments...)...), signal.Field, names))
	}
	f := look(signal.Field)
	usable := false
	switch {
	case !f.known:
		report(problem.IndexRankingSignalFieldUnknown)
	case f.isWildcard:
		report(problem.IndexRankingSignalWildcardUnsupported)
	case !f.sortable:
		report(problem.IndexRankingSignalFieldNotSortable)
	default:
		usable = true
	}
	shape, shapes := "", 0
	if signal.Saturation != nil {
		shape, shapes = "saturation", shapes+1
		if !isPositive(signal.Saturation.Pivot) {
			report(problem.IndexRankingSignalPivotOutOfRange)
		}
	}
	if signal.Linear != nil {
		shape, shapes = "linear", shapes+1
		if !isPositive(signal.Linear.Ceiling) {
			report(problem.IndexRankingSignalCeilingOutOfRange)
		}
	}
	if signal.Decay != nil {
		shape, shapes = "decay", shapes+1
		if signal.Decay.HalfLife == nil || *signal.Decay.HalfLife <= 0 {
			report(problem.IndexRankingSignalHalfLifeOutOfRange)
		}
	}
	switch {
	case shapes == 0:
		report(problem.IndexRankingSignalShapeRequired)
	case shapes > 1:
		report(problem.IndexRankingSignalShapeInvalid)
	case usable && (shape == "decay") != (f.kind == Timestamp), usable && shape != "decay" && !f.kind.IsNumber():
		report(problem.IndexRankingSignalShapeUnsupported, "shape", shape)
	}
	if weight := signal.WeightOrDefault(); !(weight >= 0) || math.IsInf(weight, 0) {
		report(problem.IndexRankingSignalWeightOutOfRange)
	}
}

func isPositive(f *float64) bool { return f != nil && *f > 0 && !math.IsInf(*f, 0) }
