package interpret

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/query"
)

func fields(units ...string) []Field {
	var all []Field
	for _, u := range units {
		name, unit, _ := strings.Cut(u, ":")
		t := definition.Double
		if whole, ok := strings.CutPrefix(name, "#"); ok {
			name, t = whole, definition.Int32
		}
		all = append(all, Field{ResolvedField: &definition.ResolvedField{Path: name, Type: t, Unit: unit, Filter: name != "bare"}})
	}
	return all
}

// reader returns a reader for the fields in a locale; index lists further fields of
// the index.
func reader(locale string, read []Field, targeted bool, index ...Field) *Reader {
	var units []string
	for _, f := range append(index, read...) {
		units = append(units, f.Unit)
	}
	return NewReader(NewVocabulary(locale, units, nil), read, targeted)
}

// show formats interpretations as "field op value (words)".
func show(interpretations []Interpretation) string {
	var parts []string
	for _, r := range interpretations {
		for _, a := range r.Alternatives {
			text := a.Field.Path
			switch m := a.Match.(type) {
			case *query.EqualsMatcher:
				text += "=" + m.Value.String()
			case *query.RangeMatcher:
				for _, b := range []struct {
					op string
					v  query.Literal
				}{{">=", m.Gte}, {">", m.Gt}, {"<=", m.Lte}, {"<", m.Lt}} {
					if b.v != nil {
						text += b.op + b.v.String()
					}
				}
			}
			parts = append(parts, fmt.Sprintf("%s(%s)", text, strings.Join(r.Words, " ")))
		}
	}
	return strings.Join(parts, " ")
}

