package query

import (
	"strconv"
	"time"

	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
)

func (d *decoder) facets(v jsonread.Value) []Facet {
	var facets []Facet
	names := make(map[string]bool)
	upTo(v, MaxFacets, func(item jsonread.Value) {
		f, ok := d.facet(item)
		if !ok {
			return
		}
		if f.Name != "" {
			if names[f.Name] {
				d.found.Report(problem.SearchFacetNameDuplicate.At(item.Path().Field("name"), "name", f.Name))
			}
			names[f.Name] = true
		}
		facets = append(facets, f)
	})
	return facets
}

// upTo reads the entries of a list. If there are more than most, it reports that
// and skips the rest.
func upTo(v jsonread.Value, most int, read func(item jsonread.Value)) bool {
	count := elements(v)
	if count <= most {
		return v.Items(func(_ int, item jsonread.Value) { read(item) })
	}
	tooMany(v, count, most)
	items := jsonread.Items(v.Raw())
	for position := 0; position < most && items.Next(); position++ {
		if item := jsonread.New(items.Value(), v.Path().Item(position), v.Found()); !item.IsNull() {
			read(item)
		}
	}
	return true
}

// membersUpTo is upTo for an object that maps free names to values.
func membersUpTo(v jsonread.Value, most int, read func(name string, member jsonread.Value)) {
	count := 0
	for members := jsonread.Members(v.Raw()); members.Next(); {
		count++
	}
	if count <= most {
		v.Members(func(name string, member jsonread.Value) bool {
			read(name, member)
			return true
		})
		return
	}
	tooMany(v, count, most)
	members := jsonread.Members(v.Raw())
	for ; most > 0 && members.Next(); most-- {
		name := jsonread.String(members.RawName())
		read(name, jsonread.New(members.Value(), v.Path().Field(name), v.Found()))
	}
}

func tooMany(v jsonread.Value, entries, most int) {
	if entries > most {
		v.Invalid("expected at most " + strconv.Itoa(most) + " entries, found " + strconv.Itoa(entries))
	}
}

func (d *decoder) facet(v jsonread.Value) (Facet, bool) {
	f := Facet{At: v.Path(), Limit: DefaultFacetLimit, Order: OrderCount, Depth: 1}
	if max := d.limits.MaxFacetValues; max > 0 && f.Limit > max {
		f.Limit = max
	}
	var hasName, hasRanges, hasList, hasChain, hasExclude bool
	read := v.Members(func(name string, member jsonread.Value) bool {
		present := !member.IsNull()
		switch name {
		case "name":
			hasName = present
			f.Name, _ = member.Text()
			if present && member.Kind() == jsonread.TextKind && blank(f.Name) {
				member.Report(problem.SearchFacetNameInvalid)
			}
		case "field":
			f.Field = d.name(member)
		case "limit":
			hasList = hasList || present
			if n, ok := d.whole(member, 1, d.limits.MaxFacetValues, problem.SearchFacetLimitOutOfRange); ok {
				f.Limit = n
			}
		case "order":
			hasList = hasList || present
			if word, ok := member.Word(string(OrderCount), string(OrderValue), string(OrderDeclared)); ok {
				f.Order = FacetOrder(word)
			}
		case "ranges":
			hasRanges = present
			f.Ranges = d.facetRanges(member)
		case "path":
			f.Tree = f.Tree || present
			text, ok := member.Text()
			if f.Level = text; ok && blank(text) {
				member.Report(problem.SearchFacetPathInvalid)
			}
		case "depth":
			f.Tree = f.Tree || present
			if n, ok := d.whole(member, 1, MaxFacetDepth, problem.SearchFacetDepthOutOfRange); ok {
				f.Depth = n
			}
		case "excludeFilters":
			hasExclude = present
			f.ExcludeFilters = []string{}
			upTo(member, MaxListedFields, func(item jsonread.Value) {
				text, ok := item.Text()
				if ok && blank(text) {
					item.Report(problem.SearchFacetExcludeFiltersInvalid)
				}
				f.ExcludeFilters = append(f.ExcludeFilters, text)
			})
		case "when":
			hasChain = hasChain || present
			f.When = d.when(member, problem.SearchNestedClauseUnsupported)
		case "fallback":
			hasChain = hasChain || present
			f.Fallback = d.targets(member, problem.SearchNestedClauseUnsupported, problem.SearchFacetFieldRequired)
		default:
			return false
		}
		return true
	})
	if !read {
		return f, false
	}
	d.required(v, "field", f.Field, problem.SearchFacetFieldRequired)
	if !hasName {
		f.Name = f.Field
	}
	if !hasExclude {
		f.ExcludeFilters = []string{f.Field}
	}
	if hasRanges {
		if hasList {
			v.Report(problem.SearchFacetRangesConflicting)
		}
		if f.Tree {
			v.Report(problem.SearchFacetRangesWithTree)
		}
	} else if hasChain {
		v.Report(problem.SearchFacetFallbackUnsupported, "field", f.Field)
	}
	return f, true
}

