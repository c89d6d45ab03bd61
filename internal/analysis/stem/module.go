package stem

import (
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
)

// module is a stemmer of github.com/blevesearch/snowballstem.
type module struct {
	stem    func(*snowballstem.Env) bool
	written *strings.Replacer // converts letters to the form the stemmer expects; nil: none needed
	back    *strings.Replacer
}

func (m module) AppendStem(scratch *Scratch, dst, word []byte) []byte {
	if scratch.env == nil {
		scratch.env = snowballstem.NewEnv("")
	}
	text := string(word)
	if m.written != nil {
		text = m.written.Replace(text)
	}
	scratch.env.SetCurrent(text)
	m.stem(scratch.env)
	stem := scratch.env.Current()
	if m.back != nil {
		stem = m.back.Replace(stem)
	}
	return append(dst, stem...)
}

var modules = map[string]module{
	"da": {stem: danish.Stem},
	"fi": {stem: finnish.Stem},
	"ga": {stem: irish.Stem},
	"hu": {stem: hungarian.Stem},
	"nl": {stem: dutch.Stem},
	"ro": {stem: romanian.Stem, written: strings.NewReplacer("ș", "ş", "ț", "ţ"), back: strings.NewReplacer("ş", "ș", "ţ", "ț")},
	"ru": {stem: russian.Stem, written: strings.NewReplacer("ё", "е")},
	"ta": {stem: tamil.Stem},
	"tr": {stem: turkish.Stem},
}
