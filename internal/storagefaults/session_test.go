package storagefaults

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/quiresearch/quire/internal/bucket/faultbucket"
)

const (
	admin = "/v1alpha1/admin/indexes/"
	data  = "/v1alpha1/indexes/"

	definition = `{"fields":{"id":{"type":"string","primaryKey":true},"v":{"type":"int32","filter":{}},"name":{"type":"string","matching":{}},` +
		`"tag":{"type":"string","filter":{},"facet":{}},"sold":{"type":"int32","signal":{}}%s}}`
)

var (
	asJSON  = http.Header{"Content-Type": {"application/json"}}
	asLines = http.Header{"Content-Type": {"application/x-ndjson"}}
)

func defined(extra string) string { return fmt.Sprintf(definition, extra) }

// session is the consecutive requests of one client and the answers it received.
type session struct {
	*machine
	*story
	isClean bool            // nothing fails: everything must succeed
	sent    map[string]bool // operations
	codes   map[string]int  // answers, by status and code
}

// ask sends a request and checks the answer against the documented ones.
func (s *session) ask(operation, method, path, body string, header http.Header) answer {
	began := time.Now()
	if header == nil && body != "" {
		header = asJSON
	}
	a := send(s.process.api, method, path, body, header)
	s.sent[operation] = true
	s.codes[strings.TrimSpace(fmt.Sprint(a.status, " ", a.code))]++
	if why := a.wrong(operation); why != "" {
		s.t.Errorf("%v: %s %s %s after %v: %v", s.point, method, path, why, time.Since(began), a)
	}
	if s.isClean && a.status >= 400 {
		s.t.Errorf("%v: %s %s %s: %v", s.point, method, path, body, a)
	}
	return a
}

// change sends a request that changes one thing.
func (s *session) change(operation, method, path, body, thing, value string) answer {
	a := s.ask(operation, method, path, body, nil)
	s.told(thing, value, a.ended())
	s.why[thing+value] = a.String()
	return a
}

// effect is what a request does to a thing.
type effect struct{ thing, value string }

// batch sends a request that changes several things in order.
func (s *session) batch(operation, path, body string, header http.Header, effects ...effect) {
	a := s.ask(operation, "POST", path, body, header)
	for i, e := range effects {
		if ended := a.ended(); i < a.done {
			s.told(e.thing, e.value, acknowledged) // I1: an error that reports it as accepted
		} else {
			s.told(e.thing, e.value, ended)
		}
	}
}

func document(index, key string) string { return "document " + index + "/" + key }

// write adds a document and reads it with the token of the write (I7).
func (s *session) write(index, key string, v int) {
	thing, value := document(index, key), fmt.Sprint(v)
	path := data + index + "/documents/" + key
	a := s.change("putDocument", "PUT", path, fmt.Sprintf(`{"v":%d,"name":"red lamp %d","tag":"t%d"}`, v, v, v%3), thing, value)
	if a.ended() != acknowledged {
		return
	}
	read := s.ask("getDocument", "GET", path, "", http.Header{"X-Service-Freshness": {a.header.Get("X-Service-Freshness")}})
	if got := shownDocument(read); read.status == http.StatusOK && got != value {
		s.t.Errorf("%v: a read with the token of %s = %s shows %q", s.point, thing, value, got)
	}
}

// prepare creates what the session needs before the first fault.
func (s *session) prepare() {
	s.change("putIndex", "PUT", admin+"other", defined(""), "fields of other", "5")
	s.change("putDocument", "PUT", data+"other/documents/1", `{"v":1}`, document("other", "1"), "1")
	s.ask("commitIndex", "POST", admin+"other/actions/commit", "", nil)
	s.ask("search", "POST", data+"other/search", `{"limit":1}`, nil)
}

// run sends requests of every operation.
func (s *session) run() {
	s.documents()
	s.reads()
	s.settings()
	s.keys()
	s.generations()
	s.process.bucket.Settle()
	s.kill(nothing)
	if !s.start() {
		s.t.Fatalf("%v: a node that was killed does not start again", s.point)
	}
	s.write("books", "after", 1)
	for i := range 6 {
		s.write("books", fmt.Sprint("small", i), i)
		s.ask("commitIndex", "POST", admin+"books/actions/commit", "", nil)
	}
	s.registry()
	time.Sleep(2 * time.Minute) // refreshes, sweeps, merges
	s.write("books", "last", 1)
}

