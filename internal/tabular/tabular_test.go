package tabular

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/jsonread"
)

const fields = `{"fields":{"id":{"type":"string","role":"id"},"title":{"type":"string","locales":{"locales":["sv"]}},"n":{"type":"int32"},
	"price":{"type":"double"},"new":{"type":"boolean"},"at":{"type":"timestamp"},"where":{"type":"geo_point"},
	"tags":{"type":"string","multiple":true},"years":{"type":"int32","multiple":true},"v":{"type":"vector","dimensions":2},
	"address":{"type":"object","fields":{"city":{"type":"string"},"zip":{"type":"string"}}},
	"variants":{"type":"object","multiple":true,"mode":"nested","fields":{"sku":{"type":"string"}}}}}`

func schema(t testing.TB) *definition.Schema {
	d, err := definition.Parse([]byte(fields), definition.Capabilities{})
	if err != nil {
		t.Fatal(err)
	}
	return definition.NewSchema(d)
}

// converted returns the documents of a text, one per line, with the error in
// place of a refused row.
func converted(t testing.TB, text string, delimiter rune, maxRow int64) string {
	rows := NewReader(strings.NewReader(text), delimiter, maxRow)
	names, err := rows.Header()
	if err != nil {
		return err.Error()
	}
	header, err := NewHeader(names, schema(t), rows.Decimal())
	if err != nil {
		return err.Error()
	}
	var out []string
	for {
		row, err := rows.Next()
		var refused *RowError
		switch {
		case errors.Is(err, io.EOF):
			return strings.Join(out, "\n")
		case errors.As(err, &refused) && !refused.IsLast:
			out = append(out, err.Error())
			continue
		case err != nil:
			return strings.Join(append(out, err.Error()), "\n")
		}
		raw := header.Append(nil, row.Values)
		if _, err := jsonread.Check(raw); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		out = append(out, string(raw))
	}
}

func TestRowsBecomeDocuments(t *testing.T) {
	for _, c := range []struct {
		name, text string
		delimiter  rune
		want       string
	}{
		{"types", "id,n,price,new,at\n007,12,3.50,yes,2024-12-31\n2,,,\"\",", ',',
			`{"id":"007","n":12,"price":3.50,"new":true,"at":"2024-12-31T00:00:00Z"}` + "\n" + `{"id":"2"}`},
		{"byte order mark, semicolons and decimal commas", "\ufeffid;price;at\r\n1;1.234,50;31.12.2024\r\n2;7,5 €;2024-05-01T10:00:00+02:00\r\n", ',',
			`{"id":"1","price":1234.50,"at":"2024-12-31T00:00:00Z"}` + "\n" + `{"id":"2","price":7.5,"at":"2024-05-01T10:00:00+02:00"}`},
		{"carriage returns alone", "\ufeffid;price\r1;7,5\r2;\"1\"\r", ',', `{"id":"1","price":7.5}` + "\n" + `{"id":"2","price":1}`},
		{"tabs", "id\tprice\n1\t1,234.5\n", '\t', `{"id":"1","price":1234.5}`},
		{"quotes and line breaks", "id,title\n1,\"a \"\"b\"\",\nc\"\n", ',', `{"id":"1","title":"a \"b\",\nc"}`},
		{"lists", "id,tags,years,v,variants\n1,a | b,1999|2001,\"[1,2]\",\"[{\"\"sku\"\":\"\"x\"\"}]\"\n2,\"[\"\"a|b\"\"]\",,,\n3,|,n/a,,", ',',
			`{"id":"1","tags":["a","b"],"years":[1999,2001],"v":[1,2],"variants":[{"sku":"x"}]}` + "\n" + `{"id":"2","tags":["a|b"]}` + "\n" + `{"id":"3"}`},
		{"objects and variants", "id,address.city,address.zip,title[en],title[sv]\n1,Oslo,0150,Red,Röd\n2,,,,", ',',
			`{"id":"1","address":{"city":"Oslo","zip":"0150"},"title":{"en":"Red","sv":"Röd"}}` + "\n" + `{"id":"2"}`},
		{"places and seconds", "id,where,at\n1,\"52.5, 13.4\",1700000000", ',', `{"id":"1","where":{"lat":52.5,"lon":13.4},"at":"2023-11-14T22:13:20Z"}`},
		{"what does not fit stays text", "id,n,new,at,nope\n1,many,perhaps,03/04/2024,x", ',', `{"id":"1","n":"many","new":"perhaps","at":"03/04/2024","nope":"x"}`},
		{"text is not interpreted", "id,title\nnull,none\n", ',', `{"id":"null","title":"none"}`},
		{"an empty row", "id,title\n,\n", ',', `{}`},
		{"values that are too few or many", "id,title\n1\n2,a\n3,b,c\n", ',',
			"line 2: it has 1 values, the header names 2\n" + `{"id":"2","title":"a"}` + "\nline 4: it has 3 values, the header names 2"},
		{"broken quotes", "id,title\n1,a\"b\n", ',', `line 2: a quotation mark stands inside a value without quotes; put the value in quotes and write "" for it`},
		{"bytes that are not text", "id,title\n1,\xff\n2,b\n", ',', "line 2: the text is not valid UTF-8\n" + `{"id":"2","title":"b"}`},
		{"a name twice", "id,id\n", ',', `line 1: the header names "id" twice, or as a value and as an object`},
		{"many columns", "id" + strings.Repeat(",x", MaxColumns) + "\n", ',', `line 1: the header names 65537 columns, 65536 are the most`},
		{"a value and an object", "address,address.city\n", ',', `line 1: the header names "address.city" twice, or as a value and as an object`},
		{"no name", "id,,title\n", ',', "line 1: column 2 of the header has no name"},
		{"nothing", "", ',', "EOF"},
	} {
		if got := converted(t, c.text, c.delimiter, 0); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// A row that never ends uses no more memory than the row limit.
func TestRowsAreBounded(t *testing.T) {
	endless := io.MultiReader(strings.NewReader("id,title\n1,\""), repeat('x'))
	rows := NewReader(endless, ',', 1<<20)
	if _, err := rows.Header(); err != nil {
		t.Fatal(err)
	}
	if _, err := rows.Next(); !errors.Is(err, ErrTooLong) {
		t.Errorf("got %v", err)
	}
	long := "id,title\n" + strings.Repeat("1,"+strings.Repeat("x", 1000)+"\n", 5000)
	if got := strings.Count(converted(t, long, ',', 100<<10), "\n"); got != 4999 {
		t.Errorf("%d rows of a long body", got+1)
	}
}

type repeat byte

func (r repeat) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(r)
	}
	return len(p), nil
}

func FuzzRows(f *testing.F) {
	f.Add("id,n\n1,2\n", false)
	f.Add("\ufeffid;title[sv];address.city\n1;\"a\";b\n", false)
	f.Add("a.b\ta\n1\t2\n", true)
	f.Fuzz(func(t *testing.T, text string, tabs bool) {
		delimiter := ','
		if tabs {
			delimiter = '\t'
		}
		converted(t, text, delimiter, 1<<20)
	})
}
