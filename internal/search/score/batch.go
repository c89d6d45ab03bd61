package score

// wide is how many documents the vector kernels score at once.
const wide = 16

// Postings are documents of a block, which rise, with how often each holds a
// term, and the length bytes of all documents of the segment. Docs and
// Frequencies are as long as each other.
type Postings struct {
	Docs, Frequencies []uint32
	Lengths           []byte
}

// skip drops the first n documents.
func (p *Postings) skip(n int) { p.Docs, p.Frequencies = p.Docs[n:], p.Frequencies[n:] }

// first is the first n documents.
func (p *Postings) first(n int) *Postings {
	return &Postings{p.Docs[:n], p.Frequencies[:n], p.Lengths}
}

// isWide reports whether there are enough documents for a vector kernel, which
// reads three bytes behind the length of each.
func (p *Postings) isWide() bool {
	return len(p.Docs) >= wide && int(p.Docs[len(p.Docs)-1])+4 <= len(p.Lengths)
}

// Prefetch loads the length bytes of documents that are going to be scored. They
// lie apart, and waiting for them is most of what scoring few documents of a
// large segment takes.
func Prefetch(docs []uint32, lengths []byte) {
	if len(docs) > 0 && len(lengths) > 0 {
		prefetch(docs, &lengths[0])
	}
}

// ScoreAbove scores documents by a weight, writes those above the threshold to
// docs and sums and returns how many there are. docs and sums have room for all
// and 16 more. The postings are used up.
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

// AddWindow adds the scores of different documents to the sums of a window that starts
// at base, or of several windows; their number is a power of two. The postings are used up.
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

// AddMarked is AddWindow for few documents; it marks them besides.
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
