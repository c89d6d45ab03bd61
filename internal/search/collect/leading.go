package collect

import (
	"context"
	"encoding/binary"

	"github.com/quiresearch/quire/internal/search/match"
	"github.com/quiresearch/quire/internal/search/match/docset"
	"github.com/quiresearch/quire/internal/segment/columns"
)

// Hits ordered by a number or a text are found among the first documents of their order that
// pass the filters, if these are known. Searches that recur with other words, such as a category
// ordered by price, share them. They are a materialized top-k view of the filters (Yi, Yu, Yang,
// Xia, Chen: Efficient maintenance of materialized top-k views, ICDE 2003) that needs no
// maintenance, as a segment never changes.
//
// Example: 40,000 of 1,000,000 documents are of 2019, and "timeout" is in 2,000 of them. The
// ten newest are expected among the newest 20 / 2,000 × 40,000 = 400 documents of 2019: these
// are checked, not all 2,000 that match. For the next page, 400 are checked that follow the
// last hit.

const (
	// leadingDocs is how many leading documents of an order are kept.
	leadingDocs = 1 << 13
	// leadingWorth is how many documents a scan must read for leading documents to pay.
	leadingWorth = 1 << 13
	// leadingEnough is how many leading documents must be checked to conclude that the words are
	// rare among them. Fewer cost little to check.
	leadingEnough = 512
	// leadingShare: the leading documents are found when scans without them have read
	// 1/leadingShare of the documents of the segment. Scans read values here and there, and
	// finding the leading documents reads them one after another.
	leadingShare = 8
)

// leads reports whether hits may be found among the documents with the first values of the order:
// not all matches need be counted, the order is that of a column of which a document has at most
// one value, and documents without one come last.
func (p *piece) leads() bool {
	k := p.ranker
	if k == nil || k.limit == 0 || p.set != nil || p.signals != nil || p.of.scoring {
		return false
	}
	if p.of.request.CountTo == Everything && !p.of.exact {
		return false
	}
	if k.edge != nil && k.edge[0].place != 0 {
		return false // only documents without a value follow
	}
	first := &k.keys[0]
	isLast := first.turn(0, false).place >= 0
	switch {
	case k.readsNumbers():
		return !first.numbers.Multi() && (isLast || first.numbers.Present() == nil)
	case first.Kind == ByText && first.ordinals != nil && first.List == "":
		return !first.ordinals.Multi() && (isLast || first.ordinals.DocsWithValue() == first.ordinals.NumDocs())
	}
	return false
}

// leadingKey returns the key of the leading documents that a piece can use, or "" when there
// are none to use: for a page before a cursor, which most often lies far from the other end, and
// when an index of the whole order serves as well.
func (p *piece) leadingKey() string {
	r := p.of.request
	if r.Before != nil || !p.leads() || p.scanner.Cost() < p.of.search.runner.leadingWorth {
		return ""
	}
	if len(r.Filters) == 0 && p.extremes() != nil {
		return ""
	}
	if p.leadingOf == "" {
		first := &p.ranker.keys[0]
		var buffer [64]byte
		order := append(binary.AppendUvarint(buffer[:0], uint64(first.Kind)), first.Structure...)
		if first.flip {
			order = append(order, '-')
		}
		p.leadingOf = p.of.search.view.LeadingKey(p.segment, string(order), r.Filters, p.of.search.runner.leadingDocs)
	}
	return p.leadingOf
}

// usesLeading reports whether known leading documents may contain the page, or whether leading
// documents are to be found now.
func (p *piece) usesLeading() bool {
	key := p.leadingKey()
	if key == "" {
		return false
	}
	if leading := p.of.search.view.Leading(p.segment, key); leading != nil {
		_, wanted, most := p.among(leading, p.scanner.Cost())
		return wanted <= most
	}
	return p.isLeadingDue(key)
}

// isLeadingDue reports whether it is time to find the leading documents. It asks once for a
// piece.
func (p *piece) isLeadingDue(key string) bool {
	if !p.leadingAsked {
		p.leadingAsked = true
		limit := int(p.documents()) / p.of.search.runner.leadingShare
		p.leadingDue = p.of.search.view.IsLeadingDue(p.segment, key, limit)
	}
	return p.leadingDue
}

// spendOnLeading records that the piece read its matches for want of leading documents.
func (p *piece) spendOnLeading() {
	if p.isLed || p.leadingDue || !p.of.prunes() {
		return
	}
	if key := p.leadingKey(); key != "" && p.of.search.view.Leading(p.segment, key) == nil {
		p.of.search.view.SpendOnLeading(p.segment, key, p.scanner.Cost())
	}
}

