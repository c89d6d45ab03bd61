package steps

import (
	"testing"
)

func TestParseAndWriteAgain(t *testing.T) {
	const text = "# A rule.\n\n# First.\nGET /a\nAccept: x\n----\n200\n{\"a\":1}\n\nrestart\n\nPOST /b\n{\n\"x\":1}\n----\n204\n"
	script, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if len(script.Steps) != 3 || !script.Steps[1].IsRestart() || script.String() != text {
		t.Errorf("%d steps:\n%s", len(script.Steps), script)
	}
	for _, bad := range []string{"", "GET /a\n----\n200\n", "# Rule.\n\nGET /a\n"} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("# A rule.\n\nGET /a\n----\n200\n")
	f.Fuzz(func(t *testing.T, text string) {
		script, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(script.String())
		if err != nil {
			t.Fatalf("%q is written as %q: %v", text, script, err)
		}
		if again.String() != script.String() {
			t.Errorf("%q is not stable", text)
		}
	})
}
