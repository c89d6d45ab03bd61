package document

import (
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/problem"
)

const everything = `{"localeFallback":{"chain":["en"]},"fields":{
	"id":{"type":"string","primaryKey":true},"name":{"type":"string","matching":{}},
	"i32":{"type":"int32","validation":{"min":0,"max":100}},"i64":{"type":"int64"},"f32":{"type":"float"},
	"f64":{"type":"double","validation":{"min":-1.5}},"flag":{"type":"boolean"},"at":{"type":"timestamp"},"where":{"type":"geo_point"},
	"unit":{"type":"vector","dimensions":2},"flat":{"type":"vector","dimensions":2,"similarity":"euclidean"},
	"title":{"type":"string","locales":{"defaultLocale":"en","locales":["fr","sv"]}},
	"words":{"type":"string","multiple":true,"locales":{"defaultLocale":"en","locales":["fr"],"fallback":"disabled"}},
	"many":{"type":"string","multiple":true},"size":{"type":"object","fields":{"width":{"type":"double"},"note":{"type":"string","required":true}}},
	"variants":{"type":"object","multiple":true,"mode":"nested","key":"sku","fields":{"sku":{"type":"string","required":true},"price":{"type":"double"},"title":{"type":"string","locales":{"locales":["sv"]}}}},
	"parts":{"type":"object","multiple":true,"mode":"flattened","fields":{"no":{"type":"string"}}},
	"attr":{"type":"object","fields":{"*":{"type":"string"}}},
	"pop":{"type":"double","signal":{},"validation":{"min":0}}}}`

func schemaOf(t testing.TB, body string) *definition.Schema {
	t.Helper()
	d, err := definition.Parse([]byte(body), definition.Capabilities{})
	if err != nil {
		t.Fatal(err)
	}
	return definition.NewSchema(d)
}

func told(found *problem.List) string {
	var parts []string
	for _, p := range found.Problems() {
		parts = append(parts, p.Code.Name()+"@"+p.Path)
	}
	sort.Strings(parts)
	return strings.Join(parts, " ")
}

