package query

import (
	"strings"

	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
)

var matcherTypes = []string{"equals", "in", "any", "prefix", "under", "range", "ranges", "text", "distance"}

// matcher reads one matcher and returns nil when its kind is unclear.
func (d *decoder) matcher(v jsonread.Value) Matcher {
	if v.Kind() != jsonread.ObjectKind {
		v.Advise(`Send a matcher, such as {"value": "red"} or {"type": "range", "gte": 10}.`,
			problem.RequestValueInvalid, "reason", "expected a matcher object, found "+v.Kind().String())
		return nil
	}
	kind, ok := tag(v, "equals")
	if !ok {
		return nil
	}
	switch kind {
	case "equals":
		return &EqualsMatcher{At: v.Path(), Value: d.value(v)}
	case "in":
		return d.inMatcher(v)
	case "any":
		v.Members(func(name string, _ jsonread.Value) bool { return name == "type" })
		return &AnyMatcher{At: v.Path()}
	case "prefix":
		return &PrefixMatcher{At: v.Path(), Value: d.value(v)}
	case "under":
		return d.underMatcher(v)
	case "range":
		return &RangeMatcher{At: v.Path(), Range: d.interval(v, false)}
	case "ranges":
		return d.rangesMatcher(v)
	case "text":
		m := &TextMatcher{At: v.Path()}
		d.text(v, &m.Text, func(string, jsonread.Value) bool { return false })
		return m
	case "distance":
		return d.distanceMatcher(v)
	}
	v.At(v.Path().Field("type")).Unknown(kind, "unknown matcher type "+kind+"; expected one of "+strings.Join(matcherTypes, ", "), matcherTypes)
	return nil
}

// value reads the `value` of equals and prefix.
func (d *decoder) value(v jsonread.Value) Literal {
	var value Literal
	present := false
	v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "type":
		case "value":
			present = !member.IsNull()
			value, _ = member.Literal()
		default:
			return false
		}
		return true
	})
	if !present {
		d.found.Report(problem.SearchMatcherValueRequired.At(v.Path().Field("value")))
	}
	return value
}

func (d *decoder) inMatcher(v jsonread.Value) Matcher {
	m := &InMatcher{At: v.Path(), Values: []Literal{}}
	d.values(v, func(item jsonread.Value) {
		if literal, ok := item.Literal(); ok {
			m.Values = append(m.Values, literal)
		}
	})
	return m
}

func (d *decoder) rangesMatcher(v jsonread.Value) Matcher {
	m := &RangesMatcher{At: v.Path()}
	d.values(v, func(item jsonread.Value) {
		m.Ranges = append(m.Ranges, d.interval(item, true))
	})
	return m
}

// values reads the required list `values`.
func (d *decoder) values(v jsonread.Value, read func(item jsonread.Value)) {
	present := false
	v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "type":
		case "values":
			present = !member.IsNull()
			member.Items(func(_ int, item jsonread.Value) { read(item) })
		default:
			return false
		}
		return true
	})
	if !present {
		d.found.Report(problem.SearchMatcherValueRequired.At(v.Path().Field("values")))
	}
}

func (d *decoder) underMatcher(v jsonread.Value) Matcher {
	m := &UnderMatcher{At: v.Path()}
	present := false
	v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "type":
		case "path":
			present = !member.IsNull()
			m.Level, _ = member.Text()
		default:
			return false
		}
		return true
	})
	if !present {
		d.found.Report(problem.SearchMatcherValueRequired.At(v.Path().Field("path")))
	}
	return m
}

// interval reads the bounds of a range. An entry of `ranges` has no type and also
// accepts from and to as names of its bounds.
func (d *decoder) interval(v jsonread.Value, entry bool) Range {
	r := Range{At: v.Path()}
	lower, upper := 0, 0
	bound := func(member jsonread.Value, to *Literal, side *int) {
		if member.IsNull() {
			return
		}
		*side++
		*to, _ = member.Literal()
	}
	read := v.Members(func(name string, member jsonread.Value) bool {
		switch {
		case name == "type" && !entry:
		case name == "gte", name == "from" && entry:
			r.From = r.From || name == "from"
			bound(member, &r.Gte, &lower)
		case name == "gt":
			bound(member, &r.Gt, &lower)
		case name == "lte":
			bound(member, &r.Lte, &upper)
		case name == "lt", name == "to" && entry:
			r.To = r.To || name == "to"
			bound(member, &r.Lt, &upper)
		default:
			return false
		}
		return true
	})
	switch {
	case !read:
	case lower > 1 || upper > 1:
		v.Report(problem.SearchMatcherRangeConflicting)
	case lower+upper == 0:
		v.Report(problem.SearchMatcherRangeEmpty)
	}
	return r
}

func (d *decoder) distanceMatcher(v jsonread.Value) Matcher {
	m := &DistanceMatcher{At: v.Path()}
	var hasLat, hasLon, hasRadius bool
	v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "type":
		case "lat":
			hasLat = !member.IsNull()
			m.Lat, _ = member.Number()
		case "lon":
			hasLon = !member.IsNull()
			m.Lon, _ = member.Number()
		case "radius":
			hasRadius = !member.IsNull()
			m.Radius, _ = member.Number()
		default:
			return false
		}
		return true
	})
	if !hasLat || !hasLon {
		v.Report(problem.SearchMatcherOriginRequired)
	}
	if !hasRadius {
		d.found.Report(problem.SearchMatcherRadiusRequired.At(v.Path().Field("radius")))
	}
	return m
}
