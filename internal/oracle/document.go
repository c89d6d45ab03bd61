// Package oracle is a naive search: documents in memory, every plan node evaluated
// on every document, scores by the formulas of the interface, and one sort over all
// hits. It is slow and obvious, and exists so that tests can compare the engine
// with it: the same documents, however they are spread over segments, must give the
// same matches, totals, order and scores.
//
// Documents consist of segment structures, as plans do. Nothing here is safe for
// concurrent use.
package oracle

import (
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/segment/vectors"
)

// Document is one document, or one value of a nested list.
type Document struct {
	Terms   map[string][]Token
	Numbers map[string][]int64
	Texts   map[string][]byte // one per structure
	Points  map[string][]Point
	Vectors map[string][]float32

	List     string // path of the nested list of which this is a value
	Children []*Document
	Deleted  bool

	Parent *Document
	Number int // position in index order, list values before their document
}

// Token is one word and its position.
type Token struct {
	Text     string
	Position int
}

// Point is a position on the earth in degrees.
type Point struct{ Lat, Lon float64 }

// Collection holds documents in index order, list values directly before their
// document.
type Collection struct {
	All []*Document

	counts map[[2]string]termCount // by structure and term
	bands  map[*plan.Band]uint64   // number of documents that hold a word of the band
	lists  map[plan.Node]map[*Document]float64
}

// NewCollection returns a collection and numbers documents and their list values.
func NewCollection(roots []*Document) *Collection {
	c := &Collection{counts: map[[2]string]termCount{}, bands: map[*plan.Band]uint64{}, lists: map[plan.Node]map[*Document]float64{}}
	for _, root := range roots {
		for _, child := range root.Children {
			child.Parent, child.Deleted, child.Number = root, root.Deleted, len(c.All)
			c.All = append(c.All, child)
		}
		root.Parent, root.Number = root, len(c.All)
		c.All = append(c.All, root)
	}
	return c
}

// Shape declares the structures of documents by kind.
type Shape struct {
	Words   []string // terms with positions and lengths
	Exact   []string // terms only
	Numbers []string // single-valued numbers with points
	Many    []string // multi-valued numbers with points
	Texts   []string // ordinals
	Points  []string
	Vectors map[string]vectors.Similarity
}

// Write adds the documents to a builder as indexing would.
func (s *Shape) Write(b *segment.Builder, documents []*Document) {
	for _, d := range documents {
		b.StartDoc()
		s.write(b, d)
		b.EndDoc(d.List == "")
	}
}

func (s *Shape) write(b *segment.Builder, d *Document) {
	for _, name := range s.Words {
		f := b.Field(segment.FieldOptions{Name: name, Kind: segment.Terms, Freqs: true, Positions: true, Lengths: true})
		for _, t := range d.Terms[name] {
			b.Term(f, []byte(t.Text), uint32(t.Position))
		}
		if n := len(d.Terms[name]); n > 0 {
			b.Length(f, uint32(n))
		}
	}
	for _, name := range s.Exact {
		f := b.Field(segment.FieldOptions{Name: name, Kind: segment.Terms})
		for _, t := range d.Terms[name] {
			b.Term(f, []byte(t.Text), 0)
		}
	}
	for _, name := range s.Numbers {
		f := b.Field(segment.FieldOptions{Name: name, Kind: segment.Numbers, Points: true})
		for _, v := range d.Numbers[name] {
			b.Number(f, v)
		}
	}
	for _, name := range s.Many {
		f := b.Field(segment.FieldOptions{Name: name, Kind: segment.Numbers, Points: true, Multi: true})
		for _, v := range d.Numbers[name] {
			b.Number(f, v)
		}
	}
	for _, name := range s.Texts {
		f := b.Field(segment.FieldOptions{Name: name, Kind: segment.Ordinals})
		if v, ok := d.Texts[name]; ok {
			b.Ordinal(f, v)
		}
	}
	for _, name := range s.Points {
		f := b.Field(segment.FieldOptions{Name: name, Kind: segment.Geo, Points: true, Multi: true})
		for _, p := range d.Points[name] {
			b.Geo(f, p.Lat, p.Lon)
		}
	}
	for name, similarity := range s.Vectors {
		if v, ok := d.Vectors[name]; ok {
			b.Vector(b.Field(segment.FieldOptions{Name: name, Kind: segment.Vector, Vectors: vectors.Options{Dimensions: len(v), Similarity: similarity}}), v)
		}
	}
	if d.List != "" {
		b.Term(b.Field(segment.FieldOptions{Name: layout.Lists, Kind: segment.Terms}), []byte(d.List), 0)
	}
}
