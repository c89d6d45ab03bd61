package search

import "github.com/quiresearch/quire/query"

// pageList returns links to the pages around the current one.
func pageList(total int64, limit, offset, most, depth int) *query.PageList {
	l, m := int64(limit), int64(most)
	count := (total + l - 1) / l
	reach := int64(depth) / l // number of the last reachable page
	current := int64(offset)/l + 1
	list := &query.PageList{Count: count, HasEnd: count <= reach}
	link := func(number int64) query.PageLink {
		return query.PageLink{Number: number, Cursor: encodeOffset(int((number - 1) * l)), Current: number == current}
	}
	run := func(from, to int64) []query.PageLink {
		var links []query.PageLink
		for number := max(from, 1); number <= min(to, count, reach); number++ {
			links = append(links, link(number))
		}
		return links
	}
	if current > 1 && current-1 <= min(count, reach) {
		previous := link(current - 1)
		list.Previous = &previous
	}
	if current < min(count, reach) {
		next := link(current + 1)
		list.Next = &next
	}
	if count <= m {
		list.Start = run(1, count)
		return list
	}
	width := m - 2
	low := current - width/2
	high := low + width - 1
	switch {
	case low <= 2:
		list.Start, list.End = run(1, m-1), run(count, count)
	case high >= count-1:
		list.Start, list.End = run(1, 1), run(count-width, count)
	default:
		list.Start, list.Middle, list.End = run(1, 1), run(low, high), run(count, count)
	}
	if !list.HasEnd {
		list.End = nil
	}
	return list
}
