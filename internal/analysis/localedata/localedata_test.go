package localedata

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/analysis/decompound"
)

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestBuiltDataAreFoundAndUsed(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	write(t, in, "nb.aff", "SET ISO8859-1\nSFX A Y 1\nSFX A 0 r e\n")
	write(t, in, "nb.dic", "3\njakke/A\nregn\nbl\xe5b\xe6r\n")
	patterns := write(t, in, "hyph.dic", "ISO8859-1\nn1j\n\xe51b\n")
	report, err := Build(out, Sources{Tag: "nb", Hunspell: filepath.Join(in, "nb"), Patterns: patterns})
	if err != nil || report.Words != 4 {
		t.Fatalf("%+v, %v", report, err)
	}
	forms := write(t, in, "forms.tsv", "hestar\thestur\nkonur\tkona\n")
	stopwords := write(t, in, "stop.txt", "# words\nog\n")
	if _, err := Build(out, Sources{Tag: "is", Forms: forms, Stopwords: stopwords, Words: []string{forms}, Patterns: patterns}); err != nil {
		t.Fatal(err)
	}
	var options analysis.Options
	if err := Add(&options, out); err != nil {
		t.Fatal(err)
	}
	b := analysis.NewBuilder(options)
	if !b.Decompounds("nb") || !b.Decompounds("no") || !b.Supports("is") || b.Decompounds("fr") {
		t.Error("what the node has is reported wrongly")
	}
	splitter, err := options.Decompounders["nb"]()
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := splitter.(*decompound.Splitter); !ok {
		t.Errorf("%T stands in for the data of the directory", splitter)
	}
	if got := splitter.AppendParts(nil, []byte("regnjakke")); len(got) != 4 {
		t.Errorf("regnjakke has parts %v", got)
	}
	stemmer, err := options.Stemmers["is"]()
	if err != nil {
		t.Fatal(err)
	}
	if got := string(stemmer.AppendStem(nil, nil, []byte("konur"))); got != "kona" {
		t.Errorf("konur stems to %s", got)
	}
	if words, err := options.Stopwords["is"](); err != nil || len(words) != 1 || words[0] != "og" {
		t.Errorf("stopwords %q, %v", words, err)
	}
}

func TestBuildRefusesWhatItCannotUse(t *testing.T) {
	out := t.TempDir()
	for _, s := range []Sources{{Tag: "xx"}, {Tag: "SV"}, {Tag: "sv"}, {Tag: "sv", Hunspell: "absent"}, {Tag: "../sv"}} {
		if _, err := Build(out, s); err == nil {
			t.Errorf("%+v was accepted", s)
		}
	}
	if left, err := os.ReadDir(out); err != nil || len(left) > 0 {
		t.Errorf("%v %v is left behind", left, err)
	}
}
