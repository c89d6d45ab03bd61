package plan

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
	"github.com/quiresearch/quire/settings"
)

// chains analyses every field as the test definition says: words kept whole,
// lower-cased, with "the" removed from the field body.
type chains struct{ builder *analysis.Builder }

func (c chains) QueryChain(f *definition.ResolvedField, autocomplete bool, locale string) (*analysis.Chain, error) {
	spec := &definition.Chain{Filters: []definition.TokenFilter{{Normalize: &definition.Normalize{}}}}
	if autocomplete {
		spec.Filters = append(spec.Filters, definition.TokenFilter{EdgeNgram: &definition.Ngram{}})
	}
	if f.Name == "body" {
		spec.Filters = append(spec.Filters, definition.TokenFilter{Stopwords: &definition.Stopwords{Words: []string{"the"}}})
	}
	return c.builder.Chain(spec, "en", analysis.Query)
}

const testDefinition = `{
  "locales": {"defaultLocale": "en", "supported": ["sv"]},
  "fields": {
    "id": {"type": "string", "role": "id"},
    "title": {"type": "string", "matching": {"weight": 3, "exact": {}, "typoTolerance": {}, "lengthNormalization": "strong"}, "autocomplete": {"typoTolerance": {}}},
    "body": {"type": "string", "matching": {}},
    "code": {"type": "string", "autocomplete": {"weight": 2}},
    "color": {"type": "string", "filter": {}},
    "raw": {"type": "string", "filter": {}, "keyword": {"caseFolding": false}},
    "tag": {"type": "string", "filter": {}, "locales": {}},
    "cat": {"type": "string", "hierarchy": {}, "facet": {}},
    "price": {"type": "double", "filter": {}},
    "stock": {"type": "int32", "filter": {}},
    "at": {"type": "timestamp", "filter": {}},
    "ok": {"type": "boolean", "filter": {}},
    "loc": {"type": "geo_point", "filter": {}},
    "vec": {"type": "vector", "dimensions": 2},
    "plain": {"type": "string"},
    "variants": {"type": "object", "multiple": true, "mode": "nested", "fields": {
      "size": {"type": "int32", "filter": {}},
      "name": {"type": "string", "matching": {}},
      "vec": {"type": "vector", "dimensions": 2}
    }},
    "flat": {"type": "object", "multiple": true, "mode": "flattened", "fields": {"x": {"type": "int32", "filter": {}}}}
  }
}`

