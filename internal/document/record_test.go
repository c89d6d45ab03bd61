package document

import (
	"bytes"
	"testing"

	"github.com/quiresearch/quire/internal/format"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
)

// wholeRecord is AppendRecord without the members recorded by the reader.
func wholeRecord(d *Document) []byte {
	head := byte(format.Record.Version)
	var tree, highlights []byte
	if d.schema.KeepsSource() {
		head |= recordHasSource
		tree, _ = appendObject(nil, d.json, d.schema.Root(), keepAll)
	} else {
		tree, _ = appendObject(nil, d.json, d.schema.Root(), keepStored)
		if second, any := appendObject(nil, d.json, d.schema.Root(), keepHighlight); any {
			head |= recordHighlights
			highlights = second
		}
	}
	var key []byte
	for it := jsonread.Members(d.json); it.Next() && d.schema.PrimaryKey() != nil; {
		if jsonread.String(it.RawName()) == d.schema.PrimaryKey().Name {
			head |= recordKey
			key = it.Value()
		}
	}
	return bytes.Join([][]byte{{head}, tree, highlights, key}, nil)
}

func TestARecordKeepsWhatItsFieldsSay(t *testing.T) {
	const fields = `"n":{"type":"int32","filter":{}},"tags":{"type":"string","multiple":true,"filter":{}}`
	for _, body := range []string{
		`{"source":"none","fields":{"id":{"type":"string","primaryKey":true},` + fields + `}}`,
		`{"source":"none","fields":{"id":{"type":"string","primaryKey":true,"stored":true},` + fields + `}}`,
		`{"source":"none","fields":{"id":{"type":"int64","primaryKey":true},"text":{"type":"string","stored":true},` + fields + `}}`,
		`{"source":"none","fields":{"id":{"type":"string","primaryKey":true},"text":{"type":"string","matching":{"highlight":{}}},` + fields + `}}`,
		`{"source":"none","fields":{"id":{"type":"string","primaryKey":true},"o":{"type":"object","fields":{"text":{"type":"string","stored":true},"m":{"type":"int32","filter":{}}}},` + fields + `}}`,
		`{"source":"none","fields":{` + fields + `}}`,
		`{"fields":{"id":{"type":"string","primaryKey":true},"text":{"type":"string","matching":{}},` + fields + `}}`,
	} {
		r := NewReader(schemaOf(t, body))
		read := 0
		for _, text := range []string{
			`{"id":"a","n":1,"tags":["x","y"]}`, `{"id":"a","text":"some words"}`, `{"id":"a","text":null,"n":null}`, `{"\u0069d":"a\"b","tags":[]}`,
			`{"id":7,"n":1}`, `{"id":7,"text":"some words"}`, `{"n":2}`, `{"id":"a","o":{"text":"x","m":1}}`, `{"id":"a","o":{"m":1}}`, `{"id":"a","o":{}}`,
		} {
			var found problem.List
			d := r.Read([]byte(text), problem.Path{}, &found)
			if d == nil {
				continue // of another definition
			}
			read++
			if got, want := d.AppendRecord([]byte("before")), append([]byte("before"), wholeRecord(d)...); !bytes.Equal(got, want) {
				t.Errorf("%s under %s: record %q, want %q", text, body, got, want)
			}
			d.Release()
		}
		if read == 0 {
			t.Errorf("no document fits %s", body)
		}
	}
}
