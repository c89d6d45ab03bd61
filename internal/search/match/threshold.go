package match

import (
	"encoding/binary"
	"math"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/search/plan"
	"github.com/quiresearch/quire/internal/snapshot"
)

// The scores of last hits are cached (Yafay, Altingovde: Caching scores for faster query
// processing with dynamic pruning in search engines, CIKM 2019). A snapshot never changes, so
// the same query for the same number of hits has the same hits, and the score of the last one
// is a threshold before the scan starts.
//
// Example: the tenth hit of "canon camera" scored 7.5. The next time, blocks bounded by 6 are
// skipped from the first one on; otherwise the threshold reaches 7.5 only after many documents.
//
// Terms, and words of one field, need no such score: see reached and candidates.

// maxThresholdKey bounds the length, in bytes, of the requests whose scores are kept.
const maxThresholdKey = 4096

// ThresholdKey returns a key that identifies the k best hits of a query and its filters within
// a snapshot, or "" when their scores are not kept.
func (v *View) ThresholdKey(query plan.Node, filters []plan.Node, k int) string {
	if v.caches == nil || v.caches.scores == nil || !hasThreshold(query) {
		return ""
	}
	var buffer [1024]byte
	key, ok := appendScored(binary.AppendUvarint(buffer[:0], uint64(k)), query)
	b := binder{view: v}
	for _, f := range filters {
		if !ok || isLong(f) || len(key) > maxThresholdKey {
			return ""
		}
		key, ok = b.appendKey(key, f)
	}
	if !ok || len(key) > maxThresholdKey {
		return ""
	}
	return string(key)
}

// Threshold returns a score that as many matches reach as the key asks for, or 0 when none is
// known.
func (v *View) Threshold(key string) float32 {
	if key == "" {
		return 0
	}
	score, _ := v.caches.scores.Get(v.Snapshot, key)
	return score * reachedSlack
}

// KeepThreshold stores the score of the last hit of a search with a key.
func (v *View) KeepThreshold(key string, score float32) {
	if score > 0 {
		v.caches.keepScore(v.Snapshot, key, score)
	}
}

func (c *Caches) keepScore(s *snapshot.Snapshot, key string, score float32) {
	if c.scores.Put(s, key, score, int64(len(key))) {
		s.WhenReleased(c.scores, func() { c.scores.Drop(s) })
	}
}

// hasThreshold reports whether the score of the last hit is worth keeping: that of several
// words, or of a word of several fields.
func hasThreshold(n plan.Node) bool {
	switch n := n.(type) {
	case *plan.Word:
		return len(n.Fields) > 1
	case *plan.And, *plan.Or:
		return true
	}
	return false
}

// isLong reports whether a filter names so many values that encoding them costs more than a
// threshold gains.
func isLong(n plan.Node) bool {
	set, ok := n.(*plan.TermSet)
	return ok && len(set.Terms) > 64
}

// appendScored encodes a node, so that two nodes have the same encoding exactly when they match
// the same documents of a snapshot with the same scores. It returns false for nodes that cannot
// be encoded.
func appendScored(key []byte, n plan.Node) ([]byte, bool) {
	switch n := n.(type) {
	case *plan.Term:
		key = appendText(appendText(append(key, 't'), n.Structure), n.Text)
		if n.Scoring == nil {
			return append(key, '-'), true
		}
		key = appendNumber(append(key, flags(n.Scoring.Once), lengthKey(n.Scoring.Length)), n.Scoring.Weight)
		return binary.AppendUvarint(key, uint64(n.Scoring.Words)), true
	case *plan.Word:
		return appendBands(appendWord(append(key, 'w'), n), n.Bands), true
	case *plan.Pair:
		key = appendWord(appendWord(append(key, 'p'), n.First), n.Second)
		key = binary.AppendUvarint(key, uint64(len(n.Fields)))
		for _, f := range n.Fields {
			key = binary.AppendUvarint(key, uint64(f.Field))
			key = appendText(appendText(key, f.First), f.Second)
		}
		return key, true
	case *plan.Scale:
		return appendScored(appendNumber(append(key, 'x'), n.Weight), n.Clause)
	case *plan.And:
		key, ok := appendAllScored(append(key, '&'), n.Clauses)
		if !ok {
			return nil, false
		}
		return appendAllScored(key, n.Optional)
	case *plan.Or:
		return appendAllScored(append(key, '|'), n.Clauses)
	}
	return nil, false
}

func appendAllScored(key []byte, nodes []plan.Node) ([]byte, bool) {
	key = binary.AppendUvarint(key, uint64(len(nodes)))
	for _, n := range nodes {
		var ok bool
		if key, ok = appendScored(key, n); !ok || len(key) > maxThresholdKey {
			return nil, false
		}
	}
	return key, true
}

// appendWord encodes a word as typed.
func appendWord(key []byte, n *plan.Word) []byte {
	key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(n.Words)), uint64(len(n.Fields)))
	for i := range n.Fields {
		f := &n.Fields[i]
		key = appendNumber(append(appendText(key, f.Structure), lengthKey(f.Length)), f.Weight)
		key = binary.AppendUvarint(key, uint64(len(f.Terms)))
		for _, t := range f.Terms {
			key = appendNumber(appendText(key, t.Text), t.Boost)
		}
	}
	return key
}

// appendBands encodes the other readings of a word.
func appendBands(key []byte, bands []plan.Band) []byte {
	key = binary.AppendUvarint(key, uint64(len(bands)))
	for i := range bands {
		b := &bands[i]
		key = binary.AppendUvarint(append(key, flags(b.Start), byte(b.Edits)), uint64(len(b.In)))
		for _, in := range b.In {
			key = binary.AppendUvarint(append(key, flags(in.Prefix != nil)), uint64(in.Field))
			if in.Prefix != nil {
				key = appendText(appendText(key, in.Prefix.Structure), in.Prefix.Text)
			} else {
				key = appendExpand(key, in.Near, nil)
			}
		}
	}
	return key
}

func lengthKey(norm definition.LengthNormalization) byte {
	return flags(norm == definition.LengthStrong, norm == definition.LengthNone)
}

func appendNumber(key []byte, v float64) []byte {
	return binary.BigEndian.AppendUint64(key, math.Float64bits(v))
}
