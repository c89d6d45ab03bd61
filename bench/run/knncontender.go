package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/quiresearch/quire/bench/neighbours"
	"github.com/quiresearch/quire/bench/wire"
)

// Both build their graphs with 16 links and 100 candidates, their defaults.
const (
	knnDefinition = `{"fields":{
	"id":{"type":"string","primaryKey":true},
	"tenth":{"type":"int32","filter":{}},"hundredth":{"type":"int32","filter":{}},"region":{"type":"int32","filter":{}},
	"vector":{"type":"vector","dimensions":100,"similarity":"cosine","hnsw":{"m":16,"efConstruction":100}}}}`
	knnMapping = `{"settings":{"index.knn":true,"number_of_shards":1,"number_of_replicas":0},
	"mappings":{"dynamic":"strict","properties":{"id":{"type":"keyword"},
		"tenth":{"type":"integer"},"hundredth":{"type":"integer"},"region":{"type":"integer"},
		"vector":{"type":"knn_vector","dimension":100,"space_type":"cosinesimil",
			"method":{"name":"hnsw","engine":"lucene","parameters":{"m":16,"ef_construction":100}}}}}}`
)

func quireNearest() *knnContender {
	c := quireContender()
	c.creation.body = knnDefinition
	return &knnContender{
		contender: c,
		nearest: func(vector json.RawMessage, field string, _ int) ([]byte, error) {
			clause := map[string]any{"type": "knn", "field": "vector", "vector": vector, "k": neighbours.K}
			if field != "" {
				clause["filter"] = []any{map[string]any{"field": field, "match": map[string]any{"value": 1}}}
			}
			return json.Marshal(map[string]any{"limit": neighbours.K, "fields": []string{}, "query": []any{clause}})
		},
		keys: func(answer []byte) ([]string, error) {
			var a struct {
				Hits []struct {
					ID string `json:"id"`
				} `json:"hits"`
			}
			err := json.Unmarshal(answer, &a)
			var keys []string
			for _, hit := range a.Hits {
				keys = append(keys, hit.ID)
			}
			return keys, err
		},
		segments: func(_ *wire.Conn, directory string) (int, error) {
			count := 0
			err := filepath.WalkDir(directory, func(path string, _ fs.DirEntry, err error) error {
				if strings.HasSuffix(path, ".seg") {
					count++
				}
				return err
			})
			return count, err
		},
	}
}

func openSearchNearest() *knnContender {
	c := openSearchContender()
	c.creation.body = knnMapping
	plain := c.command
	c.command = func(directory, port string, cached bool) *exec.Cmd {
		p := plain(directory, port, cached)
		p.Env = append(p.Env, "OPENSEARCH_KNN=1")
		return p
	}
	return &knnContender{
		contender: c,
		widths:    true,
		nearest: func(vector json.RawMessage, field string, width int) ([]byte, error) {
			clause := map[string]any{"vector": vector, "k": neighbours.K}
			if field != "" {
				clause["filter"] = map[string]any{"term": map[string]any{field: 1}}
			}
			if width > 0 {
				clause["method_parameters"] = map[string]any{"ef_search": width}
			}
			return json.Marshal(map[string]any{"size": neighbours.K, "_source": false, "query": map[string]any{"knn": map[string]any{"vector": clause}}})
		},
		keys: func(answer []byte) ([]string, error) {
			var a struct {
				TimedOut bool `json:"timed_out"`
				Hits     struct {
					Hits []struct {
						ID string `json:"_id"`
					} `json:"hits"`
				} `json:"hits"`
			}
			err := json.Unmarshal(answer, &a)
			if err == nil && a.TimedOut {
				err = errors.New("timed out")
			}
			var keys []string
			for _, hit := range a.Hits.Hits {
				keys = append(keys, hit.ID)
			}
			return keys, err
		},
		segments: func(w *wire.Conn, _ string) (int, error) {
			text, err := w.Send("GET", "/_cat/segments/bench?h=searchable", "application/json", nil)
			if err != nil {
				return 0, fmt.Errorf("segments: %w", err)
			}
			return bytes.Count(text, []byte("true")), nil
		},
		merge: call{"POST", "/bench/_forcemerge?max_num_segments=1", ""},
	}
}