func (s *session) documents() {
	s.change("putIndex", "PUT", admin+"books", defined(""), "index books", "there")
	s.ask("previewDefinition", "POST", admin+"books/actions/preview", defined(`,"more":{"type":"string"}`), nil)
	s.ask("draftDefinition", "POST", "/v1alpha1/admin/actions/draft", `{"documents":[{"id":"1"}]}`, nil)
	s.batch("addDocuments", data+"books/documents", `{"documents":[{"id":"a","v":1},{"id":"b","v":2,"tag":"doomed"},{"id":"c","v":3},{"id":"d","v":4}]}`, asJSON,
		effect{document("books", "a"), "1"}, effect{document("books", "b"), "2"}, effect{document("books", "c"), "3"}, effect{document("books", "d"), "4"})
	s.batch("addDocuments", data+"books/documents", "{\"id\":\"e\",\"v\":5}\n{\"id\":\"f\",\"v\":6}\n{\"id\":\"g\",\"v\":7}\n", asLines,
		effect{document("books", "e"), "5"}, effect{document("books", "f"), "6"}, effect{document("books", "g"), "7"})
	for i := range 4 {
		s.write("books", fmt.Sprint("one", i), 10+i)
	}
	s.ask("commitIndex", "POST", admin+"books/actions/commit", "", nil)
	s.write("books", "one1", 21)
	s.change("patchDocument", "PATCH", data+"books/documents/one2", `{"v":22}`, document("books", "one2"), "22")
	s.change("patchDocument", "PATCH", data+"books/documents/one2", `{"sold":7}`, "signal of one2", "7")
	s.batch("updateDocuments", data+"books/documents/actions/update", `{"documents":[{"id":"a","v":31},{"id":"c","v":33}]}`, asJSON,
		effect{document("books", "a"), "31"}, effect{document("books", "c"), "33"})
	s.change("deleteDocument", "DELETE", data+"books/documents/one3", "", document("books", "one3"), "")
	s.batch("deleteDocuments", data+"books/documents/actions/delete", `{"keys":["d","e"]}`, asJSON,
		effect{document("books", "d"), ""}, effect{document("books", "e"), ""})
	s.batch("deleteDocuments", data+"books/documents/actions/delete", `{"query":[{"field":"tag","match":{"value":"doomed"}}]}`, asJSON,
		effect{document("books", "b"), ""})
	s.change("putIndex", "PUT", admin+"other", defined(`,"more":{"type":"string"}`), "fields of other", "6")
	s.write("books", "one0", 40)
	s.ask("commitIndex", "POST", admin+"books/actions/commit", "", nil)
}

func (s *session) reads() {
	s.ask("search", "POST", data+"books/search", `{"query":[{"type":"text","text":"red lamp"}],"facets":[{"field":"tag"}],"limit":3}`, nil)
	s.ask("searchByURL", "GET", data+"books/search?q=red", "", nil)
	s.ask("suggest", "POST", data+"books/suggest", `{"text":"r"}`, nil)
	s.ask("facetValues", "POST", data+"books/facets/tag/values", `{"limit":2}`, nil)
	s.ask("listDocuments", "GET", data+"books/documents?limit=3", "", nil)
	s.ask("listDocuments", "GET", data+"books/documents?all=true", "", http.Header{"Accept": {"application/x-ndjson"}})
	s.ask("explain", "POST", data+"other/search/actions/explain?key=1", `{}`, nil)
	s.ask("getDocument", "GET", data+"other/documents/1", "", nil)
	s.ask("listIndexes", "GET", "/v1alpha1/admin/indexes", "", nil)
	s.ask("getIndex", "GET", admin+"other", "", nil)
	s.ask("getAccess", "GET", "/v1alpha1/access", "", nil)
	s.ask("pullIndex", "POST", admin+"other/actions/pull", "", nil)
	if s.isObject() {
		s.ask("listIndexers", "GET", "/v1alpha1/admin/indexers", "", nil)
	}
}

