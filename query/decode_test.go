package query

import (
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
)

// problems formats the problems of a body as "code@path" words.
func problems(err error) string {
	var parts []string
	for _, p := range problem.All(err) {
		parts = append(parts, p.Code.Name()+"@"+p.Path)
		if strings.Contains(p.Message(), "{") {
			parts = append(parts, "message: "+p.Message())
		}
	}
	return strings.Join(parts, " ")
}

func TestEveryShapeProblemIsReportedWithItsPlace(t *testing.T) {
	field := `{"field":"a","match":{"value":1}}`
	text := `{"type":"text","text":"x"}`
	for _, c := range []struct{ body, want string }{
		{``, ``},
		{` null `, ``},
		{`{"limit":null,"query":null,"facets":null,"hits":null}`, ``},
		{`[]`, `request:value_invalid@`},
		{`{"nonsense":null}`, `request:property_unknown@nonsense`},
		{`{"query":[{"field":"a","match":{"value":1},"extra":1}]}`, `request:property_unknown@query[0].extra`},
		{`{"query":[null]}`, `request:value_required@query[0]`},
		{`{"query":[1]}`, `request:value_invalid@query[0]`},
		{`{"query":[{"type":"regexp"}]}`, `request:value_invalid@query[0].type`},
		{`{"query":[{"type":5}]}`, `request:value_invalid@query[0].type`},
		{`{"query":[{}]}`, `search:clause:field_required@query[0].field search:clause:match_required@query[0].match`},
		{`{"query":[{"field":" ","match":{"value":1}}]}`, `search:clause:field_required@query[0].field`},
		{`{"query":[{"field":"a","match":{"type":"wildcard","value":"x"}}]}`, `request:value_invalid@query[0].match.type`},
		{`{"query":[{"field":"a","match":{}}]}`, `search:matcher:value_required@query[0].match.value`},
		{`{"query":[{"field":"a","match":{"value":[1]}}]}`, `request:value_invalid@query[0].match.value`},
		{`{"query":[{"field":"a","match":{"gte":1}}]}`, `request:property_unknown@query[0].match.gte search:matcher:value_required@query[0].match.value`},
		{`{"query":[{"field":"a","match":{"type":"prefix"}}]}`, `search:matcher:value_required@query[0].match.value`},
		{`{"query":[{"field":"a","match":{"type":"in"}}]}`, `search:matcher:value_required@query[0].match.values`},
		{`{"query":[{"field":"a","match":{"type":"in","values":[1,null]}}]}`, `request:value_required@query[0].match.values[1]`},
		{`{"query":[{"field":"a","match":{"type":"in","values":[]}}]}`, ``},
		{`{"query":[{"field":"a","match":{"type":"any","value":1}}]}`, `request:property_unknown@query[0].match.value`},
		{`{"query":[{"field":"a","match":{"type":"under"}}]}`, `search:matcher:value_required@query[0].match.path`},
		{`{"query":[{"field":"a","match":{"type":"range"}}]}`, `search:matcher:range_empty@query[0].match`},
		{`{"query":[{"field":"a","match":{"type":"range","gte":1,"gt":1}}]}`, `search:matcher:range_conflicting@query[0].match`},
		{`{"query":[{"field":"a","match":{"type":"range","from":1}}]}`, `request:property_unknown@query[0].match.from search:matcher:range_empty@query[0].match`},
		{`{"query":[{"field":"a","match":{"type":"ranges"}}]}`, `search:matcher:value_required@query[0].match.values`},
		{`{"query":[{"field":"a","match":{"type":"ranges","values":[{"from":1,"gte":2},{},{"to":3,"gt":1}]}}]}`,
			`search:matcher:range_conflicting@query[0].match.values[0] search:matcher:range_empty@query[0].match.values[1]`},
		{`{"query":[{"field":"a","match":{"type":"distance","lat":1}}]}`,
			`search:matcher:origin_required@query[0].match search:matcher:radius_required@query[0].match.radius`},
		{`{"query":[{"field":"a","match":{"type":"text"}}]}`, `search:clause:text_required@query[0].match.text`},
		{`{"query":[{"field":"a","match":{"type":"text","text":"x","combine":"term"}}]}`, `request:property_unknown@query[0].match.combine`},
		{`{"query":[{"type":"text"}]}`, `search:clause:text_required@query[0].text`},
		{`{"after":"","freshness":{"atLeast":""}}`, `search:cursor:invalid@after search:freshness:invalid@freshness.atLeast`},
		{`{"after":null,"freshness":{"atLeast":null}}`, ``},
		{`{"query":[{"type":"text","text":"x","slop":-1}]}`, `search:clause:slop_out_of_range@query[0].slop`},
		{`{"query":[{"type":"text","text":"x","slop":1}]}`, `search:clause:slop_unsupported@query[0].slop`},
		{`{"query":[{"type":"text","text":"x","match":"user","slop":1}]}`, ``},
		{`{"query":[{"type":"text","text":"x","join":"any"}]}`, `search:clause:join_unsupported@query[0].join`},
		{`{"query":[{"type":"text","text":"x","relax":"maybe"}]}`, `request:value_invalid@query[0].relax`},
		{`{"query":[{"type":"text","text":"x","fields":{"a":-1,"b.c":null,"d":1e400}}]}`,
			`search:clause:weight_out_of_range@query[0].fields.a search:clause:weight_out_of_range@query[0].fields.d`},
		{`{"query":[{"type":"text","text":"x","interpret":{"fields":[]}}]}`, `search:clause:interpret_fields_required@query[0].interpret.fields`},
		{`{"query":[{"type":"text","text":"x","interpret":"maybe"}]}`, `request:value_invalid@query[0].interpret`},
		{`{"query":[{"type":"text","text":"x","interpret":{"fields":[{"field":"a","when":[{"type":"and","clauses":[{"type":"nested","path":"p"}]}]}]}}]}`,
			`search:clause:interpret_when_unsupported@query[0].interpret.fields[0].when[0].clauses[0]`},
		{`{"query":[{"type":"text","text":"x","interpret":{"fields":[{"fallback":[{}]}]}}]}`,
			`search:clause:field_required@query[0].interpret.fields[0].fallback[0].field search:clause:field_required@query[0].interpret.fields[0].field`},
		{`{"query":[{"type":"knn"}]}`,
			`search:clause:field_required@query[0].field search:clause:vector_required@query[0].vector search:clause:k_required@query[0].k`},
		{`{"query":[{"type":"knn","field":"v","vector":[1,"x"],"k":1001}]}`,
			`request:value_invalid@query[0].vector[1] search:clause:k_out_of_range@query[0].k`},
		{`{"query":[{"type":"nested"}]}`, `search:clause:path_required@query[0].path`},
		{`{"query":[{"type":"nested","path":"p","clauses":[{"type":"or","clauses":[{"type":"fuse"}]},{"type":"nested","path":"q"}]}]}`,
			`search:nested:clause_unsupported@query[0].clauses[0].clauses[0] search:clause:rankings_too_few@query[0].clauses[0].clauses[0].rankings search:nested:clause_unsupported@query[0].clauses[1]`},
		{`{"query":[{"type":"boost"},{"type":"boost","weight":-1},{"type":"boost","weight":0}]}`,
			`search:clause:weight_out_of_range@query[0].weight search:clause:weight_out_of_range@query[1].weight`},
		{`{"query":[{"type":"fuse","rankings":[{"clauses":[]}],"depth":0,"rankConstant":0}]}`,
			`search:clause:ranking_empty@query[0].rankings[0].clauses search:clause:depth_out_of_range@query[0].depth ` +
				`search:clause:rank_constant_out_of_range@query[0].rankConstant search:clause:rankings_too_few@query[0].rankings`},
		{`{"filters":[` + text + `,{"type":"or","clauses":[` + field + `]},{"type":"nested","path":"p","clauses":[` + text + `]},{"field":"a","match":{"type":"text","text":"x"}}]}`,
			`search:filter:clause_unsupported@filters[0] search:filter:clause_unsupported@filters[1] search:filter:scoring_unsupported@filters[2] search:filter:scoring_unsupported@filters[3]`},
		{`{"facets":[{}]}`, `search:facet:field_required@facets[0].field`},
		{`{"facets":[{"field":"a","name":" "}]}`, `search:facet:name_invalid@facets[0].name`},
		{`{"facets":[{"field":"a"},{"field":"b","name":"a"}]}`, `search:facet:name_duplicate@facets[1].name`},
		{`{"facets":[{"field":"a","limit":0},{"field":"b","limit":1001},{"field":"c","order":"random"}]}`,
			`search:facet:limit_out_of_range@facets[0].limit search:facet:limit_out_of_range@facets[1].limit request:value_invalid@facets[2].order`},
		{`{"facets":[{"field":"a","path":" ","depth":11}]}`, `search:facet:path_invalid@facets[0].path search:facet:depth_out_of_range@facets[0].depth`},
		{`{"facets":[{"field":"a","excludeFilters":[""]}]}`, `search:facet:exclude_filters_invalid@facets[0].excludeFilters[0]`},
		{`{"facets":[{"field":"a","ranges":[]}]}`, `search:facet:ranges_required@facets[0].ranges`},
		{`{"facets":[{"field":"a","ranges":[{"to":1}],"limit":1,"depth":2}]}`, `search:facet:ranges_conflicting@facets[0] search:facet:ranges_with_tree@facets[0]`},
		{`{"facets":[{"field":"a","ranges":[{},{"from":2,"to":2},{"from":"2024-01-02T00:00:00Z","to":"2024-01-01T00:00:00Z"},{"from":"b","to":"a"}]}]}`,
			`search:facet:range_empty@facets[0].ranges[0] search:facet:range_invalid@facets[0].ranges[1] search:facet:range_invalid@facets[0].ranges[2]`},
		{`{"facets":[{"field":"a","fallback":[{"field":"b"}]}]}`, `search:facet:fallback_unsupported@facets[0]`},
		{`{"sort":[{}]}`, `search:sort:field_required@sort[0].field`},
		{`{"sort":[{"type":"distance","field":"g"},{"type":"distance","field":"g","lat":1,"lon":2,"order":"asc"}]}`,
			`search:sort:origin_required@sort[0] request:property_unknown@sort[1].order`},
		{`{"sort":[{"type":"score","field":"a"},{"type":"other"}]}`, `request:property_unknown@sort[0].field request:value_invalid@sort[1].type`},
		{`{"sort":[{"field":"a","when":[{"type":"knn","field":"v","vector":[1],"k":1}]}]}`, `search:nested:clause_unsupported@sort[0].when[0]`},
		{`{"signals":[{}]}`, `search:signal:field_required@signals[0].field search:signal:shape_invalid@signals[0]`},
		{`{"signals":[{"field":"a","saturation":{},"linear":{"ceiling":0}}]}`,
			`search:signal:pivot_out_of_range@signals[0].saturation.pivot search:signal:ceiling_out_of_range@signals[0].linear.ceiling search:signal:shape_invalid@signals[0]`},
		{`{"signals":[{"field":"a","decay":{"halfLife":0},"weight":-1}]}`,
			`search:signal:half_life_out_of_range@signals[0].decay.halfLife search:signal:weight_out_of_range@signals[0].weight`},
		{`{"signalsMode":"replace"}`, `search:signal:mode_without_signals@signalsMode`},
		{`{"signals":[],"signalsMode":"replace"}`, ``},
		{`{"rescore":{}}`, `search:rescore:window_required@rescore.window search:rescore:empty@rescore`},
		{`{"rescore":{"window":1001,"boost":[` + field + `],"weight":-1}}`, `search:rescore:window_out_of_range@rescore.window search:rescore:weight_out_of_range@rescore.weight`},
		{`{"rescore":{"window":9,"boost":[` + field + `]}}`, `search:rescore:window_too_small@rescore.window`},
		{`{"highlight":{}}`, `search:highlight:fields_required@highlight.fields`},
		{`{"highlight":{"fields":{"":{},"a":null,"b":{"fragments":0,"length":10001}}}}`,
			`search:highlight:field_required@highlight.fields[""] search:highlight:fragments_out_of_range@highlight.fields.b.fragments ` +
				`search:highlight:length_out_of_range@highlight.fields.b.length`},
		{`{"matched":{"fields":{}}}`, `search:matched:fields_required@matched.fields`},
		{`{"matched":{"fields":{" ":{},"v":{"limit":101,"fields":[]},"w":{"fields":["v.x"]}}}}`,
			`search:matched:field_required@matched.fields.  search:matched:limit_out_of_range@matched.fields.v.limit ` +
				`search:matched:fields_empty@matched.fields.v.fields search:matched:field_not_inside@matched.fields.w.fields[0]`},
		{`{"hits":{}}`, `search:hits:path_required@hits.path`},
		{`{"hits":{"path":"v","fields":[]}}`, `search:hits:fields_empty@hits.fields`},
		{`{"hits":{"path":"v","fields":["name","vx.y","v.x"]}}`, `search:hits:field_not_inside@hits.fields[0] search:hits:field_not_inside@hits.fields[1]`},
		{`{"hits":{"path":"v","when":[` + text + `,{"type":"nested","path":"v","clauses":[` + text + `]}]}}`,
			`search:hits:when_clause_unsupported@hits.when[0] search:hits:when_scoring_unsupported@hits.when[1]`},
		{`{"hits":{"path":"v"},"matched":{"fields":{"v":{}}},"rescore":{"window":10,"boost":[` + field + `]}}`,
			`search:hits:matched_unsupported@matched search:rescore:hits_unsupported@rescore`},
		{`{"hits":{"path":"v","when":[]},"sort":[{"type":"score"},{"field":"v.a"}]}`, `search:hits:when_sort_unsupported@sort[1]`},
		{`{"hits":{"path":"v"},"sort":[{"type":"distance","field":"g","lat":1,"lon":1},{"field":"v.a","fallback":[{"field":"v.b"}]}]}`,
			`search:hits:sort_unsupported@sort[0] search:hits:sort_fallback_unsupported@sort[1]`},
		{`{"hits":{"path":"v"},"highlight":{"fields":{"name":{}}}}`, `search:hits:highlight_field_not_inside@highlight.fields.name`},
		{`{"hits":{"path":"v"},"query":[{"type":"or","clauses":[{"type":"knn","field":"e","vector":[1],"k":1}]},` +
			`{"type":"nested","path":"v","clauses":[{"type":"knn","field":"v.e","vector":[1],"k":1}]}]}`, `search:hits:knn_unsupported@query[0].clauses[0]`},
		{`{"limit":-1}`, `search:limit_out_of_range@limit`},
		{`{"limit":1001}`, `search:limit_out_of_range@limit`},
		{`{"limit":1.5}`, `request:value_invalid@limit`},
		{`{"offset":-1}`, `search:offset_out_of_range@offset`},
		{`{"offset":9991}`, `search:paging_too_deep@`},
		{`{"offset":2000000000}`, `search:paging_too_deep@`},
		{`{"offset":9990}`, ``},
		{`{"offset":0,"after":"x"}`, `search:paging_conflicting@`},
		{`{"after":"x","before":"x"}`, `search:paging_conflicting@`},
		{`{"pages":{},"limit":0}`, `search:pages:without_limit@pages`},
		{`{"pages":{"max":0}}`, `search:pages:max_out_of_range@pages.max`},
		{`{"total":"roughly"}`, `request:value_invalid@total`},
		{`{"freshness":{"atMost":"x"}}`, `request:property_unknown@freshness.atMost`},
		{`{"offset":9223372036854775808,"pages":{"max":1e30},"query":[{"type":"text","text":"x","match":"phrase","slop":1e12}]}`,
			`search:pages:max_out_of_range@pages.max search:clause:slop_out_of_range@query[0].slop search:paging_too_deep@`},
		{`{"offset":2147483648}`, `search:paging_too_deep@`},
		{`{"offset":null,"limit":null}`, ``},
		{`{"offset":-1e300,"limit":1e400}`, `search:offset_out_of_range@offset search:limit_out_of_range@limit`},
		{`{"offset":1.5}`, `request:value_invalid@offset`},
		{`{"hits":{"fields":[]}}`, `search:hits:path_required@hits.path search:hits:fields_empty@hits.fields`},
		{`{"query":[{"type":"nested","clauses":[{"type":"nested","bogus":1}]}]}`, `search:nested:clause_unsupported@query[0].clauses[0] request:property_unknown@query[0].clauses[0].bogus search:clause:path_required@query[0].clauses[0].path search:clause:path_required@query[0].path`},
		{`{"query":[{"type":"nested","path":"v","clauses":[{"type":"and","clauses":[{"type":"nested","path":"v"},{"type":"fuse","depth":0}]}]}]}`, `search:nested:clause_unsupported@query[0].clauses[0].clauses[0] search:nested:clause_unsupported@query[0].clauses[0].clauses[1] search:clause:depth_out_of_range@query[0].clauses[0].clauses[1].depth search:clause:rankings_too_few@query[0].clauses[0].clauses[1].rankings`},
		{`{"fields":["a",null,1]}`, `request:value_required@fields[1] request:value_invalid@fields[2]`},
		{`{"query":[` + field + `,{"type":"nested","path":"v","clauses":[],"score":"avg"}],"filters":[` + field + `]}`, ``},
	} {
		_, err := DecodeSearch([]byte(c.body), DefaultLimits())
		if got := problems(err); got != c.want {
			t.Errorf("%s\n got  %s\n want %s", c.body, got, c.want)
		}
	}
}

