// Package elasticsearch reads an index of Elasticsearch 7 to 9 or OpenSearch 2
// and 3: its mapping, translated to a definition with a note for every step that
// loses something, and its documents by a scroll, which is a snapshot.
//
// A Cluster may be used by any number of goroutines; a Scroll by one.
package elasticsearch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/load"
)

// Cluster is where an index is read from.
type Cluster struct {
	base   string
	Index  string
	APIKey string // sent as Authorization: ApiKey; empty sends none, or what the address names

	client http.Client
}

// New reads an address such as https://user:password@host:9200/books.
func New(address string) (*Cluster, error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	parsed, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("%q is not an address: %w", address, err)
	}
	index := strings.Trim(parsed.Path, "/")
	if parsed.Host == "" || index == "" || strings.Contains(index, "/") {
		return nil, fmt.Errorf("%q does not name an index: write http://host:9200/index", parsed.Redacted())
	}
	parsed.Path, parsed.RawQuery = "", ""
	return &Cluster{base: strings.TrimRight(parsed.String(), "/"), Index: index}, nil
}

// call sends a request and reads the answer.
func (c *Cluster) call(ctx context.Context, method, path string, body, answer any) error {
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			return err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(content))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	if c.APIKey != "" {
		request.Header.Set("Authorization", "ApiKey "+c.APIKey)
	}
	response, err := c.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %s", method, path, response.Status, reasonOf(read))
	}
	if err := json.Unmarshal(read, answer); err != nil {
		return fmt.Errorf("%s %s: read the answer: %w", method, path, err)
	}
	return nil
}

// reasonOf returns why a request failed, as the cluster says it.
func reasonOf(content []byte) string {
	var failed struct {
		Error struct {
			Reason string `json:"reason"`
		} `json:"error"`
	}
	if err := json.Unmarshal(content, &failed); err == nil && failed.Error.Reason != "" {
		return failed.Error.Reason
	}
	return strings.TrimSpace(string(content[:min(len(content), 200)]))
}

// Mapping returns the mapping of the index. An alias of several indexes is
// refused, since they may disagree.
func (c *Cluster) Mapping(ctx context.Context) (*Mapping, error) {
	var answer map[string]struct {
		Mappings Mapping `json:"mappings"`
	}
	if err := c.call(ctx, http.MethodGet, "/"+url.PathEscape(c.Index)+"/_mapping", nil, &answer); err != nil {
		return nil, err
	}
	if len(answer) != 1 {
		return nil, fmt.Errorf("%s stands for %d indexes: name one of them", c.Index, len(answer))
	}
	for _, one := range answer {
		return &one.Mappings, nil
	}
	return nil, errors.New("no mapping")
}

// Scroll reads the documents of one moment.
type Scroll struct {
	ctx     context.Context // of every request of the scroll
	cluster *Cluster
	id      string
	hits    []hit
	number  int
	isEnded bool
	out     []byte

	Total int // documents at the beginning
}

type hit struct {
	ID     string         `json:"_id"`
	Source jsontext.Value `json:"_source"`
}

type page struct {
	ScrollID string `json:"_scroll_id"`
	Hits     struct {
		Total jsontext.Value `json:"total"`
		Hits  []hit          `json:"hits"`
	} `json:"hits"`
}

// scrollPage is how many documents a request reads; keepAlive is how long the
// cluster keeps the moment between two of them.
const (
	scrollPage = 1000
	keepAlive  = "10m"
)

// KeyField is the member of a document that holds its _id.
const KeyField = "_id"

// Open begins a scroll.
func (c *Cluster) Open(ctx context.Context) (*Scroll, error) {
	s := &Scroll{ctx: ctx, cluster: c}
	var first page
	body := map[string]any{"size": scrollPage, "sort": []string{"_doc"}, "query": map[string]any{"match_all": map[string]any{}}, "track_total_hits": true}
	if err := c.call(ctx, http.MethodPost, "/"+url.PathEscape(c.Index)+"/_search?scroll="+keepAlive, body, &first); err != nil {
		return nil, err
	}
	s.take(first)
	var total struct {
		Value int `json:"value"`
	}
	if err := json.Unmarshal(first.Hits.Total, &total); err == nil {
		s.Total = total.Value
	}
	return s, nil
}

func (s *Scroll) take(p page) {
	s.id, s.hits = p.ScrollID, p.Hits.Hits
	s.isEnded = len(s.hits) == 0
}

// Next returns the next document, with its _id as a member.
func (s *Scroll) Next() (load.Row, error) {
	if len(s.hits) == 0 && !s.isEnded {
		var next page
		if err := s.cluster.call(s.ctx, http.MethodPost, "/_search/scroll", map[string]any{"scroll": keepAlive, "scroll_id": s.id}, &next); err != nil {
			return load.Row{}, err
		}
		s.take(next)
	}
	if s.isEnded {
		return load.Row{}, io.EOF
	}
	one := s.hits[0]
	s.hits = s.hits[1:]
	s.number++
	source := bytes.TrimSpace(one.Source)
	if len(source) < 2 || source[0] != '{' {
		return load.Row{}, &load.RowError{Number: s.number, Text: one.ID, Err: errors.New("the index does not keep _source")}
	}
	s.out = append(s.out[:0], `{"`+KeyField+`":`...)
	s.out, _ = jsontext.AppendQuote(s.out, one.ID)
	if inner := bytes.TrimSpace(source[1:]); inner[0] != '}' {
		s.out = append(s.out, ',')
	}
	s.out = append(s.out, source[1:]...)
	return load.Row{Number: s.number, Document: s.out}, nil
}

// Close gives the moment back to the cluster.
func (s *Scroll) Close() error {
	if s.id == "" {
		return nil
	}
	var answer jsontext.Value
	return s.cluster.call(context.WithoutCancel(s.ctx), http.MethodDelete, "/_search/scroll", map[string]any{"scroll_id": []string{s.id}}, &answer)
}
