package postings

import "math"

// Scorer gives what a frequency and a length code make of a score. It never
// falls with the frequency and never rises with the length.
type Scorer interface {
	Part(frequency uint32, length uint8) float32
	// Small is the parts of low frequencies, from 0 on: that of a frequency and
	// a length is at frequency × 256 + length. It may have none.
	Small() []float32
}

// partOf is what a pair makes of a score at most.
func partOf(by Scorer, freq, length uint8) float32 {
	if freq == manyFreq {
		return by.Part(math.MaxUint32, length)
	}
	return by.Part(uint32(freq), length)
}

// Impact is a (frequency, length code) pair that no document exceeds in both
// where it belongs to (P3). Freq 255 stands for 255 or more.
type Impact struct {
	Freq   uint8
	Length uint8
}

// Impacts is a list of pairs with rising frequency and rising length.
type Impacts []Impact

// manyFreq is the saturated frequency.
const manyFreq = 255

// maxPairs bounds a list; beyond it neighbours are joined to a weaker pair.
const maxPairs = 12

// Max is the highest part that a pair makes. Without pairs it is that of a
// short document full of the term, the bound that always holds.
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

// frontier gathers the pairs no other pair beats.
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

// join replaces the two neighbours with the nearest lengths by one pair that
// covers both.
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

// Cover reports whether some pair has at least the frequency and at most the
// length (P3).
func (l Impacts) Cover(freq uint32, length uint8) bool {
	for _, p := range l {
		if (p.Freq == manyFreq || uint32(p.Freq) >= freq) && p.Length <= length {
			return true
		}
	}
	return false
}