func (d *decoder) facetRanges(v jsonread.Value) []FacetRange {
	if v.IsNull() {
		return nil
	}
	ranges := []FacetRange{}
	read := v.Items(func(position int, item jsonread.Value) {
		if position >= MaxFacetRanges {
			return
		}
		r := FacetRange{At: item.Path()}
		ok := item.Members(func(name string, member jsonread.Value) bool {
			switch name {
			case "from":
				r.From, _ = member.Literal()
			case "to":
				r.To, _ = member.Literal()
			default:
				return false
			}
			return true
		})
		switch {
		case !ok:
		case r.From == nil && r.To == nil:
			item.Report(problem.SearchFacetRangeEmpty)
		case !rises(r.From, r.To):
			item.Report(problem.SearchFacetRangeInvalid)
		}
		ranges = append(ranges, r)
	})
	switch {
	case !read:
	case elements(v) == 0:
		v.Report(problem.SearchFacetRangesRequired)
	case elements(v) > MaxFacetRanges:
		v.Report(problem.SearchFacetRangesTooMany, "max", MaxFacetRanges)
	}
	return ranges
}

// rises reports whether to lies above from, as far as the shape shows: numbers and
// timestamps are compared, anything else is left to the index.
func rises(from, to Literal) bool {
	switch {
	case from.Kind() == NumberLiteral && to.Kind() == NumberLiteral:
		m, wholeA := jsonread.Int64(from)
		n, wholeB := jsonread.Int64(to)
		if wholeA && wholeB {
			return n > m
		}
		a, okA := jsonread.Float64(from)
		b, okB := jsonread.Float64(to)
		return !okA || !okB || b > a
	case from.Kind() == TextLiteral && to.Kind() == TextLiteral:
		textA, _ := from.Text()
		textB, _ := to.Text()
		a, errA := time.Parse(time.RFC3339, textA)
		b, errB := time.Parse(time.RFC3339, textB)
		return errA != nil || errB != nil || b.After(a)
	}
	return true
}

func (d *decoder) sort(v jsonread.Value) Sort {
	s := Sort{At: v.Path(), Type: SortField}
	if v.Kind() != jsonread.ObjectKind {
		v.Invalid("expected a sort object, found " + v.Kind().String())
		return s
	}
	kind, ok := tag(v, string(SortField))
	if !ok {
		return s
	}
	s.Type = SortType(kind)
	switch s.Type {
	case SortField, SortDistance:
	case SortScore:
		s.Descending = true
	default:
		d.found.Report(problem.RequestValueInvalid.At(v.Path().Field("type"), "reason", "unknown sort type "+kind))
		s.Type = SortField
		return s
	}
	var hasLat, hasLon bool
	v.Members(func(name string, member jsonread.Value) bool {
		switch {
		case name == "type":
		case name == "field" && s.Type != SortScore:
			s.Field = d.name(member)
		case name == "order" && s.Type != SortDistance:
			if word, ok := member.Word("asc", "desc"); ok {
				s.Descending = word == "desc"
			}
		case name == "lat" && s.Type == SortDistance:
			hasLat = !member.IsNull()
			s.Lat, _ = member.Number()
		case name == "lon" && s.Type == SortDistance:
			hasLon = !member.IsNull()
			s.Lon, _ = member.Number()
		case name == "when" && s.Type == SortField:
			s.When = d.when(member, problem.SearchNestedClauseUnsupported)
		case name == "fallback" && s.Type == SortField:
			s.Fallback = d.targets(member, problem.SearchNestedClauseUnsupported, problem.SearchSortFieldRequired)
		default:
			return false
		}
		return true
	})
	if s.Type != SortScore {
		d.required(v, "field", s.Field, problem.SearchSortFieldRequired)
	}
	if s.Type == SortDistance && (!hasLat || !hasLon) {
		v.Report(problem.SearchSortOriginRequired)
	}
	s.HasOrigin = hasLat && hasLon
	return s
}

