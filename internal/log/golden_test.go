package log

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "replace expected output")

// field is a run of bytes and its meaning.
type field struct {
	length int
	remark string
}

// describe prints bytes field by field.
func describe(t *testing.T, content []byte, fields []field) []byte {
	t.Helper()
	var out bytes.Buffer
	at := 0
	for _, f := range fields {
		if at+f.length > len(content) {
			t.Fatalf("field %q ends behind the %d bytes", f.remark, len(content))
		}
		fmt.Fprintf(&out, "%4d  %-48x  %s\n", at, content[at:at+f.length], f.remark)
		at += f.length
	}
	if at != len(content) {
		t.Fatalf("%d bytes are not described", len(content)-at)
	}
	return out.Bytes()
}

func TestFormatIsAsDescribed(t *testing.T) {
	batch := &Batch{
		Generation: ID{0xaa, 1}, LSN: 7, Epoch: 2, Session: ID{0xbb, 2}, WriteID: ID{0xcc, 3}, Promised: 5,
		Operations: []Operation{{Kind: Add, Key: "k", Body: []byte("\x00{}")}, {Kind: Delete, Key: "j"}},
	}
	content := fileHeader(7, 0x0123456789abcdef)
	content = appendRecord(content, 0x0123456789abcdef, headerSize, 7, batch.Encode())
	got := describe(t, content, []field{
		{8, "QUIRELOG"}, {4, "format version"}, {4, "zero"}, {8, "first LSN"}, {8, "salt"}, {4, "CRC32C of the header"}, {4, "zero"},
		{4, "record"}, {4, "length of the payload"}, {8, "LSN"}, {4, "CRC32C of salt, offset, LSN, length, payload"}, {4, "zero"},
		{4, "QBAT"}, {4, "format version"}, {16, "generation"}, {8, "LSN"}, {8, "epoch"}, {16, "session"}, {16, "write id"},
		{8, "promised commit"}, {4, "operations"},
		{1, "kind: add"}, {1, "length of the key"}, {1, "key"}, {1, "length of the body"}, {1, "no signal values"}, {2, "document"},
		{1, "kind: delete"}, {1, "length of the key"}, {1, "key"}, {1, "length of the body"},
		{4, "CRC32C of the batch"}, {5, "padding"},
	})
	const name = "testdata/log.txt"
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
}
