package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quiresearch/quire/internal/format"
	"github.com/quiresearch/quire/internal/vfs"
)

func example() *Manifest {
	return &Manifest{
		Version: 4, WriteID: NewID(), Ancestry: []string{NewID()}, Generation: NewID(),
		Sequence: 3, LastLSN: 17, NextFile: 6, Standing: 130, Live: 90,
		Definition: []byte(`{"fields":{}}`),
		Segments: []Segment{
			{File: "s1.seg", Documents: 50, Live: 50},
			{File: "s2.seg", First: 70, Documents: 60, Live: 40, Side: "c5.side"},
		},
		Files:    []File{{Name: "s1.seg", Size: 10}, {Name: "s2.seg", Size: 20, CRC32C: 7}, {Name: "c5.side", Size: 3}},
		Tracking: &Tracking{},
	}
}

func TestManifestIsReadAsWritten(t *testing.T) {
	fs := vfs.Memory()
	want := example()
	for range 2 {
		if err := Write(fs, ".", want); err != nil {
			t.Fatal(err)
		}
		got, err := Read(fs, ".")
		if err != nil {
			t.Fatal(err)
		}
		got.Definition = bytes.ReplaceAll(bytes.ReplaceAll(got.Definition, []byte("\n"), nil), []byte("\t"), nil)
		got.Definition = bytes.ReplaceAll(got.Definition, []byte(" "), nil)
		if difference := cmp.Diff(want, got); difference != "" {
			t.Fatal(difference)
		}
	}
}

func TestMissingManifestIsAFault(t *testing.T) {
	if _, err := Read(vfs.Memory(), "."); !errors.Is(err, vfs.ErrNotExist) {
		t.Fatalf("got %v", err)
	}
}

func TestUnknownMembersAreCarriedThrough(t *testing.T) {
	content, err := example().Encode()
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := bytes.Cut(content, []byte("\n"))
	body = bytes.Replace(body, []byte(`"version"`), []byte(`"colour": "green", "version"`), 1)
	m, err := Decode(seal(body))
	if err != nil {
		t.Fatal(err)
	}
	again, err := m.Next().Encode()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(again, []byte(`"colour": "green"`)) {
		t.Fatalf("lost a member:\n%s", again)
	}
}

func TestEveryFlippedByteIsFound(t *testing.T) {
	content, err := example().Encode()
	if err != nil {
		t.Fatal(err)
	}
	for i := range content {
		damaged := bytes.Clone(content)
		damaged[i] ^= 1 << (i % 8)
		if _, err := Decode(damaged); err == nil {
			t.Fatalf("byte %d flipped and accepted", i)
		}
		if _, err := Decode(content[:i]); err == nil {
			t.Fatalf("cut at %d and accepted", i)
		}
	}
}

func TestContradictionsAreRefused(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Manifest)
	}{
		{"live count", func(m *Manifest) { m.Live++ }},
		{"file not listed", func(m *Manifest) { m.Files = m.Files[1:] }},
		{"name leaves the directory", func(m *Manifest) { m.Files[0].Name = "../x"; m.Segments[0].File = "../x" }},
		{"file twice", func(m *Manifest) { m.Files = append(m.Files, m.Files[0]) }},
		{"more live than there", func(m *Manifest) { m.Segments[0].Live = 60; m.Live += 10 }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := example()
			test.change(m)
			content, err := m.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Decode(content); !errors.Is(err, ErrCorrupt) {
				t.Errorf("decode: %v", err)
			}
			if err := Write(vfs.Memory(), ".", m); err == nil {
				t.Error("written")
			}
		})
	}
}

func TestNewerVersionIsRefused(t *testing.T) {
	content, err := example().Encode()
	if err != nil {
		t.Fatal(err)
	}
	newer := []byte(strings.Replace(string(content), fmt.Sprint(format.Manifest.Mark, " ", format.Manifest.Version, " "), fmt.Sprint(format.Manifest.Mark, " ", format.Manifest.Version+1, " "), 1))
	if _, err := Decode(newer); !errors.Is(err, ErrVersion) {
		t.Fatalf("got %v", err)
	}
}

func TestAncestryHoldsTheLastWrites(t *testing.T) {
	m := &Manifest{WriteID: NewID(), Definition: []byte("{}")}
	var ids []string
	for range 40 {
		ids = append([]string{m.WriteID}, ids...)
		m = m.Next()
	}
	if m.Version != 40 || cmp.Diff(m.Ancestry, ids[:ancestryLength]) != "" {
		t.Fatalf("version %d, ancestry %v", m.Version, m.Ancestry)
	}
}

func FuzzDecode(f *testing.F) {
	content, err := example().Encode()
	if err != nil {
		f.Fatal(err)
	}
	_, body, _ := bytes.Cut(content, []byte("\n"))
	f.Add(body)
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := Decode(seal(body))
		if err != nil {
			return
		}
		if _, err := m.Next().Encode(); err != nil && !bytes.Contains(body, []byte("definition")) {
			t.Skip()
		}
	})
}

// A manifest is built on an earlier one even if that was given back under another
// write id. A manifest built on the one given back does not count as given back
// itself, even if an earlier build carried the member over.
func TestAManifestIsBuiltOnWhatWasGivenBack(t *testing.T) {
	first := &Manifest{WriteID: NewID(), Version: 1, Epoch: 1}
	state := first.Next()
	later := state.Next().Next()
	back := state.GiveBack(3, 9)
	again := back.GiveBack(4, 2)
	if back.Epoch != 3 || back.Version != 9 || again.Epoch != 4 || again.Version != 10 {
		t.Errorf("epoch %d, version %d, then %d, %d", back.Epoch, back.Version, again.Epoch, again.Version)
	}
	carried := back.Next()
	carried.GivenBack = back.GivenBack
	for what, c := range map[string]struct {
		m, on *Manifest
		want  bool
	}{
		"a later one":                    {later, back, true},
		"a later one, given back twice":  {later, again, true},
		"a later one, given back":        {later.GiveBack(5, 0), back, true},
		"the state itself":               {state, back, false},
		"an earlier one":                 {first, back, false},
		"what went on from it":           {later, back.Next(), false},
		"what an earlier build wrote on": {later, carried, false},
		"its successor":                  {back.Next(), back, true},
		"given back again":               {again, back, true},
		"the one given back before":      {back, again, false},
		"what went on from it before":    {back.Next(), again, true},
	} {
		if got := c.m.IsBuiltOn(c.on); got != c.want {
			t.Errorf("%s: %t", what, got)
		}
	}
}

// Of two manifests of the same commit, the one built on the other is the later one,
// even if the other was given back with a higher version (I6, I22).
func TestAManifestGivenBackPrecedesTheCopiesBuiltOnIt(t *testing.T) {
	state := &Manifest{WriteID: NewID(), Version: 1, Sequence: 3}
	later := state.Next()
	back := state.GiveBack(3, 9)
	commit := later.Next()
	commit.Sequence++
	for what, c := range map[string]struct {
		m, other *Manifest
		want     bool
	}{
		"given back":                 {back, later, true},
		"a copy built on it":         {later, back, false},
		"an earlier commit":          {back, commit, true},
		"a later commit":             {commit, back, false},
		"the state itself":           {state, back, true},
		"what went on from it":       {back.Next(), later, false},
		"before what went on":        {later, back.Next(), true},
		"itself":                     {back, back, false},
		"given back again":           {back, back.GiveBack(4, 0), true},
		"given back before that one": {back.GiveBack(4, 0), back, false},
	} {
		if got := c.m.Precedes(c.other); got != c.want {
			t.Errorf("%s: %t", what, got)
		}
	}
}
