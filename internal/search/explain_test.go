package search

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
)

var explainPairs = flag.Int("pairs", 2000, "pairs of a request and a document to explain")

const explainDefinition = `{"locales":{"defaultLocale":"en","supported":["en","sv"]},"fields":{
	"id":{"type":"string","role":"id"},"title":{"type":"string","role":"title"},"body":{"type":"string","role":"description"},
	"local":{"type":"string","locales":{},"matching":{"decompound":"none","exact":{},"typoTolerance":{"minLengthOneTypo":3,"minLengthTwoTypos":5}}},
	"tags":{"type":"string","multiple":true,"role":"tag"},"code":{"type":"string","role":"code"},
	"typed":{"type":"string","autocomplete":{"typoTolerance":{"minLengthTwoTypos":6}}},"place":{"type":"string","role":"path"},
	"colour":{"type":"string","filter":{},"facet":{}},"price":{"type":"double","filter":{},"sort":{},"unit":"EUR"},
	"n":{"type":"int32","filter":{},"sort":{},"unit":"kilogram"},"when":{"type":"timestamp","role":"timestamp"},
	"sold":{"type":"int64","signal":{}},"spot":{"type":"geo_point","role":"geo"},"vec":{"type":"vector","dimensions":3},
	"v":{"type":"object","multiple":true,"mode":"nested","fields":{"c":{"type":"string","filter":{},"facet":{}},
		"size":{"type":"int32","filter":{},"sort":{},"unit":"centimeter"},"m":{"type":"string","matching":{"typoTolerance":{},"exact":{}}},
		"vec":{"type":"vector","dimensions":3,"similarity":"euclidean"}}},
	"w":{"type":"object","multiple":true,"mode":"nested","fields":{"c":{"type":"string","filter":{}}}}},
	"ranking":{"signals":[{"field":"n","linear":{"ceiling":8},"weight":0.5}]}}`

const explainSettings = `{"synonyms":{
	"any":{"rules":[{"equivalent":["lamp","light"]},{"equivalent":["red chair","throne"]},{"mapping":{"from":["green"],"to":["blue table","lime"]}}]},
	"some":{"rules":[{"mapping":{"from":["lamp"],"to":["torch"]}},{"equivalent":["chair","seat"]}],"fields":["title","typed"],"boost":0.5}},
	"typoExclusions":{"no":{"words":["chair"]}},
	"fields":{"colour":{"interpret":{},"values":[{"value":"red","labels":{"sv":"röd"}}]},"v.c":{"interpret":{}}},
	"ranking":{"signals":[{"field":"sold","saturation":{"pivot":4},"weight":0.7},{"field":"when","decay":{"halfLife":86400}}]}}`

// maker generates random documents and requests for them.
type maker struct{ *rand.Rand }

func (m maker) of(all ...string) string { return all[m.IntN(len(all))] }

func (m maker) word() string {
	return m.of("red", "blue", "green", "lamp", "chair", "table", "tables", "light", "throne", "lime", "seat", "torch", "redder", "sèat", "lîme", "tàble", "redlamp", "tablelight")
}

func (m maker) words(most int) string {
	all := make([]string, 1+m.IntN(most))
	for i := range all {
		all[i] = m.word()
	}
	return strings.Join(all, " ")
}

func (m maker) vector() []float64 {
	return []float64{m.Float64() - 0.4, m.Float64() - 0.4, m.Float64() + 0.1}
}

