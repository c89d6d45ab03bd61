package campaign

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
)

// definition is the index definition of a campaign.
const definition = `{"fields":{
	"id":{"type":"string","primaryKey":true},
	"owner":{"type":"string","filter":{},"facet":{}},
	"group":{"type":"int32","filter":{}},
	"version":{"type":"int64","filter":{},"sort":{}},
	"title":{"type":"string","matching":{}},
	"pop":{"type":"int64","signal":{}},
	"parts":{"type":"object","multiple":true,"mode":"nested","fields":{"sku":{"type":"string","filter":{}},"n":{"type":"int64","filter":{}}}}}}`

// state is the state of a document after one operation.
type state struct {
	exists  bool
	version int
	pop     int // 0: none
}

// key is a document of an owner: its states since the last one that was seen, and
// how much of that is certain.
type key struct {
	id     string
	group  int
	states []state // one per operation; the first is known to be over or current
	acked  int     // the last acknowledged state
	seen   int     // the last state that a read showed
}

func (k *key) last() state { return k.states[len(k.states)-1] }

// document returns the document of a state, without its signal, which is written
// separately.
func (k *key) document(owner string, s state) string {
	var parts []string
	for i := range s.version%4 + 1 {
		parts = append(parts, fmt.Sprintf(`{"sku":"%s-%d","n":%d}`, k.id, i, s.version))
	}
	return fmt.Sprintf(`{"id":%q,"owner":%q,"group":%d,"version":%d,"title":"version %d of a document of %s","parts":[%s]}`,
		k.id, owner, k.group, s.version, s.version, owner, strings.Join(parts, ","))
}

// is reports whether a document as read is that of a state.
func (k *key) is(owner string, s state, read json.RawMessage) bool {
	if read == nil || !s.exists {
		return (read == nil) == !s.exists
	}
	var want, got map[string]any
	if json.Unmarshal([]byte(k.document(owner, s)), &want) != nil || json.Unmarshal(read, &got) != nil {
		return false
	}
	if s.pop != 0 {
		want["pop"] = float64(s.pop)
	}
	if got["pop"] == nil {
		delete(got, "pop")
	}
	return reflect.DeepEqual(want, got)
}

// find returns the first state, starting at at, that a read shows, or -1.
func (k *key) find(owner string, at int, read json.RawMessage) int {
	for i := at; i < len(k.states); i++ {
		if k.is(owner, k.states[i], read) {
			return i
		}
	}
	return -1
}

// settle makes a state the only one.
func (k *key) settle(at int) {
	k.states = append(k.states[:0], k.states[at])
	k.acked, k.seen = 0, 0
}

// owner is a client that owns keys and writes nothing else. It is used by one
// goroutine.
type owner struct {
	name   string
	index  string
	keys   []*key
	random *rand.Rand
	token  string // of the last acknowledged write
	writes int
	reads  int

	stopping func() bool // whether the node was told to stop
}

func newOwner(index string, number, keys int, seed uint64) *owner {
	o := &owner{name: fmt.Sprintf("c%d", number), index: index, random: rand.New(rand.NewPCG(seed, uint64(number)))}
	for i := range max(keys, 8) {
		o.keys = append(o.keys, &key{id: fmt.Sprintf("%s-%d", o.name, i), group: i % 16, states: []state{{}}})
	}
	return o
}

func (o *owner) documents() string { return "/indexes/" + o.index + "/documents" }

// broken is an answer that breaks a promise.
type broken struct{ text string }

func (b broken) Error() string { return b.text }

func breaks(format string, a ...any) error { return broken{fmt.Sprintf(format, a...)} }

// write sends one write for keys whose states were already advanced. It returns an
// error when no answer came.
func (o *owner) write(c *caller, method, path, contentType, body string, keys []*key) error {
	got, err := c.send(method, path, contentType, body)
	switch {
	case err != nil:
		return err
	case got.status >= 300:
		if o.stopping() && got.status == 503 {
			return fmt.Errorf("stopping: %s", got)
		}
		return breaks("%s %s: %s", method, path, got)
	}
	o.writes++
	o.token = got.token()
	if o.token == "" {
		return breaks("%s %s: no token: %s", method, path, got)
	}
	for _, k := range keys {
		k.acked = len(k.states) - 1
	}
	return nil
}

