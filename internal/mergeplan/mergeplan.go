// Package mergeplan chooses which segments of a generation are merged next.
//
// Choose is a pure function of the segments: their sizes, how many of their
// documents are deleted, and whether a merge already holds them. It keeps the
// number of segments logarithmic in the size of the generation: sizes form tiers a
// factor PerTier apart, and a tier may hold up to PerTier segments. A large tier,
// whose segments exceed PerTier floors, may hold PerLarge: its merges dominate the
// cost of a load, and the merge at rest would rewrite their result at once. If
// there are still many segments, small ones between large ones are merged too.
// Everything below the floor counts as one tier, so that the small segments of
// frequent commits are merged eagerly.
//
// Settle is the choice for a generation at rest, where only searches remain: it
// joins segments for as long as a merge at least doubles its largest segment, so
// that a document is rewritten a logarithmic number of times however often a
// generation comes to rest. A merge that the caller has credit for runs whatever
// its sizes are.
//
//	40 MB  40 MB  4 MB  4 MB  1 MB   one merge of all five: 49 MB added to 40
//	900 MB  2 MB  1 MB  1 MB         the last three: 2 MB added to 2; 900 stays,
//	                                 unless there is credit for 904 MB
//
// Invariants:
//
//	MP1  A segment is in at most one of the chosen merges, and in none if it is
//	     busy.
//	MP2  The segments of a merge never exceed MaxMerged together, deleted
//	     documents included, unless it is a single segment that is rewritten to
//	     reclaim space.
//	MP3  A merge of several segments reduces their number; repeated until
//	     nothing is chosen, the choice terminates.
//	MP4  The segments of a merge are adjacent, so that documents keep the order in
//	     which they were written.
package mergeplan

// Segment is the input of the plan for one segment.
type Segment struct {
	Size    int64 // bytes of its files
	Docs    int   // document numbers, deleted ones included
	Deleted int   // deleted document numbers
	Busy    bool  // part of a running merge
}

// live returns the bytes that a merge would keep.
func (s Segment) live() int64 {
	if s.Docs <= 0 {
		return 0
	}
	return int64(float64(s.Size) * float64(s.Docs-s.Deleted) / float64(s.Docs))
}

// Policy holds the bounds of the plan. The zero Policy uses the defaults.
type Policy struct {
	Floor     int64   // smaller segments count as this size; default 4 MiB
	MaxMerged int64   // most that the segments of a merge hold; default 4 GiB
	PerTier   int     // segments per tier; default 10
	PerLarge  int     // segments per large tier; default 30, at least PerTier
	Waste     float64 // share of deleted documents from which a segment is rewritten; default 1/3
}

// Defaults of a Policy. S3 stores at most 5 GiB with one PUT. A merged segment can be
// somewhat larger than its segments, by an eighth where the numbers of each had few
// bits. How many of their bytes are live is only estimated, so MaxMerged counts all.
const (
	DefaultFloor     = 4 << 20
	DefaultMaxMerged = 4 << 30
	DefaultPerTier   = 10
	DefaultPerLarge  = 30
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
	if p.PerLarge <= 0 {
		p.PerLarge = DefaultPerLarge
	}
	p.PerLarge = max(p.PerLarge, p.PerTier)
	if p.Waste <= 0 {
		p.Waste = DefaultWaste
	}
	return p
}

// Merge lists the positions of the segments of one merge, in ascending order.
type Merge []int

// Choose returns the merges to run now, the most useful first. It returns none when
// sizes are well spread.
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

// IsLong reports whether a merge writes more than a full lowest tier. The small
// segments of commits should not wait for it.
func (p Policy) IsLong(segments []Segment, merge Merge) bool {
	p = p.withDefaults()
	var size int64
	for _, i := range merge {
		size += segments[i].live()
	}
	return size > int64(p.PerTier)*p.Floor
}

