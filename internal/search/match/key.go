package match

import (
	"encoding/binary"
	"math"

	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/segment/terms"
)

// filterKey encodes a node that only narrows, so that two nodes have the same key exactly when
// they match the same documents of the segment. It returns false for other nodes.
func (b *binder) filterKey(n plan.Node) (string, bool) {
	key, ok := b.appendKey(nil, n)
	return string(key), ok
}

func (b *binder) appendKey(key []byte, n plan.Node) ([]byte, bool) {
	text := func(s string) { key = appendText(key, s) }
	switch n := n.(type) {
	case *plan.Everything:
		key = append(key, '*')
	case *plan.Nothing:
		key = append(key, '-')
	case *plan.Term:
		key = append(key, 't')
		text(n.Structure)
		text(n.Text)
	case *plan.TermSet:
		key = append(key, 's')
		text(n.Structure)
		key = binary.AppendUvarint(key, uint64(len(n.Terms)))
		for _, t := range n.Terms {
			text(t)
		}
	case *plan.TermRange:
		key = append(key, 'r')
		text(n.Structure)
		key = binary.AppendUvarint(key, uint64(len(n.Intervals)))
		for _, i := range n.Intervals {
			key = append(key, flags(i.From != nil, i.To != nil, i.FromExclusive, i.ToExclusive))
			if i.From != nil {
				text(*i.From)
			}
			if i.To != nil {
				text(*i.To)
			}
		}
	case *plan.NumberRange:
		key = append(key, 'n')
		text(n.Structure)
		key = binary.AppendUvarint(key, uint64(len(n.Intervals)))
		for _, i := range n.Intervals {
			key = binary.BigEndian.AppendUint64(key, uint64(i.Min))
			key = binary.BigEndian.AppendUint64(key, uint64(i.Max))
		}
	case *plan.Distance:
		key = append(key, 'd')
		text(n.Structure)
		for _, v := range []float64{n.Lat, n.Lon, n.Radius} {
			key = binary.BigEndian.AppendUint64(key, math.Float64bits(v))
		}
	case *plan.Expand:
		key = appendExpand(append(key, 'e'), n, b.foreign(n))
	case *plan.Word:
		key = append(key, 'w')
		for i := range n.Fields {
			text(n.Fields[i].Structure)
			key = binary.AppendUvarint(key, uint64(len(n.Fields[i].Terms)))
			for _, t := range n.Fields[i].Terms {
				text(t.Text)
			}
		}
		for i := range n.Bands {
			for _, in := range n.Bands[i].In {
				of := plan.Node(in.Near)
				if in.Prefix != nil {
					of = in.Prefix
				}
				key, _ = b.appendKey(append(key, byte(n.Bands[i].Edits)), of)
			}
		}
	case *plan.And:
		if len(n.Optional) > 0 {
			return nil, false
		}
		return b.appendKeys(append(key, '&'), n.Clauses)
	case *plan.Or:
		return b.appendKeys(append(key, '|'), n.Clauses)
	case *plan.Not:
		return b.appendKeys(append(key, '!'), n.Clauses)
	case *plan.Nested:
		key = append(key, '(')
		text(n.Path)
		return b.appendKey(key, n.Clause)
	default:
		return nil, false
	}
	return key, true
}

func (b *binder) appendKeys(key []byte, nodes []plan.Node) ([]byte, bool) {
	key = binary.AppendUvarint(key, uint64(len(nodes)))
	for _, n := range nodes {
		var ok bool
		if key, ok = b.appendKey(key, n); !ok {
			return nil, false
		}
	}
	return key, true
}

func appendText(key []byte, s string) []byte {
	return append(binary.AppendUvarint(key, uint64(len(s))), s...)
}

// appendExpand encodes what a word stands for in a segment: the word itself, and the terms that
// the forms of other segments bring nearer.
func appendExpand(key []byte, n *plan.Expand, foreign []terms.Match) []byte {
	key = append(key, flags(n.Prefix, n.Spellings), byte(n.Edits), byte(n.Fixed))
	for _, s := range []string{n.Structure, n.Text, n.Surface} {
		key = appendText(key, s)
	}
	key = binary.AppendUvarint(key, uint64(len(foreign)))
	for _, m := range foreign {
		key = append(binary.AppendUvarint(key, uint64(m.Ord)), m.Distance)
	}
	return key
}

func flags(all ...bool) byte {
	var f byte
	for i, set := range all {
		if set {
			f |= 1 << i
		}
	}
	return f
}
