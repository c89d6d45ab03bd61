package stem

import (
	"bytes"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// ukrainian returns the base form of a word in the dictionary of the dict_uk
// project. Words missing from the dictionary, such as new names, lose their
// endings by rule.
type ukrainian struct{ forms func() *Forms }

// loadUkrainian returns a function that unpacks the dictionary once.
func loadUkrainian() func() *Forms {
	return sync.OnceValue(func() *Forms {
		packed, err := tableFiles.ReadFile("tables/uk.forms.zst")
		if err != nil {
			panic("stem: " + err.Error()) // embedded; a test opens every table
		}
		unpacker, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
		if err != nil {
			panic("stem: " + err.Error())
		}
		defer unpacker.Close()
		data, err := unpacker.DecodeAll(packed, nil)
		if err != nil {
			panic("stem: " + err.Error())
		}
		forms, err := OpenForms(data)
		if err != nil {
			panic("stem: " + err.Error())
		}
		return forms
	})
}

func (u ukrainian) AppendStem(scratch *Scratch, dst, word []byte) []byte {
	// The dictionary writes ґ as г.
	listed := word
	if bytes.Contains(word, ukrainianGe) {
		scratch.bytes = append(scratch.bytes[:0], word...)
		listed = scratch.bytes
		for i := bytes.Index(listed, ukrainianGe); i >= 0; i = bytes.Index(listed, ukrainianGe) {
			copy(listed[i:], "г")
		}
	}
	if r, ok := u.forms().rule(listed); ok {
		return append(append(dst, listed[:len(listed)-r.cut]...), r.add...)
	}
	return rulesFunc(ukrainianEndings).AppendStem(scratch, dst, word)
}

var ukrainianGe = []byte("ґ")

// ukrainianEndings removes endings after the first vowel, in the order of the
// Slavic stemmers of Snowball: participles and reflexives, then an adjective or
// else a verb or else a noun ending, the suffix of abstract nouns, and the soft
// sign.
func ukrainianEndings(w *letters) {
	head, ok := skipTo(w.b, 0, ukrainianVowels, true)
	if !ok {
		return
	}
	rest := letters{b: w.b[head:]}
	for range string(rest.b) {
		rest.n++
	}
	before := w.n - rest.n
	if !rest.first(ukrainianGerunds) {
		rest.first(ukrainianReflexives)
		if rest.first(ukrainianAdjectives) {
			rest.first(ukrainianParticiples)
		} else if !rest.first(ukrainianVerbs) {
			rest.first(ukrainianNouns)
		}
	}
	rest.replace(0, "и", "")
	rest.first(ukrainianAbstract)
	_ = rest.replace(0, "ь", "") || rest.replace(1, "нн", "н")
	w.b = append(w.b[:head], rest.b...)
	w.n = before + rest.n
}

const ukrainianVowels = "аеиоуюяіїє"

var (
	ukrainianGerunds     = endings(1, "авшись ившись явшись івшись авши ивши явши івши")
	ukrainianReflexives  = endings(0, "ся сь си")
	ukrainianAdjectives  = join(endings(1, "ішого ішому ішими іших іший"), endings(0, "ього ьому ого ому ими іми ої ою єю ій ий їй им ім їм их іх їх ова ове"))
	ukrainianParticiples = endings(1, "уч юч ач яч ен єн ан ян ов ів ш")
	ukrainianVerbs       = join(
		endings(1, "уватимуть юватимуть атимуть ятимуть итимуть уватиму увати ювати атиме ятиме итиме"),
		endings(1, "увала ували ував ювала ювали ював ються ється ають яють ують юють уєте юєте"),
		endings(1, "ати яти ити іти ути ала яла ила іла али яли или іли ало яло ило іло"),
		endings(1, "ають ує юємо уємо аєте ите ете єте емо єемо имо уть ють ать ять ить їть"),
		endings(1, "ав яв ив ів ай яй ує ює ає яє еш єш иш їш ем єм"))
	ukrainianNouns = join(
		endings(1, "ськими ського ськими еннями аннями ннями"),
		endings(0, "енням анням інням еннях аннях ення ання іння енню анню інню"),
		endings(0, "ями ами еві єві ові ями ією єю ею ою ям ам ом ем єм ях ах ів їв ей ій ию ію ьо ья ью"),
		endings(0, "а е и о у ю я і ї є й ь"))
	ukrainianAbstract = endings(2, "ість ості істю ост")
)
