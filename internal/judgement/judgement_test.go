package judgement

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

const whole = `{"queries":[{"id":"q1","text":"red lamp","grades":{"1":3,"2":0}},{"text":"blue lamp","known":"2","weight":2,"locale":"en"},` +
	`{"search":{"query":[{"type":"text","text":"x"}]},"expect":{"mustHit":["7"],"mustNotHit":["8"],"above":[["7","9"]],"atLeast":5}}],` +
	`"bounds":{"minNdcg":0.5,"maxLoss":0.02,"expectations":true}}`

func decode(t *testing.T, body string) *Set {
	t.Helper()
	s, err := Decode([]byte(body), query.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDecode(t *testing.T) {
	s := decode(t, whole)
	if len(s.Queries) != 3 || s.Queries[0].Grades["1"] != 3 || s.Queries[1].Grades["2"] != 1 || s.Queries[1].Weight != 2 {
		t.Errorf("queries are %+v", s.Queries)
	}
	if e := s.Queries[2].Expect; e.Count() != 4 || e.AtLeast != 5 || e.Above[0] != [2]string{"7", "9"} {
		t.Errorf("expectations are %+v", e)
	}
	if b := s.Bounds; *b.MinNDCG != 0.5 || *b.MaxLoss != 0.02 || !b.Expectations {
		t.Errorf("bounds are %+v", b)
	}
	if again := decode(t, string(s.JSON())); again.Version() != s.Version() {
		t.Error("the canonical form has another version")
	}
}

// A field of a search given as null is searched with its defaults.
func TestNullNamesAFieldOfASearch(t *testing.T) {
	s := decode(t, `{"queries":[{"search":{"query":[{"type":"text","text":"x","fields":{"title":null}}],"limit":null},"known":"1"}],"bounds":null}`)
	want := `{"queries":[{"known":"1","search":{"query":[{"fields":{"title":null},"text":"x","type":"text"}]}}]}`
	if got := string(s.JSON()); got != want {
		t.Errorf("kept %s\nwant %s", got, want)
	}
	decode(t, want)
}

func TestDecodeReportsEverything(t *testing.T) {
	body := `{"queries":[{"text":"a"},{"grades":{"1":1}},{"text":"b","grades":{"1":11}},{"text":"c","grades":{"1":0}},
		{"text":"d","known":"1","grades":{"1":1}},{"search":{"limit":-1},"known":"1"},{"id":"x","text":"e","known":"1"},
		{"id":"x","text":"f","known":"1"},{"search":{},"locale":"en","known":"1"},{"text":"g","expect":{"above":[["1"]]}}],
		"bounds":{"minNdcg":1.5},"more":1}`
	_, err := Decode([]byte(body), query.DefaultLimits())
	var got []string
	for _, p := range problem.All(err) {
		got = append(got, p.Code.Name()+" "+p.Path)
	}
	want := []string{
		"judgements:query_invalid queries[0]", "judgements:query_invalid queries[1]", "judgements:grade_out_of_range queries[2].grades.1",
		"judgements:query_invalid queries[3]", "judgements:query_invalid queries[4]",
		"search:limit_out_of_range queries[5].search.limit", "judgements:query_invalid queries[7]", "judgements:query_invalid queries[8]",
		"request:value_invalid queries[9].expect.above[0]", "judgements:bound_out_of_range bounds.minNdcg",
		"request:property_unknown more",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("reported\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A part of a query that cannot be read is not reported as missing too.
func TestMisreadPartsAreNotMissing(t *testing.T) {
	for body, want := range map[string]string{
		`{"text":5,"known":"1"}`:                  "request:value_invalid queries[0].text",
		`{"text":"a","known":5}`:                  "request:value_invalid queries[0].known",
		`{"text":"a","grades":{"1":11}}`:          "judgements:grade_out_of_range queries[0].grades.1",
		`{"text":"a","expect":{"atLeast":0}}`:     "request:value_invalid queries[0].expect.atLeast",
		`{"text":"a","expect":{"above":[["1"]]}}`: "request:value_invalid queries[0].expect.above[0]",
		`{"text":"a","expect":{}}`:                "judgements:query_invalid queries[0]",
		`{"text":" ","known":"1"}`:                "judgements:query_invalid queries[0]",
	} {
		_, err := Decode([]byte(`{"queries":[`+body+`]}`), query.DefaultLimits())
		var got []string
		for _, p := range problem.All(err) {
			got = append(got, p.Code.Name()+" "+p.Path)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s reported %s, want %s", body, strings.Join(got, ", "), want)
		}
	}
}

func TestBoundsOfASet(t *testing.T) {
	query1 := `{"text":"a","known":"1"}`
	many := `{"queries":[` + strings.Repeat(query1+",", MaxQueries) + query1 + `]}`
	if _, err := Decode([]byte(many), query.DefaultLimits()); !errors.Is(err, problem.JudgementsTooMany) {
		t.Errorf("one query too many: %v", err)
	}
	var keys strings.Builder
	for i := range MaxKeys + 1 {
		fmt.Fprintf(&keys, `,"%d":1`, i)
	}
	if _, err := Decode([]byte(`{"queries":[{"text":"a","grades":{`+keys.String()[1:]+`}}]}`), query.DefaultLimits()); !errors.Is(err, problem.JudgementsTooMany) {
		t.Errorf("one key too many: %v", err)
	}
}

func lines(text string) func() ([]byte, error) {
	rest := strings.Split(text, "\n")
	return func() ([]byte, error) {
		if len(rest) == 0 || rest[0] == "" {
			return nil, nil
		}
		line := rest[0]
		rest = rest[1:]
		return []byte(line), nil
	}
}

func TestLines(t *testing.T) {
	s := decode(t, whole)
	text := string(s.AppendLines(nil))
	if strings.Count(text, "\n") != 4 {
		t.Errorf("lines are\n%s", text)
	}
	again, err := DecodeLines(lines(text), query.DefaultLimits())
	if err != nil || again.Version() != s.Version() {
		t.Errorf("read back: %v", err)
	}
	if _, err := DecodeLines(lines(`{"text":`), query.DefaultLimits()); !errors.Is(err, problem.RequestBodyMalformed) {
		t.Errorf("a broken line: %v", err)
	}
}

func TestPatch(t *testing.T) {
	s := decode(t, whole)
	next, err := s.Patch([]byte(`{"queries[q1].grades.2":4,"bounds.maxLoss":null,"queries[]":{"text":"new","known":"5"}}`), query.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if next.Queries[0].Grades["2"] != 4 || len(next.Queries) != 4 || next.Bounds.MaxLoss != nil || s.Queries[0].Grades["2"] != 0 {
		t.Errorf("changed to %s", next.JSON())
	}
	if _, err := s.Patch([]byte(`{"nothing":1}`), query.DefaultLimits()); !errors.Is(err, problem.SettingsPatchFieldUnknown) {
		t.Errorf("an unknown member: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(whole), []byte(`{"queries[q1].grades.2":4}`))
	f.Add([]byte(`{"queries":[]}`), []byte(`{"queries[]":{}}`))
	f.Fuzz(func(t *testing.T, body, changes []byte) {
		s, err := Decode(body, query.DefaultLimits())
		if err != nil {
			return
		}
		again, err := Decode(s.JSON(), query.DefaultLimits())
		if err != nil || again.Version() != s.Version() {
			t.Fatalf("%s becomes %s, which is read as %v", body, s.JSON(), err)
		}
		_, _ = s.Patch(changes, query.DefaultLimits())
	})
}
