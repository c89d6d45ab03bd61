package postings

import "math"

// Scorer computes the part of a score that a frequency and a length code
// contribute. It must be monotonic: never lower for a higher frequency, never
// higher for a greater length.
type Scorer interface {
	Part(frequency uint32, length uint8) float32
	// Small returns the parts of low frequencies, from 0 on: the part of a
	// frequency and a length is at frequency × 256 + length. The result may be
	// empty.
	Small() []float32
}

// partOf returns an upper bound of the part for a pair.
func partOf(by Scorer, freq, length uint8) float32 {
	if freq == manyFreq {
		return by.Part(math.MaxUint32, length)
	}
	return by.Part(uint32(freq), length)
}

// Impact is a (frequency, length code) pair: no document that it stands for has
// both a higher frequency and a smaller length (P3). Freq 255 means 255 or more.
type Impact struct {
	Freq   uint8
	Length uint8
}

// Impacts is a list of pairs in ascending order of both frequency and length.
type Impacts []Impact

// manyFreq is the saturated frequency.
const manyFreq = 255

// maxPairs bounds a list; beyond it, neighbours are joined to a weaker pair.
const maxPairs = 12

// Max returns the highest part of any pair. Without pairs it is that of a short
// document full of the term, a bound that always holds.
func (l Impacts) Max(by Scorer) float32 {
	if len(l) == 0 {
		return partOf(by, manyFreq, 0)
	}
	var best float32
	for _, p := range l {
		best = max(best, partOf(by, p.Freq, p.Length))
	}
	return best
}

// frontier collects the pairs that no other pair dominates (the Pareto frontier).
type frontier struct {
	pairs [maxPairs + 1]Impact
	n     int
}

func (f *frontier) reset() { f.n = 0 }

func (f *frontier) add(freq, length uint8) {
	i := 0
	for i < f.n && f.pairs[i].Freq < freq {
		i++
	}
	if i < f.n && f.pairs[i].Length <= length {
		return
	}
	from, to := i, i
	for from > 0 && f.pairs[from-1].Length >= length {
		from--
	}
	if i < f.n && f.pairs[i].Freq == freq {
		to++
	}
	if from == to {
		copy(f.pairs[from+1:f.n+1], f.pairs[from:f.n])
		f.n++
	} else {
		copy(f.pairs[from+1:], f.pairs[to:f.n])
		f.n -= to - from - 1
	}
	f.pairs[from] = Impact{Freq: freq, Length: length}
	if f.n > maxPairs {
		f.join()
	}
}

// join replaces the two neighbours with the closest lengths by one pair that covers
// both.
func (f *frontier) join() {
	best := 0
	for i := 1; i+1 < f.n; i++ {
		if f.pairs[i+1].Length-f.pairs[i].Length < f.pairs[best+1].Length-f.pairs[best].Length {
			best = i
		}
	}
	f.pairs[best].Freq = f.pairs[best+1].Freq
	copy(f.pairs[best+1:], f.pairs[best+2:f.n])
	f.n--
}

func (f *frontier) merge(other *frontier) {
	for _, p := range other.pairs[:other.n] {
		f.add(p.Freq, p.Length)
	}
}

func (f *frontier) appendTo(dst []byte) []byte {
	dst = append(dst, byte(f.n))
	for _, p := range f.pairs[:f.n] {
		dst = append(dst, p.Freq, p.Length)
	}
	return dst
}

// Cover reports whether a pair has at least the given frequency and at most the
// given length (P3).
func (l Impacts) Cover(freq uint32, length uint8) bool {
	for _, p := range l {
		if (p.Freq == manyFreq || uint32(p.Freq) >= freq) && p.Length <= length {
			return true
		}
	}
	return false
}
