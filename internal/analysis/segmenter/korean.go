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
	heads   map[string]bool
}

func newKorean() (*korean, error) {
	nouns, err := loadTrie("ko", packedKorean)
	if err != nil {
		return nil, err
	}
	endings := strings.Fields(koreanEndings)
	slices.SortFunc(endings, func(a, b string) int { return len(b) - len(a) })
	k := &korean{nouns: nouns, endings: map[rune][]string{}, heads: map[string]bool{}}
	for head := range strings.FieldsSeq(koreanHeads) {
		k.heads[head] = true
	}
	for _, ending := range endings {
		last, _ := utf8.DecodeLastRuneInString(ending)
		k.endings[last] = append(k.endings[last], ending)
	}
	return k, nil
}

// koreanEndings are the particles that follow nouns, the copula, and the most
// frequent forms of the verbs that turn nouns into verbs (hada, doeda).
const koreanEndings = `
은 는 이 가 을 를 의 에 에서 에게 에게서 께 께서 한테 한테서 로 으로 로서 으로서 로써 으로써 로부터 으로부터 부터 까지
와 과 하고 이랑 랑 도 만 마저 조차 밖에 뿐 처럼 같이 보다 마다 이나 나 이나마 나마 이라도 라도 이라면 라면 이란 란 이든 든 이든지 든지
이야 야 이여 여 아 에는 에도 에만 에서는 에서도 에서의 에의 에게는 에게도 으로는 로는 으로도 로도 으로의 로의 까지는 까지도 부터는 과는 와는 과의 와의
이다 다 이며 며 이고 고 인 일 이었다 였다 이었던 였던 입니다 이에요 예요 이죠 죠 이라고 라고 이라는 라는 이지만 지만 이므로 므로 이어서 여서
하다 한다 하는 한 할 하여 해 해서 하고 하며 하면 하면서 하기 하게 하지 하지만 하도록 하자 하므로 하려고 하려면 했다 했던 했고 했으며 했지만 했습니다 합니다 하였다 하였습니다 하세요 하십시오 함 함으로써 하는데 했는데 해야 해도 했을
되다 된다 되는 된 될 되어 돼 되고 되며 되면 되기 되지 되지만 되도록 되었다 됐다 되었습니다 됐습니다 됩니다 됨 되는데
시키다 시킨다 시키는 시킨 시킬 시켜 시키고 시킵니다 시켰다 시켰습니다
들 들은 들이 들을 들의 들에 들에게 들과 들도 들로`

// koreanHeads are the common nouns of two characters that end like a particle
// and occur last in compounds. The list of nouns alone cannot decide, because
// almost any syllable with a particle makes a rare noun (대학교의 is not 대학 and
// 교의). The words of four characters are those missing from the list of nouns,
// which contains them without their last character.
const koreanHeads = `
가을 마을 노을 고을
차이 놀이 아이 나이 종이 깊이 높이 넓이 풀이 먹이 구이 걸이 꽂이 막이
정도 제도 보도 속도 빈도 밀도 시도 온도 궤도 수도 유도 한도 구도 지도 철도 태도 강도 농도 각도 습도 연도 용도 의도 진도 열도 포도 복도 파도 척도
도로 경로 통로 회로 선로 진로 항로 난로 원로 피로 미로 폭로
회의 강의 합의 예의 정의 편의 동의 협의 주의 질의 모의 논의 건의 문의 결의 심의 토의
작가 국가 물가 단가 정가 원가 농가 상가 증가 평가 참가 추가 휴가 유가 주가 허가
결과 효과 성과 사과 초과 치과 외과 내과 제과 경과 통과 학과
광고 창고 참고 신고 문고 경고 금고 원고 선고 권고 잔고 사고 예고 재고 보고 피고 차고 투고 기고 최고
이해 손해 피해 방해 오해 공해 침해 재해 상해
권한 기한 제한 북한 역할 관할 분할 명함 군함
법인 노인 요인 확인 와인 군인 애인 살인 미인 죄인 원인 라인 코인 할인 승인 체인 개인 주인
생일 과일 파일 세일 타일 메일 오일 휴일 요일 통일
유아 육아 치아 자아 분야 심야 참여 수여 대여 기여 부여 급여 투여 증여
불만 비만 낭만 사랑 신랑 자랑 논란 혼란 반란 계란 대란 가든 바다 아들
고속도로 고속철도 지하철도 횡단도로 학습지도 재단법인`

// Endings whose form depends on the preceding sound.
const (
	afterVowel     = "가 는 를 와 랑 나 란 든 야 로 다 며 고"
	afterConsonant = "은 이 을 과"
)