func TestNumbersAreRead(t *testing.T) {
	shop := fields("price:SEK", "#storage:gigabyte", "weight:kilogram", "#pieces:pcs")
	for _, c := range []struct{ locale, text, want string }{
		{"", "shoes under 100", "price<100(under 100)"},
		{"en", "shoes below 100 kr", "price<100(below 100 kr)"},
		{"en", "less than 99.5 kr", "price<99.5(less than 99.5 kr)"},
		{"en", "cheaper than 5", "price<5(cheaper than 5)"},
		{"en", "MAX 149", "price<=149(MAX 149)"},
		{"en", "at most 149", "price<=149(at most 149)"},
		{"en", "up to 1,500", "price<=1500(up to 1,500)"},
		{"en", "over 10", "price>10(over 10)"},
		{"en", "more than 10", "price>10(more than 10)"},
		{"en", "at least 10 kg", "weight>=10(at least 10 kg)"},
		{"en", "from 10", "price>=10(from 10)"},
		{"en", "from 10 to 20", "price>=10<=20(from 10 to 20)"},
		{"en", "between 10 kr and 20 kr", "price>=10<=20(between 10 kr and 20 kr)"},
		{"en", "10 to 20 kg", "weight>=10<=20(10 to 20 kg)"},
		{"en", "between 20 and 10", ""},
		{"en", "no more than 5 kg", "weight<=5(no more than 5 kg)"},
		{"en", "not less than 5 kg", "weight>=5(not less than 5 kg)"},
		{"de", "nicht mehr als 5 kg", "weight<=5(nicht mehr als 5 kg)"},
		{"sv", "inte mindre än 5 kg", "weight>=5(inte mindre än 5 kg)"},
		{"en", "a tent under 100 kr?", "price<100(under 100 kr?)"},
		{"en", "under 100, red", "price<100(under 100,)"},
		{"en", "5kg, red", "weight=5(5kg,)"},
		{"en", "?! , 5 ;", ""},
		{"en", "between 1 kg and 2 kr", "weight=1(1 kg) price=2(2 kr)"},
		{"en", "50-80 sek tent", "price>=50<=80(50-80 sek)"},
		{"en", "50–80kg", "weight>=50<=80(50–80kg)"},
		{"en", "149 kr", "price=149(149 kr)"},
		{"en", "149kr", "price=149(149kr)"},
		{"en", "SEK 149", "price=149(SEK 149)"},
		{"en", "100:-", "price=100(100:-)"},
		{"en", "phone 256 GB", "storage=256(256 GB)"},
		{"en", "phone 256gb", "storage=256(256gb)"},
		{"en", "phone 256 gigabytes", "storage=256(256 gigabytes)"},
		{"en", "puzzle 500 PCS", "pieces=500(500 PCS)"},
		{"en", "under 99.5 pcs", "pieces<100(under 99.5 pcs)"},
		{"en", "at least 99.5 pcs", "pieces>=100(at least 99.5 pcs)"},
		{"en", "at most 99.5 pcs", "pieces<=99(at most 99.5 pcs)"},
		{"en", "over 99.5 pcs", "pieces>99(over 99.5 pcs)"},
		{"en", "99.5 pcs", ""},
		{"en", "shoes 44", ""},
		{"en", "mp3 h100 4k 007 007kg", ""},
		{"en", "under -100", ""},
		{"en", `under "100" kr`, ""},
		{"sv", "högst 1 000 kr", "price<=1(högst 1)"},
		{"sv", "högst 1\u00a0000,50 kr", "price<=1000.5(högst 1\u00a0000,50 kr)"},
		{"sv-SE", "från 5 till 10", "price>=5<=10(från 5 till 10)"},
		{"sv", "ÖVER 5", "price>5(ÖVER 5)"},
		{"sv", "under 5 tält", "price<5(under 5)"},
		{"de", "bis zu 1.500", "price<=1500(bis zu 1.500)"},
		{"de", "zwischen 1,5 und 2 kg", "weight>=1.5<=2(zwischen 1,5 und 2 kg)"},
		{"fr", "jusqu'à 20", "price<=20(jusqu'à 20)"},
		{"fr", "jusqu’à 20", "price<=20(jusqu’à 20)"},
		{"fr", "à partir de 20", "price>=20(à partir de 20)"},
		{"nb", "opp til 20", "price<=20(opp til 20)"},
		{"nl", "van 5 tot 10", "price>=5<=10(van 5 tot 10)"},
		{"ja", "under 5", ""},
		{"ja", "5 kg", "weight=5(5 kg)"},
	} {
		r := reader(c.locale, shop, false)
		if got := show(r.Numbers(query.UserParts(c.text))); got != c.want {
			t.Errorf("%s %q: got %q, want %q", c.locale, c.text, got, c.want)
		}
	}
}

// The long forms of many units have several words.
func TestUnitsOfSeveralWordsAreRead(t *testing.T) {
	all := fields("price:EUR", "heat:celsius", "area:square-meter", "volume:fluid-ounce", "share:percent")
	for _, c := range []struct{ locale, text, want string }{
		{"en", "sleeping bag 20 degrees Celsius", "heat=20(20 degrees Celsius)"},
		{"en", "over 20 degrees celsius", "heat>20(over 20 degrees celsius)"},
		{"en", "from 20 degrees celsius to 25 degrees celsius", "heat>=20<=25(from 20 degrees celsius to 25 degrees celsius)"},
		{"en", "between 50 and 80 square meters", "area>=50<=80(between 50 and 80 square meters)"},
		{"en", "12 fl oz bottle", "volume=12(12 fl oz)"},
		{"en", "12 square", ""},
		{"en", "under 12 square", "price<12(under 12)"},
		{"de", "unter 20 Grad Celsius", "heat<20(unter 20 Grad Celsius)"},
		{"fr", "50 mètres carrés", "area=50(50 mètres carrés)"},
		{"es", "50 por ciento", "share=50(50 por ciento)"},
		{"en", "20 us dollars", ""},
	} {
		r := reader(c.locale, all, false)
		if got := show(r.Numbers(query.UserParts(c.text))); got != c.want {
			t.Errorf("%s %q: got %q, want %q", c.locale, c.text, got, c.want)
		}
	}
}

