package charfilter

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// all returns the matches of an expression found by a machine.
func all(t testing.TB, expression string, text string) [][]int {
	t.Helper()
	filter, err := NewPatternReplace(expression, "")
	if err != nil {
		t.Skip(err)
	}
	var found [][]int
	left := int64(math.MaxInt64)
	m := filter.machines.Get().(*machine)
	m.each([]byte(text), math.MaxInt, &left, func(groups []int) bool {
		found = append(found, slices.Clone(groups))
		return true
	})
	return found
}

func agree(t testing.TB, expression, text string) {
	t.Helper()
	got, want := all(t, expression, text), regexp.MustCompile(expression).FindAllSubmatchIndex([]byte(text), -1)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q in %q: %v, want %v", expression, text, got, want)
	}
}

func TestAMachineFindsWhatPackageRegexpFinds(t *testing.T) {
	expressions := []string{
		`x*y|x`, `a(b|bc)c?`, `\b\w+\b`, `^a`, `a$`, `(?m)^a|b$`, `(a*)(b*)`, ``, `a*?`, `(?i)straße`, `[^a]+`, `\B`, `(a|ab)(c|bcd)(d*)`,
		`(?:a{1,3}b){2}`, `.`, `(?s).`, `é+`, `\pL\d?`, `(x)|(y)|()`, `\Aab`, `ab\z`, `abc`, `(a?)*?b`, `(?:(a)|b)*`,
	}
	for _, expression := range expressions {
		for _, text := range []string{"", "a", "ab\nba", "xxxyxx", "abcd abc", "aéÉ\xffa", "Strasse STRAẞE", "aaabaabab", "\xff\xfe", "日本 2a"} {
			agree(t, expression, text)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "b", "c", ".", "a*", "b+?", "(a|b)", "(ab)?", `\b`, "^", "$", "|", "[ab]{0,2}", "(?:c|)", "é"}
	for range 3000 {
		var expression, text strings.Builder
		for range random.IntN(6) {
			expression.WriteString(pieces[random.IntN(len(pieces))])
		}
		for range random.IntN(12) {
			text.WriteString([]string{"a", "b", "c", " ", "\n", "é", "\xff"}[random.IntN(7)])
		}
		agree(t, expression.String(), text.String())
	}
}

func FuzzAMachineFindsWhatPackageRegexpFinds(f *testing.F) {
	f.Add(`x*y|x`, "xxx")
	f.Add(`(a*)(\b|b)`, "aab")
	f.Fuzz(func(t *testing.T, expression, text string) {
		if len(expression) > 50 || len(text) > 100 {
			t.Skip()
		}
		agree(t, expression, text)
	})
}

// An expression that reads far ahead for every match takes quadratic time.
func TestStepsAreBounded(t *testing.T) {
	for _, expression := range []string{`x*y|x`, `(x{1,1000}y){1}`, `x{1,1000}y|x`} {
		text := &Text{Steps: 1 << 16}
		text.Reset(strings.Repeat("x", 1<<20))
		pattern(t, expression, "z").Apply(text)
		if text.Steps >= 0 {
			t.Errorf("%s: %d steps are left", expression, text.Steps)
		}
		if text.Steps < -1<<16 {
			t.Errorf("%s took %d steps more than it had", expression, -text.Steps)
		}
		if got := len(text.Bytes()); got != 1<<20 {
			t.Errorf("%s: %d bytes", expression, got)
		}
	}
	text := &Text{Steps: 1 << 26}
	text.Reset(strings.Repeat("red  shoes ", 1<<16))
	pattern(t, `\s+`, " ").Apply(text)
	if want := strings.Repeat("red shoes ", 1<<16); string(text.Bytes()) != want {
		t.Error("not every match was replaced")
	}
}
