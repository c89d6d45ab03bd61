package vfs

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// A mapping of a file written in huge pages takes few page table entries, if the
// file system of the test allows it.
func TestFilesWrittenInHugePagesAreMappedSo(t *testing.T) {
	const pages = 4
	fs := OS(t.TempDir())
	file, err := fs.Create("large")
	if err != nil {
		t.Fatal(err)
	}
	for range pages {
		if _, err := file.Write(make([]byte, HugePage)); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	m, err := fs.Map("large")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Release()
	sum := byte(0)
	for i := 0; i < len(m.Bytes()); i += os.Getpagesize() {
		sum |= m.Bytes()[i]
	}
	if sum != 0 {
		t.Error("the file differs")
	}
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	_, of, found := strings.Cut(string(text), "/large\n")
	_, of, counted := strings.Cut(of, "FilePmdMapped:")
	if !found || !counted {
		t.Skip("the system does not count huge pages of files")
	}
	kilobytes, err := strconv.Atoi(strings.Fields(of)[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d bytes are mapped in huge pages", kilobytes<<10, pages*HugePage)
	if kilobytes == 0 {
		t.Skip("the file system keeps no huge pages")
	}
}