// The joiner of a range may also be a unit: 1 a and 1 y are a year.
func TestJoinersThatAreUnitsJoin(t *testing.T) {
	all := fields("price:EUR", "weight:kilogram", "age:year")
	for _, c := range []struct{ locale, text, want string }{
		{"es", "de 1 a 2 kg", "weight>=1<=2(de 1 a 2 kg)"},
		{"es", "entre 10 y 20 euros", "price>=10<=20(entre 10 y 20 euros)"},
		{"es", "desde 1 a 2", "price>=1<=2(desde 1 a 2)"},
		{"es", "de 1 a a 2 a", "age>=1<=2(de 1 a a 2 a)"},
		{"es", "1 a", "age=1(1 a)"},
	} {
		r := reader(c.locale, all, false)
		if got := show(r.Numbers(query.UserParts(c.text))); got != c.want {
			t.Errorf("%s %q: got %q, want %q", c.locale, c.text, got, c.want)
		}
	}
}

// Numbers and units are read as each language writes them.
func TestWritingsOfLanguagesAreRead(t *testing.T) {
	all := fields("price:EUR", "weight:kilogram", "time:minute", "age:year")
	for _, c := range []struct{ locale, text, want string }{
		{"tr", "5 yıl", "age=5(5 yıl)"},
		{"tr", "5 YIL", "age=5(5 YIL)"},
		{"tr", "20 DAKİKA", "time=20(20 DAKİKA)"},
		{"tr", "20 MIN", "time=20(20 MIN)"},
		{"ar", "١٠٠ يورو", "price=100(١٠٠ يورو)"},
		{"ar", "١٬٥٠٠٫٢٥ يورو", "price=1500.25(١٬٥٠٠٫٢٥ يورو)"},
		{"fa", "۱۰۰€", "price=100(۱۰۰€)"},
		{"hi", "१००€", "price=100(१००€)"},
		{"ar", "٠٠٧ يورو", ""},
		{"fr", "1\u202f000,50\u00a0€", "price=1000.5(1\u202f000,50\u00a0€)"},
		{"en", "€\u00a05 tent", "price=5(€\u00a05)"},
		{"en", "under 5\u00a0kg", "weight<5(under 5\u00a0kg)"},
	} {
		r := reader(c.locale, all, false)
		if got := show(r.Numbers(query.UserParts(c.text))); got != c.want {
			t.Errorf("%s %q: got %q, want %q", c.locale, c.text, got, c.want)
		}
	}
}

// TestUnitsPerOthersAreRead checks that percent, permille and units per others are
// recognized by symbols, short and long forms, with and without a space.
func TestUnitsPerOthersAreRead(t *testing.T) {
	all := fields("share:percent", "alcohol:permille", "speed:kilometer-per-hour", "pace:mile-per-hour", "dust:part-per-million",
		"print:dot-per-inch", "use:liter-per-100-kilometer", "dose:gram-per-liter")
	for _, c := range []struct{ locale, text, want string }{
		{"en", "juice 50%", "share=50(50%)"},
		{"en", "juice 50 %", "share=50(50 %)"},
		{"en", "over 50 percent", "share>50(over 50 percent)"},
		{"nl", "50 procent", "share=50(50 procent)"},
		{"de", "50 Prozent", "share=50(50 Prozent)"},
		{"en", "5‰", "alcohol=5(5‰)"},
		{"en", "5 permille", "alcohol=5(5 permille)"},
		{"en", "25km/h bike", "speed=25(25km/h)"},
		{"en", "25 km/h bike", "speed=25(25 km/h)"},
		{"en", "20-25 km/h", "speed>=20<=25(20-25 km/h)"},
		{"en", "from 20 km/h to 25 km/h", "speed>=20<=25(from 20 km/h to 25 km/h)"},
		{"en", "under 25 kilometers per hour", "speed<25(under 25 kilometers per hour)"},
		{"nl", "25 kilometer per uur fiets", "speed=25(25 kilometer per uur)"},
		{"de", "25 Kilometer pro Stunde", "speed=25(25 Kilometer pro Stunde)"},
		{"en", "30mph", "pace=30(30mph)"},
		{"en", "30 miles per hour", "pace=30(30 miles per hour)"},
		{"en", "400ppm", "dust=400(400ppm)"},
		{"en", "400 parts per million", "dust=400(400 parts per million)"},
		{"en", "600 dpi", "print=600(600 dpi)"},
		{"de", "5 l/100 km", "use=5(5 l/100 km)"},
		{"de", "5l/100 km", "use=5(5l/100 km)"},
		{"de", "5l/100km", "use=5(5l/100km)"},
		{"en", "max 5 liters per 100 kilometers", "use<=5(max 5 liters per 100 kilometers)"},
		{"en", "3 g/l", "dose=3(3 g/l)"},
		{"en", "50 per hour", ""},
	} {
		r := reader(c.locale, all, false)
		if got := show(r.Numbers(query.UserParts(c.text))); got != c.want {
			t.Errorf("%s %q: got %q, want %q", c.locale, c.text, got, c.want)
		}
	}
}

