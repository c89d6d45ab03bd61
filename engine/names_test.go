package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

const attributes = `{"fields":{"id":{"type":"string","primaryKey":true},
	"attr":{"type":"object","fields":{"*":{"type":"int32","filter":{}}}},
	"note":{"type":"object","fields":{"*":{"type":"string"}}}}}`

// S30: the names of wildcard fields are bounded over all documents, also after a
// restart; known names are always accepted, and names that are only stored are not
// counted.
func TestNamesOfWildcardFieldsAreBounded(t *testing.T) {
	fs := vfs.Memory()
	create(t, fs, attributes)
	g := open(t, fs, manual)
	names := func(object string, from, to int) string {
		var all []string
		for i := from; i < to; i++ {
			all = append(all, fmt.Sprintf(`"n%d":1`, i))
		}
		if object == "note" {
			return strings.ReplaceAll(`"note":{`+strings.Join(all, ",")+`}`, ":1", `:"x"`)
		}
		return `"attr":{` + strings.Join(all, ",") + `}`
	}
	for from := 0; from < MaxWildcardNames; from += 1000 {
		mustAdd(t, g, fmt.Sprintf(`{"id":"%d",%s}`, from, names("attr", from, from+1000)))
	}
	for round := range 2 {
		s := g.WriteStream()
		err := add(s, `{"id":"more","attr":{"n1":1,"another":2}}`)
		if !errors.Is(err, problem.DocumentNamesTooMany) || problem.All(err)[0].Path != "attr.another" {
			t.Fatalf("round %d: %v", round, err)
		}
		if err := add(s, `{"id":"known","attr":{"n1":1,"n9999":2},`+names("note", 0, 900)+`}`); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		mustWait(t, s)
		if round == 0 {
			if _, err := g.Commit(t.Context(), Explicit); err != nil {
				t.Fatal(err)
			}
			if err := g.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			g = open(t, fs, manual)
		}
	}
}