func (m maker) documents(count int) []string {
	lines := make([]string, count)
	for i := range lines {
		d := map[string]any{"id": fmt.Sprintf("%03d", i)}
		set := func(name string, value any) {
			if m.IntN(5) > 0 {
				d[name] = value
			}
		}
		set("title", m.words(3))
		set("body", m.words(12))
		set("local", map[string]any{"en": m.words(3), "sv": m.words(3)})
		set("tags", []string{m.word(), m.word()})
		set("code", m.of("a1", "a12", "b2"))
		set("typed", m.words(3))
		set("place", m.of("home/kitchen", "home/bath", "work"))
		set("colour", m.of("red", "Red", "blue", "dark red"))
		set("price", float64(m.IntN(40))/2)
		set("n", m.IntN(10)-2)
		set("when", m.of("2024-05-31T00:00:00Z", "2024-05-20T12:00:00+02:00", "2025-01-01T00:00:00Z"))
		set("sold", m.IntN(20))
		set("spot", map[string]float64{"lat": m.Float64(), "lon": m.Float64()})
		set("vec", m.vector())
		var items []map[string]any
		for range m.IntN(4) {
			item := map[string]any{"c": m.of("red", "blue", "steel"), "size": m.IntN(6), "vec": m.vector()}
			if m.IntN(4) > 0 {
				item["m"] = m.words(4)
			}
			items = append(items, item)
		}
		if items != nil {
			d["v"] = items
		}
		d["w"] = []any{object{"c": m.of("red", "blue")}} // values that no clause searches
		line, err := json.Marshal(d)
		if err != nil {
			panic(err)
		}
		lines[i] = string(line)
	}
	return lines
}

type object = map[string]any

// typed returns a text with misspellings, prefixes, quantities and the operators of
// user mode.
func (m maker) typed(isUser bool) string {
	var parts []string
	for range 1 + m.IntN(3) {
		w := m.word()
		switch m.IntN(8) {
		case 0:
			at := m.IntN(len(w))
			w = w[:at] + "x" + w[at:]
		case 1:
			w = w[:1+m.IntN(len(w))]
		case 2:
			w = "unheard"
		}
		if isUser {
			switch m.IntN(10) {
			case 0:
				w = "-" + w
			case 1:
				w = `"` + m.words(2) + `"`
			case 2:
				w = m.of("under 10", "5 eur", "2kg", "1-4 kg", "between 2 and 15 eur", "3 cm", "under 4 cm", "dark red", "steel", "röd", "under 10 euro")
			}
		}
		parts = append(parts, w)
	}
	return strings.ToValidUTF8(strings.Join(parts, " "), "�")
}

func (m maker) text(list string) object {
	match := m.of("all", "any", "phrase", "user", "user", "user")
	c := object{"type": "text", "text": m.typed(match == "user"), "match": match}
	maybe := func(name string, value any) {
		if m.IntN(3) == 0 {
			c[name] = value
		}
	}
	fields := object{}
	names := []string{"title", "body", "local", "tags", "code", "typed"}
	if list != "" {
		names = []string{"v.m"}
	}
	for _, name := range names {
		switch m.IntN(4) {
		case 0:
			fields[name] = nil
		case 1:
			fields[name] = float64(m.IntN(5)) / 2
		}
	}
	if match == "phrase" {
		delete(fields, "typed")
	}
	maybe("fields", fields)
	maybe("prefix", m.of("last_token", "off"))
	maybe("typos", m.of("auto", "off"))
	maybe("combine", m.of("term", "field"))
	maybe("relax", m.of("unmatched", "words", "off"))
	if match == "user" {
		maybe("join", m.of("all", "any"))
		switch {
		case m.IntN(6) == 0:
			c["interpret"] = "off"
		case m.IntN(5) == 0 && list == "":
			c["interpret"] = object{"fields": []any{object{"field": "price", "when": []any{m.field("")}, "fallback": []any{object{"field": "price"}}}}}
		case m.IntN(5) == 0 && list != "":
			c["interpret"] = object{"fields": []any{object{"field": "v.size", "when": []any{m.field("v")}}}}
		}
	}
	if match == "phrase" || match == "user" {
		maybe("slop", m.IntN(3))
	}
	return c
}

func (m maker) field(list string) object {
	if list != "" {
		if m.IntN(2) == 0 {
			return object{"field": "v.c", "match": object{"value": m.of("red", "blue")}}
		}
		return object{"field": "v.size", "match": object{"type": "range", "gte": m.IntN(3)}}
	}
	switch m.IntN(9) {
	case 0:
		return object{"field": "colour", "match": object{"type": "in", "values": []any{"red", "blue"}}}
	case 1:
		return object{"field": "price", "match": object{"type": "range", "lt": m.IntN(20)}}
	case 2:
		return object{"field": "n", "match": object{"type": "ranges", "values": []any{object{"gte": 1, "lt": 4}, object{"from": 6}}}}
	case 3:
		return object{"field": "code", "match": object{"type": "prefix", "value": "a"}}
	case 4:
		return object{"field": "place", "match": object{"type": "under", "path": "home"}}
	case 5:
		return object{"field": "spot", "match": object{"type": "distance", "lat": 0.5, "lon": 0.5, "radius": 40000}}
	case 6:
		return object{"field": m.of("colour", "price", "n", "when"), "match": object{"type": "any"}}
	case 7:
		return object{"field": m.of("title", "body", "tags", "typed"), "match": object{"type": "text", "text": m.typed(false), "match": m.of("all", "any")}}
	}
	return object{"field": "tags", "match": object{"value": m.word()}}
}

