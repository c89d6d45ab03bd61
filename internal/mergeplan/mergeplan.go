// Package mergeplan chooses which segments of a generation are merged next.
//
// Choose is a pure function of what the segments are: their sizes, how many
// of their documents are deleted, and whether a merge already holds them. It
// keeps the number of segments logarithmic in the size of the generation:
// sizes form tiers a factor PerTier apart, and a tier may hold up to PerTier
// segments. Everything below the floor counts as one tier, so that the small
// segments of frequent commits are gathered eagerly.
//
// Invariants:
//
//	M1  A segment is in at most one of the chosen merges, and never in one if
//	    it is busy.
//	M2  A merge of live documents never exceeds MaxMerged, unless it holds a
//	    single segment that is rewritten to give space back.
//	M3  A merge of several segments reduces their number; repeated until
//	    nothing is chosen, the choice comes to an end.
package mergeplan

import (
	"cmp"
	"slices"
)

// Segment is what the plan knows of one segment.
type Segment struct {
	Size    int64 // bytes of its files
	Docs    int   // document numbers, deleted ones included
	Deleted int   // deleted document numbers
	Busy    bool  // part of a running merge
}

// live is the share of the bytes that a merge would keep.
func (s Segment) live() int64 {
	if s.Docs <= 0 {
		return 0
	}
	return int64(float64(s.Size) * float64(s.Docs-s.Deleted) / float64(s.Docs))
}

// Policy holds the bounds of the plan. The zero Policy uses the defaults.
type Policy struct {
	Floor     int64   // segments below count as this size; default 4 MiB
	MaxMerged int64   // largest segment a merge makes; default 5 GiB
	PerTier   int     // segments per tier, and most segments of one merge; default 10
	Waste     float64 // share of deleted documents that makes a segment worth rewriting; default 1/3
}

// Defaults of a Policy.
const (
	DefaultFloor     = 4 << 20
	DefaultMaxMerged = 5 << 30
	DefaultPerTier   = 10
	DefaultWaste     = 1.0 / 3
)

func (p Policy) withDefaults() Policy {
	if p.Floor <= 0 {
		p.Floor = DefaultFloor
	}
	if p.MaxMerged <= 0 {
		p.MaxMerged = DefaultMaxMerged
	}
	if p.PerTier < 2 {
		p.PerTier = DefaultPerTier
	}
	if p.Waste <= 0 {
		p.Waste = DefaultWaste
	}
	return p
}

// Merge lists the positions of the segments of one merge, ascending.
type Merge []int

// Choose returns the merges to run now, the most useful first. It returns
// nothing when the segments are well spread.
func (p Policy) Choose(segments []Segment) []Merge {
	p = p.withDefaults()
	taken := make([]bool, len(segments))
	for i, segment := range segments {
		taken[i] = segment.Busy
	}
	var merges []Merge
	for {
		merge := p.gather(segments, taken)
		if merge == nil {
			break
		}
		merges = append(merges, merge)
		for _, i := range merge {
			taken[i] = true
		}
	}
	for i, segment := range segments {
		if !taken[i] && segment.Deleted > 0 && float64(segment.Deleted) >= p.Waste*float64(segment.Docs) {
			merges = append(merges, Merge{i})
		}
	}
	return merges
}

// gather finds the tier with more segments than it may hold and returns the
// smallest PerTier of them, or nil.
func (p Policy) gather(segments []Segment, taken []bool) Merge {
	var free []int
	for i, segment := range segments {
		if !taken[i] && segment.live() < p.MaxMerged {
			free = append(free, i)
		}
	}
	slices.SortStableFunc(free, func(a, b int) int {
		return cmp.Compare(segments[a].live(), segments[b].live())
	})
	// Walk the tiers from the smallest; the sizes ascend, so a tier is a run.
	for begin := 0; begin < len(free); {
		tier := p.tier(segments[free[begin]].live())
		end := begin
		for end < len(free) && p.tier(segments[free[end]].live()) == tier {
			end++
		}
		if end-begin >= p.PerTier {
			if merge := p.fit(segments, free[begin:end]); merge != nil {
				return merge
			}
		}
		begin = end
	}
	return nil
}

// fit takes as many of the candidates, smallest first, as one merge may hold.
func (p Policy) fit(segments []Segment, candidates []int) Merge {
	var merge Merge
	var size int64
	for _, i := range candidates {
		if size += segments[i].live(); size > p.MaxMerged || len(merge) == p.PerTier {
			break
		}
		merge = append(merge, i)
	}
	if len(merge) < 2 {
		return nil
	}
	slices.Sort(merge)
	return merge
}

// tier is the power of PerTier by which the size exceeds the floor.
func (p Policy) tier(size int64) int {
	tier := 0
	for bound := p.Floor; size > bound && tier < 40; tier++ {
		if bound > p.MaxMerged {
			break
		}
		bound *= int64(p.PerTier)
	}
	return tier
}
