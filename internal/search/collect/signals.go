package collect

import (
	"math"

	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/segment/columns"
	"github.com/quiresearch/quire/internal/snapshot"
)

// signals multiplies the scores of one segment's documents (section 10).
type signals struct {
	all       []segmentSignal
	maxFactor float64 // the highest product of factors
	fromOne   bool    // the plan computes no score; every match starts from 1
}

type segmentSignal struct {
	Signal
	column  *columns.Numbers
	overlay *snapshot.Overlay
}

// newSignals returns the signals of a segment, nil when there are none.
func newSignals(wanted []Signal, s *snapshot.Segment, fromOne bool) *signals {
	if len(wanted) == 0 {
		return nil
	}
	all := &signals{maxFactor: 1, fromOne: fromOne}
	for _, w := range wanted {
		signal := segmentSignal{Signal: w, column: s.Reader.Numbers(w.Structure)}
		if w.Overlay {
			signal.overlay = s.Signal(w.Structure)
		}
		all.all = append(all.all, signal)
		all.maxFactor *= w.MaxFactor()
	}
	return all
}

func (s *signals) apply(doc uint32, score float32) float32 {
	final := float64(score)
	if s.fromOne {
		final = 1
	}
	for i := range s.all {
		final *= s.all[i].factor(doc)
	}
	return float32(final)
}

// before returns the score that a document must exceed before signals so that it can exceed the
// threshold with the highest factors. It is rounded down to remain valid in single precision.
func (s *signals) before(threshold float64) float64 {
	if s.fromOne {
		return -1
	}
	return float64(math.Nextafter32(float32(threshold/s.maxFactor*(1-1e-6)), -1))
}

func (s *segmentSignal) factor(doc uint32) float64 {
	v, has := s.value(doc)
	if !has {
		return 1
	}
	if s.Float {
		return s.Factor(layout.FloatOf(v), s.Now)
	}
	return s.Factor(float64(v), s.Now)
}

func (s *segmentSignal) value(doc uint32) (int64, bool) {
	if v, has, refreshed := s.overlay.Get(doc); refreshed {
		return v, has
	}
	if s.column == nil {
		return 0, false
	}
	return s.column.Get(doc)
}
