package score

// wide is the number of documents the vector kernels score at once.
const wide = 16

// Postings are the documents of a block in ascending order, with the frequency of a
// term in each, and the length bytes of all documents of the segment. Docs and
// Frequencies have equal length.
type Postings struct {
	Docs, Frequencies []uint32
	Lengths           []byte
}

// skip drops the first n documents.
func (p *Postings) skip(n int) { p.Docs, p.Frequencies = p.Docs[n:], p.Frequencies[n:] }

// first returns the first n documents.
func (p *Postings) first(n int) *Postings {
	return &Postings{p.Docs[:n], p.Frequencies[:n], p.Lengths}
}

// isWide reports whether a vector kernel can score the documents: there are enough
// of them, and three bytes can be read past the length byte of each.
func (p *Postings) isWide() bool {
	return len(p.Docs) >= wide && int(p.Docs[len(p.Docs)-1])+4 <= len(p.Lengths)
}

// Prefetch loads the length bytes of documents that are about to be scored. They
// are scattered, and waiting for them takes most of the time of scoring few
// documents of a large segment.
func Prefetch(docs []uint32, lengths []byte) {
	if len(docs) > 0 && len(lengths) > 0 {
		prefetch(docs, &lengths[0])
	}
}

// ScoreAbove scores documents with a weight, writes those above the threshold to
// docs and their scores to sums, and returns their number. docs and sums must have
// space for all documents and 16 more. It consumes the postings.
func (t *Table) ScoreAbove(p *Postings, weight, threshold float32, docs []uint32, sums []float64) int {
	p.Frequencies = p.Frequencies[:len(p.Docs)]
	n := 0
	for hasWide && p.isWide() {
		_, _ = docs[n+len(p.Docs)+wide-1], sums[n+len(p.Docs)+wide-1]
		scored, kept := scoreWide(p, &t.parts[0], weight, threshold, &docs[n], &sums[n])
		n += kept
		if p.skip(scored); len(p.Docs) < wide {
			break
		}
		n += t.scoreAbove(p.first(wide), weight, threshold, docs[n:], sums[n:])
		p.skip(wide)
	}
	return n + t.scoreAbove(p, weight, threshold, docs[n:], sums[n:])
}

func (t *Table) scoreAbove(p *Postings, weight, threshold float32, docs []uint32, sums []float64) int {
	frequencies, lengths := p.Frequencies[:len(p.Docs)], p.Lengths
	n := 0
	for i, doc := range p.Docs {
		f := frequencies[i]
		var v float32
		if f < SmallFrequencies {
			v = weight * t.parts[(f<<8|uint32(lengths[doc]))&(SmallFrequencies*256-1)]
		} else {
			v = weight * t.PartOf(float64(f), lengths[doc])
		}
		docs[n], sums[n] = doc, float64(v)
		if v > threshold {
			n++
		}
	}
	return n
}

// AddWindow adds the scores of distinct documents to sums, which holds one window
// that starts at base, or several. The length of sums is a power of two. It
// consumes the postings.
func (t *Table) AddWindow(p *Postings, weight float32, base uint32, sums []float64) {
	for hasWide && p.isWide() && p.Docs[0] >= base && p.Docs[len(p.Docs)-1]-base < uint32(len(sums)) {
		if p.skip(addWide(p, &t.parts[0], weight, base, &sums[0], uint32(len(sums))-1)); len(p.Docs) < wide {
			break
		}
		t.addWindow(p.first(wide), weight, base, sums)
		p.skip(wide)
	}
	t.addWindow(p, weight, base, sums)
}

func (t *Table) addWindow(p *Postings, weight float32, base uint32, sums []float64) {
	last := uint32(len(sums)) - 1
	frequencies, lengths := p.Frequencies[:len(p.Docs)], p.Lengths
	for i, doc := range p.Docs {
		f := frequencies[i]
		at := (doc - base) & last
		if f < SmallFrequencies {
			sums[at] += float64(weight * t.parts[(f<<8|uint32(lengths[doc]))&(SmallFrequencies*256-1)])
		} else {
			sums[at] += float64(weight * t.PartOf(float64(f), lengths[doc]))
		}
	}
}

// AddMarked is AddWindow for few documents. It also marks them.
func (t *Table) AddMarked(p *Postings, weight float32, base uint32, sums []float64, marked []uint64) {
	last := uint32(len(sums)) - 1
	frequencies, lengths := p.Frequencies[:len(p.Docs)], p.Lengths
	for i, doc := range p.Docs {
		f := frequencies[i]
		at := (doc - base) & last
		marked[at>>6] |= 1 << (at & 63)
		if f < SmallFrequencies {
			sums[at] += float64(weight * t.parts[(f<<8|uint32(lengths[doc]))&(SmallFrequencies*256-1)])
		} else {
			sums[at] += float64(weight * t.PartOf(float64(f), lengths[doc]))
		}
	}
}
