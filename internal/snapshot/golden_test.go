package snapshot

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
)

var rewrite = flag.Bool("rewrite", false, "replace expected output")

func TestFormatIsAsDescribed(t *testing.T) {
	large := bitset.NewFull(listedFrom)
	large.Clear(3)
	large.Clear(listedFrom - 1)
	checkFormat(t, "testdata/listed.txt", &Side{Entries: []SideEntry{{Segment: "0000000001.seg", Documents: listedFrom, Live: large}}})

	live := bitset.NewFull(70)
	live.Clear(3)
	b := NewOverlayBuilder(nil, 70)
	b.Set(5, 9, true)
	b.Set(8, 0, false)
	checkFormat(t, "testdata/side.txt", &Side{
		Keys:    []string{"a", "bc"},
		Entries: []SideEntry{{Segment: "0000000001.seg", Documents: 70, Live: live, Signals: map[string]*Overlay{"sales": b.Finish()}}},
	})
}

// checkFormat compares the bytes of a side file with a listing.
func checkFormat(t *testing.T, name string, side *Side) {
	t.Helper()
	content := encodeSide(t, side)
	file, err := blockfile.Inspect("0000000002.side", content)
	if err != nil {
		t.Fatal(err)
	}
	names := map[uint16]string{partDirectory: "directory", partKeys: "changed keys", partLive: "live documents", partDeleted: "deleted documents", partColumns: "refreshed values"}
	var out bytes.Buffer
	file.Dump(&out, func(id blockfile.ID) string { return names[id.Part] })
	for _, section := range file.Sections() {
		data, _ := file.Section(section.ID)
		fmt.Fprintf(&out, "\n%s\n%s", names[section.ID.Part], hex.Dump(data))
	}
	if *rewrite {
		if err := os.WriteFile(name, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Fatalf("the format changed:\n%s", out.Bytes())
	}
}
