package bitpack

// AddTo32 adds v to every value.
func AddTo32(values []uint32, v uint32) {
	if n := len(values) &^ 7; hasAVX2 && n > 0 {
		addAVX2(&values[0], n, v)
		values = values[n:]
	}
	addScalar(values, v)
}

func addScalar(values []uint32, v uint32) {
	for i := range values {
		values[i] += v
	}
}

// SumTo32 replaces every value by base plus the sum of all values up to and
// including it.
func SumTo32(values []uint32, base uint32) {
	if hasAVX2 && len(values) >= 8 {
		n := len(values) &^ 7
		sumAVX2(&values[0], n, base)
		values, base = values[n:], values[n-1]
	}
	sumScalar(values, base)
}

func sumScalar(values []uint32, base uint32) {
	for i, v := range values {
		base += v
		values[i] = base
	}
}
