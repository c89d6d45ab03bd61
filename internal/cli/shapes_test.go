package cli

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/go-json-experiment/json"
)

// shape is a file as users have them: its rows, and what a person would declare
// for every field. A wrong guess that is accepted is marked with !: Ole is a
// name, and a Finnish word.
type shape struct {
	file   string
	write  func(i int) string // a row
	around [2]string          // text before and after the rows
	encode func([]byte) []byte
	search string
	want   string // a field and its declaration, one per line
}

func pick(i int, values ...string) string { return values[i*7%len(values)] }

var shapes = []shape{
	{file: "packages.csv", around: [2]string{"\ufeffpackage;title;body;section;version;installed_kb;tags;depends;homepage\n", ""}, search: "editor",
		write: func(i int) string {
			return fmt.Sprintf("pkg-%d;Editor number %d for plain files;\"This package holds an editor; it is small and starts at once, and it reads every file that you have.\";%s;1.%d-2;%d;%s;%s;https://example.org/%d\n",
				i, i, pick(i, "editors", "utils", "libs"), i, 100+i*3, pick(i, "use::editing,role::program", "role::program", "use::viewing,role::program"), pick(i, "libc6,libgtk", "libc6", "libc6,zlib1g"), i)
		},
		want: "package id, title title, body description, section tag, version code, installed_kb int64 kilobyte, tags tag list, depends tag list, homepage string"},
	{file: "cities.ndjson", search: "bergen", write: func(i int) string {
		return fmt.Sprintf(`{"id":"c%d","name":"%s %d","country":"%s","location":{"lat":%d.5,"lon":%d.25}}`+"\n", i, pick(i, "Bergen", "Vila Nova", "Oslo"), i, pick(i, "NO", "PT"), i%80, i%170)
	}, want: "id id, name title, country tag, location geo_point"},
	{file: "texte.json", around: [2]string{`{"seite":1,"texte":[`, `]}`}, search: "bild",
		write: func(i int) string {
			return fmt.Sprintf(`%s{"uuid":"u-%d","titel":"Ein Programm für das Zeichnen von Bildern %d","inhalt":"Dieses Programm ist für alle gedacht, die am Rechner zeichnen und ihre Bilder mit anderen teilen wollen.","veröffentlicht":"2024-03-%02dT10:00:00Z"}`,
				comma(i), i, i, 1+i%28)
		},
		want: "uuid id, titel title de, inhalt description de, veroffentlicht timestamp"},
	{file: "orders.json", around: [2]string{"[", "]"}, search: "",
		write: func(i int) string {
			return fmt.Sprintf(`%s{"orderId":"O-%d","customer":{"name":"%s","email":"u%d@example.org"},"placed":17%08d000,"total":%d.5,"lines":[{"sku":"S%d","qty":%d},{"sku":"S%d","qty":1}],"shipped":%t}`,
				comma(i), i, pick(i, "Ada Berg", "Kari Holm"), i, i*86400, i, i%9, i%4, i%7, i%2 == 0)
		},
		want: "orderId id, customer.name tag, customer.email code, placed timestamp, total double, lines.sku tag, lines.qty int64, lines nested, shipped boolean"},
	{file: "artikel.tsv", around: [2]string{"Artikelnummer\tArtikelbezeichnung\tBeschreibung\tWarengruppe\tVK-Preis (EUR)\tGewicht\tVerfügbar\tAngelegt am\tEAN\n", ""}, search: "stühle",
		encode: func(text []byte) []byte { out, _ := charmap.Windows1252.NewEncoder().Bytes(text); return out },
		write: func(i int) string {
			return fmt.Sprintf("%07d\tStuhl aus Kirschholz Nr. %d\tEin bequemer Stuhl für das Wohnzimmer, der auch nach vielen Jahren noch schön ist.\t%s\t1.%03d,50\t%d,5 kg\t%s\t%02d.02.2023\t40%011d\n",
				i, i, pick(i, "Möbel", "Büro"), i, i%9, pick(i, "ja", "nein"), 1+i%28, i)
		},
		want: "Artikelnummer id, Artikelbezeichnung title de, Beschreibung description de, Warengruppe tag, vk_preis double EUR, Gewicht double kilogram, verfugbar boolean, angelegt_am timestamp, EAN code"},
	{file: "news.json", around: [2]string{`{"items":[`, `]}`}, search: "storm",
		encode: func(text []byte) []byte {
			out, _ := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes(text)
			return out
		},
		write: func(i int) string {
			return fmt.Sprintf(`%s{"uid":"u%04x","headline":"Storm warning number %d for the coast","published":"2024-05-%02dT10:00:00Z","geo":{"lat":%d.5,"lng":8.25},"topics":["%s","coast"],"views":%d}`,
				comma(i), i, i, 1+i%28, i%60, pick(i, "weather", "travel"), i*i)
		},
		want: "uid id, headline title, published timestamp, geo geo_point, topics tag list, views int64"},
	{file: "notes.ndjson.gz", search: "house",
		encode: func(text []byte) []byte {
			var out bytes.Buffer
			packer := gzip.NewWriter(&out)
			_, _ = packer.Write(text)
			_ = packer.Close()
			return out.Bytes()
		},
		write: func(i int) string {
			return fmt.Sprintf(`{"id":%d,"text":"a note about thing %d and where it was put in the house","embedding":[%s%d]}`+"\n", i, i, strings.Repeat("0.5,", 63), i)
		},
		want: "id int64 key, text description, embedding vector"},
	{file: "people.csv", search: "hansen", write: func(i int) string {
		return fmt.Sprintf("%s Hansen %d,%02d/%02d/1984,%s,\"59.%d, 7.5\",\"$1,%03d.50\"\n", pick(i, "Anna", "Ole", "Kari"), i, 1+i%12, 1+i%28, pick(i, "Oslo", "Voss"), i, i)
	}, want: "id id, !column_1 title fi, column_2 timestamp, column_3 tag, column_4 geo_point, column_5 double USD"},
	{file: "places.ndjson", search: "dubai", write: func(i int) string {
		return fmt.Sprintf(`{"geonameid":%d,"name":"Dubai %d","alternatenames":["Dubaj %d","Dubay %d","Дубай %d"],"country code":"AE","population":%d,"timezone":"%s","modified":"2024-01-%02d"}`+"\n",
			i, i, i, i, i, i*1000, pick(i, "Asia/Dubai", "Europe/Oslo", "Asia/Tokyo"), 1+i%28)
	}, want: "geonameid int64 key, name title, alternatenames text list, country_code tag, population int64, timezone path, modified timestamp"},
	{file: "sales.parquet", search: "shoe", want: "sku id, name title, price double XXX, sold timestamp, colours tag list, stock boolean"},
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

type sale struct {
	SKU     string   `parquet:"sku"`
	Name    string   `parquet:"name"`
	Price   float64  `parquet:"price"`
	Sold    int64    `parquet:"sold,timestamp(millisecond)"`
	Colours []string `parquet:"colours,list"`
	Stock   bool     `parquet:"stock"`
}

const shapeRows = 120

// content returns the content of the file.
func (s *shape) content(t *testing.T) []byte {
	var out bytes.Buffer
	if s.write == nil {
		var rows []sale
		for i := range shapeRows {
			rows = append(rows, sale{fmt.Sprintf("S%d", i), fmt.Sprintf("Shoe for running %d", i), float64(i) + 0.5, 1700000000000 + int64(i), []string{pick(i, "red", "blue"), "white"}, i%2 == 0})
		}
		if err := parquet.Write(&out, rows); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	out.WriteString(s.around[0])
	for i := range shapeRows {
		out.WriteString(s.write(i))
	}
	out.WriteString(s.around[1])
	if s.encode != nil {
		return s.encode(out.Bytes())
	}
	return out.Bytes()
}

// declared is the part of a field definition that matters to a reader.
type declared struct {
	Type       string                          `json:"type"`
	Role       string                          `json:"role"`
	PrimaryKey bool                            `json:"primaryKey"`
	Multiple   bool                            `json:"multiple"`
	Mode       string                          `json:"mode"`
	Unit       string                          `json:"unit"`
	Matching   map[string]any                  `json:"matching"`
	Locales    *struct{ DefaultLocale string } `json:"locales"`
	Fields     map[string]declared             `json:"fields"`
}

// describe renders the fields of a definition in the notation of shapes.
func describe(fields map[string]declared, before string) []string {
	var out []string
	for name, f := range fields {
		what := f.Type
		switch {
		case f.Role != "" && f.Role != "geo":
			what = f.Role
		case f.Mode == "nested":
			what = "nested"
		case f.PrimaryKey:
			what += " key"
		case f.Matching != nil:
			what = "text"
		}
		if f.Unit != "" {
			what += " " + f.Unit
		}
		if f.Multiple && f.Mode == "" {
			what += " list"
		}
		if f.Locales != nil && (f.Role == "title" || f.Role == "description") {
			what += " " + f.Locales.DefaultLocale
		}
		if f.Type != "object" || f.Mode == "nested" {
			out = append(out, before+name+" "+what)
		}
		out = append(out, describe(f.Fields, before+name+".")...)
	}
	return out
}

// Ten files of different shapes become searchable with one command each, and
// their fields are what a person would declare.
func TestFilesOfManyShapesAreUnderstood(t *testing.T) {
	node := serveNode(t)
	right, all := 0, 0
	for _, s := range shapes {
		file := filepath.Join(t.TempDir(), s.file)
		if err := os.WriteFile(file, s.content(t), 0o600); err != nil {
			t.Fatal(err)
		}
		code, draft, said := run(nil, "load", file, "--draft", "-", "--url", node)
		if code != exitDone {
			t.Fatalf("%s: %d %s", s.file, code, said)
		}
		var definition struct {
			Fields map[string]declared `json:"fields"`
		}
		if err := json.Unmarshal([]byte(draft), &definition, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatal(err)
		}
		got, want := describe(definition.Fields, ""), strings.Split(s.want, ", ")
		for _, one := range want {
			known, isWrong := strings.CutPrefix(one, "!")
			all++
			if !slices.Contains(got, known) {
				t.Errorf("%s: want %s\n%s", s.file, known, said)
			} else if !isWrong {
				right++
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: got %q", s.file, got)
		}
		if code, _, said := run(nil, "load", file, "--url", node); code != exitDone || !strings.Contains(said, fmt.Sprintf("%d rows read, %d added", shapeRows, shapeRows)) {
			t.Errorf("%s: %d %s", s.file, code, said)
		}
		if code, out, said := run(nil, "search", indexName(s.file), s.search, "--url", node, "--limit", "1"); code != exitDone || !strings.Contains(out, "1 of ") {
			t.Errorf("%s: %d %s %s", s.file, code, out, said)
		}
	}
	t.Logf("%d of %d guesses are right", right, all)
}
