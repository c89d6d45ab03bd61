package searchcount

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/quiresearch/quire/internal/judgement"
)

// The sketch is Space-Saving (Metwally, Agrawal and El Abbadi, 2005): it keeps
// a fixed number of texts. A new text replaces the one with the smallest count
// and inherits that count as its possible error, so a text that makes up more
// than 1/Capacity of all searches is never missing.
//
// With a capacity of two and the searches a a b c: c replaces b and has count
// 2, of which 1 may be wrong; a stays with 2.
//
// Sketches of several nodes are merged by adding the counts of common texts and
// keeping the largest (Agarwal et al., 2012).

// Capacity is the number of texts in a sketch.
const Capacity = 1000

// maxText is the length in bytes to which a text is truncated.
const maxText = 200

// Text holds the counts of the searches for one text.
type Text struct {
	Text        string  `json:"text"`
	Count       uint64  `json:"count"`
	MaxError    uint64  `json:"maxError,omitzero"`    // how much of the count may belong to other texts
	ZeroResults uint64  `json:"zeroResults,omitzero"` // searches that found nothing
	TookMs      float64 `json:"tookMs"`               // total of all searches
}

// Sketch counts texts. The zero value is empty. It belongs to one goroutine.
type Sketch struct {
	texts map[string]*Text
}

// Normalize returns the form in which texts are counted: composed, in lower
// case, with single spaces, truncated to 200 bytes.
func Normalize(text string) string {
	if len(text) > 4*maxText {
		text = text[:4*maxText]
	}
	text = strings.ToValidUTF8(text, "")
	text = judgement.FoldText(text)
	if len(text) <= maxText {
		return text
	}
	end := maxText
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// Add counts one search for a normalized text.
func (s *Sketch) Add(text string, found bool, took time.Duration) {
	one := Text{Text: text, Count: 1, TookMs: float64(took.Microseconds()) / 1e3}
	if !found {
		one.ZeroResults = 1
	}
	s.add(one)
}

func (s *Sketch) add(one Text) {
	if s.texts == nil {
		s.texts = make(map[string]*Text)
	}
	if have := s.texts[one.Text]; have != nil {
		have.Count += one.Count
		have.MaxError += one.MaxError
		have.ZeroResults += one.ZeroResults
		have.TookMs += one.TookMs
		return
	}
	if len(s.texts) >= Capacity {
		least := s.least()
		delete(s.texts, least.Text)
		// Time and zero results remain those of the text itself.
		one.Count += least.Count
		one.MaxError += least.Count
	}
	s.texts[one.Text] = &one
}

func (s *Sketch) least() *Text {
	var least *Text
	for _, t := range s.texts {
		if least == nil || t.Count < least.Count || t.Count == least.Count && t.Text > least.Text {
			least = t
		}
	}
	return least
}

// Merge adds the counts of another sketch.
func (s *Sketch) Merge(other *Sketch) {
	all := &Sketch{texts: make(map[string]*Text)}
	for _, from := range []*Sketch{s, other} {
		for _, t := range from.texts {
			if have := all.texts[t.Text]; have != nil {
				have.Count += t.Count
				have.MaxError += t.MaxError
				have.ZeroResults += t.ZeroResults
				have.TookMs += t.TookMs
			} else {
				kept := *t
				all.texts[t.Text] = &kept
			}
		}
	}
	s.texts = make(map[string]*Text)
	for _, t := range all.Top(Capacity) {
		s.texts[t.Text] = &t
	}
}

// Top returns the most frequent texts, at most n.
func (s *Sketch) Top(n int) []Text {
	all := make([]Text, 0, len(s.texts))
	for _, t := range s.texts {
		all = append(all, *t)
	}
	slices.SortFunc(all, func(a, b Text) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Text, b.Text))
	})
	return all[:min(n, len(all))]
}

// Len returns the number of texts.
func (s *Sketch) Len() int { return len(s.texts) }

// sketchOf returns a sketch of stored texts. It ignores invalid ones.
func sketchOf(texts []Text) *Sketch {
	s := &Sketch{}
	for _, t := range texts {
		if t.Text == Normalize(t.Text) && t.Text != "" && t.Count > 0 && s.Len() < Capacity {
			s.add(t)
		}
	}
	return s
}
