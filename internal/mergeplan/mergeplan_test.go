package mergeplan

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func sizes(all ...int64) []Segment {
	segments := make([]Segment, len(all))
	for i, size := range all {
		segments[i] = Segment{Size: size, Docs: int(size)}
	}
	return segments
}

func TestChoose(t *testing.T) {
	policy := Policy{Floor: 10, MaxMerged: 10_000, PerTier: 3, PerLarge: 3}
	tests := []struct {
		name     string
		segments []Segment
		want     string
	}{
		{"nothing", nil, "[]"},
		{"few small ones stay", sizes(5, 5), "[]"},
		{"a full floor tier is gathered", sizes(5, 1, 9), "[[0 1 2]]"},
		{"two merges at once", sizes(5, 1, 9, 2, 2, 2), "[[0 1 2] [3 4 5]]"},
		{"a big one is left out of small merges", sizes(5000, 1, 2, 3), "[[1 2 3]]"},
		{"what is not adjacent is not merged", sizes(1, 5000, 2, 5000, 3), "[]"},
		{"small ones between are taken along", sizes(12, 1, 20, 2, 25, 3), "[[0 1 2 3 4]]"},
		{"small ones shut in by large ones go when there are many", sizes(5000, 1, 2, 5000, 3, 4, 5000), "[[1 2] [4 5]]"},
		{"a higher tier is gathered too", sizes(12, 20, 25, 1), "[[0 1 2]]"},
		{"segments at the bound are never merged", sizes(10_000, 10_000, 10_000), "[]"},
		{"a merge stays below the bound", sizes(3800, 3900, 4000, 3700), "[[0 1]]"},
		{"deleted documents count for the bound", []Segment{{Size: 4000, Docs: 10, Deleted: 3}, {Size: 4000, Docs: 10, Deleted: 3}, {Size: 4000, Docs: 10, Deleted: 3}}, "[[0 1]]"},
		{"busy segments are left alone", []Segment{{Size: 1, Docs: 1, Busy: true}, {Size: 1, Docs: 1}, {Size: 1, Docs: 1}}, "[]"},
		{"a wasteful segment is rewritten alone", []Segment{{Size: 9000, Docs: 100, Deleted: 40}}, "[[0]]"},
		{"a little waste is kept", []Segment{{Size: 9000, Docs: 100, Deleted: 20}}, "[]"},
		{"an empty segment goes", []Segment{{Size: 9000, Docs: 100, Deleted: 100}}, "[[0]]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := fmt.Sprint(policy.Choose(test.segments)); got != test.want {
				t.Errorf("chose %s, want %s", got, test.want)
			}
		})
	}
}

func TestSettle(t *testing.T) {
	policy := Policy{Floor: 80, MaxMerged: 10_000, PerTier: 10}
	for _, test := range []struct {
		name     string
		segments []Segment
		credit   int64
		want     string
	}{
		{"nothing", nil, 0, "[]"},
		{"one is settled", sizes(500), 9000, "[]"},
		{"a loaded index becomes one", sizes(400, 400, 40, 40, 10), 0, "[0 1 2 3 4]"},
		{"a large one is left alone by small ones", sizes(9000, 20, 10, 10), 0, "[1 2 3]"},
		{"sizes that fall fast are settled", sizes(6000, 2000, 500, 100), 0, "[]"},
		{"credit joins sizes that fall fast", sizes(6000, 2000, 500, 100), 8600, "[0 1 2 3]"},
		{"credit joins what it suffices for", sizes(6000, 2000, 500, 100), 8599, "[1 2 3]"},
		{"tiny ones are joined whatever they are", sizes(9000, 5, 1, 1), 0, "[1 2 3]"},
		{"a merge stays below the bound", sizes(6000, 6000, 100, 100), 0, "[2 3]"},
		{"credit does not lift the bound", sizes(6000, 6000, 100, 80), 1 << 40, "[1 2 3]"},
		{"deleted documents count for the bound", []Segment{{Size: 6000, Docs: 10, Deleted: 3}, {Size: 6000, Docs: 10, Deleted: 3}}, 9000, "[]"},
		{"busy segments are left alone", []Segment{{Size: 50, Docs: 1, Busy: true}, {Size: 50, Docs: 1}, {Size: 50, Docs: 1}}, 9000, "[1 2]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := fmt.Sprint(policy.Settle(test.segments, test.credit)); got != test.want {
				t.Errorf("chose %s, want %s", got, test.want)
			}
		})
	}
}

// A generation that rests after every commit rewrites a document a logarithmic
// number of times and has a handful of segments.
func TestSettleIsPaidForByGrowth(t *testing.T) {
	for seed := range uint64(16) {
		paid := int64(seed%2) * 4 // without credit, and with that of the engine
		random := rand.New(rand.NewPCG(seed, 2))
		policy := Policy{Floor: 100, MaxMerged: 1 << 40}
		var segments []Segment
		var written, merged int64
		for range 3000 {
			size := 100 + random.Int64N(900)
			written += size
			segments = append(segments, Segment{Size: size, Docs: int(size)})
			for merge := policy.Settle(segments, paid*written-merged); merge != nil; merge = policy.Settle(segments, paid*written-merged) {
				joined := Segment{}
				for _, i := range merge {
					joined.Size, joined.Docs = joined.Size+segments[i].Size, joined.Docs+segments[i].Docs
				}
				merged += joined.Size
				segments = append(append(segments[:merge[0]:merge[0]], joined), segments[merge[len(merge)-1]+1:]...)
			}
			if len(segments) > 12 {
				t.Fatalf("seed %d: %d segments at rest", seed, len(segments))
			}
		}
		if merged > 7*written {
			t.Errorf("seed %d: %d bytes written, %d merged", seed, written, merged)
		}
	}
}

