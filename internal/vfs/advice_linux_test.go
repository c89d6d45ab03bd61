package vfs

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"
)

// Advice is given for the whole pages of a part, and the bytes do not change; bytes
// elsewhere get no advice.
func TestAdviceForAPart(t *testing.T) {
	page := os.Getpagesize()
	content := bytes.Repeat([]byte("0123456789abcdef"), page) // 16 pages
	fs := OS(t.TempDir())
	f, err := fs.Create("f")
	must(t, err)
	_, err = f.Write(content)
	must(t, err)
	must(t, f.Close())
	m, err := fs.Map("f")
	must(t, err)
	defer m.Release()
	m.Soon(m.Bytes())
	m.Scattered(m.Bytes()[page+1 : 4*page+1])
	m.Scattered(make([]byte, 8*page))
	m.Scattered(nil)
	start := uintptr(unsafe.Pointer(&m.Bytes()[0]))
	maps, err := os.ReadFile("/proc/self/smaps")
	must(t, err)
	advised := fmt.Sprintf("%x-%x ", start+uintptr(2*page), start+uintptr(4*page))
	_, rest, found := strings.Cut(string(maps), advised)
	_, flags, _ := strings.Cut(rest, "VmFlags:")
	line, _, _ := strings.Cut(flags, "\n")
	if !found || !strings.Contains(line+" ", " rr ") {
		t.Errorf("pages 2 and 3 are not read at random: %v, flags %s", found, line)
	}
	if !bytes.Equal(m.Bytes(), content) {
		t.Error("the content changed")
	}
}
