package registry

import (
	"errors"
	"strings"
	"testing"

	"github.com/quiresearch/quire/problem"
)

func TestParseName(t *testing.T) {
	for _, c := range []struct {
		text string
		want Name
		code *problem.Code
	}{
		{text: "books", want: Name{Index: "books"}},
		{text: "books@2", want: Name{Index: "books", Generation: "2"}},
		{text: "0-_", want: Name{Index: "0-_"}},
		{text: strings.Repeat("a", 64), want: Name{Index: strings.Repeat("a", 64)}},
		{text: strings.Repeat("a", 65), code: problem.IndexNameInvalid},
		{text: "a@" + strings.Repeat("1", 32), want: Name{Index: "a", Generation: strings.Repeat("1", 32)}},
		{text: "a@" + strings.Repeat("1", 33), code: problem.IndexGenerationNameInvalid},
		{text: "", code: problem.IndexNameInvalid},
		{text: "Books", code: problem.IndexNameInvalid},
		{text: "-books", code: problem.IndexNameInvalid},
		{text: "_books", code: problem.IndexNameInvalid},
		{text: "boo ks", code: problem.IndexNameInvalid},
		{text: "../x", code: problem.IndexNameInvalid},
		{text: "a\x00", code: problem.IndexNameInvalid},
		{text: "é", code: problem.IndexNameInvalid},
		{text: "@1", code: problem.IndexNameInvalid},
		{text: "books@", code: problem.IndexGenerationNameInvalid},
		{text: "books@1@2", code: problem.IndexGenerationNameInvalid},
		{text: "books@A", code: problem.IndexGenerationNameInvalid},
	} {
		got, err := ParseName(c.text)
		if c.code != nil {
			if !errors.Is(err, c.code) {
				t.Errorf("ParseName(%q): %v, want %v", c.text, err, c.code)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("ParseName(%q) = %v, %v, want %v", c.text, got, err, c.want)
		}
	}
}

func FuzzParseName(f *testing.F) {
	for _, seed := range []string{"books", "books@2", "a@b@c", "%2e%2e", "../..", "A", "а@1", "a\x00b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		name, err := ParseName(text)
		if err != nil {
			return
		}
		if name.String() != text {
			t.Fatalf("%q was read as %q", text, name)
		}
		if strings.ContainsAny(text, "/\\.\x00%") || len(text) > 64+1+32 {
			t.Fatalf("%q was accepted", text)
		}
	})
}
