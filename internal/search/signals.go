package search

import (
	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/search/score"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

// signal is one ranking signal with what explain reports about it.
type signal struct {
	collect.Signal
	field *definition.ResolvedField
	shape query.SignalShape
}

// signals returns the signals that apply: those of the index, extended or replaced
// by those of the request.
func (s *execution) signals() ([]signal, error) {
	own, err := s.requestSignals(s.request.Signals)
	if err != nil {
		return nil, err
	}
	if s.request.HasSignals && s.request.SignalsMode == query.SignalsReplace {
		return own, nil
	}
	replaced := make(map[string]bool, len(own))
	for _, o := range own {
		replaced[o.field.Path] = true
	}
	var all []signal
	for _, declared := range s.ranking().Signals {
		field, ok := s.view.Schema.Resolve(declared.Field)
		if !ok || replaced[declared.Field] || !field.Sort || field.List != "" {
			continue
		}
		one := query.Signal{Field: declared.Field, Weight: declared.WeightOrDefault()}
		switch {
		case declared.Saturation != nil && declared.Saturation.Pivot != nil:
			one.Shape, one.Parameter = query.Saturation, *declared.Saturation.Pivot
		case declared.Linear != nil && declared.Linear.Ceiling != nil:
			one.Shape, one.Parameter = query.Linear, *declared.Linear.Ceiling
		case declared.Decay != nil && declared.Decay.HalfLife != nil:
			one.Shape, one.Parameter = query.Decay, float64(*declared.Decay.HalfLife)
		}
		if fits(one.Shape, field.Type) {
			all = append(all, s.compileSignal(field, one))
		}
	}
	return append(all, own...), nil
}

// requestSignals checks the signals of a request against the schema and compiles
// them.
func (s *execution) requestSignals(signals []query.Signal) ([]signal, error) {
	var all []signal
	for _, one := range signals {
		at := one.At.Field("field")
		field, ok := s.view.Schema.Resolve(one.Field)
		switch {
		case !ok:
			return nil, problem.SearchFieldUnknown.At(at, "name", one.Field)
		case field.List != "":
			return nil, problem.SearchNestedFieldOutside.At(at, "name", one.Field, "path", field.List)
		case !field.Sort:
			return nil, problem.SearchUsageUnsupported.At(at, "name", one.Field, "usage", "sort")
		case !fits(one.Shape, field.Type):
			return nil, problem.SearchMatcherTypeUnsupported.At(one.At.Field(string(one.Shape)), "type", field.Type, "matcher", one.Shape).
				Advise("Use saturation or linear for numbers, decay for timestamps.")
		}
		all = append(all, s.compileSignal(field, one))
	}
	return all, nil
}

func fits(shape query.SignalShape, t definition.Type) bool {
	if shape == query.Decay {
		return t == definition.Timestamp
	}
	return shape != "" && t.IsNumber()
}

func (s *execution) compileSignal(field *definition.ResolvedField, one query.Signal) signal {
	shapes := map[query.SignalShape]score.Shape{query.Saturation: score.Saturation, query.Decay: score.Decay, query.Linear: score.Linear}
	structure := layout.Order(field, plan.Variant(field, s.locale))
	if field.Signal {
		structure = layout.Signal(field.Path)
	}
	return signal{
		Signal: collect.Signal{
			Signal:    score.Signal{Shape: shapes[one.Shape], Parameter: one.Parameter, Weight: one.Weight},
			Structure: structure, Overlay: field.Signal,
			Float: field.Type == definition.Float || field.Type == definition.Double,
			Now:   float64(s.now.UnixMilli()),
		},
		field: field, shape: one.Shape,
	}
}

func collectSignals(signals []signal) []collect.Signal {
	all := make([]collect.Signal, len(signals))
	for i := range signals {
		all[i] = signals[i].Signal
	}
	return all
}

// value returns the document's value of the signal, and false when it has none.
func (g *signal) value(segment *snapshot.Segment, doc uint32) (float64, bool) {
	var n int64
	var ok bool
	if g.Overlay {
		n, ok = segment.SignalValue(g.Structure, doc)
	} else if column := segment.Reader.Numbers(g.Structure); column != nil {
		n, ok = column.Get(doc)
	}
	switch {
	case !ok:
		return 0, false
	case g.Float:
		return layout.FloatOf(n), true
	}
	return float64(n), true
}

// factor returns the factor by which the signal multiplies a document's score.
func (g *signal) factor(segment *snapshot.Segment, doc uint32) float64 {
	v, ok := g.value(segment, doc)
	if !ok {
		return 1
	}
	return g.Factor(v, g.Now)
}