func TestEveryWayADocumentIsRefused(t *testing.T) {
	r := NewReader(schemaOf(t, everything))
	for _, c := range []struct{ document, want string }{
		{`"jam"`, "document:not_an_object@documents[1]"},
		{`{}`, "document:field_required@documents[1].id"},
		{`{"id":null}`, "document:field_required@documents[1].id"},
		{`{"id":"1","bogus":1}`, "document:field_unknown@documents[1].bogus"},
		{`{"id":"1","bogus":null}`, "document:field_unknown@documents[1].bogus"},
		{`{"id":"1","size.width":1}`, `document:field_inside_object@documents[1]["size.width"]`},
		{`{"id":"1","size.no":1}`, `document:field_unknown@documents[1]["size.no"]`},
		{`{"id":"1","title":{"es":"hola"}}`, "document:locale_unknown@documents[1].title.es"},
		{`{"id":"1","title":{"":"hola"}}`, `document:locale_unknown@documents[1].title[""]`},
		{`{"id":"1","name":{"en":"x"}}`, "document:locale_unsupported@documents[1].name"},
		{`{"id":"1","name":{"width":"x"}}`, "document:object_unsupported@documents[1].name"},
		{`{"id":"1","size":5}`, "document:object_required@documents[1].size"},
		{`{"id":"1","size":[{}]}`, "document:multiple_unsupported@documents[1].size"},
		{`{"id":"1","size":{"width":1}}`, "document:field_required@documents[1].size.note"},
		{`{"id":"1","variants":[{"sku":"a"},7]}`, "document:object_required@documents[1].variants[1]"},
		{`{"id":"1","i32":{"width":5}}`, "document:object_unsupported@documents[1].i32"},
		{`{"id":"1","name":["a","b"]}`, "document:multiple_unsupported@documents[1].name"},
		{`{"id":"1","title":["a"]}`, "document:multiple_unsupported@documents[1].title"},
		{`{"id":"1","title":{"en":["a","b"]}}`, "document:multiple_per_locale_unsupported@documents[1].title.en"},
		{`{"id":"1","variants":[{"sku":"A"},{"sku":"A"}]}`, "document:object_key_duplicate@documents[1].variants[1].sku"},
		{`{"id":"1","variants":[{"price":1}]}`, "document:field_required@documents[1].variants[0].sku"},
		{`{"id":"1","f64":"many","i64":true,"i32":1.5}`, "document:number:value_invalid@documents[1].f64 document:number:value_invalid@documents[1].i32 document:number:value_invalid@documents[1].i64"},
		{`{"id":"1","i32":101,"f64":-1.75}`, "document:number:value_out_of_range@documents[1].f64 document:number:value_out_of_range@documents[1].i32"},
		{`{"id":"1","i32":3000000000,"f32":1e39,"f64":1e400}`, "document:number:value_invalid@documents[1].f32 document:number:value_invalid@documents[1].f64 document:number:value_invalid@documents[1].i32"},
		{`{"id":"1","where":{"lat":3}}`, "document:geo_point:value_invalid@documents[1].where"},
		{`{"id":"1","where":"59.3,18.1"}`, "document:geo_point:value_invalid@documents[1].where"},
		{`{"id":"1","where":{"lat":90.5,"lon":0}}`, "document:geo_point:value_out_of_range@documents[1].where"},
		{`{"id":"1","at":"2024-05-01T10:00:00"}`, "document:timestamp:value_invalid@documents[1].at"},
		{`{"id":"1","at":17}`, "document:timestamp:value_invalid@documents[1].at"},
		{`{"id":"1","unit":"near"}`, "document:vector:value_invalid@documents[1].unit"},
		{`{"id":"1","unit":[1,"x"]}`, "document:vector:value_invalid@documents[1].unit"},
		{`{"id":"1","unit":[1,null]}`, "document:vector:value_invalid@documents[1].unit"},
		{`{"id":"1","unit":[1,1e39]}`, "document:vector:value_not_finite@documents[1].unit"},
		{`{"id":"1","unit":[1,2,3]}`, "document:vector:dimensions_mismatch@documents[1].unit"},
		{`{"id":"1","unit":[0,0]}`, "document:vector:value_zero@documents[1].unit"},
		{`{"id":"1","flag":"yes","name":5}`, "request:value_invalid@documents[1].flag request:value_invalid@documents[1].name"},
		{`{"id":"1","pop":-1}`, "document:number:value_out_of_range@documents[1].pop"},
		{`{"id":"1","pop":[1]}`, "document:multiple_unsupported@documents[1].pop"},
		{`{"id":"1","many":["a",["b"]]}`, "document:multiple_unsupported@documents[1].many[1]"},
		{`{"id":"1","attr":{"a.b":"x"}}`, `document:field_unknown@documents[1].attr["a.b"]`},
		{`{"id":5}`, "request:value_invalid@documents[1].id"},
	} {
		var found problem.List
		if d := r.Read([]byte(c.document), problem.At("documents[1]"), &found); d != nil || told(&found) != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.document, told(&found), c.want)
		}
	}
}

func TestProblemsOfOneDocumentAreBounded(t *testing.T) {
	r := NewReader(schemaOf(t, everything))
	text := []byte(`{"id":"1"`)
	for i := range 5000 {
		text = append(text, fmt.Sprintf(`,"x%d":1`, i)...)
	}
	var found problem.List
	if d := r.Read(append(text, '}'), problem.Path{}, &found); d != nil || found.Len() != problem.MaxReported {
		t.Errorf("%d problems", found.Len())
	}
}

func read(t testing.TB, r *Reader, text string) *Document {
	t.Helper()
	var found problem.List
	d := r.Read([]byte(text), problem.Path{}, &found)
	if d == nil {
		t.Fatalf("%s: %s", text, told(&found))
	}
	return d
}

