package stem

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// greek is the Greek stemmer of Snowball, after Ntais ("Development of a
// stemmer for the Greek language", 2006) and Saroukos (2008). It expects words
// in lower case without accents, with final sigma replaced by sigma.
type greek struct{ tables func() *greekTables }

// greekOrder lists the steps in order. The substeps of step 2 keep the vowel
// for step 6.
const greekOrder = "s1 s2 s3 s4 s5 s6 s7 s8 s9 s10 2a 2b 2c 2d 3 4 5a 5aa 5b 5bb 5c 5cc 5d 5e 5f 5ff 5g 5gg 5h 5j 5i 5k 5l 5m"

type greekStep struct {
	name    string
	keeps   bool
	cut     *table
	restore []*table
}

type greekTables struct {
	steps                       []greekStep
	first, plural, vowel, final *table
}

func loadGreek() func() *greekTables {
	load := loadTables("el")
	return sync.OnceValue(func() *greekTables {
		t := load()
		g := &greekTables{first: t["1"], plural: t["6"], vowel: t["6b.cut"], final: t["7.cut"]}
		for _, name := range strings.Fields(greekOrder) {
			s := greekStep{name: name, keeps: len(name) == 2 && name[0] == '2' && name != "2d", cut: t[name+".cut"]}
			for i := '1'; t[name+"."+string(i)] != nil; i++ {
				s.restore = append(s.restore, t[name+"."+string(i)])
			}
			g.steps = append(g.steps, s)
		}
		return g
	})
}

func (g greek) AppendStem(_ *Scratch, dst, word []byte) []byte {
	if utf8.RuneCount(word) < 3 {
		return append(dst, word...)
	}
	t := g.tables()
	w := append(make([]byte, 0, len(word)+16), word...)
	untouched := true
	if r, n, ok := t.first.suffix(w, 0); ok {
		w = append(w[:len(w)-n], r.to...)
		untouched = false
	}
	for i := range t.steps {
		s := &t.steps[i]
		switch {
		case s.name == "s3" && string(w) == "ισα":
			w = append(w[:0], "ισ"...)
		case s.name == "5a" && string(w) == "αγαμε":
			w = append(w[:0], "αγαμ"...)
		}
		_, n, ok := s.cut.suffix(w, 0)
		if !ok {
			continue
		}
		w = s.putBack(w[:len(w)-n])
		untouched = untouched && s.keeps
	}
	if r, n, ok := t.plural.suffix(w, 0); ok {
		w = append(w[:len(w)-n], r.to...)
	}
	if untouched {
		if _, n, ok := t.vowel.suffix(w, 0); ok {
			w = w[:len(w)-n]
		}
	}
	if _, n, ok := t.final.suffix(w, 0); ok {
		w = w[:len(w)-n]
	}
	return append(dst, w...)
}

// putBack restores what a step cut in excess, using the first of its tables
// that matches.
func (s *greekStep) putBack(w []byte) []byte {
	for _, table := range s.restore {
		r, n, ok := table.suffix(w, 0)
		if table.unless != "" {
			if !ok {
				w = append(w, table.unless...)
			}
			return w
		}
		switch {
		case !ok, r.region == 'w' && n != len(w):
		case r.region == 't':
			return append(w[:len(w)-n], r.to...)
		default:
			return append(w, r.to...)
		}
	}
	return w
}
