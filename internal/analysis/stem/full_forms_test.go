package stem

import (
	"bytes"
	"testing"
)

func TestFormsGiveBases(t *testing.T) {
	var list bytes.Buffer
	if n, err := WriteForms(&list, [][2]string{{"Hestar", "hestur"}, {"hesti", "hestur"}, {"konur", "kona"}, {"Ömmu", "amma"}, {"об'єктів", "об'єкт"}, {"two words", "x"}}); n != 5 || err != nil {
		t.Fatal(n, err)
	}
	f, err := OpenForms(list.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for form, want := range map[string]string{"hestar": "hestur", "hesti": "hestur", "konur": "kona", "ömmu": "amma", "bíll": "bíll", "об'єктів": "об'єкт"} {
		if got := string(f.AppendStem(nil, nil, []byte(form))); got != want {
			t.Errorf("%s: %s, want %s", form, got, want)
		}
	}
}

func FuzzOpenForms(f *testing.F) {
	var list bytes.Buffer
	if _, err := WriteForms(&list, [][2]string{{"hestar", "hestur"}}); err != nil {
		f.Fatal(err)
	}
	f.Add(list.Bytes(), "hestar")
	f.Fuzz(func(t *testing.T, data []byte, word string) {
		if !bytes.Equal(data, list.Bytes()) {
			// The automaton library trusts its input; only the header is parsed here.
			data = data[:min(len(data), len(formsMark)+8)]
		}
		if forms, err := OpenForms(data); err == nil {
			forms.AppendStem(nil, nil, []byte(word))
		}
	})
}
