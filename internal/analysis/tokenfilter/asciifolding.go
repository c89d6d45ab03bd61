package tokenfilter

import (
	"bytes"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/quiresearch/quire/internal/analysis/token"
)

// ASCIIFolding replaces Latin letters and signs with the closest ASCII
// characters. With PreserveOriginal, the original form of a changed word is
// kept at the same position.
type ASCIIFolding struct {
	PreserveOriginal bool
	table            map[rune]string
}

// NewASCIIFolding returns the filter.
func NewASCIIFolding(preserveOriginal bool) *ASCIIFolding {
	return &ASCIIFolding{PreserveOriginal: preserveOriginal, table: asciiForms()}
}

// Apply folds every token.
func (f *ASCIIFolding) Apply(s *token.Stream) {
	tokens := s.Tokens
	if f.PreserveOriginal {
		tokens = s.Rewrite()
	}
	for i := range tokens {
		t := tokens[i]
		if t.Shape == 0 {
			t.Shape = token.ShapeOf(t.Term)
		}
		folded := t.Term
		if t.Shape&token.ShapeASCII == 0 {
			folded = f.appendFolded(s.Space(len(t.Term)+16), t.Term)
		}
		changed := len(folded) > 0 && !bytes.Equal(folded, t.Term)
		original := t
		if changed {
			t.Term = s.Keep(folded)
			t.Shape = 0
		}
		if !f.PreserveOriginal {
			tokens[i] = t
			continue
		}
		if !s.Append(t) || changed && !s.Append(original) {
			return
		}
	}
}

func (f *ASCIIFolding) appendFolded(dst, term []byte) []byte {
	begin := len(dst)
	for i := 0; i < len(term); {
		c := term[i]
		if c < utf8.RuneSelf {
			dst = append(dst, c)
			i++
			continue
		}
		r, size := utf8.DecodeRune(term[i:])
		if to, ok := f.table[r]; ok {
			dst = append(dst, to...)
		} else if r < 0x300 || r > 0x36F || len(dst) == begin || dst[len(dst)-1] >= utf8.RuneSelf {
			dst = append(dst, term[i:i+size]...) // only marks of folded letters are removed
		}
		i += size
	}
	return dst
}

// asciiForms is built on first use: characters that Unicode decomposes to ASCII
// letters and marks, and letters without a decomposition.
var asciiForms = sync.OnceValue(func() map[rune]string {
	table := map[rune]string{}
	for _, block := range [][2]rune{
		{0x80, 0x24F}, {0x1D00, 0x1EFF}, {0x2000, 0x218F}, {0x2460, 0x24FF}, {0x2C60, 0x2C7F},
		{0x2E00, 0x2E5F}, {0xA720, 0xA7FF}, {0xFB00, 0xFB06}, {0xFF00, 0xFF5E},
	} {
		for r := block[0]; r <= block[1]; r++ {
			if form, ok := asciiDecomposition(r); ok {
				table[r] = form
			}
		}
	}
	for _, row := range asciiLetters {
		for _, r := range row.from {
			table[r] = row.to
		}
	}
	return table
})

// asciiDecomposition returns the compatibility decomposition of r without
// marks, if that is ASCII.
func asciiDecomposition(r rune) (string, bool) {
	out := []byte{}
	for _, d := range norm.NFKD.String(string(r)) {
		switch {
		case unicode.Is(unicode.Mn, d):
		case d == 0x2044: // fraction slash
			out = append(out, '/')
		case d < utf8.RuneSelf:
			out = append(out, byte(d))
		default:
			return "", false
		}
	}
	if len(out) == 0 || out[0] == ' ' && len(out) == 1 && r < 0x2000 && r != 0xA0 {
		return "", false // a mark on a space is not a letter
	}
	return string(out), true
}

