package segment

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDictionaryNumbersAndOrdersStrings compares a dictionary with a map, for
// strings of all lengths, with common prefixes and zero bytes.
func TestDictionaryNumbersAndOrdersStrings(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		d := newDictionary()
		numbers := make(map[string]uint32)
		for range []int{3, 300, 5000}[seed%3] {
			key := make([]byte, random.IntN([]int{4, 12, 60}[random.IntN(3)]))
			for i := range key {
				key[i] = "\x00ab\xff"[random.IntN(4)]
			}
			switch random.IntN(4) {
			case 0:
				key = fmt.Appendf(nil, "a common beginning %d", random.IntN(1000))
			case 1:
				key = fmt.Append(nil, random.IntN(100_000))
			}
			id, fresh := d.find(key)
			want, known := numbers[string(key)]
			if fresh == known || known && id != want || !known && id != uint32(len(numbers)) || !bytes.Equal(d.key(id), key) {
				t.Fatalf("seed %d: %q has number %d, new %v; want %d, known %v", seed, key, id, fresh, want, known)
			}
			numbers[string(key)] = id
		}
		var want []uint32
		keys := make([]string, 0, len(numbers))
		for key := range numbers {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			want = append(want, numbers[key])
		}
		if got := d.sorted(); !slices.Equal(got, want) {
			t.Fatalf("seed %d: another order of %d strings", seed, len(want))
		}
	}
}
