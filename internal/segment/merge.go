package segment

import (
	"context"
	"fmt"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/segment/stored"
	"github.com/quiresearch/quire/internal/vfs"
)

// OverlayValue replaces a number with Value, or with no value when Missing is set.
type OverlayValue struct {
	Value   int64
	Missing bool
}

// MergeInput is one segment to merge.
type MergeInput struct {
	Reader *Reader
	// Live are the documents to keep, nil for all. A block is kept or dropped as a
	// whole, depending on its root; bits of nested documents are ignored.
	Live *bitset.Bitset
	// First is the standing of the segment in the order of the index. If it is
	// below the end of the previous input, the segment stands at that end.
	First uint64
	// Overlays replaces values of single-valued Numbers fields: field name →
	// document → value. A field that no segment has is created.
	Overlays map[string]map[DocID]OverlayValue
}

// DocMap holds, per input and document, the number in the merged segment, or NoDoc
// for a dropped document.
type DocMap [][]DocID

// Merge writes the live documents of the inputs, in order, to one new segment file
// and syncs it (but not the directory). It stops with the error of the context.
// When nothing is live it writes no file and returns Info{}.
//
// Memory: one number per document of the inputs, and the description of the field
// being merged; postings and values are streamed.
func Merge(ctx context.Context, fs vfs.FS, name string, inputs []MergeInput) (Info, DocMap, error) {
	m := &merger{inputs: inputs}
	if err := m.number(); err != nil {
		return Info{}, nil, fmt.Errorf("merge into %s: %w", name, err)
	}
	if m.docs == 0 {
		return Info{}, m.docMap, nil
	}
	if err := m.unite(); err != nil {
		return Info{}, nil, fmt.Errorf("merge into %s: %w", name, err)
	}
	summary, err := create(fs, name, func(out *blockfile.Writer) error { return m.write(ctx, out) })
	if err != nil {
		return Info{}, nil, err
	}
	return Info{Docs: m.docs, Roots: m.roots, Summary: summary}, m.docMap, nil
}

// merger is one run of Merge.
type merger struct {
	inputs []MergeInput
	docMap DocMap
	// whole marks the inputs that keep all documents; bases holds the new number of
	// the first document of each input.
	whole   []bool
	bases   []DocID
	docs    uint32
	roots   uint32
	parents *bitset.Bitset
	fields  []FieldOptions
	codes   []byte // of lengths; reused by all fields
}

// number assigns new numbers to the live documents.
func (m *merger) number() error {
	total := uint64(0)
	for _, in := range m.inputs {
		total += uint64(in.Reader.NumDocs())
	}
	if total > MaxDocs {
		return fmt.Errorf("%d documents are too many for one segment", total)
	}
	nested := false
	parents := bitset.New(uint32(total))
	for _, in := range m.inputs {
		n := in.Reader.NumDocs()
		docs := make([]DocID, n)
		base := m.docs
		for root := DocID(0); root < n; root++ {
			first := root
			root = in.Reader.Parent(root)
			if root >= n {
				return fmt.Errorf("%s: a block without a root", in.Reader.Name())
			}
			live := in.Live == nil || in.Live.Get(root)
			for d := first; d <= root; d++ {
				if !live {
					docs[d] = NoDoc
					continue
				}
				docs[d] = m.docs
				m.docs++
			}
			if live {
				nested = nested || first != root
				parents.Set(m.docs - 1)
				m.roots++
			}
		}
		m.docMap = append(m.docMap, docs)
		m.whole = append(m.whole, m.docs-base == n)
		m.bases = append(m.bases, base)
	}
	if nested {
		m.parents = bitset.FromWords(parents.Words()[:bitset.WordsFor(m.docs)], m.docs)
	}
	return nil
}

