package score

// wide is how many documents the vector kernels score at once.
const wide = 16

// Grade scores documents of a block, which rise, and writes those above the
// threshold to out and sums, from place n on; it returns the next free place. out
// and sums have room for all and 16 more.
func (t *Table) Grade(weight float32, docs, frequencies []uint32, lengths []byte, threshold float32, out []uint32, sums []float64, n int) int {
	frequencies = frequencies[:len(docs)]
	for hasWide && readsWide(docs, lengths) {
		_, _ = out[n+len(docs)+wide-1], sums[n+len(docs)+wide-1]
		graded, kept := gradeWide(weight, &docs[0], &frequencies[0], len(docs), &lengths[0], &t.parts[0], threshold, &out[n], &sums[n])
		n += kept
		docs, frequencies = docs[graded:], frequencies[graded:]
		if len(docs) < wide {
			break
		}
		n = t.grade(weight, docs[:wide], frequencies, lengths, threshold, out, sums, n)
		docs, frequencies = docs[wide:], frequencies[wide:]
	}
	return t.grade(weight, docs, frequencies, lengths, threshold, out, sums, n)
}

// readsWide reports whether there are enough documents for a vector kernel,
// which reads three bytes behind the length of each.
func readsWide(docs []uint32, lengths []byte) bool {
	return len(docs) >= wide && int(docs[len(docs)-1])+4 <= len(lengths)
}

func (t *Table) grade(weight float32, docs, frequencies []uint32, lengths []byte, threshold float32, out []uint32, sums []float64, n int) int {
	frequencies = frequencies[:len(docs)]
	for i, doc := range docs {
		f := frequencies[i]
		var v float32
		if f < SmallFrequencies {
			v = weight * t.parts[(f<<8|uint32(lengths[doc]))&(SmallFrequencies*256-1)]
		} else {
			v = weight * t.PartOf(float64(f), lengths[doc])
		}
		out[n], sums[n] = doc, float64(v)
		if v > threshold {
			n++
		}
	}
	return n
}

// AddWindow adds the scores of different documents of one window of 4,096
// documents that starts at base. The documents rise.
func (t *Table) AddWindow(weight float32, docs, frequencies []uint32, lengths []byte, base uint32, sums *[4096]float64) {
	frequencies = frequencies[:len(docs)]
	for hasWide && readsWide(docs, lengths) && docs[0] >= base && docs[len(docs)-1]-base < 4096 {
		added := addWide(weight, &docs[0], &frequencies[0], len(docs), &lengths[0], &t.parts[0], base, &sums[0])
		docs, frequencies = docs[added:], frequencies[added:]
		if len(docs) < wide {
			break
		}
		t.addWindow(weight, docs[:wide], frequencies, lengths, base, sums)
		docs, frequencies = docs[wide:], frequencies[wide:]
	}
	t.addWindow(weight, docs, frequencies, lengths, base, sums)
}

func (t *Table) addWindow(weight float32, docs, frequencies []uint32, lengths []byte, base uint32, sums *[4096]float64) {
	frequencies = frequencies[:len(docs)]
	for i, doc := range docs {
		f := frequencies[i]
		at := (doc - base) & 4095
		if f < SmallFrequencies {
			sums[at] += float64(weight * t.parts[(f<<8|uint32(lengths[doc]))&(SmallFrequencies*256-1)])
		} else {
			sums[at] += float64(weight * t.PartOf(float64(f), lengths[doc]))
		}
	}
}

// AddMarked is AddWindow for few documents; it marks them besides.
func (t *Table) AddMarked(weight float32, docs, frequencies []uint32, lengths []byte, base uint32, sums *[4096]float64, marked *[64]uint64) {
	frequencies = frequencies[:len(docs)]
	for i, doc := range docs {
		f := frequencies[i]
		at := (doc - base) & 4095
		marked[at>>6] |= 1 << (at & 63)
		if f < SmallFrequencies {
			sums[at] += float64(weight * t.parts[(f<<8|uint32(lengths[doc]))&(SmallFrequencies*256-1)])
		} else {
			sums[at] += float64(weight * t.PartOf(float64(f), lengths[doc]))
		}
	}
}
