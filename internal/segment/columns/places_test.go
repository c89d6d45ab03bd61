package columns

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/quiresearch/quire/internal/blockfile"
)

// columnOf returns a column in which every document has one of the values.
func columnOf(t *testing.T, values []string) *Ordinals {
	t.Helper()
	slices.Sort(values)
	values = slices.Compact(values)
	file := finishFile(t, func(out *blockfile.Writer) error {
		w := NewOrdinalsWriter(out, 1, uint32(len(values)), false)
		for _, v := range values {
			w.Value([]byte(v))
		}
		for doc := range values {
			w.Add(uint32(doc), uint32(doc))
		}
		return w.Finish()
	})
	c, err := OpenOrdinals(file, 1, uint32(len(values)), false)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Places agree with searches for the values, whichever column was used before.
func TestPlacesAreWhereValuesAreFound(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	random := func(most int) []string {
		values := make([]string, r.IntN(most))
		for i := range values {
			values[i] = string(rune('a'+r.IntN(26))) + string(rune('a'+r.IntN(26)))
		}
		return values
	}
	all := []*Ordinals{columnOf(t, nil)}
	for range 12 {
		all = append(all, columnOf(t, random(600)))
	}
	var wg sync.WaitGroup
	for range 4 {
		order := r.Perm(len(all))
		wg.Go(func() {
			for _, i := range order {
				for _, k := range order {
					of, in := all[k], all[i]
					for ordinal, place := range of.PlacesIn(in) {
						want, found := in.Lookup(of.Value(uint32(ordinal)))
						if !found {
							want = Absent
						}
						if place != want {
							t.Errorf("value %d of %d stands at %d, want %d", ordinal, of.Len(), place, want)
						}
					}
				}
			}
		})
	}
	wg.Wait()
}