const full = `{"id":"k1","name":"caf\u00e9","i64":9007199254740993,"flag":true,"at":"2024-05-01T12:00:00.1239+02:00","where":{"lon":18.5,"lat":59},` +
	`"flat":[0,0],"title":{"fr-CA":"confiture"},"words":"x","many":["a",null,"b"],"name2":null,"size":{"width":3,"note":"n"},` +
	`"variants":[{"sku":"V-1","price":10,"title":"t"},{"sku":"V-2"}],"parts":[{"no":"P1"},{"no":"P2"}],"attr":{"screen size":"15"},"pop":0.5}`

func TestValuesAreTyped(t *testing.T) {
	r := NewReader(schemaOf(t, everything))
	d := read(t, r, strings.Replace(full, `"name2":null,`, ``, 1))
	var lines []string
	show := func(prefix string, values []Value) {
		for _, v := range values {
			lines = append(lines, prefix+v.Field.Path+" "+v.Variant+" "+v.Text)
		}
	}
	show("", d.Root)
	for _, c := range d.Children {
		show(c.List.Path+"["+string(rune('0'+c.Position))+"] ", c.Values)
	}
	want := []string{
		"id  k1", "name  café", "i64  ", "flag  ", "at  2024-05-01T12:00:00.1239+02:00", "where  ", "flat  ", "title fr confiture",
		"words en x", "many  a", "many  b", "size.width  ", "size.note  n", "parts.no  P1", "parts.no  P2", "attr.screen size  15",
		"variants[0] variants.sku  V-1", "variants[0] variants.price  ", "variants[0] variants.title en t", "variants[0] variants.title sv t", "variants[1] variants.sku  V-2",
	}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	if d.Key != "k1" || d.Root[2].Number != 9007199254740993 || d.Root[4].Number != 1714557600123 || d.Root[5].Lat != 59 || d.Root[5].Lon != 18.5 {
		t.Errorf("key, numbers or point: %+v", d.Root[:6])
	}
	if len(d.Signals) != 1 || d.Signals[0].Number != layout.Float(0.5) {
		t.Errorf("signals %+v", d.Signals)
	}
}

func TestFallbackFillsFromTheChain(t *testing.T) {
	r := NewReader(schemaOf(t, everything))
	d := read(t, r, `{"id":"1","title":"jam"}`)
	var variants []string
	for _, v := range d.Root[1:] {
		variants = append(variants, v.Variant+"="+v.Text)
	}
	if got := strings.Join(variants, " "); got != "en=jam fr=jam sv=jam" {
		t.Errorf("got %s", got)
	}
}

func recordOf(t testing.TB, d *Document) Record {
	t.Helper()
	record, err := OpenRecord(d.AppendRecord(nil))
	if err != nil {
		t.Fatal(err)
	}
	return record
}

