package tokenfilter

import "testing"

func TestASCIIFoldingTable(t *testing.T) {
	f := NewASCIIFolding(false)
	for in, want := range map[string]string{
		"Ærøskøbing": "AEroskobing", "Łódź": "Lodz", "straße": "strasse", "Þór": "THor", "œuvre": "oeuvre", "ĳ": "ij", "ﬃ": "ffi",
		"“x”": "\"x\"", "a–b": "a-b", "e\u0301": "e", "日本": "日本", "Ωμέγα": "Ωμέγα", "й": "й", "Đặng": "Dang", "½": "1/2", "ﬆ": "st", "bakı ə": "baki a",
		"５": "5", "⑳": "20", "\u00a0": " ", "¨": "¨",
	} {
		if got := string(f.appendFolded(nil, []byte(in))); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
