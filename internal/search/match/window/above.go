package window

// aboveGeneric leaves the places in out whose sums are above least.
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

// fewGeneric is FewToMark where sums are looked at one by one.
const fewGeneric = 640
