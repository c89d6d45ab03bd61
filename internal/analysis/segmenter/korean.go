package segmenter

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quiresearch/quire/internal/analysis/token"
	"github.com/quiresearch/quire/internal/analysis/tokenizer"
)

type korean struct {
	nouns   *trie
	endings map[rune][]string // by their last character, longest first
}

func newKorean() (*korean, error) {
	nouns, err := loadTrie("ko", packedKorean)
	if err != nil {
		return nil, err
	}
	endings := strings.Fields(koreanEndings)
	slices.SortFunc(endings, func(a, b string) int { return len(b) - len(a) })
	k := &korean{nouns: nouns, endings: map[rune][]string{}}
	for _, ending := range endings {
		last, _ := utf8.DecodeLastRuneInString(ending)
		k.endings[last] = append(k.endings[last], ending)
	}
	return k, nil
}

// koreanEndings are the particles that follow nouns, the copula, and the most
// frequent forms of the verbs that make nouns into verbs (hada, doeda).
const koreanEndings = `
은 는 이 가 을 를 의 에 에서 에게 에게서 께 께서 한테 한테서 로 으로 로서 으로서 로써 으로써 로부터 으로부터 부터 까지
와 과 하고 이랑 랑 도 만 마저 조차 밖에 뿐 처럼 같이 보다 마다 이나 나 이나마 나마 이라도 라도 이라면 라면 이란 란 이든 든 이든지 든지
이야 야 이여 여 아 에는 에도 에만 에서는 에서도 에서의 에의 에게는 에게도 으로는 로는 으로도 로도 으로의 로의 까지는 까지도 부터는 과는 와는 과의 와의
이다 다 이며 며 이고 고 인 일 이었다 였다 이었던 였던 입니다 이에요 예요 이죠 죠 이라고 라고 이라는 라는 이지만 지만 이므로 므로 이어서 여서
하다 한다 하는 한 할 하여 해 해서 하고 하며 하면 하면서 하기 하게 하지 하지만 하도록 하자 하므로 하려고 하려면 했다 했던 했고 했으며 했지만 했습니다 합니다 하였다 하였습니다 하세요 하십시오 함 함으로써 하는데 했는데 해야 해도 했을
되다 된다 되는 된 될 되어 돼 되고 되며 되면 되기 되지 되지만 되도록 되었다 됐다 되었습니다 됐습니다 됩니다 됨 되는데
시키다 시킨다 시키는 시킨 시킬 시켜 시키고 시킵니다 시켰다 시켰습니다
들 들은 들이 들을 들의 들에 들에게 들과 들도 들로`

// Tokenize adds spaced units without their endings; what is not Korean goes by
// the rules of Unicode.
func (k *korean) Tokenize(s *token.Stream, text []byte) {
	first := len(s.Tokens)
	tokenizer.Unicode{}.Tokenize(s, text)
	units := slices.Clone(s.Tokens[first:])
	s.Tokens = s.Tokens[:first]
	// Positions are given anew: a compound takes one for each part.
	if len(units) > 0 {
		s.Positions = units[0].Position
	}
	for _, u := range units {
		if !isHangul(u.Term) {
			u.Position = s.Positions
			s.Append(u)
			s.Positions++
			continue
		}
		k.unit(s, u)
	}
}

func isHangul(term []byte) bool {
	for len(term) > 0 {
		r, size := utf8.DecodeRune(term)
		if !unicode.Is(unicode.Hangul, r) {
			return false
		}
		term = term[size:]
	}
	return true
}

func (k *korean) unit(s *token.Stream, u token.Token) {
	runes := []rune(string(u.Term))
	offsets := make([]int, len(runes)+1)
	at := int(u.Start)
	for i, r := range runes {
		offsets[i] = at
		at += utf8.RuneLen(r)
	}
	offsets[len(runes)] = at
	stem := k.stem(runes)
	parts := k.parts(runes[:stem])
	if len(parts) > 1 {
		addWhole(s, runes, offsets, span{0, stem}, token.Hangul)
	}
	for _, p := range parts {
		addWord(s, runes, offsets, p, token.Hangul)
	}
}

// stem returns the length of a unit without its ending. A unit that is a noun
// keeps all; so does one of which less than two characters would remain,
// unless they are a noun that ends there.
func (k *korean) stem(runes []rune) int {
	if len(runes) < 2 || len(k.endings[runes[len(runes)-1]]) == 0 || k.nouns.has(runes) {
		return len(runes)
	}
	text := string(runes)
	guess := len(runes)
	for _, ending := range k.endings[runes[len(runes)-1]] {
		rest, ok := strings.CutSuffix(text, ending)
		if !ok || rest == "" {
			continue
		}
		n := utf8.RuneCountInString(rest)
		if k.nouns.has(runes[:n]) || len(k.parts(runes[:n])) > 1 {
			return n
		}
		if guess == len(runes) && n >= 2 {
			guess = n
		}
	}
	return guess
}

// parts splits a compound into the fewest known nouns of two characters or
// more. What cannot be split so, and what is a noun of up to three, is one part.
func (k *korean) parts(runes []rune) []span {
	n := len(runes)
	one := []span{{0, n}}
	if n < 4 {
		return one
	}
	const infinite = 1 << 30
	var space [2][32]int // longer units are rare
	costs, steps := append(space[0][:0], make([]int, n+1)...), append(space[1][:0], make([]int, n+1)...)
	for i := 1; i <= n; i++ {
		costs[i] = infinite
	}
	for i := range n {
		if costs[i] == infinite {
			continue
		}
		node := uint32(0)
		for j := i; j < n; j++ {
			if node = k.nouns.step(node, runes[j]); node == 0 {
				break
			}
			if j-i < 1 || j-i+1 == n {
				continue
			}
			if _, ok := k.nouns.cost(node); ok && costs[i]+1 < costs[j+1] {
				costs[j+1], steps[j+1] = costs[i]+1, i
			}
		}
	}
	if costs[n] == infinite {
		return one
	}
	var spans []span
	for at := n; at > 0; at = steps[at] {
		spans = append(spans, span{steps[at], at})
	}
	slices.Reverse(spans)
	return spans
}