// unite determines the fields of the merged segment: for postings, the options that
// all inputs share; for values, the options that any input has.
func (m *merger) unite() error {
	at := map[fieldKey]int{}
	for _, in := range m.inputs {
		for _, f := range in.Reader.Fields() {
			i, ok := at[f.key()]
			if !ok {
				at[f.key()] = len(m.fields)
				m.fields = append(m.fields, f)
				continue
			}
			u := &m.fields[i]
			if u.Key != f.Key {
				return fmt.Errorf("field %q: of keys in one segment, not in another", f.Name)
			}
			u.Freqs, u.Positions = u.Freqs && f.Freqs, u.Positions && f.Positions
			u.Lengths, u.Multi, u.Points = u.Lengths || f.Lengths, u.Multi || f.Multi, u.Points || f.Points
			if u.Vectors.Dimensions != f.Vectors.Dimensions {
				return fmt.Errorf("field %q: vectors of %d and of %d numbers", f.Name, u.Vectors.Dimensions, f.Vectors.Dimensions)
			}
		}
		for name := range in.Overlays {
			key := fieldKey{Numbers, name}
			if _, ok := at[key]; !ok {
				at[key] = len(m.fields)
				m.fields = append(m.fields, FieldOptions{Name: name, Kind: Numbers})
			}
		}
	}
	return nil
}

func (m *merger) write(ctx context.Context, out *blockfile.Writer) error {
	if m.parents != nil {
		out.Section(blockfile.ID{Part: partParents}, m.parents.AppendBytes(nil))
	}
	if gaps := m.standings(); gaps != nil {
		out.Section(blockfile.ID{Part: partStandings}, gaps)
	}
	if err := m.writeStored(ctx, out); err != nil {
		return err
	}
	var kept []FieldOptions
	for _, f := range m.fields {
		if err := ctx.Err(); err != nil {
			return err
		}
		owner := uint32(len(kept) + 1)
		var some bool
		var err error
		switch f.Kind {
		case Terms:
			some, err = m.writeTerms(ctx, out, owner, f)
		case Numbers:
			some, err = m.writeNumbers(ctx, out, owner, f)
		case Ordinals:
			some, err = m.writeOrdinals(ctx, out, owner, f)
		case Geo:
			some, err = m.writeGeo(ctx, out, owner, f)
		case Vector:
			some, err = m.writeVectors(ctx, out, owner, f)
		}
		if err != nil {
			return fmt.Errorf("field %q: %w", f.Name, err)
		}
		if some {
			kept = append(kept, f)
		}
	}
	out.Section(blockfile.ID{Part: partMeta}, meta{docs: m.docs, roots: m.roots, fields: kept}.encode())
	return out.Err()
}

// writeStored copies packed blocks whose documents are all live, and repacks the
// others.
func (m *merger) writeStored(ctx context.Context, out *blockfile.Writer) error {
	some := false
	for _, in := range m.inputs {
		some = some || in.Reader.Stored() != nil
	}
	if !some {
		return nil
	}
	out.Begin(blockfile.ID{Part: stored.PartData})
	w, err := stored.NewWriter(out)
	if err != nil {
		return err
	}
	var record []byte
	for i, in := range m.inputs {
		if in.Reader.Stored() == nil {
			for _, doc := range m.docMap[i] {
				if doc != NoDoc {
					w.Add(nil)
				}
			}
			continue
		}
		// The keys cut out of records are in the merged dictionary, so records are
		// copied as they are.
		if err := in.Reader.Stored().check(); err != nil {
			return err
		}
		r := in.Reader.Stored().packed
		for b := range r.NumBlocks() {
			if err := ctx.Err(); err != nil {
				return err
			}
			packed, from, to, rawSize := r.Block(b)
			docs := m.docMap[i][from:to]
			if docs[0] != NoDoc && docs[len(docs)-1] != NoDoc && docs[len(docs)-1]-docs[0] == to-from-1 && w.Copies(rawSize, to-from) {
				w.AddBlock(packed, to-from, rawSize)
				continue
			}
			for d := from; d < to; d++ {
				if m.docMap[i][d] == NoDoc {
					continue
				}
				if record, err = r.Get(record[:0], d); err != nil {
					return err
				}
				w.Add(record)
			}
		}
	}
	index, err := w.Finish()
	if err != nil {
		return err
	}
	out.Section(blockfile.ID{Part: stored.PartBlocks}, index)
	return out.Err()
}
