package elasticsearch

import (
	"context"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json/jsontext"
)

// scroll reads pages with the scroll API, which every version supports.
type scroll struct {
	cluster *Cluster
	id      string // empty before the first page
	isEnded bool
}

func (s *scroll) next(ctx context.Context) (page, error) {
	if s.isEnded {
		return page{}, nil
	}
	path, body := "/_search/scroll", map[string]any{"scroll": keepAlive, "scroll_id": s.id}
	if s.id == "" {
		path = "/" + url.PathEscape(s.cluster.Index) + "/_search?scroll=" + keepAlive
		body = map[string]any{"size": pageSize, "sort": []string{"_doc"}, "query": matchAll, "track_total_hits": true}
	}
	read, err := s.cluster.page(ctx, path, body)
	if err != nil {
		return page{}, err
	}
	s.id, s.isEnded = read.ScrollID, len(read.Hits.Hits) == 0
	return read, nil
}

func (s *scroll) close(ctx context.Context) error {
	if s.id == "" {
		return nil
	}
	var answer jsontext.Value
	return s.cluster.call(ctx, http.MethodDelete, "/_search/scroll", map[string]any{"scroll_id": []string{s.id}}, &answer)
}

var matchAll = map[string]any{"match_all": map[string]any{}}
