package window

// aboveGeneric sets out to the indexes whose sums are above least.
func aboveGeneric(sums *Sums, least float64, out *Bits) {
	for i := range out {
		var w uint64
		for j, v := range sums[i*64 : i*64+64] {
			if v > least {
				w |= 1 << j
			}
		}
		out[i] = w
	}
}

// fewGeneric is FewToMark when sums are read one by one.
const fewGeneric = 640
