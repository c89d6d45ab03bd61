package bitpack

// AddTo32 adds v to every value.
func AddTo32(values []uint32, v uint32) {
	for len(values) >= 8 {
		s := values[:8:8]
		s[0] += v
		s[1] += v
		s[2] += v
		s[3] += v
		s[4] += v
		s[5] += v
		s[6] += v
		s[7] += v
		values = values[8:]
	}
	for i := range values {
		values[i] += v
	}
}
