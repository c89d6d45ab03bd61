package docset

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/vfs"
)

// values returns the numbers of a document, which may be none.
type values func(r *rand.Rand, doc int) []int64

const rangeDocuments = 30_000

var columnsOfNumbers = map[string]values{
	"random":   func(r *rand.Rand, _ int) []int64 { return []int64{r.Int64N(5000)} },
	"ordered":  func(r *rand.Rand, doc int) []int64 { return []int64{int64(doc)/6 + r.Int64N(30)} },
	"constant": func(*rand.Rand, int) []int64 { return []int64{2500} },
	"missing": func(r *rand.Rand, doc int) []int64 {
		if doc%3 == 0 || doc > 20_000 && doc < 24_000 {
			return nil
		}
		return []int64{int64(doc) / 6}
	},
	"scarce": func(r *rand.Rand, doc int) []int64 {
		if r.IntN(20) > 0 {
			return nil
		}
		return []int64{int64(doc) / 6}
	},
	"lists": func(r *rand.Rand, doc int) []int64 { return []int64{int64(doc) / 6, r.Int64N(5000)} },
	"extremes": func(r *rand.Rand, doc int) []int64 {
		return []int64{[]int64{math.MinInt64, 0, 4999, math.MaxInt64}[doc/7500]}
	},
}

func numbersSegment(t *testing.T, all [][]int64) *segment.Reader {
	t.Helper()
	isMulti := false
	for _, of := range all {
		isMulti = isMulti || len(of) > 1
	}
	b := segment.NewBuilder()
	field := b.Field(segment.FieldOptions{Name: "number", Kind: segment.Numbers, Points: true, Multi: isMulti})
	for _, of := range all {
		b.StartDoc()
		for _, v := range of {
			b.Number(field, v)
		}
		b.EndDoc(true)
	}
	fs := vfs.Memory()
	if _, err := b.Finish(fs, "a.seg"); err != nil {
		t.Fatal(err)
	}
	reader, err := segment.Open(fs, "a.seg", blockfile.Trusted)
	if err != nil {
		t.Fatal(err)
	}
	return reader
}

// A range finds the documents that have a number in it, regardless of their number and order.
func TestRangesFindTheirDocuments(t *testing.T) {
	for name, of := range columnsOfNumbers {
		r := rand.New(rand.NewPCG(3, 17))
		all := make([][]int64, rangeDocuments)
		for doc := range all {
			all[doc] = of(r, doc)
		}
		reader := numbersSegment(t, all)
		for range 40 {
			intervals := randomIntervals(r)
			set, err := Filter(reader, &plan.NumberRange{Structure: "number", Intervals: intervals})
			if err != nil {
				t.Fatal(err)
			}
			count := 0
			for doc, of := range all {
				holds := false
				for _, v := range of {
					holds = holds || Meets(intervals, v, v)
				}
				if holds {
					count++
				}
				if set.Has(uint32(doc)) != holds {
					t.Fatalf("%s: document %d with %v found in %v: %v", name, doc, of, intervals, !holds)
				}
			}
			if set.Len() != count {
				t.Fatalf("%s: %d documents in %v, want %d", name, set.Len(), intervals, count)
			}
		}
	}
}

// randomIntervals returns disjoint intervals in ascending order; the first and the last may
// extend to the ends.
func randomIntervals(r *rand.Rand) []plan.Interval {
	var all []plan.Interval
	from := r.Int64N(3000)
	for range 1 + r.IntN(3) {
		to := from + r.Int64N(4000)
		all = append(all, plan.Interval{Min: from, Max: to})
		from = to + 2 + r.Int64N(100)
	}
	if r.IntN(4) == 0 {
		all[0].Min = math.MinInt64
	}
	if r.IntN(4) == 0 {
		all[len(all)-1].Max = math.MaxInt64
	}
	return all
}

// If numbers follow the order of documents, the bounds of blocks decide about most of them.
func TestOrderedNumbersAreFoundByBlocks(t *testing.T) {
	for name, want := range map[string]bool{"ordered": true, "missing": true, "constant": true, "random": false} {
		r := rand.New(rand.NewPCG(5, 1))
		all := make([][]int64, rangeDocuments)
		for doc := range all {
			all[doc] = columnsOfNumbers[name](r, doc)
		}
		column := numbersSegment(t, all).Numbers("number")
		if got := byBlocks(column, []plan.Interval{{Min: 1000, Max: 3000}}, rangeDocuments/5) != nil; got != want {
			t.Errorf("%s: found by blocks: %v", name, got)
		}
	}
}
