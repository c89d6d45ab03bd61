//go:build linux

package vfs

import (
	"bytes"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"
)

// TestProtectSurvivesAFileCutUnderItsView is F38.
func TestProtectSurvivesAFileCutUnderItsView(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	must(t, os.WriteFile(path, bytes.Repeat([]byte("x"), 1<<20), 0o644))
	m, err := OS(dir).Map("f")
	must(t, err)
	must(t, os.Truncate(path, 4096))
	for name, read := range map[string]func([]byte) byte{
		"byte":     func(b []byte) byte { return b[len(b)-1] },
		"copy":     func(b []byte) byte { return bytes.Clone(b)[0] },
		"assembly": func(b []byte) byte { return byte(crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))) },
	} {
		var got byte
		err := Protect(func() error {
			got = read(m.Bytes())
			return nil
		})
		if !errors.Is(err, ErrFault) {
			t.Errorf("%s: %v, %d", name, err, got)
		}
	}
	if err := Protect(func() error { _ = m.Bytes()[0]; return nil }); err != nil {
		t.Errorf("what is still there: %v", err)
	}
	must(t, m.Release())
}

func TestProtectPassesErrorsOnAndTellsPanics(t *testing.T) {
	wrong := errors.New("wrong")
	if err := Protect(func() error { return wrong }); err != wrong {
		t.Fatal(err)
	}
	if err := Protect(func() error { panic("other") }); !errors.Is(err, ErrPanic) || errors.Is(err, ErrFault) {
		t.Fatal(err)
	}
}