func (m maker) plainField() object {
	for {
		f := m.field("")
		if f["match"].(object)["type"] != "text" {
			return f
		}
	}
}

// filter returns the filter of a knn or fuse clause.
func (m maker) filter(list string) []any {
	all := []any{m.field(list)}
	switch m.IntN(5) {
	case 0:
		all = append(all, m.field(list))
	case 1:
		all = append(all, object{"type": "boost", "weight": 3, "clauses": []any{m.field(list)}})
	case 2:
		all = append(all, object{"type": "or", "clauses": []any{m.field(list), m.text(list)}})
	}
	return all
}

func (m maker) clauses(list string, depth, most int) []any {
	all := []any{}
	for range m.IntN(most + 1) {
		all = append(all, m.clause(list, depth))
	}
	return all
}

func (m maker) clause(list string, depth int) object {
	kind := m.IntN(12)
	if depth > 2 {
		kind = m.IntN(5)
	}
	switch kind {
	case 3:
		return m.field(list)
	case 4:
		c := object{"type": "knn", "field": "vec", "vector": m.vector(), "k": 1 + m.IntN(8)}
		if list != "" {
			c["field"] = "v.vec"
		}
		if m.IntN(3) == 0 {
			c["filter"] = m.filter(list)
		}
		return c
	case 5:
		return object{"type": "and", "clauses": m.clauses(list, depth+1, 3)}
	case 6:
		return object{"type": "or", "clauses": append(m.clauses(list, depth+1, 2), m.clause(list, depth+1))}
	case 7:
		return object{"type": "not", "clauses": m.clauses(list, depth+1, 2)}
	case 8:
		return object{"type": "boost", "weight": float64(m.IntN(7)) / 2, "clauses": m.clauses(list, depth+1, 2)}
	case 9, 10:
		if list == "" {
			return object{"type": "nested", "path": "v", "score": m.of("max", "min", "avg", "total"), "clauses": m.clauses("v", depth+1, 2)}
		}
	case 11:
		if list == "" && depth < 2 {
			c := object{"type": "fuse", "rankConstant": 1 + m.IntN(60), "depth": 1 + m.IntN(20)}
			rankings := []any{}
			for range 2 + m.IntN(2) {
				rankings = append(rankings, object{"weight": float64(m.IntN(4)) / 2, "clauses": []any{m.clause("", 2), m.text("")}})
			}
			c["rankings"] = rankings
			if m.IntN(3) == 0 {
				c["filter"] = m.filter("")
			}
			return c
		}
	}
	return m.text(list)
}

func (m maker) signals() []any {
	var all []any
	for range 1 + m.IntN(3) {
		one := object{"field": m.of("n", "price", "sold"), "saturation": object{"pivot": 1 + m.IntN(5)}}
		switch m.IntN(4) {
		case 0:
			one = object{"field": m.of("n", "sold"), "linear": object{"ceiling": 1 + m.IntN(20)}}
		case 1:
			one = object{"field": "when", "decay": object{"halfLife": 1000 * (1 + m.IntN(1000))}}
		}
		if m.IntN(2) == 0 {
			one["weight"] = m.Float64() * 2
		}
		all = append(all, one)
	}
	return all
}

