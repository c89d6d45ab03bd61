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
