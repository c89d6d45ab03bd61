package written

import (
	"encoding/json"
	"testing"
)

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		text       string
		decimal    byte
		want, unit string
	}{
		{"12", '.', "12", ""}, {"-12", '.', "-12", ""}, {"+3", '.', "3", ""}, {"007", '.', "7", ""}, {" 5 ", '.', "5", ""},
		{"12.50", '.', "12.50", ""}, {"12,50", ',', "12.50", ""}, {".5", '.', "0.5", ""},
		{"1,234", '.', "1234", ""}, {"1,234", ',', "1.234", ""}, {"1.234.567,8", ',', "1234567.8", ""}, {"1,234,567.8", '.', "1234567.8", ""},
		{"1 234,5", ',', "1234.5", ""}, {"1\u00a0234", ',', "1234", ""}, {"1'234.50", '.', "1234.50", ""},
		{"€ 12,50", ',', "12.50", "€"}, {"12,50 €", ',', "12.50", "€"}, {"$1,200.00", '.', "1200.00", "$"}, {"-$5", '.', "-5", "$"},
		{"EUR 7", '.', "7", "EUR"}, {"3.5 kg", '.', "3.5", "kg"}, {"40%", '.', "40", "%"}, {"(12.50)", '.', "-12.50", ""},
		{"5,-", ',', "5", ""}, {"1.5e3", '.', "1.5e3", ""}, {"−4", '.', "-4", ""},
		{"12.50", ',', "", ""}, {"12,34,56", '.', "", ""}, {"1,2", '.', "", ""}, {"abc", '.', "", ""}, {"", '.', "", ""}, {"1 2", '.', "", ""},
		{"10-20", '.', "", ""}, {"2024-01-02", '.', "", ""}, {"1.2.3", '.', "", ""}, {"€5€", '.', "", ""}, {"A very long unit 5", '.', "", ""}, {"1234,567,890", '.', "", ""},
	} {
		got, unit, ok := Number(c.text, c.decimal)
		if ok != (c.want != "") || ok && (got != c.want || unit != c.unit) {
			t.Errorf("%q with %c: %q %q %v", c.text, c.decimal, got, unit, ok)
		}
	}
}

func FuzzNumberIsJSON(f *testing.F) {
	f.Add("1.234,50 €", true)
	f.Add("(-1e5)", false)
	f.Fuzz(func(t *testing.T, text string, comma bool) {
		decimal := byte('.')
		if comma {
			decimal = ','
		}
		if literal, _, ok := Number(text, decimal); ok {
			var n json.Number
			if err := json.Unmarshal([]byte(literal), &n); err != nil {
				t.Errorf("%q gives %q: %v", text, literal, err)
			}
		}
	})
}

func TestTheDecimalMarkOfAColumn(t *testing.T) {
	for _, c := range []struct {
		texts   []string
		mark    byte
		decided bool
	}{
		{[]string{"1.5", "2.25"}, '.', true},
		{[]string{"1,5", "2,25", "1.000"}, ',', true},
		{[]string{"1,234"}, '.', false},
		{[]string{"1.234"}, '.', false},
		{[]string{"1,234", "1,234,567"}, '.', true},
		{[]string{"1.234", "1.234,5"}, ',', true},
		{[]string{"5", "x"}, '.', true},
	} {
		var marks Marks
		for _, text := range c.texts {
			marks.Add(text)
		}
		if mark, decided := marks.Decimal(); mark != c.mark || decided != c.decided {
			t.Errorf("%q: %c %v", c.texts, mark, decided)
		}
	}
}

