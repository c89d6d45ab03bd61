package collation

import (
	"bytes"
	"slices"
	"testing"
)

func TestOrderByLocale(t *testing.T) {
	for _, c := range []struct {
		locale string
		want   []string
	}{
		{"", []string{"1", "a", "B", "c", "é", "f"}},
		{"en", []string{"10", "apple", "Banana", "cherry"}},
		{"sv", []string{"a", "z", "å", "ä", "ö"}},
		{"nb", []string{"a", "z", "æ", "ø", "å"}},
		{"no", []string{"a", "z", "æ", "ø", "å"}},
		{"nn", []string{"a", "z", "æ", "ø", "å"}},
		{"da", []string{"a", "z", "æ", "ø", "å"}},
		{"da", []string{"A", "a", "B", "b"}},
		{"de", []string{"a", "ä", "b", "z"}},
		{"es", []string{"n", "ñ", "o"}},
		{"ru", []string{"1", "а", "я", "a", "z"}},
		{"el", []string{"α", "ω", "a", "z"}},
		{"tr", []string{"h", "ı", "i", "j"}},
		{"cs", []string{"c", "č", "d", "h", "ch", "i"}},
		{"et", []string{"s", "š", "z", "ž", "t"}},
		{"unknown-tag", []string{"a", "b"}},
	} {
		collator := New(c.locale)
		shuffled := slices.Clone(c.want)
		slices.Reverse(shuffled)
		slices.SortFunc(shuffled, func(a, b string) int {
			return bytes.Compare(collator.AppendKey(nil, a), collator.AppendKey(nil, b))
		})
		if !slices.Equal(shuffled, c.want) {
			t.Errorf("%q: %q, want %q", c.locale, shuffled, c.want)
		}
	}
}

func TestKeysAreReproducible(t *testing.T) {
	a, b := New("sv"), New("sv")
	first := a.AppendKey(nil, "Ål")
	a.AppendKey(nil, "something else")
	if !bytes.Equal(a.AppendKey(nil, "Ål"), first) || !bytes.Equal(b.AppendKey(nil, "Ål"), first) {
		t.Error("one text has two keys")
	}
	if got := a.AppendKey([]byte("x"), "Ål"); !bytes.Equal(got[1:], first) || got[0] != 'x' {
		t.Error("the key was not appended")
	}
}

func FuzzAppendKey(f *testing.F) {
	f.Add("sv", "Ål och öl")
	f.Add("zz", "\xff\xfe")
	f.Fuzz(func(t *testing.T, tag, text string) {
		if key := New(tag).AppendKey(nil, text); len(key) > 64*maxText {
			t.Errorf("a key of %d bytes", len(key))
		}
	})
}