// TestNumbersOutsideTheTypeAreNotRead checks that a number no value of a field can
// equal is not interpreted on that field.
func TestNumbersOutsideTheTypeAreNotRead(t *testing.T) {
	huge := "4" + strings.Repeat("0", 38)
	for _, c := range []struct {
		of   definition.Type
		text string
		read bool
	}{
		{definition.Int32, "under 2147483647 kg", true}, {definition.Int32, "under 2147483648 kg", false}, {definition.Int32, "1-2147483648 kg", false},
		{definition.Int64, "2147483648 kg", true}, {definition.Int64, "99999999999999999999 kg", false},
		{definition.Float, "under 3" + strings.Repeat("0", 38) + " kg", true}, {definition.Float, huge + " kg", false},
		{definition.Float, "over " + huge + " kg", false}, {definition.Float, "1-" + huge + " kg", false},
		{definition.Double, "under " + huge + " kg", true}, {definition.Double, "1" + strings.Repeat("0", 400) + " kg", false},
	} {
		weight := []Field{{ResolvedField: &definition.ResolvedField{Path: "weight", Type: c.of, Unit: "kilogram", Filter: true}}}
		if got := show(reader("en", weight, false).Numbers(query.UserParts(c.text))); (got != "") != c.read {
			t.Errorf("%s %.40q: read as %q", c.of, c.text, got)
		}
	}
}

func TestNumbersWithoutUnitNeedOneCurrency(t *testing.T) {
	parts := query.UserParts("under 100")
	for _, c := range []struct {
		fields   []Field
		targeted bool
		want     string
	}{
		{fields("a:SEK", "b:SEK"), false, ""},
		{fields("a:SEK", "b:SEK"), true, "a<100(under 100) b<100(under 100)"},
		{fields("a:SEK", "b:EUR"), true, ""},
		{fields("a:kilogram"), false, ""},
		{fields("a:SEK", "b:kilogram"), true, "a<100(under 100)"},
	} {
		if got := show(reader("en", c.fields, c.targeted).Numbers(parts)); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.fields, got, c.want)
		}
	}
	if got := show(reader("en", fields("bare:kilogram", "a:SEK"), false).Numbers(query.UserParts("under 100 kg"))); got != "" {
		t.Errorf("a unit of a field without filter: got %q", got)
	}
}

func TestAUnitOfTheIndexIsNoBareNumber(t *testing.T) {
	parts := query.UserParts("under 100 kg")
	if got := show(reader("en", fields("a:SEK"), true, fields("w:kilogram")...).Numbers(parts)); got != "" {
		t.Errorf("kilograms are read as a price: %s", got)
	}
	if got := show(reader("en", fields("a:SEK"), true).Numbers(parts)); got != "a<100(under 100)" {
		t.Errorf("a word that is not a unit: %s", got)
	}
}

