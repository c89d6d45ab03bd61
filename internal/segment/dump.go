package segment

import (
	"fmt"
	"io"
	"strings"

	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/segment/columns"
	"github.com/quiresearch/quire/internal/segment/points"
	"github.com/quiresearch/quire/internal/segment/stored"
	"github.com/quiresearch/quire/internal/segment/terms"
	"github.com/quiresearch/quire/internal/vfs"
)

// Dump prints the contents of a segment file: its sections with their offsets, then
// its fields with their statistics. On damage it prints what it can read and
// returns an error.
func Dump(w io.Writer, fs vfs.FS, name string) error {
	m, err := fs.Map(name)
	if err != nil {
		return fmt.Errorf("dump: %w", err)
	}
	defer m.Release()
	file, err := blockfile.Inspect(name, m.Bytes())
	if err != nil {
		return err
	}
	var described meta
	if data, ok := file.Section(blockfile.ID{Part: partMeta}); ok {
		described, _ = decodeMeta(data)
	}
	file.Dump(w, func(id blockfile.ID) string { return describe(described, id) })
	r, err := open(m, blockfile.VerifyAll)
	if err == nil {
		err = r.openAll()
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "documents %d, roots %d\n", r.NumDocs(), r.NumRoots())
	for _, f := range r.Fields() {
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%s %q%s  %s", f.Kind, f.Name, f.flags(), r.summary(f)), " "))
	}
	return nil
}

func (o FieldOptions) flags() string {
	var b strings.Builder
	for _, flag := range []struct {
		name string
		set  bool
	}{{"freqs", o.Freqs}, {"positions", o.Positions}, {"lengths", o.Lengths}, {"key", o.Key}, {"multi", o.Multi}, {"points", o.Points}} {
		if flag.set {
			b.WriteString(" " + flag.name)
		}
	}
	return b.String()
}

func (r *Reader) summary(f FieldOptions) string {
	switch f.Kind {
	case Terms:
		field := r.Terms(f.Name)
		s := field.Stats()
		text := fmt.Sprintf("%d terms, %d occurrences, %d documents, length %d", s.Terms, s.SumFreq, s.Docs, s.SumLength)
		if n := field.NumForms(); n > 0 {
			text += fmt.Sprintf(", %d surface forms", n)
		}
		return text
	case Numbers:
		c := r.Numbers(f.Name)
		lo, hi, _ := c.Bounds()
		return fmt.Sprintf("%d values in %d documents, from %d to %d", c.NumValues(), c.DocsWithValue(), lo, hi)
	case Ordinals:
		c := r.Ordinals(f.Name)
		return fmt.Sprintf("%d distinct, %d values in %d documents", c.Len(), c.NumValues(), c.DocsWithValue())
	case Geo:
		c := r.Geo(f.Name)
		return fmt.Sprintf("%d points in %d documents", c.NumValues(), c.DocsWithValue())
	case Vector:
		c := r.Vectors(f.Name)
		return fmt.Sprintf("%d vectors of %d", c.Len(), c.Options().Dimensions)
	}
	return ""
}

var (
	ownParts  = map[uint16]string{partMeta: "description", partParents: "parents", partStandings: "standings", stored.PartData: "records", stored.PartBlocks: "blocks of records"}
	termParts = map[uint16]string{terms.PartInfo: "statistics", terms.PartPostings: "postings", terms.PartBytes: "terms",
		terms.PartOffsets: "offsets of terms", terms.PartHandles: "blocks of handles", terms.PartHash: "hash table",
		terms.PartPrefixes: "common prefixes", terms.PartLengths: "lengths",
		terms.PartFilter: "filter", terms.PartKeyDocs: "documents of keys", terms.PartKeys: "keys of documents",
		terms.PartHandleData: "handles", terms.PartFormBytes: "surface forms", terms.PartFormOffsets: "offsets of surface forms",
		terms.PartFormPrefixes: "common prefixes of surface forms", terms.PartFormTerms: "terms of surface forms"}
	columnParts = map[uint16]string{columns.PartInfo: "statistics", columns.PartValues: "values", columns.PartBlocks: "blocks",
		columns.PartBounds: "bounds", columns.PartPresent: "present", columns.PartStartValues: "starts",
		columns.PartStartBlocks: "blocks of starts", columns.PartBytes: "dictionary", columns.PartOffsets: "offsets of the dictionary",
		columns.PartCounts: "counts", columns.PartDocs: "documents", points.PartData: "points", points.PartBlocks: "blocks of points"}
)

// describe returns the name of a section.
func describe(m meta, id blockfile.ID) string {
	if id.Owner == 0 {
		return ownParts[id.Part]
	}
	if int(id.Owner) > len(m.fields) {
		return ""
	}
	f := m.fields[id.Owner-1]
	parts := columnParts
	if f.Kind == Terms {
		parts = termParts
	}
	return fmt.Sprintf("%s %q: %s", f.Kind, f.Name, parts[id.Part])
}