// request returns a random search.
func (m maker) request() object {
	r := object{"query": m.clauses("", 0, 3)}
	if m.IntN(3) == 0 {
		r["query"] = []any{m.text("")} // the only kind that is relaxed, and the one interpreted most often
	}
	if m.IntN(3) == 0 {
		r["filters"] = []any{m.plainField()}
		if m.IntN(3) == 0 {
			either := object{"type": "or", "clauses": []any{m.field("v"), m.field("v")}}
			r["filters"] = []any{m.plainField(), object{"type": "nested", "path": "v", "clauses": []any{either}}}
		}
	}
	if m.IntN(3) == 0 {
		r["locale"] = m.of("en", "sv", "sv-SE", "de")
	}
	if m.IntN(3) == 0 {
		r["signals"] = m.signals()
		r["signalsMode"] = m.of("add", "replace")
	}
	if m.IntN(5) == 0 {
		hits := object{"path": "v"}
		if m.IntN(2) == 0 {
			hits["when"] = []any{m.plainField()}
		}
		r["hits"] = hits
	} else if m.IntN(4) == 0 {
		r["rescore"] = object{"window": 1 + m.IntN(12), "weight": m.Float64() * 3, "signals": m.signals(),
			"boost": []any{m.field(""), object{"type": "boost", "weight": 2, "clauses": []any{m.text("")}}}}
	}
	return r
}

// TestExplainShowsSomeOfManyValues explains a list of more values than are shown.
func TestExplainShowsSomeOfManyValues(t *testing.T) {
	x := newIndex(t, `{"fields":{"id":{"type":"string","primaryKey":true},"v":{"type":"object","multiple":true,"mode":"nested","fields":{"m":{"type":"string","matching":{}}}}}}`)
	x.add(t, []string{`{"id":"1","v":[{"m":"blue"}` + strings.Repeat(`,{"m":"red"},{"m":"blue"}`, 150) + `]}`}, nil)
	for fold, shown := range map[string]int{"max": 1, "min": 1, "avg": 100, "total": 100} {
		body := fmt.Sprintf(`{"query":[{"type":"nested","path":"v","score":%q,"clauses":[{"type":"text","text":"red"}]}]}`, fold)
		request, err := query.DecodeSearch([]byte(body), query.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		e, err := x.searcher.Explain(context.Background(), x.snapshot(), request, "1", 0)
		if err != nil {
			t.Fatal(err)
		}
		nested := &e.Detail.Children[0]
		if len(nested.Children) != shown || !nested.Children[0].Matched || !strings.Contains(nested.Description, "values that match: 150") {
			t.Errorf("%s: %d values, %q", fold, len(nested.Children), nested.Description)
		}
	}
}

// TestExplainReproducesSearches explains every document under random searches:
// exactly the documents that search finds match, with the scores that search
// reports.
func TestExplainReproducesSearches(t *testing.T) {
	pairs, hits, shown := 0, 0, map[string]int{}
	for seed := uint64(1); pairs < *explainPairs; seed++ {
		m := maker{rand.New(rand.NewPCG(seed, 9))}
		x := newIndex(t, explainDefinition)
		x.set(t, explainSettings)
		documents := m.documents(30)
		for from := 0; from < len(documents); {
			to := min(len(documents), from+1+m.IntN(20))
			x.add(t, documents[from:to], func(int) bool { return m.IntN(10) == 0 })
			from = to
		}
		for range 12 {
			request := m.request()
			body, err := json.Marshal(request)
			if err != nil {
				t.Fatal(err)
			}
			rescore := request["rescore"]
			delete(request, "rescore")
			request["limit"], request["total"] = 1000, "exact"
			searched, err := json.Marshal(request)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := x.search(string(searched))
			if err != nil {
				if refusal(err) == "" {
					t.Fatalf("seed %d: %s: %v", seed, body, err)
				}
				shown[refusal(err)]++
				continue
			}
			kinds(request["query"], shown)
			if answer.Relaxed != nil {
				shown["relaxed"]++
			}
			if answer.Interpreted != nil {
				shown["interpreted"]++
			}
			found := make(map[string]query.Hit)
			for _, h := range answer.Hits {
				found[fmt.Sprintf("%s/%d", h.ID, h.Index)] = h
			}
			hits += len(found)
			second, err := x.rescored(request, rescore)
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, body, err)
			}
			if second != nil {
				shown["rescored"]++
			}
			filters := map[string]int{}
			countFilters(request["query"], "query", filters)
			countFilters(request["filters"], "filters", filters)
			n, err := x.explainAll(documents, body, request["hits"] != nil, found, second, filters)
			if pairs += n; err != nil {
				t.Fatalf("seed %d: %s\n%v", seed, body, err)
			}
			if len(found) > 0 {
				t.Fatalf("seed %d: %s: hits were not explained: %v", seed, body, found)
			}
		}
	}
	t.Logf("%d pairs, %d of them hits, %v", pairs, hits, shown)
}