func TestRecordsAnswerWhatWasSentAndParts(t *testing.T) {
	schema := schemaOf(t, everything)
	r := NewReader(schema)
	record := recordOf(t, read(t, r, strings.Replace(full, `"name2":null,`, ``, 1)))
	signals := func(*definition.ResolvedField) (int64, bool) { return layout.Float(0.75), true }
	for _, c := range []struct {
		name       string
		projection *Projection
		want       string
	}{
		{"as sent", AsSent(schema), `{"id":"k1","name":"caf\u00e9","i64":9007199254740993,"flag":true,"at":"2024-05-01T12:00:00.1239+02:00","where":{"lon":18.5,"lat":59},` +
			`"flat":[0,0],"title":{"fr":"confiture"},"words":"x","many":["a","b"],"size":{"width":3,"note":"n"},` +
			`"variants":[{"sku":"V-1","price":10,"title":"t"},{"sku":"V-2"}],"parts":[{"no":"P1"},{"no":"P2"}],"attr":{"screen size":"15"},"pop":0.75}`},
		{"French", Only(schema, []string{"title", "words", "variants.title"}, "fr-FR"), `{"id":"k1","title":{"fr":"confiture"},"variants":[{"title":{"en":"t"}},{}]}`},
		{"Swedish", Only(schema, []string{"title", "variants.title"}, "sv"), `{"id":"k1","variants":[{"title":{"sv":"t"}},{}]}`},
		{"parts", Only(schema, []string{"size.width", "parts", "pop", "absent"}, ""), `{"id":"k1","size":{"width":3},"parts":[{"no":"P1"},{"no":"P2"}],"pop":0.75}`},
		{"key alone", Only(schema, nil, ""), `{"id":"k1"}`},
	} {
		if got := string(c.projection.Append(nil, record, signals)); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.name, got, c.want)
		}
	}
	list, _ := schema.Resolve("variants")
	if got, ok := Whole(schema, "").AppendListValue(nil, record, list, 1); !ok || string(got) != `{"sku":"V-2"}` {
		t.Errorf("list value %s", got)
	}
	if got, ok := Only(schema, []string{"variants.price"}, "").AppendListValue(nil, record, list, 0); !ok || string(got) != `{"price":10}` {
		t.Errorf("list value %s", got)
	}
	if _, ok := Whole(schema, "").AppendListValue(nil, record, list, 2); ok {
		t.Error("a value behind the list")
	}
	each := func(path, locale string, position int) string {
		f, _ := schema.Resolve(path)
		var parts []string
		record.Each(f, locale, position, func(raw []byte) bool { parts = append(parts, string(raw)); return true })
		return strings.Join(parts, " ")
	}
	for _, c := range []struct {
		path, locale string
		position     int
		want         string
	}{
		{"many", "", -1, `"a" "b"`}, {"parts.no", "", -1, `"P1" "P2"`}, {"variants.sku", "", 1, `"V-2"`}, {"variants.sku", "", -1, `"V-1" "V-2"`},
		{"title", "fr", -1, `"confiture"`}, {"size.note", "", -1, `"n"`}, {"i32", "", -1, ""},
	} {
		if got := each(c.path, c.locale, c.position); got != c.want {
			t.Errorf("%s: %s, want %s", c.path, got, c.want)
		}
	}
}

func TestWithoutASourceOnlyStoredFieldsAndHighlightTextsAreKept(t *testing.T) {
	schema := schemaOf(t, `{"source":"none","fields":{"id":{"type":"string","primaryKey":true},"kept":{"type":"string","stored":true},"gone":{"type":"string"},
		"lit":{"type":"string","matching":{"highlight":{}}},"size":{"type":"object","fields":{"w":{"type":"int32","stored":true},"h":{"type":"int32"}}},
		"none":{"type":"object","fields":{"h":{"type":"int32"}}},
		"list":{"type":"object","multiple":true,"mode":"nested","fields":{"a":{"type":"int32","stored":true},"b":{"type":"int32"}}}}}`)
	record := recordOf(t, read(t, NewReader(schema), `{"id":"1","kept":"a","gone":"b","lit":"c","size":{"w":1,"h":2},"none":{"h":1},"list":[{"b":1},{"a":2}]}`))
	if got := string(Whole(schema, "").Append(nil, record, nil)); got != `{"id":"1","kept":"a","size":{"w":1},"list":[{},{"a":2}]}` || record.HasSource() {
		t.Errorf("got %s", got)
	}
	lit, _ := schema.Resolve("lit")
	text := ""
	record.Each(lit, "", -1, func(raw []byte) bool { text = string(raw); return true })
	if text != `"c"` {
		t.Errorf("highlight text %s", text)
	}
}