func TestDates(t *testing.T) {
	for text, want := range map[string]string{
		"2024-12-31":                      "2024-12-31T00:00:00Z",
		"2024/1/2":                        "2024-01-02T00:00:00Z",
		"2024-12-31T23:59:01Z":            "2024-12-31T23:59:01Z",
		"2024-12-31 23:59:01.25+01:00":    "2024-12-31T23:59:01.25+01:00",
		"2024-12-31T23:59+0530":           "2024-12-31T23:59:00+05:30",
		"31.12.2024":                      "2024-12-31T00:00:00Z",
		"1.2.2024 08:30":                  "2024-02-01T08:30:00Z",
		"31.12.24":                        "2024-12-31T00:00:00Z",
		"31/12/1999":                      "1999-12-31T00:00:00Z",
		"12/31/1999 3:04 PM":              "1999-12-31T15:04:00Z",
		"12/31/1999 12:04 AM":             "1999-12-31T00:04:00Z",
		"01/02/2024":                      "2024-02-01T00:00:00Z",
		"31 Dec 2024":                     "2024-12-31T00:00:00Z",
		"31-Dec-24":                       "2024-12-31T00:00:00Z",
		"December 31, 2024":               "2024-12-31T00:00:00Z",
		"Dec. 31st, 2024":                 "2024-12-31T00:00:00Z",
		"Tue, 31 Dec 2024 10:00:00 GMT":   "2024-12-31T10:00:00Z",
		"Tue, 31 Dec 2024 10:00:00 +0100": "2024-12-31T10:00:00+01:00",
		"Tue Dec 31 10:00:00 2024":        "2024-12-31T10:00:00Z",
		"31.02.2024":                      "",
		"2024-13-01":                      "",
		"2024-12-31x":                     "",
		"10.20.30.40":                     "",
		"1.2.3":                           "",
		"12:30":                           "",
		"May":                             "",
		"May 2024":                        "",
		"Dec-1985":                        "",
		"2024":                            "",
		"2024-12-31T25:00":                "",
		"0001-01-01":                      "",
	} {
		got, ok := Date(text, true)
		if ok != (want != "") || ok && Timestamp(got.Time) != want {
			t.Errorf("%q: %s %v", text, Timestamp(got.Time), ok)
		}
	}
}

func TestTheOrderOfDayAndMonth(t *testing.T) {
	for _, c := range []struct {
		texts             []string
		dayFirst, decided bool
	}{
		{[]string{"01/02/2024", "13/02/2024"}, true, true},
		{[]string{"01/02/2024", "01/31/2024"}, false, true},
		{[]string{"01/02/2024"}, true, false},
		{[]string{"2024-01-02", "01.02.2024"}, true, true},
	} {
		var order DayFirst
		for _, text := range c.texts {
			order.Add(text)
		}
		if dayFirst, decided := order.Decide(); dayFirst != c.dayFirst || decided != c.decided {
			t.Errorf("%q: %v %v", c.texts, dayFirst, decided)
		}
	}
	if m, _ := Date("01/02/2024", false); m.Time.Month() != 1 || !m.IsOpen {
		t.Errorf("month first: %v", m)
	}
}

func FuzzDateNeverFails(f *testing.F) {
	f.Add("Tue, 31 Dec 2024 10:00:00 +0100")
	f.Add("1/2/3")
	f.Fuzz(func(t *testing.T, text string) {
		if m, ok := Date(text, true); ok && (m.Time.Year() < minYear-1 || m.Time.Year() > maxYear+1) {
			t.Errorf("%q: %v", text, m.Time)
		}
		var order DayFirst
		order.Add(text)
	})
}

func TestTruthValuesAndNothing(t *testing.T) {
	for text, want := range map[string]bool{"yes": true, "No": false, "TRUE": true, " nein ": false, "x": true, "1": true} {
		if got, ok := Boolean(text); !ok || got != want {
			t.Errorf("%q: %v %v", text, got, ok)
		}
	}
	for _, text := range []string{"maybe", "", "truest"} {
		if _, ok := Boolean(text); ok {
			t.Errorf("%q is a truth value", text)
		}
	}
	for text, want := range map[string]bool{"": true, " ": true, "NULL": true, "n/a": true, `\N`: true, "0": false, "Nanette": false, "                  ": true} {
		if got := IsMissing(text); got != want {
			t.Errorf("%q is missing: %v", text, got)
		}
	}
}

func TestPlaces(t *testing.T) {
	for text, want := range map[string][2]string{
		"52.52, 13.405":       {"52.52", "13.405"},
		"(-33.9,151.2)":       {"-33.9", "151.2"},
		"POINT(13.405 52.52)": {"52.52", "13.405"},
		"52, 13":              {},
		"152.5, 13.4":         {},
		"1.5":                 {},
		"POINT(1)":            {},
	} {
		lat, lon, ok := Point(text)
		if ok != (want[0] != "") || ok && (lat != want[0] || lon != want[1]) {
			t.Errorf("%q: %q %q %v", text, lat, lon, ok)
		}
	}
}

func TestEpoch(t *testing.T) {
	for n, want := range map[int64]bool{1700000000: true, 1700000000123: true, 12345: false, 20240131: false} {
		if got := LooksEpoch(n); got != want {
			t.Errorf("%d: %v", n, got)
		}
	}
	for n, want := range map[int64]string{1700000000: "2023-11-14T22:13:20Z", 1700000000123: "2023-11-14T22:13:20.123Z", 12345: "1970-01-01T03:25:45Z", -1: "1969-12-31T23:59:59Z", 1 << 60: ""} {
		got, ok := Epoch(n)
		if ok != (want != "") || ok && Timestamp(got) != want {
			t.Errorf("%d: %v %v", n, got, ok)
		}
	}
}
