package vfs

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"testing"
)

func TestEveryFileSystemKeepsTheContract(t *testing.T) {
	for name, make := range map[string]func(t *testing.T) FS{
		"os":     func(t *testing.T) FS { return OS(t.TempDir()) },
		"memory": func(*testing.T) FS { return Memory() },
	} {
		t.Run(name, func(t *testing.T) { testContract(t, make(t)) })
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func testContract(t *testing.T, f FS) {
	if _, err := f.Create("missing/a"); err == nil {
		t.Fatal("create in a missing directory must fail")
	}
	must(t, f.MakeDir("d/e"))
	w, err := f.Create("d/a")
	must(t, err)
	_, err = w.Write([]byte("hello "))
	must(t, err)
	must(t, w.Reserve(1<<16))
	_, err = w.Write([]byte("world"))
	must(t, err)
	must(t, w.Sync())
	if n, _ := w.Size(); n != 11 {
		t.Fatalf("size %d", n)
	}
	must(t, w.Close())
	must(t, f.SyncDir("d"))
	if _, err := f.Create("d/a"); !errors.Is(err, ErrExist) {
		t.Fatalf("create twice: %v", err)
	}
	if _, err := f.Map("d/b"); !errors.Is(err, ErrNotExist) {
		t.Fatalf("map missing: %v", err)
	}
	m, err := f.Map("d/a")
	must(t, err)
	if !bytes.Equal(m.Bytes(), []byte("hello world")) {
		t.Fatalf("mapped %q", m.Bytes())
	}
	must(t, f.Rename("d/a", "d/b"))
	must(t, f.Remove("d/b"))
	if !m.Retain() {
		t.Fatal("retain")
	}
	must(t, m.Release())
	if string(m.Bytes()) != "hello world" {
		t.Fatal("a removed file stays readable through its view")
	}
	must(t, m.Release())
	if m.Retain() {
		t.Fatal("a released view cannot be retained")
	}
	if m.Release() == nil {
		t.Fatal("released too often without an error")
	}

	w, err = f.Create("log")
	must(t, err)
	_, err = w.Write([]byte("0123456789"))
	must(t, err)
	must(t, w.Close())
	w, err = f.Edit("log")
	must(t, err)
	must(t, w.Truncate(4))
	_, err = w.Write([]byte("ab"))
	must(t, err)
	got := make([]byte, 6)
	_, err = w.ReadAt(got, 0)
	must(t, err)
	if string(got) != "0123ab" {
		t.Fatalf("read %q", got)
	}
	must(t, w.Close())
	names, err := f.List("")
	must(t, err)
	if !slices.Equal(names, []string{"d/", "log"}) {
		t.Fatalf("list %q", names)
	}
	if _, err := f.ReadFile("../x"); !errors.Is(err, fs.ErrInvalid) {
		t.Fatalf("a name out of the root: %v", err)
	}
	l, err := f.Lock("lock")
	must(t, err)
	if _, err := f.Lock("lock"); !errors.Is(err, ErrLocked) {
		t.Fatalf("second lock: %v", err)
	}
	must(t, l.Close())
	l, err = f.Lock("lock")
	must(t, err)
	must(t, l.Close())
	empty, err := f.Create("empty")
	must(t, err)
	must(t, empty.Close())
	m, err = f.Map("empty")
	must(t, err)
	if len(m.Bytes()) != 0 {
		t.Fatal("empty file")
	}
	must(t, m.Release())
	if n, err := f.Size("log"); err != nil || n != 6 {
		t.Fatalf("size %d %v", n, err)
	}
}

func TestForgottenPagesComeBack(t *testing.T) {
	for name, fs := range map[string]FS{"memory": Memory(), "system": OS(t.TempDir())} {
		f, err := fs.Create("a")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(bytes.Repeat([]byte("page"), 10_000)); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		m, err := fs.Map("a")
		if err != nil {
			t.Fatal(err)
		}
		m.Forget()
		if !bytes.Equal(m.Bytes(), bytes.Repeat([]byte("page"), 10_000)) {
			t.Errorf("%s: the bytes are others", name)
		}
		m.Release()
	}
}

func TestReplacingAFileLeavesNothingBeside(t *testing.T) {
	for name, fs := range map[string]FS{"memory": Memory(), "system": OS(t.TempDir())} {
		must(t, fs.MakeDir("d"))
		left, err := fs.Create("d/a.new") // left by a process that was interrupted
		must(t, err)
		must(t, left.Close())
		for i, replace := range []func(FS, string, []byte) error{ReplaceFile, ReplaceUnsynced} {
			content := []byte{byte(i)}
			must(t, replace(fs, "d/a", content))
			if got, err := fs.ReadFile("d/a"); err != nil || !bytes.Equal(got, content) {
				t.Errorf("%s: read %v, %v", name, got, err)
			}
		}
		if names, err := fs.List("d"); err != nil || len(names) != 1 {
			t.Errorf("%s: %v, %v are left", name, names, err)
		}
	}
}
