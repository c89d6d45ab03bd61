package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// nullSeeds are requests in addition to those of seeds_test.go that cover more
// bodies.
var nullSeeds = []sample{
	{method: "POST", path: "/v1alpha1/admin/indexes/all/settings/actions/preview", body: `{"settings":{"countSearches":true,"synonyms":{"s":{"rules":[{"equivalent":["a","b"]}],"boost":0.5,"fields":["own"]}}},"search":{"limit":1}}`},
	{method: "POST", path: "/v1alpha1/admin/actions/draft", body: `{"documents":[{"id":"1"}],"convert":true}`},
	{method: "POST", path: "/v1alpha1/indexes/all/search", body: `{"query":[],"freshness":{},"hits":{"path":"variants","when":[{"field":"yes","match":{"value":true}}]},"pages":{"max":3}}`},
	{method: "POST", path: "/v1alpha1/indexes/all/search", body: `{"highlight":{"fields":{"text":{"fragments":1,"length":50,"pre":"<","post":">"}}},"sort":[{"type":"score","order":"desc"}],"signals":[{"field":"at","decay":{"halfLife":5}}],"offset":0,"limit":1}`},
	{method: "POST", path: "/v1alpha1/indexes/all/search", body: `{"facets":[{"field":"path","path":"food","depth":2,"excludeFilters":["n"],"order":"value"},{"field":"price","ranges":[{"from":1}],"when":[{"field":"yes","match":{"value":true}}]}]}`},
	{method: "PUT", path: "/v1alpha1/admin/indexes/all/judgements/base", body: `{"queries":[{"id":"q","text":"jam","locale":"en","weight":2,"grades":{"1":3},"expect":{"mustHit":["1"],"mustNotHit":["2"],"above":[["1","2"]],"atLeast":1}},{"search":{"query":[{"type":"text","text":"jam","fields":{"name":null}}]},"known":"1"}],"bounds":{"minNdcg":0.1,"maxLoss":0.5,"expectations":true}}`},
}

// TestNullCountsAsLeftOutWhereTheDescriptionAllowsIt replaces every value of
// good requests with null. Where the description does not allow null, the
// request is rejected; where it does, the response is as if the member were
// absent. Definitions are previewed, so that the indexes stay as they are.
func TestNullCountsAsLeftOutWhereTheDescriptionAllowsIt(t *testing.T) {
	v := &victim{TB: t, api: serveDocuments(t, catalogue, Options{}).api}
	d := describedRequests(t)
	send := func(r sample, body any) string {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		r.body = string(text)
		answered := v.send(r)
		if answered.Code < http.StatusMultipleChoices {
			return "accepted"
		}
		return fmt.Sprint(answered.Code, " ", code(t, answered.Body.String()))
	}
	for _, r := range seeds {
		v.send(r)
	}
	places := 0
	for _, r := range slices.Concat(seeds, nullSeeds) {
		if r.method == http.MethodPut && strings.Count(r.path, "/") == 4 && strings.HasPrefix(r.path, adminIndexes) {
			r.method, r.path = http.MethodPost, r.path+"/actions/preview"
		}
		schema := d.body(r)
		var body any
		if schema == nil || json.Unmarshal([]byte(r.body), &body) != nil {
			continue
		}
		if got := send(r, body); got != "accepted" {
			t.Errorf("%s %s %s: %s", r.method, r.path, r.body, got)
		}
		d.eachPlace(body, []object{schema}, "", func(place string, put func(any), remove func(), allowed bool) {
			places++
			put(nil)
			null := send(r, body)
			switch {
			case !allowed && null == "accepted":
				t.Errorf("%s %s accepts null as %s", r.method, r.path, place)
			case allowed && remove != nil:
				remove()
				if without := send(r, body); null != without {
					t.Errorf("%s %s: %s is null: %s, without it: %s", r.method, r.path, place, null, without)
				}
			}
		})
	}
	if places < 400 {
		t.Errorf("only %d values were met", places)
	}
}

// described holds the requests and schemas of the description.
type described struct {
	t          *testing.T
	operations map[string]object // by operationId
	schemas    schemas
	router     *router
}

func describedRequests(t *testing.T) *described {
	t.Helper()
	s, err := readSchemas()
	if err != nil {
		t.Fatal(err)
	}
	_, a := serveRoutes(t, Options{})
	document := describeRoutes(s)
	d := &described{t: t, operations: make(map[string]object), router: &a.router}
	d.schemas.Schemas = make(map[string]object)
	for name, schema := range document["components"].(object)["schemas"].(object) {
		d.schemas.Schemas[name] = schema.(object)
	}
	for _, item := range document["paths"].(object) {
		for _, operation := range item.(object) {
			d.operations[operation.(object)["operationId"].(string)] = operation.(object)
		}
	}
	return d
}

