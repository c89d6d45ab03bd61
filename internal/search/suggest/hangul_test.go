package suggest

import (
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

func TestHalfTypedHangul(t *testing.T) {
	words := []string{"하늘", "학교", "한구석", "한국", "한국어", "해", "삼성전자"}
	values := make([]text, len(words))
	for i, word := range words {
		values[i].value = word
	}
	normalize := func(text string) []byte { return []byte(norm.NFKC.String(text)) }
	x := build(values, normalize)
	for _, c := range []struct {
		typed, want string
		covered     int
	}{
		{"ㅎ", "하늘 학교 한구석 한국 한국어 해", 1},
		{"하", "하늘 학교 한구석 한국 한국어", 1},
		{"학ㄱ", "학교", 2},
		{"한ㄱ", "한구석 한국 한국어", 2},
		{"한구", "한구석 한국 한국어", 2},
		{norm.NFD.String("한구"), "한구석 한국 한국어", 2},
		{"한국", "한국 한국어", 2},
		{"한국ㅇ", "한국어", 3},
		{"삼성저", "삼성전자", 3},
		{"삼성정", "", 0},
		{"ㄱ", "", 0},
	} {
		typed := string(normalize(c.typed))
		var found []string
		for _, in := range x.Prefix(typed) {
			for entry := in.From; entry < in.To; entry++ {
				word := words[x.owners[entry]/2]
				found = append(found, word)
				if got := Typed(word, typed, normalize); got != c.covered {
					t.Errorf("%q covers %d characters of %s, want %d", c.typed, got, word, c.covered)
				}
			}
		}
		if got := strings.Join(found, " "); got != c.want {
			t.Errorf("%q: got %s, want %s", c.typed, got, c.want)
		}
	}
}
