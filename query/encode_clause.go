package query

import (
	"math"
	"reflect"
	"strconv"
)

// valueOfKind returns the literal of a value of a named or less common type.
func valueOfKind(value any) Literal {
	v := reflect.ValueOf(value)
	switch {
	case v.Kind() == reflect.String:
		return TextOf(v.String())
	case v.Kind() == reflect.Bool:
		return strconv.AppendBool(nil, v.Bool())
	case v.CanInt():
		return strconv.AppendInt(nil, v.Int(), 10)
	case v.CanUint():
		return strconv.AppendUint(nil, v.Uint(), 10)
	case v.Kind() == reflect.Float32:
		if f := v.Float(); f == math.Trunc(f) || math.IsNaN(f) {
			return appendFloat(nil, f)
		}
		return strconv.AppendFloat(nil, v.Float(), 'g', -1, 32)
	}
	return appendFloat(nil, v.Float())
}

// clauses appends a list of clauses unless it is nil.
func (w *writer) clauses(name string, clauses []Clause) {
	if clauses == nil {
		return
	}
	w.open(name, '[')
	for _, c := range clauses {
		w.open("", '{')
		w.clause(c)
		w.close('}')
	}
	w.close(']')
}

func (w *writer) clause(c Clause) {
	if c.Type() != "field" {
		w.text("type", c.Type())
	}
	switch c := c.(type) {
	case *FieldClause:
		w.text("field", c.Field)
		if c.Match != nil {
			w.open("match", '{')
			w.matcherRequest(c.Match)
			w.close('}')
		}
	case *TextClause:
		w.textOptions(&c.Text)
		if len(c.Fields) > 0 {
			w.open("fields", '{')
			for _, field := range c.Fields {
				w.key(field.Field)
				if field.Weight == nil {
					w.dst = append(w.dst, "null"...)
				} else {
					w.dst = appendFloat(w.dst, *field.Weight)
				}
			}
			w.close('}')
		}
		w.optional("combine", string(c.Combine))
	case *KnnClause:
		w.text("field", c.Field)
		w.open("vector", '[')
		for _, number := range c.Vector {
			w.comma()
			w.dst = appendFloat(w.dst, number)
		}
		w.close(']')
		w.whole("k", int64(c.K))
		w.clauses("filter", c.Filter)
	case *NestedClause:
		w.text("path", c.List)
		w.clauses("clauses", c.Clauses)
		w.optional("score", string(c.Score))
	case *AndClause:
		w.clauses("clauses", c.Clauses)
	case *OrClause:
		w.clauses("clauses", c.Clauses)
	case *NotClause:
		w.clauses("clauses", c.Clauses)
	case *BoostClause:
		w.float("weight", c.Weight)
		w.clauses("clauses", c.Clauses)
	case *FuseClause:
		encodeList(w, "rankings", c.Rankings, func(w *writer, r *Ranking) {
			w.clauses("clauses", r.Clauses)
			w.nonzero("weight", r.Weight)
		})
		w.positive("depth", c.Depth)
		w.nonzero("rankConstant", c.RankConstant)
		w.clauses("filter", c.Filter)
	}
}

func (w *writer) textOptions(t *Text) {
	w.text("text", t.Text)
	w.optional("match", string(t.Match))
	if t.Match == MatchUser {
		w.optional("join", string(t.Join))
	}
	w.optional("prefix", string(t.Prefix))
	w.optional("typos", string(t.Typos))
	w.positive("slop", t.Slop)
	w.optional("relax", string(t.Relax))
	switch {
	case t.Interpret.Off:
		w.text("interpret", "off")
	case len(t.Interpret.Targets) > 0:
		w.open("interpret", '{')
		encodeList(w, "fields", t.Interpret.Targets, (*writer).target)
		w.close('}')
	}
}

func (w *writer) target(t *Target) {
	w.text("field", t.Field)
	w.clauses("when", t.When)
	encodeList(w, "fallback", t.Fallback, (*writer).target)
}

func (w *writer) matcherRequest(m Matcher) {
	if m.Type() != "equals" {
		w.text("type", m.Type())
	}
	switch m := m.(type) {
	case *EqualsMatcher:
		w.raw("value", m.Value.orNull())
	case *InMatcher:
		w.literals("values", m.Values)
	case *PrefixMatcher:
		w.raw("value", m.Value.orNull())
	case *UnderMatcher:
		w.text("path", m.Level)
	case *RangeMatcher:
		w.bounds(&m.Range)
	case *RangesMatcher:
		w.open("values", '[')
		for i := range m.Ranges {
			w.open("", '{')
			w.bounds(&m.Ranges[i])
			w.close('}')
		}
		w.close(']')
	case *TextMatcher:
		w.textOptions(&m.Text)
	case *DistanceMatcher:
		w.float("lat", m.Lat)
		w.float("lon", m.Lon)
		w.float("radius", m.Radius)
	}
}

func (w *writer) bounds(r *Range) {
	gte, lt := "gte", "lt"
	if r.From {
		gte = "from"
	}
	if r.To {
		lt = "to"
	}
	for _, bound := range []struct {
		name  string
		value Literal
	}{{gte, r.Gte}, {"gt", r.Gt}, {"lte", r.Lte}, {lt, r.Lt}} {
		if bound.value != nil {
			w.raw(bound.name, bound.value)
		}
	}
}