// rescored returns the scores of a search with a second pass, by key, or nil
// without one.
func (x *index) rescored(request object, rescore any) (map[string]float64, error) {
	if rescore == nil {
		return nil, nil
	}
	request["rescore"], request["limit"] = rescore, rescore.(object)["window"]
	body, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	answer, err := x.search(string(body))
	if err != nil {
		return nil, err
	}
	scores := make(map[string]float64)
	for _, h := range answer.Hits {
		scores[h.ID] = h.Score
	}
	return scores, nil
}

// explainAll explains every document and removes the explained hits from found.
// second holds the scores of the documents that a second pass reaches, filters the
// number of filters of each clause.
func (x *index) explainAll(documents []string, body []byte, isOfValues bool, found map[string]query.Hit, second map[string]float64, filters map[string]int) (int, error) {
	pairs := 0
	for number := range documents {
		for position := range 4 {
			id := fmt.Sprintf("%03d", number)
			request, err := query.DecodeExplain(body, query.DefaultLimits())
			if err != nil {
				return pairs, err
			}
			e, err := x.searcher.Explain(context.Background(), x.snapshot(), request, id, position)
			if refusal(err) != "" {
				break // the document was deleted, or has no such value
			}
			if err != nil {
				return pairs, err
			}
			pairs++
			key := fmt.Sprintf("%s/%d", id, position)
			hit, isHit := found[key]
			if !isHit && position == 0 {
				if hit, isHit = found[id+"/-1"]; isHit {
					key = id + "/-1"
				}
			}
			switch {
			case e.Matched != isHit:
				return pairs, fmt.Errorf("%s: a hit is %v, explain says %v", key, isHit, e.Matched)
			case isHit && hit.HasScore && e.Score != hit.Score:
				return pairs, fmt.Errorf("%s: search says %v, explain %v", key, hit.Score, e.Score)
			case e.Score != e.Detail.Score || !e.Matched && e.Score != 0:
				return pairs, fmt.Errorf("%s: score %v, of its detail %v", key, e.Score, e.Detail.Score)
			}
			if err := checkSteps(&e.Detail, filters); err != nil {
				return pairs, fmt.Errorf("%s: %w", key, err)
			}
			if e.Rescored != nil && e.Rescored.Matched {
				if err := checkSteps(e.Rescored, filters); err != nil {
					return pairs, fmt.Errorf("%s: %w", key, err)
				}
			}
			final, isInside := second[id]
			switch {
			case (second != nil && e.Matched) != (e.Rescored != nil):
				return pairs, fmt.Errorf("%s: second pass %v, explained %v", key, second != nil, e.Rescored != nil)
			case e.Rescored == nil:
			case e.Rescored.Matched != isInside || isInside && math.Abs(e.Rescored.Score-final) > 1e-5*(1+final):
				return pairs, fmt.Errorf("%s: the second pass says %v %v, explain %v %v", key, isInside, final, e.Rescored.Matched, e.Rescored.Score)
			}
			delete(found, key)
			if !isOfValues {
				break
			}
			if hit.Index < 0 {
				break
			}
		}
	}
	return pairs, nil
}

// kinds counts the types of clauses of a query.
func kinds(clauses any, counts map[string]int) {
	all, _ := clauses.([]any)
	for _, one := range all {
		clause := one.(object)
		kind, _ := clause["type"].(string)
		if kind == "" {
			kind = "field"
		}
		counts[kind]++
		kinds(clause["clauses"], counts)
		rankings, _ := clause["rankings"].([]any)
		for _, r := range rankings {
			kinds(r.(object)["clauses"], counts)
		}
	}
}

// refusal returns the code with which an invalid request was rejected, or "" if it
// was not.
func refusal(err error) string {
	all := problem.All(err)
	if len(all) == 0 || all[0].Code.Status() >= 500 {
		return ""
	}
	return all[0].Code.Name()
}