// asciiLetters are letters and signs without a decomposition.
var asciiLetters = []struct{ to, from string }{
	{"A", "ȺᴀⱯƏ"}, {"a", "ɐɑɒⱥᶏᶐₐəɚᶕẚₔ"}, {"AA", "Ꜳ"}, {"aa", "ꜳ"}, {"AE", "ÆǢǼᴁ"}, {"ae", "æǣǽᴂ"}, {"AO", "Ꜵ"}, {"ao", "ꜵ"},
	{"AU", "Ꜷ"}, {"au", "ꜷ"}, {"AV", "ꜸꜺ"}, {"av", "ꜹꜻ"}, {"AY", "Ꜽ"}, {"ay", "ꜽ"},
	{"B", "ƁƂɃʙᴃ"}, {"b", "ƀƃɓᵬᶀ"}, {"C", "ƇȻʗᴄꜾ"}, {"c", "ƈȼɕꜿↄ"},
	{"D", "ÐĐƉƊƋᴅᴆꝹ"}, {"d", "ðđƌȡɖɗᵭᶁᶑꝺ"}, {"db", "ȸ"}, {"dz", "ʣʥ"},
	{"E", "ƎƐɆᴇⱻ"}, {"e", "ǝɇɘɛɜɝɞʚⱸᴈᶒᶓᶔ"}, {"F", "ƑꜰꝻꟻ"}, {"f", "ƒᵮᶂꝼ"},
	{"G", "ƓǤɢʛᵷꝽꝾ"}, {"g", "ǥɠɡᵹᶃꝿ"}, {"H", "ĦʜⱧⱵ"}, {"h", "ħɥɦʮʯⱨⱶ"}, {"HV", "Ƕ"}, {"hv", "ƕ"},
	{"I", "ƖƗɪᵻꟾ"}, {"i", "ıɨᴉᵼᶖɩ"}, {"J", "Ɉᴊ"}, {"j", "ȷɉɟʄʝ"}, {"K", "ƘᴋⱩꝀꝂꝄ"}, {"k", "ƙʞᶄⱪꝁꝃꝅ"},
	{"L", "ĿŁȽʟᴌⱠⱢꝆꝈꞀ"}, {"l", "ŀłƚȴɫɬɭᶅⱡꝇꝉꞁ"}, {"LL", "Ỻ"}, {"ll", "ỻ"}, {"ls", "ʪ"}, {"lz", "ʫ"},
	{"M", "ƜᴍⱮꟽꟿ"}, {"m", "ɯɰɱᵯᶆ"}, {"N", "ŊƝȠɴᴎ"}, {"n", "ŉŋƞȵɲɳᵰᶇ"},
	{"O", "ØǾƆƟᴏᴐꝊꝌ"}, {"o", "øǿɔɵᴖᴗᶗⱺꝋꝍ"}, {"OE", "Œɶ"}, {"oe", "œᴔ"}, {"OO", "Ꝏ"}, {"oo", "ꝏ"}, {"OU", "Ȣᴕ"}, {"ou", "ȣ"},
	{"P", "ƤᴘⱣꝐꝒꝔ"}, {"p", "ƥᵱᵽᶈꝑꝓꝕꟼ"}, {"Q", "ɊꝖꝘ"}, {"q", "ĸɋʠꝗꝙ"}, {"qp", "ȹ"},
	{"R", "ɌʀʁᴙᴚⱤꝚꞂ"}, {"r", "ɍɼɽɾɿᵲᵳᶉꝛꞃ"}, {"S", "ꜱꞄ"}, {"s", "ſȿʂᵴᶊꞅẜẝ"}, {"SS", "ẞ"}, {"ss", "ß"}, {"st", "ﬅﬆ"},
	{"T", "ŦƬƮȾᴛꞆ"}, {"t", "ŧƫƭȶʇʈᵵⱦ"}, {"TH", "ÞꝦ"}, {"th", "þᵺꝧ"}, {"TZ", "Ꜩ"}, {"tz", "ꜩ"}, {"tc", "ʨ"}, {"ts", "ʦ"},
	{"U", "Ʉᴜᵾ"}, {"u", "ʉᶙᴝ"}, {"ue", "ᵫ"}, {"V", "ƲɅᴠꝞꝨỼ"}, {"v", "ỽʋʌⱱⱴᶌꝟ"}, {"VY", "Ꝡ"}, {"vy", "ꝡ"}, {"W", "ǷᴡⱲ"}, {"w", "ƿʍⱳ"},
	{"x", "ᶍ"}, {"Y", "ƳɎʏỾ"}, {"y", "ƴɏʎỿ"}, {"Z", "ƵȜȤᴢⱫꝢ"}, {"z", "ƶȝȥɀʐʑᵶᶎⱬꝣ"},
	{"\"", "«»“”„″‶❝❞❮❯"}, {"'", "‘’‚‛′‵‹›❛❜"}, {"-", "‐‑‒–—⁻₋"}, {"[", "⁅❲"}, {"]", "⁆❳"}, {"((", "⸨"}, {"))", "⸩"}, {"(", "⁽₍❨❪"}, {")", "⁾₎❩❫"},
	{"<", "❬❰"}, {">", "❭❱"}, {"{", "❴"}, {"}", "❵"}, {"+", "⁺₊"}, {"=", "⁼₌"}, {"!", "！"}, {"!!", "‼"}, {"!?", "⁉"}, {"?!", "⁈"}, {"??", "⁇"},
	{"*", "⁎"}, {"%", "⁒"}, {"/", "⁄"}, {"\\", "＼"}, {"~", "⁓"}, {";", "⁏"}, {"0", "⓪⓿"}, {"1", "⓵❶➀➊"}, {"2", "⓶❷➁➋"},
	{"3", "⓷❸➂➌"}, {"4", "⓸❹➃➍"}, {"5", "⓹❺➄➎"}, {"6", "⓺❻➅➏"}, {"7", "⓻❼➆➐"}, {"8", "⓼❽➇➑"}, {"9", "⓽❾➈➒"},
	{"10", "⓾❿➉➓"}, {"11", "⓫"}, {"12", "⓬"}, {"13", "⓭"}, {"14", "⓮"}, {"15", "⓯"}, {"16", "⓰"}, {"17", "⓱"}, {"18", "⓲"}, {"19", "⓳"}, {"20", "⓴"},
}
