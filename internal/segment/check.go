package segment

import (
	"bytes"
	"fmt"

	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/segment/postings"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// Check verifies everything in a segment: checksums, order, counts, whole blocks.
// It returns the first damage, which wraps blockfile.ErrCorrupt.
func Check(r *Reader) error {
	if err := r.file.Verify(); err != nil {
		return err
	}
	if err := r.openAll(); err != nil {
		return err
	}
	c := checker{r}
	if err := c.standings(); err != nil {
		return err
	}
	for i, f := range r.meta.fields {
		if err := c.field(f, uint32(i+1)); err != nil {
			return err
		}
	}
	return c.records()
}

type checker struct{ r *Reader }

func (c checker) corrupt(owner uint32, part uint16, format string, args ...any) error {
	return blockfile.Corrupt(c.r.Name(), c.r.file.Offset(blockfile.ID{Owner: owner, Part: part}), format, args...)
}

func (c checker) field(f FieldOptions, owner uint32) error {
	what := ""
	switch f.Kind {
	case Terms:
		what = c.terms(f)
	case Numbers:
		what = c.numbers(f)
	case Ordinals:
		what = c.ordinals(f)
	case Geo:
		what = c.geo(f)
	case Vector:
		what = c.vectors(f)
	}
	if what != "" {
		return c.corrupt(owner, 1, "field %q: %s", f.Name, what)
	}
	return nil
}

func (c checker) terms(f FieldOptions) string {
	field := c.r.Terms(f.Name)
	var it postings.Iterator
	var sumFreq uint64
	for ord := range field.Len() {
		term := field.Term(ord)
		if ord > 0 && bytes.Compare(field.Term(ord-1), term) >= 0 {
			return fmt.Sprintf("TE1: %q after %q", term, field.Term(ord-1))
		}
		e, ok := field.Lookup(term)
		if !ok || e.Ord != ord {
			return fmt.Sprintf("TE2: %q is not found", term)
		}
		field.Iterator(&it, e)
		if f.Key {
			if what := c.keyDocs(field, &it, ord); what != "" {
				return fmt.Sprintf("key %q: %s", term, what)
			}
			field.Iterator(&it, e)
		}
		if what := c.postings(field, &it, &sumFreq); what != "" {
			return fmt.Sprintf("term %q: %s", term, what)
		}
	}
	if s := field.Stats(); s.SumFreq != sumFreq {
		return fmt.Sprintf("%d occurrences, the statistics say %d", sumFreq, s.SumFreq)
	}
	return field.CheckLists()
}

// keyDocs reports a document of a key whose own key is a different one.
func (c checker) keyDocs(field *terms.Field, it *postings.Iterator, ord uint32) string {
	for it.NextBlock() {
		for _, doc := range it.Docs() {
			if doc >= c.r.NumDocs() || field.KeyOrd(doc) != int(ord) {
				return fmt.Sprintf("TE4: document %d", doc)
			}
		}
	}
	return ""
}

func (c checker) postings(field *terms.Field, it *postings.Iterator, sumFreq *uint64) string {
	next, count := int64(0), uint32(0)
	var positions []uint32
	for it.NextBlock() {
		docs, freqs, impacts := it.Docs(), it.Freqs(), it.BlockImpacts()
		for i, doc := range docs {
			if int64(doc) < next || doc >= c.r.NumDocs() {
				return fmt.Sprintf("P1: document %d where %d or later is due", doc, next)
			}
			next = int64(doc) + 1
			*sumFreq += uint64(freqs[i])
			length := byte(0)
			if field.HasLengths() {
				length = field.Lengths()[doc]
			}
			if !impacts.Cover(freqs[i], length) {
				return fmt.Sprintf("P3: document %d is above its block's impacts", doc)
			}
			if !field.HasPositions() {
				continue
			}
			positions = it.AppendPositions(positions[:0], i)
			if len(positions) != int(freqs[i]) {
				return fmt.Sprintf("P4: document %d has %d positions, not %d", doc, len(positions), freqs[i])
			}
		}
		count += uint32(len(docs))
		if len(docs) > 0 && docs[len(docs)-1] != it.LastDoc() {
			return "the last document of a block is not its last"
		}
	}
	if it.Err() != nil {
		return it.Err().Error()
	}
	if count != it.DocFreq() {
		return fmt.Sprintf("%d documents, not %d", count, it.DocFreq())
	}
	return ""
}

func (c checker) numbers(f FieldOptions) string {
	column, index := c.r.Numbers(f.Name), c.r.NumberPoints(f.Name)
	var values []int64
	n := uint64(0)
	for doc := range c.r.NumDocs() {
		values = column.AppendAll(values[:0], doc)
		lo, hi, _ := column.BlockBounds(int(doc / 1024))
		for i, v := range values {
			if v < lo || v > hi {
				return fmt.Sprintf("CO3: %d of document %d is outside of its block's bounds", v, doc)
			}
			if i > 0 && v <= values[i-1] {
				return fmt.Sprintf("CO2: values of document %d", doc)
			}
		}
		if len(values) > 0 != column.Has(doc) {
			return fmt.Sprintf("document %d: presence", doc)
		}
		n += uint64(len(values))
	}
	if n != column.NumValues() {
		return fmt.Sprintf("%d values, not %d", n, column.NumValues())
	}
	if index == nil {
		return ""
	}
	what := ""
	var last int64
	first := true
	index.Walk(func(values []int64, docs []uint32) bool {
		for i, v := range values {
			if !first && v < last {
				what = "N1: values fall"
			}
			if docs[i] >= c.r.NumDocs() {
				what = fmt.Sprintf("N1: document %d", docs[i])
			}
			last, first = v, false
		}
		return what == ""
	})
	if what == "" && uint64(index.Len()) < n {
		what = fmt.Sprintf("%d points for %d values", index.Len(), n)
	}
	return what
}

func (c checker) ordinals(f FieldOptions) string {
	column := c.r.Ordinals(f.Name)
	for ord := uint32(1); ord < column.Len(); ord++ {
		if bytes.Compare(column.Value(ord-1), column.Value(ord)) >= 0 {
			return fmt.Sprintf("%q after %q", column.Value(ord), column.Value(ord-1))
		}
	}
	counts := make([]uint32, column.Len())
	var ords []uint32
	for doc := range c.r.NumDocs() {
		ords = column.Append(ords[:0], doc)
		for i, ord := range ords {
			if ord >= column.Len() || i > 0 && ord <= ords[i-1] {
				return fmt.Sprintf("CO2: ordinals of document %d", doc)
			}
			counts[ord]++
		}
	}
	for ord, n := range column.Counts() {
		if counts[ord] != n {
			return fmt.Sprintf("CO4: %d documents have ordinal %d, the count says %d", counts[ord], ord, n)
		}
	}
	return ""
}

func (c checker) geo(f FieldOptions) string {
	column, index := c.r.Geo(f.Name), c.r.GeoPoints(f.Name)
	n := 0
	for doc := range c.r.NumDocs() {
		at := column.Append(nil, doc)
		if len(at) > 0 != column.Has(doc) {
			return fmt.Sprintf("document %d: presence", doc)
		}
		n += len(at)
	}
	if index != nil && index.Len() != n {
		return fmt.Sprintf("%d points in the index, %d in the column", index.Len(), n)
	}
	return ""
}

func (c checker) vectors(f FieldOptions) string {
	column := c.r.Vectors(f.Name)
	next := int64(0)
	for row := range column.Len() {
		doc := column.Doc(row)
		if int64(doc) < next || doc >= c.r.NumDocs() {
			return fmt.Sprintf("document %d of row %d", doc, row)
		}
		next = int64(doc) + 1
	}
	if err := column.Check(); err != nil {
		return err.Error()
	}
	return ""
}

func (c checker) records() error {
	if c.r.records == nil {
		return nil
	}
	var record []byte
	for doc := range c.r.NumDocs() {
		var err error
		if record, err = c.r.records.Get(record[:0], doc); err != nil {
			return err
		}
	}
	return nil
}