type dictionary map[string]string

func (d dictionary) Find(_ context.Context, text string) ([]Alternative, error) {
	value, ok := d[strings.ToLower(text)]
	if !ok {
		return nil, nil
	}
	return []Alternative{{
		Field: Field{ResolvedField: &definition.ResolvedField{Path: "colour"}},
		Match: &query.EqualsMatcher{Value: query.TextOf(value)},
	}}, nil
}

func TestValuesTakeTheLongestSpan(t *testing.T) {
	d := dictionary{"red": "Red", "dark red": "Dark Red", "the north face": "TNF", "yahoo!": "Yahoo!"}
	for text, want := range map[string]string{
		"red shoes":              `colour="Red"(red)`,
		"dark red shoes":         `colour="Dark Red"(dark red)`,
		"the north face red":     `colour="TNF"(the north face) colour="Red"(red)`,
		`"dark" red`:             `colour="Red"(red)`,
		"dark -red":              "",
		"a shoe in dark red?":    `colour="Dark Red"(dark red?)`,
		"red, dark red; yahoo!":  `colour="Red"(red,) colour="Dark Red"(dark red;) colour="Yahoo!"(yahoo!)`,
		"dark \"x\" red and red": `colour="Red"(red) colour="Red"(red)`,
	} {
		interpretations, err := Values(t.Context(), query.UserParts(text), nil, d)
		if got := show(interpretations); err != nil || got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestRewriteKeepsWhatWasNotRead(t *testing.T) {
	clause := &query.TextClause{Text: query.Text{Text: `shoes under 100 -old "in stock"`, Match: query.MatchUser, Join: query.JoinAll, Prefix: query.PrefixLastToken}}
	parts := query.UserParts(clause.Text.Text)
	interpretations := reader("en", fields("price:SEK"), false).Numbers(parts)
	and := Rewrite(clause, parts, interpretations, "", Remainder{}).(*query.AndClause)
	if rest := and.Clauses[0].(*query.TextClause); rest.Text.Text != `shoes -old "in stock"` || !rest.Interpret.Off || rest.Prefix != query.PrefixLastToken {
		t.Errorf("rest is %+v", rest.Text)
	}
	clause.Join = query.JoinAny
	and = Rewrite(clause, parts, interpretations, "", Remainder{}).(*query.AndClause)
	if rest := and.Clauses[1].(*query.TextClause); rest.Text.Text != "-old" {
		t.Errorf("exclusions are %+v", rest.Text)
	}
	if Rewrite(clause, parts, nil, "", Remainder{}) != query.Clause(clause) {
		t.Error("a clause without interpretations changed")
	}
}

func FuzzNumbers(f *testing.F) {
	f.Add("sv", "från 5-10kr till 1\u00a0000 kg")
	f.Add("en", "between $5 and 10.000,5 -x \"y")
	shop := fields("price:USD", "#n:gigabyte", "w:kilogram")
	f.Fuzz(func(t *testing.T, locale, text string) {
		parts := query.UserParts(text)
		last := -1
		for _, r := range reader(locale, shop, false).Numbers(parts) {
			if r.First <= last || r.Last < r.First || r.Last >= len(parts) || len(r.Words) != r.Last-r.First+1 {
				t.Fatalf("interpretation %+v after %d", r, last)
			}
			last = r.Last
		}
	})
}

// BenchmarkNumbers interprets texts with and without quantities.
func BenchmarkNumbers(b *testing.B) {
	shop := fields("price:SEK", "#storage:gigabyte", "weight:kilogram")
	for name, text := range map[string]string{"none": "red running shoes women", "one": "running shoes under 500 kr"} {
		parts, vocabulary := query.UserParts(text), reader("sv", shop, false).Vocabulary
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				NewReader(vocabulary, shop, false).Numbers(parts)
			}
		})
	}
}
