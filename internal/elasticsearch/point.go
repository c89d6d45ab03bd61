package elasticsearch

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json/jsontext"
)

// pointKind says how one of the two product families opens and closes a point
// in time.
type pointKind struct {
	path  string // below the index to open, below the root to close
	close func(id string) any
}

var pointKinds = []pointKind{
	{path: "/_pit", close: func(id string) any { return map[string]any{"id": id} }},                                // Elasticsearch
	{path: "/_search/point_in_time", close: func(id string) any { return map[string]any{"pit_id": []string{id}} }}, // OpenSearch
}

// point reads pages of a point in time, each beginning after the last document
// of the previous one.
type point struct {
	cluster *Cluster
	kind    pointKind
	id      string
	after   jsontext.Value
	isEnded bool
}

func (c *Cluster) openPoint(ctx context.Context, kind pointKind) (*point, error) {
	var answer struct {
		ID      string `json:"id"`
		PointID string `json:"pit_id"`
	}
	if err := c.call(ctx, http.MethodPost, "/"+url.PathEscape(c.Index)+kind.path+"?keep_alive="+keepAlive, nil, &answer); err != nil {
		return nil, err
	}
	id := answer.ID + answer.PointID // only one of them is set
	if id == "" {
		return nil, errors.New("the answer names no point in time")
	}
	return &point{cluster: c, kind: kind, id: id}, nil
}

func (p *point) next(ctx context.Context) (page, error) {
	if p.isEnded {
		return page{}, nil
	}
	body := map[string]any{"size": pageSize, "query": matchAll, "track_total_hits": p.after == nil,
		"pit":  map[string]any{"id": p.id, "keep_alive": keepAlive},
		"sort": []any{map[string]any{"_shard_doc": "asc"}}}
	if p.after != nil {
		body["search_after"] = p.after
	}
	read, err := p.cluster.page(ctx, "/_search", body)
	if err != nil {
		return page{}, err
	}
	if read.PointID != "" {
		p.id = read.PointID
	}
	if p.isEnded = len(read.Hits.Hits) == 0; p.isEnded {
		return read, nil
	}
	if p.after = read.Hits.Hits[len(read.Hits.Hits)-1].Sort; p.after == nil {
		return page{}, errors.New("the hits carry no place to go on from")
	}
	return read, nil
}

func (p *point) close(ctx context.Context) error {
	var answer jsontext.Value
	return p.cluster.call(ctx, http.MethodDelete, p.kind.path, p.kind.close(p.id), &answer)
}
