package stem

import (
	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/porter"
)

// japanese drops the long vowel sign at the end of a loanword of four or more
// katakana: サーバー and サーバ become one word.
func japanese(w *letters) {
	if w.n < 4 || !w.ends(0, "ー") {
		return
	}
	for _, r := range string(w.b) {
		if r < 0x30A0 || r > 0x30FF {
			return
		}
	}
	w.drop(1)
}

// chinese stems Latin words with Porter's algorithm of 1980 and leaves all
// others unchanged.
type chinese struct{}

func (chinese) AppendStem(scratch *Scratch, dst, word []byte) []byte {
	for _, c := range word {
		if c < 'a' || c > 'z' {
			return append(dst, word...)
		}
	}
	if scratch.env == nil {
		scratch.env = snowballstem.NewEnv("")
	}
	scratch.env.SetCurrent(string(word))
	porter.Stem(scratch.env)
	return append(dst, scratch.env.Current()...)
}