func TestChangesGiveAWholeDocumentOrNone(t *testing.T) {
	schema := schemaOf(t, everything)
	r := NewReader(schema)
	source := []byte(`{"id":"1","name":"a","title":{"en":"jam"},"variants":[{"sku":"V-1","price":1}]}`)
	apply := func(text string) (*Change, *Document, string) {
		var found problem.List
		c := r.ReadChange([]byte(text), problem.At("documents[0]"), &found)
		if c == nil {
			return nil, nil, told(&found)
		}
		return c, r.Apply(c, source, noSignals, problem.At("documents[0]"), &found), told(&found)
	}
	c, d, _ := apply(`{"id":"1","title[fr]":"confiture","variants[V-1].price":9,"many[]":"x","pop":null}`)
	if c.SignalsOnly || len(d.Signals) != 1 || !d.Signals[0].Clear ||
		string(d.JSON()) != `{"id":"1","name":"a","title":{"en":"jam","fr":"confiture"},"variants":[{"sku":"V-1","price":9}],"many":["x"]}` {
		t.Errorf("%+v %s", c, d.JSON())
	}
	var none problem.List
	late := r.Apply(c, []byte(`{"id":"1","pop":0.1,"gone":{"x":1},"variants":[{"sku":"V-1","old":1}]}`), noSignals, problem.Path{}, &none)
	if late == nil || len(late.Signals) != 1 || strings.Contains(string(late.JSON()), "gone") || strings.Contains(string(late.JSON()), "old") {
		t.Errorf("undeclared names and signals of the source: %s", told(&none))
	}
	if c, _, _ = apply(`{"id":"1","pop":0.25}`); !c.SignalsOnly || c.Key != "1" || len(c.Signals) != 1 {
		t.Errorf("%+v", c)
	}
	for text, want := range map[string]string{
		`{"name":"x"}`:                                                 "document:key_required@documents[0].id",
		`{"id":1,"name":"x"}`:                                          "request:value_invalid@documents[0].id",
		`{"id":"1","i32":"x"}`:                                         "document:number:value_invalid@documents[0].i32",
		`{"id":"1","pop":-1}`:                                          "document:number:value_out_of_range@documents[0].pop",
		`{"id":"1","pop[]":1}`:                                         "document:patch:add_unsupported@documents[0].pop[]",
		`{"id":"1","bogus":1,"name.x":1}`:                              "document:patch:field_unknown@documents[0].bogus document:patch:not_an_object@documents[0].name.x",
		`{"id":"1","variants[]":{"sku":"V-1"}}`:                        "document:object_key_duplicate@documents[0].variants[].sku",
		`{"id":"1","variants[V-1].price":"x"}`:                         "document:number:value_invalid@documents[0].variants[V-1].price",
		`{"id":"1","title[fr]":5}`:                                     "request:value_invalid@documents[0].title[fr]",
		`{"id":"1","variants[sku=V-1].sku":null}`:                      "document:field_required@documents[0].variants[sku=V-1].sku",
		`{"id":"1","variants[V-1].sku":null,"variants[]":{"price":1}}`: "document:field_required@documents[0].variants[V-1].sku document:field_required@documents[0].variants[].sku",
		`{"id":"1","variants[V-1]":{"price":"x"}}`:                     "document:field_required@documents[0].variants[V-1].sku document:number:value_invalid@documents[0].variants[V-1].price",
		`[]`: "document:not_an_object@documents[0]",
	} {
		if _, d, got := apply(text); d != nil || got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestProblemsOfAChangeAreBounded checks that a change reports as many problems as
// a document.
func TestProblemsOfAChangeAreBounded(t *testing.T) {
	r := NewReader(schemaOf(t, `{"fields":{"id":{"type":"string","primaryKey":true}}}`))
	text := []byte(`{"id":"1"`)
	for i := range 2 * problem.MaxReported {
		text = fmt.Appendf(text, `,"absent%d":1`, i)
	}
	var found problem.List
	found.Report(problem.IndexNotFound.New("name", "x")) // an unrelated problem
	c := r.ReadChange(append(text, '}'), problem.Path{}, &found)
	if d := r.Apply(c, []byte(`{"id":"1"}`), noSignals, problem.Path{}, &found); d != nil || found.Len() != 1+problem.MaxReported {
		t.Errorf("%v, %d problems", d, found.Len())
	}
}

// TestBoundsOfAFloatAreInclusive checks that the bounds of a float are inclusive
// although 32 bits represent neither exactly.
func TestBoundsOfAFloatAreInclusive(t *testing.T) {
	r := NewReader(schemaOf(t, `{"fields":{"id":{"type":"string","primaryKey":true},"name":{"type":"string"},
		"f":{"type":"float","validation":{"min":-0.1,"max":0.1}},"pop":{"type":"float","signal":{},"required":true,"validation":{"min":-0.1,"max":0.1}}}}`))
	for _, c := range []struct{ document, want string }{
		{`{"id":"1","f":0.1,"pop":-0.1}`, ""},
		{`{"id":"1","f":-0.1,"pop":0.1}`, ""},
		{`{"id":"1","f":0.10001,"pop":-0.10001}`, "document:number:value_out_of_range@f document:number:value_out_of_range@pop"},
	} {
		var found problem.List
		if d := r.Read([]byte(c.document), problem.Path{}, &found); told(&found) != c.want || (d != nil) != (c.want == "") {
			t.Errorf("%s: %s, want %s", c.document, told(&found), c.want)
		}
	}
	var found problem.List
	tenth := func(*definition.ResolvedField) (int64, bool) { return layout.Float(float64(float32(0.1))), true }
	change := r.ReadChange([]byte(`{"id":"1","name":"b"}`), problem.Path{}, &found)
	if d := r.Apply(change, []byte(`{"id":"1","f":0.1}`), tenth, problem.Path{}, &found); d == nil {
		t.Errorf("a change that leaves them alone: %s", told(&found))
	}
}

func noSignals(*definition.ResolvedField) (int64, bool) { return 0, false }

// TestRequiredSignalsStayWithTheirDocument checks that a change need not name a
// required signal, which only has to exist after it.
func TestRequiredSignalsStayWithTheirDocument(t *testing.T) {
	schema := schemaOf(t, `{"fields":{"id":{"type":"string","primaryKey":true},"pop":{"type":"int32","signal":{},"required":true},"name":{"type":"string"}}}`)
	r := NewReader(schema)
	seven := func(*definition.ResolvedField) (int64, bool) { return 7, true }
	for _, c := range []struct {
		change  string
		signals SignalReader
		want    string
	}{
		{`{"id":"1","name":"b"}`, seven, `{"id":"1","name":"b","pop":7}`},
		{`{"id":"1","name":"b","pop":8}`, seven, `{"id":"1","name":"b","pop":8}`},
		{`{"id":"1","name":"b","pop":8}`, noSignals, `{"id":"1","name":"b","pop":8}`},
		{`{"id":"1","name":"b"}`, noSignals, "document:field_required@pop"},
		{`{"id":"1","name":"b","pop":null}`, seven, "document:field_required@pop"},
		{`{"id":"1","pop":null}`, seven, "document:field_required@pop"},
	} {
		var found problem.List
		var d *Document
		if change := r.ReadChange([]byte(c.change), problem.Path{}, &found); change != nil {
			d = r.Apply(change, []byte(`{"id":"1","name":"a"}`), c.signals, problem.Path{}, &found)
		}
		got := told(&found)
		if d != nil {
			got = string(d.JSON())
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.change, got, c.want)
		}
	}
}

func TestVariantsWithoutAValueAreMissing(t *testing.T) {
	r := NewReader(schemaOf(t, `{"fields":{"title":{"type":"string","required":true,"locales":{"locales":["sv"]}},"where":{"type":"geo_point","required":true,"locales":{}}}}`))
	for body, want := range map[string]string{
		`{"title":"a","where":{"lat":1,"lon":2}}`:                   "",
		`{"title":{"sv":"a"},"where":{"en":{"lat":1,"lon":2}}}`:     "",
		`{"title":{},"where":{"lat":1,"lon":2}}`:                    "document:field_required@title",
		`{"title":{"sv":null,"en":null},"where":{"lat":1,"lon":2}}`: "document:field_required@title",
		`{"title":{"de":"a"},"where":{"lat":1,"lon":2}}`:            "document:locale_unknown@title.de",
		`{"title":"a","where":{}}`:                                  "document:field_required@where",
	} {
		var found problem.List
		r.Read([]byte(body), problem.Path{}, &found)
		if got := told(&found); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}

func TestKeysAreReadByTheirType(t *testing.T) {
	schema := schemaOf(t, `{"fields":{"id":{"type":"int32","primaryKey":true}}}`)
	field := schema.PrimaryKey()
	if key, err := ParseKey(field, "007", problem.Path{}); err != nil || key != "7" {
		t.Errorf("%q %v", key, err)
	}
	for _, text := range []string{"", "four", "3000000000", "1.5"} {
		if _, err := ParseKey(field, text, problem.Path{}); err == nil {
			t.Errorf("%q is read", text)
		}
	}
	for body, want := range map[string]string{`{}`: `{"id":4}`, `{"id":"4"}`: `{"id":4}`, `{"id":4.0,"x":1}`: `{"id":4,"x":1}`, `{"id":null}`: `{"id":4}`, `{"id":5}`: "", `{"id":true}`: ""} {
		got, err := WithKey(schema, []byte(body), "4")
		if string(got) != want || (err != nil) != (want == "") {
			t.Errorf("%s: %s %v", body, got, err)
		}
	}
	for body, want := range map[string]string{`{}`: `{"id":4}`, `{"id":"4","x":null}`: `{"id":4,"x":null}`, `{"id":null}`: "", `{"id":5}`: ""} {
		got, err := ChangeWithKey(schema, []byte(body), "4")
		if string(got) != want || (err != nil) != (want == "") {
			t.Errorf("%s: %s %v", body, got, err)
		}
	}
	text := schemaOf(t, everything)
	if got, err := WithKey(text, []byte(`{"id":5,"name":"x"}`), "5"); err != nil || string(got) != `{"id":"5","name":"x"}` {
		t.Errorf("%s %v", got, err)
	}
}

func TestTimestampsAgreeWithTheLibrary(t *testing.T) {
	for _, text := range []string{
		"2024-02-29T23:59:59.999Z", "1969-12-31T23:59:59.5Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59+14:00", "1900-03-01T00:00:00-05:30", "2000-02-29T12:00:00.123456789Z",
		"2024-05-01T10:00:00+23:59", "2024-05-01T10:00:00-18:30",
	} {
		want, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := ParseTimestamp(text); !ok || got != want.UnixMilli() {
			t.Errorf("%s: %d %v, want %d", text, got, ok, want.UnixMilli())
		}
	}
	for text, want := range map[string]bool{
		"2024-05-01T10:00Z": true, "2024-05-01T10:00+02": true, "2024-05-01T10:00:00+0200": true, "2024-05-01T10:00:00,5Z": true,
		"2024-05-01": false, "2024-05-01T10:00:00": false, "2023-02-29T00:00:00Z": false, "2024-13-01T00:00:00Z": false, "2024-05-01T24:00:00Z": false,
		"2024-05-01 10:00:00Z": false, "2024-05-01T10:00:00.Z": false, "2024-05-01T10:00:00Zx": false, "": false, "2024-05-01T10:00:60Z": false, "2024-05-01T10:00:00+1": false,
		"2024-05-01T10:00:00+24:00": false, "2024-05-01T10:00:00+00:60": false,
	} {
		if _, ok := ParseTimestamp(text); ok != want {
			t.Errorf("%s: %v", text, ok)
		}
	}
}

func FuzzRead(f *testing.F) {
	schema := schemaOf(f, everything)
	r := NewReader(schema)
	f.Add([]byte(full))
	f.Add([]byte(`{"id":"1","variants":{"sku":"x"},"title":{"sv":null},"many":[]}`))
	f.Add([]byte(`{"id":"1","title[fr]":"x","variants[x]":null,"size.note":"1"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		raw, err := jsonread.Check(data)
		if err != nil {
			return
		}
		var found problem.List
		if d := r.Read(raw, problem.Path{}, &found); d != nil {
			record := recordOf(t, d)
			sent := AsSent(schema).Append(nil, record, nil)
			again := r.Read(sent, problem.Path{}, &found)
			if again == nil {
				t.Fatalf("%s came back as %s: %s", raw, sent, told(&found))
			}
			if len(again.Root) != len(d.Root) || len(again.Children) != len(d.Children) {
				t.Fatalf("%s came back as %s", raw, sent)
			}
			if out := Whole(schema, "fr").Append(nil, record, nil); !isValid(out) {
				t.Fatalf("not JSON: %s", out)
			}
			again.Release()
			d.Release()
		}
		var refused problem.List
		if c := r.ReadChange(raw, problem.Path{}, &refused); c != nil {
			if d := r.Apply(c, []byte(`{"id":"1","variants":[{"sku":"x"}],"title":"y"}`), noSignals, problem.Path{}, &refused); d != nil {
				d.Release()
			}
		}
		for _, p := range append(found.Problems(), refused.Problems()...) {
			if p.Code.Status() != 400 {
				t.Fatalf("%s: %v", raw, p)
			}
		}
	})
}

func isValid(raw []byte) bool { _, err := jsonread.Check(raw); return err == nil }

func FuzzRecord(f *testing.F) {
	schema := schemaOf(f, everything)
	d := read(f, NewReader(schema), strings.Replace(full, `"name2":null,`, ``, 1))
	f.Add(d.AppendRecord(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		record, err := OpenRecord(data)
		if err != nil {
			return
		}
		Whole(schema, "sv").Append(nil, record, nil)
		AsSent(schema).Append(nil, record, nil)
		for _, field := range schema.Fields() {
			record.Each(field, "", 0, func([]byte) bool { return true })
		}
	})
}

func BenchmarkRead(b *testing.B) {
	schema := schemaOf(b, everything)
	r := NewReader(schema)
	text := []byte(`{"id":"k1","name":"trail running shoes for wet ground and long days","i64":9007199254740993,"flag":true,"at":"2024-05-01T12:00:00Z","many":["a","b","c"],"size":{"width":3,"note":"n"},"attr":{"colour":"red","screen":"15"},"pop":0.5}`)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		var found problem.List
		d := r.Read(text, problem.Path{}, &found)
		d.Release()
	}
}

func BenchmarkAppendRecord(b *testing.B) {
	schema := schemaOf(b, everything)
	d := read(b, NewReader(schema), `{"id":"k1","name":"trail running shoes for wet ground and long days","i64":9007199254740993,"flag":true,"at":"2024-05-01T12:00:00Z","many":["a","b","c"],"size":{"width":3,"note":"n"},"attr":{"colour":"red","screen":"15"},"pop":0.5}`)
	var to []byte
	b.ReportAllocs()
	for b.Loop() {
		to = d.AppendRecord(to[:0])
	}
}

// TestWhatWasSentOutlivesItsDocument checks that JSON stays valid: operations keep
// it until they are committed, after their documents were reused.
func TestWhatWasSentOutlivesItsDocument(t *testing.T) {
	r := NewReader(schemaOf(t, everything))
	var found problem.List
	const sent = `{"id":"1","name":"jam"}`
	first := r.Read([]byte(sent), problem.Path{}, &found)
	kept := first.JSON()
	first.Release()
	r.Read([]byte(`{"id":"2","name":"tea"}`), problem.Path{}, &found).Release()
	if string(kept) != sent {
		t.Errorf("%s, not %s", kept, sent)
	}
}

// TestHugeDocumentsAreNotKept reads a document whose values take about fifty times
// the memory of its text, without any string that is kept.
func TestHugeDocumentsAreNotKept(t *testing.T) {
	const values = 60_000
	r := NewReader(schemaOf(t, `{"fields":{"id":{"type":"string","primaryKey":true},
		"list":{"type":"object","multiple":true,"mode":"nested","fields":{"a":{"type":"int32","filter":{}},"b":{"type":"int32","filter":{}}}}}}`))
	raw := `{"id":"1","list":[` + strings.TrimSuffix(strings.Repeat(`{"a":1,"b":22222},`, values), ",") + `]}`
	var found problem.List
	d := r.Read([]byte(raw), problem.Path{}, &found)
	if d == nil {
		t.Fatal(found.Err())
	}
	d.Release()
	for range 8 {
		if again := documents.Get().(*Document); cap(again.childValues) >= values {
			t.Fatalf("memory for %d values is kept", cap(again.childValues))
		}
	}
}
