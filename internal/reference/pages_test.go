package reference

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the pages instead of comparing them")

const directory = "../../docs/reference"

func TestReferencePagesAreUpToDate(t *testing.T) {
	for name, want := range Pages() {
		file := filepath.Join(directory, name)
		if *rewrite {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s is stale; run make generate", file)
		}
	}
}
