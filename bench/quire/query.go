package main

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quiresearch/quire/internal/search"
	"github.com/quiresearch/quire/query"
)

type work struct {
	Op     string   `json:"op"`
	Text   string   `json:"text"`
	Terms  []string `json:"terms"`
	Mode   string   `json:"mode"`
	K      int      `json:"k"`
	Exact  bool     `json:"exact"`
	Facets []string `json:"facets"`
	Sort   string   `json:"sort"`
	Filter *struct {
		Repo    string `json:"repo"`
		YearGTE *int   `json:"year_gte"`
		YearLTE *int   `json:"year_lte"`
	} `json:"filter"`
}

// request converts a query to the query language of the API.
func (w work) request() ([]byte, error) {
	k := w.K
	if k == 0 {
		k = 10
	}
	body := map[string]any{"limit": k}
	clause := map[string]any{"type": "text", "fields": map[string]any{"body": nil}, "prefix": "off", "typos": "off", "relax": "off"}
	text := ""
	for _, t := range w.Terms {
		text += t + " "
	}
	clause["text"] = text
	switch w.Op {
	case "all":
		clause = nil
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
	case "text":
		clause["match"], clause["text"] = "any", w.Text
	default:
		return nil, errors.New("op " + w.Op)
	}
	if clause != nil {
		body["query"] = []any{clause}
	}
	if w.Filter != nil {
		var filters []any
		if w.Filter.Repo != "" {
			filters = append(filters, map[string]any{"field": "repo", "match": map[string]any{"value": w.Filter.Repo}})
		}
		if w.Filter.YearGTE != nil {
			filters = append(filters, map[string]any{"field": "year", "match": map[string]any{"type": "range", "gte": *w.Filter.YearGTE, "lte": *w.Filter.YearLTE}})
		}
		body["filters"] = filters
	}
	if len(w.Facets) > 0 {
		var facets []any
		for _, f := range w.Facets {
			facets = append(facets, map[string]any{"field": f})
		}
		body["facets"] = facets
	}
	switch w.Sort {
	case "":
	case "-ts":
		body["sort"] = []any{map[string]any{"field": "ts", "order": "desc"}}
	default:
		body["sort"] = []any{map[string]any{"field": w.Sort}}
	}
	if w.Mode == "count" {
		body["limit"] = 0
	}
	if w.Exact {
		body["total"] = "exact"
	}
	return json.Marshal(body)
}

func (d *driver) parse(w work) (*query.Search, error) {
	body, err := w.request()
	if err != nil {
		return nil, err
	}
	return query.DecodeSearch(body, query.DefaultLimits())
}

func (d *driver) search(request *query.Search) (*query.Answer, error) {
	s := d.open.Snapshot()
	defer s.Release()
	return d.searcher.Run(context.Background(), search.View{Snapshot: s, Schema: d.open.Schema(), Chains: d.open.Chains()}, request)
}

func (d *driver) query(c command) (any, error) {
	if d.open == nil {
		return nil, errors.New("no open index")
	}
	best := time.Duration(1<<63 - 1)
	var all []float64
	var answer *query.Answer
	for range max(1, c.Repeat) {
		request, err := d.parse(c.Query)
		if err != nil {
			return nil, err
		}
		began := time.Now()
		if answer, err = d.search(request); err != nil {
			return nil, err
		}
		took := time.Since(began)
		all = append(all, float64(took.Nanoseconds())/1e3)
		best = min(best, took)
	}
	top := []string{}
	for _, h := range answer.Hits {
		top = append(top, h.ID)
	}
	return map[string]any{"count": answer.Total.Count, "exact": answer.Total.Exact, "us": float64(best.Nanoseconds()) / 1e3, "all": all, "top": top}, nil
}

func (d *driver) throughput(c command) (any, error) {
	requests := make([]*query.Search, len(c.Queries))
	for i, w := range c.Queries {
		var err error
		if requests[i], err = d.parse(w); err != nil {
			return nil, err
		}
	}
	total := int64(len(requests) * max(1, c.Rounds))
	var next atomic.Int64
	var wg sync.WaitGroup
	var failed atomic.Value
	began, cpu := time.Now(), cpuSeconds()
	for range max(1, c.Threads) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := next.Add(1) - 1; n < total; n = next.Add(1) - 1 {
				if _, err := d.search(requests[int(n)%len(requests)]); err != nil {
					failed.Store(err)
					return
				}
			}
		}()
	}
	wg.Wait()
	if err, ok := failed.Load().(error); ok {
		return nil, err
	}
	return map[string]any{"queries": total, "seconds": time.Since(began).Seconds(), "cpu_seconds": cpuSeconds() - cpu}, nil
}
