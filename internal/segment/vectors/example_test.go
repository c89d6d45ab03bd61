package vectors

import (
	"bytes"
	"context"
	"fmt"
	"math"

	"github.com/quiresearch/quire/internal/bitset"
)

// points returns one-dimensional vectors.
func points(values ...float32) *rows {
	all := newRows(1, len(values))
	for i := range values {
		all.add(values[i : i+1])
	}
	return all
}

// A new node at 0 finds candidates at 1, 1.5 and −2 and has two links. The nearest,
// at 1, gets one. The candidate at 1.5 is skipped although it is nearer than the
// last one: it lies behind 1, which leads to it. So links go in different
// directions, following the heuristic of the HNSW paper (Malkov and Yashunin, 2016,
// algorithm 4).
func Example_insert() {
	o := Options{Dimensions: 1, Similarity: Euclidean, M: 2}
	all := points(0, 1, 1.5, -2)
	all.raise(o.Similarity)
	w := newInsertion(&construction{rows: all, options: o})
	var candidates []near
	for node := uint32(1); node < 4; node++ {
		candidates = append(candidates, nearOf(node, w.nearness(0, node)))
	}
	sortNearest(candidates)
	for _, node := range w.choose(nil, candidates, o.M) {
		fmt.Println("link to", *all.at[node])
	}
	// Output:
	// link to 1
	// link to -2
}

// Points are at 0 to 39 on a line, and the query asks for the two nearest to 0
// among those from 7 on. The walk passes points that the filter rejects, because
// they lead on, but keeps only accepted ones; once it has two, it does not follow
// points farther than both.
func Example_filteredWalk() {
	o := Options{Dimensions: 1, Similarity: Euclidean, M: 2, EfConstruction: 4}
	all, docs := newRows(1, 40), make([]uint32, 40)
	for i := range docs {
		docs[i] = uint32(i)
		all.add([]float32{float32(i)})
	}
	g, err := buildGraph(context.Background(), o, all, nil, 1)
	if err != nil {
		panic(err)
	}
	var out bytes.Buffer
	c := &column{Options: o, docs: docs, rows: all}
	if err := c.write(&out, g); err != nil {
		panic(err)
	}
	r, err := Open(out.Bytes())
	if err != nil {
		panic(err)
	}
	accept := bitset.New(40)
	for doc := uint32(7); doc < 40; doc++ {
		accept.Set(doc)
	}

	s, query := r.take(), []float32{0}
	r.accepted(s, accept)
	r.codes.query(query, &s.side)
	s.query, s.filtered = query, true
	if _, err := r.walk(context.Background(), s, walk{starts: 1, breadth: 2, patience: math.MaxInt, visits: math.MaxInt}); err != nil {
		panic(err)
	}
	for _, hit := range r.hits(s, 2) {
		fmt.Println("document", hit.Doc)
	}
	fmt.Println("looked at", len(s.seen.nodes), "of", r.Len())
	// Output:
	// document 7
	// document 8
	// looked at 10 of 40
}

// Points are at 0 to 15 on a line, each linked to the two next points on either
// side, and the query asks for the two multiples of 3 nearest to 8. From 0, the
// walk hops over rejected points to 3, 6, 9 and 12 and compares no others with the
// query.
func Example_twoHopWalk() {
	const points = 16
	all, docs := newRows(1, points), make([]uint32, points)
	g := newGraph(2, make([]uint8, points))
	g.top = 0
	accept := bitset.New(points)
	for i := range docs {
		docs[i] = uint32(i)
		all.add([]float32{float32(i)})
		for _, to := range []int{i - 2, i - 1, i + 1, i + 2} {
			if to >= 0 && to < points {
				g.addLink(uint32(i), 0, uint32(to))
			}
		}
		if i%3 == 0 {
			accept.Set(uint32(i))
		}
	}
	var out bytes.Buffer
	c := &column{Options: Options{Dimensions: 1, Similarity: Euclidean, M: 2}, docs: docs, rows: all}
	if err := c.write(&out, g); err != nil {
		panic(err)
	}
	r, err := Open(out.Bytes())
	if err != nil {
		panic(err)
	}

	s, query := r.take(), []float32{8}
	r.accepted(s, accept)
	r.codes.query(query, &s.side)
	s.query, s.filtered, s.starts = query, true, []uint32{0}
	if _, err := r.walkAccepted(context.Background(), s, walk{starts: 1, breadth: 2, patience: math.MaxInt, visits: math.MaxInt}); err != nil {
		panic(err)
	}
	for _, hit := range r.hits(s, 2) {
		fmt.Println("document", hit.Doc)
	}
	for _, node := range s.seen.nodes {
		if s.accepts(node) {
			fmt.Println("compared", node)
		}
	}
	// Output:
	// document 9
	// document 6
	// compared 0
	// compared 3
	// compared 6
	// compared 9
	// compared 12
}
