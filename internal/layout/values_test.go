package layout

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestFloatOrdersAsFloats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64().Draw(t, "a"), rapid.Float64().Draw(t, "b")
		if (a < b) != (Float(a) < Float(b)) {
			t.Fatalf("%v and %v are ordered otherwise as numbers %d and %d", a, b, Float(a), Float(b))
		}
		if a != 0 && FloatOf(Float(a)) != a {
			t.Fatalf("%v came back as %v", a, FloatOf(Float(a)))
		}
	})
	if Float(math.Copysign(0, -1)) != Float(0) {
		t.Error("negative zero differs from zero")
	}
}

func TestNumberKeysOrderAsNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64().Draw(t, "a"), rapid.Int64().Draw(t, "b")
		ka, kb := AppendNumberKey(nil, a), AppendNumberKey(nil, b)
		if (a < b) != (bytes.Compare(ka, kb) < 0) {
			t.Fatalf("%d and %d are ordered otherwise as keys", a, b)
		}
		if back, ok := NumberOfKey(ka); !ok || back != a {
			t.Fatalf("%d came back as %d", a, back)
		}
	})
}

func TestLevelPathsIgnoreEmptySegments(t *testing.T) {
	for _, c := range []struct {
		value, separator string
		want             []string
	}{
		{"Men/Shoes/Run", "/", []string{"Men", "Men/Shoes", "Men/Shoes/Run"}},
		{"/Men//Shoes/", "/", []string{"Men", "Men/Shoes"}},
		{"//", "/", nil},
		{"a/b > c", " > ", []string{"a\x01b", "a\x01b/c"}},
	} {
		if got := LevelPaths(c.value, c.separator); !slices.Equal(got, c.want) {
			t.Errorf("LevelPaths(%q, %q) = %q, want %q", c.value, c.separator, got, c.want)
		}
	}
	if got := ShowLevelPath("a\x01b/c", " > "); got != "a/b > c" {
		t.Errorf("shown as %q", got)
	}
}

func TestCutKeepsCharactersWhole(t *testing.T) {
	long := make([]byte, 0, MaxTerm+4)
	for len(long) < MaxTerm-1 {
		long = append(long, 'a')
	}
	long = append(long, "é"...)
	if got := Cut(string(long)); len(got) != MaxTerm-1 {
		t.Errorf("cut to %d bytes", len(got))
	}
}
