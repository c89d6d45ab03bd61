package load

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/draft"
	"github.com/quiresearch/quire/internal/remote"
)

// rowsOf reads a file to its end, one row a line.
func rowsOf(t testing.TB, name string, content []byte) (format, rows string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	source, err := Open(file, nil)
	if err != nil {
		return "", "error: " + strings.TrimPrefix(err.Error(), file+": ") + "\n"
	}
	defer source.Close()
	var out strings.Builder
	for {
		row, err := source.Next(t.Context())
		var bad *RowError
		switch {
		case errors.Is(err, io.EOF):
			return strings.Join(append([]string{source.Format}, source.Notes...), "; "), out.String()
		case errors.As(err, &bad):
			fmt.Fprintf(&out, "refused %v\n", err)
		case err != nil:
			fmt.Fprintf(&out, "error %v\n", err)
			return source.Format, out.String()
		default:
			fmt.Fprintf(&out, "%d %s\n", row.Number, row.Document)
		}
	}
}

func TestFormats(t *testing.T) {
	utf16, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String("a;b\nä;2\n")
	if err != nil {
		t.Fatal(err)
	}
	latin, err := charmap.ISO8859_1.NewEncoder().String("a;b\nä;ö\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, content, format, rows string }{
		{"comma.csv", "a,b\n1,\"x, y\"\n2,\n", `CSV, separated by ","`, "1 {\"a\":\"1\",\"b\":\"x, y\"}\n2 {\"a\":\"2\"}\n"},
		{"first row with a gap", "a,b\n,2\n", `CSV, separated by ","`, "1 {\"a\":null,\"b\":\"2\"}\n"},
		{"semicolons and a mark", "\ufeffa;b\n1,5;x\n", `CSV, separated by ";"; encoded as UTF-8 with a byte order mark, converted`, "1 {\"a\":\"1,5\",\"b\":\"x\"}\n"},
		{"tabs.tsv", "a\tb\n1\tx y\n", "TSV", "1 {\"a\":\"1\",\"b\":\"x y\"}\n"},
		{"bars", "a|b\n1|2\n3|4\n", `CSV, separated by "|"`, "1 {\"a\":\"1\",\"b\":\"2\"}\n2 {\"a\":\"3\",\"b\":\"4\"}\n"},
		{"utf16", utf16, `CSV, separated by ";"; encoded as UTF-16, converted`, "1 {\"a\":\"ä\",\"b\":\"2\"}\n"},
		{"latin", latin, `CSV, separated by ";"; encoded as Latin-1 (Windows-1252), converted`, "1 {\"a\":\"ä\",\"b\":\"ö\"}\n"},
		{"one bad byte", "a,b\n1,Größe\n2,caf\xe9\n3,Zürich\n", `CSV, separated by ","`,
			"1 {\"a\":\"1\",\"b\":\"Größe\"}\nrefused row 2: the text is not valid UTF-8\n3 {\"a\":\"3\",\"b\":\"Zürich\"}\n"},
		{"no header", "1,x\n2,y\n", `CSV, separated by ","; the first row holds values, not names: columns are named column_1, column_2, …`,
			"1 {\"column_1\":\"1\",\"column_2\":\"x\"}\n2 {\"column_1\":\"2\",\"column_2\":\"y\"}\n"},
		{"years as names", "land,code,1990,1991\nGermany,DEU,12.5,13\n", `CSV, separated by ","`,
			"1 {\"land\":\"Germany\",\"code\":\"DEU\",\"1990\":\"12.5\",\"1991\":\"13\"}\n"},
		{"years as values", "Le Guin,1929,2018\nButler,1947,2006\n", `CSV, separated by ","; the first row holds values, not names: columns are named column_1, column_2, …`,
			"1 {\"column_1\":\"Le Guin\",\"column_2\":\"1929\",\"column_3\":\"2018\"}\n2 {\"column_1\":\"Butler\",\"column_2\":\"1947\",\"column_3\":\"2006\"}\n"},
		{"names that come twice or are empty", "a,a,\n1,2,3\n", `CSV, separated by ","`, "1 {\"a\":\"1\",\"a_2\":\"2\",\"column_3\":\"3\"}\n"},
		{"too many cells", "a,b\n1,2,3\n4,5\n", `CSV, separated by ","`,
			"refused row 1: it has 3 cells, the header 2; put quotes around cells that hold the separator\n2 {\"a\":\"4\",\"b\":\"5\"}\n"},
		{"returns alone", "a;b\r1;x\r2;\"y\rz\"\r", `CSV, separated by ";"`, "1 {\"a\":\"1\",\"b\":\"x\"}\n2 {\"a\":\"2\",\"b\":\"y\\nz\"}\n"},
		{"a line that names the separator", "sep=;\r\na;b\r\n1;x\r\n", `CSV, separated by ";"`, "1 {\"a\":\"1\",\"b\":\"x\"}\n"},
		{"a workbook", "PK\x03\x04\x14\x00", "", "error: it is a zip archive or a workbook (.xlsx, .ods): unpack it, or save the sheet as CSV\n"},
		{"a picture", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00\x00\x00", "", "error: " + errBinary.Error() + "\n"},
		{"a tar archive", "x.csv" + strings.Repeat("\x00", 95) + "0000644\x00\na,b\n1,2\n", "", "error: " + errBinary.Error() + "\n"},
		{"a page", "\ufeff<!doctype html>\n<p>1, 2\n", "", "error: it is HTML or XML: convert it to CSV or JSON\n"},
		{"a zero byte", "a,b\n1,some\x00 text\n2,more text\n", `CSV, separated by ","`, "1 {\"a\":\"1\",\"b\":\"some\\u0000 text\"}\n2 {\"a\":\"2\",\"b\":\"more text\"}\n"},
		{"rows of separators", "a,b\n,\n1,\n,\n2,x\n,\n , \n", `CSV, separated by ","`, "2 {\"a\":\"1\",\"b\":null}\n4 {\"a\":\"2\",\"b\":\"x\"}\n"},
		{"a mark that is never closed", "a,b\n1,\"x\ny\"\n2,\"z\n3,\"w\"\n4,v\n5,\"u\n6,t\n", `CSV, separated by ","`,
			"1 {\"a\":\"1\",\"b\":\"x\\ny\"}\nrefused row 2: " + errQuote.Error() + "\n3 {\"a\":\"3\",\"b\":\"w\"}\n4 {\"a\":\"4\",\"b\":\"v\"}\n" +
				"refused row 5: " + errQuote.Error() + "\n6 {\"a\":\"6\",\"b\":\"t\"}\n"},
		{"marks that are not doubled", "a,b,c\n1,\"say \"x\" or\ny\",z\n2,\"x\" y,z\n3,\"x\",5\" y\n4,\"x \"y\" z\",w\n", `CSV, separated by ","`,
			"1 {\"a\":\"1\",\"b\":\"say \\\"x\\\" or\\ny\",\"c\":\"z\"}\nrefused row 2: " + errQuote.Error() +
				"\n3 {\"a\":\"3\",\"b\":\"x\",\"c\":\"5\\\" y\"}\n4 {\"a\":\"4\",\"b\":\"x \\\"y\\\" z\",\"c\":\"w\"}\n"},
		{"lines", "{\"a\":1}\n\n{\"a\":2}\n{bad\n[1]\n", "NDJSON",
			"1 {\"a\":1}\n3 {\"a\":2}\nrefused row 4: not JSON at byte 2: bad stands without quotes; only true, false, null and numbers do\nrefused row 5: it is not a JSON object\n"},
		{"array", ` [{"a":1}, {"a":2}, 3]`, "JSON array", "1 {\"a\":1}\n2 {\"a\":2}\nrefused row 3: it is not a JSON object\n"},
		{"array cut off", `[{"a":1}, {"a"`, "JSON array", "1 {\"a\":1}\nerror document 2: the file ends inside it, at byte 14\n"},
		{"two arrays", "[{\"a\":1}]\n[{\"a\":2},3]\n", "JSON array", "1 {\"a\":1}\n2 {\"a\":2}\nrefused row 3: it is not a JSON object\n"},
		{"documents after an array", "[]\n{\"a\":1} [{\"a\":2}", "JSON array", "1 {\"a\":1}\n2 {\"a\":2}\nerror document 3: the file ends inside it, at byte 19\n"},
		{"garbage after an array", `[{"a":1}] x`, "JSON array", "1 {\"a\":1}\nerror document 2: not JSON at byte 11 of the file: invalid character 'x' at start of value\n"},
		{"brackets.csv", "[id],[name]\n1,x\n", `CSV, separated by ","`, "1 {\"[id]\":\"1\",\"[name]\":\"x\"}\n"},
		{"brackets.json", "[id]", "JSON array", "error document 1: not JSON at byte 2 of the file: invalid character 'i' at start of value\n"},
		{"list inside", `{"total":2,"tags":["x"],"items":[{"a":1},{"a":2}]}`, `JSON, the list "items"`, "1 {\"a\":1}\n2 {\"a\":2}\n"},
		{"one.ndjson", `{"id":1,"parts":[{"a":1},{"a":2}]}`, "NDJSON", "1 {\"id\":1,\"parts\":[{\"a\":1},{\"a\":2}]}\n"},
		{"one document", `{"a":1,"tags":["x"]}`, "NDJSON", "1 {\"a\":1,\"tags\":[\"x\"]}\n"},
		{"one after the other", "{\n\"a\":1\n}\n{\"a\":\n2}", "JSON documents", "1 {\n\"a\":1\n}\n2 {\"a\":\n2}\n"},
		{"empty", " \n", "", "error: the file is empty\n"},
	} {
		format, rows := rowsOf(t, c.name, []byte(c.content))
		if format != c.format || rows != c.rows {
			t.Errorf("%s:\n got %s\n%s\nwant %s\n%s", c.name, format, rows, c.format, c.rows)
		}
	}
}

// A row with bytes that are not UTF-8 is refused, even beyond the look-ahead.
func TestLateBytesThatAreNotUTF8(t *testing.T) {
	_, rows := rowsOf(t, "late.csv", []byte("a,b\n"+strings.Repeat("1,plain\n", lookAhead/8)+"2,caf\xe9\n3,x\n"))
	if !strings.HasSuffix(rows, "refused row 131073: the text is not valid UTF-8\n131074 {\"a\":\"3\",\"b\":\"x\"}\n") {
		t.Errorf("…%s", rows[len(rows)-200:])
	}
}

// A list inside an object is also found if the object is longer than lookAhead.
func TestALongListInsideAnObject(t *testing.T) {
	var content strings.Builder
	content.WriteString(`{"none":[],"words":["x"],"data":[`)
	const documents = 30_000
	for i := range documents {
		if i > 0 {
			content.WriteByte(',')
		}
		fmt.Fprintf(&content, `{"id":%d,"text":"some text of a document"}`, i)
	}
	content.WriteString(`],"end":true}`)
	format, rows := rowsOf(t, "long.json", []byte(content.String()))
	if format != `JSON, the list "data"` || strings.Count(rows, "\n") != documents {
		t.Errorf("%s, %d rows", format, strings.Count(rows, "\n"))
	}
}

// What follows an object that holds the list of documents is not dropped silently.
func TestMoreThanTheObjectWithTheList(t *testing.T) {
	for content, want := range map[string]string{
		`{"data":[{"a":1}],"end":{"x":[1]}}` + "\n": "EOF",
		`{"data":[{"a":1}]} {"data":[{"a":2}]}`:     `more follows the object that holds the list "data"`,
		`{"data":[{"a":1}],"next":`:                 "document 2: the file ends inside it, at byte 25",
	} {
		source := &Source{}
		if _, err := source.wrapped(bufio.NewReader(strings.NewReader(content)), ""); err != nil {
			t.Fatal(err)
		}
		if _, err := source.Next(t.Context()); err != nil {
			t.Error(err)
		}
		for range 2 {
			if _, err := source.Next(t.Context()); err == nil || err.Error() != want {
				t.Errorf("%s: %v, want %s", content, err, want)
			}
		}
	}
}

// A first document may be longer than the look-ahead. A list in it is not the list of
// documents.
func TestALongFirstDocument(t *testing.T) {
	long := `{"id":1,"text":"` + strings.Repeat("word ", lookAhead/4) + `","parts":[{"a":1}]}`
	format, rows := rowsOf(t, "long.ndjson", []byte(long+"\n{\"id\":2}\n"))
	if format != "NDJSON" || rows != "1 "+long+"\n2 {\"id\":2}\n" {
		t.Errorf("%s, %d rows", format, strings.Count(rows, "\n"))
	}
}

func TestPackedFiles(t *testing.T) {
	var zipped, packed bytes.Buffer
	g := gzip.NewWriter(&zipped)
	z, err := zstd.NewWriter(&packed)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []io.WriteCloser{g, z} {
		if _, err := io.WriteString(w, "a,b\n1,2\n"); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range map[string][]byte{"gzip": zipped.Bytes(), "zstd": packed.Bytes()} {
		format, rows := rowsOf(t, "x", content)
		if format != `CSV, separated by ",", packed with `+name || rows != "1 {\"a\":\"1\",\"b\":\"2\"}\n" {
			t.Errorf("%s: %s %s", name, format, rows)
		}
	}
	for name, content := range map[string][]byte{"gzip": zipped.Bytes(), "zstd": packed.Bytes()} {
		if _, rows := rowsOf(t, "cut", content[:len(content)-5]); !strings.Contains(rows, "the file ends inside its "+name+" data; copy or download it again") {
			t.Errorf("%s, cut off: %s", name, rows)
		}
	}
}

func TestParquet(t *testing.T) {
	type part struct {
		Name  string `parquet:"name"`
		Count int32  `parquet:"count"`
	}
	type row struct {
		ID    int64             `parquet:"id"`
		Price int64             `parquet:"price,decimal(2:12)"`
		Day   int32             `parquet:"day,date"`
		At    time.Time         `parquet:"at,timestamp(microsecond)"`
		Tags  []string          `parquet:"tags,list"`
		Parts []part            `parquet:"parts,list"`
		Note  *string           `parquet:"note,optional"`
		Attrs map[string]string `parquet:"attrs"`
		Wide  []float32         `parquet:"wide,list"`
	}
	var content bytes.Buffer
	w := parquet.NewGenericWriter[row](&content)
	note := "x"
	at := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	if _, err := w.Write([]row{
		{ID: 1, Price: 950, Day: 19724, At: at, Tags: []string{"a", "b"}, Parts: []part{{"lid", 2}}, Note: &note, Attrs: map[string]string{"k": "v"}, Wide: []float32{0.5, 1}},
		{ID: 2, Price: -5, Day: 0, At: at},
	}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := `1 {"id":1,"price":9.5,"day":"2024-01-02T00:00:00Z","at":"2024-01-02T03:04:05Z","tags":["a","b"],"parts":[{"name":"lid","count":2}],"note":"x","attrs":{"k":"v"},"wide":[0.5,1]}
2 {"id":2,"price":-0.05,"day":"1970-01-01T00:00:00Z","at":"2024-01-02T03:04:05Z","tags":[],"parts":[],"attrs":{},"wide":[]}
`
	if format, rows := rowsOf(t, "x.parquet", content.Bytes()); format != "Parquet" || rows != want {
		t.Errorf("%s\n%s", format, rows)
	}
	source, err := Open("-", bytes.NewReader(content.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if row, err := source.Next(t.Context()); err != nil || row.Number != 1 {
		t.Errorf("from standard input: %v %v", row, err)
	}
	if err := source.Close(); err != nil {
		t.Error(err)
	}
}

func TestConvert(t *testing.T) {
	columns := []*draft.Column{
		{Name: "id", Field: "id"},
		{Name: "Price", Field: "price", Form: draft.AsNumber, Decimal: ','},
		{Name: "day", Field: "day", Form: draft.AsTimestamp, DayFirst: true},
		{Name: "ok", Field: "ok", Form: draft.AsBoolean},
		{Name: "lat", Field: "location", Form: draft.AsLatitude},
		{Name: "lng", Field: "location", Form: draft.AsLongitude},
		{Name: "at", Field: "at", Form: draft.AsPoint},
		{Name: "tags", Field: "tags", Separator: ";", IsList: true},
		{Name: "code", Field: "code", Form: draft.AsText},
		{Name: "vector", Field: "vector", Unpacks: true},
		{Name: "meta", Field: "meta", Form: draft.AsObject, Unpacks: true, Inside: []*draft.Column{{Name: "x", Field: "x"}}},
		{Name: "gone", Field: "gone", Form: draft.Drop},
		{Name: "n", Field: "n", Form: draft.AsObject, IsList: true, Inside: []*draft.Column{{Name: "a b", Field: "a_b", Form: draft.AsNumber}}},
	}
	for row, want := range map[string]string{
		`{"id":"x","Price":"1.234,50 €","day":"31.12.2024","ok":"ja"}`:       `{"id":"x","price":1234.50,"day":"2024-12-31T00:00:00Z","ok":true}`,
		`{"lat":"52,5","lng":13.4,"at":{"lat":1.5,"lng":2}}`:                 `{"at":{"lat":1.5,"lon":2},"location":{"lat":52.5,"lon":13.4}}`,
		`{"tags":"a; b;;c","code":7,"gone":1,"at":"1.5, 2.5"}`:               `{"tags":["a","b","c"],"code":"7","at":{"lat":1.5,"lon":2.5}}`,
		`{"tags":["a"],"n":[{"a b":"1"},{"a b":2}],"day":1700000000}`:        `{"tags":["a"],"n":[{"a_b":1},{"a_b":2}],"day":"2023-11-14T22:13:20Z"}`,
		`{"n":"[{\"a b\":\"3\"}]","Price":"N/A","ok":null,"day":"2024-1-2"}`: `{"n":[{"a_b":3}],"day":"2024-01-02T00:00:00Z"}`,
		`{"Price":"cheap"}`:                     `Price "cheap": it is not a number`,
		`{"day":"soon","ok":"2"}`:               `day "soon": it is not a date; ok "2": it is neither yes nor no`,
		`{"lat":91,"lng":1}`:                    `lat "91": it is not a number of degrees between -90 and 90; location "": a place needs a latitude and a longitude`,
		`{"vector":"[1,2]","meta":"{\"x\":1}"}`: `{"vector":[1,2],"meta":{"x":1}}`,
		`{"other":1}`:                           `other "1": the index has no field for this column`,
		`{"n":{"a b":"x"}}`:                     `n.a b "x": it is not a number`,
		`{"at":{"x":1},"tags":"-"}`:             `at "{\"x\":1}": it is not a latitude and a longitude`,
	} {
		converter := NewConverter(columns, false, "", "")
		document, refusals := converter.Convert(Row{Number: 1, Document: []byte(row)})
		got := string(document)
		if len(refusals) > 0 {
			var all []string
			for _, r := range refusals {
				all = append(all, fmt.Sprintf("%s %q: %s", r.Column, r.Value, r.Reason))
			}
			got = strings.Join(all, "; ")
		}
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", row, got, want)
		}
	}
	keyed := NewConverter(nil, true, "id", "things-")
	if document, _ := keyed.Convert(Row{Number: 7, Document: []byte(`{}`)}); string(document) != `{"id":"things-7"}` {
		t.Errorf("a key of its own: %s", document)
	}
}

// fitted drafts rows, adapts the columns to fields, and converts the rows.
func fitted(t *testing.T, fields map[string]*definition.Field, rows ...string) string {
	t.Helper()
	drafter := draft.New(draft.Options{Convert: true})
	for _, row := range rows {
		drafter.Add([]byte(row))
	}
	drafted := drafter.Finish()
	out := Fit(drafted.Columns, fields)
	converter := NewConverter(drafted.Columns, false, "", "")
	for _, row := range rows {
		document, refusals := converter.Convert(Row{Number: 1, Document: []byte(row)})
		if len(refusals) > 0 {
			out = append(out, fmt.Sprintf("%s %q: %s", refusals[0].Column, refusals[0].Value, refusals[0].Reason))
			continue
		}
		out = append(out, string(document))
	}
	return strings.Join(out, "\n")
}

// Of several columns for a field of the index, the one with its name fills it.
func TestAFieldHasOneColumn(t *testing.T) {
	fields := map[string]*definition.Field{"id": {Type: definition.String}, "name": {Type: definition.String}, "location": {Type: definition.GeoPoint}}
	got := fitted(t, fields, `{"Name":"x y","id":"1","name":"z w","NAME":"u","lat":"1.5","lon":"2.5"}`)
	want := "Name is left out: the field name is filled by name\nNAME is left out: the field name is filled by name\n" +
		`{"id":"1","name":"z w","location":{"lat":1.5,"lon":2.5}}`
	if got != want {
		t.Errorf("%s", got)
	}
}

// Values in one text are split for a field that takes several, even in a file too small
// to show that they are lists.
func TestListsForAFieldWithSeveralValues(t *testing.T) {
	multiple := true
	fields := map[string]*definition.Field{}
	for name, kind := range map[string]definition.Type{"tags": definition.String, "notes": definition.String, "sizes": definition.Int32, "places": definition.String} {
		fields[name] = &definition.Field{Type: kind, Multiple: &multiple}
	}
	got := fitted(t, fields, `{"tags":"red, dark; blue","notes":"One sentence that is too long to be a tag; and another","sizes":"36|38","places":"Oslo, Norway"}`)
	if want := `{"tags":["red, dark","blue"],"notes":["One sentence that is too long to be a tag; and another"],"sizes":[36,38],"places":["Oslo, Norway"]}`; got != want {
		t.Errorf("%s", got)
	}
}

// A number beside another unit than that of its field is refused.
func TestUnitsOfNumbers(t *testing.T) {
	unit := func(name string) *definition.Field { return &definition.Field{Type: definition.Double, Unit: &name} }
	fields := map[string]*definition.Field{"weight": unit("kilogram"), "price": unit("EUR"), "box": unit("pcs"), "walk": unit("minute"), "fare": unit("CAD"), "any": {Type: definition.Double}}
	for row, want := range map[string]string{
		`{"weight":"5 kg","price":"7 €","box":"4 kg","any":"5 kg"}`: `{"weight":5,"price":7,"box":4,"any":5}`,
		`{"weight":"5","price":"7 Euro","walk":"5 m"}`:              `{"weight":5,"price":7,"walk":5}`,
		`{"weight":"5 Kilogramm","fare":"$7"}`:                      `{"weight":5,"fare":7}`,
		`{"weight":"500 g"}`:                                        `weight "500 g": it is in gram, and the field in kilogram`,
		`{"price":"$7"}`:                                            `price "$7": it is in USD, and the field in EUR`,
		`{"fare":"7 EUR"}`:                                          `fare "7 EUR": it is in EUR, and the field in CAD`,
		`{"walk":"2 hours"}`:                                        `walk "2 hours": it is in hour, and the field in minute`,
	} {
		if got := fitted(t, fields, row); got != want {
			t.Errorf("%s: %s, want %s", row, got, want)
		}
	}
	drafter := draft.New(draft.Options{Convert: true})
	for range 2 {
		drafter.Add([]byte(`{"length (cm)":"5","weight":"3 kg","plain":"5","price (EUR)":"$5"}`))
	}
	converter := NewConverter(drafter.Finish().Columns, false, "", "")
	_, refusals := converter.Convert(Row{Number: 1, Document: []byte(`{"length (cm)":"5 m","weight":"3 g","plain":"7 kg","price (EUR)":"$5"}`)})
	if len(refusals) != 2 || refusals[0].Reason != "it is in meter, and the field in centimeter" || refusals[1].Reason != "it is in gram, and the field in kilogram" {
		t.Errorf("%+v", refusals)
	}
}

// A text that stands for no value is left out of a field of JSON numbers, truth values or
// timestamps.
func TestTextsWithoutAValue(t *testing.T) {
	drafter := draft.New(draft.Options{Convert: true})
	rows := []string{
		`{"id":1,"n":5,"x":0.5,"is":true,"at":"2024-01-01T00:00:00Z","in":{"n":[1,2]},"text":"a"}`,
		`{"id":2,"n":"","x":"n/a","is":"","at":"","in":{"n":""},"text":""}`,
	}
	for _, row := range rows {
		drafter.Add([]byte(row))
	}
	converter := NewConverter(drafter.Finish().Columns, false, "", "")
	for i, want := range []string{rows[0], `{"id":2,"in":{},"text":""}`} {
		if document, refusals := converter.Convert(Row{Number: 1, Document: []byte(rows[i])}); string(document) != want {
			t.Errorf("%s %v", document, refusals)
		}
	}
}

// The column decides how dates written as digits alone are read.
func TestConvertDigits(t *testing.T) {
	for _, c := range []struct {
		digits draft.Digits
		value  string
		want   string
	}{
		{draft.Digits{}, `1700000000`, "2023-11-14T22:13:20Z"},
		{draft.Digits{}, `"1700000000000"`, "2023-11-14T22:13:20Z"},
		{draft.Digits{Unit: time.Millisecond}, `86400000`, "1970-01-02T00:00:00Z"},
		{draft.Digits{Unit: time.Millisecond}, `253402214400000`, "9999-12-31T00:00:00Z"},
		{draft.Digits{Unit: time.Millisecond}, `1974`, "1970-01-01T00:00:01.974Z"},
		{draft.Digits{Unit: time.Second}, `"253402214400"`, "9999-12-31T00:00:00Z"},
		{draft.Digits{Unit: time.Second}, `253402214400000`, ""},
		{draft.Digits{Unit: time.Millisecond, Years: true}, `"1974"`, "1974-01-01T00:00:00Z"},
		{draft.Digits{Unit: time.Millisecond, Years: true}, `974`, "1970-01-01T00:00:00.974Z"},
		{draft.Digits{Days: true}, `20240506`, "2024-05-06T00:00:00Z"},
		{draft.Digits{Days: true}, `"20241306"`, ""},
	} {
		column := &draft.Column{Name: "d", Field: "d", Form: draft.AsTimestamp, Digits: c.digits}
		got, refusals := NewConverter([]*draft.Column{column}, false, "", "").Convert(Row{Number: 1, Document: []byte(`{"d":` + c.value + `}`)})
		if want := `{"d":"` + c.want + `"}`; c.want != "" && string(got) != want || c.want == "" && len(refusals) == 0 {
			t.Errorf("%s as %+v is %s, %v", c.value, c.digits, got, refusals)
		}
	}
}

// A member whose first value comes after the sample of the draft is a field. If the rest
// of the source cannot be read ahead, it is text.
func TestLateValues(t *testing.T) {
	type row struct {
		ID   int64   `parquet:"id"`
		Note *string `parquet:"note,optional"`
	}
	const late = draft.EnoughDocuments + 5
	var rows, lines strings.Builder
	var columns bytes.Buffer
	w := parquet.NewGenericWriter[row](&columns)
	rows.WriteString("id,note\n")
	for i := range int64(late) {
		fmt.Fprintf(&rows, "%d,\n", i)
		fmt.Fprintf(&lines, `{"id":%d,"note":null}`+"\n", i)
		if _, err := w.Write([]row{{ID: i}}); err != nil {
			t.Fatal(err)
		}
	}
	n, x := "7", "x"
	if _, err := w.Write([]row{{ID: late, Note: &n}, {ID: late + 1, Note: &x}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"a.csv":     rows.String() + "99998,7\n99999,x\n",
		"a.ndjson":  lines.String() + "{\"id\":99998,\"note\":7}\n{\"id\":99999,\"note\":\"x\"}\n",
		"a.parquet": columns.String(),
	} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, isStream := range []bool{false, true} {
			source, err := Open(file, nil)
			if err != nil {
				t.Fatal(err)
			}
			drafter := draft.New(draft.Options{Convert: true})
			if err := Draft(t.Context(), source, drafter, isStream); err != nil {
				t.Fatal(err)
			}
			drafted := drafter.Finish()
			if field := drafted.Fields.Get("note"); field == nil || field.Type != definition.String || (field.Role == "code") == isStream {
				t.Errorf("%s, read once: %v: %+v %+v", name, isStream, field, drafted.Reasons)
			}
			if err := source.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// A batch that is larger than the node takes is sent in parts; only a row that is too
// large alone is refused.
func TestRowsTooLargeForTheNode(t *testing.T) {
	var added []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if len(body) > 100 {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			fmt.Fprint(w, `{"code":"request:body_too_large","message":"The body is larger than 100 bytes.","help":"Send less."}`)
			return
		}
		lines := strings.Split(strings.TrimSpace(string(body)), "\n")
		failed := ""
		for i, line := range lines {
			if strings.Contains(line, "bad") {
				failed = fmt.Sprintf(`{"position":%d,"errors":[{"message":"No."}]}`, i)
				continue
			}
			added = append(added, line)
		}
		fmt.Fprintf(w, `{"indexed":%d,"failed":[%s]}`, len(lines)-strings.Count(failed, "position"), failed)
	}))
	t.Cleanup(server.Close)
	var content, want strings.Builder
	for i := range 40 {
		line := fmt.Sprintf(`{"id":"%d"}`, i)
		switch i {
		case 7:
			line = `{"id":"` + strings.Repeat("7", 100) + `"}`
		case 30:
			line = `{"id":"bad"}`
		default:
			want.WriteString(line + "\n")
		}
		content.WriteString(line + "\n")
	}
	source, err := Open("-", strings.NewReader(content.String()))
	if err != nil {
		t.Fatal(err)
	}
	node, err := remote.New(server.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	var refused []string
	job := &Job{Node: node, Index: "x", Refused: func(_ string, r Refusal) {
		refused = append(refused, fmt.Sprintf("%d %d %s %s", r.Row, len(r.Document), r.Reason, r.Remedy))
	}}
	var done Done
	if err := job.Run(t.Context(), source, NewConverter(nil, true, "", ""), &done); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(added, "\n") + "\n"; got != want.String() {
		t.Errorf("added:\n%s", got)
	}
	if got := strings.Join(refused, "; "); got != "8 109 The body is larger than 100 bytes. Send less.; 31 12 No. " || done != (Done{Read: 40, Added: 38, Refused: 2}) {
		t.Errorf("%s, %+v", got, done)
	}
}

// A column that only a later file has is a field, even if the first file alone was enough
// for a draft.
func TestColumnsOfLaterFiles(t *testing.T) {
	var first strings.Builder
	first.WriteString("id\n")
	for i := range draft.EnoughDocuments + 5 {
		fmt.Fprintf(&first, "%d\n", i)
	}
	for _, isStream := range []bool{false, true} {
		drafter := draft.New(draft.Options{Convert: true})
		for _, content := range []string{first.String(), "id,n\n99998,5\n99999,x\n"} {
			source, err := Open("-", strings.NewReader(content))
			if err != nil {
				t.Fatal(err)
			}
			if err := Draft(t.Context(), source, drafter, isStream); err != nil {
				t.Fatal(err)
			}
			row, err := source.Next(t.Context())
			if isStream && (err != nil || row.Number != 1) {
				t.Errorf("the first row of the source: %+v %v", row, err)
			}
		}
		drafted := drafter.Finish()
		if field := drafted.Fields.Get("n"); field == nil || field.Type != definition.String && !isStream {
			t.Errorf("read once: %v: %+v", isStream, drafted.Reasons)
		}
	}
}

// FuzzOpen reads arbitrary input to its end without a panic; every row is an
// object.
func FuzzOpen(f *testing.F) {
	for _, seed := range []string{"a,b\n1,2", "{\"a\":1}\n{", "[{}]", "{\"x\":[{}]}", "PAR1", "\x1f\x8b", "\xff\xfea\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		source, err := Open("-", bytes.NewReader(content))
		if err != nil {
			return
		}
		defer source.Close()
		drafter := draft.New(draft.Options{Convert: true})
		if err := Draft(t.Context(), source, drafter, true); err != nil {
			return
		}
		converter := NewConverter(drafter.Finish().Columns, false, "", "")
		for range 1000 {
			row, err := source.Next(t.Context())
			var bad *RowError
			if errors.As(err, &bad) {
				continue
			}
			if err != nil {
				return
			}
			if document, refusals := converter.Convert(row); len(refusals) == 0 && (document[0] != '{' || document[len(document)-1] != '}') {
				t.Errorf("%q", document)
			}
		}
	})
}

// A file in which no quotation mark is closed is read in time and memory in proportion to
// its size.
func TestQuotesThatAreNeverClosedCostLittle(t *testing.T) {
	for _, line := range []string{`"x`, `"a" b`, `1,"x`} {
		const lines = 10_000
		r := &records{text: bufio.NewReader(strings.NewReader(strings.Repeat(line+"\n", lines))), separator: ',', columns: 2}
		r.wasted = maxRow // as after earlier ones
		for range lines {
			var refused *RowError
			if err := r.next(); !errors.As(err, &refused) {
				t.Fatalf("%s: %v", line, err)
			}
			r.record = nil
		}
		if err := r.next(); !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v at the end", line, err)
		}
		if most := maxRow + aheadShare*r.passed + lines*(leastAhead+len(line)+1); r.wasted > most || cap(r.buffer) > 4*aheadShare*lines*(len(line)+1) {
			t.Errorf("%s: %d bytes read ahead, want at most %d; %d bytes of memory", line, r.wasted, most, cap(r.buffer))
		}
	}
}