// Tokenize adds spaced units without their endings; anything not Korean follows
// the rules of Unicode.
func (k *korean) Tokenize(s *token.Stream, text []byte) {
	first := len(s.Tokens)
	text, origins := syllables(s, text)
	tokenizer.Unicode{}.Tokenize(s, text)
	units := slices.Clone(s.Tokens[first:])
	s.Tokens = s.Tokens[:first]
	// Positions are assigned anew: a compound takes one per part.
	if len(units) > 0 {
		s.Positions = units[0].Position
	}
	for _, u := range units {
		at := len(s.Tokens)
		if isHangul(u.Term) {
			k.unit(s, u)
		} else {
			k.mixed(s, u)
		}
		if origins != nil {
			s.Tokens = withUnit(s.Tokens, at, u)
		}
	}
	if origins != nil {
		for i := first; i < len(s.Tokens); i++ {
			t := &s.Tokens[i]
			t.Start, t.End = origins[t.Start], origins[t.End]
		}
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

// stem returns the length of a unit without its ending. A noun stays whole.
// Otherwise the candidates are the whole unit, if it is a compound whose last
// noun ends like a particle, and the cuts that leave nouns; the one with the
// fewest nouns wins, and on ties the longer ending. Any other unit loses its
// longest ending that leaves two characters.
func (k *korean) stem(runes []rune) int {
	if len(runes) < 2 || len(k.endings[runes[len(runes)-1]]) == 0 || k.nouns.has(runes) {
		return len(runes)
	}
	text := string(runes)
	if stem, ok := k.knownStem(runes, text); ok {
		return stem
	}
	if n := len(runes); n >= 4 && k.heads[string(runes[n-2:])] && !fits(runes[n-2], string(runes[n-1:])) {
		return n // an unknown word before a head, whose last syllable is not a particle here
	}
	return k.guess(runes, text, 2)
}

// knownStem returns the length of a unit without its ending if the rest
// consists of nouns, and reports whether it does.
func (k *korean) knownStem(runes []rune, text string) (int, bool) {
	stem, whole := len(runes), k.headed(runes, text)
	least := whole
	for _, ending := range k.endings[runes[len(runes)-1]] {
		rest, ok := strings.CutSuffix(text, ending)
		if !ok || rest == "" {
			continue
		}
		n := utf8.RuneCountInString(rest)
		if cost := k.cost(runes[:n], rest); cost < least && (whole == unknown || fits(runes[n-1], ending)) {
			stem, least = n, cost
		}
	}
	return stem, least < unknown
}

// guess returns the length of a unit without its longest ending that leaves the
// given number of characters.
func (k *korean) guess(runes []rune, text string, characters int) int {
	for _, ending := range k.endings[runes[len(runes)-1]] {
		if rest, ok := strings.CutSuffix(text, ending); ok {
			if n := utf8.RuneCountInString(rest); n >= characters {
				return n
			}
		}
	}
	return len(runes)
}

const longestNoun = 17 // characters, in the list of nouns

// unknown is the cost of a stem that does not consist of nouns.
const unknown = 1 << 30

// cost returns the cost of a stem: two for each noun it consists of, one less
// if the last one is a head.
func (k *korean) cost(runes []rune, text string) int {
	if k.nouns.has(runes) && !k.heads[text] {
		return 2
	}
	if cost := k.headed(runes, text); cost < unknown {
		return cost
	}
	if parts := k.parts(runes); len(parts) > 1 {
		return 2 * len(parts)
	}
	return unknown
}

// headed returns the cost of a compound whose last noun is a head, or a longer
// noun that ends like a particle without being a noun with a particle.
func (k *korean) headed(runes []rune, text string) int {
	if k.heads[text] {
		return 1
	}
	least := unknown
	if len(k.endings[runes[len(runes)-1]]) == 0 {
		return least
	}
	at := len(text)
	for n := len(runes) - 1; n >= max(2, len(runes)-longestNoun); n-- {
		at -= utf8.RuneLen(runes[n])
		last := text[at:]
		if !k.heads[last] && (len(runes)-n < 3 || !k.nouns.has(runes[n:]) || k.isInflected(runes[n:], last)) {
			continue
		}
		if k.nouns.has(runes[:n]) {
			return 3
		}
		if parts := k.parts(runes[:n]); len(parts) > 1 {
			least = min(least, 2*len(parts)+1)
		}
	}
	return least
}

// isInflected reports whether the characters are an ending or a noun with an
// ending.
func (k *korean) isInflected(runes []rune, text string) bool {
	for _, ending := range k.endings[runes[len(runes)-1]] {
		rest, ok := strings.CutSuffix(text, ending)
		if ok && (rest == "" || k.nouns.has(runes[:utf8.RuneCountInString(rest)])) {
			return true
		}
	}
	return false
}

// fits reports whether an ending has the form required after a syllable.
func fits(syllable rune, ending string) bool {
	if syllable < '가' || syllable > '힣' {
		return true
	}
	const liquid = 8 // the final ㄹ
	final := (syllable - '가') % 28
	switch {
	case ending == "로" && final == liquid:
		return true
	case strings.Contains(afterVowel, ending):
		return final == 0
	case strings.Contains(afterConsonant, ending):
		return final != 0
	}
	return true
}

// parts splits a compound into the fewest known nouns of two or more
// characters. Anything that cannot be split this way, and any noun of up to
// three characters, is one part.
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
