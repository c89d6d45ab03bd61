package campaign

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"
)

// caller sends requests to one node with the root key.
type caller struct {
	base string
	http *http.Client
}

func newCaller(p *process) *caller {
	return &caller{base: p.base + "/v1alpha1", http: &http.Client{
		Timeout: 2 * time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 8}}}
}

// reply is a whole answer.
type reply struct {
	status int
	header http.Header
	body   []byte
}

func (r reply) code() string {
	var body struct {
		Code string `json:"code"`
	}
	_ = json.Unmarshal(r.body, &body)
	return body.Code
}

func (r reply) String() string { return fmt.Sprintf("%d %s", r.status, r.body) }

// token returns the freshness token of an answer, from its body or header.
func (r reply) token() string {
	var body struct {
		Freshness string `json:"freshness"`
	}
	if text := r.header.Get("X-Service-Freshness"); text != "" {
		return text
	}
	_ = json.Unmarshal(r.body, &body)
	return body.Freshness
}

// send returns an error only when no whole answer came.
func (c *caller) send(method, path, contentType, body string, headers ...string) (reply, error) {
	request, err := http.NewRequest(method, c.base+path, bytes.NewBufferString(body))
	if err != nil {
		return reply{}, err
	}
	request.Header.Set("Authorization", "Bearer "+rootKey)
	if body != "" {
		request.Header.Set("Content-Type", contentType)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i+1] != "" {
			request.Header.Set(headers[i], headers[i+1])
		}
	}
	answer, err := c.http.Do(request)
	if err != nil {
		return reply{}, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return reply{}, err
	}
	return reply{answer.StatusCode, answer.Header, text}, nil
}

const (
	asJSON  = "application/json"
	asLines = "application/x-ndjson"
)

// must sends a JSON request that has to succeed.
func (c *caller) must(t *testing.T, method, path, body string, headers ...string) reply {
	t.Helper()
	got, err := c.send(method, path, asJSON, body, headers...)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	if got.status >= 300 {
		t.Fatalf("%s %s: %s", method, path, got)
	}
	return got
}

// record is what a campaign reads of a job.
type record struct {
	Phase           string  `json:"phase"`
	Target          string  `json:"target"`
	Error           *string `json:"error"`
	Backlog         int     `json:"backlog"`
	DocumentsCopied int     `json:"documentsCopied"`
}

func (c *caller) job(t *testing.T, index string) record {
	t.Helper()
	var found record
	if err := json.Unmarshal(c.must(t, "GET", "/admin/reindexes/"+index, "").body, &found); err != nil {
		t.Fatal(err)
	}
	return found
}

// list reads every document of a generation by key.
func (c *caller) list(t *testing.T, name, token string) map[string]json.RawMessage {
	t.Helper()
	found := make(map[string]json.RawMessage)
	after := ""
	for {
		got := c.must(t, "GET", "/indexes/"+name+"/documents?limit=1000"+after, "", "X-Service-Freshness", token)
		var page struct {
			Documents []json.RawMessage `json:"documents"`
			Next      *string           `json:"next"`
		}
		if err := json.Unmarshal(got.body, &page); err != nil {
			t.Fatalf("%v: %.300s", err, got.body)
		}
		for _, document := range page.Documents {
			var key struct {
				ID string `json:"id"`
			}
			if err := json.Unmarshal(document, &key); err != nil || key.ID == "" {
				t.Fatalf("%v: %.300s", err, document)
			}
			if found[key.ID] != nil {
				t.Fatalf("%s is listed twice", key.ID)
			}
			found[key.ID] = document
		}
		if page.Next == nil {
			return found
		}
		after = "&after=" + *page.Next
	}
}
