package jsonread

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/quiresearch/quire/problem"
)

func codes(found *problem.List) string {
	var parts []string
	for _, p := range found.Problems() {
		parts = append(parts, p.Code.Name()+"@"+p.Path)
	}
	return strings.Join(parts, " ")
}

func TestParseRefusesWhatIsNotOneStrictValue(t *testing.T) {
	for body, want := range map[string]string{
		"":              "request:body_required@",
		" \n":           "request:body_required@",
		"null":          "request:body_required@",
		"{":             "request:body_malformed@",
		`{"a":1,"a":2}`: "request:body_malformed@",
		`{} {}`:         "request:body_malformed@",
		"\"\xff\"":      "request:body_malformed@",
		`{"a":1}`:       "",
		strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth):     "",
		strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1): "request:body_malformed@",
	} {
		var found problem.List
		if _, ok := Parse([]byte(body), &found); ok != (want == "") || codes(&found) != want {
			t.Errorf("%q: got %q, want %q", body, codes(&found), want)
		}
	}
}

func TestMalformedNamesLineAndColumn(t *testing.T) {
	var found problem.List
	Parse([]byte("{\n  \"a\": tru }"), &found)
	p := found.Problems()[0]
	if p.Arguments["line"] != "2" || p.Arguments["column"] == "" || p.Arguments["reason"] == "" {
		t.Fatalf("arguments %v", p.Arguments)
	}
}

func TestEveryProblemIsReportedWithItsPath(t *testing.T) {
	var found problem.List
	body, _ := Parse([]byte(`{"n":"x","list":[1,null,"a"],"other":1,"gone":null,"map":{"a.b":null},"word":"q","w":2147483648}`), &found)
	body.Members(func(name string, member Value) bool {
		switch name {
		case "n":
			member.Int()
		case "list":
			member.Items(func(_ int, item Value) { item.Float() })
		case "map":
			member.Entries(func(string, Value) {})
		case "word":
			member.Word("a", "b")
		case "w":
			member.Int32()
		case "gone":
			if _, ok := member.Text(); ok {
				t.Error("null was read as text")
			}
		default:
			return false
		}
		return true
	})
	want := `request:value_invalid@n request:value_required@list[1] request:value_invalid@list[2] ` +
		`request:property_unknown@other request:value_required@map["a.b"] request:value_invalid@word request:value_invalid@w`
	if codes(&found) != want {
		t.Errorf("got  %s\nwant %s", codes(&found), want)
	}
}

func TestInt64CountsTheValueNotTheSpelling(t *testing.T) {
	for raw, want := range map[string]any{
		"1": int64(1), "-0": int64(0), "1e3": int64(1000), "2.0": int64(2), "25e-1": nil, "1.5": nil,
		"9223372036854775807": int64(9223372036854775807), "9223372036854775808": nil,
		"-9223372036854775808": int64(-9223372036854775808), "1e400": nil, "0e999999": nil, "12.50e1": int64(125),
		"0.0": int64(0), `"1"`: nil, "true": nil, "100e-2": int64(1),
	} {
		n, ok := Int64([]byte(raw))
		if w, isInt := want.(int64); ok != isInt || (ok && n != w) {
			t.Errorf("%s: got %d %v, want %v", raw, n, ok, want)
		}
	}
}

func TestNumberBeyondADoubleIsInfinite(t *testing.T) {
	for raw, want := range map[string]float64{"1.5": 1.5, "1e400": math.Inf(1), "-1e400": math.Inf(-1), "1e-400": 0} {
		var found problem.List
		v, _ := Parse([]byte(raw), &found)
		if got, ok := v.Number(); !ok || got != want || found.Len() > 0 {
			t.Errorf("%s: got %v %v, %s", raw, got, ok, codes(&found))
		}
	}
}