// body returns the schema of the JSON body of a request; nil if it has no body,
// if the body is NDJSON, and if refused entries do not fail the request.
func (d *described) body(r sample) object {
	at, err := url.Parse(r.path)
	if err != nil {
		d.t.Fatal(err)
	}
	found, ok := d.router.find(at.EscapedPath())
	if !ok || r.body == "" || r.method == http.MethodPatch || r.header.Get("Content-Type") == ndjsonType || strings.Contains(r.path, "onError=skip") {
		return nil
	}
	content := objectOf(objectOf(d.operations[found.route(r.method).Operation]["requestBody"])["content"])
	return objectOf(objectOf(content[mediaJSON])["schema"])
}

// eachPlace calls visit for every nested value that a schema describes, with
// whether null is allowed there and with functions to change it, and restores
// it afterwards. Members named by the schema can also be removed. Values that
// the schema leaves open are skipped.
func (d *described) eachPlace(value any, forms []object, place string, visit func(place string, put func(any), remove func(), allowed bool)) {
	var choices []object
	for _, form := range forms {
		choices = append(choices, d.schemas.choices(form)...)
	}
	inside := func(step string) []object {
		var inner []object
		for _, choice := range choices {
			inner = append(inner, d.schemas.step(choice, step)...)
		}
		return slices.DeleteFunc(inner, func(form object) bool { return len(form) == 0 })
	}
	switch v := value.(type) {
	case object:
		for name, member := range v {
			forms := inside(name)
			if len(forms) == 0 {
				continue
			}
			d.eachPlace(member, forms, place+"."+name, visit)
			remove := func() { delete(v, name) }
			if !slices.ContainsFunc(choices, func(choice object) bool { return objectOf(choice["properties"])[name] != nil }) {
				remove = nil // an entry of a map: its name is significant
			}
			visit(place+"."+name, func(other any) { v[name] = other }, remove, d.allowsNull(forms))
			v[name] = member
		}
	case []any:
		for i, item := range v {
			forms := inside("[]")
			if len(forms) == 0 {
				continue
			}
			d.eachPlace(item, forms, place+"[]", visit)
			visit(place+"[]", func(other any) { v[i] = other }, nil, d.allowsNull(forms))
			v[i] = item
		}
	}
}

func (d *described) allowsNull(forms []object) bool {
	return slices.ContainsFunc(forms, func(form object) bool {
		return slices.ContainsFunc(d.schemas.choices(form), func(choice object) bool {
			kinds, ok := choice["type"].([]any)
			return choice["type"] == "null" || choice["type"] == nil || ok && slices.Contains(kinds, any("null"))
		})
	})
}

// Responses omit absent members: null is allowed in them only if schemas.yaml
// says so, even in schemas shared by requests and responses.
func TestAnswersDoNotAllowNullForWhatRequestsMayHold(t *testing.T) {
	d := describedRequests(t)
	member := func(schema, name string) object {
		return objectOf(objectOf(d.schemas.Schemas[schema]["properties"])[name])
	}
	for schema, name := range map[string]string{"Definition": "fields", "SearchSettings": "ranking", "Field": "role", "Clause": "match", "SearchRequest": "limit"} {
		if !d.allowsNull([]object{member(schema, name)}) {
			t.Errorf("%s.%s does not allow null", schema, name)
		}
		if len(member(schema+outputSuffix, name)) == 0 || d.allowsNull([]object{member(schema+outputSuffix, name)}) {
			t.Errorf("%s.%s in answers: %v", schema, name, member(schema+outputSuffix, name))
		}
	}
	if d.allowsNull([]object{member("Field", "type")}) || d.allowsNull([]object{member("KeyRequest", "grants")}) {
		t.Error("required members allow null")
	}
	answers, _ := json.Marshal(d.operations["getIndex"]["responses"])
	if !strings.Contains(string(answers), `schemas/Index"`) || member("Index", "definition")["$ref"] != schemaReference+"Definition"+outputSuffix {
		t.Errorf("getIndex answers %v", member("Index", "definition"))
	}
	for name := range d.schemas.Schemas {
		if original, isOutput := strings.CutSuffix(name, outputSuffix); isOutput && d.schemas.Schemas[original] == nil {
			t.Errorf("%s is the answer form of nothing", name)
		}
	}
}