// among returns the position from which leading documents are checked, how many to check first,
// and how many at most. matches is the expected number of all matches.
func (p *piece) among(leading *docset.Leading, matches int) (from, wanted, most int) {
	if p.ranker.edge != nil {
		from = leading.Search(p.ranker.edge[0].number)
	}
	wanted = max(p.ranker.limit, p.ranker.limit*oversample*leading.Total()/max(1, matches))
	return from, wanted, min(leading.Len()-from, p.scanner.Cost()/extremeShare)
}

// rankLeading ranks the matches among the leading documents of an order, and reports whether
// they fill the page. matches is the expected number of all matches.
func (p *piece) rankLeading(ctx context.Context, leading *docset.Leading, matches int) (isPage bool, err error) {
	from, wanted, most := p.among(leading, matches)
	for ; wanted <= most; wanted *= widening {
		found, isPage, err := p.rankAmong(ctx, leading.Docs(from, wanted, len(p.ranker.keys) > 1))
		if err != nil || isPage {
			return isPage, err
		}
		if wanted >= leadingEnough && found*widening < p.ranker.limit {
			break // the words are rare at this end, for example the name of a product of past years
		}
	}
	return false, nil
}

// findLeading finds and keeps the leading documents of an order.
func (p *piece) findLeading(ctx context.Context, key string) (*docset.Leading, error) {
	view := &p.of.search.view
	scanner, err := view.FilterScanner(ctx, p.segment, p.of.request.Filters)
	if err != nil {
		return nil, err
	}
	defer scanner.Close()
	sink := &leadingSink{first: &p.ranker.keys[0], selection: docset.NewSelection(p.of.search.runner.leadingDocs)}
	if err := scanner.Run(ctx, 0, p.documents(), sink); err != nil {
		return nil, err
	}
	found := sink.selection.Leading(sink.total)
	view.KeepLeading(p.segment, key, found)
	return found, nil
}

// leadingSink selects the leading documents among those that a scan finds.
type leadingSink struct {
	first     *keyReader
	selection *docset.Selection
	total     int
	docs      []uint32
	values    []int64
}

func (s *leadingSink) Take(base uint32, matched *match.Bits, _ *match.Sums) bool {
	s.total += matched.Count()
	left := *matched
	if bound, isFull := s.selection.Bound(); isFull {
		if s.first.ordinals != nil {
			s.narrow(base, &left, bound)
		} else {
			s.ruleOut(base, &left, bound)
		}
	}
	s.docs = left.AppendDocs(s.docs[:0], base)
	s.add()
	return true
}

// narrow keeps the documents of a window whose ordinals are below a bound.
func (s *leadingSink) narrow(base uint32, left *match.Bits, bound int64) {
	least, most := uint32(1), uint32(0) // plus one, as in the column
	if s.first.flip {
		least, most = uint32(^bound/2)+2, s.first.ordinals.Len()
	} else {
		most = uint32(bound / 2)
	}
	if least > most {
		*left = match.Bits{}
		return
	}
	s.first.ordinals.Narrow(base, left[:], least, most)
}

// ruleOut drops the blocks of a window without a number below a bound.
func (s *leadingSink) ruleOut(base uint32, left *match.Bits, bound int64) {
	const blockWords = columns.BlockSize / 64
	for i := 0; i < len(left); i += blockWords {
		block := (int(base) + 64*i) / columns.BlockSize
		if uint32(block)*columns.BlockSize >= s.first.numbers.NumDocs() {
			return
		}
		best, high, ok := s.first.numbers.BlockBounds(block)
		if s.first.flip {
			best = ^high
		}
		if !ok || best >= bound {
			clear(left[i : i+blockWords])
		}
	}
}

func (s *leadingSink) TakeDocs(docs []uint32, _ []float32) bool {
	s.total += len(docs)
	s.docs = append(s.docs[:0], docs...)
	s.add()
	return true
}

// add adds the documents of docs that have a value.
func (s *leadingSink) add() {
	if s.first.ordinals != nil {
		for _, doc := range s.docs {
			if r := s.first.rank(doc, 0); r.place == 0 {
				s.selection.Add(doc, r.number)
			}
		}
		return
	}
	if cap(s.values) < len(s.docs) {
		s.values = make([]int64, max(len(s.docs), match.Span))
	}
	values := s.values[:len(s.docs)]
	s.first.numbers.Values(s.docs, values, unknown)
	for i, v := range values {
		if r := s.first.turn(v, true); v != unknown || s.first.rank(s.docs[i], 0).place == 0 {
			s.selection.Add(s.docs[i], r.number)
		}
	}
}

func (s *leadingSink) Threshold() float64      { return -1 }
func (s *leadingSink) Prunes() bool            { return false }
func (s *leadingSink) SkipsWindow(uint32) bool { return false }
