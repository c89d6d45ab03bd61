package segment

import (
	"bytes"
	"context"
	"iter"
	"slices"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/segment/columns"
	"github.com/quiresearch/quire/internal/segment/points"
	"github.com/quiresearch/quire/internal/segment/vectors"
)

func (m *merger) writeNumbers(ctx context.Context, out *blockfile.Writer, owner uint32, f FieldOptions) (bool, error) {
	w := columns.NewNumbersWriter(out, owner, m.docs, f.Multi)
	// If every input has its points in order and no overlay replaces them, they are
	// merged; otherwise they are collected and sorted.
	sorted := f.Points && m.hasPoints(f.Name)
	var p points.NumbersWriter
	add := func(doc DocID, v int64) {
		w.Add(doc, v)
		if f.Points && !sorted {
			p.Add(doc, v)
		}
	}
	var values []int64
	for i, in := range m.inputs {
		column, overlay := in.Reader.Numbers(f.Name), in.Overlays[f.Name]
		if column == nil && len(overlay) == 0 {
			continue
		}
		docs := allDocs(m.docMap[i])
		if len(overlay) == 0 {
			docs = column.Docs()
		}
		n := 0
		for old := range docs {
			if n++; n%4096 == 0 {
				if err := ctx.Err(); err != nil {
					return false, err
				}
			}
			doc := m.docMap[i][old]
			if doc == NoDoc {
				continue
			}
			if v, ok := overlay[old]; ok {
				if !v.Missing {
					add(doc, v.Value)
				}
				continue
			}
			if column == nil {
				continue
			}
			if !column.Multi() {
				if v, ok := column.Get(old); ok {
					add(doc, v)
				}
				continue
			}
			values = column.AppendAll(values[:0], old)
			for _, v := range values {
				add(doc, v)
			}
		}
	}
	if _, err := w.Finish(); err != nil || !f.Points {
		return true, err
	}
	if sorted {
		return true, m.mergePoints(ctx, out, owner, f.Name)
	}
	return true, p.Finish(out, owner)
}

// allDocs yields the numbers of all documents of an input.
func allDocs(docs []DocID) iter.Seq[DocID] {
	return func(yield func(DocID) bool) {
		for old := range docs {
			if !yield(DocID(old)) {
				return
			}
		}
	}
}

// hasPoints reports whether every input with the column has points for it and no
// overlay.
func (m *merger) hasPoints(name string) bool {
	for _, in := range m.inputs {
		if len(in.Overlays[name]) > 0 || in.Reader.Numbers(name) != nil && in.Reader.NumberPoints(name) == nil {
			return false
		}
	}
	return true
}

// mergePoints merges the points of the inputs in the order of values, and of
// documents for equal values.
func (m *merger) mergePoints(ctx context.Context, out *blockfile.Writer, owner uint32, name string) error {
	type source struct {
		cursor *points.NumbersCursor
		docs   []DocID
		value  int64
		doc    DocID
	}
	// next moves to the next live document; it returns false at the end.
	next := func(s *source) bool {
		for {
			v, old, ok := s.cursor.Next()
			if !ok {
				return false
			}
			if int(old) < len(s.docs) && s.docs[old] != NoDoc {
				s.value, s.doc = v, s.docs[old]
				return true
			}
		}
	}
	var sources []*source
	for i, in := range m.inputs {
		if index := in.Reader.NumberPoints(name); index != nil {
			if s := (&source{cursor: index.Cursor(), docs: m.docMap[i]}); next(s) {
				sources = append(sources, s)
			}
		}
	}
	e := points.NewNumbersEncoder(out, owner)
	for n := 0; len(sources) > 0; n++ {
		if n%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		lowest := 0
		for i, s := range sources[1:] {
			if s.value < sources[lowest].value {
				lowest = i + 1
			}
		}
		s := sources[lowest]
		e.Add(s.value, s.doc)
		if !next(s) {
			sources = append(sources[:lowest], sources[lowest+1:]...)
		}
	}
	return e.Finish()
}