func FuzzWalk(f *testing.F) {
	for _, seed := range []string{`{"a":[1,{"b":"\u00e5\ud83d\ude00\n"}],"c":null}`, `[]`, `"\\\""`, `-1.5e3`, `{"":{}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		raw, err := Check(data)
		if err != nil {
			Syntax(data, err)
			return
		}
		var want any
		if json.Unmarshal(raw, &want) != nil {
			return // numbers beyond a double
		}
		got := walk(raw)
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		if string(a) != string(b) {
			t.Errorf("walk gave %s, want %s", a, b)
		}
	})
}

func walk(raw []byte) any {
	switch KindOf(raw) {
	case ObjectKind:
		m := map[string]any{}
		for it := Members(raw); it.Next(); {
			var scratch []byte
			m[string(it.Name(&scratch))] = walk(it.Value())
		}
		return m
	case ListKind:
		l := []any{}
		for it := Items(raw); it.Next(); {
			l = append(l, walk(it.Value()))
		}
		return l
	case TextKind:
		return String(raw)
	case NumberKind:
		f, _ := Float64(raw)
		return f
	case BoolKind:
		return raw[0] == 't'
	}
	return nil
}

func BenchmarkChecker(b *testing.B) {
	text := []byte(`{"id":"k1","name":"trail running shoes for wet ground and long days","i64":9007199254740993,"flag":true,"at":"2024-05-01T12:00:00Z","many":["a","b","c"],"size":{"width":3,"note":"n"},"attr":{"colour":"red","screen":"15"},"pop":0.5}`)
	var c Checker
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Check(text); err != nil {
			b.Fatal(err)
		}
	}
}

// TestPlainObjectsAreCheckedAsOthers checks that every byte at every position of a
// text gives the result of the decoder.
func TestPlainObjectsAreCheckedAsOthers(t *testing.T) {
	texts := []string{`{}`, `{"a":1,"a":2}`, `{"a":1,"b":2,"a":"x"}`, `{"a":1}`, `{"a":"b"} `, `{"a":"b"}}`, `{"a":tru}`, `{"a":[1,2]}`, `{"a":{"a":1}}`}
	var many []byte
	for i := range 20 {
		many = fmt.Appendf(many, `,"n%d":%d`, i%19, i)
	}
	texts = append(texts, "{"+string(many[1:])+"}")
	const text = `{"name":"sixteen letters and some"}`
	for at := range text {
		for b := range 256 {
			texts = append(texts, text[:at]+string([]byte{byte(b)})+text[at+1:])
		}
	}
	for _, text := range texts {
		var c Checker
		want, failure := c.decode([]byte(text))
		got, err := c.Check([]byte(text))
		if string(got) != string(want) || fmt.Sprint(err) != fmt.Sprint(failure) {
			t.Errorf("%q: %q %v, want %q %v", text, got, err, want, failure)
		}
		if isPlain := isPlainObject([]byte(text)); isPlain && failure != nil {
			t.Errorf("%q is plain: %v", text, failure)
		}
	}
	for _, text := range []string{text, `{"a":-1.5,"bc":"","d":"~ ~ ~ ~ ~ ~ "}`} {
		if !isPlainObject([]byte(text)) {
			t.Errorf("%q is not plain", text)
		}
	}
}

// TestPlainObjectsEndBeforeWhatFollows checks that a plain object at the start of a
// text has the length of its value.
func TestPlainObjectsEndBeforeWhatFollows(t *testing.T) {
	for text, want := range map[string]int{
		`{"a":1,"b":"x"}`: 15, `{"a":1}{"b":2}`: 7, "{\"a\":1}\n": 7, `{"a":"}"}x`: 9,
		`{}`: 0, `{"a":1`: 0, `{"a":1,"a":2}`: 0, `{"a":[1]}`: 0, `{"a":"\n"}`: 0, `[{"a":1}]`: 0, ``: 0,
	} {
		if got := PlainObject([]byte(text)); got != want {
			t.Errorf("%q: %d, not %d", text, got, want)
		}
	}
}

// FuzzPlain checks that a text walked to its end as plain is an object that Check
// accepts, with the same members, unless a name occurs twice.
func FuzzPlain(f *testing.F) {
	for _, seed := range []string{`{"a":1,"b":"x"}`, `{}`, `{ "a" : -0.5 }`, `{"a":1}x`, `{"a":01}`, `{"a":1,}`, `{,"a":1}`, `{"a":"\n"}`, `{"a":1.}`, `{"a":--1}`, ` {"a":1}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p := Plain(data)
		var names, values []string
		seen := map[string]bool{}
		for {
			name, value, ok := p.Next()
			if !ok {
				break
			}
			names, values = append(names, string(name)), append(values, string(value))
			seen[string(name)] = true
		}
		if !p.IsWhole() || len(seen) < len(names) {
			return
		}
		raw, err := new(Checker).decode(data)
		if err != nil || len(raw) != len(data) {
			t.Fatalf("%q: %v", data, err)
		}
		for it := Members(raw); it.Next(); names, values = names[1:], values[1:] {
			if len(names) == 0 || String(it.RawName()) != names[0] || string(it.Value()) != values[0] {
				t.Fatalf("%q: %q %q", data, names, values)
			}
		}
		if len(names) > 0 {
			t.Fatalf("%q: %q besides", data, names)
		}
	})
}