func (k *key) next(s state) { k.states = append(k.states, s) }

// full returns the state of a key after a whole document was written: the signal
// stays.
func (k *key) full() state {
	s := state{exists: true, version: k.last().version + 1}
	if k.last().exists {
		s.pop = k.last().pop
	}
	return s
}

// fill writes every key once, in batches.
func (o *owner) fill(c *caller) error {
	for at := 0; at < len(o.keys); at += 1000 {
		if err := o.batch(c, o.keys[at:min(at+1000, len(o.keys))], true); err != nil {
			return err
		}
	}
	return nil
}

func (o *owner) batch(c *caller, keys []*key, lines bool) error {
	var texts []string
	for _, k := range keys {
		s := k.full()
		k.next(s)
		texts = append(texts, k.document(o.name, s))
	}
	if lines {
		return o.write(c, "POST", o.documents(), asLines, strings.Join(texts, "\n"), keys)
	}
	return o.write(c, "POST", o.documents(), asJSON, `{"documents":[`+strings.Join(texts, ",")+`]}`, keys)
}

// some returns distinct keys.
func (o *owner) some(count int) []*key {
	chosen := make([]*key, 0, count)
	at := o.random.IntN(len(o.keys))
	for i := range min(count, len(o.keys)) {
		chosen = append(chosen, o.keys[(at+i*7)%len(o.keys)])
	}
	seen := make(map[*key]bool)
	unique := chosen[:0]
	for _, k := range chosen {
		if !seen[k] {
			seen[k] = true
			unique = append(unique, k)
		}
	}
	return unique
}

// step performs one operation. A broken error ends the campaign; any other error
// means that no answer came.
func (o *owner) step(c *caller) error {
	k := o.keys[o.random.IntN(len(o.keys))]
	path := o.documents() + "/" + k.id
	switch o.random.IntN(14) {
	case 0, 1:
		s := k.full()
		k.next(s)
		return o.write(c, "PUT", path, asJSON, k.document(o.name, s), []*key{k})
	case 2, 3:
		return o.batch(c, o.some(1+o.random.IntN(40)), true)
	case 4:
		return o.batch(c, o.some(1+o.random.IntN(40)), false)
	case 5, 6:
		return o.patch(c, k)
	case 7:
		k.next(state{version: k.last().version})
		return o.write(c, "DELETE", path, "", "", []*key{k})
	case 8:
		return o.deleteSome(c)
	case 9:
		if o.random.IntN(4) > 0 {
			return o.read(c, k, true)
		}
		got, err := c.send("POST", "/admin/indexes/"+o.index+"/actions/commit", "", "")
		if err == nil && got.status != 200 && !o.stopping() {
			return breaks("commit: %s", got)
		}
		return err
	case 10:
		return o.search(c, k)
	}
	return o.read(c, k, o.random.IntN(3) == 0)
}

// patch changes a document, or only its signal.
func (o *owner) patch(c *caller, k *key) error {
	if !k.last().exists {
		got, err := c.send("PATCH", o.documents()+"/"+k.id, asJSON, `{"version":1}`)
		if err == nil && got.status != 404 && !o.stopping() {
			return breaks("patch of the absent %s: %s", k.id, got)
		}
		return err
	}
	s := k.last()
	if o.random.IntN(2) == 0 {
		s.pop = 1 + o.random.IntN(1000)
		k.next(s)
		return o.write(c, "PATCH", o.documents()+"/"+k.id, asJSON, fmt.Sprintf(`{"pop":%d}`, s.pop), []*key{k})
	}
	s.version++
	k.next(s)
	return o.write(c, "POST", o.documents()+"/actions/update", asJSON, `{"documents":[`+k.document(o.name, s)+`]}`, []*key{k})
}

