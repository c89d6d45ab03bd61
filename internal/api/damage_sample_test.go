package api

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/internal/script/steps"
)

// sample is one request.
type sample struct {
	method, path, body string
	header             http.Header
	isAnonymous        bool
	isCut              bool // the body stops arriving after body

	values []*jsonValue // of a body that is JSON or lines of JSON
}

// parse parses the body; a body that is not JSON has no values.
func (s *sample) parse() {
	s.values = nil
	in := json.NewDecoder(strings.NewReader(s.body))
	in.UseNumber()
	for in.More() {
		value, err := readValue(in)
		if err != nil {
			s.values = nil
			return
		}
		s.values = append(s.values, value)
	}
}

// isRead reports whether a request cannot change anything.
func (s *sample) isRead() bool {
	path, _, _ := strings.Cut(s.path, "?")
	return s.method == "GET" || s.method == "HEAD" || strings.HasSuffix(path, "/search") || strings.HasSuffix(path, "/explain") ||
		strings.HasSuffix(path, "/suggest") || strings.HasSuffix(path, "/values")
}

// removesIndex reports whether a request would leave nothing for the others to
// work on, or starts work that continues after it.
func (s *sample) removesIndex() bool {
	return s.method == "DELETE" && strings.Contains(s.path, "/admin/indexes/") && !strings.HasSuffix(s.path, "/settings") ||
		strings.HasSuffix(s.path, "/actions/repair")
}

// damaged returns a copy of the request, most likely damaged.
func (s *sample) damaged(random *rand.Rand, words []string) sample {
	damaged := *s
	damaged.header = s.header.Clone()
	if damaged.header == nil {
		damaged.header = make(http.Header)
	}
	switch kind := random.IntN(20); {
	case kind < 9 && len(s.values) > 0:
		lines := make([]string, len(s.values))
		hurt := random.IntN(len(lines))
		for i, value := range s.values {
			if i == hurt {
				value = value.clone()
				for range 1 + random.IntN(3) {
					value.damage(random, words)
				}
			}
			lines[i] = value.String()
		}
		separator := "\n"
		if random.IntN(8) == 0 {
			separator = pick(random, []string{"", "\r\n", "\n\n\n", ",", "\r", "\u2028", "\n \t", "\x00\n"})
		}
		damaged.body = strings.Join(lines, separator)
	case kind < 15 && s.body != "":
		damaged.body = string(damageBytes(random, []byte(s.body)))
	case kind < 16 && s.body != "":
		damaged.body, damaged.isCut = s.body[:random.IntN(len(s.body)+1)], true
	case kind < 17 && s.body != "":
		damaged.body = s.body[:random.IntN(len(s.body))]
	case kind < 18:
		name := pick(random, []string{"Content-Type", "Accept", "X-Service-Freshness", "If-Match", "If-None-Match", "Content-Encoding", "Authorization", "Origin"})
		value := pick(random, slices.Concat(s.header[name], headerValues))
		if random.IntN(2) == 0 {
			value = string(damageBytes(random, []byte(value)))
		}
		damaged.header.Set(name, value)
		damaged.isAnonymous = name == "Authorization"
	default:
		// An invalid request line does not reach a handler.
		if path := damagePath(random, s.path, words); isPath(path) {
			damaged.path = path
		}
	}
	return damaged
}

func isPath(text string) bool {
	_, err := url.ParseRequestURI(text)
	return err == nil
}

var headerValues = []string{"application/json", "application/x-ndjson", "text/plain", "*/*", "application/*;q=0", "", "gzip", `"1"`, "*", `W/"x", "y"`,
	"Bearer x", "Bearer", "Basic eDp5", "https://shop.example", "AAAAAAAAAAAAAAAA", "AQEB", "0", strings.Repeat("a", 5000)}

// damagePath changes a path and its query.
func damagePath(random *rand.Rand, path string, words []string) string {
	before, query, _ := strings.Cut(path, "?")
	switch random.IntN(4) {
	case 0:
		segments := strings.Split(before, "/")
		segments[random.IntN(len(segments))] = pick(random, append([]string{"", ".", "..", "%2e", "%2F", "%00", "%ff", "%zz", "a;b", "~", "@1", "shop@", "shop@9999999999999999999", "%E2%82%AC",
			"00", "-0", "1e2", " ", "%20", strings.Repeat("k", 600)}, words...))
		before = strings.Join(segments, "/")
	case 1:
		name := pick(random, []string{"onError", "missing", "limit", "after", "prefix", "key", "index", "allowStaleDocuments", "reindex", "phase", "format", "x"})
		query = name + "=" + pick(random, append([]string{"", "skip", "fail", "true", "0", "-1", "99999999999", "%zz", "%00", "1;2", "a&limit=3", "PENDING"}, words...))
	case 2:
		query = string(damageBytes(random, []byte(query+"&limit=2")))
	default:
		before = string(damageBytes(random, []byte(before)))
	}
	// Characters that no client can send in a request line are removed.
	clean := func(text string) string {
		return strings.Map(func(c rune) rune {
			if c <= ' ' || c == 0x7f || c == '#' {
				return -1
			}
			return c
		}, text)
	}
	before = "/" + strings.TrimLeft(strings.ReplaceAll(clean(before), "?", ""), "/")
	if query == "" {
		return before
	}
	return before + "?" + clean(query)
}

