package score

import (
	"math"
	"testing"

	"github.com/quiresearch/quire/definition"
)

func lengths() *[256]float64 {
	var l [256]float64
	for i := range l {
		l[i] = float64(i)
	}
	return &l
}

var normalizations = []definition.LengthNormalization{definition.LengthNone, definition.LengthModerate, definition.LengthStrong}

func TestPartGrowsWithFrequencyAndShrinksWithLength(t *testing.T) {
	for _, norm := range normalizations {
		for _, form := range []Form{{Length: norm}, {Length: norm, Words: 1}, {Length: norm, Words: 3}, {Length: norm, Weight: 2.5}, {Length: norm, Words: 2, Weight: 2.5, Mean: 1.5}} {
			table := NewTable(lengths(), 12.5, form)
			for f := uint32(1); f < 40; f++ {
				for n := range 255 {
					if table.Part(f+1, byte(n)) < table.Part(f, byte(n)) {
						t.Fatalf("%v: frequency %d scores above %d at length %d", form, f, f+1, n)
					}
					if table.Part(f, byte(n+1)) > table.Part(f, byte(n)) {
						t.Fatalf("%v: length %d scores above %d at frequency %d", form, n+1, n, f)
					}
				}
			}
			if form.Weight == 0 && table.Part(math.MaxUint32, 0) > 1 {
				t.Errorf("%v: a quality above 1", form)
			}
		}
	}
}

func TestNoneCountsTheFirstOccurrenceTheSameInEveryValue(t *testing.T) {
	table := NewTable(lengths(), 12.5, Form{Length: definition.LengthNone, Words: 2})
	for n := 1; n < 256; n++ {
		if table.Part(1, byte(n)) != table.Part(1, 1) {
			t.Fatalf("length %d counts %v, length 1 %v", n, table.Part(1, byte(n)), table.Part(1, 1))
		}
	}
	if table.Part(2, 1) <= table.Part(2, 100) {
		t.Error("a repetition counts as much in a long value as in a short one")
	}
}

func TestRarerWordsWeighMore(t *testing.T) {
	if !(IDF(1, 1000) > IDF(10, 1000) && IDF(10, 1000) > IDF(1000, 1000) && IDF(1000, 1000) > 0) {
		t.Error("the weight does not fall with the number of documents")
	}
	if IDF(5, 3) <= 0 {
		t.Error("more holders than documents")
	}
}

func TestSignalFactors(t *testing.T) {
	for _, c := range []struct {
		name   string
		signal Signal
		value  float64
		want   float64
	}{
		{"saturation at the pivot", Signal{Saturation, 50, 1}, 50, 1.5},
		{"saturation below zero", Signal{Saturation, 50, 1}, -3, 1},
		{"decay after one half life", Signal{Decay, 10, 1}, 90_000, 1.5},
		{"decay in the future", Signal{Decay, 10, 2}, 200_000, 3},
		{"linear above the ceiling", Signal{Linear, 10, 0.5}, 25, 1.5},
		{"linear half way", Signal{Linear, 10, 0.5}, 5, 1.25},
	} {
		if got := c.signal.Factor(c.value, 100_000); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