func TestClauseBudgetIsAnsweredAlone(t *testing.T) {
	limits := DefaultLimits()
	limits.MaxClauses, limits.MaxClauseDepth = 4, 3
	field := `{"field":"a","match":{"value":1}}`
	deep := func(n int) string {
		return strings.Repeat(`{"type":"and","clauses":[`, n) + field + strings.Repeat(`]}`, n)
	}
	for _, c := range []struct{ body, want string }{
		{`{"query":[` + field + `,` + field + `],"filters":[` + field + `,` + field + `,` + field + `],"nonsense":1}`, `search:clauses_too_many@filters[2]`},
		{`{"query":[` + deep(2) + `]}`, ``},
		{`{"query":[` + deep(3) + `],"nonsense":1}`, `search:clauses_too_deep@query[0].clauses[0].clauses[0].clauses[0]`},
		{`{"query":[` + deep(60) + `],"nonsense":1}`, `search:clauses_too_deep@query[0].clauses[0].clauses[0].clauses[0]`},
		{`{"query":[` + deep(2) + `],"nonsense":` + strings.Repeat("[", jsonread.MaxDepth+1) + strings.Repeat("]", jsonread.MaxDepth+1) + `}`, `request:body_malformed@`},
		{`{"rescore":{"boost":[{},{},{},{},{}]}}`, `search:clauses_too_many@rescore.boost[4]`},
		{`{"hits":{"when":[{},{},{},{},{}]}}`, `search:clauses_too_many@hits.when[4]`},
		{`{"sort":[{"field":"a","when":[{},{},{},{},{}]}]}`, `search:clauses_too_many@sort[0].when[4]`},
		{`{"query":[{"type":"fuse","rankings":[{"clauses":[{},{}]},{"clauses":[{},{}]}]}]}`, `search:clauses_too_many@query[0].rankings[1].clauses[1]`},
		{`{"query":[{"type":"knn","filter":[{},{},{},{}]}]}`, `search:clauses_too_many@query[0].filter[3]`},
		{`{"query":[{"type":"text","text":"x","interpret":{"fields":[{"field":"a","fallback":[{"field":"b","fallback":[{"field":"c","when":[` + field + `]}]}]}]}}]}`,
			`search:clauses_too_deep@query[0].interpret.fields[0].fallback[0].fallback[0]`},
		{`{"query":[{"type":"and","clauses":[{"type":"and","clauses":[{"type":"text","text":"x","match":"user","interpret":{"fields":[{"field":"a"},{"field":"b","when":[]}]}}]}]}]}`, ``},
		{`{"query":[{"type":"and","clauses":[{"type":"and","clauses":[{"type":"text","text":"x","match":"user","interpret":{"fields":[{"field":"a"},{"field":"b","when":[{}]}]}}]}]}]}`,
			`search:clauses_too_deep@query[0].clauses[0].clauses[0].interpret.fields[1].when[0]`},
	} {
		_, err := DecodeSearch([]byte(c.body), limits)
		if got := problems(err); got != c.want {
			t.Errorf("%s\n got  %s\n want %s", c.body, got, c.want)
		}
	}
}

