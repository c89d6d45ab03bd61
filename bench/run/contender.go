package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/quiresearch/quire/bench/wire"
)

// contender is a search service in the comparison of whole services: how to
// start it, and how to send it equivalent requests.
type contender struct {
	name          string
	cores         string // cores to run on, as listed for taskset; empty: all
	command       func(directory, port string, cached bool) *exec.Cmd
	versionPath   string
	version       func(answer []byte) string
	creation      call // of the index
	removal       call
	prepare       func(w *wire.Conn, cached bool) error
	bulkPath      string
	bulkKind      string
	bulk          func(lines [][]byte) []byte
	bulkFailed    func(answer []byte) error
	visible       []call // make loaded documents searchable
	settle        []call // write everything to disk
	searchPath    string
	request       func(q query) ([]byte, error)
	total         func(answer []byte) (int, error)
	withoutCaches string // how caches are disabled, for the report
}

type call struct{ method, path, body string }

func (c call) do(w *wire.Conn) error {
	_, err := w.Send(c.method, c.path, "application/json", []byte(c.body))
	return err
}

func doAll(w *wire.Conn, calls []call) error {
	for _, c := range calls {
		if err := c.do(w); err != nil {
			return err
		}
	}
	return nil
}

// wholeDefinition stores the source of documents, as OpenSearch does, and finds
// the same words as OpenSearch: runs between spaces, in lower case.
const wholeDefinition = `{"fields":{
	"id":{"type":"string","primaryKey":true},
	"body":{"type":"string","matching":{"analyzer":{"custom":{"tokenizer":{"whitespace":{}},"filters":[{"normalize":{}}]}},
		"typoTolerance":{"minLengthOneTypo":1,"minLengthTwoTypos":100}}},
	"repo":{"type":"string","filter":{},"facet":{},"keyword":{"caseFolding":false}},
	"component":{"type":"string","filter":{},"facet":{},"keyword":{"caseFolding":false}},
	"year":{"type":"int32","filter":{},"facet":{}},
	"ts":{"type":"int64","filter":{},"sort":{}}}}`

// quireCaches are the variables that set the sizes of search caches.
var quireCaches = []string{"SERVICE_SEARCH_QUERY_CACHE_MAX_QUERIES", "SERVICE_SEARCH_QUERY_CACHE_MAX_SIZE", "SERVICE_SEARCH_TERM_CACHE_MAX_SIZE",
	"SERVICE_SEARCH_TYPO_CACHE_MAX_ENTRIES", "SERVICE_SEARCH_PREFIX_CACHE_MAX_ENTRIES", "SERVICE_SEARCH_FACET_CACHE_MAX_SIZE"}

func quireContender() *contender {
	return &contender{
		name: "Quire",
		command: func(directory, port string, cached bool) *exec.Cmd {
			p := exec.Command("bin/quire", "serve", "--dev")
			p.Env = append(os.Environ(), "SERVICE_HTTP_PORT="+port, "SERVICE_STORAGE_LOCAL_DIRECTORY="+directory)
			if !cached {
				for _, name := range quireCaches {
					p.Env = append(p.Env, name+"=0")
				}
			}
			return p
		},
		versionPath: "/q/health/ready",
		version:     func([]byte) string { return commit() },
		creation:    call{"PUT", "/v1alpha1/admin/indexes/bench", wholeDefinition},
		removal:     call{"DELETE", "/v1alpha1/admin/indexes/bench", ""},
		prepare:     func(*wire.Conn, bool) error { return nil },
		bulkPath:    "/v1alpha1/indexes/bench/documents",
		bulkKind:    "application/x-ndjson",
		bulk:        func(lines [][]byte) []byte { return append(bytes.Join(lines, []byte("\n")), '\n') },
		bulkFailed: func(answer []byte) error {
			var a struct {
				Failed []json.RawMessage `json:"failed"`
			}
			if err := json.Unmarshal(answer, &a); err != nil || len(a.Failed) == 0 {
				return err
			}
			return fmt.Errorf("%d documents refused, the first: %s", len(a.Failed), a.Failed[0])
		},
		visible:    []call{{"POST", "/v1alpha1/admin/indexes/bench/actions/commit", ""}},
		searchPath: "/v1alpha1/indexes/bench/search",
		request:    quireRequest,
		total: func(answer []byte) (int, error) {
			var a struct {
				Total struct {
					Count int `json:"count"`
				} `json:"total"`
			}
			err := json.Unmarshal(answer, &a)
			return a.Total.Count, err
		},
		withoutCaches: "the six `SERVICE_SEARCH_*_CACHE_*` variables are 0",
	}
}

func quireRequest(q query) ([]byte, error) {
	clause := map[string]any{"type": "text", "text": strings.Join(q.Terms, " "), "fields": map[string]any{"body": nil}, "prefix": "off", "typos": "off", "relax": "off"}
	switch q.Op {
	case "term", "and":
		clause["match"] = "all"
	case "or":
		clause["match"] = "any"
	case "phrase":
		clause["match"] = "phrase"
	case "prefix":
		clause["prefix"] = "last_token"
	case "fuzzy":
		clause["typos"] = "auto"
	default:
		return nil, errors.New("op " + q.Op)
	}
	body := map[string]any{"limit": 10, "total": "exact", "query": []any{clause}}
	if q.Mode == "count" {
		body["limit"] = 0
	}
	if q.Filter != nil {
		body["filters"] = []any{
			map[string]any{"field": "repo", "match": map[string]any{"value": q.Filter["repo"]}},
			map[string]any{"field": "year", "match": map[string]any{"type": "range", "gte": q.Filter["year_gte"], "lte": q.Filter["year_lte"]}},
		}
	}
	var facets []any
	for _, f := range q.Facets {
		facets = append(facets, map[string]any{"field": f, "limit": 10})
	}
	if facets != nil {
		body["facets"] = facets
	}
	if q.Sort == "-ts" {
		body["sort"] = []any{map[string]any{"field": "ts", "order": "desc"}}
	}
	return json.Marshal(body)
}

// memory is the memory of a process in bytes: currently resident, the part of
// it that only the process can release, and the peak.
type memory struct{ resident, private, highest int64 }

func memoryOf(pid int) (m memory) {
	text, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	for line := range strings.Lines(string(text)) {
		name, rest, _ := strings.Cut(line, ":")
		into, known := map[string]*int64{"VmRSS": &m.resident, "RssAnon": &m.private, "VmHWM": &m.highest}[name]
		if known {
			kB, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			*into = kB << 10
		}
	}
	return m
}

// processorOf returns the processor time used by a process so far, in steps of
// 10 ms. On a shared machine it is more meaningful than wall-clock time.
func processorOf(pid int) time.Duration {
	text, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	_, rest, _ := bytes.Cut(text, []byte(") "))
	fields := bytes.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(string(fields[11]))
	system, _ := strconv.Atoi(string(fields[12]))
	return time.Duration(user+system) * 10 * time.Millisecond
}

// bytesBelow returns the total size of the files in a directory.
func bytesBelow(directory string) (int64, error) {
	var sum int64
	err := filepath.WalkDir(directory, func(_ string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	return sum, err
}
