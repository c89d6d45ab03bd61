package segmenter

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/quiresearch/quire/internal/analysis/token"
)

func koreanTerms(t *testing.T) func(text string) []string {
	t.Helper()
	tok := load(t, "ko")
	return func(text string) []string {
		var s token.Stream
		tok.Tokenize(&s, []byte(text))
		var terms []string
		for _, w := range s.Tokens {
			terms = append(terms, string(w.Term))
		}
		return terms
	}
}

// particles returns the particles of a noun in the forms that its last sound
// requires.
func particles(noun string) []string {
	runes := []rune(noun)
	switch (runes[len(runes)-1] - '가') % 28 {
	case 0:
		return strings.Fields("에서 를 는 가 의 로 도 와 에 만")
	case 8:
		return strings.Fields("에서 을 은 이 의 로 도 과 에 만")
	}
	return strings.Fields("에서 을 은 이 의 으로 도 과 에 만")
}

func TestACompoundThatEndsLikeAParticleKeepsItsEnd(t *testing.T) {
	terms := koreanTerms(t)
	for _, parts := range []string{
		"고속 도로", "화상 회의", "세계 지도", "검색 결과", "신문 광고", "보관 창고", "최고 속도", "전자 회로", "온라인 강의",
		"교통 사고", "연구 결과", "실내 온도", "업무 보고", "민주 국가", "선진 국가", "여름 휴가", "개인 차이", "전통 놀이",
		"민속 마을", "광고 효과", "우주 궤도", "고객 문의", "태풍 피해", "속도 제한", "첨부 파일", "가격 할인", "장비 대여",
		"연구 분야", "경부 고속 도로", "국제 학술회의",
	} {
		words := strings.Fields(parts)
		compound := strings.Join(words, "")
		want := append([]string{compound}, words...)
		for _, particle := range append([]string{""}, particles(compound)...) {
			if got := terms(compound + particle); !slices.Equal(got, want) {
				t.Errorf("%s %s: %v, want %v", compound, particle, got, want)
			}
		}
	}
}

func TestANounLosesItsParticle(t *testing.T) {
	terms := koreanTerms(t)
	for noun := range strings.FieldsSeq("친구 사람 대학교 위원회 데이터 사용자 편집기 자동차 파일 회의 도로 결과 대부분 정밀도 최적화 제품군 서울시 공무원 대한민국 소프트웨어 자동차보험 국제공항") {
		want := terms(noun)
		if want[0] != noun {
			t.Errorf("%s: %v", noun, want)
		}
		for _, particle := range particles(noun) {
			if got := terms(noun + particle); !slices.Equal(got, want) {
				t.Errorf("%s %s: %v, want %v", noun, particle, got, want)
			}
		}
	}
	// Here the unit including its particle also splits into nouns, but into ones
	// that no text means.
	for text, want := range map[string]string{
		"데이타의": "데이타", "윈도우의": "윈도우", "저장소의": "저장소", "처리기로": "처리기", "생성기와": "생성기",
		"물류창고": "물류창고", "물류창고에서": "물류창고", "결과의": "결과", "도로는": "도로", "말하는": "말", "사용해서": "사용", "사용하기": "사용", "안전하게": "안전", "현재까지": "현재", "사람들이": "사람", "일반적인": "일반적",
	} {
		if got := terms(text); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %v, want %s", text, got, want)
		}
	}
}

func TestForeignWordsAndNumbersLoseTheirKoreanEnding(t *testing.T) {
	terms := koreanTerms(t)
	for text, want := range map[string]string{
		"USB를": "USB", "GNOME을": "GNOME", "PC도": "PC", "Linux입니다": "Linux", "Node.js로": "Node.js", "API들을": "API", "3은": "3", "10부터": "10",
		"USB": "USB", "1.4.2": "1.4.2", "5일": "5일 5 일", "5일에": "5일 5 일", "3도": "3도 3 도",
		"2024년": "2024년 2024 년", "2024년에는": "2024년 2024 년", "3개의": "3개 3 개", "100원부터": "100원 100 원", "2옥타브로": "2옥타브 2 옥타브",
		"PDF용": "PDF용 PDF 용", "PDF용으로": "PDF용 PDF 용", "LG전자의": "LG전자 LG 전자", "X윈도우에서": "X윈도우 X 윈도우", "KTX고속도로": "KTX고속도로 KTX 고속도로",
		"한글LaTeX을": "한글LaTeX 한글 LaTeX", "서울.부산에서": "서울.부산 서울 부산", "3.5인치": "3.5인치 3.5 인치",
	} {
		if got := strings.Join(terms(text), " "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestConjoiningJamoAreSyllables(t *testing.T) {
	tok := load(t, "ko")
	for text, want := range map[string]string{
		"삼성전자":      "삼성전자[삼성전자] 삼성[삼성] 전자[전자]",
		"학교에서 만난":   "학교|학교에서[학교에서] 만난[만난]",
		"2024년에는 한": "2024년|2024년에는[2024년에는] 2024[2024] 년[년] 한[한]",
		"ᄒ 하ᄀ":      "ᄒ[ᄒ] 하ᄀ[하ᄀ]",
	} {
		loose := norm.NFD.String(text)
		var s token.Stream
		tok.Tokenize(&s, []byte(loose))
		var got []string
		for i, w := range s.Tokens {
			place := "[" + norm.NFC.String(loose[w.Start:w.End]) + "]"
			if n := len(got); i > 0 && w.Position == s.Tokens[i-1].Position && w.End > s.Tokens[i-1].End {
				got[n-1] = got[n-1][:strings.Index(got[n-1], "[")] + "|" + string(w.Term) + place
			} else {
				got = append(got, string(w.Term)+place)
			}
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