func TestLimitsCarryTheirCap(t *testing.T) {
	_, err := DecodeSearch([]byte(`{"limit":1001}`), DefaultLimits())
	if got := problem.All(err)[0].Arguments["max"]; got != "1000" {
		t.Fatalf("max is %q", got)
	}
}

func TestDefaultsAreFilledIn(t *testing.T) {
	s, err := DecodeSearch([]byte(`{"query":[{"type":"text","text":"x"},{"field":"a","match":{"value":1.50}},
		{"type":"fuse","rankings":[{"clauses":[{"type":"text","text":"x"}]},{"clauses":[{"type":"text","text":"y"}],"weight":2}]}],
		"facets":[{"field":"a"}],"sort":[{"type":"score"},{"field":"b"}],"highlight":{"fields":{"h":{}}},"pages":{}}`), DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	text := s.Query[0].(*TextClause)
	if text.Match != MatchAll || text.Join != JoinAll || text.Prefix != PrefixLastToken || text.Typos != TyposAuto ||
		text.Relax != RelaxUnmatched || text.Combine != CombineTerm || text.Interpret.Off {
		t.Errorf("text defaults: %+v", text)
	}
	if value := s.Query[1].(*FieldClause).Match.(*EqualsMatcher).Value; value.String() != "1.50" {
		t.Errorf("literal is %s", value)
	}
	fuse := s.Query[2].(*FuseClause)
	if fuse.Depth != 100 || fuse.RankConstant != 60 || fuse.Rankings[0].Weight != 1 || fuse.Rankings[1].Weight != 2 {
		t.Errorf("fuse defaults: %+v", fuse)
	}
	if f := s.Facets[0]; f.Name != "a" || f.Limit != 10 || f.Order != OrderCount || f.Depth != 1 || len(f.ExcludeFilters) != 1 {
		t.Errorf("facet defaults: %+v", f)
	}
	if !s.Sort[0].Descending || s.Sort[1].Descending || s.Limit != 10 || s.Pages.Max != 9 {
		t.Errorf("search defaults: %+v", s)
	}
	if h := s.Highlight.Fields[0]; h.Fragments != 3 || h.Length != 150 || h.Pre != "<em>" || h.Post != "</em>" {
		t.Errorf("highlight defaults: %+v", h)
	}
}

func TestExplainIgnoresWhatDoesNotScore(t *testing.T) {
	body := `{"limit":-5,"offset":-1,"after":"x","before":"y","pages":{"max":0},"sort":[{}],"facets":[{}],"highlight":{},
		"matched":{},"fields":[1],"rescore":{"boost":[{},{},{}]},"total":"x","locale":"en","hits":{"path":"v"}}`
	limits := DefaultLimits()
	limits.MaxClauses = 2
	s, err := DecodeExplain([]byte(body), limits)
	if err != nil || s.Locale != "en" || s.Hits.List != "v" {
		t.Fatalf("%+v, %v", s, err)
	}
	if _, err := DecodeExplain([]byte(`{"query":[{}],"other":1}`), limits); problems(err) !=
		`search:clause:field_required@query[0].field search:clause:match_required@query[0].match request:property_unknown@other` {
		t.Errorf("got %s", problems(err))
	}
	if _, err := DecodeExplain(nil, limits); err != nil {
		t.Error(err)
	}
}

func TestOtherBodies(t *testing.T) {
	limits := DefaultLimits()
	for _, c := range []struct{ kind, body, want string }{
		{"suggest", ``, ``},
		{"suggest", `{"text":"a","locale":"sv","filters":[],"limit":1,"typos":"off","freshness":{"atLeast":"x"}}`, ``},
		{"suggest", `{"limit":0}`, `search:suggest:limit_out_of_range@limit`},
		{"suggest", `{"limit":101,"typos":"some","query":[]}`, `search:suggest:limit_out_of_range@limit request:value_invalid@typos request:property_unknown@query`},
		{"suggest", `{"filters":[{"type":"text","text":"x"}]}`, `search:filter:clause_unsupported@filters[0]`},
		{"values", ``, ``},
		{"values", `{"limit":1001,"order":"x"}`, `search:facet:limit_out_of_range@limit request:value_invalid@order`},
		{"values", `{"prefix":"a","query":[{"type":"text","text":"x"}],"order":"declared"}`, ``},
		{"delete", ``, `request:body_required@`},
		{"delete", `{}`, `document:delete:target_required@`},
		{"delete", `{"all":false}`, `document:delete:target_required@`},
		{"delete", `{"all":"yes"}`, `request:value_invalid@all`},
		{"delete", `{"all":"yes","keys":[]}`, `request:value_invalid@all document:delete:target_conflicting@`},
		{"delete", `{"all":true,"keys":[]}`, `document:delete:target_conflicting@`},
		{"delete", `{"query":[]}`, `document:delete:query_empty@query`},
		{"delete", `{"keys":["a",null]}`, `document:key_required@keys[1]`},
		{"delete", `{"keys":["a",1],"locale":"en"}`, `document:delete:locale_without_query@locale`},
		{"delete", `{"query":[{"type":"knn","field":"v","vector":[1],"k":100000}],"locale":"en"}`, ``},
		{"delete", `{"query":[{"type":"knn","field":"v","vector":[1],"k":0}]}`, `search:clause:k_out_of_range@query[0].k`},
	} {
		var err error
		switch c.kind {
		case "suggest":
			_, err = DecodeSuggest([]byte(c.body), limits)
		case "values":
			_, err = DecodeFacetValues([]byte(c.body), limits)
		case "delete":
			_, err = DecodeDelete([]byte(c.body), limits)
		}
		if got := problems(err); got != c.want {
			t.Errorf("%s %s\n got  %s\n want %s", c.kind, c.body, got, c.want)
		}
	}
}

func TestUserPartsFollowTheGrammar(t *testing.T) {
	for text, want := range map[string]string{
		``:                      ``,
		`a  b`:                  `w(a) w(b)`,
		`"a b" c`:               `p(a b) w(c)`,
		`a"b c"d`:               `w(a"b) w(c"d)`,
		`-a -"b c" - d-e --f`:   `x(a) y(b c) w(-) w(d-e) x(-f)`,
		`"a b`:                  `p(a b)!`,
		`"" "  " a`:             `w(a)`,
		"1\u00a0000 kr":         "w(1\u00a0000) w(kr)",
		`"a"b`:                  `p(a) w(b)`,
		`-"a`:                   `y(a)!`,
		"\u2009a\u2003b\u3000":  `w(a) w(b)`,
		"caf\u00e9 -cr\u00e8me": `w(café) x(crème)`,
	} {
		var parts []string
		for _, p := range UserParts(text) {
			word := string("wpxy"[p.Kind]) + "(" + p.Text + ")"
			if p.Unclosed {
				word += "!"
			}
			if !strings.Contains(text[p.Start:p.End], p.Text) {
				t.Errorf("%q: span %d:%d does not hold %q", text, p.Start, p.End, p.Text)
			}
			parts = append(parts, word)
		}
		if got := strings.Join(parts, " "); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"query":[{"type":"text","text":"a","match":"user"}],"facets":[{"field":"a","ranges":[{"to":1}]}]}`,
		`{"query":[{"type":"fuse","rankings":[{"clauses":[{"field":"a","match":{"type":"ranges","values":[{"from":1}]}}]},{}]}]}`,
		`{"hits":{"path":"v","when":[]},"sort":[{"type":"distance","field":"g","lat":1,"lon":2}],"signals":[{"field":"a","decay":{"halfLife":1}}]}`,
		`{"keys":[1,null],"all":true}`, `[`, `nul`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		limits := DefaultLimits()
		if s, err := DecodeSearch(body, limits); (s == nil) == (err == nil) {
			t.Error("neither or both of request and error")
		}
		DecodeExplain(body, limits)
		DecodeSuggest(body, limits)
		DecodeFacetValues(body, limits)
		DecodeDelete(body, limits)
	})
}

func FuzzUserParts(f *testing.F) {
	f.Add(`a "b c" -d -"e`)
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for _, p := range UserParts(text) {
			if p.Start < last || p.End < p.Start || p.End > len(text) {
				t.Fatalf("span %d:%d after %d", p.Start, p.End, last)
			}
			last = p.End
		}
	})
}
