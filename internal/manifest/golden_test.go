package manifest

import (
	"bytes"
	"flag"
	"os"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "replace expected output")

func TestFormatIsAsDescribed(t *testing.T) {
	m := example()
	m.WriteID, m.Generation, m.Ancestry = "00000000000000000000000000000004", "000000000000000000000000000000aa", []string{"00000000000000000000000000000003"}
	m.Epoch, m.Session, m.LowWaterMarks, m.Retired = 2, "bb", []LowWaterMark{{LSN: 9, Time: 1000}}, []Retired{{Key: "g/aa/seg/bb/1", Time: 900}}
	got, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	const name = "testdata/manifest.txt"
	if *rewrite {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("the format changed:\n%s", got)
	}
	if _, err := Decode(want); err != nil {
		t.Fatal(err)
	}
}