// A large tier holds more segments than a small one before it is merged.
func TestALargeTierHoldsMore(t *testing.T) {
	policy := Policy{Floor: 10, MaxMerged: 10_000, PerTier: 3, PerLarge: 5}
	for _, test := range []struct {
		name     string
		segments []Segment
		want     string
	}{
		{"a small tier", sizes(30, 30, 30), "[[0 1 2]]"},
		{"a large tier that has room", sizes(40, 40, 40, 40), "[]"},
		{"a full large tier", sizes(40, 40, 40, 40, 40, 1), "[[0 1 2 3 4]]"},
		{"large ones do not make many of few", sizes(40, 40, 1, 1, 40, 1, 1), "[]"},
		{"small ones shut in go when there are many", sizes(40, 40, 1, 1, 40, 30, 1, 30), "[[2 3]]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := fmt.Sprint(policy.Choose(test.segments)); got != test.want {
				t.Errorf("chose %s, want %s", got, test.want)
			}
		})
	}
}

// Measures what merges write for a load of equal commits and the rest after it, and
// how many segments a search sees meanwhile.
func TestLoadAndRest(t *testing.T) {
	const size = 550 << 10 // half the size of 10,000 commit messages
	for _, test := range []struct {
		commits  int
		rewrites float64 // how often merges write a document
		segments int
	}{
		{200, 3, 25},
		{600, 3, 35},
		{2000, 3, 50},
		{6000, 4, 50},
	} {
		var segments []Segment
		var merged int64
		most := 0
		join := func(merge Merge) {
			joined := Segment{}
			for _, i := range merge {
				joined.Size, joined.Docs = joined.Size+segments[i].Size, joined.Docs+segments[i].Docs
			}
			merged += joined.Size
			segments = append(append(segments[:merge[0]:merge[0]], joined), segments[merge[len(merge)-1]+1:]...)
		}
		for range test.commits {
			segments = append(segments, Segment{Size: size, Docs: size})
			for merges := (Policy{}).Choose(segments); len(merges) > 0; merges = (Policy{}).Choose(segments) {
				join(merges[0])
			}
			most = max(most, len(segments))
		}
		for merge := (Policy{}).Settle(segments, 0); merge != nil; merge = (Policy{}).Settle(segments, 0) {
			join(merge)
		}
		if rewrites := float64(merged) / float64(test.commits*size); rewrites > test.rewrites || most > test.segments || len(segments) > 1 {
			t.Errorf("%d commits: a document was merged %.2f times, up to %d segments, %d at rest", test.commits, rewrites, most, len(segments))
		}
	}
}

// Runs random commits through the plan and checks MP1 to MP3, the number of
// segments, and how often a document is rewritten.
func TestChooseKeepsFewSegmentsForLittleWork(t *testing.T) {
	for seed := range uint64(8) {
		random := rand.New(rand.NewPCG(seed, 1))
		policy := Policy{Floor: 100, MaxMerged: 1 << 40, PerTier: 10}
		var segments []Segment
		var written, merged int64
		for range 3000 {
			size := 1 + random.Int64N(300)
			written += size
			segments = append(segments, Segment{Size: size, Docs: int(size)})
			for round := 0; ; round++ {
				merges := policy.Choose(segments)
				if len(merges) == 0 {
					break
				}
				if round > 100 {
					t.Fatal("MP3: the choice does not end")
				}
				into := make(map[int]int) // the first segment of the merge
				for _, merge := range merges {
					var sum int64
					for at, i := range merge {
						if _, used := into[i]; used {
							t.Fatalf("MP1: segment %d twice", i)
						}
						if i != merge[0]+at {
							t.Fatalf("MP4: %v", merge)
						}
						into[i] = merge[0]
						sum += segments[i].Size
					}
					if sum > policy.MaxMerged {
						t.Fatalf("MP2: merge of %d", sum)
					}
					merged += sum
				}
				var next []Segment
				for i, segment := range segments {
					if first, isMerged := into[i]; isMerged && i != first {
						last := &next[len(next)-1]
						last.Size, last.Docs = last.Size+segment.Size, last.Docs+segment.Docs
					} else {
						next = append(next, segment)
					}
				}
				segments = next
			}
		}
		if len(segments) > 60 {
			t.Errorf("seed %d: %d segments left", seed, len(segments))
		}
		if merged > 8*written {
			t.Errorf("seed %d: %d bytes written, %d merged", seed, written, merged)
		}
	}
}

// A merged segment fits into one PUT of S3, at most 5 GiB, even if it is larger than
// the segments that it was merged from.
func TestMergedSegmentsFitIntoOnePut(t *testing.T) {
	if most := int64(5 << 30); DefaultMaxMerged > most/5*4 {
		t.Errorf("a merge reads up to %d bytes", DefaultMaxMerged)
	}
}

// TestIsLong checks that the result of a full lowest tier is not long, and that
// larger merges are.
func TestIsLong(t *testing.T) {
	p := Policy{Floor: 100, PerTier: 3}
	segments := []Segment{{Size: 100, Docs: 1}, {Size: 100, Docs: 1}, {Size: 100, Docs: 1}, {Size: 200, Docs: 2, Deleted: 1}, {Size: 1, Docs: 1}}
	for _, test := range []struct {
		merge Merge
		want  bool
	}{
		{Merge{0, 1, 2}, false},
		{Merge{0, 1, 3}, false}, // deleted documents are not written
		{Merge{0, 1, 2, 4}, true},
	} {
		if got := p.IsLong(segments, test.merge); got != test.want {
			t.Errorf("%v: %v", test.merge, got)
		}
	}
}
