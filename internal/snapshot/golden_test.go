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
	live := bitset.NewFull(70)
	live.Clear(3)
	b := NewOverlayBuilder(nil, 70)
	b.Set(5, 9, true)
	b.Set(8, 0, false)
	content := encodeSide(t, &Side{
		Keys:    []string{"a", "bc"},
		Entries: []SideEntry{{Segment: "0000000001.seg", Documents: 70, Live: live, Signals: map[string]*Overlay{"sales": b.Finish()}}},
	})
	file, err := blockfile.Inspect("0000000002.side", content)
	if err != nil {
		t.Fatal(err)
	}
	names := map[uint16]string{partDirectory: "directory", partKeys: "changed keys", partLive: "live documents", partColumns: "refreshed values"}
	var out bytes.Buffer
	file.Dump(&out, func(id blockfile.ID) string { return names[id.Part] })
	for _, section := range file.Sections() {
		data, _ := file.Section(section.ID)
		fmt.Fprintf(&out, "\n%s\n%s", names[section.ID.Part], hex.Dump(data))
	}
	const name = "testdata/side.txt"
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