// Settle returns the merge that leaves the fewest segments of a generation at rest,
// and of those the smallest, or nil when the generation is settled. credit is the
// number of bytes that a merge may write beyond what growth pays for.
func (p Policy) Settle(segments []Segment, credit int64) Merge {
	p = p.withDefaults()
	begin, length, cost := 0, 1, int64(0)
	for i := range segments {
		var size, largest, read int64
		for j := i; j < len(segments) && !segments[j].Busy; j++ {
			if read += segments[j].Size; read > p.MaxMerged {
				break
			}
			live := segments[j].live()
			size += live
			largest = max(largest, live)
			if worth := size-largest >= largest || size <= max(credit, p.Floor/8); worth && (j-i+1 > length || j-i+1 == length && length > 1 && size < cost) {
				begin, length, cost = i, j-i+1, size
			}
		}
	}
	if length == 1 {
		return nil
	}
	merge := make(Merge, length)
	for i := range merge {
		merge[i] = begin + i
	}
	return merge
}

// gather searches the tiers from the smallest for a run of adjacent segments, none of a
// higher tier, that reaches the limit of the tier. It returns the merge of the start of
// that run, or nil. Smaller segments in between are included.
func (p Policy) gather(segments []Segment, taken []bool) Merge {
	tiers := make([]int, len(segments))
	highest, large := -1, 0
	for i, segment := range segments {
		tiers[i] = -1
		if p.tier(segment.live()) >= firstLarge {
			large++
		}
		if !taken[i] && segment.Size < p.MaxMerged {
			tiers[i] = p.tier(segment.live())
			highest = max(highest, tiers[i])
		}
	}
	for tier := range highest + 1 {
		for begin := 0; begin < len(segments); {
			end, count := begin, 0
			for end < len(segments) && tiers[end] >= 0 && tiers[end] <= tier {
				if tiers[end] == tier {
					count++
				}
				end++
			}
			if count >= p.most(tier) {
				if merge := p.fit(segments, tiers, tier, begin, end); merge != nil {
					return merge
				}
			}
			begin = end + 1
		}
	}
	if len(segments) >= 2*p.PerTier+min(large, p.PerLarge-p.PerTier) {
		return p.enclosed(segments, tiers)
	}
	return nil
}

// enclosed returns the longest run of adjacent segments before a segment of a
// higher tier than theirs, or nil. No segments are added to such a run any more, so
// it would never fill a tier.
func (p Policy) enclosed(segments []Segment, tiers []int) Merge {
	var longest Merge
	for end := 1; end < len(segments); end++ {
		bound := tiers[end]
		if bound < 0 {
			bound = p.tier(segments[end].live())
		}
		var size int64
		begin := end
		for begin > 0 && tiers[begin-1] >= 0 && tiers[begin-1] < bound && size+segments[begin-1].Size <= p.MaxMerged {
			begin--
			size += segments[begin].Size
		}
		if end-begin > max(1, len(longest)) {
			longest = nil
			for i := begin; i < end; i++ {
				longest = append(longest, i)
			}
		}
	}
	return longest
}

// fit returns the first segments of a run that one merge may hold: up to the limit
// of the tier, or as many as stay below MaxMerged, but at least two of the tier.
func (p Policy) fit(segments []Segment, tiers []int, tier, begin, end int) Merge {
	for ; begin < end; begin++ {
		var merge Merge
		var size int64
		count := 0
		for i := begin; i < end && count < p.most(tier); i++ {
			if size += segments[i].Size; size > p.MaxMerged {
				break
			}
			merge = append(merge, i)
			if tiers[i] == tier {
				count++
			}
		}
		if count > 1 {
			return merge
		}
	}
	return nil
}

// firstLarge is the lowest large tier.
const firstLarge = 2

// most returns the number of segments that a tier may hold.
func (p Policy) most(tier int) int {
	if tier >= firstLarge {
		return p.PerLarge
	}
	return p.PerTier
}

// tier returns the power of PerTier by which size exceeds the floor.
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
