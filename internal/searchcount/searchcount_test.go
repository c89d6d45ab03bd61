package searchcount

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/versioned"
)

func TestNormalize(t *testing.T) {
	for text, want := range map[string]string{
		"  Red \t LAMP ": "red lamp", "ＲＥＤ": "red", " \n": "", "e\u0301": "é", strings.Repeat("ä", 150): strings.Repeat("ä", 100),
		"a\xffb": "ab",
	} {
		if got := Normalize(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestFrequentTextsAreNeverMissing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.2, 1, 1_000_000)
	s, exact, total := &Sketch{}, map[string]uint64{}, uint64(0)
	for range 60_000 {
		text := fmt.Sprint("t", zipf.Uint64())
		s.Add(text, true, time.Millisecond)
		exact[text]++
		total++
	}
	if s.Len() != Capacity {
		t.Fatalf("%d texts are kept", s.Len())
	}
	kept := map[string]Text{}
	for _, one := range s.Top(Capacity) {
		kept[one.Text] = one
		if one.Count < exact[one.Text] || one.Count-one.MaxError > exact[one.Text] {
			t.Errorf("%s: counted %d with an error of %d, searched %d times", one.Text, one.Count, one.MaxError, exact[one.Text])
		}
	}
	for text, count := range exact {
		if _, ok := kept[text]; count > total/Capacity && !ok {
			t.Errorf("%s was searched %d times and is missing", text, count)
		}
	}
}

func TestCountsOfSeveralNodes(t *testing.T) {
	b, index := memory.New(nil), registry.NewID()
	one, other := New(b), New(b)
	one.Count(index, "Lamp", true, 2*time.Millisecond)
	one.Count(index, "lamp ", false, 4*time.Millisecond)
	other.Count(index, "lamp", true, time.Millisecond)
	other.Count(index, "  ", true, time.Millisecond)
	if err := other.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	all, err := one.Read(t.Context(), index)
	if err != nil {
		t.Fatal(err)
	}
	if top := all.Top(10); len(top) != 1 || top[0] != (Text{Text: "lamp", Count: 3, ZeroResults: 1, TookMs: 7}) {
		t.Errorf("counted %+v", top)
	}
	if again, _ := New(b).Read(t.Context(), index); again.Len() != 1 {
		t.Errorf("stored %+v", again.Top(10))
	}
	if err := one.Delete(t.Context(), index); err != nil {
		t.Fatal(err)
	}
	if none, err := one.Read(t.Context(), index); err != nil || none.Len() != 0 {
		t.Errorf("left %+v, %v", none, err)
	}
}

// Any stored object is read within its limits, and counting can continue.
func FuzzStoredCounts(f *testing.F) {
	f.Add([]byte(`{"texts":[{"text":"lamp","count":2,"zeroResults":1,"tookMs":0.5}],"more":1}`))
	f.Add([]byte(`{"texts":[{"text":" X ","count":0}]}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		if !jsontext.Value(content).IsValid() {
			return
		}
		b, index := memory.New(nil), registry.NewID()
		raw := versioned.New[jsontext.Value](b, key(index), resource)
		if _, err := raw.Replace(t.Context(), versioned.Object[jsontext.Value]{}, jsontext.Value(content)); err != nil {
			return
		}
		c := New(b)
		c.Count(index, "lamp", true, time.Millisecond)
		all, err := c.Read(t.Context(), index)
		if err != nil {
			return
		}
		for _, one := range all.Top(Capacity) {
			if len(one.Text) > maxText || !utf8.ValidString(one.Text) {
				t.Fatalf("read %q", one.Text)
			}
		}
	})
}
