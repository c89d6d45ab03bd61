package query

func (w *writer) facetRequest(f *Facet) {
	w.text("field", f.Field)
	if f.Name != f.Field {
		w.optional("name", f.Name)
	}
	if f.Ranges != nil {
		encodeList(w, "ranges", f.Ranges, func(w *writer, r *FacetRange) {
			if r.From != nil {
				w.raw("from", r.From)
			}
			if r.To != nil {
				w.raw("to", r.To)
			}
		})
		w.clauses("when", f.When)
		encodeList(w, "fallback", f.Fallback, (*writer).target)
	} else {
		w.positive("limit", f.Limit)
		w.optional("order", string(f.Order))
	}
	w.optional("path", f.Level)
	if f.Tree || f.Depth > 1 {
		w.positive("depth", f.Depth)
	}
	if f.ExcludeFilters != nil {
		w.open("excludeFilters", '[')
		for _, field := range f.ExcludeFilters {
			w.comma()
			w.dst = appendText(w.dst, field)
		}
		w.close(']')
	}
}

func (w *writer) sort(s *Sort) {
	if s.Type != "" && s.Type != SortField {
		w.text("type", string(s.Type))
	}
	w.optional("field", s.Field)
	switch {
	case s.Type == SortDistance:
		w.float("lat", s.Lat)
		w.float("lon", s.Lon)
	case s.Descending:
		w.text("order", "desc")
	default:
		w.text("order", "asc")
	}
	w.clauses("when", s.When)
	encodeList(w, "fallback", s.Fallback, (*writer).target)
}

func (w *writer) signals(signals []Signal) {
	w.open("signals", '[')
	for _, s := range signals {
		w.open("", '{')
		w.text("field", s.Field)
		if s.Shape != "" {
			w.open(string(s.Shape), '{')
			w.float(signalParameters[s.Shape], s.Parameter)
			w.close('}')
		}
		w.nonzero("weight", s.Weight)
		w.close('}')
	}
	w.close(']')
}

// signalParameters names the parameter of each shape.
var signalParameters = map[SignalShape]string{Saturation: "pivot", Decay: "halfLife", Linear: "ceiling"}

func (w *writer) rescore(r *Rescore) {
	if r == nil {
		return
	}
	w.open("rescore", '{')
	w.whole("window", int64(r.Window))
	w.clauses("boost", r.Boost)
	if len(r.Signals) > 0 {
		w.signals(r.Signals)
	}
	w.nonzero("weight", r.Weight)
	w.close('}')
}

func (w *writer) highlight(h *Highlight) {
	if h == nil {
		return
	}
	w.open("highlight", '{')
	w.open("fields", '{')
	for _, field := range h.Fields {
		w.key(field.Field)
		w.dst = append(w.dst, '{')
		w.positive("fragments", field.Fragments)
		w.positive("length", field.Length)
		if field.Pre != "" || field.Post != "" {
			w.text("pre", field.Pre)
			w.text("post", field.Post)
		}
		w.close('}')
	}
	w.close('}')
	w.close('}')
}

func (w *writer) matchedRequest(m *Matched) {
	if m == nil {
		return
	}
	w.open("matched", '{')
	w.open("fields", '{')
	for _, field := range m.Fields {
		w.key(field.Field)
		w.dst = append(w.dst, '{')
		w.positive("limit", field.Limit)
		w.fieldNames(field.Fields, field.HasFields)
		w.close('}')
	}
	w.close('}')
	w.close('}')
}

func (w *writer) hits(h *Hits) {
	if h == nil {
		return
	}
	w.open("hits", '{')
	w.text("path", h.List)
	w.fieldNames(h.Fields, h.HasFields)
	if h.HasWhen || h.When != nil {
		w.open("when", '[')
		for _, c := range h.When {
			w.open("", '{')
			w.clause(c)
			w.close('}')
		}
		w.close(']')
	}
	w.close('}')
}
