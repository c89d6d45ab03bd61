package freshness

import (
	"encoding/base64"
	"errors"
	"testing"

	"github.com/quiresearch/quire/problem"
)

var full = Token{
	Index: ID{1, 2, 3}, IndexName: "books", Generation: ID{9}, Sequence: 300, Settings: 7,
}

func TestTokenIsReadBack(t *testing.T) {
	for _, want := range []Token{
		full,
		{Index: ID{1}},
		{Index: ID{1}, IndexName: "a", Settings: 1},
		{Index: ID{1}, IndexName: "a", Generation: ID{255}},
		{Index: ID{1}, Generation: ID{2}, Sequence: 1<<64 - 1},
	} {
		got, err := Parse(want.String(), problem.At("freshness.atLeast"))
		if err != nil || got != want {
			t.Errorf("%+v was read back as %+v, %v", want, got, err)
		}
	}
}

func TestTextThatIsNoTokenIsInvalid(t *testing.T) {
	text := full.String()
	for _, bad := range []string{
		"", "not-a-token", "AQ", text[:len(text)-2], text + "AA", text + "=", "+/" + text,
		base64.RawURLEncoding.EncodeToString([]byte{1, 4, 1, 5}),
	} {
		_, err := Parse(bad, problem.At("freshness.atLeast"))
		if !errors.Is(err, problem.SearchFreshnessInvalid) {
			t.Errorf("Parse(%q): %v, want search:freshness:invalid", bad, err)
		}
	}
}

func TestTokenOfAnotherVersionIsUnsupported(t *testing.T) {
	message, _ := base64.RawURLEncoding.DecodeString(full.String())
	message[0] = 2
	_, err := Parse(base64.RawURLEncoding.EncodeToString(message), problem.At(Header))
	if !errors.Is(err, problem.SearchFreshnessVersionUnsupported) {
		t.Fatalf("version 2: %v", err)
	}
	if found := problem.All(err)[0]; found.Arguments["version"] != "2" || found.Path != Header {
		t.Fatalf("problem %+v", found)
	}
}

func TestUnknownFieldsAreSkipped(t *testing.T) {
	message, _ := base64.RawURLEncoding.DecodeString(full.String())
	message = append(message, 200, 2, 'x', 'y')
	got, err := Parse(base64.RawURLEncoding.EncodeToString(message), problem.Path{})
	if err != nil || got != full {
		t.Fatalf("read %+v, %v", got, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(full.String())
	f.Add(Token{Index: ID{1}}.String())
	f.Add("not-a-token")
	f.Fuzz(func(t *testing.T, text string) {
		token, err := Parse(text, problem.Path{})
		if err != nil {
			return
		}
		again, err := Parse(token.String(), problem.Path{})
		if err != nil || again != token {
			t.Fatalf("%q was read as %+v, then %+v, %v", text, token, again, err)
		}
	})
}
