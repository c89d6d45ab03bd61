// Package elasticsearch reads an index of Elasticsearch 7 to 9 or OpenSearch 2
// and 3: its mapping, translated to a definition with a note for every loss,
// and a consistent snapshot of its documents, using a point in time if the
// cluster supports it and a scroll otherwise.
//
// A Cluster may be used by any number of goroutines; a Documents by one.
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
)

// Cluster is the source of an index.
type Cluster struct {
	base   string
	Index  string
	APIKey string // sent as Authorization: ApiKey; if empty, only credentials in the address are sent

	client http.Client
}

// New parses an address such as https://user:password@host:9200/books.
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

// call sends a request and decodes the response.
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

// reasonOf returns the reason that the cluster gives for a failed request.
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

// Mapping returns the mapping of the index. It rejects an alias of several
// indexes, because their mappings may differ.
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