func (d *decoder) signals(v jsonread.Value) []Signal {
	signals := []Signal{}
	upTo(v, MaxSignals, func(item jsonread.Value) { signals = append(signals, d.signal(item)) })
	return signals
}

func (d *decoder) signal(v jsonread.Value) Signal {
	s := Signal{At: v.Path(), Weight: 1}
	shapes := 0
	read := v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "field":
			s.Field = d.name(member)
		case "saturation":
			shapes += d.shape(member, &s, Saturation, "pivot", problem.SearchSignalPivotOutOfRange)
		case "decay":
			shapes += d.shape(member, &s, Decay, "halfLife", problem.SearchSignalHalfLifeOutOfRange)
		case "linear":
			shapes += d.shape(member, &s, Linear, "ceiling", problem.SearchSignalCeilingOutOfRange)
		case "weight":
			if f, ok := d.number(member, problem.SearchSignalWeightOutOfRange, isWeight); ok {
				s.Weight = f
			}
		default:
			return false
		}
		return true
	})
	if read {
		d.required(v, "field", s.Field, problem.SearchSignalFieldRequired)
		if shapes != 1 {
			v.Report(problem.SearchSignalShapeInvalid)
		}
	}
	return s
}

// shape reads the shape object of a signal and returns 1 if it is present, else 0.
func (d *decoder) shape(v jsonread.Value, s *Signal, shape SignalShape, parameter string, code *problem.Code) int {
	if v.IsNull() {
		return 0
	}
	s.Shape = shape
	present := false
	read := v.Members(func(name string, member jsonread.Value) bool {
		if name != parameter {
			return false
		}
		if present = !member.IsNull(); !present {
			return true
		}
		if shape == Decay {
			if n, ok := member.Int64(); ok && n < 1 {
				member.Report(code)
			} else if ok {
				s.Parameter = float64(n)
			}
			return true
		}
		s.Parameter, _ = d.number(member, code, aboveZero)
		return true
	})
	if read && !present {
		d.found.Report(code.At(v.Path().Field(parameter)))
	}
	return 1
}

func (d *decoder) rescore(v jsonread.Value) *Rescore {
	r := &Rescore{At: v.Path(), Weight: 1}
	hasWindow := false
	entries := 0
	read := v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "window":
			hasWindow = !member.IsNull()
			if n, ok := d.whole(member, 1, d.limits.MaxRescoreWindow, problem.SearchRescoreWindowOutOfRange); ok {
				r.Window = n
			}
		case "boost":
			r.Boost = d.clauses(member)
			entries += elements(member)
		case "signals":
			r.Signals = d.signals(member)
			entries += elements(member)
		case "weight":
			if f, ok := d.number(member, problem.SearchRescoreWeightOutOfRange, isWeight); ok {
				r.Weight = f
			}
		default:
			return false
		}
		return true
	})
	if read {
		if !hasWindow {
			d.found.Report(problem.SearchRescoreWindowRequired.At(v.Path().Field("window")))
		}
		if entries == 0 {
			v.Report(problem.SearchRescoreEmpty)
		}
	}
	return r
}

// elements returns the number of elements of a list.
func elements(v jsonread.Value) int {
	n := 0
	for items := jsonread.Items(v.Raw()); items.Next(); {
		n++
	}
	return n
}

// isShort reports whether a list or object has fewer entries than required. A value
// of another kind was reported already and is not short.
func isShort(v jsonread.Value, kind jsonread.Kind, least int) bool {
	if v.IsNull() || v.Kind() != kind {
		return v.IsNull()
	}
	if kind == jsonread.ListKind {
		return elements(v) < least
	}
	n := 0
	for members := jsonread.Members(v.Raw()); members.Next(); {
		n++
	}
	return n < least
}
