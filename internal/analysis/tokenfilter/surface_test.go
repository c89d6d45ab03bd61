package tokenfilter

import (
	"testing"

	"golang.org/x/text/unicode/norm"
)

func TestSoundsOfScripts(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"한글", norm.NFD.String("한글")},
		{"삼성폰", norm.NFD.String("삼성폰")},
		{"カメラ", "kamera"},
		{"かめら", "kamera"},
		{"コンピューター", "konpyuutaa"},
		{"きゃく", "kyaku"},
		{"東京タワー", "東京tawaa"},
		{"latin", "latin"},
		{"ー", "ー"},
	} {
		if got := string(AppendSounds(nil, []byte(c.text))); got != c.want {
			t.Errorf("%s sounds %q, want %q", c.text, got, c.want)
		}
	}
}
