package draft

import (
	"fmt"
	"github.com/go-json-experiment/json"
	"strings"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/internal/locale"
)

// draftOf drafts documents, one per line, and checks DR1.
func draftOf(t testing.TB, options Options, documents string) *Draft {
	t.Helper()
	drafter := New(options)
	for line := range strings.Lines(documents) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		raw, err := jsonread.Check([]byte(line))
		if err != nil {
			t.Fatal(line, err)
		}
		drafter.Add(raw)
	}
	drafted := drafter.Finish()
	body, err := drafted.MarshalDefinition()
	if err != nil {
		t.Fatal(err)
	}
	capabilities := definition.Capabilities{Locale: func(tag string) (string, bool) { return locale.Canonical(tag), locale.Supported(tag) }}
	if _, err := definition.Parse(body, capabilities); err != nil {
		t.Errorf("DR1: %v\n%s", err, body)
	}
	return drafted
}

// show writes each field on a line.
func show(t testing.TB, d *Draft) string {
	var out strings.Builder
	for _, field := range d.Fields {
		text, err := json.Marshal(field.Field)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s %s\n", field.Name, strings.NewReplacer(`"`, "", ":{}", "").Replace(string(text)))
	}
	return out.String()
}

const proseUsage = `matching:{highlight,typoTolerance,lengthNormalization:moderate}`

func TestDrafts(t *testing.T) {
	for _, c := range []struct{ name, documents, want string }{
		{
			"every kind of value",
			`{"id":"a","title":"The Left Hand","pages":300,"price":9.5,"stock":true,"out":"1969-03-01T00:00:00Z","at":{"lat":1,"lon":2.5},"url":"https://x"}
			{"id":"b","title":"The Word for World","pages":189,"price":7,"stock":false,"out":"1972-01-01T00:00:00+01:00","at":null,"url":"http://y"}`,
			`id {type:string,role:id}
			title {type:string,role:title}
			pages {type:int64,filter,sort}
			price {type:double,filter,sort,facet,unit:XXX}
			stock {type:boolean,filter,facet}
			out {type:timestamp,role:timestamp}
			at {type:geo_point,role:geo}
			url {type:string}`,
		},
		{
			"the key is a number",
			`{"id":1,"name":"Oslo","country":"NO"}
			{"id":2,"name":"Bergen","country":"NO"}`,
			`id {type:int64,primaryKey:true,filter,sort}
			name {type:string,role:title}
			country {type:string,role:tag}`,
		},
		{
			"a field whose values repeat is not a key",
			`{"id":"1","tags":[]}
			{"id":"1","tags":["x","y"]}`,
			`id {type:string,role:code}
			tags {type:string,role:tag,multiple:true}`,
		},
		{
			"objects and lists of objects; nothing is sorted by what stands in a list",
			`{"sku":"a1","maker":{"town":"Oslo","founded":1901},"variants":[{"size":1,"sold":"2024-01-01T00:00:00Z"},{"size":2.5}]}`,
			`sku {type:string,role:id,matching:{analyzer:{preset:preserve_terms},exact,lengthNormalization:none}}
			maker {type:object,fields:{town:{type:string,role:tag,matching:{typoTolerance}},founded:{type:int64,filter,sort}}}
			variants {type:object,multiple:true,mode:nested,fields:{size:{type:double,filter},sold:{type:timestamp,filter,facet}}}`,
		},
		{
			"a list inside the values of a list",
			`{"id":"a","variants":[{"box":{"parts":[{"name":"Lid of tin","made":["2024-01-01T00:00:00Z"]}]}}]}`,
			`id {type:string,role:id}
			variants {type:object,multiple:true,mode:nested,fields:{box:{type:object,fields:{parts:{type:object,multiple:true,mode:flattened,fields:{name:{type:string,` + proseUsage + `},made:{type:timestamp,multiple:true,filter,facet}}}}}}}`,
		},
		{
			"long text; what is always null is left out; a date without an offset stays text",
			`{"id":"a","body":"` + strings.Repeat("word ", 20) + `","gone":null,"day":"2024-01-02"}`,
			`id {type:string,role:id}
			body {type:string,role:description,matching:{lengthNormalization:moderate}}
			day {type:string,role:code}`,
		},
		{
			"a title of which one value is too long to sort by",
			`{"id":"a","title":"Red shoe"}
			{"id":"b","title":"Blue shoe"}
			{"id":"c","title":"` + strings.Repeat("x", 8192) + ` end"}`,
			`id {type:string,role:id}
			title {type:string,role:title,sort:null}`,
		},
		{
			"names that are not valid",
			`{"Product Name":"Red shoe","Größe":4,"价格":1,"a.b":2,"product_name":"x"}`,
			`product_name_2 {type:string,role:title}
			grosse {type:int64,filter,sort}
			column_3 {type:int64,filter,sort,facet,unit:XXX}
			a_b {type:int64,filter,sort}
			product_name {type:string,role:title,filter,matching:{analyzer:{preset:preserve_terms},weight:2}}`,
		},
		{
			"names of one word beside a title are typed like it; codes and what stands in a list are not",
			`{"id":"a","name":"vim","title":"Vi IMproved","sha":"a1","makers":[{"label":"x-1"}]}
			{"id":"b","name":"vim-tiny","title":"Vi IMproved, small","sha":"b2","makers":[{"label":"y-2"}]}`,
			`id {type:string,role:id}
			name {type:string,role:title,filter,matching:{analyzer:{preset:preserve_terms},weight:2}}
			title {type:string,role:title}
			sha {type:string,role:code}
			makers {type:object,multiple:true,mode:nested,fields:{label:{type:string,role:code}}}`,
		},
		{
			"an embedding",
			`{"id":"a","e":[` + strings.Repeat("0.5,", 31) + `1]}
			{"id":"b","e":[` + strings.Repeat("0.25,", 31) + `1]}`,
			`id {type:string,role:id}
			e {type:vector,dimensions:32}`,
		},
	} {
		got, want := show(t, draftOf(t, Options{}, c.documents)), strings.ReplaceAll(c.want, "\t", "")+"\n"
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, want)
		}
	}
}

func TestDraftsOfConvertedTexts(t *testing.T) {
	for _, c := range []struct{ name, documents, want string }{
		{
			"numbers, dates and truth values as text",
			`{"id":"1","Price (EUR)":"1.234,50","Added":"31.12.2024","In stock":"ja","PLZ":"01067","Weight":"3,5 kg"}
			{"id":"2","Price (EUR)":"7,00","Added":"1.2.2024","In stock":"nein","PLZ":"80331","Weight":"12 kg"}`,
			`id {type:string,role:id}
			price {type:double,filter,sort,facet,unit:EUR}
			Added {type:timestamp,role:timestamp}
			in_stock {type:boolean,filter,facet}
			PLZ {type:string,role:code}
			Weight {type:double,filter,sort,unit:kilogram}`,
		},
		{
			"latitude and longitude in two columns, and in other forms",
			`{"lat":"52.5","lng":"13.4","where":"52.5, 13.4","_geo":{"lat":1.5,"lng":2.5},"ts":1700000000}`,
			`location {type:geo_point,role:geo}
			where {type:geo_point,role:geo}
			_geo {type:geo_point,role:geo}
			ts {type:timestamp,role:timestamp}`,
		},
		{
			"lists in one text, and JSON",
			`{"k":"red;blue","j":"[\"a\",\"b\"]","o":"{\"n\":1}"}
			{"k":"blue;green;red","j":"[\"c\"]","o":"{\"n\":2}"}
			{"k":"red","j":"","o":""}`,
			`k {type:string,role:tag,multiple:true,matching:{typoTolerance}}
			j {type:string,role:tag,multiple:true}
			o {type:object,fields:{n:{type:int64,filter,sort}}}`,
		},
		{
			"a key stays a key, whatever its texts could stand for",
			`{"id":"y","nr":"x"}
			{"id":"n","nr":"x"}`,
			`id {type:string,role:id}
			nr {type:string,role:tag}`,
		},
		{
			"a key of dates",
			`{"id":"2024-01-01"}
			{"id":"2024-01-02"}`,
			`id {type:string,role:id}`,
		},
		{
			"a key of numbers that could count seconds",
			`{"start_id":1700000000}
			{"start_id":1700000001}`,
			`start_id {type:int64,primaryKey:true,filter,sort}`,
		},
		{
			"digits that fit no integer type",
			`{"parcel":"92055901755477000000000","n":"9223372036854775807"}
			{"parcel":"92055901755477000000001","n":"-9223372036854775808"}`,
			`parcel {type:string,role:code}
			n {type:int64,filter,sort}`,
		},
		{
			"numbers that people type are found by their text, as keys and beside them",
			`{"Artikelnummer":"10001","isbn":"3-16-148410-0","hash":"a1b2"}
			{"Artikelnummer":"10002","isbn":"3-16-148410-X","hash":"c3d4"}`,
			`Artikelnummer {type:string,role:id,matching:{analyzer:{preset:preserve_terms},exact,lengthNormalization:none}}
			isbn {type:string,role:code,matching:{exact}}
			hash {type:string,role:code}`,
		},
		{
			"versions and codes of countries are no dates and truth values",
			`{"app_version":"10.4.12","land":"NO","updated_version":"1.2.2024"}
			{"app_version":"10.5.13","land":"SI","updated_version":"1.3.2024"}`,
			`app_version {type:string,role:code}
			land {type:string,role:tag}
			updated_version {type:timestamp,role:timestamp}`,
		},
		{
			"capital letters are not units of which the sign is small",
			`{"people":"1.2M","net":"5G","way":"5 m","rate":"3.6 GHz"}
			{"people":"3.4M","net":"4G","way":"7 m","rate":"4 GHz"}`,
			`people {type:string,role:code}
			net {type:string,role:code}
			way {type:int64,filter,sort,unit:meter}
			rate {type:double,filter,sort,unit:gigahertz}`,
		},
		{
			"of several prices without a currency, the one with the best name is read without one",
			`{"old_price":"12.50","price":"9.50","cost":"3","rooms":"4"}
			{"old_price":"10","price":"8.25","cost":"2","rooms":"3"}`,
			`old_price {type:double,filter,sort,facet}
			price {type:double,filter,sort,facet,unit:XXX}
			cost {type:int64,filter,sort}
			rooms {type:int64,filter,sort}`,
		},
		{
			"a price without a currency stays a number beside one with a currency, in objects too",
			`{"price":"9.50","o":{"sum":"4 EUR"}}
			{"price":"8.25","o":{"sum":"5 EUR"}}`,
			`price {type:double,filter,sort,facet}
			o {type:object,fields:{sum:{type:int64,filter,sort,facet,unit:EUR}}}`,
		},
		{
			"prices of variants",
			`{"variants":[{"size":1,"price":4.5},{"size":2,"price":5}]}
			{"variants":[{"size":3,"price":4.5}]}`,
			`variants {type:object,multiple:true,mode:nested,fields:{size:{type:int64,filter},price:{type:double,filter,facet,unit:XXX}}}`,
		},
		{
			"paths",
			`{"category":"Shoes > Running"}
			{"category":"Shoes > Trail"}
			{"category":"Shoes > Running"}
			{"category":"Shoes > Trail > Men"}
			{"category":"Bags > Small"}
			{"category":"Shoes > Trail > Men"}
			{"category":"Bags > Small"}
			{"category":"Bags > Small"}`,
			`category {type:string,role:path,hierarchy:{separator: > }}`,
		},
	} {
		got, want := show(t, draftOf(t, Options{Convert: true}, c.documents)), strings.ReplaceAll(c.want, "\t", "")+"\n"
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, want)
		}
	}
}

func TestLanguages(t *testing.T) {
	german := `{"id":"1","titel":"Rotes Kleid für den Sommer","text":"Das ist ein leichtes Kleid aus Baumwolle, und es ist mit der Hand genäht. Sie können es auch bei kühlem Wetter tragen, wenn Sie eine Jacke haben."}`
	d := draftOf(t, Options{}, german)
	for _, name := range []string{"titel", "text"} {
		if field := d.Fields.Get(name); field.Locales == nil || field.Locales.DefaultLocale != "de" {
			t.Errorf("%s: %+v", name, field)
		}
	}
	d = draftOf(t, Options{Lacks: func(tag string) bool { return tag == "de" }}, german)
	if field := d.Fields.Get("titel"); field.Matching == nil || field.Matching.Decompound != "none" {
		t.Errorf("without a dictionary: %+v", field.Matching)
	}
	for text, want := range map[string]string{
		"The quick brown fox jumps over the lazy dog and is not seen again": "en",
		"Le chien est dans la maison avec les enfants et il ne sort pas":    "fr",
		"El perro está en la casa con los niños y no sale nunca":            "es",
		"De hond is in het huis met de kinderen en komt niet naar buiten":   "nl",
		"Собака находится в доме, и она не выходит":                         "ru",
		"Собака знаходиться в будинку і не виходить":                        "uk",
		"犬は家の中にいます":                                                         "ja",
		"这个软件可以用来编辑图片":                                                      "zh",
		"這個軟體可以用來編輯圖片":                                                      "zh-Hant",
		"개는 집에 있습니다":                                                        "ko",
		"Ο σκύλος είναι":                                                    "el",
		"12345 --- 77":                                                      "",
		"Acme X200 Turbo":                                                   "",
	} {
		if got := language(text); got.tag != want {
			t.Errorf("%s: %v, want %s", text, got, want)
		}
	}
}

// The language of a headline of two words is often not detected; a script is. The
// texts below the headlines decide.
func TestHeadlinesSpeakTheLanguagesOfTheirTexts(t *testing.T) {
	var documents strings.Builder
	for i := range 10 {
		for _, one := range [][2]string{
			{"Neue Käferart", "Ein Team hat in dem Regenwald eine bisher nicht bekannte Art gefunden, und sie ist sehr klein"},
			{"Grève générale", "Les trains restent à l'arrêt dans toutes les régions du pays et les voyageurs ne sont pas contents"},
			{"東京で桜が満開", "気象庁は、東京の桜が満開になったと発表しました。"},
		} {
			fmt.Fprintf(&documents, `{"id":"%s %d","title":"%s %d","text":"%s"}`+"\n", one[0], i, one[0], i, one[1])
		}
	}
	d := draftOf(t, Options{}, documents.String())
	for _, name := range []string{"title", "text"} {
		if f := d.Fields.Get(name); f.Locales != nil || f.Matching == nil || f.Matching.Analyzer == nil {
			t.Errorf("%s: %+v %+v", name, f.Locales, f.Matching)
		}
	}
}

func TestReasonsNameEvidence(t *testing.T) {
	d := draftOf(t, Options{Convert: true}, `{"id":"1","Price (EUR)":"2,50"}
	{"id":"2","Price (EUR)":""}
	{"id":"3","Price (EUR)":"3,50"}`)
	want := Reason{Field: "price", Name: "Price (EUR)", Reason: "double, decimal comma, header names EUR, 1 of 3 empty"}
	if d.Reasons[1] != want {
		t.Errorf("%+v", d.Reasons[1])
	}
	d = draftOf(t, Options{}, `{"m":[[1]]}
	{"m":[[2]]}`)
	if first := d.Reasons[0]; first.Reason != "left out: 2 values are lists of lists" {
		t.Errorf("%+v", first)
	}
	d = draftOf(t, Options{}, `{"id":"1"}
	{"id":"1"}`)
	if last := d.Reasons[len(d.Reasons)-1]; last.Reason != "no key: 1 values of id come more than once" {
		t.Errorf("%+v", last)
	}
}

func TestWhatIsOpenIsAsked(t *testing.T) {
	drafter := New(Options{Convert: true})
	for range 3 {
		drafter.Add([]byte(`{"n":"1,234","d":"01/02/2024"}`))
	}
	d := drafter.Finish()
	if len(d.Questions) != 2 || d.Fields.Get("n").Type != definition.Int64 || !d.Columns[1].DayFirst {
		t.Fatalf("%+v %+v", d.Questions, d.Columns[1])
	}
	drafter.Choose(d.Questions[0], "decimal")
	drafter.Choose(d.Questions[1], "month")
	d = drafter.Finish()
	if d.Fields.Get("n").Type != definition.Double || d.Columns[0].Decimal != ',' || d.Columns[1].DayFirst {
		t.Errorf("%+v %+v", d.Columns[0], d.Columns[1])
	}
}

// FuzzDraft checks DR1 for any valid document.
func FuzzDraft(f *testing.F) {
	f.Add(`{"id":"a","title":"x y","v":[1,2],"o":{"lat":1,"lng":2.5},"n":[{"a":[{"b":1}]}]}`, true)
	f.Add(`{"a":[[1]],"":null,"b":"1,5 kg","c":{"":{}}}`, false)
	f.Fuzz(func(t *testing.T, document string, convert bool) {
		raw, err := jsonread.Check([]byte(document))
		if err != nil || jsonread.KindOf(raw) != jsonread.ObjectKind {
			return
		}
		draftOf(t, Options{Convert: convert}, strings.ReplaceAll(string(raw), "\n", " ")+"\n"+strings.ReplaceAll(string(raw), "\n", " "))
	})
}