// deleteSome deletes by keys or by query.
func (o *owner) deleteSome(c *caller) error {
	if o.random.IntN(2) == 0 {
		keys := o.some(1 + o.random.IntN(5))
		var ids []string
		for _, k := range keys {
			k.next(state{version: k.last().version})
			ids = append(ids, `"`+k.id+`"`)
		}
		return o.write(c, "POST", o.documents()+"/actions/delete", asJSON, `{"keys":[`+strings.Join(ids, ",")+`]}`, keys)
	}
	group := o.random.IntN(16)
	low := o.random.IntN(20)
	var keys []*key
	for _, k := range o.keys {
		if s := k.last(); k.group == group && s.exists && s.version >= low {
			k.next(state{version: s.version})
			keys = append(keys, k)
		}
	}
	return o.write(c, "POST", o.documents()+"/actions/delete", asJSON, fmt.Sprintf(
		`{"query":[{"field":"owner","match":{"value":%q}},{"field":"group","match":{"value":%d}},{"field":"version","match":{"type":"range","gte":%d}}]}`,
		o.name, group, low), keys)
}

// read reads one document. It must not be older than what was seen and, with a
// token, not older than what was acknowledged.
func (o *owner) read(c *caller, k *key, fresh bool) error {
	token, floor := "", k.seen
	if fresh {
		token, floor = o.token, max(k.seen, k.acked)
	}
	got, err := c.send("GET", o.documents()+"/"+k.id, "", "", "X-Service-Freshness", token)
	if err != nil {
		return err
	}
	var body struct {
		Document json.RawMessage `json:"document"`
	}
	switch got.status {
	case 200:
		_ = json.Unmarshal(got.body, &body)
	case 404:
	default:
		if o.stopping() {
			return nil
		}
		return breaks("read of %s: %s", k.id, got)
	}
	return o.saw(k, floor, token, body.Document)
}

func (o *owner) saw(k *key, floor int, token string, document json.RawMessage) error {
	at := k.find(o.name, floor, document)
	if at < 0 {
		return breaks("%s reads as %s, states %+v, seen %d, acknowledged %d, token %q", k.id, document, k.states, k.seen, k.acked, token)
	}
	o.reads++
	k.seen = at
	if over := min(k.seen, k.acked); over > 64 {
		k.states = append(k.states[:0], k.states[over:]...)
		k.seen, k.acked = k.seen-over, k.acked-over
	}
	return nil
}

// search finds one document with the token of the last write and checks that all
// parts of the answer show one state.
func (o *owner) search(c *caller, k *key) error {
	body := fmt.Sprintf(`{"query":[{"field":"owner","match":{"value":%q}}],"filters":[{"field":"group","match":{"value":%d}}],"limit":1000,
		"facets":[{"field":"owner"}],"total":"exact","freshness":{"atLeast":%q}}`, o.name, k.group, o.token)
	if o.token == "" {
		return nil
	}
	got, err := c.send("POST", "/indexes/"+o.index+"/search", asJSON, body)
	if err != nil {
		return err
	}
	if got.status != 200 {
		if o.stopping() {
			return nil
		}
		return breaks("search: %s", got)
	}
	return o.checkHits(k, got)
}

// checkHits compares the answer of a search for the group of a key with what the
// owner knows.
func (o *owner) checkHits(k *key, got reply) error {
	var answer struct {
		Hits []struct {
			ID       string          `json:"id"`
			Document json.RawMessage `json:"document"`
		} `json:"hits"`
		Total struct {
			Count int `json:"count"`
		} `json:"total"`
		Facets map[string]struct {
			Values []struct {
				Value string `json:"value"`
				Count int    `json:"count"`
			} `json:"values"`
		} `json:"facets"`
	}
	if err := json.Unmarshal(got.body, &answer); err != nil {
		return breaks("search: %v: %s", err, got)
	}
	counted := 0
	for _, value := range answer.Facets["owner"].Values {
		counted += value.Count
	}
	if counted != answer.Total.Count || len(answer.Hits) != min(1000, answer.Total.Count) {
		return breaks("search: %d hits, %d in all, %d in facets", len(answer.Hits), answer.Total.Count, counted)
	}
	hits := make(map[string]json.RawMessage, len(answer.Hits))
	for _, hit := range answer.Hits {
		hits[hit.ID] = hit.Document
	}
	for _, other := range o.keys {
		document, found := hits[other.id]
		if other.group == k.group && (found || answer.Total.Count <= 1000) {
			if err := o.saw(other, max(other.seen, other.acked), o.token, document); err != nil {
				return err
			}
		}
	}
	return nil
}