func compiler(t *testing.T, s *settings.Settings, locale string) *Compiler {
	t.Helper()
	d, err := definition.Parse([]byte(testDefinition), definition.Capabilities{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCompiler(Options{Schema: definition.NewSchema(d), Chains: chains{analysis.NewBuilder(analysis.Options{})}, Settings: s, Locale: locale})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func clauses(t *testing.T, text string) []query.Clause {
	t.Helper()
	r, err := query.DecodeSearch([]byte(`{"query":`+text+`}`), query.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return r.Query
}

// show formats a plan on one line.
func show(n Node) string {
	name := func(structure string) string { return strings.Trim(strings.ReplaceAll(structure, "\x00", "/"), "/") }
	list := func(op string, nodes []Node) string {
		parts := make([]string, len(nodes))
		for i, c := range nodes {
			parts[i] = show(c)
		}
		return op + "(" + strings.Join(parts, " ") + ")"
	}
	switch n := n.(type) {
	case *Everything:
		return "everything"
	case *Nothing:
		return "nothing"
	case *Term:
		text := name(n.Structure) + ":" + strings.ReplaceAll(n.Text, "\x00", "/")
		if n.Scoring != nil {
			text += fmt.Sprintf("^%v", n.Scoring.Weight)
		}
		return text
	case *Word:
		var fields []string
		for i, f := range n.Fields {
			text := name(f.Structure) + ":"
			for j, t := range f.Terms {
				if j > 0 {
					text += "|"
				}
				if text += t.Text; t.Boost != 1 {
					text += fmt.Sprintf("×%v", t.Boost)
				}
			}
			for _, b := range n.Bands {
				for _, in := range b.In {
					if in.Field != i {
						continue
					}
					if in.Prefix != nil {
						text += " " + name(in.Prefix.Structure) + ":" + in.Prefix.Text
						continue
					}
					text += fmt.Sprintf(" %s~%d", in.Near.Text, b.Edits)
					if b.Start {
						text += "*"
					}
				}
			}
			fields = append(fields, text+fmt.Sprintf("^%v", f.Weight))
		}
		return fmt.Sprintf("word%d(%s)", n.Words, strings.Join(fields, ", "))
	case *Pair:
		var fields []string
		for _, f := range n.Fields {
			fields = append(fields, name(n.First.Fields[f.Field].Structure)+":"+f.First+"+"+f.Second)
		}
		return "pair(" + strings.Join(fields, " ") + ")"
	case *TermSet:
		return name(n.Structure) + fmt.Sprint(n.Terms)
	case *TermRange:
		text := name(n.Structure)
		for _, i := range n.Intervals {
			from, to := "…", "…"
			if i.From != nil {
				from = *i.From
			}
			if i.To != nil {
				to = *i.To
			}
			text += fmt.Sprintf("<%s,%s>", from, to)
		}
		return text
	case *NumberRange:
		return name(n.Structure) + fmt.Sprint(n.Intervals)
	case *Distance:
		return fmt.Sprintf("%s@%v,%v±%v", name(n.Structure), n.Lat, n.Lon, n.Radius)
	case *Phrase:
		parts := []string{}
		for _, w := range n.Words {
			text := fmt.Sprintf("%d:%s", w.Offset, strings.Join(w.Terms, "|"))
			if w.Prefix {
				text += "*"
			}
			parts = append(parts, text)
		}
		return fmt.Sprintf("%s%q~%d", name(n.Structure), strings.Join(parts, " "), n.Slop)
	case *And:
		text := list("and", n.Clauses)
		if len(n.Optional) > 0 {
			text += list("+", n.Optional)
		}
		return text
	case *Or:
		return list("or", n.Clauses)
	case *Best:
		return list("best", n.Clauses)
	case *Not:
		return list("not", n.Clauses)
	case *Scale:
		return fmt.Sprintf("%v×%s", n.Weight, show(n.Clause))
	case *Constant:
		return fmt.Sprintf("%v=%s", n.Score, show(n.Clause))
	case *Nested:
		return fmt.Sprintf("nested[%s %d](%s)", n.Path, n.Fold, show(n.Clause))
	case *Knn:
		text := fmt.Sprintf("knn[%s %d]", name(n.Structure), n.K)
		if n.Filter != nil {
			text += "(" + show(n.Filter) + ")"
		}
		return text
	case *Fuse:
		parts := []string{}
		for _, r := range n.Rankings {
			parts = append(parts, show(r.Clause))
		}
		return "fuse(" + strings.Join(parts, " | ") + ")"
	}
	return fmt.Sprintf("%T", n)
}

// TestOwnFilters compiles a fuse clause whose filter narrows a knn clause that also
// has a filter: each keeps its own filter separate, with its path.
func TestOwnFilters(t *testing.T) {
	n, err := compiler(t, nil, "").List(clauses(t, `[{"type":"fuse","filter":[{"field":"ok","match":{"value":true}}],"rankings":[
		{"clauses":[{"type":"knn","field":"vec","vector":[1,0],"k":3,"filter":[{"field":"stock","match":{"value":1}},{"field":"color","match":{"value":"red"}}]}]},
		{"clauses":[{"type":"knn","field":"vec","vector":[1,0],"k":3}]}]}]`))
	if err != nil {
		t.Fatal(err)
	}
	fuse := n.(*Fuse)
	first, second := fuse.Rankings[0].Clause.(*Knn), fuse.Rankings[1].Clause.(*Knn)
	if got := show(fuse.Filter); got != "ok/filter:1" || fuse.Filter.From().Clause != "query[0].filter[0]" {
		t.Errorf("fuse: %s at %s", got, fuse.Filter.From().Clause)
	}
	own := first.Own.(*And)
	if got := show(own); got != "and(stock/filter[{1 1}] color/filter:red)" || own.Clauses[1].From().Clause != "query[0].rankings[0].clauses[0].filter[1]" {
		t.Errorf("knn: %s at %s", got, own.Clauses[1].From().Clause)
	}
	if got := show(first.Filter); got != "and(ok/filter:1 and(stock/filter[{1 1}] color/filter:red))" {
		t.Errorf("knn is narrowed by %s", got)
	}
	if second.Own != nil || show(second.Filter) != "ok/filter:1" {
		t.Errorf("knn without a filter is narrowed by %s, and asks for %v", show(second.Filter), second.Own)
	}
}

func TestClausesCompile(t *testing.T) {
	for _, c := range []struct{ name, clauses, want string }{
		{"nothing asked", `[]`, `and()`},
		{"value, folded", `[{"field":"color","match":{"value":"Red"}}]`, `color/filter:red`},
		{"value, as given", `[{"field":"raw","match":{"value":"Red"}}]`, `raw/filter:Red`},
		{"values", `[{"field":"color","match":{"type":"in","values":["Red","blue"]}}]`, `color/filter[blue red]`},
		{"no values", `[{"field":"color","match":{"type":"in","values":[]}}]`, `color/filter[]`},
		{"prefix", `[{"field":"color","match":{"type":"prefix","value":"Re"}}]`, `color/filter<re,rf>`},
		{"text range", `[{"field":"color","match":{"type":"range","gte":"B"}}]`, `color/filter<b,…>`},
		{"any", `[{"field":"color","match":{"type":"any"}}]`, `exists:color/`},
		{"under", `[{"field":"cat","match":{"type":"under","path":"/Men/Shoes/"}}]`, `cat/hierarchy:men/shoes`},
		{"boolean", `[{"field":"ok","match":{"value":true}}]`, `ok/filter:1`},
		{"whole", `[{"field":"stock","match":{"value":5}}]`, `stock/filter[{5 5}]`},
		{"whole range", `[{"field":"stock","match":{"type":"range","gt":5,"lt":9}}]`, `stock/filter[{6 8}]`},
		{"empty range", `[{"field":"stock","match":{"type":"range","gt":5,"lt":6}}]`, `stock/filter[]`},
		{"ranges", `[{"field":"stock","match":{"type":"ranges","values":[{"from":1,"to":3},{"gte":7}]}}]`, `stock/filter[{1 2} {7 9223372036854775807}]`},
		{"timestamp", `[{"field":"at","match":{"value":"1970-01-01T00:00:01.5+00:00"}}]`, `at/filter[{1500 1500}]`},
		{"distance", `[{"field":"loc","match":{"type":"distance","lat":1,"lon":2,"radius":3}}]`, `loc/geo@1,2±3`},
		{"variant", `[{"field":"tag","match":{"value":"A"}}]`, `tag/filter/en:a`},
		{"filter alternative counts one", `[{"type":"or","clauses":[{"field":"ok","match":{"value":true}},{"type":"text","text":"x","prefix":"off","fields":{"body":null}}]}]`,
			`or(1=ok/filter:1 body/matching:x^1)`},
		{"plain or", `[{"type":"or","clauses":[{"field":"ok","match":{"value":true}},{"field":"stock","match":{"value":1}}]}]`, `or(ok/filter:1 stock/filter[{1 1}])`},
		{"boost is optional", `[{"field":"ok","match":{"value":true}},{"type":"boost","weight":2,"clauses":[{"field":"stock","match":{"value":1}}]}]`,
			`and(ok/filter:1)+(2×1=stock/filter[{1 1}])`},
		{"only boosts", `[{"type":"boost","weight":2,"clauses":[{"field":"stock","match":{"value":1}}]}]`, `and()+(2×1=stock/filter[{1 1}])`},
		{"not", `[{"type":"not","clauses":[{"field":"ok","match":{"value":true}}]}]`, `not(ok/filter:1)`},
		{"nested", `[{"type":"nested","path":"variants","score":"avg","clauses":[{"field":"variants.size","match":{"value":1}}]}]`, `nested[variants 2](variants.size/filter[{1 1}])`},
		{"nested without clauses", `[{"type":"nested","path":"variants","clauses":[]}]`, `nested[variants 0](and())`},
		{"knn", `[{"type":"knn","field":"vec","vector":[1,0],"k":3,"filter":[{"field":"ok","match":{"value":true}}]}]`, `knn[vec/vector 3](ok/filter:1)`},
		{"fuse leaves a fuse alone", `[{"type":"fuse","filter":[{"field":"ok","match":{"value":true}}],"rankings":[
			{"clauses":[{"type":"fuse","rankings":[{"clauses":[{"type":"knn","field":"vec","vector":[1,0],"k":3}]},{"clauses":[{"field":"stock","match":{"value":1}}]}]}]},{"clauses":[{"field":"stock","match":{"value":2}}]}]}]`,
			`fuse(fuse(knn[vec/vector 3] | stock/filter[{1 1}]) | stock/filter[{2 2}])`},
		{"fuse pushes its filter", `[{"type":"fuse","filter":[{"field":"ok","match":{"value":true}}],"rankings":[{"clauses":[{"type":"knn","field":"vec","vector":[1,0],"k":3}]},{"clauses":[{"type":"text","text":"x","prefix":"off","fields":{"body":2}}]}]}]`,
			`fuse(knn[vec/vector 3](ok/filter:1) | body/matching:x^2)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, err := compiler(t, nil, "").List(clauses(t, c.clauses))
			if err != nil {
				t.Fatal(err)
			}
			if got := show(n); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestTextCompiles(t *testing.T) {
	for _, c := range []struct{ name, clause, want string }{
		{"last word is a prefix", `"text":"big mug","fields":{"body":null}`, `and(body/matching:big^1 word2(body/matching:mug mug~0*^1))`},
		{"prefix off", `"text":"big mug","fields":{"body":null},"prefix":"off"`, `and(body/matching:big^1 body/matching:mug^1)`},
		{"any", `"text":"big mug","fields":{"body":4},"prefix":"off","match":"any"`, `or(body/matching:big^4 body/matching:mug^4)`},
		{"one typo and exact", `"text":"large","fields":{"title":null},"prefix":"off"`,
			`and(word1(title/matching:large large~1^3))+(title/exact:large^6)`},
		{"two typos with prefix", `"text":"chocolate","fields":{"title":1}`, `and(word1(title/matching:chocolate chocolate~0* title/autocomplete:chocolate chocolate~1 chocolate~1* chocolate~2 chocolate~2*^1))+(title/exact:chocolate^2)`},
		{"typos off", `"text":"large","fields":{"title":null},"prefix":"off","typos":"off"`, `and(title/matching:large^3)+(title/exact:large^6)`},
		{"digits need to be exact", `"text":"123456","fields":{"title":null},"prefix":"off"`, `and(title/matching:123456^3)+(title/exact:123456^6)`},
		{"last of two words among prefixes", `"text":"big mug","fields":{"title":1},"typos":"off"`,
			`and(and(title/matching:big^1 word2(title/matching:mug mug~0* title/autocomplete:mug^1))+(pair(title/matching:big+mug)))+(title/exact:big mug^2)`},
		{"autocomplete only: every word whole", `"text":"ab cd","fields":{"code":null}`, `and(code/autocomplete:ab^2 code/autocomplete:cd^2)`},
		{"words in their best field", `"text":"big mug","fields":{"body":null,"code":1},"prefix":"off"`,
			`and(word2(body/matching:big^1, code/autocomplete:big^1) word2(body/matching:mug^1, code/autocomplete:mug^1))`},
		{"fields that count words differently are groups", `"text":"the mug","fields":{"body":null,"code":1},"prefix":"off"`,
			`best(body/matching:mug^1 and(code/autocomplete:the^1 code/autocomplete:mug^1))`},
		{"combine field", `"text":"big mug","fields":{"body":null,"code":1},"prefix":"off","combine":"field"`,
			`best(and(body/matching:big^1 body/matching:mug^1) and(code/autocomplete:big^1 code/autocomplete:mug^1))`},
		{"earlier form of digits", `"text":"year ١٤","fields":{"body":null},"prefix":"off"`, `and(body/matching:year^1 word2(body/matching:14|١٤^1))`},
		{"each reading of a half-typed word has a phrase", `"text":"year ١٤","fields":{"body":null},"match":"phrase"`, `best(body/matching"0:year 1:14|١٤*"~0 body/matching"0:year 1:١٤*"~0)`},
		{"dropped by analysis", `"text":"the","fields":{"body":null},"prefix":"off"`, `nothing`},
		{"several words dropped by analysis", `"text":"the the","fields":{"body":null}`, `nothing`},
		{"a stopword is the start of other words", `"text":"the","fields":{"body":null}`, `word1(body/matching:the the~0*^1)`},
		{"phrase keeps gaps", `"text":"over the moon","fields":{"body":null},"match":"phrase","slop":2,"prefix":"off"`, `body/matching"0:over 2:moon"~2`},
		{"phrase with a half typed word", `"text":"big mu","fields":{"body":null},"match":"phrase"`, `body/matching"0:big 1:mu*"~0`},
		{"phrase of one word", `"text":"big","fields":{"body":null},"match":"phrase","prefix":"off"`, `body/matching:big^1`},
		{"user: loose, phrase, exclusion", `"text":"red \"big mug\" -blue","fields":{"body":null},"match":"user"`,
			`and(body/matching:red^1 body/matching"0:big 1:mug"~0 not(body/matching:blue^1))`},
		{"user: unclosed quote is half typed", `"text":"red \"big mu","fields":{"body":null},"match":"user"`,
			`and(body/matching:red^1 body/matching"0:big 1:mu*"~0)`},
		{"user: only exclusions", `"text":"-blue","fields":{"body":null},"match":"user"`, `1=and(not(body/matching:blue^1))`},
		{"user: join any", `"text":"red \"big mug\"","fields":{"body":null},"match":"user","join":"any"`,
			`or(body/matching:red^1 body/matching"0:big 1:mug"~0)`},
		{"user: nothing searchable", `"text":"\"\"","fields":{"body":null},"match":"user"`, `nothing`},
		{"user: quoted words loose where only prefixes are kept", `"text":"\"big mug\"","fields":{"code":1},"match":"user"`,
			`and(code/autocomplete:big^1 code/autocomplete:mug^1)`},
		{"no fields named", `"text":"mug","prefix":"off","typos":"off"`, `and(word1(body/matching:mug^1, title/matching:mug^3))+(title/exact:mug^6)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, err := compiler(t, nil, "").List(clauses(t, `[{"type":"text",`+c.clause+`}]`))
			if err != nil {
				t.Fatal(err)
			}
			if got := show(n); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestQuerySynonyms(t *testing.T) {
	set := &settings.Settings{Synonyms: []settings.SynonymSet{{Name: "s", Boost: 0.8, Rules: []settings.SynonymRule{
		{Equivalent: []string{"mug", "cup"}},
		{From: []string{"tv"}, To: []string{"television set"}},
		{From: []string{"new york"}, To: []string{"nyc"}},
	}}}}
	for _, c := range []struct{ name, clause, want string }{
		{"one word", `"text":"mug","prefix":"off"`, `word1(body/matching:mug|cup×0.8^1)`},
		{"half typed triggers nothing", `"text":"mu"`, `word1(body/matching:mu mu~0*^1)`},
		{"typed whole, may go on", `"text":"mug"`, `word1(body/matching:mug|cup×0.8 mug~0*^1)`},
		{"several words typed, may go on", `"text":"new york"`, `and(word2(body/matching:new|nyc×0.8^1) word2(body/matching:york|nyc×0 york~0*^1))`},
		{"several words meant, may go on", `"text":"tv"`, `or(word1(body/matching:tv tv~0*^1) body/matching"0:television 1:set"~0)`},
		{"end of a phrase, may go on", `"text":"big mug","match":"phrase"`, `best(body/matching"0:big 1:mug*"~0 body/matching"0:big 1:cup"~0)`},
		{"several words meant", `"text":"tv","prefix":"off"`, `or(body/matching:tv^1 body/matching"0:television 1:set"~0)`},
		{"several words typed", `"text":"new york","prefix":"off"`, `and(word2(body/matching:new|nyc×0.8^1) word2(body/matching:york|nyc×0^1))`},
		{"inside a phrase", `"text":"big mug","match":"phrase","prefix":"off"`, `body/matching"0:big 1:mug|cup"~0`},
		{"stretch of a phrase", `"text":"old new york","match":"phrase","prefix":"off"`,
			`best(body/matching"0:old 1:new 2:york"~0 body/matching"0:old 1:nyc"~0)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, err := compiler(t, set, "").List(clauses(t, `[{"type":"text","fields":{"body":null},`+c.clause+`}]`))
			if err != nil {
				t.Fatal(err)
			}
			if got := show(n); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestTypoExclusionsHoldWordsToTheirSpelling(t *testing.T) {
	set := &settings.Settings{TypoExclusions: []settings.ExclusionList{{Name: "x", Words: []string{"Large"}}}}
	n, err := compiler(t, set, "").List(clauses(t, `[{"type":"text","text":"large sized","prefix":"off","fields":{"title":1}}]`))
	if err != nil {
		t.Fatal(err)
	}
	want := `and(and(title/matching:large^1 word2(title/matching:sized sized~1^1))+(pair(title/matching:large+sized)))+(title/exact:large sized^2)`
	if got := show(n); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDigitsOfAnyScriptTolerateNoTypos(t *testing.T) {
	for _, digits := range []string{"12345", "١٢٣٤٥", "۱۲۳۴۵", "१२३४५", "１２３４５"} {
		n, err := compiler(t, nil, "").List(clauses(t, `[{"type":"text","text":"`+digits+`","prefix":"off","fields":{"title":1}}]`))
		if err != nil {
			t.Fatal(err)
		}
		if got := show(n); strings.Contains(got, "~1") {
			t.Errorf("%s: %s", digits, got)
		}
	}
}

func TestPhaseTwoProblems(t *testing.T) {
	for _, c := range []struct {
		name, clauses string
		code          *problem.Code
		path          string
	}{
		{"unknown", `[{"field":"nope","match":{"value":1}}]`, problem.SearchFieldUnknown, "query[0].field"},
		{"no usage", `[{"field":"plain","match":{"value":"x"}}]`, problem.SearchUsageUnsupported, "query[0].field"},
		{"no hierarchy", `[{"field":"color","match":{"type":"under","path":"x"}}]`, problem.SearchUsageUnsupported, "query[0].field"},
		{"wrong kind", `[{"field":"stock","match":{"value":"five"}}]`, problem.SearchValueInvalid, "query[0].match.value"},
		{"fraction", `[{"field":"stock","match":{"value":1.5}}]`, problem.SearchValueInvalid, "query[0].match.value"},
		{"beyond 32 bits", `[{"field":"stock","match":{"value":2147483648}}]`, problem.SearchValueInvalid, "query[0].match.value"},
		{"bound beyond 32 bits", `[{"field":"stock","match":{"type":"range","gt":-2147483649}}]`, problem.SearchValueInvalid, "query[0].match.gt"},
		{"value of a list", `[{"field":"stock","match":{"type":"in","values":[1,"x"]}}]`, problem.SearchValueInvalid, "query[0].match.values[1]"},
		{"no offset", `[{"field":"at","match":{"value":"2024-01-01T00:00:00"}}]`, problem.SearchValueInvalid, "query[0].match.value"},
		{"matcher of another type", `[{"field":"price","match":{"type":"prefix","value":"1"}}]`, problem.SearchMatcherTypeUnsupported, "query[0].match"},
		{"vector has no matcher", `[{"field":"vec","match":{"type":"any"}}]`, problem.SearchMatcherTypeUnsupported, "query[0].match"},
		{"text on a number", `[{"field":"price","match":{"type":"text","text":"x"}}]`, problem.SearchMatcherTypeUnsupported, "query[0].match"},
		{"text without usage", `[{"type":"text","text":"x","fields":{"color":1}}]`, problem.SearchUsageUnsupported, "query[0].fields.color"},
		{"phrase on prefixes", `[{"type":"text","text":"x y","match":"phrase","fields":{"code":1}}]`, problem.SearchUsageUnsupported, "query[0].fields.code"},
		{"nested field outside", `[{"field":"variants.size","match":{"value":1}}]`, problem.SearchNestedFieldOutside, "query[0].field"},
		{"root field inside", `[{"type":"nested","path":"variants","clauses":[{"field":"stock","match":{"value":1}}]}]`, problem.SearchNestedFieldNotInside, "query[0].clauses[0].field"},
		{"flattened path", `[{"type":"nested","path":"flat","clauses":[]}]`, problem.SearchNestedPathNotNested, "query[0].path"},
		{"path of a value", `[{"type":"nested","path":"stock","clauses":[]}]`, problem.SearchMatcherTypeUnsupported, "query[0].path"},
		{"short vector", `[{"type":"knn","field":"vec","vector":[1],"k":1}]`, problem.SearchValueInvalid, "query[0].vector"},
		{"second clause below and", `[{"type":"and","clauses":[{"field":"ok","match":{"value":true}},{"field":"nope","match":{"value":1}}]}]`, problem.SearchFieldUnknown, "query[0].clauses[1].field"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := compiler(t, nil, "").List(clauses(t, c.clauses))
			var p *problem.Problem
			if !errors.As(err, &p) || p.Code != c.code || p.Path != c.path {
				t.Errorf("got %v, want %s at %s", err, c.code.Name(), c.path)
			}
		})
	}
	if _, err := NewCompiler(Options{Locale: "tlh"}); !errors.Is(err, problem.SearchLocaleUnsupported) {
		t.Errorf("got %v", err)
	}
}

func TestLocaleChoosesTheVariant(t *testing.T) {
	for wanted, variant := range map[string]string{"": "en", "sv-SE": "sv", "de": "en"} {
		n, err := compiler(t, nil, wanted).List(clauses(t, `[{"field":"tag","match":{"value":"A"}}]`))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := show(n), "tag/filter/"+variant+":a"; got != want {
			t.Errorf("locale %q: %s, want %s", wanted, got, want)
		}
	}
}

func TestEveryNodeKnowsItsClause(t *testing.T) {
	n, err := compiler(t, nil, "").List(clauses(t, `[{"type":"and","clauses":[{"field":"ok","match":{"value":true}},{"type":"text","text":"big chocolate"}]}]`))
	if err != nil {
		t.Fatal(err)
	}
	var walk func(Node)
	walk = func(n Node) {
		if n.From().Clause == "" {
			t.Errorf("L1: %s has no place", show(n))
		}
		for _, c := range Children(n) {
			walk(c)
		}
	}
	walk(n)
	if got := Children(n)[1].From().Clause; got != "query[0].clauses[1]" {
		t.Errorf("text clause at %q", got)
	}
}

// TestManySynonymsAreLeftOutAndNotRefused checks that a search with very many
// synonyms is not rejected: every search reads the settings, and excess synonyms
// are ignored.
func TestManySynonymsAreLeftOutAndNotRefused(t *testing.T) {
	set := &settings.Settings{}
	for i := range 4 {
		rules := make([]settings.SynonymRule, 300)
		for r := range rules {
			words := []string{"shared"}
			for w := range 60 {
				words = append(words, fmt.Sprintf("w%dx%dx%d", i, r, w))
			}
			rules[r].Equivalent = words
		}
		set.Synonyms = append(set.Synonyms, settings.SynonymSet{Name: strconv.Itoa(i), Boost: 0.8, Rules: rules})
	}
	text := strings.Repeat("shared ", 20) + "w0x0x1"
	for _, c := range []struct {
		text string
		want int
	}{
		{"w0x0x1", 60},
		{"shared", MaxAlternatives},
		{text, MaxSearchAlternatives},
	} {
		n, err := compiler(t, set, "").List(clauses(t, `[{"type":"text","text":"`+c.text+`","prefix":"off","typos":"off","fields":{"body":null}}]`))
		if err != nil {
			t.Fatalf("%.20s: %v", c.text, err)
		}
		if got := strings.Count(show(n), "×0.8"); got != c.want {
			t.Errorf("%.20s: %d alternatives, want %d", c.text, got, c.want)
		}
	}
}
