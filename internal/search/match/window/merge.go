package window

// Two-way merges of scored lists, and the filter of a single list. Neither branches on the
// contents of the lists.
//
// Example: the lists are 3, 8, 90 with the scores 1, 2, 1 and 8, 40 with 0.5, 3. In their union
// 3, 8, 40, 90 with 1, 2.5, 3, 1 the documents above 2 are 8 and 40.

// Padding is how many elements past the documents that they append kernels may write to.
const Padding = 16

// Reserve makes memory for n documents and keeps those in the batch.
func (b *Batch) Reserve(n int) {
	if n <= len(b.docs) {
		return
	}
	n = max(n, 2*len(b.docs), 1024)
	docs, sums := make([]uint32, n), make([]float64, n)
	copy(docs, b.Docs)
	copy(sums, b.Sums)
	b.docs, b.sums = docs, sums
	b.Truncate(len(b.Docs))
}

// Merge makes the batch the union of two others, each in ascending order without duplicates,
// with the sums of their scores, and drops the documents that do not exceed least.
func (b *Batch) Merge(x, y *Batch, least float64) {
	x.Reserve(len(x.Docs) + 1)
	y.Reserve(len(y.Docs) + 1)
	b.Reserve(len(x.Docs) + len(y.Docs))
	l := lists{x.Docs, y.Docs, x.Sums[:len(x.Docs)], y.Sums[:len(y.Docs)]}
	i, j, n := 0, 0, 0
	if len(x.Docs) > 0 && len(y.Docs) > 0 {
		i, j, n = merge(&l, least, b.docs, b.sums)
	}
	n += KeepAbove(x.Docs[i:], x.Sums[i:], 0, least, b.docs[n:], b.sums[n:])
	n += KeepAbove(y.Docs[j:], y.Sums[j:], 0, least, b.docs[n:], b.sums[n:])
	b.Truncate(n)
}

// KeepAbove drops the documents of the batch whose sum plus rest does not exceed least.
func (b *Batch) KeepAbove(rest, least float64) {
	n := KeepAbove(b.Docs, b.Sums, rest, least, b.Docs, b.Sums)
	b.Docs, b.Sums = b.Docs[:n], b.Sums[:n]
}

// lists holds two lists of documents in ascending order, with scores. Neither is empty, and
// each has memory for one more document.
type lists struct {
	x, y         []uint32
	xSums, ySums []float64
}

// mergeGeneric merges two lists until one of them ends, and writes the documents that score
// above least. It returns how many documents of each it read and how many it wrote. docs and
// sums must be at least as long as both lists together.
func mergeGeneric(l *lists, least float64, docs []uint32, sums []float64) (i, j, n int) {
	for i < len(l.x) && j < len(l.y) {
		a, b := l.x[i], l.y[j]
		sum := 0.0
		if a <= b {
			sum = l.xSums[i]
			i++
		}
		if b <= a {
			sum += l.ySums[j]
			j++
		}
		docs[n], sums[n] = min(a, b), sum
		if sum > least {
			n++
		}
	}
	return i, j, n
}

// keepAboveGeneric is KeepAbove one document at a time.
func keepAboveGeneric(docs []uint32, sums []float64, rest, least float64, to []uint32, toSums []float64) (n int) {
	sums = sums[:len(docs)]
	for i, doc := range docs {
		if sum := sums[i]; sum+rest > least {
			to[n], toSums[n] = doc, sum
			n++
		}
	}
	return n
}