func (s *session) settings() {
	s.change("putSearchSettings", "PUT", admin+"books/settings", `{"typoExclusions":{"all":{"words":["w1"]}},"countSearches":true}`, "settings of books", "w1")
	s.change("patchSearchSettings", "PATCH", admin+"books/settings", `{"typoExclusions.all.words":["w2"]}`, "settings of books", "w2")
	s.ask("previewSettings", "POST", admin+"books/settings/actions/preview", `{"settings":{},"search":{"limit":1}}`, nil)
	s.change("putSearchSettings", "PUT", admin+"other/settings", `{"typoExclusions":{"all":{"words":["o1"]}}}`, "settings of other", "o1")
	s.change("deleteSearchSettings", "DELETE", admin+"other/settings", "", "settings of other", "")
	s.mayComeBack("settings of other", "o1")
	s.change("putJudgements", "PUT", admin+"books/judgements/base", `{"queries":[{"text":"red lamp","grades":{"one1":3}}]}`, "judgements base", "1")
	s.change("patchJudgements", "PATCH", admin+"books/judgements/base", `{"queries[]":{"text":"lamp","grades":{"one0":1}}}`, "judgements base", "2")
	s.change("putJudgements", "PUT", admin+"books/judgements/short", `{"queries":[{"text":"lamp","grades":{"one0":1}}]}`, "judgements short", "1")
	s.change("deleteJudgements", "DELETE", admin+"books/judgements/short", "", "judgements short", "")
	s.mayComeBack("judgements short", "1")
	s.ask("listJudgements", "GET", admin+"books/judgements", "", nil)
	evaluation := struct{ ID string }{"none"}
	s.ask("evaluateIndex", "POST", admin+"books/actions/evaluate", `{"judgements":"base"}`, nil).read(&evaluation)
	s.ask("listEvaluations", "GET", admin+"books/evaluations", "", nil)
	s.ask("getEvaluation", "GET", admin+"books/evaluations/"+evaluation.ID, "", nil)
	s.ask("cancelEvaluation", "POST", admin+"books/evaluations/"+evaluation.ID+"/actions/cancel", "", nil)
	s.ask("search", "POST", data+"books/search", `{"query":[{"type":"text","text":"counted"}]}`, nil)
	s.ask("listSearches", "GET", admin+"books/searches", "", nil)
	s.ask("draftJudgements", "POST", admin+"books/searches/actions/draft", "", nil)
	s.ask("deleteSearches", "DELETE", admin+"books/searches", "", nil)
}

// mayComeBack records that a thing is removed, together with its object or without
// a trace when it does not exist. A first write of it that arrives after the
// removal brings it back.
func (s *session) mayComeBack(thing, value string) {
	if s.point.kind.fault == faultbucket.Late {
		s.told(thing, value, unknown)
	}
}

func (s *session) keys() {
	make := func(name string) string {
		var created struct{ Key struct{ ID string } }
		s.change("createKey", "POST", "/v1alpha1/admin/keys", fmt.Sprintf(`{"description":%q,"grants":[{"role":"reader","indexes":["*"]}]}`, name), "key "+name, "there").read(&created)
		return created.Key.ID
	}
	make("stays")
	if id := make("goes"); id != "" {
		s.ask("rotateKey", "POST", "/v1alpha1/admin/keys/"+id+"/actions/rotate", "", nil)
		s.change("revokeKey", "DELETE", "/v1alpha1/admin/keys/"+id, "", "key goes", "")
	}
	s.ask("listKeys", "GET", "/v1alpha1/admin/keys", "", nil)
}

func (s *session) generations() {
	s.ask("putIndex", "PUT", admin+"books@2?reindex=auto", defined(`,"added":{"type":"string"}`), nil)
	s.write("books", "during", 1)
	s.change("deleteDocument", "DELETE", data+"books/documents/f", "", document("books", "f"), "")
	s.finished()
	s.ask("listReindexes", "GET", "/v1alpha1/admin/reindexes", "", nil)
	s.write("books", "during", 2)

	s.change("putIndex", "PUT", admin+"moves", defined(""), "live of moves", "1")
	s.ask("putIndex", "PUT", admin+"moves@2", defined(""), nil)
	s.ask("putIndex", "PUT", admin+"moves@3", defined(""), nil)
	s.change("promoteGeneration", "POST", admin+"moves@2/actions/promote", "", "live of moves", "2")
	s.ask("startReindex", "POST", admin+"moves@3/actions/reindex", `{"promote":"manual"}`, nil)
	s.ask("cancelReindex", "POST", "/v1alpha1/admin/reindexes/moves/actions/cancel", "", nil)
	s.write("moves", "1", 1)

	s.change("putIndex", "PUT", admin+"brief", defined(""), "index brief", "there")
	s.write("brief", "1", 1)
	if s.change("deleteIndex", "DELETE", admin+"brief", "", "index brief", "").ended() == acknowledged {
		s.told(document("brief", "1"), "", acknowledged)
	} else {
		s.told(document("brief", "1"), "", unknown)
	}
}

// finished waits for the reindex of books to end, successfully or not.
func (s *session) finished() {
	for range 60 {
		var job struct{ Phase string }
		a := s.ask("getReindex", "GET", "/v1alpha1/admin/reindexes/books", "", nil)
		a.read(&job)
		if a.status == http.StatusNotFound || slices.Contains([]string{"done", "failed", "cancelled"}, job.Phase) {
			return
		}
		time.Sleep(2 * time.Second)
	}
}

