package query

import (
	"encoding/json"
	"fmt"
	"testing"
)

// fullRequest has nearly every property of a search.
const fullRequest = `{"query":[
	{"type":"text","text":"mug","fields":{"title":2},"match":"user","join":"all","prefix":"off","typos":"auto","slop":1,"relax":"off","combine":"term",
		"interpret":{"fields":[{"field":"n","when":[{"field":"a","match":{"value":1}}],"fallback":[{"field":"m"}]}]}},
	{"type":"and","clauses":[{"field":"n","match":{"type":"range","gte":0}}]},{"type":"or","clauses":[]},{"type":"not","clauses":[]},
	{"type":"boost","weight":1.5,"clauses":[]},{"field":"tag","match":{"type":"in","values":["red"]}},
	{"field":"n","match":{"type":"ranges","values":[{"from":0,"to":100}]}},{"field":"loc","match":{"type":"distance","lat":1,"lon":1,"radius":1}},
	{"field":"cat","match":{"type":"under","path":"home"}},{"field":"tag","match":{"type":"prefix","value":"r"}},{"field":"tag","match":{"type":"any"}},
	{"field":"title","match":{"type":"text","text":"mug","match":"phrase","slop":1,"prefix":"off","typos":"off","relax":"off"}},
	{"type":"nested","path":"list","score":"max","clauses":[]},
	{"type":"knn","field":"vec","vector":[1,0],"k":2,"filter":[]},
	{"type":"fuse","rankings":[{"clauses":[{"type":"text","text":"a"}],"weight":1},{"clauses":[{"type":"text","text":"b"}]}],"depth":10,"rankConstant":60,"filter":[]}],
	"filters":[{"field":"n","match":{"value":1}}],
	"facets":[{"field":"tag","name":"T","limit":5,"order":"count","excludeFilters":["n"]},{"field":"n","ranges":[{"from":1,"to":2}],"when":[],"fallback":[{"field":"m"}]},{"field":"cat","path":"home","depth":2}],
	"sort":[{"type":"score","order":"desc"},{"field":"n","order":"asc","when":[],"fallback":[{"field":"m","when":[],"fallback":[]}]},{"type":"distance","field":"loc","lat":1,"lon":1}],
	"signals":[{"field":"n","saturation":{"pivot":2},"weight":0.5},{"field":"ts","decay":{"halfLife":100}},{"field":"d","linear":{"ceiling":3}}],"signalsMode":"add",
	"rescore":{"window":100,"boost":[{"field":"n","match":{"value":1}}],"signals":[{"field":"n","linear":{"ceiling":1}}],"weight":2},
	"locale":"en","fields":["n"],"highlight":{"fields":{"title":{"fragments":2,"length":50,"pre":"<","post":">"}}},
	"matched":{"fields":{"list":{"limit":2,"fields":["list.c"]}}},"limit":5,"offset":0,"pages":{"max":5},"total":"exact","freshness":{"atLeast":"x"}}`

const hitsRequest = `{"hits":{"path":"list","fields":["list.c"],"when":[{"field":"n","match":{"value":1}}]},"after":"AgIA"}`

// places calls visit for every value of a JSON tree, with its path and a function
// that replaces it.
func places(value any, path string, replace func(any), visit func(path string, value any, replace func(any), isItem bool)) {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			set := func(other any) { v[name] = other }
			at := name
			if path != "" {
				at = path + "." + name
			}
			visit(at, member, set, false)
			places(member, at, set, visit)
		}
	case []any:
		for i, item := range v {
			set := func(other any) { v[i] = other }
			at := fmt.Sprintf("%s[%d]", path, i)
			visit(at, item, set, true)
			places(item, at, set, visit)
		}
	}
}

// TestAValueOfTheWrongKindIsOneProblem checks that one value of the wrong kind
// gives one problem, at its path, without consequential ones.
func TestAValueOfTheWrongKindIsOneProblem(t *testing.T) {
	for _, body := range []string{fullRequest, hitsRequest} {
		var root any
		if err := json.Unmarshal([]byte(body), &root); err != nil {
			t.Fatal(err)
		}
		ask := func() string {
			changed, err := json.Marshal(root)
			if err != nil {
				t.Fatal(err)
			}
			_, err = DecodeSearch(changed, DefaultLimits())
			return problems(err)
		}
		if got := ask(); got != "" {
			t.Fatalf("the request as it is: %s", got)
		}
		asked := 0
		places(root, "", nil, func(path string, value any, replace func(any), isItem bool) {
			wrong := any("x")
			if _, isText := value.(string); isText {
				wrong = []any{1}
			}
			replace(wrong)
			if got := ask(); got != "request:value_invalid@"+path && got != "" {
				t.Errorf("%v at %s: %s", wrong, path, got)
			}
			if isItem {
				replace(nil)
				if got := ask(); got != "request:value_required@"+path {
					t.Errorf("null at %s: %s", path, got)
				}
			}
			if members, ok := value.(map[string]any); ok {
				replace(value)
				members["bogus"] = true
				if got := ask(); got != "request:property_unknown@"+path+".bogus" && got != "request:value_invalid@"+path+".bogus" {
					t.Errorf("another member at %s: %s", path, got)
				}
				delete(members, "bogus")
			}
			replace(value)
			asked++
		})
		if asked < 8 {
			t.Errorf("%d places", asked)
		}
	}
}
