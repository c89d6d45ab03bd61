package terms

// skips finds the end of a trie node in the sorted list: the next term that shares
// less than a given number of bytes with its predecessor. The smallest common
// prefix of every 64 and of every 4,096 terms makes it possible to jump over large
// nodes.
type skips struct {
	prefixes []byte
	of64     []byte
	of4096   []byte
}

func newSkips(prefixes []byte) skips {
	s := skips{prefixes: prefixes}
	s.of64 = minima(prefixes)
	s.of4096 = minima(s.of64)
	return s
}

func minima(values []byte) []byte {
	out := make([]byte, 0, len(values)/64+1)
	for len(values) > 0 {
		n := min(64, len(values))
		lowest := values[0]
		for _, v := range values[1:n] {
			lowest = min(lowest, v)
		}
		out = append(out, lowest)
		values = values[n:]
	}
	return out
}

// next returns the first term after i and before end that shares less than depth
// bytes with its predecessor, or end when there is none.
func (s *skips) next(i, depth, end int) int {
	if depth > 255 {
		// Longer common prefixes are not stored: treat every term as its own node.
		return min(i+1, end)
	}
	d := byte(depth)
	i++
	for i < end {
		if i&63 == 0 {
			if i&4095 == 0 {
				for i>>12 < len(s.of4096) && s.of4096[i>>12] >= d && i < end {
					i += 4096
				}
			}
			for i>>6 < len(s.of64) && i < end && s.of64[i>>6] >= d {
				i += 64
				if i&4095 == 0 {
					break
				}
			}
			if i >= end {
				return end
			}
			if i&4095 == 0 && s.of4096[i>>12] >= d {
				continue
			}
		}
		stop := min(end, i&^63+64)
		for _, v := range s.prefixes[i:stop] {
			if v < d {
				return i
			}
			i++
		}
	}
	return end
}