func (m *merger) writeOrdinals(ctx context.Context, out *blockfile.Writer, owner uint32, f FieldOptions) (bool, error) {
	sources, err := m.ordinalSources(f.Name)
	if err != nil || len(sources) == 0 {
		return false, err
	}
	w := columns.NewOrdinalsWriter(out, owner, m.docs, f.Multi)
	if err := m.uniteOrdinals(ctx, sources, w); err != nil {
		return false, err
	}
	var buf []uint32
	for _, s := range sources {
		for old := range s.column.Docs() {
			doc := s.docs[old]
			if doc == NoDoc {
				continue
			}
			buf = s.column.Append(buf[:0], old)
			for _, ord := range buf {
				w.Add(doc, s.ords[ord])
			}
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
	}
	return true, w.Finish()
}

// ordinalSource is the column of one input, with a position in its dictionary.
type ordinalSource struct {
	column *columns.Ordinals
	docs   []DocID
	used   *bitset.Bitset // values of live documents
	next   uint32
	value  []byte   // the value of ordinal next
	ords   []uint32 // new ordinal of each old one
}

// advance moves to the next used value and reports whether there is one.
func (s *ordinalSource) advance(from uint32) bool {
	if s.next = s.used.Next(from); s.next >= s.used.Len() {
		return false
	}
	s.value = s.column.Value(s.next)
	return true
}

// ordinalSources returns the inputs whose live documents have values, each
// positioned at its first value.
func (m *merger) ordinalSources(name string) (sources []*ordinalSource, err error) {
	var buf []uint32
	for i, in := range m.inputs {
		column := in.Reader.Ordinals(name)
		if column == nil {
			continue
		}
		s := &ordinalSource{column: column, docs: m.docMap[i]}
		if m.whole[i] {
			s.used = bitset.NewFull(column.Len())
		} else {
			s.used = bitset.New(column.Len())
			for old := range column.Docs() {
				if s.docs[old] == NoDoc {
					continue
				}
				buf = column.Append(buf[:0], old)
				for _, ord := range buf {
					if ord >= column.Len() {
						return nil, blockfile.Corrupt(in.Reader.Name(), 0, "ordinal %d of %d", ord, column.Len())
					}
					s.used.Set(ord)
				}
			}
		}
		if s.advance(0) {
			s.ords = make([]uint32, column.Len())
			sources = append(sources, s)
		}
	}
	return sources, nil
}

// uniteOrdinals merges into w the dictionary values that live documents use, and
// records the new ordinal of every old one.
func (m *merger) uniteOrdinals(ctx context.Context, sources []*ordinalSource, w *columns.OrdinalsWriter) error {
	open := slices.Clone(sources)
	var value []byte
	for len(open) > 0 {
		lowest := open[0].value
		for _, s := range open[1:] {
			if bytes.Compare(s.value, lowest) < 0 {
				lowest = s.value
			}
		}
		value = append(value[:0], lowest...)
		ord := w.Value(value)
		if ord%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		kept := open[:0]
		for _, s := range open {
			if bytes.Equal(s.value, value) {
				s.ords[s.next] = ord
				if !s.advance(s.next + 1) {
					continue
				}
			}
			kept = append(kept, s)
		}
		open = kept
	}
	return nil
}

func (m *merger) writeGeo(ctx context.Context, out *blockfile.Writer, owner uint32, f FieldOptions) (bool, error) {
	w := columns.NewGeoWriter(out, owner, m.docs, f.Multi)
	var p points.GeoWriter
	var buf []columns.Point
	some := false
	for i, in := range m.inputs {
		column := in.Reader.Geo(f.Name)
		if column == nil {
			continue
		}
		for old := range column.Docs() {
			doc := m.docMap[i][old]
			if doc == NoDoc {
				continue
			}
			buf = column.Append(buf[:0], old)
			for _, at := range buf {
				some = true
				w.Add(doc, at)
				if f.Points {
					p.Add(doc, at)
				}
			}
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
	}
	if !some {
		return false, nil
	}
	if err := w.Finish(); err != nil || !f.Points {
		return true, err
	}
	return true, p.Finish(out, owner)
}

func (m *merger) writeVectors(ctx context.Context, out *blockfile.Writer, owner uint32, f FieldOptions) (bool, error) {
	var inputs []vectors.Input
	some := false
	for i, in := range m.inputs {
		column := in.Reader.Vectors(f.Name)
		if column == nil {
			continue
		}
		in.Reader.mapping.Soon(column.Rescored())
		for row := range column.Len() {
			some = some || m.docMap[i][column.Doc(row)] != NoDoc
		}
		inputs = append(inputs, vectors.Input{Reader: column, Doc: func(old uint32) (uint32, bool) {
			doc := m.docMap[i][old]
			return doc, doc != NoDoc
		}})
	}
	if !some {
		return false, nil
	}
	out.Begin(blockfile.ID{Owner: owner, Part: columns.PartValues})
	return true, vectors.Merge(ctx, out, f.Vectors, inputs, 0)
}
