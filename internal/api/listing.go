package api

import (
	"sort"
	"strconv"
	"strings"

	"github.com/quiresearch/quire/problem"
)

// maxListingLimit is the largest page of a listing.
const maxListingLimit = 1000

// Listing holds the parameters common to all listings.
type Listing struct {
	Prefix string
	After  string
	Limit  int // 0: unlimited
}

// Listing reads prefix, limit and after from the query.
func (r *Request) Listing() (Listing, error) {
	limit, err := r.Limit(0, maxListingLimit)
	if err != nil {
		return Listing{}, err
	}
	return Listing{Prefix: r.Query("prefix"), After: r.Query("after"), Limit: limit}, nil
}

// Limit reads the query parameter limit, which must be between 1 and max; it
// returns absent if the parameter is missing.
func (r *Request) Limit(absent, max int) (int, error) {
	if !r.HasQuery("limit") {
		return absent, nil
	}
	text := r.Query("limit")
	limit, err := strconv.Atoi(text)
	if err != nil || limit < 1 || limit > max {
		return 0, problem.RequestLimitOutOfRange.At(problem.At("limit"), "value", text, "max", max)
	}
	return limit, nil
}

// Page selects one page from entries, the entries visible to the caller ordered
// by name. next is the name to continue after, empty if nothing follows.
func Page[T any](entries []T, name func(T) string, l Listing) (page []T, next string) {
	start := sort.Search(len(entries), func(i int) bool { return name(entries[i]) >= l.Prefix })
	if l.After >= l.Prefix && l.After != "" {
		start = sort.Search(len(entries), func(i int) bool { return name(entries[i]) > l.After })
	}
	page = make([]T, 0)
	for _, entry := range entries[start:] {
		if !strings.HasPrefix(name(entry), l.Prefix) {
			break
		}
		if l.Limit > 0 && len(page) == l.Limit {
			return page, name(page[len(page)-1])
		}
		page = append(page, entry)
	}
	return page, ""
}
