package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/quiresearch/quire/bench/wire"
)

// openSearchFlags are the flags of the jvm.options shipped with OpenSearch that
// affect speed, with the heap size of the comparison. AlwaysPreTouch is not
// set, because it would make the whole heap resident at once.
const openSearchFlags = "-Xms4g -Xmx4g -XX:+UseG1GC -XX:G1ReservePercent=25 -XX:InitiatingHeapOccupancyPercent=30 " +
	"--add-modules=jdk.incubator.vector --enable-native-access=ALL-UNNAMED"

const openSearchMapping = `{"settings":{"number_of_shards":1,"number_of_replicas":0,
	"analysis":{"analyzer":{"words":{"type":"custom","tokenizer":"whitespace","filter":["lowercase"]}}}},
	"mappings":{"dynamic":"strict","properties":{
		"id":{"type":"keyword"},"repo":{"type":"keyword"},"component":{"type":"keyword"},
		"year":{"type":"integer"},"ts":{"type":"long"},"body":{"type":"text","analyzer":"words"}}}}`

// fetchOpenSearch lets Maven fetch OpenSearch unless it is present; variables
// configure scripts/opensearch-node.
func fetchOpenSearch(variables ...string) error {
	fetch := exec.Command("scripts/opensearch-node")
	fetch.Env = append(append(os.Environ(), "PREPARE=1"), variables...)
	if text, err := fetch.CombinedOutput(); err != nil {
		return fmt.Errorf("fetch OpenSearch: %w: %s", err, text)
	}
	return nil
}

func openSearchContender() *contender {
	return &contender{
		name: "OpenSearch",
		command: func(directory, port string, _ bool) *exec.Cmd {
			p := exec.Command("scripts/opensearch-node", directory, port)
			p.Env = append(os.Environ(), "OPENSEARCH_JAVA_OPTS="+openSearchFlags)
			return p
		},
		versionPath: "/",
		version: func(answer []byte) string {
			var a struct {
				Version struct {
					Number string `json:"number"`
					Lucene string `json:"lucene_version"`
				} `json:"version"`
			}
			_ = json.Unmarshal(answer, &a)
			return a.Version.Number + ", Lucene " + a.Version.Lucene
		},
		creation: call{"PUT", "/bench", openSearchMapping},
		removal:  call{"DELETE", "/bench", ""},
		prepare:  openSearchCaches,
		bulkPath: "/bench/_bulk?filter_path=errors",
		bulkKind: "application/x-ndjson",
		bulk:     openSearchBulk,
		bulkFailed: func(answer []byte) error {
			if bytes.Contains(answer, []byte(`"errors":true`)) {
				return errors.New("documents refused")
			}
			return nil
		},
		visible:    []call{{"POST", "/bench/_refresh", ""}},
		settle:     []call{{"POST", "/bench/_flush?wait_if_ongoing=true", ""}},
		searchPath: "/bench/_search",
		request:    openSearchRequest,
		total: func(answer []byte) (int, error) {
			var a struct {
				TimedOut bool `json:"timed_out"`
				Hits     struct {
					Total struct {
						Value int `json:"value"`
					} `json:"total"`
				} `json:"hits"`
			}
			err := json.Unmarshal(answer, &a)
			if err == nil && a.TimedOut {
				err = errors.New("timed out")
			}
			return a.Hits.Total.Value, err
		},
		withoutCaches: "`index.requests.cache.enable` and `index.queries.cache.enabled` are false",
	}
}

// openSearchCaches turns off the caches of the index. The query cache can only
// be changed while the index is closed.
func openSearchCaches(w *wire.Conn, cached bool) error {
	if cached {
		return nil
	}
	return doAll(w, []call{
		{"POST", "/bench/_close", ""},
		{"PUT", "/bench/_settings", `{"index.requests.cache.enable":false,"index.queries.cache.enabled":false}`},
		{"POST", "/bench/_open", ""},
		{"GET", "/_cluster/health/bench?wait_for_status=green&timeout=60s", ""},
	})
}

func openSearchBulk(lines [][]byte) []byte {
	var body []byte
	for _, line := range lines {
		var d struct {
			ID string `json:"id"`
		}
		_ = json.Unmarshal(line, &d) // the corpus was written by this program
		body = fmt.Appendf(body, "{\"index\":{\"_id\":%q}}\n%s\n", d.ID, line)
	}
	return body
}

func openSearchRequest(q query) ([]byte, error) {
	one := map[string]any{}
	switch q.Op {
	case "term", "and", "or":
		operator := "and"
		if q.Op == "or" {
			operator = "or"
		}
		one["match"] = map[string]any{"body": map[string]any{"query": strings.Join(q.Terms, " "), "operator": operator}}
	case "phrase":
		one["match_phrase"] = map[string]any{"body": strings.Join(q.Terms, " ")}
	case "prefix":
		one["prefix"] = map[string]any{"body": q.Terms[0]}
	case "fuzzy":
		one["fuzzy"] = map[string]any{"body": map[string]any{"value": q.Terms[0], "fuzziness": 1, "prefix_length": 1}}
	default:
		return nil, errors.New("op " + q.Op)
	}
	if q.Filter != nil {
		one = map[string]any{"bool": map[string]any{"must": one, "filter": []any{
			map[string]any{"term": map[string]any{"repo": q.Filter["repo"]}},
			map[string]any{"range": map[string]any{"year": map[string]any{"gte": q.Filter["year_gte"], "lte": q.Filter["year_lte"]}}},
		}}}
	}
	body := map[string]any{"size": 10, "track_total_hits": true, "query": one}
	if q.Mode == "count" {
		body["size"] = 0
	}
	if len(q.Facets) > 0 {
		groups := map[string]any{}
		for _, f := range q.Facets {
			groups[f] = map[string]any{"terms": map[string]any{"field": f, "size": 10}}
		}
		body["aggs"] = groups
	}
	if q.Sort == "-ts" {
		body["sort"] = []any{map[string]any{"ts": "desc"}}
	}
	return json.Marshal(body)
}