func pick(random *rand.Rand, from []string) string { return from[random.IntN(len(from))] }

// pieces are inserted into bodies: values of every kind, signs, meaningful
// names, and bytes that are not text.
var pieces = []string{
	`null`, `{}`, `[]`, `""`, `1e999`, `-0`, `"\u0000"`, `"\ud800"`, `{"en":"x"}`, `[[1]]`, `true`, `9223372036854775808`, `"id"`, `,"id":"1"`,
	`[`, `]`, `}`, `{`, `,`, `:`, `"`, `\`, "\n", `"a.b"`, `"variants[x=1]"`, `"*"`, `"type"`, `"object"`, `"nested"`, "\xff", `"name"`, `"fields"`,
	"\xed\xa0\x80", "\xef\xbb\xbf", "\x00", "\r", strings.Repeat("[", jsonread.MaxDepth+6), strings.Repeat(`{"a":`, jsonread.MaxDepth+6), strings.Repeat("9", 400), "0." + strings.Repeat("0", 400) + "1",
}

// damageBytes removes pieces of a text, inserts others, repeats parts and
// changes bytes.
func damageBytes(random *rand.Rand, text []byte) []byte {
	for range 1 + random.IntN(4) {
		if len(text) == 0 {
			break
		}
		at := random.IntN(len(text))
		end := at + random.IntN(min(len(text)-at, 12)+1)
		piece := pick(random, pieces)
		switch random.IntN(5) {
		case 0:
			text = append(text[:at:at], text[end:]...)
		case 1:
			text = append(append(text[:at:at], piece...), text[end:]...)
		case 2:
			text = append(append(text[:at:at], piece...), text[at:]...)
		case 3:
			text = slices.Concat(text[:end], text[at:])
		default:
			text[at] = byte(random.IntN(256))
		}
	}
	return text
}

// requestLine matches the requests of a script that may be damaged.
var requestLine = regexp.MustCompile(`^(GET|PUT|POST|PATCH|DELETE) (/v1alpha1/\S*)$`)

// scriptedRequests reads the requests of a script in order.
func scriptedRequests(t *testing.T, file string) []sample {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	script, err := steps.Parse(string(text))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	var found []sample
	for _, step := range script.Steps {
		rows, err := step.Rows()
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, row := range rows {
			if match := requestLine.FindStringSubmatch(row.Request[0]); match != nil {
				found = append(found, scriptedRequest(t, match[1], match[2], row))
			}
		}
	}
	return found
}

// scriptedRequest returns the request of a step.
func scriptedRequest(t *testing.T, method, path string, step steps.Step) sample {
	t.Helper()
	request := sample{method: method, path: strings.NewReplacer("{", "x", "}", "x").Replace(path), header: http.Header{"Content-Type": {mediaJSON}}}
	headers, body := steps.Headers(step.Request)
	for _, line := range headers {
		if name, value, _ := strings.Cut(line, ": "); name != "Save" && name != "Show" && name != "Authorization" {
			request.header.Set(name, value)
		}
	}
	request.body = strings.Join(body, "\n")
	if name, isFile := strings.CutPrefix(request.body, "@"); isFile {
		content, err := os.ReadFile(filepath.Join(*scripts, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		request.body = string(content)
	}
	return request
}

// jsonValue is a JSON value that can be modified and written again.
type jsonValue struct {
	literal string // of anything but lists and objects
	open    byte   // '[' or '{', zero for a literal
	names   []string
	items   []*jsonValue
}

func readValue(in *json.Decoder) (*jsonValue, error) {
	token, err := in.Token()
	if err != nil {
		return nil, err
	}
	open, ok := token.(json.Delim)
	if !ok {
		literal, err := json.Marshal(token)
		return &jsonValue{literal: string(literal)}, err
	}
	v := &jsonValue{open: byte(open)}
	for in.More() {
		if open == '{' {
			name, err := in.Token()
			if err != nil {
				return nil, err
			}
			v.names = append(v.names, name.(string))
		}
		item, err := readValue(in)
		if err != nil {
			return nil, err
		}
		v.items = append(v.items, item)
	}
	_, err = in.Token()
	return v, err
}

func (v *jsonValue) clone() *jsonValue {
	c := &jsonValue{literal: v.literal, open: v.open, names: slices.Clone(v.names), items: make([]*jsonValue, len(v.items))}
	for i, item := range v.items {
		c.items[i] = item.clone()
	}
	return c
}

func (v *jsonValue) String() string {
	var b bytes.Buffer
	v.write(&b)
	return b.String()
}

func (v *jsonValue) write(b *bytes.Buffer) {
	if v.open == 0 {
		b.WriteString(v.literal)
		return
	}
	b.WriteByte(v.open)
	for i, item := range v.items {
		if i > 0 {
			b.WriteByte(',')
		}
		if v.open == '{' {
			name, _ := json.Marshal(v.names[i])
			b.Write(name)
			b.WriteByte(':')
		}
		item.write(b)
	}
	b.WriteByte(v.open + 2)
}

// inside returns value and all values nested in it, itself first.
func (v *jsonValue) inside(all []*jsonValue) []*jsonValue {
	all = append(all, v)
	for _, item := range v.items {
		all = item.inside(all)
	}
	return all
}

var literals = []string{`null`, `true`, `0`, `-1`, `1.5`, `1e400`, `-0.0`, `2147483648`, `9007199254740993`, `18446744073709551616`, `""`, `" "`, `"\u0000"`, `"en"`, `"x"`,
	`"1970-01-01T00:00:00Z"`, `"+999999999-01-01T00:00:00Z"`, `"2024-02-30T00:00:00Z"`, `"NaN"`, `"*"`, `"a.b"`, `"a[b]"`, `"\ud83d\ude00"`, `"e\u0301"`,
	`{}`, `[]`, `[[]]`, `[null]`, `{"":1}`, `{"lat":91,"lon":0}`, `{"lat":1,"lon":181}`, `[1,2,3]`, strings.Repeat("1", 400), `"` + strings.Repeat("x", 40_000) + `"`}

// damage changes one nested value: its kind, its limits, its name, or how often
// it occurs.
func (v *jsonValue) damage(random *rand.Rand, words []string) {
	all := v.inside(nil)
	target := all[random.IntN(len(all))]
	if target.open == 0 || len(target.items) == 0 || random.IntN(4) == 0 {
		switch random.IntN(4) {
		case 0:
			word, _ := json.Marshal(pick(random, words))
			*target = jsonValue{literal: string(word)}
		case 1:
			*target = *all[random.IntN(len(all))].clone()
		default:
			*target = jsonValue{literal: pick(random, literals)}
		}
		return
	}
	i := random.IntN(len(target.items))
	other := all[random.IntN(len(all))].clone()
	switch kind := random.IntN(6); {
	case kind == 0: // removed
		target.items = slices.Delete(target.items, i, i+1)
		if target.open == '{' {
			target.names = slices.Delete(target.names, i, i+1)
		}
	case kind == 1: // twice
		target.items = append(target.items, target.items[i].clone())
		if target.open == '{' {
			target.names = append(target.names, target.names[i])
		}
	case kind == 2: // a sibling added
		target.items = append(target.items, other)
		if target.open == '{' {
			target.names = append(target.names, pick(random, words))
		}
	case kind == 3 && target.open == '{':
		target.names[i] = pick(random, words)
	case kind == 4 && target.open == '{': // wrapped in a list with another value
		target.items[i] = &jsonValue{open: '[', items: []*jsonValue{target.items[i], other}}
	default:
		for range 1 + random.IntN(70) {
			target.items[i] = &jsonValue{open: '[', items: []*jsonValue{target.items[i]}}
		}
	}
}

// wordsOf returns the names and strings in the bodies of requests.
func wordsOf(samples []sample) []string {
	words := []string{"", "*", "a*", "a.b", "a..b", "a[0]", "a[-1]", "a[]", "a[x=1]", "a[x=\"y\"]", "a\\.b", "id", "en", "fr-CA", "zz", "constructor", "é", "\u202e"}
	known := make(map[string]bool)
	add := func(word string) {
		if !known[word] && len(word) < 60 {
			known[word] = true
			words = append(words, word)
		}
	}
	for _, s := range samples {
		for _, root := range s.values {
			for _, value := range root.inside(nil) {
				for _, name := range value.names {
					add(name)
				}
				var text string
				if value.open == 0 && json.Unmarshal([]byte(value.literal), &text) == nil {
					add(text)
				}
			}
		}
	}
	return words
}