func (s *session) registry() {
	if !s.isObject() {
		return
	}
	s.ask("auditRegistry", "GET", "/v1alpha1/admin/registry/audit", "", nil)
	s.ask("repairRegistry", "POST", "/v1alpha1/admin/registry/actions/repair", "", nil)
}

// check reads everything that was changed. The node must serve by now.
func (s *session) check(when string) {
	s.isClean = false // things may be missing
	if !s.recovers(when) {
		return
	}
	for _, thing := range s.things() {
		got, err := s.shown(thing)
		if err != nil {
			s.t.Errorf("%v: %s: %s cannot be read: %v", s.point, when, thing, err)
			continue
		}
		if why := s.wrong(thing, got); why != "" {
			s.t.Errorf("%v: %s: %s", s.point, when, why)
		}
		s.told(thing, got, acknowledged) // a value that was shown once must stay
	}
}

// recovers waits until every index accepts and commits writes again.
func (s *session) recovers(when string) bool {
	for _, index := range []string{"books", "other", "moves"} {
		var last answer
		isBack := false
		for try := 0; try < 60 && !isBack; try++ {
			if last = s.ask("getIndex", "GET", admin+index, "", nil); last.status == http.StatusNotFound && s.known["index "+index] == "" && index != "other" {
				break // it was never created
			}
			if last = s.ask("putDocument", "PUT", data+index+"/documents/marker", `{"v":1}`, nil); last.ended() == acknowledged {
				last = s.ask("commitIndex", "POST", admin+index+"/actions/commit", "", nil)
				isBack = last.ended() == acknowledged
			}
			if !isBack {
				time.Sleep(5 * time.Second)
			}
		}
		if !isBack && last.status != http.StatusNotFound {
			s.t.Errorf("%v: %s: %s does not recover: %v", s.point, when, index, last)
			return false
		}
	}
	if ready := send(s.process.api, "GET", "/q/health/ready", "", nil); ready.status != http.StatusOK {
		s.t.Errorf("%v: %s: the node is not ready: %v", s.point, when, ready)
	}
	return true
}

// shown returns what the node shows for a thing.
func (s *session) shown(thing string) (string, error) {
	what, name, _ := strings.Cut(thing, " ")
	of := name[strings.LastIndex(name, " ")+1:]
	var a answer
	var value func() string
	switch what {
	case "document":
		index, key, _ := strings.Cut(name, "/")
		a = s.ask("getDocument", "GET", data+index+"/documents/"+key, "", nil)
		value = func() string { return shownDocument(a) }
	case "signal":
		a = s.ask("getDocument", "GET", data+"books/documents/"+of, "", nil)
		value = func() string {
			var shown struct{ Document struct{ Sold *int } }
			if a.read(&shown); shown.Document.Sold == nil {
				return ""
			}
			return fmt.Sprint(*shown.Document.Sold)
		}
	case "index":
		a = s.ask("getIndex", "GET", admin+name, "", nil)
		value = func() string { return "there" }
	case "fields":
		a = s.ask("getIndex", "GET", admin+of, "", nil)
		value = func() string {
			var shown struct {
				Definition struct{ Fields map[string]any }
			}
			a.read(&shown)
			return fmt.Sprint(len(shown.Definition.Fields))
		}
	case "live":
		a = s.ask("getIndex", "GET", admin+of, "", nil)
		value = func() string {
			var shown struct{ Generation string }
			a.read(&shown)
			return shown.Generation
		}
	case "settings":
		a = s.ask("getSearchSettings", "GET", admin+of+"/settings", "", nil)
		value = func() string {
			var shown struct {
				TypoExclusions map[string]struct{ Words []string }
			}
			a.read(&shown)
			return strings.Join(shown.TypoExclusions["all"].Words, " ")
		}
	case "judgements":
		a = s.ask("getJudgements", "GET", admin+"books/judgements/"+name, "", nil)
		value = func() string {
			var shown struct{ Queries []any }
			a.read(&shown)
			return fmt.Sprint(len(shown.Queries))
		}
	case "key":
		a = s.ask("listKeys", "GET", "/v1alpha1/admin/keys", "", nil)
		value = func() string {
			var shown struct {
				Keys []struct{ Description string }
			}
			a.read(&shown)
			for _, key := range shown.Keys {
				if key.Description == name {
					return "there"
				}
			}
			return ""
		}
	}
	switch a.status {
	case http.StatusOK:
		return value(), nil
	case http.StatusNotFound:
		return "", nil
	}
	return "", fmt.Errorf("%v", a)
}

func shownDocument(a answer) string {
	var shown struct {
		Document struct{ V int }
	}
	if a.status != http.StatusOK {
		return ""
	}
	a.read(&shown)
	return fmt.Sprint(shown.Document.V)
}
